//! Times that an experiment's tables and figures show: those recorded in `results/times/`.

use std::path::Path;

use mbsbench_experiment::Plan;
use mbsbench_runs::ResultSet;
use mbsbench_runs::pipeline::timings_of;
use mbsbench_runs::seal::put;
use mbsbench_runs::timings::{self, RunTiming};

use super::WriteError;

/// Gives the rows of `results` the times recorded below `out`. They are measured and recorded before if that is asked for
/// (`anew`), or if a finished run has none. True if they were.
///
/// # Errors
/// Files that cannot be written or read.
pub fn time(out: &Path, plan: &Plan, results: &mut ResultSet, anew: bool) -> Result<bool, WriteError> {
    let mut times = if anew { Vec::new() } else { recorded_times(out, plan)? };
    let lacks =
        |(run, row): (usize, &mbsbench_runs::results::Row)| row.is_ok() && times.get(run).is_none_or(Option::is_none);
    let measures = plan.is_timed() && results.rows.iter().enumerate().any(lacks);
    if measures {
        times = timings_of(plan, results);
        let path = timings::path(out, &plan.experiment.id);
        put(&path, timings::to_csv(plan, &times).as_bytes())?;
    }
    results.show(times);
    Ok(measures)
}

/// The times recorded below `out`, one for each run of the plan; empty if there are none.
///
/// # Errors
/// A file that cannot be read.
pub fn recorded_times(out: &Path, plan: &Plan) -> Result<Vec<Option<RunTiming>>, WriteError> {
    let path = timings::path(out, &plan.experiment.id);
    Ok(if path.exists() { timings::read(&path, plan)? } else { Vec::new() })
}
