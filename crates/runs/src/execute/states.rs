//! States of a run at chosen times, for drawings.

use mbsbench_experiment::RunSpec;
use mbsbench_problem::Formulated;

use super::caught::caught;
use super::collect::Collection;
use crate::store::{Store, shape};

/// The states of a run at `times`, s, which grow; none for those that it does not reach. They are kept in `store`, apart from
/// the run, so that drawing it changes nothing of what is recorded.
pub fn states_at(run: &RunSpec, times: &[f64], store: &Store) -> Vec<Option<Vec<f64>>> {
    let stored = format!("states {}\ntimes {times:?}", run.key().full());
    let fits = |states: &Vec<_>| {
        let unknowns = Formulated::<f64>::initial_state(run.model.object().model().as_ref()).len();
        shape::of_states(states, times.len(), unknowns)
    };
    if let Some(states) = store.load(&stored, fits) {
        return states;
    }
    // The run itself has told what a panic says.
    let Ok(states) = caught(|| solved(run, times)) else { return vec![None; times.len()] };
    // What cannot be kept is solved again the next time.
    let _ = store.save(&stored, &states);
    states
}

fn solved(run: &RunSpec, times: &[f64]) -> Vec<Option<Vec<f64>>> {
    let (model, method) = (run.model.object().model(), run.method.object().method());
    let formulated: &dyn Formulated<f64> = model.as_ref();
    Collection { formulated, method: method.as_ref(), settings: run.settings, span: run.span, may_be_stopped: false }
        .states(times)
        .0
}
