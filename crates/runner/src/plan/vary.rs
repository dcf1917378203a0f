//! The same runs with other numbers in them, for studies over ranges.

use std::sync::Arc;

use mbsbench_problem::StepControl;

use super::checks::value_at;
use super::{Plan, ReferencePlan, RunSpec, key};
use crate::input::{Key, Node, Number, Place, Problem, Value};
use crate::registry::{Choice, Entry, Kind, Registry};

impl Plan {
    /// The plan with these numbers, by path, in every run that has them; references follow their models.
    ///
    /// # Errors
    /// A number that a model or method does not accept.
    pub fn with_numbers(&self, numbers: &[(&str, f64)], registry: &Registry) -> Result<Self, Problem> {
        let mut plan = self.clone();
        for run in &mut plan.runs {
            for &(path, number) in numbers {
                if value_at(run, path).is_some() {
                    set(run, path, number, registry)?;
                }
            }
            run.key = key::of_run(run);
        }
        Ok(plan)
    }
}

fn set(run: &mut RunSpec, path: &str, number: f64, registry: &Registry) -> Result<(), Problem> {
    match path.split_once('.') {
        Some(("model", parameter)) => {
            run.model = Arc::new(changed(registry.models(), &run.model, parameter, number)?);
            if let Some(reference) = &run.reference
                && reference.model.parameter(parameter).is_some()
            {
                let model = Arc::new(changed(registry.models(), &reference.model, parameter, number)?);
                let mut reference = ReferencePlan { model, ..ReferencePlan::clone(reference) };
                reference.key = key::of_reference(&reference);
                run.reference = Some(Arc::new(reference));
            }
        }
        Some(("method", parameter)) => {
            run.method = Arc::new(changed(registry.methods(), &run.method, parameter, number)?);
        }
        Some(("span", "start")) => run.span[0] = number,
        Some(("span", _)) => run.span[1] = number,
        _ => run.settings.control = StepControl::Fixed { step: number },
    }
    Ok(())
}

/// A choice with another number at a path.
fn changed<K: Kind>(entries: &[Entry<K>], choice: &Choice<K>, path: &str, number: f64) -> Result<Choice<K>, Problem> {
    let place = Place::default();
    let keys: Vec<Key> = path.split('.').map(|name| Key { name: name.to_owned(), place }).collect();
    // A parameter that counts takes whole numbers.
    let is_whole = choice.parameter(path).is_some_and(|value| value.is_u64() || value.is_i64());
    let value = if is_whole { number.round() } else { number };
    let whole = is_whole.then_some(value as i128);
    let node = Node::new(Value::Number(Number { value, whole, text: value.to_string() }), place);
    let parameters = Node::from_json(choice.parameters(), place).with(&keys, &node);
    let entry = entries.iter().find(|entry| entry.name() == choice.name()).expect("what is chosen is in the registry");
    entry.choose(&parameters, Some(choice.label()))
}
