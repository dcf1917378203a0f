//! States of a run at chosen times, for drawings.

use mbsbench_experiment::plan::RunSpec;
use mbsbench_problem::Formulated;

use super::collect::Collection;
use crate::store::Store;

/// The states of a run at `times`, s, which grow; none for those that it does not reach. They are kept in `store`, apart from
/// the run, so that drawing it changes nothing of what is recorded.
#[must_use]
pub fn states_at(run: &RunSpec, times: &[f64], store: &Store) -> Vec<Option<Vec<f64>>> {
    let stored = format!("states {}\ntimes {times:?}", run.key().full());
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
    let formulated: &dyn Formulated<f64> = model.as_ref();
    Collection { formulated, method: method.as_ref(), settings: run.settings, span: run.span }.states(times).0
}
