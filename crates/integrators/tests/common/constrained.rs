//! Constrained mechanics with known solutions or laws.

use std::ops::ControlFlow;

use mbsbench_problem::{
    AccelerationLevel, Counted, Dimensions, Entries, Failure, MechanicalModel, MechanicsOf, Method, Observer, Scalar,
    Settings, Solution, Step, Task,
};
use nalgebra::DMatrix;

/// Three coordinates with a full mass matrix that depends on them, forced so that
///
/// ```text
/// q = (sin t, cos 2t, 0.3 sin 3t),  λ = (1 + cos t, sin 2t)
/// ```
///
/// solve the equations with `Φ = (q₁ − 1 + 2 q₀², q₂ − q₀ q₁/2 − k(t))`. Both constraints are curved, and the second
/// one moves. Springs and a damper that are quadratic in the deflection from the solution make forces depend on the
/// state.
pub struct Manufactured {
    /// If false, λ and the constraints are omitted; the solution is the same.
    pub constrained: bool,
}

impl Manufactured {
    /// Positions, velocities and accelerations.
    pub fn motion<S: Scalar>(t: S) -> [[S; 3]; 3] {
        let ((s, c), (s2, c2), (s3, c3)) = (t.sin_cos(), (t * 2.0).sin_cos(), (t * 3.0).sin_cos());
        [[s, c2, s3 * 0.3], [c, s2 * -2.0, c3 * 0.3 * 3.0], [-s, c2 * -4.0, s3 * 0.3 * -9.0]]
    }

    /// Multipliers λ.
    pub fn multipliers<S: Scalar>(&self, t: S) -> Vec<S> {
        if self.constrained { vec![t.cos() + 1.0, (t * 2.0).sin()] } else { Vec::new() }
    }

    /// The state `(q ; v)`.
    pub fn exact(t: f64) -> Vec<f64> {
        let [q, v, _] = Self::motion(t);
        [q, v].concat()
    }

    fn mass_entries<S: Scalar>(q: &[S]) -> [[S; 3]; 3] {
        let (d, e) = (q[1].sin() * 0.4, q[0] * 0.5);
        [[q[0] * q[0] * 3.0 + 2.0, d, S::zero()], [d, q[0].cos() + 2.0, e], [S::zero(), e, S::from(1.5)]]
    }
}

impl MechanicalModel for Manufactured {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(3, if self.constrained { 2 } else { 0 })
    }
    fn mass<S: Scalar>(&self, q: &[S], mass: &mut impl Entries<S>) {
        for (i, row) in Self::mass_entries(q).into_iter().enumerate() {
            for (j, entry) in row.into_iter().enumerate() {
                mass[(i, j)] = entry;
            }
        }
    }
    fn forces<S: Scalar>(&self, t: S, q: &[S], v: &[S], forces: &mut [S]) {
        let [position, velocity, acceleration] = Self::motion(t);
        let mass = Self::mass_entries(&position);
        for i in 0..3 {
            let deflection = q[i] - position[i];
            forces[i] = (0..3).fold(S::zero(), |sum, j| sum + mass[i][j] * acceleration[j]) - deflection * 2.0
                + deflection * deflection
                - (v[i] * v[i] - velocity[i] * velocity[i]) * 0.2
                - (v[i] - velocity[i]) * 0.3;
        }
        if self.constrained {
            let (first, second) = (t.cos() + 1.0, (t * 2.0).sin());
            forces[0] -= position[0] * 4.0 * first - position[1] * 0.5 * second;
            forces[1] -= first - position[0] * 0.5 * second;
            forces[2] -= second;
        }
    }
    fn holonomic_constraints<S: Scalar>(&self, t: S, q: &[S], phi: &mut [S]) {
        if self.constrained {
            let [exact, ..] = Self::motion(t);
            phi[0] = q[1] - 1.0 + q[0] * q[0] * 2.0;
            phi[1] = q[2] - q[0] * q[1] * 0.5 - (exact[2] - exact[0] * exact[1] * 0.5);
        }
    }
    fn energy<S: Scalar>(&self, _q: &[S], _v: &[S]) -> S {
        S::zero()
    }
}

/// Gravity, m/s².
pub const GRAVITY: f64 = 9.81;

/// A point mass of 1 kg on a circle of radius 1 m about the origin, in Cartesian coordinates.
pub struct Pendulum;

impl Pendulum {
    /// Released from rest at the height of the pivot.
    pub const START: [f64; 4] = [1.0, 0.0, 0.0, 0.0];
}

impl MechanicalModel for Pendulum {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(2, 1)
    }
    fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
        (0..self.dimensions().velocities).for_each(|i| mass[(i, i)] = S::from(1.0));
    }
    fn forces<S: Scalar>(&self, _t: S, _q: &[S], _v: &[S], forces: &mut [S]) {
        forces.copy_from_slice(&[S::zero(), S::from(-GRAVITY)]);
    }
    fn holonomic_constraints<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        phi[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
    }
    fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        (v[0] * v[0] + v[1] * v[1]) * 0.5 + q[1] * GRAVITY
    }
}

/// Records state and multipliers of every step.
#[derive(Default)]
pub struct Record {
    pub times: Vec<f64>,
    pub states: Vec<Vec<f64>>,
    pub multipliers: Vec<Vec<f64>>,
    pub conditions: Vec<f64>,
    pub watches_matrices: bool,
}

impl Record {
    /// Largest errors of positions, velocities and multipliers of the model after `t = 1`.
    pub fn errors(&self, model: &Manufactured) -> [f64; 3] {
        let mut errors = [0.0f64; 3];
        for (i, &t) in self.times.iter().enumerate().filter(|&(_, &t)| t > 1.0) {
            let (exact, state) = (Manufactured::exact(t), &self.states[i]);
            errors[0] = errors[0].max(distance(&state[..3], &exact[..3]));
            errors[1] = errors[1].max(distance(&state[3..], &exact[3..]));
            errors[2] = errors[2].max(distance(&self.multipliers[i], &model.multipliers(t)));
        }
        errors
    }
}

impl Observer for Record {
    fn watches_newton_matrices(&self) -> bool {
        self.watches_matrices
    }
    fn newton_matrix(&mut self, _t: f64, matrix: &DMatrix<f64>) {
        let values = matrix.clone().singular_values();
        self.conditions.push(values.max() / values.min());
    }
    fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
        self.times.push(step.t_end);
        self.states.push(step.end.to_vec());
        self.multipliers.push(step.further.multipliers.to_vec());
        ControlFlow::Continue(())
    }
}

/// Largest difference between components of two states.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Checks what it observes of the [`Pendulum`], without an effect on the run.
#[derive(Default)]
pub struct Watcher {
    pub last: (f64, Vec<f64>),
    pub steps: u64,
    /// True if the method is explicit and so has no multipliers.
    pub explicit: bool,
    /// Largest violation of the circle in the middle of a step.
    pub middle: f64,
}

impl Observer for Watcher {
    fn start(&mut self, t: f64, y: &[f64]) {
        self.last = (t, y.to_vec());
    }
    fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
        self.steps += 1;
        assert_eq!(step.index, self.steps);
        assert_eq!(self.last, (step.t_start, step.start.to_vec()));
        if self.explicit {
            assert!(step.further.multipliers.is_empty());
        } else {
            assert_eq!((step.further.multipliers.len(), step.before_projection()), (1, step.end));
        }
        let mut y = [0.0; 4];
        for (t, expected) in [(step.t_start, step.start), (step.t_end, step.end)] {
            step.within.state_at(t, &mut y).expect("no evaluation is needed");
            assert_eq!(y, expected);
        }
        step.within.state_at(0.5 * (step.t_start + step.t_end), &mut y).expect("the pendulum has no failures");
        self.middle = self.middle.max((y[0] * y[0] + y[1] * y[1] - 1.0).abs());
        self.last = (step.t_end, step.end.to_vec());
        ControlFlow::Continue(())
    }
}

/// The pendulum, with forces that are NaN after `t = 1`.
pub struct Cliff;
impl MechanicalModel for Cliff {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(2, 1)
    }
    fn mass<S: Scalar>(&self, q: &[S], mass: &mut impl Entries<S>) {
        Pendulum.mass(q, mass);
    }
    fn forces<S: Scalar>(&self, t: S, q: &[S], v: &[S], forces: &mut [S]) {
        Pendulum.forces(t, q, v, forces);
        if t.value() > 1.0 {
            forces[0] = S::from(f64::NAN);
        }
    }
    fn holonomic_constraints<S: Scalar>(&self, t: S, q: &[S], phi: &mut [S]) {
        Pendulum.holonomic_constraints(t, q, phi);
    }
    fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        Pendulum.energy(q, v)
    }
}

/// A point in the plane that is unsuitable for formulas for index-3 mechanics, or whose constraints are redundant.
#[derive(Clone, Copy, PartialEq)]
pub enum Odd {
    Nonholonomic,
    MorePositions,
    TurnedRates,
    Redundant,
}
impl MechanicalModel for Odd {
    fn dimensions(&self) -> Dimensions {
        Dimensions {
            coordinates: if *self == Self::MorePositions { 3 } else { 2 },
            velocities: 2,
            holonomic: if *self == Self::Redundant { 2 } else { 0 },
            nonholonomic: usize::from(*self == Self::Nonholonomic),
        }
    }
    fn position_rate<S: Scalar>(&self, _q: &[S], v: &[S], q_rate: &mut [S]) {
        match self {
            Self::MorePositions => q_rate.copy_from_slice(&[v[0], v[1], v[0]]),
            Self::TurnedRates => q_rate.copy_from_slice(&[v[1], v[0]]),
            _ => q_rate.copy_from_slice(v),
        }
    }
    fn mass<S: Scalar>(&self, q: &[S], mass: &mut impl Entries<S>) {
        Pendulum.mass(q, mass);
    }
    fn forces<S: Scalar>(&self, t: S, q: &[S], v: &[S], forces: &mut [S]) {
        Pendulum.forces(t, q, v, forces);
    }
    fn holonomic_constraints<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        if *self == Self::Redundant {
            phi.copy_from_slice(&[q[0], q[0] * 2.0]);
        }
    }
    fn nonholonomic_constraints<S: Scalar>(&self, _t: S, _q: &[S], v: &[S], gamma: &mut [S]) {
        if let Some(gamma) = gamma.first_mut() {
            *gamma = v[1];
        }
    }
    fn energy<S: Scalar>(&self, _q: &[S], _v: &[S]) -> S {
        S::zero()
    }
}

/// Solves from `span[0]` to `span[1]`.
pub fn solve<M: MechanicalModel>(
    model: &M,
    method: &dyn Method,
    initial: &[f64],
    span: [f64; 2],
    settings: Settings,
    observer: &mut dyn Observer,
) -> Solution {
    let task = Task { t_start: span[0], t_end: span[1], initial, settings };
    method.solve(Counted::new(&mut AccelerationLevel::new(MechanicsOf::new(model))), &task, observer)
}

/// Solves with `steps` equal steps and records all of them.
pub fn record<M: MechanicalModel>(
    model: &M,
    method: &dyn Method,
    initial: &[f64],
    t_end: f64,
    steps: u32,
) -> (Solution, Record) {
    let mut record = Record::default();
    let settings = Settings::fixed(t_end / f64::from(steps));
    let solution = solve(model, method, initial, [0.0, t_end], settings, &mut record);
    assert_eq!(solution.failure, None);
    assert_eq!(solution.statistics.steps_accepted, u64::from(steps));
    (solution, record)
}

/// The double pendulum of negrut2007 with its stiff second spring (relative mode of 4e4 1/s), `q = (x, y, θ)` of both
/// rods. The first rod is horizontal and at rest; the second one starts at 10 rad/s.
pub struct StiffDoublePendulum;

impl StiffDoublePendulum {
    const MASSES: [f64; 2] = [3.0, 0.3];
    const LENGTHS: [f64; 2] = [1.0, 1.5];

    /// Angles of both rods, rad, and their velocities, rad/s, at 2 s, by a Radau method on the minimal form.
    pub const END: [f64; 4] = [4.711_648_72, 4.711_648_46, -2.853_180e-3, -2.852_945e-3];

    pub fn initial() -> Vec<f64> {
        let turn = 2.0 * std::f64::consts::PI;
        let [l1, l2] = Self::LENGTHS;
        vec![0.5 * l1, 0.0, turn, l1 + 0.5 * l2, 0.0, turn, 0.0, 0.0, 0.0, 0.0, 5.0 * l2, 10.0]
    }
}

impl MechanicalModel for StiffDoublePendulum {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(6, 4)
    }
    fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
        for (i, (m, l)) in Self::MASSES.into_iter().zip(Self::LENGTHS).enumerate() {
            mass[(3 * i, 3 * i)] = S::from(m);
            mass[(3 * i + 1, 3 * i + 1)] = S::from(m);
            mass[(3 * i + 2, 3 * i + 2)] = S::from(m * l * l / 12.0);
        }
    }
    fn forces<S: Scalar>(&self, _t: S, q: &[S], v: &[S], forces: &mut [S]) {
        let first = (q[2] - 1.5 * std::f64::consts::PI) * -400.0 - v[2] * 15.0;
        let second = (q[5] - q[2]) * -3e5 - (v[5] - v[2]) * 5e3;
        let weights = Self::MASSES.map(|m| S::from(-m * GRAVITY));
        forces.copy_from_slice(&[S::zero(), weights[0], first - second, S::zero(), weights[1], second]);
    }
    fn holonomic_constraints<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        let [l1, l2] = Self::LENGTHS.map(|length| 0.5 * length);
        let ((s1, c1), (s2, c2)) = (q[2].sin_cos(), q[5].sin_cos());
        phi[0] = q[0] - c1 * l1;
        phi[1] = q[1] - s1 * l1;
        phi[2] = q[0] + c1 * l1 - q[3] + c2 * l2;
        phi[3] = q[1] + s1 * l1 - q[4] + s2 * l2;
    }
    fn energy<S: Scalar>(&self, _q: &[S], _v: &[S]) -> S {
        S::zero()
    }
}

/// Rods from the origin to the pin and from the pin to a slider on the x-axis, `q = (x₁, y₁, θ₁, x₂, y₂, θ₂)` at
/// their centres. A spring with a damper holds the slider (negrut2007, section 3).
pub struct SliderCrank;

impl SliderCrank {
    const MASSES: [f64; 2] = [3.0, 0.9];
    const LENGTHS: [f64; 2] = [0.3, 0.6];

    /// At rest with the crank pointing down.
    pub fn initial() -> Vec<f64> {
        let [l1, l2] = Self::LENGTHS.map(|length| 0.5 * length);
        let first = 1.5 * std::f64::consts::PI;
        let second = (-Self::LENGTHS[0] * first.sin() / Self::LENGTHS[1]).asin();
        let pin = [Self::LENGTHS[0] * first.cos(), Self::LENGTHS[0] * first.sin()];
        let mut state = vec![l1 * first.cos(), l1 * first.sin(), first];
        state.extend([pin[0] + l2 * second.cos(), pin[1] + l2 * second.sin(), second]);
        state.extend([0.0; 6]);
        state
    }
}

impl MechanicalModel for SliderCrank {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(6, 5)
    }
    fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
        for (i, (m, l)) in Self::MASSES.into_iter().zip(Self::LENGTHS).enumerate() {
            mass[(3 * i, 3 * i)] = S::from(m);
            mass[(3 * i + 1, 3 * i + 1)] = S::from(m);
            mass[(3 * i + 2, 3 * i + 2)] = S::from(m * l * l / 12.0);
        }
    }
    fn forces<S: Scalar>(&self, _t: S, q: &[S], v: &[S], forces: &mut [S]) {
        let l2 = 0.5 * Self::LENGTHS[1];
        let (sine, cosine) = q[5].sin_cos();
        let (slider, rate) = (q[3] + cosine * l2, v[3] - sine * v[5] * l2);
        let force = (slider - 0.9) * -100.0 - rate * 5.0;
        forces.fill(S::zero());
        forces[1] = S::from(-Self::MASSES[0] * GRAVITY);
        forces[4] = S::from(-Self::MASSES[1] * GRAVITY);
        forces[3] = force;
        forces[5] = -force * sine * l2;
    }
    fn holonomic_constraints<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        let [l1, l2] = Self::LENGTHS.map(|length| 0.5 * length);
        let ((s1, c1), (s2, c2)) = (q[2].sin_cos(), q[5].sin_cos());
        phi[0] = q[0] - c1 * l1;
        phi[1] = q[1] - s1 * l1;
        phi[2] = q[0] + c1 * l1 - q[3] + c2 * l2;
        phi[3] = q[1] + s1 * l1 - q[4] + s2 * l2;
        phi[4] = q[4] + s2 * l2;
    }
    fn energy<S: Scalar>(&self, _q: &[S], _v: &[S]) -> S {
        S::zero()
    }
}
