//! Times shown in the tables and figures of an experiment: those recorded in `results/times/`.

use std::path::Path;

use mbsbench_experiment::Plan;
use mbsbench_runs::ResultSet;
use mbsbench_runs::pipeline::timings_of;
use mbsbench_runs::seal::put;
use mbsbench_runs::timings::{self, RunTiming};

use super::WriteError;

/// Adds the times recorded below `out` to the rows of `results`. They are first measured and recorded if `again` is
/// set, or if a completed run has none. Returns true if they were measured.
///
/// # Errors
/// Fails if a file cannot be written or read.
pub fn time(out: &Path, plan: &Plan, results: &mut ResultSet, again: bool) -> Result<bool, WriteError> {
    let mut times = if again { Vec::new() } else { recorded_times(out, plan)? };
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

/// Reads the times recorded below `out`, one for each run of the plan; empty if there are none.
///
/// # Errors
/// Fails if the file cannot be read.
pub fn recorded_times(out: &Path, plan: &Plan) -> Result<Vec<Option<RunTiming>>, WriteError> {
    let path = timings::path(out, &plan.experiment.id);
    Ok(if path.exists() { timings::read(&path, plan)? } else { Vec::new() })
}
