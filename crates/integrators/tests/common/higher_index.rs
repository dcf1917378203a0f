//! Equations `M y' = f(t, y)` with a singular matrix, of index 2 and 3, with known solutions.

use mbsbench_problem::{
    AsOde, Counted, Descriptor, Failure, Level, MechanicsOf, Method, Ode, OdeModel, Properties, Scalar, Settings,
    Silent, Solution, Task,
};
use nalgebra::DMatrix;

use super::constrained::{Manufactured, distance};

/// `x₁' = x₁ x₂² z²`, `x₂' = x₁² x₂² − 3 x₂² z`, `0 = x₁² x₂ − 1`, solved by `x = (eᵗ, e⁻²ᵗ)`, `z = e²ᵗ`, of index 2
/// in `z` (E. Hairer, C. Lubich, M. Roche, The Numerical Solution of Differential-Algebraic Systems by Runge–Kutta
/// Methods (1989)).
///
/// The unknowns are ordered `(z, x₁, x₂)`, and the differential equations are combined.
pub struct Exponentials {
    mass: DMatrix<f64>,
    /// True if the problem declares the indices of its unknowns.
    tells: bool,
}

const MIXED: [[f64; 2]; 2] = [[2.0, 1.0], [0.5, 1.0]];

impl Exponentials {
    pub fn new(tells: bool) -> Self {
        let mut mass = DMatrix::zeros(3, 3);
        for (i, row) in MIXED.iter().enumerate() {
            (mass[(i, 1)], mass[(i, 2)]) = (row[0], row[1]);
        }
        Self { mass, tells }
    }

    pub fn exact(t: f64) -> [f64; 3] {
        [(2.0 * t).exp(), t.exp(), (-2.0 * t).exp()]
    }
}

impl OdeModel for Exponentials {
    fn dimension(&self) -> usize {
        3
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], f: &mut [S]) {
        let [z, x1, x2] = [y[0], y[1], y[2]];
        let rates = [x1 * x2 * x2 * z * z, (x1 * x1 - z * 3.0) * x2 * x2];
        for (f, row) in f.iter_mut().zip(MIXED) {
            *f = rates[0] * row[0] + rates[1] * row[1];
        }
        f[2] = x1 * x1 * x2 - 1.0;
    }
}

impl Ode for Exponentials {
    fn dimension(&self) -> usize {
        3
    }
    fn rhs(&mut self, t: f64, y: &[f64], f: &mut [f64]) -> Result<(), Failure> {
        AsOde(&*self).rhs(t, y, f)
    }
    fn properties(&self) -> Properties<'_> {
        Properties {
            has_jacobian: true,
            mass: Some(&self.mass),
            indices: self.tells.then_some(&[2, 1, 1]),
            ..Properties::default()
        }
    }
    fn jacobian(&mut self, t: f64, y: &[f64], jacobian: &mut DMatrix<f64>) -> Result<(), Failure> {
        AsOde(&*self).jacobian(t, y, jacobian)
    }
}

/// Solves from the exact start to `t = 1`; returns the errors of `x` and of `z` at the end.
pub fn exponential_errors(method: &dyn Method, settings: Settings, tells: bool) -> ([f64; 2], Solution) {
    let task = Task { t_start: 0.0, t_end: 1.0, initial: &Exponentials::exact(0.0), settings };
    let solution = method.solve(Counted::new(&mut Exponentials::new(tells)), &task, &mut Silent);
    let exact = Exponentials::exact(1.0);
    let errors = [distance(&solution.state[1..], &exact[1..]), (solution.state[0] - exact[0]).abs()];
    (errors, solution)
}

/// Solves the manufactured motion of [`Manufactured`] with its accelerations and multipliers from the exact start to
/// `t = 2`. Returns the errors at the end, in three classes: positions, velocities, and accelerations with
/// multipliers.
pub fn manufactured_errors(method: &dyn Method, settings: Settings, level: Level) -> ([f64; 3], Solution) {
    let model = Manufactured { constrained: true };
    let exact = |t: f64| {
        let [q, v, a] = Manufactured::motion(t);
        [&q[..], &v, &a, &model.multipliers(t)].concat()
    };
    let mut ode = Descriptor::new(MechanicsOf::<_, f64>::new(&model), level).expect("vectors");
    let task = Task { t_start: 0.0, t_end: 2.0, initial: &exact(0.0), settings };
    let solution = method.solve(Counted::new(&mut ode), &task, &mut Silent);
    let (state, exact) = (&solution.state, exact(2.0));
    let error = |range: std::ops::Range<usize>| distance(&state[range.clone()], &exact[range]);
    ([error(0..3), error(3..6), error(6..11)], solution)
}
