//! A single method under consideration, by its name or from a file.

use std::path::Path;

use mbsbench_experiment::registry::MethodKind;
use mbsbench_experiment::{Choice, Contender, Plan, Registry, read_contender, read_method};
use mbsbench_input::{Node, Place};
use serde_json::Value;

use super::{CommandError, FileKind, Result, is_file, other_kind, read};

/// A method by its name or from a file.
pub(super) struct Examined {
    /// The name of the method.
    pub(super) label: String,
    /// Its description and source.
    pub(super) about: Vec<String>,
    pub(super) choice: Choice<MethodKind>,
    /// The method in place of `every`.
    pub(super) contender: Contender,
    /// True if it is from a file, so that it has no stored results.
    pub(super) is_from_file: bool,
}

impl Examined {
    /// Finds a method by its name or reads it from a file.
    ///
    /// # Errors
    /// Fails if no such name is registered, or if the file has mistakes.
    pub(super) fn find(registry: &Registry, method: &str) -> Result<Self> {
        let path = Path::new(method);
        if is_file(path) {
            let bytes = read(path)?;
            let bad = |wrong| other_kind(path, FileKind::Method).unwrap_or_else(|| CommandError::BadInput(vec![wrong]));
            let choice = read_method(path, &bytes, registry).map_err(bad)?;
            let contender = read_contender(path, &bytes, registry).map_err(bad)?;
            let source = choice.parameter("source").and_then(Value::as_str);
            let about = source.map(|source| format!("source: {source}")).into_iter().collect();
            return Ok(Self { label: choice.label(), about, choice, contender, is_from_file: true });
        }
        let known = registry.methods().iter().filter(|entry| !entry.is_written_out);
        let Some(entry) = known.clone().find(|entry| entry.name == method) else {
            let known = known.map(|entry| entry.name.to_owned());
            return Err(CommandError::unknown("method", method, known));
        };
        Ok(Self {
            label: method.to_owned(),
            about: vec![entry.summary.to_owned(), format!("source: {}", entry.source)],
            choice: entry.default_choice(),
            contender: Contender { method: method.to_owned(), parameters: Node::empty(Place::default()) },
            is_from_file: false,
        })
    }
}

/// Returns the plans of experiments in which the contender takes the place of `every`.
pub(super) fn contended<'p>(
    registry: &Registry,
    plans: impl IntoIterator<Item = &'p Plan>,
    contender: &Contender,
) -> Result<Vec<Plan>> {
    let registry = registry.with_contender(contender.clone());
    let own = plans.into_iter().filter_map(|plan| plan.of_contender(&registry).transpose());
    Ok(own.collect::<Result<_, _>>()?)
}
