//! `mbsbench reproduce`: computes, judges and reports the results of papers.

use std::path::PathBuf;

use mbsbench_input::remove_leftovers;
use mbsbench_runs::FileError;
use mbsbench_runs::costs::Costs;

use super::Command;
use crate::cli::{
    CommandError, Exit, Judgements, MakeOptions, Need, QUICK, Session, Summary, Wanted, judge_papers, make_and_write,
    none_lost, papers, write_manifest, write_report,
};

/// Reproduce papers into `results/`: run, judge the statements, write the report.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
                  mbsbench reproduce gil2013                # a paper: runs, tables, figures, outcomes, report\n  \
                  mbsbench reproduce gil2013/eq35-global    # one experiment")]
pub(super) struct Reproduce {
    /// Papers or experiments.
    #[command(flatten)]
    wanted: Wanted,
    /// Options of commands that make runs.
    #[command(flatten)]
    make: MakeOptions,
}

impl Command for Reproduce {
    fn need(&self) -> Need {
        self.wanted.need()
    }

    /// Runs papers or experiments, judges whole papers on the results, and writes the report.
    fn run(&self, session: &mut Session<'_>) -> Result<Exit, CommandError> {
        let (library, make) = (session.library, &self.make);
        let (wanted, quick) = (&self.wanted.wanted, make.options.quick);
        let is_all = wanted.is_empty() && !quick;
        let (plans, others) =
            if is_all { library.papers_and_others()? } else { (self.wanted.plans(library, quick)?, Vec::new()) };
        session.report_warnings(&plans, make.strict)?;
        // Results of shortened experiments must not be mixed with complete ones.
        let out = if quick { PathBuf::from(QUICK) } else { library.results() };
        // Ledgers are read before anything is run, so that mistakes in them are reported immediately.
        let is_whole =
            |paper: &String| wanted.is_empty() || wanted.iter().any(|name| name.as_os_str() == paper.as_str());
        let whole: Vec<String> = papers(&plans).into_iter().filter(|paper| !quick && is_whole(paper)).collect();
        let ledgers = library.ledgers(&whole, &plans)?;
        remove_leftovers(&out);
        let made = make_and_write(&plans, &out, make, session)?;
        let verdicts = judge_papers(&ledgers, &plans, &out, session)?;
        let mut summary = Summary { tables: made.tables(), ..Summary::default() };
        let mut exit = Exit::Done;
        if ledgers.is_empty() {
            summary.done = made.files();
            summary.differences.extend(made.failed.iter().cloned());
            exit = made.exit();
        }
        for paper in &verdicts {
            summary.done.push((paper.summary(), paper.claims.clone()));
            summary.differences.extend(paper.differences());
            exit = exit.max(paper.exit());
        }
        if is_all {
            if make.record_times {
                let costs = Costs::known(&make.options.machine.cache, &out);
                costs.record(&plans, &out).map_err(FileError::of(&out))?;
            }
            write_manifest(library, &plans, &out)?;
        }
        if !whole.is_empty() {
            let all = library.completed(plans.iter().cloned().chain(others).collect())?;
            let judged: Judgements = verdicts.into_iter().map(|verdicts| (verdicts.paper, verdicts.judged)).collect();
            let page = write_report(&all, &judged, &out, &make.options, session)?;
            summary.end.push(format!("report: {}", page.display()));
        }
        summary.end.push(made.progress.summary());
        summary.print(make.show, &mut session.output)?;
        none_lost(&made.progress)?;
        Ok(exit)
    }
}
