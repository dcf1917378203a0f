//! The results that commands read, local or built in. They are compared with their seals before a command uses them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use mbsbench_experiment::Plan;
use mbsbench_judge::claims::Evidence;
use mbsbench_judge::folders::Folders;
use mbsbench_runs::seal::{self, Inspection};
use rayon::prelude::*;

use super::{Builtin, CommandError, RESULTS, Result, paper_of, papers, several, sorted};
use crate::output::Output;

/// Name of the table with the runs of an experiment.
const RUNS: &str = "runs.csv";

/// Results by experiment: local ones, or else the built-in ones, for those built-in experiments that have none there.
#[derive(Debug, Clone)]
pub(super) struct Results<'b> {
    pub(super) own: PathBuf,
    pub(super) builtin: Option<&'b Builtin>,
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
        let builtin = self.builtin.filter(|builtin| builtin.papers.contains(paper_of(id))).and_then(Builtin::unpacked);
        builtin.map(|root| root.join(RESULTS)).filter(has_runs).unwrap_or_else(|| self.own.clone())
    }
}

/// Reads the results of the requested plans.
///
/// # Errors
/// Fails if plans have no results, and names all of them; otherwise like [`Evidence::read`].
pub(super) fn evidence_of<'p>(
    results: &dyn Folders,
    plans: &'p [Plan],
    wanted: impl Fn(&Plan) -> bool + Sync,
) -> Result<Evidence<'p>> {
    let is_missing = |plan: &&Plan| wanted(plan) && !results.of(&plan.experiment.id).join(RUNS).exists();
    let missing: Vec<String> = plans.iter().filter(is_missing).map(|plan| plan.experiment.id.clone()).collect();
    if !missing.is_empty() {
        // A single experiment is reproduced by its own id, several by the ids of their papers.
        let made_by = match missing.as_slice() {
            [one] => one.clone(),
            all => sorted(all.iter().map(|id| paper_of(id).to_owned())).join(" "),
        };
        return Err(CommandError::refused(
            &format!("no results of {} in {}", several(&missing, "experiments"), results.root().display()),
            &format!("`mbsbench reproduce {made_by}` computes them"),
        ));
    }
    Ok(Evidence::read(results, plans, wanted)?)
}

/// Reports on standard error for which of these plans the built-in results are used.
fn tell_builtin(results: &dyn Folders, plans: &[&Plan], output: &mut Output<'_>) {
    let is_builtin = |plan: &&&Plan| {
        let folder = results.of(&plan.experiment.id);
        folder.exists() && !folder.starts_with(results.root())
    };
    let shown: Vec<&Plan> = plans.iter().filter(is_builtin).copied().collect();
    if shown.is_empty() {
        return;
    }
    let names = if shown.len() < plans.len() || shown.len() == 1 {
        several(&shown.iter().map(|plan| &plan.experiment.id).collect::<Vec<_>>(), "experiments")
    } else {
        papers(shown).join(", ")
    };
    output.eprintln(format!("no results of {names} here: using the built-in results"));
}

/// Rejects results of some plans that were changed after they were written. Reports on standard error which results are
/// not sealed, and which are built in; the latter were compared with the program when they were unpacked.
///
/// # Errors
/// Fails with [`CommandError::Changed`], or if a file cannot be read.
pub(super) fn ensure_sealed<'p>(
    results: &dyn Folders,
    plans: impl IntoIterator<Item = &'p Plan>,
    output: &mut Output<'_>,
) -> Result<()> {
    let plans: Vec<&Plan> = plans.into_iter().collect();
    tell_builtin(results, &plans, output);
    let ids: Vec<&str> = plans.iter().map(|plan| plan.experiment.id.as_str()).collect();
    let inspect = |id: &&str| seal::inspect(&results.of(id));
    let inspected = ids.par_iter().map(inspect).collect::<Result<Vec<Inspection>, _>>()?;
    let mut unsealed = BTreeSet::new();
    let mut changed = Vec::new();
    for (id, found) in ids.into_iter().zip(inspected) {
        unsealed.extend(found.unsealed);
        if !found.changed.is_empty() {
            changed.push((id.to_owned(), found.changed));
        }
    }
    if let Some(first) = unsealed.first() {
        let more = if unsealed.len() == 1 { String::new() } else { format!(" and {} more", unsealed.len() - 1) };
        output.eprintln(format!(
            "results are not sealed: no manifest lists them, so edits would go unnoticed; rerun the experiment to seal \
             them: {}{more}",
            first.display()
        ));
    }
    if changed.is_empty() { Ok(()) } else { Err(CommandError::Changed(changed)) }
}
