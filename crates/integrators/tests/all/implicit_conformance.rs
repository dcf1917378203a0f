//! Requirements on every implicit formula, instantiated for each.

use crate::common::conformance::{STEP, budgets_are_kept, is_watched_within, run, spans_are_kept};
use crate::common::constrained::{Cliff, GRAVITY, Odd, Pendulum, distance, solve};
use crate::common::{Circle, Cubic, Known};
use mbsbench_integrators::newton::JacobianUse;
use mbsbench_integrators::{for_each_implicit_method, implicit::definitions::*};
use mbsbench_problem::{
    AccelerationLevel, AsOde, Counted, Failure, MechanicsOf, Method, MethodDefinition, Ode, Settings, Silent,
    Statistics, Task,
};

/// A formula with the parameters that the tests vary.
trait Implicit: MethodDefinition {
    fn with(newton_tolerance: f64, max_iterations: u32, jacobian: JacobianUse) -> Self;
}

macro_rules! conformance {
    ($($type:ident)*) => {$(
        impl Implicit for $type {
            fn with(newton_tolerance: f64, max_iterations: u32, jacobian: JacobianUse) -> Self {
                Self { newton_tolerance, max_iterations, jacobian, ..Self::default() }
            }
        }

        #[test]
        #[allow(non_snake_case)] // as the method
        fn $type() {
            let method = &*$type::default().method();
            assert!(!method.properties().adapts);
            spans($type::NAME, method);
            // The velocities of SDIRK4 have order one and violate the constraints by more.
            is_watched_within(if $type::NAME == "sdirk4" { 5e-5 } else { 2e-5 }, $type::NAME, method);
            failures::<$type>(method);
            refusals($type::NAME, method);
            counters::<$type>();
            kept_matrices::<$type>();
            differential_equations::<$type>();
        }
    )*};
}
for_each_implicit_method!(conformance);

fn spans(name: &str, method: &dyn Method) {
    let settings = Settings::fixed(STEP);
    spans_are_kept(name, method);
    for t_end in [1e-9, 0.3, 1.01, 2.0] {
        let run = run(method, [0.0, t_end], settings);
        assert_eq!((run.failure, run.t_reached), (None, t_end), "{name}: the end is hit exactly");
    }

    // Residuals of constraints up to the tolerance, 1e-6, enter velocities, with weights of the formula's size, which
    // are largest in ESDIRK5(4)7L[2]SA2.
    let bound = if name == "esdirk547l2sa2" { 2e-5 } else { 4e-6 };
    let tiny = run(method, [0.0, 1e-7], Settings::fixed(1e-9));
    assert_eq!((tiny.failure, tiny.t_reached, tiny.statistics.steps_accepted), (None, 1e-7, 100), "{name}");
    let exact = [1.0, -0.5 * GRAVITY * 1e-14, 0.0, -GRAVITY * 1e-7];
    assert!(distance(&tiny.state[..2], &exact[..2]) < 1e-13, "{name}: tiny steps, {:?}", tiny.state);
    assert!(distance(&tiny.state[2..], &exact[2..]) < bound, "{name}: tiny steps, {:?}", tiny.state);
}

fn failures<D: Implicit>(method: &dyn Method) {
    let (name, settings) = (D::NAME, Settings::fixed(STEP));
    budgets_are_kept(name, method);

    let cliff = solve(&Cliff, method, &Pendulum::START, [0.0, 2.0], settings, &mut Silent);
    // Four formulas have stages beyond the end of the step.
    let last = if matches!(name, "mssth4" | "mssth5" | "esdirk436l2sa2" | "substep5") { 1.0 - STEP } else { 1.0 };
    assert_eq!(cliff.failure, Some(Failure::NonFinite { time: last }), "{name}");
    assert_eq!((cliff.t_reached, cliff.state), (last, run(method, [0.0, last], settings).state), "{name}");

    // One iteration is not enough, and the first step fails.
    let hasty = run(&*D::with(1e-13, 1, JacobianUse::Full).method(), [0.0, 2.0], settings);
    let Some(Failure::StageDiverged { time, stage, iterations, residual }) = hasty.failure else {
        panic!("{name}: {:?}", hasty.failure);
    };
    assert_eq!((time, stage, iterations, hasty.t_reached), (0.0, 1, 1, 0.0), "{name}");
    assert!(residual > 1e-13 && residual < 1.0, "{name}: {residual:e}");
    assert_eq!(hasty.state, Pendulum::START, "{name}");
    // With far too large a step, a failure of the iteration is reported.
    let wild = run(method, [0.0, 1024.0], Settings::fixed(64.0));
    let told = matches!(wild.failure, None | Some(Failure::StageDiverged { .. } | Failure::SingularMatrix { .. }));
    assert!(told, "{name}: {:?}", wild.failure);
    assert!(wild.state.iter().all(|x| x.is_finite()), "{name}");

    let redundant = solve(&Odd::Redundant, method, &[0.0; 4], [0.0, 1.0], settings, &mut Silent);
    assert!(matches!(redundant.failure, Some(Failure::SingularMatrix { time: 0.0, .. })), "{name}");
}

fn refusals(name: &str, method: &dyn Method) {
    struct Plain;
    impl Ode for Plain {
        fn dimension(&self) -> usize {
            2
        }
        fn rhs(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Failure> {
            AsOde(&Circle).rhs(t, y, dydt)
        }
    }
    let settings = Settings::fixed(STEP);
    let refused = |mut ode: Box<dyn Ode + '_>, initial: &[f64], reason: &str| {
        assert!(method.suits(&mut *ode).is_err_and(|unsuitable| unsuitable.to_string().contains(reason)), "{name}");
        let task = Task { t_start: 0.0, t_end: 1.0, initial, settings };
        let solution = method.solve(Counted::new(&mut *ode), &task, &mut Silent);
        let Some(Failure::NotApplicable { reason: given }) = solution.failure else { panic!("{name}: not refused") };
        assert!(given.contains(reason), "{name}: {given}");
        assert_eq!(solution.statistics, Statistics::default(), "{name}");
    };
    refused(Box::new(Plain), &[1.0, 0.0], "Jacobian");
    let odd = |model| Box::new(AccelerationLevel::new(MechanicsOf::new(model)));
    refused(odd(&Odd::Nonholonomic), &[0.0; 4], "1 nonholonomic");
    // Without constraints, other positions make differential equations, here without a Jacobian.
    refused(odd(&Odd::MorePositions), &[0.0; 5], "Jacobian");
    refused(odd(&Odd::TurnedRates), &[0.0; 4], "Jacobian");
    for (span, settings) in [
        ([1.0, 0.0], settings),
        ([0.0, f64::NAN], settings),
        ([0.0, 1.0], Settings::fixed(0.0)),
        ([0.0, 1.0], Settings::tolerance(1e-6, 1e-6)),
    ] {
        let refused = run(method, span, settings).failure;
        assert!(matches!(refused, Some(Failure::NotApplicable { .. })), "{name}: {refused:?}");
    }
}

/// One evaluation at the start, one at every point and one after each iteration, with its own matrix.
fn counters<D: Implicit>() {
    let (name, method) = (D::NAME, D::default().method());
    let counted = run(&*method, [0.0, 2.0], Settings::fixed(STEP)).statistics;
    let (iterations, points) = (counted.newton_iterations, 128 * u64::from(method.implicit_stages()));
    assert!((points..=5 * points).contains(&iterations), "{name}: {iterations}");
    let expected = Statistics {
        steps_accepted: 128,
        rhs_evaluations: 1 + points + iterations,
        jacobian_evaluations: iterations,
        jacobian_columns: 2 * iterations,
        factorizations: iterations,
        newton_iterations: iterations,
        linear_solves: iterations,
        ..Statistics::default()
    };
    assert_eq!(counted, expected, "{name}");
    // A sufficiently small residual takes no iteration: from rest, at h = 1e-6, the first guesses suffice.
    let loose = run(&*D::with(1e-2, 20, JacobianUse::Full).method(), [0.0, 1e-5], Settings::fixed(1e-6)).statistics;
    let points = 10 * u64::from(method.implicit_stages());
    assert_eq!((loose.newton_iterations, loose.rhs_evaluations), (0, 1 + points), "{name}");
}

/// A matrix that is kept over stages and steps changes the solution only within the tolerance, and a step of a
/// different size needs a new matrix.
fn kept_matrices<D: Implicit>() {
    let (name, h) = (D::NAME, STEP / 8.0);
    let solve = |jacobian, steps| run(&*D::with(1e-10, 20, jacobian).method(), [0.0, steps * h], Settings::fixed(h));
    let [full, modified, kept] =
        [JacobianUse::Full, JacobianUse::Modified, JacobianUse::Kept].map(|jacobian| solve(jacobian, 1024.0));
    for other in [&modified, &kept] {
        assert_eq!((full.failure.as_ref(), other.failure.as_ref()), (None, None), "{name}");
        assert!(distance(&full.state, &other.state) < 1e-8, "{name}: {:e}", distance(&full.state, &other.state));
    }
    let points = 1024 * u64::from(D::default().method().implicit_stages());
    assert!(modified.statistics.factorizations <= points, "{name}");
    let made = kept.statistics.factorizations;
    assert!((1..=points / 3).contains(&made), "{name}: {made} matrices for {points} points of a whole swing");
    let [whole, more] = [2.0, 2.5].map(|steps| solve(JacobianUse::Kept, steps).statistics.factorizations);
    assert!(more > whole, "{name}: half a step has its own matrix");
}

/// Ordinary differential equations are solved as `y' − f = 0`.
fn differential_equations<D: Implicit>() {
    let (name, initial) = (D::NAME, Cubic.exact(0.0));
    let task = Task { t_start: 0.0, t_end: 2.0, initial: &initial, settings: Settings::fixed(1.0 / 64.0) };
    let solution = D::default().method().solve(Counted::new(&mut AsOde(&Cubic)), &task, &mut Silent);
    assert_eq!((solution.failure, solution.t_reached), (None, 2.0), "{name}");
    // h² = 2.4e-4 times at most one tenth for second-order formulas
    assert!(distance(&solution.state, &Cubic.exact(2.0)) < 2.5e-5, "{name}: {:?}", solution.state);
}
