//! `mbsbench run`: computes the results of experiments, in any folder.

use std::path::PathBuf;

use mbsbench_input::remove_leftovers;

use super::Command;
use crate::cli::{Exit, MakeOptions, Need, Result, Session, Wanted, make_and_write, write_rankings};

/// Run experiments and write their results, without judging statements.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mbsbench run experiments/compere2001/pendulum-dae.yaml\n  \
                  mbsbench run examples/mechanisms/experiments/crane-and-methods.yaml --out mine",
    mut_arg("wanted", |wanted| wanted.required(true).help("Experiment files, or names of papers or experiments"))
)]
pub(super) struct Run {
    /// Experiments.
    #[command(flatten)]
    wanted: Wanted,
    /// Results directory; each experiment goes to `DIR/<id>/`.
    #[arg(long, value_name = "DIR", default_value = "results")]
    out: PathBuf,
    /// Options of commands that make runs.
    #[command(flatten)]
    make: MakeOptions,
}

impl Command for Run {
    fn need(&self) -> Need {
        self.wanted.need()
    }

    /// Runs experiments and writes their results. The exit code is 1 if no run of an experiment completed, or if a run
    /// is refuted.
    fn run(&self, session: &mut Session<'_>) -> Result<Exit> {
        let Self { wanted, out, make } = self;
        let plans = wanted.plans(session.library, make.options.quick)?;
        session.report_warnings(&plans, make.strict)?;
        let accounts = session.report_left_out(&plans);
        for plan in &plans {
            remove_leftovers(&out.join(&plan.experiment.id));
        }
        let mut made = make_and_write(&plans, out, make, session)?;
        made.summary.done.splice(0..0, accounts.into_iter().map(|line| (line, None)));
        made.summary.done.extend(write_rankings(&plans, out)?.map(|line| (line, None)));
        made.end(make.show, session)
    }
}
