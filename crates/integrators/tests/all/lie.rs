//! Generalized-α on Lie groups: orders by class, lengths of quaternions, energy, equality with the method for vectors,
//! conformance.

use crate::common::conformance::{STEP, budgets_are_kept, is_watched, run, spans_are_kept};
use crate::common::constrained::{Manufactured, Odd, Pendulum, Record, distance, record};
use crate::common::{Circle, constrained};
use mbsbench_integrators::low_order::NewtonSettings;
use mbsbench_integrators::{Dop853, GeneralizedAlpha, LieGeneralizedAlpha};
use mbsbench_problem::linalg::Matrix;
use mbsbench_problem::rotation::{rate, turn};
use mbsbench_problem::{
    AccelerationLevel, AsOde, Counted, Dimensions, Entries, Failure, MechanicalModel, Mechanics, MechanicsOf, Method,
    MethodDefinition, Motion, Ode, OdeModel, Scalar, Settings, Silent, Solution, Statistics, StepControl, Task,
};
use nalgebra::{DMatrix, Matrix3, Quaternion, UnitQuaternion, Vector3};

/// The heavy top of Brüls and Cardona with centre of mass and rotation, `q = (x ; e)` and `v = (x' ; ω)` in the
/// inertial frame, constrained by `x = R(e) X`.
pub struct Top;

const MASS: f64 = 15.0;
const INERTIA: [f64; 3] = [0.234_375, 0.468_75, 0.234_375];
const ARM: [f64; 3] = [0.0, 1.0, 0.0];
const SPIN: [f64; 3] = [0.0, 150.0, -4.615_38];
const GRAVITY: f64 = 9.81;

fn rotation<S: Scalar>(e: &[S]) -> Matrix3<S> {
    let [s, x, y, z] = [e[0], e[1], e[2], e[3]];
    let square = s * s + x * x + y * y + z * z;
    Matrix3::new(
        square - (y * y + z * z) * 2.0,
        (x * y - s * z) * 2.0,
        (x * z + s * y) * 2.0,
        (x * y + s * z) * 2.0,
        square - (x * x + z * z) * 2.0,
        (y * z - s * x) * 2.0,
        (x * z - s * y) * 2.0,
        (y * z + s * x) * 2.0,
        square - (x * x + y * y) * 2.0,
    )
}

fn vector<S: Scalar>(x: &[S]) -> Vector3<S> {
    Vector3::new(x[0], x[1], x[2])
}

impl Top {
    fn inertia<S: Scalar>(e: &[S]) -> Matrix3<S> {
        let r = rotation(e);
        r * Matrix3::from_diagonal(&vector(&INERTIA.map(S::from))) * r.transpose()
    }

    pub fn initial() -> Vec<f64> {
        let velocity = vector(&SPIN).cross(&vector(&ARM));
        [&ARM[..], &[1.0, 0.0, 0.0, 0.0], velocity.as_slice(), &SPIN].concat()
    }
}

impl MechanicalModel for Top {
    fn dimensions(&self) -> Dimensions {
        Dimensions { coordinates: 7, velocities: 6, holonomic: 3, nonholonomic: 0 }
    }
    fn position_rate<S: Scalar>(&self, q: &[S], v: &[S], q_rate: &mut [S]) {
        q_rate[..3].copy_from_slice(&v[..3]);
        rate(&q[3..], &v[3..], &mut q_rate[3..]);
    }
    fn retract<S: Scalar>(&self, q: &[S], delta: &[S], moved: &mut [S]) {
        (0..3).for_each(|i| moved[i] = q[i] + delta[i]);
        turn(&q[3..], &delta[3..], &mut moved[3..]);
    }
    fn mass<S: Scalar>(&self, q: &[S], mass: &mut impl Entries<S>) {
        let inertia = Self::inertia(&q[3..]);
        for i in 0..3 {
            mass[(i, i)] = S::from(MASS);
            (0..3).for_each(|j| mass[(3 + i, 3 + j)] = inertia[(i, j)]);
        }
    }
    fn forces<S: Scalar>(&self, _t: S, q: &[S], v: &[S], forces: &mut [S]) {
        let omega = vector(&v[3..]);
        let torque = -omega.cross(&(Self::inertia(&q[3..]) * omega));
        forces[..3].copy_from_slice(&[0.0, 0.0, -GRAVITY * MASS].map(S::from));
        forces[3..].copy_from_slice(torque.as_slice());
    }
    fn holonomic_constraints<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        let held = vector(q) - rotation(&q[3..]) * vector(&ARM.map(S::from));
        phi.copy_from_slice(held.as_slice());
    }
    fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        let (velocity, omega) = (vector(v), vector(&v[3..]));
        (velocity.dot(&velocity) * MASS + omega.dot(&(Self::inertia(&q[3..]) * omega))) * 0.5 + q[2] * (MASS * GRAVITY)
    }
}

/// The same top without a constraint: `(e ; Ω)` with Euler's equations about the fixed point, in the body frame.
pub struct Spinning;

impl Spinning {
    fn inertia() -> [f64; 3] {
        [INERTIA[0] + MASS, INERTIA[1], INERTIA[2] + MASS]
    }

    /// `Ω'`.
    fn acceleration<S: Scalar>(e: &[S], spin: &Vector3<S>) -> Vector3<S> {
        let inertia = vector(&Self::inertia().map(S::from));
        let weight = rotation(e).transpose() * Vector3::new(0.0, 0.0, -MASS * GRAVITY).map(S::from);
        let torque = vector(&ARM.map(S::from)).cross(&weight) - spin.cross(&inertia.component_mul(spin));
        torque.component_div(&inertia)
    }

    /// State and multipliers of [`Top`] at `t`.
    pub fn exact(t: f64) -> (Vec<f64>, [f64; 3]) {
        let initial = [&[1.0, 0.0, 0.0, 0.0][..], &SPIN].concat();
        let settings = Settings::tolerance(1e-13, 1e-13);
        let task = Task { t_start: 0.0, t_end: t, initial: &initial, settings };
        let solution = Dop853::default().method().solve(Counted::new(&mut AsOde(&Self)), &task, &mut Silent);
        assert_eq!(solution.failure, None);
        let (e, spin) = (&solution.state[..4], vector(&solution.state[4..]));
        let (r, arm) = (rotation(e), vector(&ARM));
        let acceleration = Self::acceleration(e, &spin).cross(&arm) + spin.cross(&spin.cross(&arm));
        let lambda = (r * acceleration + Vector3::new(0.0, 0.0, GRAVITY)) * MASS;
        let (x, omega) = (r * arm, r * spin);
        let state = [x.as_slice(), e, omega.cross(&x).as_slice(), omega.as_slice()].concat();
        (state, lambda.into())
    }
}

impl OdeModel for Spinning {
    fn dimension(&self) -> usize {
        7
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
        let (e, spin) = (&y[..4], vector(&y[4..]));
        rate(e, (rotation(e) * spin).as_slice(), &mut dydt[..4]);
        dydt[4..].copy_from_slice(Self::acceleration(e, &spin).as_slice());
    }
}

const END: f64 = 0.5;

pub fn solve(method: &dyn Method, steps: u32, t_end: f64) -> (Solution, Record) {
    let (initial, mut record) = (Top::initial(), Record::default());
    let settings = Settings::fixed(t_end / f64::from(steps));
    let task = Task { t_start: 0.0, t_end, initial: &initial, settings };
    let mut ode = AccelerationLevel::new(MechanicsOf::new(&Top));
    let solution = method.solve(Counted::new(&mut ode), &task, &mut record);
    assert_eq!((&solution.failure, solution.t_reached), (&None, t_end));
    (solution, record)
}

/// Errors of positions, velocities and multipliers at the end; the sign of a quaternion is ignored.
pub fn errors(method: &dyn Method, steps: u32) -> [f64; 3] {
    let (solution, record) = solve(method, steps, END);
    let (exact, lambda) = Spinning::exact(END);
    let unit = |e: &[f64]| UnitQuaternion::new_unchecked(Quaternion::new(e[0], e[1], e[2], e[3]));
    let turned = unit(&solution.state[3..7]).angle_to(&unit(&exact[3..7]));
    let last = record.multipliers.last().expect("there are steps");
    [
        distance(&solution.state[..3], &exact[..3]).max(turned),
        distance(&solution.state[7..], &exact[7..]),
        distance(last, &lambda),
    ]
}

#[test]
fn orders_of_positions_velocities_and_multipliers() {
    for rho_inf in [0.6, 0.8] {
        let method = LieGeneralizedAlpha { rho_inf, ..LieGeneralizedAlpha::default() }.method();
        let (coarse, fine) = (errors(&*method, 1000), errors(&*method, 2000));
        let orders = [0, 1, 2].map(|class: usize| (coarse[class] / fine[class]).log2());
        assert!(orders.iter().all(|order| (order - 2.0).abs() < 0.1), "{orders:.3?}");
    }
}

/// Initial velocities satisfy their constraints and those of later steps do not: the first multipliers have an error
/// O(h), which decays within some tens of steps.
#[test]
fn multipliers_begin_with_an_error_of_first_order() {
    let method = LieGeneralizedAlpha::default().method();
    let errors = |steps: u32| {
        let (_, record) = solve(&*method, steps, 0.1);
        let error = |k: usize| distance(&record.multipliers[k], &Spinning::exact(record.times[k]).1);
        [(0..8).map(error).fold(0.0, f64::max), error(record.times.len() - 1)]
    };
    let (coarse, fine) = (errors(1000), errors(2000));
    let orders = [0, 1].map(|k: usize| (coarse[k] / fine[k]).log2());
    assert!((orders[0] - 1.0).abs() < 0.1 && (orders[1] - 2.0).abs() < 0.1, "{orders:.3?}");
}

#[test]
fn quaternions_keep_unit_length_and_energy_hardly_drifts() {
    let (_, record) = solve(&*LieGeneralizedAlpha::default().method(), 4000, 4.0);
    let energy = |y: &[f64]| Top.energy(&y[..7], &y[7..]);
    let start = energy(&Top::initial());
    let (mut length, mut change, mut open) = (0.0f64, 0.0f64, 0.0f64);
    let mut phi = [0.0; 3];
    for y in &record.states {
        length = length.max((y[3..7].iter().map(|e| e * e).sum::<f64>() - 1.0).abs());
        change = change.max((energy(y) - start).abs());
        Top.holonomic_constraints(0.0, &y[..7], &mut phi);
        open = open.max(distance(&phi, &[0.0; 3]));
    }
    // rounding of 4000 steps as a random walk; the initial energy is 5.3 kJ
    assert!(length < 4000.0 * f64::EPSILON && open < 1e-12 && change < 1.0, "{length:e} {change:e} {open:e}");
}

/// For vectors, both programs implement the same method.
#[test]
fn vectors_move_as_by_generalized_alpha() {
    let model = Manufactured { constrained: true };
    let sharp = NewtonSettings { tolerance: 1e-14, ..NewtonSettings::default() };
    let methods = [
        LieGeneralizedAlpha { newton_tolerance: 1e-14, ..LieGeneralizedAlpha::default() }.method(),
        GeneralizedAlpha { newton: sharp, ..GeneralizedAlpha::default() }.method(),
    ];
    let [lie, vector] = methods.map(|method| record(&model, &*method, &Manufactured::exact(0.0), 2.0, 128).1);
    for (a, b) in lie.states.iter().zip(&vector.states) {
        assert!(distance(a, b) < 1e-12, "{:e}", distance(a, b));
    }
    for (a, b) in lie.multipliers.iter().zip(&vector.multipliers) {
        assert!(distance(a, b) < 1e-9, "{:e}", distance(a, b));
    }
}

/// Newton's matrix is compared with difference quotients of the residual through the retraction, including the tangent
/// operator.
#[test]
fn derivatives_along_displacements_match_the_residual() {
    let mut mechanics = MechanicsOf::<_, f64>::new(&Top);
    let initial = Top::initial();
    let (q, v) = (&initial[..7], [0.3, -0.2, 0.5, 2.0, -1.0, 0.7]);
    let (delta, a, lambda) = ([0.1, 0.2, -0.3, 0.9, -0.4, 0.6], [1.0, 2.0, 3.0, -2.0, 5.0, 1.5], [7.0, -3.0, 2.0]);
    let [mut dynamics, mut by_velocity, mut constraints] = [6, 6, 3].map(|rows| Matrix::dense(rows, 6));
    let at = Motion { t: 0.0, q, v: &v, a: &a, lambda: &lambda };
    mechanics.displaced_derivatives(at, &delta, [&mut dynamics, &mut by_velocity, &mut constraints]);
    let mut residual = |delta: &[f64], v: &[f64]| {
        let (mut moved, mut mass, mut jacobian) = ([0.0; 7], DMatrix::zeros(6, 6), DMatrix::zeros(3, 6));
        let (mut forces, mut phi) = ([0.0; 6], [0.0; 3]);
        mechanics.retract(q, delta, &mut moved);
        mechanics.mass(&moved, &mut mass);
        mechanics.forces(0.0, &moved, v, &mut forces);
        mechanics.constraint_jacobian(0.0, &moved, v, &mut jacobian);
        mechanics.constraint_values(0.0, &moved, v, &mut phi);
        let row = |i: usize| {
            let inertia: f64 = (0..6).map(|j| mass[(i, j)] * a[j]).sum();
            inertia - forces[i] - (0..3).map(|c| jacobian[(c, i)] * lambda[c]).sum::<f64>()
        };
        [&[0, 1, 2, 3, 4, 5].map(row)[..], &phi].concat()
    };
    let shifted = |x: &[f64; 6], j: usize, by: f64| {
        let mut x = *x;
        x[j] += by;
        x
    };
    for j in 0..6 {
        let h = 1e-5;
        let [after, before] = [h, -h].map(|h| residual(&shifted(&delta, j, h), &v));
        for i in 0..9 {
            let slope = (after[i] - before[i]) / (2.0 * h);
            let found = if i < 6 { dynamics[(i, j)] } else { constraints[(i - 6, j)] };
            assert!((slope - found).abs() < 1e-8, "({i}, {j}): {slope}");
        }
        let [after, before] = [h, -h].map(|h| residual(&delta, &shifted(&v, j, h)));
        for i in 0..6 {
            let slope = (after[i] - before[i]) / (2.0 * h);
            assert!((slope - by_velocity[(i, j)]).abs() < 1e-8, "({i}, {j}): {slope}");
        }
    }
}

/// With all derivatives in the matrix, corrections decrease quadratically, so that three or four iterations are enough.
#[test]
fn iterations_are_few() {
    let (solution, _) = solve(&*LieGeneralizedAlpha::default().method(), 500, END);
    let Statistics { newton_iterations, rhs_evaluations, factorizations, jacobian_evaluations, .. } =
        solution.statistics;
    assert!(newton_iterations <= 5 * 500, "{newton_iterations}");
    assert_eq!((rhs_evaluations, factorizations), (newton_iterations + 2, newton_iterations + 2));
    assert_eq!(jacobian_evaluations, newton_iterations);
}

#[test]
fn states_inside_steps_have_the_order_of_the_method() {
    /// Largest error of the centre of mass in the middle of a step.
    struct Middle(f64);
    impl mbsbench_problem::Observer for Middle {
        fn step(&mut self, step: &mut mbsbench_problem::Step<'_>) -> std::ops::ControlFlow<Failure> {
            if step.t_start >= 0.1 && self.0 == 0.0 {
                let mut y = vec![0.0; 13];
                let t = 0.5 * (step.t_start + step.t_end);
                step.within.state_at(t, &mut y).expect("no evaluation is needed");
                let (exact, _) = Spinning::exact(t);
                self.0 = distance(&y[..3], &exact[..3]).max(distance(&y[7..], &exact[7..]) / 150.0);
            }
            std::ops::ControlFlow::Continue(())
        }
    }
    let middle = |steps: u32| {
        let (initial, mut middle) = (Top::initial(), Middle(0.0));
        let settings = Settings::fixed(0.2 / f64::from(steps));
        let task = Task { t_start: 0.0, t_end: 0.2, initial: &initial, settings };
        let mut ode = AccelerationLevel::new(MechanicsOf::new(&Top));
        LieGeneralizedAlpha::default().method().solve(Counted::new(&mut ode), &task, &mut middle);
        middle.0
    };
    let order = (middle(512) / middle(1024)).log2();
    assert!((order - 2.0).abs() < 0.3, "order {order:.3}");
}

#[test]
fn spans_watchers_and_budgets() {
    let method = LieGeneralizedAlpha::default().method();
    spans_are_kept("lie", &*method);
    is_watched("lie", &*method);
    budgets_are_kept("lie", &*method);
    for t_end in [1e-9, 0.3, 1.01, 2.0] {
        let run = run(&*method, [0.0, t_end], Settings::fixed(STEP));
        assert_eq!((run.failure, run.t_reached), (None, t_end), "the end is hit exactly");
    }
}

#[test]
fn failures_are_reported() {
    let (method, settings) = (LieGeneralizedAlpha::default().method(), Settings::fixed(STEP));
    let redundant = constrained::solve(&Odd::Redundant, &*method, &[0.0; 4], [0.0, 1.0], settings, &mut Silent);
    assert!(matches!(redundant.failure, Some(Failure::SingularMatrix { time: 0.0, .. })));
    let cliff = constrained::solve(&constrained::Cliff, &*method, &Pendulum::START, [0.0, 2.0], settings, &mut Silent);
    assert_eq!((cliff.failure, cliff.t_reached), (Some(Failure::NonFinite { time: 1.0 }), 1.0));
    let hasty = LieGeneralizedAlpha { max_iterations: 1, ..LieGeneralizedAlpha::default() }.method();
    let diverged = run(&*hasty, [0.0, 2.0], settings);
    assert!(matches!(diverged.failure, Some(Failure::AccelerationsDiverged { time: 0.0, iterations: 1, .. })));
    assert_eq!(diverged.state, Pendulum::START);
}

#[test]
fn unsuitable_problems_are_refused() {
    let method = LieGeneralizedAlpha::default().method();
    let refused = |ode: &mut dyn Ode, initial: &[f64], settings: Settings, reason: &str| {
        let task = Task { t_start: 0.0, t_end: 1.0, initial, settings };
        let solution = method.solve(Counted::new(ode), &task, &mut Silent);
        let Some(Failure::NotApplicable { reason: given }) = solution.failure else { panic!("not refused") };
        assert!(given.contains(reason), "{given}");
    };
    let fixed = Settings::fixed(STEP);
    refused(&mut AsOde(&Circle), &[1.0, 0.0], fixed, "differential equations only");
    let odd = |model| AccelerationLevel::new(MechanicsOf::new(model));
    refused(&mut odd(&Odd::Nonholonomic), &[0.0; 4], fixed, "1 nonholonomic");
    let tolerance = Settings::tolerance(1e-6, 1e-6);
    assert!(matches!(tolerance.control, StepControl::Tolerance { .. }));
    refused(&mut odd(&Odd::MorePositions), &[0.0; 5], tolerance, "no error estimate");
}
