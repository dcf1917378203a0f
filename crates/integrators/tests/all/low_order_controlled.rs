//! The low-order formulas with controlled steps.

use std::ops::ControlFlow;

use crate::common::constrained::{Pendulum, Record, StiffDoublePendulum, distance, solve};
use mbsbench_integrators::low_order::NewtonSettings;
use mbsbench_integrators::{Dop853, GeneralizedAlpha, HhtI3};
use mbsbench_problem::{Failure, Method, MethodDefinition, Observer, Settings, Silent, Step, StepControl};

fn methods() -> Vec<(&'static str, Box<dyn Method>)> {
    let shifted = |alpha: f64| HhtI3 { alpha, ..HhtI3::default() }.method();
    let generalized = |rho_inf: f64| GeneralizedAlpha { rho_inf, ..GeneralizedAlpha::default() }.method();
    vec![
        ("hht-i3", shifted(-0.3)),
        ("hht-i3, α = −0.05", shifted(-0.05)),
        ("generalized-alpha", generalized(0.8)),
        ("generalized-alpha, ρ = 0", generalized(0.0)),
    ]
}

/// The error of a formula of order two, whose local error is of order three, is proportional to the power 2/3 of the
/// tolerance. With little damping, errors that changes of step leave in the multipliers add to it at loose tolerances,
/// so that it decreases faster.
#[test]
fn errors_follow_the_tolerance() {
    let span = [0.0, 2.0];
    let end = |method: &dyn Method, tolerance: f64| {
        let run =
            solve(&Pendulum, method, &Pendulum::START, span, Settings::tolerance(tolerance, tolerance), &mut Silent);
        assert_eq!(run.failure, None);
        run.state
    };
    let exact = end(&*Dop853::default().method(), 1e-13);
    for (name, method) in methods() {
        let [loose, tight] = [1e-4, 1e-8].map(|tolerance| end(&*method, tolerance));
        let steepest = if ["hht-i3", "generalized-alpha, ρ = 0"].contains(&name) { 0.75 } else { 1.0 };
        for part in [0..2, 2..4] {
            let [loose, tight] = [&loose, &tight].map(|end| distance(&end[part.clone()], &exact[part.clone()]));
            let power = (loose / tight).log10() / 4.0;
            assert!((0.6..steepest).contains(&power), "{name}: power {power} of the tolerance, to {tight:e}");
        }
    }
}

/// Records the largest step.
#[derive(Default)]
struct Largest(f64);
impl Observer for Largest {
    fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
        self.0 = self.0.max(step.t_end - step.t_start);
        ControlFlow::Continue(())
    }
}

#[test]
fn first_and_largest_steps_are_respected() {
    for (name, method) in methods() {
        let control = |initial_step, max_step| Settings {
            control: StepControl::Tolerance { rel: 1e-6, abs: 1e-6, initial_step, max_step },
            ..Settings::tolerance(1e-6, 1e-6)
        };
        let solve = |settings, observer: &mut dyn Observer| {
            let run = solve(&Pendulum, &*method, &Pendulum::START, [0.0, 2.0], settings, observer);
            assert_eq!(run.failure, None, "{name}");
            run
        };
        let (mut free, mut bounded) = (Largest::default(), Largest::default());
        solve(control(None, None), &mut free);
        solve(control(None, Some(0.004)), &mut bounded);
        assert!(free.0 > 0.004 && bounded.0 <= 0.004 * 1.01, "{name}: {} s, {} s", free.0, bounded.0);
        let mut record = Record::default();
        let tiny = solve(control(Some(1e-5), None), &mut record);
        assert_eq!(record.times[0], 1e-5, "{name}");
        // A first step far larger than the tolerance allows.
        let large = solve(control(Some(0.1), None), &mut Silent);
        assert!(large.statistics.steps_rejected > 0, "{name}");
        assert!(distance(&large.state, &tiny.state) < 0.05, "{name}: {:e}", distance(&large.state, &tiny.state));
    }
}

/// Constant forces and no reaction at the start: an estimate projected only at the end of the step is zero for any step
/// size, and steps of 0.5 s with an error of 0.28 m were accepted. The error of an accepted step is at most twice the
/// tolerance in each position (positions are at most 1 m), so √2 times that in the root mean square, divided by 0.42,
/// the smallest ratio of estimate to error (see `the_estimate_includes_rotating_constraints`).
#[test]
fn a_far_too_large_first_step_is_rejected() {
    let exact = |t| {
        let settings = Settings::tolerance(1e-13, 1e-13);
        solve(&Pendulum, &*Dop853::default().method(), &Pendulum::START, [0.0, t], settings, &mut Silent).state
    };
    for (name, method) in methods() {
        for (tolerance, tenths) in [1e-3, 1e-6].into_iter().flat_map(|tolerance| (1..=20).map(move |i| (tolerance, i)))
        {
            let first = 0.1 * f64::from(tenths);
            let control =
                StepControl::Tolerance { rel: tolerance, abs: tolerance, initial_step: Some(first), max_step: None };
            let settings = Settings { control, ..Settings::tolerance(tolerance, tolerance) };
            let mut record = Record::default();
            let run = solve(&Pendulum, &*method, &Pendulum::START, [0.0, 2.5], settings, &mut record);
            assert_eq!(run.failure, None, "{name}");
            let error = distance(&record.states[0][..2], &exact(record.times[0])[..2]);
            let bound = 2.0 * 2.0f64.sqrt() / 0.42 * tolerance;
            assert!(error < bound, "{name}, {first} s: {error:e} m after {} s", record.times[0]);
        }
    }
}

/// If the iterations do not suffice for a step, the step shrinks; if they suffice for none, the failure reports it.
#[test]
fn a_step_whose_iteration_diverges_is_made_smaller() {
    let newton = |max_iterations| NewtonSettings { max_iterations, ..NewtonSettings::default() };
    let solve = |max_iterations| {
        let method = GeneralizedAlpha { newton: newton(max_iterations), ..GeneralizedAlpha::default() }.method();
        solve(&Pendulum, &*method, &Pendulum::START, [0.0, 1.0], Settings::tolerance(1e-2, 1e-2), &mut Silent)
    };
    let (many, few, one) = (solve(20), solve(3), solve(1));
    assert_eq!((many.failure, few.failure), (None, None));
    assert!(few.statistics.steps_rejected > many.statistics.steps_rejected);
    assert!(matches!(one.failure, Some(Failure::AccelerationsDiverged { .. })), "{:?}", one.failure);
}

/// From fast decay to slow motion: steps grow by orders of magnitude.
#[test]
fn steps_follow_a_stiff_transient() {
    let initial = StiffDoublePendulum::initial();
    for (name, method) in methods() {
        let mut record = Record::default();
        let run =
            solve(&StiffDoublePendulum, &*method, &initial, [0.0, 2.0], Settings::tolerance(1e-6, 1e-6), &mut record);
        assert_eq!(run.failure, None, "{name}");
        let angles = [run.state[2], run.state[5]];
        let steps: Vec<f64> = record.times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let (smallest, largest) = steps.iter().fold((f64::INFINITY, 0.0f64), |(s, l), h| (s.min(*h), l.max(*h)));
        let error = distance(&angles, &StiffDoublePendulum::END[..2]);
        assert!(error < 1e-4, "{name}: {error:e}");
        assert!(largest > 100.0 * smallest, "{name}: steps from {smallest:e} to {largest:e} s");
        assert!(run.statistics.steps_rejected < 10, "{name}: {:?}", run.statistics);
    }
}
