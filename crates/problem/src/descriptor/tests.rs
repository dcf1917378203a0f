//! Derivatives compared with dual numbers, and equations with those of the index-1 form.

use approx::assert_relative_eq;
use nalgebra::DMatrix;
use num_dual::Dual;

use super::*;
use crate::Dimensions;
use crate::linalg::Entries;

/// A model with forces that depend on all arguments, one curved and one moving constraint, and a mass matrix that is
/// either constant or not.
struct Tangle {
    constant_mass: bool,
}

impl MechanicalModel for Tangle {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(3, 2)
    }
    fn mass<S: Scalar>(&self, q: &[S], mass: &mut impl Entries<S>) {
        for (i, entry) in [2.0, 3.0, 1.5].into_iter().enumerate() {
            mass[(i, i)] = S::from(entry);
        }
        (mass[(0, 1)], mass[(1, 0)]) = (S::from(0.4), S::from(0.4));
        if !self.constant_mass {
            mass[(0, 0)] = q[1].cos() * q[2] + 3.0;
            (mass[(0, 2)], mass[(2, 0)]) = (q[1].sin() * 0.3, q[1].sin() * 0.3);
        }
    }
    fn forces<S: Scalar>(&self, t: S, q: &[S], v: &[S], forces: &mut [S]) {
        forces[0] = q[0] * t * v[2] * v[2];
        forces[1] = (q[0] * 2.0).exp() - v[1];
        forces[2] = q[1] * v[0] - 9.81;
    }
    fn holonomic_constraints<S: Scalar>(&self, t: S, q: &[S], phi: &mut [S]) {
        phi[0] = q[0] * q[0] + q[1] * q[2] - t * t;
        phi[1] = q[2] * t.sin() - q[1];
    }
    fn energy<S: Scalar>(&self, _q: &[S], _v: &[S]) -> S {
        S::zero()
    }
}

const TIME: f64 = 0.7;
const STATE: [f64; 11] = [0.4, -0.6, 1.1, 0.8, -0.3, 0.5, 1.3, -2.1, 0.6, 1.7, -0.9];
const LEVELS: [Level; 3] = [Level::Position, Level::Velocity, Level::Acceleration];

fn descriptor<S: Scalar>(model: &Tangle, level: Level) -> Descriptor<'_, S> {
    Descriptor::new(MechanicsOf::new(model), level).expect("vectors and holonomic constraints")
}

/// The state, with accelerations if they are unknowns.
fn state(dimension: usize) -> Vec<f64> {
    [&STATE[..6], &STATE[17 - dimension..]].concat()
}

#[test]
fn derivatives_are_exact() {
    for (constant_mass, level) in [true, false].into_iter().flat_map(|mass| LEVELS.map(|level| (mass, level))) {
        let model = Tangle { constant_mass };
        let mut of_duals = descriptor::<Dual<f64>>(&model, level);
        let mut ode = descriptor::<f64>(&model, level);
        let n = Ode::<f64>::dimension(&ode);
        assert_eq!(n, if constant_mass && level != Level::Acceleration { 8 } else { 11 });
        let y = state(n);
        let mut rhs = |t: Dual<f64>, seed: Option<usize>| {
            let y: Vec<_> =
                y.iter().enumerate().map(|(i, &y)| Dual::new(y, if Some(i) == seed { 1.0 } else { 0.0 })).collect();
            let mut f = vec![Dual::from_re(f64::NAN); n];
            of_duals.rhs(t, &y, &mut f).expect("it exists");
            f.iter().map(|f| f.eps).collect::<Vec<_>>()
        };
        let mut jacobian = DMatrix::from_element(n, n, f64::NAN);
        ode.jacobian(TIME, &y, &mut jacobian).expect("it exists");
        for j in 0..n {
            let column: Vec<f64> = jacobian.column(j).iter().copied().collect();
            let expected = rhs(Dual::from_re(TIME), Some(j));
            assert_relative_eq!(&column[..], &expected[..], epsilon = 1e-14, max_relative = 1e-14);
        }
        let mut by_time = vec![f64::NAN; n];
        ode.time_derivative(TIME, &y, &mut by_time).expect("it exists");
        let expected = rhs(Dual::new(TIME, 1.0), None);
        assert_relative_eq!(&by_time[..], &expected[..], epsilon = 1e-13, max_relative = 1e-13);
    }
}

/// Completed states have the accelerations of the index-1 form: `M y' = f` then holds with `y' = (v, a, …)`.
#[test]
fn the_equations_match_the_mechanism() {
    for (constant_mass, level) in [true, false].into_iter().flat_map(|mass| LEVELS.map(|level| (mass, level))) {
        let model = Tangle { constant_mass };
        let mut index_1 = AccelerationLevel::new(MechanicsOf::<_, f64>::new(&model));
        let mut rates = [0.0; 6];
        index_1.rhs(TIME, &STATE[..6], &mut rates).expect("it exists");
        let mut ode = descriptor::<f64>(&model, level);
        let y = ode.complete(TIME, &STATE[..6]);
        let n = y.len();
        assert_relative_eq!(&y[n - 2..], index_1.multipliers(), max_relative = 1e-12);
        let mut f = vec![f64::NAN; n];
        ode.rhs(TIME, &y, &mut f).expect("it exists");
        let mut product = vec![0.0; n];
        let rates = [&rates[..], &vec![0.0; n - 6]].concat();
        add_product(1.0, ode.properties().mass.expect("there is one"), &rates, &mut product);
        assert_relative_eq!(&f[..n - 2], &product[..n - 2], epsilon = 1e-12);
        let mut constraints = [0.0; 2];
        let (q, v) = STATE[..6].split_at(3);
        let mut mechanics = MechanicsOf::<_, f64>::new(&model);
        match level {
            Level::Position => mechanics.constraint_values(TIME, q, v, &mut constraints),
            Level::Velocity => mechanics.velocity_constraints(TIME, q, v, &mut constraints),
            Level::Acceleration => {}
        }
        assert_relative_eq!(&f[n - 2..], &constraints[..], epsilon = 1e-12);
    }
}

#[test]
fn indices_are_in_the_order_of_the_state() {
    let indices = |constant_mass, level| {
        let model = Tangle { constant_mass };
        descriptor::<f64>(&model, level).properties().indices.expect("there are some").to_vec()
    };
    assert_eq!(indices(true, Level::Position), [1, 1, 1, 2, 2, 2, 3, 3]);
    assert_eq!(indices(false, Level::Position), [1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3]);
    assert_eq!(indices(true, Level::Velocity), [1, 1, 1, 1, 1, 1, 2, 2]);
    assert_eq!(indices(true, Level::Acceleration), [1; 11]);
}
