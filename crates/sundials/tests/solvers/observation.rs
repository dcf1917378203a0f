//! The steps and states that an observer receives.

use std::ops::ControlFlow;

use mbsbench_problem::{Failure, Observer, Silent, Step, StepControl};

use crate::problems::{Oscillator, distance, methods, solve, tolerance};

/// Checks that steps are contiguous, and measures errors of states inside them.
#[derive(Default)]
struct Watch {
    started: bool,
    index: u64,
    t: f64,
    y: Vec<f64>,
    sizes: Vec<f64>,
    largest_error: f64,
}

impl Observer for Watch {
    fn start(&mut self, t: f64, y: &[f64]) {
        (self.started, self.t, self.y) = (true, t, y.to_vec());
    }

    fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
        assert_eq!((step.index, step.t_start), (self.index + 1, self.t));
        assert_eq!(step.start, self.y);
        assert_eq!(step.end, step.before_projection());
        let mut inside = [0.0; 2];
        for share in [0.0, 0.1, 0.5, 0.9, 1.0] {
            let t = step.t_start + share * (step.t_end - step.t_start);
            step.within.state_at(t, &mut inside).unwrap();
            self.largest_error = self.largest_error.max(distance(&inside, &[t.cos(), -t.sin()]));
        }
        assert!(
            step.within.state_at(step.t_start - 10.0, &mut inside).is_err(),
            "outside of what the formula rests on"
        );
        (self.index, self.t, self.y) = (step.index, step.t_end, step.end.to_vec());
        self.sizes.push(step.t_end - step.t_start);
        ControlFlow::Continue(())
    }
}

#[test]
fn observed_states_inside_steps_are_accurate() {
    let (tol, t_end) = (1e-8, 7.3);
    for (name, method) in methods() {
        let mut watch = Watch::default();
        let watched = solve(&*method, &Oscillator, &[1.0, 0.0], t_end, tolerance(tol), &mut watch);
        assert_eq!((watched.failure, watched.t_reached, watch.t), (None, t_end, t_end), "{name}");
        assert_eq!((&watched.state, watched.statistics.steps_accepted), (&watch.y, watch.index), "{name}");
        assert!(watch.largest_error < 500.0 * tol, "{name}: {:e}", watch.largest_error);
        let alone = solve(&*method, &Oscillator, &[1.0, 0.0], t_end, tolerance(tol), &mut Silent);
        assert_eq!(
            (alone.state, alone.statistics),
            (watched.state, watched.statistics),
            "{name}: looking changes nothing"
        );
    }
}

#[test]
fn first_and_largest_step_are_respected() {
    for (name, method) in methods() {
        let control = StepControl::Tolerance { rel: 1e-6, abs: 1e-6, initial_step: Some(1e-5), max_step: Some(0.03) };
        let mut watch = Watch::default();
        let solution = solve(&*method, &Oscillator, &[1.0, 0.0], 2.0, control, &mut watch);
        assert_eq!(solution.failure, None, "{name}");
        assert!((watch.sizes[0] / 1e-5 - 1.0).abs() < 1e-9, "{name}: {}", watch.sizes[0]);
        let largest = watch.sizes.iter().fold(0.0_f64, |largest, &size| largest.max(size));
        assert!((largest / 0.03 - 1.0).abs() < 1e-9, "{name}: {largest}");
    }
}

#[test]
fn an_empty_span_takes_no_step() {
    for (name, method) in methods() {
        let mut watch = Watch::default();
        let solution = solve(&*method, &Oscillator, &[1.0, 0.0], 0.0, tolerance(1e-6), &mut watch);
        assert_eq!((solution.failure, solution.state), (None, vec![1.0, 0.0]), "{name}");
        assert_eq!((watch.started, watch.index, solution.statistics.rhs_evaluations), (true, 0, 0), "{name}");
    }
}

/// Ends the run at its fifth step.
struct Impatient;

impl Observer for Impatient {
    fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
        if step.index < 5 {
            return ControlFlow::Continue(());
        }
        ControlFlow::Break(Failure::Rule { time: step.t_end, rule: "no more than four".to_owned() })
    }
}

#[test]
fn an_observer_can_end_the_run() {
    for (name, method) in methods() {
        let solution = solve(&*method, &Oscillator, &[1.0, 0.0], 2.0, tolerance(1e-6), &mut Impatient);
        assert_eq!(solution.statistics.steps_accepted, 5, "{name}");
        let rule = "no more than four".to_owned();
        assert_eq!(solution.failure, Some(Failure::Rule { time: solution.t_reached, rule }), "{name}");
    }
}
