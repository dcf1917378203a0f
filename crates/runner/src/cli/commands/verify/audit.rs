//! `mbsbench verify --audit`: repeats a sample of the runs at a higher accuracy, without effect on verdicts and exit
//! codes.

use std::collections::BTreeSet;

use mbsbench_experiment::{Plan, RunSpec};
use mbsbench_runs::Progress;
use mbsbench_runs::execute::audit::{Audit, audit};
use mbsbench_runs::pipeline::Titles;
use rayon::prelude::*;

use super::recompute::{Recompute, is_in_sample};
use crate::cli::{Result, Session, Workshop, counted, table};

/// The number of runs that are shown.
const SHOWN: usize = 20;

impl Recompute {
    /// Repeats the sample and prints how far the ends of the runs move, worst first.
    pub(super) fn audit(&self, plans: &[Plan], session: &mut Session<'_>) -> Result<()> {
        let Some(share) = self.audit else { return Ok(()) };
        let seed = self.seed();
        let mut known = BTreeSet::new();
        let runs = plans.iter().flat_map(|plan| plan.runs.iter().map(move |run| (plan, run)));
        let runs: Vec<(&Plan, &RunSpec)> =
            runs.filter(|(_, run)| is_in_sample(run, share, seed) && known.insert(run.set_up())).collect();
        let workshop = Workshop::open(&self.machine, Progress::silent(), session)?;
        let mut audited: Vec<(&Plan, &RunSpec, Audit)> = workshop.make(session, |resources| {
            let of_run = |&(plan, run): &(_, _)| Some((plan, run, audit(run, resources.memory)?));
            runs.par_iter().filter_map(of_run).collect()
        });
        // A constant step asks for no accuracy; its difference counts as it is.
        let excess = |audit: &Audit| audit.difference / audit.asked.unwrap_or(1.0);
        audited.sort_by(|(.., one), (.., other)| excess(other).total_cmp(&excess(one)));
        let row = |(plan, run, audit): &(&Plan, &RunSpec, Audit)| {
            let title = format!("{} {}", plan.experiment.id, Titles::of(plan).of_run(run));
            let asked = audit.asked.map_or_else(|| "constant step".to_owned(), |asked| format!("{asked:.0e}"));
            [title, format!("{:.1e}", audit.difference), asked]
        };
        let heads = ["run", "difference at the end", "asked"].map(str::to_owned);
        let output = &mut session.output;
        output.println(table([heads].into_iter().chain(audited.iter().take(SHOWN).map(row))).to_string())?;
        let is_above = |audit: &&Audit| audit.asked.is_some_and(|asked| audit.difference > asked);
        let above = audited.iter().map(|(.., audit)| audit).filter(is_above).count();
        let (all, without) = (counted(audited.len(), "run"), runs.len() - audited.len());
        output.println(format!(
            "{all} audited with --seed {seed}: {above} above the accuracy asked; {without} others do not reach their \
             end, or have none"
        ))?;
        Ok(())
    }
}
