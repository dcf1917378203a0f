//! Which times an experiment's tables and figures show, and where those of a reader go.

use std::path::{Path, PathBuf};

use mbsbench_experiment::plan::Plan;
use mbsbench_input::write_atomically;
use mbsbench_runs::results::ResultSet;
use mbsbench_runs::timings::{self, RunTiming};

use super::WriteError;

/// Folder of the times of this machine, so that recorded ones stay as they are.
pub const OWN_TIMES: &str = "target/times";

/// What came of times that were just taken.
#[derive(Debug, Default)]
pub struct Kept {
    /// How many finished runs have no recorded time.
    pub lacking: usize,
    /// The times just taken, row by row, if the recorded ones are shown.
    pub apart: Option<Vec<Option<RunTiming>>>,
}

/// Writes the times just taken, and gives the rows of `results` the times that are to be shown. Where recorded ones are not to be
/// kept (`keeps`), or there are none yet, these are the times just taken, which go to `out/<id>/timings.csv`. Else they are the
/// recorded ones, and the others go to `target/times/<id>/`.
///
/// # Errors
/// Files that cannot be written or read.
pub fn keep_times(
    out: &Path,
    plan: &Plan,
    results: &mut ResultSet,
    taken: Vec<Option<RunTiming>>,
    keeps: bool,
) -> Result<Kept, WriteError> {
    let id = &plan.experiment.id;
    let recorded = out.join(id).join(timings::FILE);
    let is_apart = keeps && recorded.exists();
    let path = if is_apart { Path::new(OWN_TIMES).join(id).join(timings::FILE) } else { recorded.clone() };
    let mut kept = Kept::default();
    if taken.iter().any(Option::is_some) {
        put(path.clone(), plan, &taken)?;
    }
    let shown = if is_apart { timings::read(&recorded, plan)? } else { taken.clone() };
    if is_apart {
        kept.lacking = results.rows.iter().zip(&shown).filter(|(row, timing)| row.is_ok() && timing.is_none()).count();
    }
    results.show(shown);
    kept.apart = is_apart.then_some(taken);
    Ok(kept)
}

/// Gives the rows of `results` the times recorded in `out/<id>/timings.csv`, if there are any.
///
/// # Errors
/// A file that cannot be read.
pub fn recorded_times(out: &Path, plan: &Plan, results: &mut ResultSet) -> Result<(), WriteError> {
    let recorded = out.join(&plan.experiment.id).join(timings::FILE);
    let shown = if recorded.exists() { timings::read(&recorded, plan)? } else { Vec::new() };
    results.show(shown);
    Ok(())
}

/// How many ratios of times differ from the recorded ones, and how many there are. Rows are those of the plan's runs.
#[must_use]
pub fn differing_ratios(plan: &Plan, recorded: &ResultSet, own: &ResultSet) -> [usize; 2] {
    let [mut differing, mut all] = [0, 0];
    for (run, unit) in timings::units(plan).into_iter().enumerate().filter(|&(run, unit)| unit != Some(run)) {
        let [Some(recorded), Some(own)] = [recorded, own].map(|results| results.rows[run].timing.as_ref()) else {
            continue;
        };
        differing += usize::from(own.ratio_differs_from(recorded));
        all += usize::from(unit.is_some());
    }
    [differing, all]
}

fn put(path: PathBuf, plan: &Plan, taken: &[Option<RunTiming>]) -> Result<(), WriteError> {
    let text = timings::to_csv(plan, &taken.iter().map(Option::as_ref).collect::<Vec<_>>())?;
    write_atomically(&path, &text).map_err(|error| WriteError::Io { path, error })
}
