//! A single method under consideration, by its name or from a file.

use std::path::Path;

use mbsbench_experiment::registry::MethodKind;
use mbsbench_experiment::{Choice, Contender, Plan, Registry, RunSpec, read_contender, read_method};
use mbsbench_problem::Formulated;
use serde_json::Value;

use super::{CommandError, FileKind, is_file, other_kind, read};

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
    pub(super) fn find(registry: &Registry, method: &str) -> Result<Self, CommandError> {
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
        let known = registry.methods().iter().filter(|entry| !entry.is_written_out());
        let Some(entry) = known.clone().find(|entry| entry.name() == method) else {
            let known = known.map(|entry| entry.name().to_owned());
            return Err(CommandError::unknown("method", method, known));
        };
        Ok(Self {
            label: method.to_owned(),
            about: vec![entry.summary().to_owned(), format!("source: {}", entry.source())],
            choice: entry.default_choice(),
            contender: Contender::registered(method),
            is_from_file: false,
        })
    }

    /// The reason why the method cannot be run; `None` if it can.
    pub(super) fn refusal(&self, run: &RunSpec) -> Option<String> {
        let model = run.model.object().model();
        let mut ode = Formulated::<f64>::ode(&*model);
        let refused = self.choice.object().method().applies_to(ode.as_mut(), run.settings.events).err();
        refused.map(|unsuitable| unsuitable.to_string())
    }
}

/// Lists the properties that a method reports.
pub(super) fn properties(choice: &Choice<MethodKind>) -> Vec<String> {
    let method = choice.object().method();
    let yes = |holds: bool| if holds { "yes" } else { "no" };
    let mut lines = vec![
        format!("family          {}", choice.family()),
        format!("order           {}", method.order()),
        format!("error control   {}", yes(method.properties().adapts)),
        format!("double-double   {}", yes(choice.object().precise().is_some())),
    ];
    lines.extend(method.details());
    lines
}

/// Returns the plans of experiments in which the contender takes the place of `every`.
pub(super) fn contended<'p>(
    registry: &Registry,
    plans: impl IntoIterator<Item = &'p Plan>,
    contender: &Contender,
) -> Result<Vec<Plan>, CommandError> {
    let registry = registry.with_contender(contender.clone());
    let own = plans.into_iter().filter_map(|plan| plan.of_contender(&registry).transpose());
    Ok(own.collect::<Result<_, _>>()?)
}
