//! States of a run at chosen times, for drawings.

use std::ops::ControlFlow;

use mbsbench_problem::model::Formulated;
use mbsbench_problem::{Counted, Failure, Observer, Step, Task};

use crate::plan::RunSpec;
use crate::store::Store;

/// The states of a run at `times`, s, which grow; none for those that it does not reach. They are kept in `store`, apart from
/// the run, so that drawing it changes nothing of what is recorded.
#[must_use]
pub fn states_at(run: &RunSpec, times: &[f64], store: &Store) -> Vec<Option<Vec<f64>>> {
    let stored = format!("states {}\ntimes {times:?}", run.key.full());
    if let Some(states) = store.load(&stored) {
        return states;
    }
    let states = solved(run, times);
    // What cannot be kept is solved again the next time.
    let _ = store.save(&stored, &states);
    states
}

fn solved(run: &RunSpec, times: &[f64]) -> Vec<Option<Vec<f64>>> {
    let (model, method) = (run.model.object().model(), run.method.object().method());
    let initial = Formulated::<f64>::initial_state(&*model);
    let mut ode = Formulated::<f64>::ode(&*model);
    let task = Task { t_start: run.span[0], t_end: run.span[1], initial: &initial, settings: run.settings };
    let mut sketch = Sketch { times, states: Vec::with_capacity(times.len()) };
    method.solve(Counted::new(ode.as_mut()), &task, &mut sketch);
    sketch.states.resize(times.len(), None);
    sketch.states
}

/// The observer that takes the states.
struct Sketch<'t> {
    times: &'t [f64],
    states: Vec<Option<Vec<f64>>>,
}

impl Sketch<'_> {
    /// Takes the states at the times up to `t`.
    fn take(&mut self, t: f64, mut state_at: impl FnMut(f64) -> Option<Vec<f64>>) {
        while let Some(&time) = self.times.get(self.states.len()).filter(|&&time| time <= t) {
            self.states.push(state_at(time));
        }
    }
}

impl Observer for Sketch<'_> {
    fn start(&mut self, t: f64, y: &[f64]) {
        self.take(t, |_| Some(y.to_vec()));
    }

    fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
        let mut state = step.end.to_vec();
        self.take(step.t_end, |time| {
            if time == step.t_end {
                return Some(step.end.to_vec());
            }
            step.within.state_at(time, &mut state).ok().map(|()| state.clone())
        });
        if self.states.len() < self.times.len() {
            return ControlFlow::Continue(());
        }
        ControlFlow::Break(Failure::Rule { time: step.t_end, rule: "all that is drawn has been seen".to_owned() })
    }
}
