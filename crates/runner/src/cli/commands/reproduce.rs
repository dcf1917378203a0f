//! `mbsbench reproduce`: computes, judges and reports the results of papers.

use std::path::{Path, PathBuf};

use mbsbench_experiment::{Plan, read_contenders};
use mbsbench_input::remove_leftovers;
use mbsbench_runs::FileError;
use mbsbench_runs::costs::Costs;

use super::Command;
use crate::cli::{
    CommandError, Examined, Exit, GUEST, Judgements, MakeOptions, Need, QUICK, Result, Session, Wanted, counted,
    judge_papers, make_and_write, papers, write_manifest, write_report,
};

/// Reproduce papers into `results/`: run, judge the statements, write the report.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
                  mbsbench reproduce gil2013                # a paper: runs, tables, figures, outcomes, report\n  \
                  mbsbench reproduce gil2013/eq35-global    # one experiment\n  \
                  mbsbench reproduce zhang2022 --guest mine.yaml   # your method in all figures of the paper")]
pub(super) struct Reproduce {
    /// Papers or experiments.
    #[command(flatten)]
    wanted: Wanted,
    /// Show your method, a name or a file, beside those of the papers.
    #[arg(long, value_name = "METHOD|FILE")]
    guest: Option<String>,
    /// Results directory with a guest.
    #[arg(long, value_name = "DIR", default_value = GUEST, requires = "guest")]
    out: PathBuf,
    /// Options of commands that make runs.
    #[command(flatten)]
    make: MakeOptions,
}

impl Command for Reproduce {
    fn need(&self) -> Need {
        self.wanted.need()
    }

    /// Runs papers or experiments, judges whole papers on the results, and writes the report.
    fn run(&self, session: &mut Session<'_>) -> Result<Exit> {
        if let Some(guest) = &self.guest {
            return self.with_guest(guest, session);
        }
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
        let mut made = make_and_write(&plans, &out, make, session)?;
        let verdicts = judge_papers(&ledgers, &plans, &out, session)?;
        if !ledgers.is_empty() {
            (made.summary.done, made.summary.differences, made.exit) = (Vec::new(), Vec::new(), Exit::Done);
        }
        for paper in &verdicts {
            made.summary.done.push((paper.summary(), paper.claims.clone()));
            made.summary.differences.extend(paper.differences());
            made.exit = made.exit.max(paper.exit());
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
            made.summary.end.push(format!("report: {}", page.display()));
        }
        made.end(make.show, session)
    }
}

impl Reproduce {
    /// Runs papers or experiments with a guest and writes tables and figures. The results of the papers stay as they
    /// are, and so do the verdicts, which concern the methods of the papers only.
    fn with_guest(&self, guest: &str, session: &mut Session<'_>) -> Result<Exit> {
        let Self { wanted, out, make, .. } = self;
        let (registry, results) = (session.library.registry, session.library.results());
        // A folder that does not exist yet is where its nearest parent is.
        let real = out.ancestors().find_map(|folder| folder.canonicalize().ok());
        let is_inside = |own: PathBuf| real.is_some_and(|real| real.starts_with(own));
        if out.starts_with(&results) || results.canonicalize().is_ok_and(is_inside) {
            let what = format!("`{}` is in the folder of the papers' own results", out.display());
            let help = "a guest must not change them; name another folder, `--out mine`";
            return Err(CommandError::refused(&what, help));
        }
        let guest = if guest.trim_start().starts_with('{') {
            let list = format!("contenders: [{guest}]");
            read_contenders(Path::new("--guest"), list.as_bytes(), registry)?.swap_remove(0).contender
        } else {
            Examined::find(registry, guest)?.contender
        };
        let plans = wanted.plans(session.library, make.options.quick)?;
        session.report_warnings(&plans, make.strict)?;
        let plans = plans.into_iter().map(|plan| plan.with_guest(&guest, registry));
        let plans: Vec<Plan> = plans.collect::<Result<_, _>>()?;
        remove_leftovers(out);
        let mut made = make_and_write(&plans, out, make, session)?;
        let left_out = |plan: &Plan| {
            let line = |why: &String| format!("{}: without the guest: {why}", plan.experiment.id);
            plan.guest.left_out.iter().map(line).collect::<Vec<_>>()
        };
        made.summary.differences.extend(plans.iter().flat_map(left_out));
        let count = plans.iter().filter(|plan| plan.runs.iter().any(|run| plan.is_of_guest(run))).count();
        let all = counted(plans.len(), "experiment");
        let end = format!("the guest takes part in {count} of {all}; the verdicts of the papers do not change");
        made.summary.end.push(end);
        made.end(make.show, session)
    }
}
