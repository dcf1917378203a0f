//! The observables of the runs of a plan that can be drawn.

use std::collections::HashMap;
use std::sync::Arc;

use mbsbench_input::{Place, Problem};
use mbsbench_measures::stepwise::{self, drawable};
use mbsbench_problem::Model;

use super::{Plan, RunSpec};
use crate::registry::{Choice, ModelKind};

/// The names of everything that can be drawn for each model, observables first. Each model is created once.
#[derive(Default)]
pub(super) struct Observables(HashMap<*const Choice<ModelKind>, Vec<String>>);

impl Observables {
    pub(super) fn of(plan: &Plan) -> Self {
        let mut names = Self::default();
        each_model(plan, |model, runs| names.add(model, runs));
        names
    }

    /// Adds the names of a model, which these runs share.
    pub(super) fn add(&mut self, model: &dyn Model, runs: &[&RunSpec]) {
        let names: Vec<String> = drawable(model).into_iter().map(|observable| observable.name).collect();
        self.0.extend(runs.first().map(|run| (Arc::as_ptr(&run.model), names)));
    }

    /// Returns the names that can be drawn for a run.
    pub(super) fn at(&self, run: &RunSpec) -> &[String] {
        &self.0[&Arc::as_ptr(&run.model)]
    }

    /// Returns a problem if a run's model has no such observable.
    pub(super) fn require_of_model(&self, run: &RunSpec, name: &str, place: Place) -> Result<(), Problem> {
        let all = self.at(run);
        Self::require_among(&all[..all.len() - stepwise::COUNT], run, name, place)
    }

    /// Returns a problem if nothing of that name can be drawn for a run.
    pub(super) fn require(&self, run: &RunSpec, name: &str, place: Place) -> Result<(), Problem> {
        Self::require_among(self.at(run), run, name, place)
    }

    fn require_among(known: &[String], run: &RunSpec, name: &str, place: Place) -> Result<(), Problem> {
        if known.iter().any(|known| known == name) {
            return Ok(());
        }
        let kind = format!("observable of `{}`", run.model.name());
        Err(Problem::unknown(place, &kind, name, known))
    }
}

/// Creates each model of a plan once and passes it to `visit` with its runs.
pub(super) fn each_model<'p>(plan: &'p Plan, mut visit: impl FnMut(&dyn Model, &[&'p RunSpec])) {
    let mut groups: Vec<Vec<&RunSpec>> = Vec::new();
    let mut numbers = HashMap::new();
    for run in &plan.runs {
        let number = *numbers.entry(Arc::as_ptr(&run.model)).or_insert(groups.len());
        groups.resize_with(groups.len().max(number + 1), Vec::new);
        groups[number].push(run);
    }
    for runs in groups {
        visit(&*runs[0].model.object.model(), &runs);
    }
}
