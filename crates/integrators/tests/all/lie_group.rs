//! BDF and the linearly implicit Euler method on Lie groups: orders by class on a heavy top, a pendulum and a problem
//! with a closed form, constraints, lengths of quaternions, conformance.

use crate::common::conformance::{STEP, budgets_are_kept, run, spans_are_kept};
use crate::common::constrained::{self, Cliff, GRAVITY, Manufactured, Odd, Pendulum, Record, distance, record};
use crate::lie::{Spinning, Top, errors, solve};
use mbsbench_integrators::low_order::NewtonSettings;
use mbsbench_integrators::{Bliedf, Dop853, HalfImplicitEuler, Nstiff};
use mbsbench_problem::{
    AsOde, Counted, Failure, MechanicalModel, Method, MethodDefinition, OdeModel, Scalar, Settings, Silent, Task,
};

fn orders(errors: impl Fn(u32) -> [f64; 3], steps: u32) -> [f64; 3] {
    let (coarse, fine) = (errors(steps), errors(2 * steps));
    [0, 1, 2].map(|class| (coarse[class] / fine[class]).log2())
}

/// The angle below the horizontal of the pendulum and its rate.
struct Angle;

impl OdeModel for Angle {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
        (dydt[0], dydt[1]) = (y[1], y[0].cos() * GRAVITY);
    }
}

/// Errors of positions, velocities and the multiplier of the pendulum after 1 s, from its angle.
fn pendulum(method: &dyn Method, steps: u32) -> [f64; 3] {
    let task = Task { t_start: 0.0, t_end: 1.0, initial: &[0.0, 0.0], settings: Settings::tolerance(1e-13, 1e-13) };
    let exact = Dop853::default().method().solve(Counted::new(&mut AsOde(&Angle)), &task, &mut Silent).state;
    let ((s, c), rate) = (exact[0].sin_cos(), exact[1]);
    let (solution, record) = record(&Pendulum, method, &Pendulum::START, 1.0, steps);
    let lambda = record.multipliers.last().expect("there are steps")[0];
    [
        distance(&solution.state[..2], &[c, -s]),
        distance(&solution.state[2..], &[-s * rate, -c * rate]),
        // q · q'' = −v² and q'' = (0, −g) + 2 λ q
        (lambda - 0.5 * (-GRAVITY * s - rate * rate)).abs(),
    ]
}

fn manufactured(method: &dyn Method, steps: u32) -> [f64; 3] {
    let model = Manufactured { constrained: true };
    record(&model, method, &Manufactured::exact(0.0), 2.0, steps).1.errors(&model)
}

#[test]
fn orders_of_positions_velocities_and_multipliers() {
    let cases: [(Box<dyn Method>, f64, u32); 2] =
        [(Bliedf::default().method(), 2.0, 2000), (HalfImplicitEuler::default().method(), 1.0, 4000)];
    for (method, expected, steps) in cases {
        let found = [
            orders(|steps| errors(&*method, steps), steps),
            orders(|steps| pendulum(&*method, steps), steps / 4),
            orders(|steps| manufactured(&*method, steps), steps / 4),
        ];
        assert!(found.as_flattened().iter().all(|order| (order - expected).abs() < 0.1), "{found:.3?}");
    }
}

/// Multipliers have order one while the first two steps are among the differences, and order two from then on; those of
/// the linearly implicit method have order one from the first step on.
#[test]
fn multipliers_of_the_first_steps() {
    let orders = |method: &dyn Method| {
        let errors = |steps: u32| {
            let (_, record) = solve(method, steps, 0.01);
            [0, 1, 2, 3].map(|k| distance(&record.multipliers[k], &Spinning::exact(record.times[k]).1))
        };
        let (coarse, fine) = (errors(400), errors(800));
        [0, 1, 2, 3].map(|k: usize| (coarse[k] / fine[k]).log2())
    };
    let (bdf, euler) = (orders(&*Bliedf::default().method()), orders(&*HalfImplicitEuler::default().method()));
    let near = |found: [f64; 4], expected: [f64; 4]| found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.15);
    assert!(near(bdf, [1.0, 1.0, 1.0, 2.0]) && near(euler, [1.0; 4]), "{bdf:.3?}, {euler:.3?}");
}

#[test]
fn constraints_hold_and_quaternions_keep_unit_length() {
    let largest = |method: &dyn Method, steps: u32| {
        let (_, record) = solve(method, steps, 0.5);
        let mut largest = [0.0f64; 2];
        let mut phi = [0.0; 3];
        for y in &record.states {
            Top.holonomic_constraints(0.0, &y[..7], &mut phi);
            largest[0] = largest[0].max(distance(&phi, &[0.0; 3]));
            largest[1] = largest[1].max((y[3..7].iter().map(|e| e * e).sum::<f64>() - 1.0).abs());
        }
        largest
    };
    let [open, length] = largest(&*Bliedf::default().method(), 1000);
    assert!(open < 1e-12 && length < 1000.0 * f64::EPSILON, "{open:e} {length:e}");
    let euler = HalfImplicitEuler::default().method();
    let (coarse, fine) = (largest(&*euler, 1000), largest(&*euler, 2000));
    let order = (coarse[0] / fine[0]).log2();
    assert!(order > 2.9 && fine[0] < 1e-3 && fine[1] < 2000.0 * f64::EPSILON, "order {order:.3}, {fine:?}");
}

/// For vectors, BLieDF has the formulas of NSTIFF; the runs differ by their first steps only.
#[test]
fn vectors_move_as_by_nstiff() {
    let sharp = NewtonSettings { tolerance: 1e-14, ..NewtonSettings::default() };
    let methods = [Bliedf { newton_tolerance: 1e-14, ..Bliedf::default() }.method(), Nstiff { newton: sharp }.method()];
    let difference = |steps: u32| {
        let [a, b]: [Record; 2] =
            methods.each_ref().map(|method| record(&Pendulum, &**method, &Pendulum::START, 1.0, steps).1);
        distance(a.states.last().expect("there are steps"), b.states.last().expect("there are steps"))
    };
    let order = (difference(128) / difference(256)).log2();
    assert!((order - 2.0).abs() < 0.2, "the first step of NSTIFF has an error of order two: {order:.3}");
}

#[test]
fn spans_budgets_and_failures() {
    let settings = Settings::fixed(STEP);
    for (name, method) in [("bliedf", Bliedf::default().method()), ("euler", HalfImplicitEuler::default().method())] {
        spans_are_kept(name, &*method);
        budgets_are_kept(name, &*method);
        let cut = run(&*method, [0.0, 1.01], settings);
        if name == "bliedf" {
            assert!(matches!(cut.failure, Some(Failure::NotApplicable { .. })), "{:?}", cut.failure);
        } else {
            assert_eq!((cut.failure, cut.t_reached), (None, 1.01), "the end is hit exactly");
        }
        let redundant = constrained::solve(&Odd::Redundant, &*method, &[0.0; 4], [0.0, 1.0], settings, &mut Silent);
        assert!(matches!(redundant.failure, Some(Failure::SingularMatrix { time: 0.0, .. })), "{name}");
        let cliff = constrained::solve(&Cliff, &*method, &Pendulum::START, [0.0, 2.0], settings, &mut Silent);
        assert_eq!((cliff.failure, cliff.t_reached), (Some(Failure::NonFinite { time: 1.0 }), 1.0), "{name}");
        let whole = run(&*method, [0.0, 2.0], settings).statistics;
        if name == "euler" {
            let counted =
                [whole.rhs_evaluations, whole.jacobian_evaluations, whole.factorizations, whole.linear_solves];
            assert_eq!(counted, [128, 128, 128, 256]);
        }
    }
}
