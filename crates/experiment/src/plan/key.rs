//! Keys of runs.

use std::fmt;

use mbsbench_problem::parameters::is_default;
use mbsbench_problem::{Clock, Settings, StepControl};
use serde_json::{Value, json};

use super::{ReferencePlan, RunSpec, Solved};
use crate::Origin;
use crate::registry::{Choice, MeasureKind};

/// The number of digits shown when a key is printed.
const SHOWN: usize = 20;

/// A hash of everything that determines a run's numbers apart from the code: model, method, settings, span, measures,
/// reference and rules. Labels, paths, host and time do not enter it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunKey(pub(super) String);

impl RunKey {
    /// Returns all 64 hexadecimal digits.
    pub fn full(&self) -> &str {
        &self.0
    }

    fn of(identity: Value) -> Self {
        Self(blake3::hash(canonical(identity).to_string().as_bytes()).to_hex().to_string())
    }
}

impl fmt::Display for RunKey {
    /// Writes the first 20 digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.get(..SHOWN).unwrap_or(&self.0))
    }
}

/// Returns the same value with the keys of all maps sorted.
pub fn canonical(mut value: Value) -> Value {
    value.sort_all_objects();
    value
}

pub(super) fn of_run(run: &RunSpec) -> RunKey {
    // The columns are included beside the parameters because the name of a column depends on how a parameter is
    // written.
    let measure = |measure: &Choice<MeasureKind>| {
        canonical(json!({ "measure": measure.identity(), "columns": measure.object.columns() }))
    };
    let mut measures: Vec<Value> = run.measures.iter().map(measure).collect();
    measures.sort_by_cached_key(Value::to_string);
    let mut identity = identity(run);
    identity["measures"] = json!(measures);
    if let Some(reference) = &run.reference {
        identity["reference"] = json!(reference.key.full());
    }
    if !run.rules.is_empty() {
        identity["fails_when"] = json!(*run.rules);
    }
    RunKey::of(identity)
}

/// Returns the key of the problem and its solver, without the measures.
pub(super) fn of_set_up(run: &RunSpec) -> RunKey {
    let mut identity = identity(run);
    identity["reference"] = json!(run.reference.as_ref().map(|reference| reference.key.full()));
    identity["fails_when"] = json!(*run.rules);
    RunKey::of(identity)
}

/// Returns what identifies a run apart from measures, reference and rules.
fn identity(run: &RunSpec) -> Value {
    let (model, method) = (run.model.identity(), run.method.identity());
    let (settings, span) = (of_settings(&run.settings), span(run.span, &run.breaks));
    json!({ "model": model, "method": method, "settings": settings, "span": span })
}

pub(super) fn of_reference(reference: &ReferencePlan) -> RunKey {
    let Solved { precision, solver: main, settings, check, digits } = match &reference.origin {
        Origin::Solved(solved) => solved,
        Origin::File(given) => {
            let given = given.as_ref().ok();
            // The values of the file are in the units of this model.
            return RunKey::of(json!({
                "model": reference.model.name(),
                "file": given.map(|given| &given.hash),
                "bounds": given.map(|given| (&given.trajectory.observables, given.trajectory.bounds.first())),
            }));
        }
    };
    let solver = |method: &Value, settings| json!({ "method": method, "settings": of_settings(settings) });
    let check = check.as_ref().map(|(check, settings)| solver(&check.method.identity(), settings));
    RunKey::of(json!({
        "model": reference.model.identity(),
        "span": span(reference.span, &reference.breaks),
        "precision": precision,
        "solver": solver(&main.method.identity(), settings),
        "check": check,
        "digits": digits,
    }))
}

/// Returns a span, with its break points if there are any.
fn span(span: [f64; 2], breaks: &[f64]) -> Value {
    if breaks.is_empty() { json!(span) } else { json!([span, breaks]) }
}

fn of_settings(settings: &Settings) -> Value {
    let control = match settings.control {
        StepControl::Fixed { step } => json!({ "step": step }),
        StepControl::Tolerance { rel, abs, initial_step, max_step } => {
            json!({ "rel": rel, "abs": abs, "initial_step": initial_step, "max_step": max_step })
        }
    };
    let mut named = json!({
        "control": control,
        "clock": match settings.clock { Clock::Exact => "exact", Clock::Accumulating => "accumulating" },
        "max_steps": settings.max_steps,
        "max_rhs_evaluations": settings.max_rhs_evaluations,
    });
    // An automatic choice is not part of a run's key.
    if !is_default(&settings.matrices) {
        named["matrices"] = json!(settings.matrices);
    }
    if !is_default(&settings.events) {
        named["events"] = json!(settings.events);
    }
    named
}
