//! The results that commands read: those made here, and those that are built in.

use std::path::{Path, PathBuf};

use mbsbench_experiment::plan::Plan;
use mbsbench_judge::claims::Evidence;
use mbsbench_judge::folders::Folders;

use super::CommandError;
use super::error::several;
use super::files::{RESULTS, paper_of, papers};
use super::source::Builtin;
use crate::output::Output;

/// Where the table of the runs of an experiment is.
const RUNS: &str = "runs.csv";

/// Results by experiment: those made here, or else the built-in ones.
#[derive(Debug, Clone)]
pub(super) struct Results<'b> {
    own: PathBuf,
    builtin: Option<&'b Builtin>,
}

impl<'b> Results<'b> {
    /// Those in one folder.
    pub(super) fn only(own: PathBuf) -> Self {
        Self { own, builtin: None }
    }

    /// Those in a folder and, of built-in experiments that have none there, the built-in ones.
    pub(super) fn or_builtin(own: PathBuf, builtin: &'b Builtin) -> Self {
        Self { own, builtin: Some(builtin) }
    }
}

impl Folders for Results<'_> {
    fn root(&self) -> &Path {
        &self.own
    }

    fn root_of(&self, id: &str) -> PathBuf {
        let has_runs = |root: &PathBuf| root.join(id).join(RUNS).exists();
        if has_runs(&self.own) {
            return self.own.clone();
        }
        let builtin = self.builtin.filter(|builtin| builtin.has(paper_of(id))).and_then(Builtin::unpacked);
        builtin.map(|root| root.join(RESULTS)).filter(has_runs).unwrap_or_else(|| self.own.clone())
    }
}

/// The results of those plans that are wanted.
///
/// # Errors
/// [`CommandError::NotMade`] names all plans without results; the others are those of [`Evidence::read`].
pub(super) fn evidence_of<'p>(
    results: &(impl Folders + ?Sized),
    plans: &'p [Plan],
    wanted: impl Fn(&Plan) -> bool + Sync,
) -> Result<Evidence<'p>, CommandError> {
    let is_missing = |plan: &&Plan| wanted(plan) && !results.of(&plan.experiment.id).join(RUNS).exists();
    let missing: Vec<String> = plans.iter().filter(is_missing).map(|plan| plan.experiment.id.clone()).collect();
    if !missing.is_empty() {
        return Err(CommandError::NotMade { experiments: missing, folder: results.root().to_owned() });
    }
    Ok(Evidence::read(results, plans, wanted)?)
}

/// Says beside the output for which of these plans the built-in results are used.
pub(super) fn tell_builtin(results: &(impl Folders + ?Sized), plans: &[&Plan], output: &mut Output<'_>) {
    let is_builtin = |plan: &&&Plan| {
        let folder = results.of(&plan.experiment.id);
        folder.exists() && !folder.starts_with(results.root())
    };
    let shown: Vec<&Plan> = plans.iter().filter(is_builtin).copied().collect();
    if shown.is_empty() {
        return;
    }
    let names = if shown.len() < plans.len() || shown.len() == 1 {
        several(&shown.iter().map(|plan| plan.experiment.id.clone()).collect::<Vec<_>>())
    } else {
        papers(shown).join(", ")
    };
    output.beside(format!("no results of {names} here: the built-in ones are used"));
}
