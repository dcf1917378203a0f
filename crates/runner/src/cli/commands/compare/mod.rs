//! `mbsbench compare`: compares a method with all others, or all methods on a model.

mod examination;
mod linear;
mod models;
mod orders;
mod page;
mod ranking;

use std::path::PathBuf;

use super::Command;
use crate::cli::{CommandError, Examined, Exit, Format, Need, QUICK, RunOptions, Seen, Session};

/// Rank a method among all others, or all methods on a model; examine a method.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mbsbench compare examples/methods/cash-karp.yaml comparison/pendulum --figures ranks\n  \
                  mbsbench compare hht-i3 --examine\n  mbsbench compare slider-crank"
)]
pub(super) struct Compare {
    /// Method, file with the coefficients of a method, or model.
    #[arg(value_name = "NAME|FILE")]
    name: String,
    /// Experiments, or models in them [default: the comparison].
    #[arg(value_name = "PAPER/NAME|FILE|MODEL")]
    wanted: Vec<String>,
    /// Examine the method: order, stability, conservation, difficult problems.
    #[arg(long, conflicts_with_all = ["wanted", "figures"])]
    examine: bool,
    /// With --examine, write the page as HTML, too, with a figure of the errors.
    #[arg(long, value_name = "FILE", requires = "examine")]
    html: Option<PathBuf>,
    /// Write a figure of error over work for each ranking into this directory.
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,
    /// Results of the other methods.
    #[command(flatten)]
    seen: Seen,
    /// Computation of runs that are not among these results.
    #[command(flatten)]
    options: RunOptions,
    /// Output format.
    #[arg(long, value_enum, value_name = "text|json", default_value_t)]
    format: Format,
}

impl Command for Compare {
    fn need(&self) -> Need {
        if self.examine { Need::Nothing } else { Need::Results }
    }

    fn run(&self, session: &mut Session<'_>) -> Result<Exit, CommandError> {
        let registry = session.library.registry;
        if registry.models().iter().any(|model| model.name() == self.name) {
            models::rank_methods(self, session)?;
            return Ok(Exit::Done);
        }
        let examined = Examined::find(registry, &self.name)?;
        match self.examine {
            true => examination::examine(self, &examined, session)?,
            false => ranking::rank(self, &examined, session)?,
        }
        Ok(Exit::Done)
    }
}

impl Compare {
    /// Returns the options for the results of the other methods: those of shortened experiments with `--quick`.
    fn seen(&self) -> Seen {
        let results = self.seen.results.clone().or_else(|| self.options.quick.then(|| PathBuf::from(QUICK)));
        Seen { results }
    }
}
