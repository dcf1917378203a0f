//! `mbsbench compare`: compares a method with all others, or all methods on a model.

mod advice;
mod examination;
mod linear;
mod models;
mod orders;
mod page;
mod ranking;

use std::path::PathBuf;

use super::Command;
use crate::cli::{
    CommandError, Examined, Exit, FileKind, Format, Need, QUICK, Result, RunOptions, Seen, Session, file_kind,
};

/// Heading of the options for the file of a model.
const OF_MODEL: &str = "Options for the file of a model";

/// Rank a method among all others, or all methods on a model or file; examine a method.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mbsbench compare examples/methods/cash-karp.yaml comparison/pendulum --figures ranks\n  \
                  mbsbench compare hht-i3 --examine\n  \
                  mbsbench compare examples/mechanisms/crane.yaml --span 2 --html crane.html"
)]
pub(super) struct Compare {
    /// Method or model, by its name or from a file.
    #[arg(value_name = "NAME|FILE")]
    name: String,
    /// Experiments, or models in them [default: the comparison].
    #[arg(value_name = "PAPER/NAME|FILE|MODEL")]
    wanted: Vec<String>,
    /// Examine the method: order, stability, conservation, difficult problems.
    #[arg(long, conflicts_with_all = ["wanted", "figures"])]
    examine: bool,
    /// Page as HTML, with --examine or for a model's file.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Duration to solve, s [default: that of the file, else 1].
    #[arg(long, value_name = "T", value_parser = seconds, help_heading = OF_MODEL)]
    span: Option<f64>,
    /// Time for the answer.
    #[arg(long, value_name = "T", default_value = "60s", value_parser = seconds, help_heading = OF_MODEL)]
    budget: f64,
    /// Errors relative to scales [default: 1e-3,1e-5,1e-7].
    #[arg(
        long, value_name = "A,B", default_value = "1e-3,1e-5,1e-7", value_delimiter = ',', value_parser = accuracy,
        hide_default_value = true, help_heading = OF_MODEL
    )]
    accuracy: Vec<f64>,
    /// Directory of the experiment to refine [default: that of the file].
    #[arg(long, value_name = "DIR", help_heading = OF_MODEL)]
    out: Option<PathBuf>,
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
        if self.examine || self.model().is_some() { Need::Nothing } else { Need::Results }
    }

    fn run(&self, session: &mut Session<'_>) -> Result<Exit> {
        let registry = session.library.registry;
        if let Some(kind) = self.model() {
            advice::advise(self, kind, session)?;
        } else if self.html.is_some() && !self.examine {
            let accepted = "accepted: `--examine`, or a file with a model";
            return Err(CommandError::refused("`--html` does not apply to a ranking", accepted));
        } else if registry.models().iter().any(|model| model.name == self.name) {
            models::rank_methods(self, session)?;
        } else {
            let examined = Examined::find(registry, &self.name)?;
            match self.examine {
                true => examination::examine(self, &examined, session)?,
                false => ranking::rank(self, &examined, session)?,
            }
        }
        Ok(Exit::Done)
    }
}

/// Reads a positive number of seconds: `60s`, `2.5`.
fn seconds(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.strip_suffix('s').unwrap_or(text).trim_end().parse().ok();
    let positive = number.filter(|number| number.is_finite() && *number > 0.0);
    positive.ok_or_else(|| "not a number of seconds above 0".to_owned())
}

/// Reads an accuracy.
fn accuracy(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok();
    number.filter(|number| (1e-10..1.0).contains(number)).ok_or_else(|| "not a number from 1e-10 to below 1".to_owned())
}

impl Compare {
    /// The kind of the file if it has a model and is not to be examined as a method.
    fn model(&self) -> Option<FileKind> {
        let kinds = [FileKind::Mechanism, FileKind::Robot, FileKind::Equations, FileKind::Experiment];
        file_kind(self.name.as_ref()).filter(|kind| !self.examine && kinds.contains(kind))
    }

    /// Returns the options for the results of the other methods: those of shortened experiments with `--quick`.
    fn seen(&self) -> Seen {
        let results = self.seen.results.clone().or_else(|| self.options.quick.then(|| PathBuf::from(QUICK)));
        Seen { results }
    }
}
