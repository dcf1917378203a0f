//! Results are compared with their seals before a command believes them.

use mbsbench_experiment::plan::Plan;
use mbsbench_judge::folders::Folders;
use mbsbench_runs::seal::{self, Inspection};
use rayon::prelude::*;

use super::CommandError;
use super::error::ChangedResults;
use super::results::tell_builtin;
use crate::output::Output;

/// Refuses results of some plans that were changed after they were made, and says beside the output which are not
/// sealed, and which are built in. The latter were compared with the program when they were unpacked.
///
/// # Errors
/// [`CommandError::Changed`], or a file that cannot be read.
pub(super) fn ensure_sealed<'p>(
    results: &(impl Folders + ?Sized),
    plans: impl IntoIterator<Item = &'p Plan>,
    output: &mut Output<'_>,
) -> Result<(), CommandError> {
    let plans: Vec<&Plan> = plans.into_iter().collect();
    tell_builtin(results, &plans, output);
    let ids: Vec<&str> = plans.iter().map(|plan| plan.experiment.id.as_str()).collect();
    let inspect = |id: &&str| seal::inspect(&results.of(id));
    let inspected = ids.par_iter().map(inspect).collect::<Result<Vec<Inspection>, _>>()?;
    let mut unsealed = Vec::new();
    let mut changed = Vec::new();
    for (id, found) in ids.into_iter().zip(inspected) {
        unsealed.extend(found.unsealed);
        if !found.changed.is_empty() {
            changed.push(ChangedResults { experiment: id.to_owned(), files: found.changed });
        }
    }
    if let Some((first, rest)) = unsealed.split_first() {
        let (files, them) = match rest.len() {
            0 => (" is".to_owned(), "it"),
            1 => (" and 1 other file are".to_owned(), "them"),
            count => (format!(" and {count} other files are"), "them"),
        };
        output.beside(format!(
            "{}{files} not sealed: no manifest lists {them}, and an edit would not be noticed; running the experiment \
             again seals {them}",
            first.display()
        ));
    }
    if changed.is_empty() { Ok(()) } else { Err(CommandError::Changed(changed)) }
}
