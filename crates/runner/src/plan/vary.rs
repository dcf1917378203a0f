//! The same runs with other numbers in them, for studies over ranges.

use std::sync::Arc;

use mbsbench_problem::StepControl;

use super::checks::value_at;
use super::{Plan, RunSpec, key};
use crate::input::{Key, Node, Number, Place, Problem, Value};
use crate::registry::{Choice, Entry, Kind, Registry};

impl Plan {
    /// The runs with these numbers, by path, in every run that has them; references follow
    /// their models and spans. Instead of a run
    /// whose model or method does not accept its numbers there is the reason.
    #[must_use]
    pub fn runs_with(&self, numbers: &[(&str, f64)], registry: &Registry) -> Vec<Result<RunSpec, Problem>> {
        self.runs.iter().map(|run| with(run, numbers, registry)).collect()
    }
}

fn with(run: &RunSpec, numbers: &[(&str, f64)], registry: &Registry) -> Result<RunSpec, Problem> {
    let given: Vec<(&str, f64)> = numbers.iter().copied().filter(|(path, _)| value_at(run, path).is_some()).collect();
    let [model, method] = ["model.", "method."].map(|root| -> Vec<(&str, f64)> {
        given.iter().filter_map(|(path, number)| Some((path.strip_prefix(root)?, *number))).collect()
    });
    let mut run = run.clone();
    let mut reference = run.reference.as_deref().cloned();
    if !model.is_empty() {
        run.model = Arc::new(changed(registry.models(), &run.model, &model)?);
        if let Some(reference) = &mut reference {
            reference.model = Arc::new(changed(registry.models(), &reference.model, &model)?);
        }
    }
    if !method.is_empty() {
        run.method = Arc::new(changed(registry.methods(), &run.method, &method)?);
    }
    for (path, number) in given {
        match path {
            "span.start" => run.span[0] = number,
            "span.end" => run.span[1] = number,
            "step" => run.settings.control = StepControl::Fixed { step: number },
            _ => {}
        }
    }
    run.reference = reference.map(|mut reference| {
        reference.span = run.span;
        let key = key::of_reference(&reference);
        let nominal = std::mem::replace(&mut reference.key, key);
        // What is stored is the nominal one.
        reference.stored = reference.stored.filter(|_| reference.key == nominal);
        Arc::new(reference)
    });
    run.key = key::of_run(&run);
    Ok(run)
}

/// A choice with other numbers at those of the paths that it has. All are set before any is checked: only together may they
/// be accepted.
fn changed<K: Kind>(entries: &[Entry<K>], choice: &Choice<K>, numbers: &[(&str, f64)]) -> Result<Choice<K>, Problem> {
    let place = Place::default();
    let mut parameters = Node::from_json(choice.parameters(), place);
    for &(path, number) in numbers {
        let Some(present) = choice.parameter(path) else { continue };
        let keys: Vec<Key> = path.split('.').map(|name| Key { name: name.to_owned(), place }).collect();
        // A parameter that counts takes whole numbers.
        let is_whole = present.is_u64() || present.is_i64();
        let value = if is_whole { number.round() } else { number };
        let whole = is_whole.then_some(value as i128);
        let node = Node::new(Value::Number(Number { value, whole, text: value.to_string() }), place);
        parameters = parameters.with(&keys, &node);
    }
    let entry = entries.iter().find(|entry| entry.name() == choice.name()).expect("what is chosen is in the registry");
    entry.choose(&parameters, Some(choice.label()))
}
