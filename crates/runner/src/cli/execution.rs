//! Computes the runs of experiments and writes the results, for the commands that do so.

use std::collections::BTreeMap;
use std::path::Path;

use mbsbench_experiment::Plan;
use mbsbench_runs::{Outcome, Progress, Row};
use rayon::prelude::*;

use super::{CommandError, Exit, RunOptions, Session, Strict};
use crate::artefacts::{Written, time, write};

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

/// A summary of runs whose results were written.
pub(super) struct Made<'p> {
    plans: &'p [Plan],
    /// The number of runs, and the runs that the program or the machine ended.
    pub(super) progress: Progress,
    /// The files written for each plan.
    written: Vec<Written>,
    /// Experiments without a completed run, one line each.
    pub(super) failed: Vec<String>,
}

impl Made<'_> {
    pub(super) fn tables(&self) -> Vec<String> {
        self.written.iter().flat_map(|written| written.tables.iter().cloned()).collect()
    }

    /// The number and location of the written files: one line for the experiments of each paper.
    pub(super) fn files(&self) -> Vec<(String, Option<String>)> {
        let each: Vec<(&Plan, &Written)> = self.plans.iter().zip(&self.written).collect();
        let of_paper = |each: &[(&Plan, &Written)]| {
            let files: usize = each.iter().map(|(_, written)| written.files.len()).sum();
            let (plan, Written { folder, .. }) = each[0];
            let line = match each.len() {
                1 => format!("{}: {files} files in {}", plan.experiment.id, folder.display()),
                count => {
                    let folder = folder.parent().unwrap_or(folder);
                    format!("{}: {files} files of {count} experiments in {}", plan.experiment.paper, folder.display())
                }
            };
            (line, None)
        };
        each.chunk_by(|(one, _), (other, _)| one.experiment.paper == other.experiment.paper).map(of_paper).collect()
    }

    pub(super) fn exit(&self) -> Exit {
        if self.failed.is_empty() { Exit::Done } else { Exit::Differs }
    }
}

/// Computes the runs of plans and writes their results.
pub(super) fn make_and_write<'p>(
    plans: &'p [Plan],
    out: &Path,
    make: &MakeOptions,
    session: &mut Session<'_>,
) -> Result<Made<'p>, CommandError> {
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
    let written =
        |(plan, outcome): &(&Plan, Outcome)| Ok(write(out, plan, outcome, library.registry, &workshop.cache)?);
    let written = workshop.pool.install(|| outcomes.par_iter().map(written).collect::<Result<_, CommandError>>())?;
    workshop.report_discarded(&mut session.output);
    let failed = outcomes.iter().filter_map(|(plan, outcome)| all_failed(plan, outcome)).collect();
    Ok(Made { plans, progress: workshop.progress, written, failed })
}

/// Returns a message if none of the runs of an experiment completed.
fn all_failed(plan: &Plan, outcome: &Outcome) -> Option<String> {
    let rows = &outcome.results.rows;
    if rows.is_empty() || rows.iter().any(Row::is_ok) {
        return None;
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for row in rows {
        *counts.entry(row.status.to_string()).or_default() += 1;
    }
    let counts: Vec<String> = counts.iter().map(|(status, count)| format!("{count} {status}")).collect();
    Some(format!("{}: none of {} runs reached its end: {}", plan.experiment.id, rows.len(), counts.join(", ")))
}
