//! `mbsbench lock`: takes over what checks test into `bounds.lock`.

use std::path::Path;

use mbsbench_experiment::plan::Plan;
use mbsbench_input::write_atomically;
use mbsbench_judge::claims::spec::BoundSet;
use mbsbench_judge::claims::{Book, Check, Evidence, Lock};

use super::CommandError;
use super::files::{Library, read_unlocked};
use crate::output::Output;

/// Writes the lock of the ledger of a paper, of all papers where none is named, and says what is new in it.
pub(super) fn lock(
    library: Library<'_>,
    paper: Option<&str>,
    results: &Path,
    output: &mut Output<'_>,
) -> Result<(), CommandError> {
    let papers = paper.map_or_else(|| library.papers(), |paper| Ok(vec![paper.to_owned()]))?;
    for name in &papers {
        let plans = library.plans_of(name)?;
        let Some(path) = library.ledger_file(name, Book::Claims) else { continue };
        let ledger = read_unlocked(&path, &plans)?;
        let file = Lock::beside(&path);
        let before = mbsbench_input::read_text(&file, mbsbench_input::LARGEST_TEXT).ok().map(|text| Lock::parse(&text));
        let (lock, changes) =
            Lock::renewed(before.as_ref(), ledger.checks(), |check| has_result(name, check, &plans, results));
        write_atomically(&file, lock.text().as_bytes())
            .map_err(|error| CommandError::Store { path: file.clone(), error })?;
        for change in &changes {
            let what = if change.is_new { "new" } else { "changed" };
            let when = match change.set {
                BoundSet::Before => "before its result was known",
                BoundSet::After => "when its result was known",
            };
            output.line(format!("{name}: {} is {what}, {when}", change.id))?;
        }
        output.line(format!("{}: {} checks", file.display(), ledger.checks().count()))?;
    }
    Ok(())
}

/// Whether results have the runs of a check.
fn has_result(paper: &str, check: &Check, plans: &[Plan], results: &Path) -> bool {
    let named = |plan: &Plan| check.kind.experiments().iter().any(|name| plan.experiment.is_called(name, paper));
    Evidence::read(results, plans, named).is_ok()
}
