//! Collects states at given times while a method steps.

use std::ops::ControlFlow;

use mbsbench_experiment::RunSpec;
use mbsbench_measures::slack;
use mbsbench_problem::{Failure, Formulated, Method, Observer, Scalar, Settings, Step, Task};

use super::panics::catch_panic;
use crate::cache::{Cache, consistency};
use crate::stop::Stop;

/// A solve whose states are collected.
pub struct Collection<'c, S: Scalar> {
    /// The equations in the scalar type.
    pub formulated: &'c dyn Formulated<S>,
    /// The method.
    pub method: &'c dyn Method<S>,
    /// The step control and budgets.
    pub settings: Settings,
    /// The start and end times, s.
    pub span: [f64; 2],
    /// The break points, s.
    pub breaks: &'c [f64],
    /// True if the solve ends when all work is [asked](crate::stop::ask) to end.
    pub may_be_stopped: bool,
}

impl<S: Scalar> Collection<'_, S> {
    /// Solves until all `times` (s, increasing, also for a span that runs backwards) have been passed. Returns a state
    /// for each time, and the failure that ended the solve before the last one. A time within a few roundings of a
    /// step's end counts as the end. There is no state at times that are not reached, or if the state inside a step
    /// cannot be computed.
    pub fn states(&self, times: &[f64]) -> (Vec<Option<Vec<S>>>, Option<Failure>) {
        let initial = self.formulated.initial_state();
        let mut ode = self.formulated.ode();
        let [t_start, t_end] = self.span.map(S::from);
        let task = Task { t_start, t_end, initial: &initial, settings: self.settings };
        let sign = (self.span[1] - self.span[0]).signum();
        let mut times = times.to_vec();
        if sign < 0.0 {
            times.reverse();
        }
        let states = Vec::with_capacity(times.len());
        let mut collector = Collector { times: &times, states, sign, stop: self.may_be_stopped.then(Stop::of_run) };
        let solution = task.solve_with_breaks(self.breaks, self.method, ode.as_mut(), &mut collector);
        let failure = solution.failure.filter(|_| !collector.is_complete());
        let mut states = collector.states;
        states.resize(times.len(), None);
        if sign < 0.0 {
            states.reverse();
        }
        (states, failure)
    }
}

/// The observer that collects the states.
struct Collector<'t, S> {
    times: &'t [f64],
    states: Vec<Option<Vec<S>>>,
    /// -1 if times decrease.
    sign: f64,
    stop: Option<Stop>,
}

impl<S: Scalar> Collector<'_, S> {
    fn is_complete(&self) -> bool {
        self.states.len() == self.times.len()
    }

    /// Collects the states at the times up to `t`.
    fn take(&mut self, t: f64, mut state_at: impl FnMut(f64) -> Option<Vec<S>>) {
        while let Some(&time) = self.times.get(self.states.len()).filter(|&&time| self.sign * (time - t) <= 0.0) {
            self.states.push(state_at(time));
        }
    }
}

impl<S: Scalar> Observer<S> for Collector<'_, S> {
    fn start(&mut self, t: S, y: &[S]) {
        self.take(t.value(), |_| Some(y.to_vec()));
    }

    fn step(&mut self, step: &mut Step<'_, S>) -> ControlFlow<Failure> {
        let end = step.t_end.value();
        let slack = slack(step.t_start.value(), end);
        self.take(end + self.sign * slack, |time| {
            let mut state = step.end.to_vec();
            if (time - end).abs() <= slack {
                return Some(state);
            }
            step.within.state_at(S::from(time), &mut state).ok().map(|()| state)
        });
        if self.is_complete() {
            return ControlFlow::Break(Failure::Rule { time: end, rule: "all states have been seen".to_owned() });
        }
        match self.stop.is_some_and(Stop::is_asked) {
            true => ControlFlow::Break(Failure::Interrupted { time: end }),
            false => ControlFlow::Continue(()),
        }
    }
}

/// Returns the states of a run at increasing `times`, s; `None` at times that the run does not reach. The states are
/// cached in `cache` apart from the run, so that drawing a run does not change its record.
pub fn states_at(run: &RunSpec, times: &[f64], cache: &Cache) -> Vec<Option<Vec<f64>>> {
    let stored = format!("states {}\ntimes {times:?}", run.key().full());
    let fits = |states: &Vec<_>| {
        let unknowns = Formulated::<f64>::initial_state(run.model.object.model().as_ref()).len();
        consistency::of_states(states, times.len(), unknowns)
    };
    if let Some(states) = cache.load(&stored, fits) {
        return states;
    }
    // The run itself has reported the panic.
    let Ok(states) = catch_panic(|| solved(run, run.settings, times)) else { return vec![None; times.len()] };
    // If the states cannot be cached, they are solved for again the next time.
    let _ = cache.save(&stored, &states);
    states
}

/// Solves a run with these settings for its states at increasing `times`, s.
pub(super) fn solved(run: &RunSpec, settings: Settings, times: &[f64]) -> Vec<Option<Vec<f64>>> {
    let (model, method) = (run.model.object.model(), run.method.object.method());
    let formulated: &dyn Formulated<f64> = model.as_ref();
    let (method, breaks) = (method.as_ref(), &*run.breaks);
    Collection { formulated, method, settings, span: run.span, breaks, may_be_stopped: false }.states(times).0
}

#[cfg(test)]
mod tests {
    use mbsbench_problem::{Further, Interpolant};

    use super::*;

    /// The state equals the time; inside the second step there is none.
    struct Times;

    impl Interpolant for Times {
        fn state_at(&mut self, t: f64, y: &mut [f64]) -> Result<(), Failure> {
            y[0] = t;
            if (1.0..2.0).contains(&t) { Err(Failure::NonFinite { time: t }) } else { Ok(()) }
        }
    }

    /// Passes steps with these ends to a collector until it has enough, and returns the states and the number of steps.
    fn collected(ends: &[f64], times: &[f64]) -> (Vec<Option<f64>>, usize) {
        let mut collector = Collector { times, states: Vec::new(), sign: 1.0, stop: None };
        collector.start(ends[0], &[ends[0]]);
        let shown = ends.windows(2).take_while(|pair| {
            let (start, end) = ([pair[0]], [pair[1]]);
            let mut step = Step {
                index: 1,
                t_start: pair[0],
                start: &start,
                t_end: pair[1],
                end: &end,
                further: Further::default(),
                within: &mut Times,
            };
            collector.step(&mut step).is_continue()
        });
        let shown = shown.count();
        (collector.states.into_iter().map(|state| state.map(|state| state[0])).collect(), shown)
    }

    #[test]
    fn states_match_their_times() {
        let times = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5];
        let expected = [Some(0.0), Some(0.5), Some(1.0), None, Some(2.0), Some(2.5)];
        assert_eq!(collected(&[0.0, 1.0, 2.0, 3.0, 4.0], &times), (expected.to_vec(), 2), "the third step is the last");
    }

    /// The sum of ten tenths is less than one, so that the last step ends just before a span that ends at one.
    #[test]
    fn the_end_has_a_state_despite_rounded_times() {
        let mut ends = vec![0.0];
        (0..10).for_each(|k| ends.push(ends[k] + 0.1));
        assert!(ends[10] < 1.0, "{}", ends[10]);
        assert_eq!(collected(&ends, &[1.0]).0, [Some(ends[10])]);
        assert_eq!(collected(&ends, &[1.0 + 1e-6]).0, [], "a time that is not reached has no state");
        // 0.1 + 0.1 + 0.1 exceeds 0.3 and is used as is, instead of an additional tiny step.
        assert_eq!(collected(&ends, &[0.3]).0, [Some(ends[3])]);
        assert!(ends[3] > 0.3);
    }
}
