//! Requirements on every method for constrained mechanics, tested on the pendulum: with constant steps, and with
//! controlled steps if the method has them.

use mbsbench_problem::{Clock, Failure, Method, Settings, Silent, Solution, Statistics};

use super::constrained::{Cliff, GRAVITY, Odd, Pendulum, Watcher, distance, record, solve};

/// The step: a binary fraction, so that times and their differences are exact.
pub const STEP: f64 = 1.0 / 64.0;

/// The statistics without the counter of operations, which not every method has. That counter must be zero or
/// missing.
pub fn without_flops(statistics: Statistics) -> Statistics {
    assert_eq!(statistics.linear_algebra_flops.unwrap_or(0), 0);
    Statistics { linear_algebra_flops: None, ..statistics }
}

/// A solve from the pendulum's start.
pub fn run(method: &dyn Method, span: [f64; 2], settings: Settings) -> Solution {
    solve(&Pendulum, method, &Pendulum::START, span, settings, &mut Silent)
}

/// Spans of no length, an accumulating clock, repetition, a shift in time, and a different step from the end of a
/// solve.
pub fn spans_are_kept(name: &str, method: &dyn Method) {
    let settings = Settings::fixed(STEP);
    let nothing = run(method, [3.0, 3.0], settings);
    assert_eq!((nothing.failure, nothing.t_reached, nothing.state), (None, 3.0, Pendulum::START.to_vec()), "{name}");
    assert_eq!(without_flops(nothing.statistics), Statistics::default(), "{name}: an empty span costs nothing");
    let accumulating = Settings { clock: Clock::Accumulating, ..Settings::fixed(0.01) };
    let run_on = run(method, [0.0, 1.0], accumulating);
    assert!(run_on.failure.is_none() && run_on.t_reached >= 1.0, "{name}: whole steps only");

    let (once, again) = (run(method, [0.0, 2.0], settings), run(method, [0.0, 2.0], settings));
    assert_eq!((&once.state, once.statistics), (&again.state, again.statistics), "{name}: repeatable");
    let shifted = run(method, [64.0, 66.0], settings);
    assert_eq!((&once.state, once.statistics), (&shifted.state, shifted.statistics), "{name}: shifted in time");

    // A different step size from the end of a first solve; both halves have the error of the method.
    let fine = run(method, [0.0, 2.0], Settings::fixed(STEP / 64.0));
    let half = run(method, [0.0, 1.0], settings);
    let rest = solve(&Pendulum, method, &half.state, [1.0, 2.0], Settings::fixed(STEP / 4.0), &mut Silent);
    assert_eq!(rest.failure, None, "{name}");
    let (whole, changed) = (distance(&once.state, &fine.state), distance(&rest.state, &fine.state));
    assert!(changed < whole, "{name}: error {changed:e} with a finer second half, {whole:e} without");
}

/// A solve does not depend on its observer, and the states shown within steps lie on the solution.
pub fn is_watched(name: &str, method: &dyn Method) {
    // The velocity's violation, h² 60/3 = 5e-3 at most, acts over half a step: 5e-3 h/8 · 2 = 2e-5. Without it the
    // error of the cubic is h⁴ |q''''|/384 < 1e-7.
    is_watched_within(2e-5, name, method);
}

/// As [`is_watched`], but states may be off their constraints by `open`.
pub fn is_watched_within(open: f64, name: &str, method: &dyn Method) {
    let (reference, _) = record(&Pendulum, method, &Pendulum::START, 2.0, 128);
    let mut watcher = Watcher::default();
    let watched = solve(&Pendulum, method, &Pendulum::START, [0.0, 2.0], Settings::fixed(STEP), &mut watcher);
    assert_eq!((&watched.state, watched.statistics), (&reference.state, reference.statistics), "{name}");
    assert_eq!(watcher.last, (2.0, watched.state), "{name}");
    let unwatched = run(method, [0.0, 2.0], Settings::fixed(STEP));
    assert_eq!((&unwatched.state, unwatched.statistics), (&reference.state, reference.statistics), "{name}");
    assert!(watcher.middle < open, "{name}: {:e}", watcher.middle);
}

/// A budget ends a solve with the state reached so far.
pub fn budgets_are_kept(name: &str, method: &dyn Method) {
    let settings = Settings::fixed(STEP);
    let few = run(method, [0.0, 2.0], Settings { max_steps: 3, ..settings });
    let counter = "steps_accepted + steps_rejected";
    assert_eq!(few.failure, Some(Failure::BudgetExhausted { time: 3.0 * STEP, counter, limit: 3 }), "{name}");
    assert_eq!((few.t_reached, few.state), (3.0 * STEP, run(method, [0.0, 3.0 * STEP], settings).state), "{name}");
    for limit in [0, 1, 2, 17] {
        let few = run(method, [0.0, 2.0], Settings { max_rhs_evaluations: limit, ..settings });
        let expected = Failure::BudgetExhausted { time: few.t_reached, counter: "rhs_evaluations", limit };
        assert_eq!((few.failure, few.statistics.rhs_evaluations), (Some(expected), limit), "{name}");
    }
}

/// Spans of no length, ends, repetition, observers, a shift in time and tiny steps, with constant and with controlled
/// steps.
pub fn both_controls_keep_spans(method: &dyn Method, watcher: impl Fn() -> Watcher) {
    for settings in [Settings::fixed(STEP), Settings::tolerance(1e-6, 1e-6)] {
        let nothing = run(method, [3.0, 3.0], settings);
        assert_eq!((nothing.failure, nothing.t_reached, nothing.state), (None, 3.0, Pendulum::START.to_vec()));
        assert_eq!(without_flops(nothing.statistics), Statistics::default(), "an empty span costs nothing");
        for t_end in [1e-9, 0.3, 1.01, 2.0] {
            let run = run(method, [0.0, t_end], settings);
            assert_eq!((run.failure, run.t_reached), (None, t_end), "the end is hit exactly");
        }
        let (once, again) = (run(method, [0.0, 2.0], settings), run(method, [0.0, 2.0], settings));
        assert_eq!((&once.state, once.statistics), (&again.state, again.statistics), "repeatable");
        let mut watcher = watcher();
        let watched = solve(&Pendulum, method, &Pendulum::START, [0.0, 2.0], settings, &mut watcher);
        assert_eq!((&watched.state, watched.statistics), (&once.state, once.statistics), "watching changes nothing");
        assert_eq!((watcher.last, watcher.steps), ((2.0, once.state), once.statistics.steps_accepted));
    }
    let fixed = Settings::fixed(STEP);
    let (once, shifted) = (run(method, [0.0, 2.0], fixed), run(method, [64.0, 66.0], fixed));
    assert_eq!((once.state, once.statistics), (shifted.state, shifted.statistics), "shifted in time");
    let accumulating = Settings { clock: Clock::Accumulating, ..Settings::fixed(0.01) };
    let run_on = run(method, [0.0, 1.0], accumulating);
    assert!(run_on.failure.is_none() && run_on.t_reached >= 1.0, "whole steps only");
    let tiny = run(method, [0.0, 1e-7], Settings::fixed(1e-9));
    assert_eq!((tiny.failure, tiny.t_reached, tiny.statistics.steps_accepted), (None, 1e-7, 100));
    let exact = [1.0, -0.5 * GRAVITY * 1e-14, 0.0, -GRAVITY * 1e-7];
    assert!(distance(&tiny.state[..2], &exact[..2]) < 1e-14, "{:?}", tiny.state);
    assert!(distance(&tiny.state[2..], &exact[2..]) < 1e-6, "{:?}", tiny.state);
}

/// Budgets, values that are not finite, redundant constraints and far too large steps, with constant and with
/// controlled steps. A failure names the time of the last state, or of an evaluation up to `ahead` (s) after it.
pub fn both_controls_tell_failures(method: &dyn Method, ahead: f64) {
    for settings in [Settings::fixed(STEP), Settings::tolerance(1e-6, 1e-6)] {
        let few = run(method, [0.0, 2.0], Settings { max_steps: 3, ..settings });
        let (time, counter) = (few.t_reached, "steps_accepted + steps_rejected");
        assert_eq!(few.failure, Some(Failure::BudgetExhausted { time, counter, limit: 3 }));
        assert_eq!(few.statistics.steps_accepted + few.statistics.steps_rejected, 3);
        for limit in [0, 1, 2, 17] {
            let few = run(method, [0.0, 2.0], Settings { max_rhs_evaluations: limit, ..settings });
            let expected = Failure::BudgetExhausted { time: few.t_reached, counter: "rhs_evaluations", limit };
            assert_eq!(few.failure, Some(expected));
            assert!(few.statistics.rhs_evaluations <= limit);
        }
        let cliff = solve(&Cliff, method, &Pendulum::START, [0.0, 2.0], settings, &mut Silent);
        let failure = cliff.failure.expect("nothing finite lies beyond");
        assert!(matches!(failure, Failure::NonFinite { .. } | Failure::StepTooSmall { .. }), "{failure}");
        let later = failure.time().expect("it has one") - cliff.t_reached;
        assert!((0.0..=ahead).contains(&later), "{later} s after the last state");
        assert!(cliff.t_reached <= 1.0 && cliff.t_reached > 1.0 - 1e-6, "stops at {}", cliff.t_reached);

        let redundant = solve(&Odd::Redundant, method, &[0.0; 4], [0.0, 1.0], settings, &mut Silent);
        assert!(matches!(redundant.failure, Some(Failure::SingularMatrix { time: 0.0, .. })));
    }
    let wild = run(method, [0.0, 1024.0], Settings::fixed(64.0));
    let told = matches!(
        wild.failure,
        None | Some(
            Failure::NewtonDiverged { .. }
                | Failure::AccelerationsDiverged { .. }
                | Failure::SingularMatrix { .. }
                | Failure::NonFinite { .. }
        )
    );
    assert!(told && wild.state.iter().all(|x| x.is_finite()), "{:?}", wild.failure);
}
