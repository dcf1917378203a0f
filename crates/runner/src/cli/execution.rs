//! Computes the runs of experiments and writes the results, for the commands that do so.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use mbsbench_experiment::Plan;
use mbsbench_problem::{Assurance, Status};
use mbsbench_runs::{Outcome, Progress, Row};
use rayon::prelude::*;

use super::{Exit, Result, RunOptions, Session, Strict, Summary, counted, none_lost, several};
use crate::artefacts::{Artefacts, Written, time};
use crate::assurances::assurances;
use mbsbench_experiment::lists::grouped;

/// Options of the commands that compute runs and write their results.
#[derive(Debug, Clone, clap::Args)]
pub struct MakeOptions {
    /// Print all tables, even if they do not fit on a screen.
    #[arg(long)]
    pub(super) show: bool,
    /// Measure all times again and record them [default: use recorded ones].
    #[arg(long)]
    pub(super) record_times: bool,
    /// Treatment of warnings.
    #[command(flatten)]
    pub(super) strict: Strict,
    /// Computation of the runs.
    #[command(flatten)]
    pub(super) options: RunOptions,
}

/// Runs whose results were written, and what a command tells about them at its end.
pub(super) struct Made {
    /// The number of runs, and the runs that the program or the machine ended.
    pub(super) progress: Progress,
    /// Tables, files and assurances; the differences are the experiments without a completed run.
    pub(super) summary: Summary,
    /// The refuted runs, one line for each reason.
    refuted: Vec<String>,
    pub(super) exit: Exit,
}

impl Made {
    /// Prints the summary, with all tables if `show` is set. The exit code is at least 1 if a run is refuted.
    ///
    /// # Errors
    /// Fails if the program or the machine ended a run.
    pub(super) fn end(mut self, show: bool, session: &mut Session<'_>) -> Result<Exit> {
        self.summary.end.push(self.progress.summary());
        if !self.refuted.is_empty() {
            self.exit = self.exit.max(Exit::Differs);
            self.summary.differences.splice(0..0, self.refuted);
        }
        self.summary.lines(show).iter().try_for_each(|line| session.output.println(line))?;
        none_lost(&self.progress)?;
        Ok(self.exit)
    }
}

/// The number and location of the written files: one line for the experiments of each paper.
fn files(plans: &[Plan], written: &[Written]) -> Vec<(String, Option<String>)> {
    let each: Vec<(&Plan, &Written)> = plans.iter().zip(written).collect();
    let of_paper = |each: &[(&Plan, &Written)]| {
        let files = counted(each.iter().map(|(_, written)| written.files.len()).sum(), "file");
        let (plan, Written { folder, .. }) = each[0];
        let line = match each.len() {
            1 => format!("{}: {files} in {}", plan.experiment.id, folder.display()),
            count => {
                let folder = folder.parent().unwrap_or(folder);
                format!("{}: {files} of {count} experiments in {}", plan.experiment.paper, folder.display())
            }
        };
        (line, None)
    };
    each.chunk_by(|(one, _), (other, _)| one.experiment.paper == other.experiment.paper).map(of_paper).collect()
}

/// Computes the runs of plans and writes their results.
pub(super) fn make_and_write(
    plans: &[Plan],
    out: &Path,
    make: &MakeOptions,
    session: &mut Session<'_>,
) -> Result<Made> {
    let library = session.library;
    if out == library.results() {
        library.bring_recorded(plans)?;
    }
    let (workshop, outcomes) = session.make(plans, &make.options)?;
    let certificates = outcomes.iter().flat_map(|outcome| &outcome.certificates);
    make.strict.refuse(certificates.filter(|certificate| certificate.doubt().is_some()).count())?;
    let mut outcomes: Vec<(&Plan, Outcome)> = plans.iter().zip(outcomes).collect();
    for (plan, outcome) in &mut outcomes {
        // Times are measured after all runs, so that no other work of this program disturbs them.
        if time(out, plan, &mut outcome.results, make.record_times)? {
            let (id, times) = (&plan.experiment.id, out.join("times"));
            session.output.eprintln(format!("{id}: times of this machine are recorded in {}", times.display()));
        }
    }
    let (registry, cache) = (library.registry, &workshop.cache);
    let written = |(plan, outcome): &(&Plan, Outcome)| Ok(Artefacts { plan, outcome, registry, cache }.write(out)?);
    let written = workshop.pool.install(|| outcomes.par_iter().map(written).collect::<Result<Vec<_>>>())?;
    workshop.report_discarded(&mut session.output);
    let differences: Vec<_> = outcomes.iter().filter_map(|(plan, outcome)| all_failed(plan, outcome)).collect();
    let tables = written.iter().flat_map(|written| written.tables.iter().cloned()).collect();
    let exit = if differences.is_empty() { Exit::Done } else { Exit::Differs };
    let rows = || outcomes.iter().flat_map(|(_, outcome)| &outcome.results.rows);
    let end = assurances(rows().filter_map(|row| row.assurance.as_ref()));
    let summary = Summary { tables, done: files(plans, &written), differences, end };
    Ok(Made { progress: workshop.progress, summary, refuted: refuted(rows()), exit })
}

/// Names the refuted ones of some runs, as `1 refuted run: KEY: a missed event`, in one line for each reason.
pub(super) fn refuted<'r>(rows: impl IntoIterator<Item = &'r Row>) -> Vec<String> {
    let mut keys: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for row in rows {
        if let Some(Assurance::Refuted(why)) = &row.assurance {
            keys.entry(why).or_default().insert(&row.key);
        }
    }
    let line = |(why, keys): (&str, BTreeSet<&str>)| {
        let named = several(&keys.iter().collect::<Vec<_>>(), "runs");
        format!("{}: {named}: {why}", counted(keys.len(), "refuted run"))
    };
    keys.into_iter().map(line).collect()
}

/// Returns a message if none of the runs of an experiment completed.
fn all_failed(plan: &Plan, outcome: &Outcome) -> Option<String> {
    let rows = &outcome.results.rows;
    if rows.is_empty() || rows.iter().any(|row| row.status == Status::Ok) {
        return None;
    }
    Some(format!("{}: none of {} runs reached its end: {}", plan.experiment.id, rows.len(), failures(rows)))
}

/// Counts the failed and refuted ones of some runs by status.
pub(super) fn failures<'r>(rows: impl IntoIterator<Item = &'r Row>) -> String {
    let failed = rows.into_iter().filter(|row| !row.is_ok());
    let told = grouped(failed.map(|row| (row.outcome(), ())));
    told.into_iter().map(|(status, rows)| format!("{} {status}", rows.len())).collect::<Vec<_>>().join(", ")
}
