//! The same runs with other parameter values: set-ups over ranges and readings, and `set:` of a file.

use std::sync::{Arc, OnceLock};

use mbsbench_input::{BadInput, Key, Node, Number, Place, Problem, Value, read};
use mbsbench_problem::StepControl;

use super::checks::{has_path, unknown_path};
use super::{Plan, RunSpec, key};
use crate::registry::{Choice, Entry, Kind, Registry};

impl Plan {
    /// Returns the runs with these values set, by path, in every run that has them; references follow their models and
    /// spans. A run whose model or method refuses its values is replaced by the reason.
    pub fn runs_with(&self, values: &[(Key, Node)], registry: &Registry) -> Vec<Result<RunSpec, Problem>> {
        self.runs.iter().map(|run| with(run, values, registry)).collect()
    }

    /// Returns the plan with the parameters under `set:` of its file.
    pub(super) fn set(mut self, registry: &Registry) -> Result<Self, BadInput> {
        let set = &self.experiment.set;
        if set.is_empty() || self.runs.is_empty() {
            return Ok(self);
        }
        let is_unknown = |(key, _): &&(Key, Node)| self.runs.iter().all(|run| !has_path(run, &key.name));
        let unknown: Vec<Problem> =
            set.iter().filter(is_unknown).map(|(key, _)| unknown_path(&self, key, "parameter")).collect();
        if !unknown.is_empty() {
            return Err(self.experiment.document.bad(unknown));
        }
        let place = self.experiment.document.root.place_of("set");
        let bad = |problem: Problem| self.experiment.document.bad(vec![Problem { place, ..problem }]);
        self.runs = self.runs_with(set, registry).into_iter().collect::<Result<_, _>>().map_err(bad)?;
        Ok(self)
    }
}

fn with(run: &RunSpec, values: &[(Key, Node)], registry: &Registry) -> Result<RunSpec, Problem> {
    let given = values.iter().map(|(key, node)| (key.name.as_str(), node));
    let given: Vec<(&str, &Node)> = given.filter(|(path, _)| has_path(run, path)).collect();
    let [model, method] = ["model.", "method."].map(|root| -> Vec<(&str, &Node)> {
        given.iter().filter_map(|(path, node)| Some((path.strip_prefix(root)?, *node))).collect()
    });
    let mut run = run.clone();
    let mut reference = run.reference.as_deref().cloned();
    if !model.is_empty() {
        run.model = Arc::new(changed(registry.models(), &run.model, &model)?);
        if let Some(reference) = &mut reference {
            // A reference may have its own formulation, to which a reading of the runs' formulation does not apply.
            let own: Vec<(&str, &Node)> = model.iter().copied().filter(|(path, _)| *path != "formulation").collect();
            reference.model = Arc::new(changed(registry.models(), &reference.model, &own)?);
        }
    }
    if !method.is_empty() {
        run.method = Arc::new(changed(registry.methods(), &run.method, &method)?);
    }
    for (path, node) in given {
        match path {
            "span.start" => run.span[0] = read(node)?,
            "span.end" => run.span[1] = read(node)?,
            "step" => run.settings.control = StepControl::Fixed { step: read(node)? },
            "settings.clock" => run.settings.clock = read(node)?,
            _ => set_tolerance(&mut run.settings.control, path, node)?,
        }
    }
    run.reference = reference.map(|mut reference| {
        reference.span = run.span;
        let key = key::of_reference(&reference);
        let nominal = std::mem::replace(&mut reference.key, key);
        // Only the nominal reference is stored.
        reference.stored = reference.stored.filter(|_| reference.key == nominal);
        Arc::new(reference)
    });
    (run.key, run.set_up) = (OnceLock::new(), OnceLock::new());
    Ok(run)
}

fn set_tolerance(control: &mut StepControl, path: &str, node: &Node) -> Result<(), Problem> {
    let StepControl::Tolerance { rel, abs, initial_step, max_step } = control else { return Ok(()) };
    match path {
        "tolerance.rel" => *rel = read(node)?,
        "tolerance.abs" => *abs = read(node)?,
        "settings.initial_step" => *initial_step = read(node)?,
        "settings.max_step" => *max_step = read(node)?,
        _ => {}
    }
    Ok(())
}

/// Returns a choice with other values at the paths that it has. All values are set before any is checked, since they
/// may be valid only together.
fn changed<K: Kind>(entries: &[Entry<K>], choice: &Choice<K>, values: &[(&str, &Node)]) -> Result<Choice<K>, Problem> {
    let place = Place::default();
    let mut parameters = Node::from_json(&choice.parameters, place);
    for &(path, node) in values {
        if !choice.has(path) {
            continue;
        }
        let counts = choice.parameter(path).is_some_and(|present| present.is_u64() || present.is_i64());
        let keys: Vec<Key> = path.split('.').map(|name| Key { name: name.to_owned(), place }).collect();
        // A parameter that counts accepts whole numbers only.
        let node = match &node.value {
            Value::Number(number) if counts => {
                let value = number.value.round();
                let number = Number { value, whole: Some(value as i128), text: value.to_string() };
                Node::new(Value::Number(number), place)
            }
            _ => node.clone(),
        };
        parameters = parameters.with(&keys, &node);
    }
    let entry = entries.iter().find(|entry| entry.name == choice.name()).expect("the registry has every chosen entry");
    entry.choose(&parameters, Some(choice.label()))
}
