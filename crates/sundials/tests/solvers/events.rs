//! Roots are located, handled and counted.

use mbsbench_problem::{Counted, EventFunctions, Failure, Form, Ode, Task};
use mbsbench_sundials::{Equations, Iteration, Kind, Options, Point, Solver, Systems};

use crate::ball::{Ball, Log, accumulates, events};
use crate::problems::{methods, settings, tolerance};

/// `q'' = −q` with the roots of `q` and of `q − 2`; the latter is never zero.
struct Swing;

impl Equations for Swing {
    fn dimension(&self) -> usize {
        2
    }
    fn evaluate(&mut self, Point { y, .. }: Point<'_>, rate: &mut [f64]) -> Result<(), Failure> {
        rate.copy_from_slice(&[y[1], -y[0]]);
        Ok(())
    }
    fn jacobian(&mut self, _at: Point<'_>, _rate: &[f64], jacobian: &mut [f64]) -> Result<(), Failure> {
        jacobian.copy_from_slice(&[0.0, -1.0, 1.0, 0.0]);
        Ok(())
    }
    fn root_count(&self) -> usize {
        2
    }
    fn roots(&mut self, _t: f64, y: &[f64], values: &mut [f64]) -> Result<(), Failure> {
        values.copy_from_slice(&[y[0], y[0] - 2.0]);
        Ok(())
    }
}

#[test]
fn roots_of_the_oscillator() {
    let options = Options {
        kind: Kind::CvodeAdams(Iteration::FixedPoint),
        max_order: 12,
        systems: Systems::Differences,
        tested: &[true; 2],
        rel: 1e-10,
        abs: &[1e-10; 2],
        initial_step: None,
        max_step: None,
        t_stop: 10.0,
    };
    let mut solver = Solver::new(Swing, 0.0, (&[1.0, 0.0], &[]), &options).unwrap();
    let mut roots = Vec::new();
    loop {
        let reached = solver.step().unwrap();
        if reached.is_root {
            assert_eq!(solver.found_roots().collect::<Vec<_>>(), [0]);
            assert!(solver.state()[0].abs() < 1e-13, "zero as far as the interpolant goes: {}", solver.state()[0]);
            roots.push(reached.t);
        }
        if reached.t >= 10.0 {
            break;
        }
    }
    assert_eq!(roots.len(), 3);
    for (k, root) in roots.into_iter().enumerate() {
        let exact = (k as f64 + 0.5) * std::f64::consts::PI;
        // The error of the state is at most 500 tolerances in the oscillator's test, and the rate is one.
        assert!((root - exact).abs() < 5e-8, "{root}");
    }
}

#[test]
fn accumulating_jumps_end_the_run() {
    methods().iter().for_each(|(_, method)| accumulates(&**method, settings(tolerance(1e-9))));
}

#[test]
fn a_ball_bounces() {
    let expected = events();
    for (name, method) in methods() {
        let mut ball = Ball::new(1.0, 1e-12);
        let mut log = Log::default();
        let task = Task { t_start: 0.0, t_end: 10.0, initial: &[1.0, 0.0], settings: settings(tolerance(1e-9)) };
        let solution = method.solve(Counted::new(&mut ball), &task, &mut log);
        assert_eq!((solution.failure, solution.t_reached), (None, 10.0), "{name}");
        assert_eq!(solution.statistics.events, expected.len() as u64, "{name}");
        assert_eq!(solution.statistics.steps_accepted, log.ends.len() as u64, "{name}");
        assert!(solution.statistics.switch_evaluations > log.ends.len() as u64, "{name}");
        assert_eq!(log.events.len(), expected.len(), "{name}: {:?}", log.events);
        for ((t, index), (exact, which)) in log.events.iter().zip(expected) {
            assert_eq!(*index, which, "{name}");
            // Order two and above solve parabolas exactly; errors come from the first steps after each event.
            assert!((t - exact).abs() < 1e-6, "{name}: event at {t}, not {exact}");
        }
        assert!(log.largest_error < 1e-6, "{name}: {:e}", log.largest_error);
    }
}

#[test]
fn a_function_that_stays_zero_is_not_an_event() {
    struct Flat;
    impl Ode for Flat {
        fn dimension(&self) -> usize {
            1
        }
        fn rhs(&mut self, _t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Failure> {
            dydt[0] = -y[0];
            Ok(())
        }
        fn form(&mut self) -> Form<'_> {
            Form::Events(self)
        }
    }
    impl EventFunctions for Flat {
        fn count(&self) -> usize {
            1
        }
        fn is_watched(&self, _index: usize) -> bool {
            true
        }
        fn values(&mut self, _t: f64, _y: &[f64], g: &mut [f64]) -> Result<(), Failure> {
            g[0] = 0.0;
            Ok(())
        }
        fn rates(&mut self, _t: f64, _y: &[f64], _dydt: &[f64], rates: &mut [f64]) -> Result<(), Failure> {
            rates[0] = 0.0;
            Ok(())
        }
        fn tolerance(&self, _step: f64, _order: u32) -> f64 {
            1e-12
        }
        fn jump(&mut self, _index: usize, _t: f64, _y: &mut [f64]) -> Result<(), Failure> {
            panic!("it does not cross zero")
        }
    }
    for (name, method) in methods() {
        let task = Task { t_start: 0.0, t_end: 2.0, initial: &[1.0], settings: settings(tolerance(1e-6)) };
        let solution = method.solve(Counted::new(&mut Flat), &task, &mut mbsbench_problem::Silent);
        assert_eq!((solution.failure, solution.statistics.events), (None, 0), "{name}");
    }
}

/// Counters include the costs before an event.
#[test]
fn counters_continue_after_a_restart() {
    struct Twice(f64);
    impl Ode for Twice {
        fn dimension(&self) -> usize {
            1
        }
        fn rhs(&mut self, _t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Failure> {
            dydt[0] = -self.0 * y[0];
            Ok(())
        }
        fn form(&mut self) -> Form<'_> {
            Form::Events(self)
        }
    }
    impl EventFunctions for Twice {
        fn count(&self) -> usize {
            1
        }
        fn is_watched(&self, _index: usize) -> bool {
            self.0 == 1.0
        }
        fn values(&mut self, _t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Failure> {
            g[0] = y[0] - 0.5;
            Ok(())
        }
        fn rates(&mut self, _t: f64, _y: &[f64], dydt: &[f64], rates: &mut [f64]) -> Result<(), Failure> {
            rates[0] = dydt[0];
            Ok(())
        }
        fn tolerance(&self, _step: f64, _order: u32) -> f64 {
            1e-9
        }
        fn jump(&mut self, _index: usize, _t: f64, _y: &mut [f64]) -> Result<(), Failure> {
            self.0 = 2.0;
            Ok(())
        }
    }
    for (name, method) in methods() {
        let task = Task { t_start: 0.0, t_end: 2.0, initial: &[1.0], settings: settings(tolerance(1e-8)) };
        let solution = method.solve(Counted::new(&mut Twice(1.0)), &task, &mut mbsbench_problem::Silent);
        let exact = 0.5 * (-2.0 * (2.0 - 2.0_f64.ln())).exp();
        assert!((solution.state[0] - exact).abs() < 1e-6, "{name}: {} is not {exact}", solution.state[0]);
        let statistics = solution.statistics;
        if !name.ends_with("adams") {
            let rest = statistics.rhs_evaluations.checked_sub(statistics.newton_iterations);
            assert!(
                rest.is_some_and(|rest| rest < 15),
                "{name}: iterations before the event are missing: {statistics:?}"
            );
            assert_eq!(statistics.jacobian_rhs_evaluations, statistics.jacobian_evaluations, "{name}");
        }
    }
}
