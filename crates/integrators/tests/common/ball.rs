//! A bouncing ball with events.

use std::ops::ControlFlow;

use mbsbench_problem::{Counted, EventFunctions, Failure, Form, Method, Observer, Ode, Settings, Silent, Step, Task};

/// A ball that falls from rest at height 1 and bounces at height zero: `q'' = −2`. Without loss it bounces at
/// `t = 1, 3, 5, …`, with height `1 − (t − 2k)²`. One function for each of two heights: the floor, and a mark at 1/2
/// that is watched until first reached (at `t = √½`).
pub struct Ball {
    mark_reached: bool,
    tolerance: f64,
    restitution: f64,
}

impl Ball {
    /// A ball before its fall, whose functions count as zero up to a tolerance.
    pub fn new(restitution: f64, tolerance: f64) -> Self {
        Self { mark_reached: false, tolerance, restitution }
    }
}

impl Ode for Ball {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs(&mut self, _t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Failure> {
        dydt[0] = y[1];
        dydt[1] = -2.0;
        Ok(())
    }
    fn form(&mut self) -> Form<'_> {
        Form::Events(self)
    }
}

impl EventFunctions for Ball {
    fn count(&self) -> usize {
        2
    }
    fn is_watched(&self, index: usize) -> bool {
        index == 0 || !self.mark_reached
    }
    fn values(&mut self, _t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Failure> {
        g[0] = y[0];
        g[1] = y[0] - 0.5;
        Ok(())
    }
    fn rates(&mut self, _t: f64, y: &[f64], _dydt: &[f64], rates: &mut [f64]) -> Result<(), Failure> {
        rates.fill(y[1]);
        Ok(())
    }
    fn tolerance(&self, _step: f64, _order: u32) -> f64 {
        self.tolerance
    }
    fn jump(&mut self, index: usize, _t: f64, y: &mut [f64]) -> Result<(), Failure> {
        if index == 1 {
            self.mark_reached = true;
        } else {
            y[1] *= -self.restitution;
        }
        Ok(())
    }
}

/// Events and ends of steps; the largest error inside steps without loss.
#[derive(Default)]
pub struct Log {
    pub events: Vec<(f64, usize)>,
    pub ends: Vec<f64>,
    pub largest_error: f64,
}

impl Observer for Log {
    fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
        self.events.extend(step.further.events.iter().map(|&index| (step.t_end, index)));
        self.ends.push(step.t_end);
        for share in [0.25, 0.5, 0.75] {
            let t = step.t_start + share * (step.t_end - step.t_start);
            let mut y = [0.0; 2];
            step.within.state_at(t, &mut y).expect("no failures");
            let since_top = t - 2.0 * (0.5 * t).round();
            self.largest_error = self.largest_error.max((y[0] - (1.0 - since_top * since_top)).abs());
        }
        if step.further.events.contains(&0) {
            // one velocity before the bounce, the other one after it
            assert!(step.before_projection()[1] < 0.0 && step.end[1] > 0.0);
            assert_eq!(step.before_projection()[0], step.end[0]);
        }
        ControlFlow::Continue(())
    }
}

/// The times of all events until t = 10 without loss, and their functions.
pub fn events() -> [(f64, usize); 6] {
    [(0.5f64.sqrt(), 1), (1.0, 0), (3.0, 0), (5.0, 0), (7.0, 0), (9.0, 0)]
}

/// Checks that a run ends if jumps accumulate. Bounces after t = 1 are 2, 0.6, 0.18, … apart and end before t = 1.9.
pub fn accumulates(method: &dyn Method, settings: Settings) {
    let task = Task { t_start: 0.0, t_end: 10.0, initial: &[1.0, 0.0], settings };
    let solution = method.solve(Counted::new(&mut Ball::new(0.3, 1e-12)), &task, &mut Silent);
    let Some(Failure::EventsAccumulate { time, index: 0, .. }) = solution.failure else {
        panic!("{:?}", solution.failure)
    };
    assert!((time - (1.0 + 0.6 / 0.7)).abs() < 1e-4, "{time}");
}
