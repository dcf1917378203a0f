//! Arguments of the program.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use super::animate::AnimateOptions;
use super::check::Strict;
use super::diff::DiffOptions;
use super::export::Form;
use super::files::are_files;
use super::like::LikeOptions;
use super::lock::LockOptions;
use super::new::Start;
use super::parts::Part;
use super::plan::PlanOptions;
use super::reconstruct::ReconstructOptions;
use super::run::{MakeOptions, RunOptions, STORE};
use super::source::Need;
use super::verify::{Recompute, Shown};

/// Benchmark time integration methods for multibody dynamics, and check published results.
#[derive(Debug, Clone, Parser)]
#[command(name = "mbsbench", version)]
pub struct Arguments {
    /// Experiments directory [default: ./experiments and built in].
    #[arg(long, global = true, value_name = "DIR", display_order = 900)]
    pub experiments: Option<PathBuf>,
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// A command with its arguments.
#[derive(Debug, Clone, Subcommand)]
pub enum Command {
    /// Reproduce papers into `results/`: run, judge the statements, write the report.
    Reproduce {
        /// Papers, experiments (`gil2013/eq35-global`) or files [default: all papers].
        #[arg(value_name = "NAME|FILE")]
        wanted: Vec<PathBuf>,
        /// Options that both commands have.
        #[command(flatten)]
        make: MakeOptions,
    },
    /// Run experiments, your own or others, and write their results; nothing is judged.
    Run {
        /// Experiment files, or names of papers or experiments.
        #[arg(required = true, value_name = "NAME|FILE")]
        wanted: Vec<PathBuf>,
        /// Results directory; each experiment goes to `DIR/<id>/`.
        #[arg(long, value_name = "DIR", default_value = "results")]
        out: PathBuf,
        /// Options that both commands have.
        #[command(flatten)]
        make: MakeOptions,
    },
    /// Draw the figures of experiments as SVG or PNG, and write nothing else.
    Render {
        /// Experiment files, or names of papers or experiments [default: all papers].
        #[arg(value_name = "NAME|FILE")]
        wanted: Vec<PathBuf>,
        /// Write PNG, at least 1280 pixels wide, instead of SVG.
        #[arg(long)]
        png: bool,
        /// Output directory; figures go to `DIR/<id>/`.
        #[arg(long, value_name = "DIR", default_value = "results")]
        out: PathBuf,
        /// Computation of runs that are not in the cache.
        #[command(flatten)]
        options: RunOptions,
    },
    /// Render animations of mechanisms as GIF, APNG or SVG.
    Animate {
        /// Experiment file or name; or a mechanism or robot file, which moves for ten seconds.
        #[arg(value_name = "NAME|FILE")]
        file: PathBuf,
        /// Content and format of the animation.
        #[command(flatten)]
        options: AnimateOptions,
    },
    /// Check every statement against existing results and write `claims.json`.
    Verify {
        /// Paper or set of problems [default: all papers].
        paper: Option<String>,
        /// Amount of output.
        #[command(flatten)]
        shown: Shown,
        /// Treatment of warnings.
        #[command(flatten)]
        strict: Strict,
        /// Runs to recompute.
        #[command(flatten)]
        recompute: Recompute,
        /// Results directory [default: beside the experiments].
        #[arg(long, value_name = "DIR")]
        results: Option<PathBuf>,
    },
    /// Explain one statement: outcome, evidence, checks, commands to reproduce it.
    Explain {
        /// Id of a statement or check, with or without its paper; with --open the id of a paper.
        statement: String,
        /// Write a letter that asks the authors what would settle open statements.
        #[arg(long)]
        open: bool,
        /// Results directory [default: beside the experiments].
        #[arg(long, value_name = "DIR")]
        results: Option<PathBuf>,
    },
    /// Compare two results directories within a tolerance.
    Diff {
        /// One results directory.
        #[arg(value_name = "DIR")]
        one: PathBuf,
        /// The other.
        #[arg(value_name = "OTHER")]
        other: PathBuf,
        /// Tolerances.
        #[command(flatten)]
        options: DiffOptions,
    },
    /// Find set-ups that agree with everything a paper prints; judge statements in them.
    Reconstruct {
        /// Experiment files, or names of papers or experiments.
        #[arg(required = true, value_name = "NAME|FILE")]
        files: Vec<PathBuf>,
        /// Size and place of the search.
        #[command(flatten)]
        options: ReconstructOptions,
    },
    /// Recompute the stored reference solutions of an experiment.
    Reference {
        /// Experiment.
        #[arg(value_name = "PAPER/NAME")]
        id: String,
    },
    /// Record every check in `bounds.lock`; list checks added after their results existed.
    Lock {
        /// Paper [default: all papers].
        paper: Option<String>,
        /// Treatment of new checks.
        #[command(flatten)]
        options: LockOptions,
        /// Results directory [default: beside the experiments].
        #[arg(long, value_name = "DIR")]
        results: Option<PathBuf>,
    },
    /// Write the HTML report of all papers that have results to `results/report/`.
    Report {
        /// Results directory [default: beside the experiments].
        #[arg(long, value_name = "DIR")]
        results: Option<PathBuf>,
    },
    /// Export a statement, figure or table for LaTeX or as CSV, or a citation.
    Export {
        /// Statement, figure or table of a paper.
        #[arg(value_name = "PAPER/NAME")]
        name: String,
        /// Format; `pgfplots` is for figures, `bibtex` cites the paper.
        #[arg(long, value_enum, value_name = "tex|pgfplots|csv|bibtex")]
        to: Form,
        /// Results directory [default: beside the experiments].
        #[arg(long, value_name = "DIR")]
        results: Option<PathBuf>,
    },
    /// Test a method on one page: order, stability, conservation, difficult problems.
    Examine {
        /// Method, or file with the coefficients of a method.
        #[arg(value_name = "NAME|FILE")]
        method: String,
        /// Write the page as HTML, too, with a figure of the errors.
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,
        /// Computation of the runs.
        #[command(flatten)]
        options: RunOptions,
        /// Markdown or JSON.
        #[arg(long, value_enum, value_name = "text|json", default_value_t = Format::Text)]
        format: Format,
    },
    /// Rank a method among all others on the models of the comparison.
    Rank {
        /// Method, or file with the coefficients of a method.
        #[arg(value_name = "NAME|FILE")]
        method: String,
        /// Experiments with rankings [default: the comparison].
        #[arg(value_name = "PAPER/NAME")]
        wanted: Vec<String>,
        /// Results of the other methods [default: beside the experiments].
        #[arg(long, value_name = "DIR")]
        results: Option<PathBuf>,
        /// Write a figure of error over work for each ranking into this directory.
        #[arg(long, value_name = "DIR")]
        figures: Option<PathBuf>,
        /// Computation of runs that are not among these results.
        #[command(flatten)]
        options: RunOptions,
        /// Output format.
        #[arg(long, value_enum, value_name = "text|json", default_value_t = Format::Text)]
        format: Format,
    },
    /// Find similar benchmark models and the cheapest methods on them.
    Like {
        /// Model, mechanism file, or experiment file (its first run counts).
        #[arg(value_name = "NAME|FILE")]
        model: String,
        /// Accuracy and number of models.
        #[command(flatten)]
        options: LikeOptions,
        /// Results directory with the comparison [default: beside the experiments].
        #[arg(long, value_name = "DIR")]
        results: Option<PathBuf>,
        /// Output format.
        #[arg(long, value_enum, value_name = "text|json", default_value_t = Format::Text)]
        format: Format,
    },
    /// Write the built-in experiments into a directory, to read and change them.
    Init {
        /// Directory, created if it is missing; files that differ are never overwritten.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Begin a paper, experiment or statement of your own from a commented template.
    New {
        /// Kind of template.
        #[command(subcommand)]
        what: Start,
    },
    /// Check files for mistakes, without running anything.
    Check {
        /// Files of experiments, mechanisms, robots (URDF), methods, statements or papers.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Treatment of warnings.
        #[command(flatten)]
        strict: Strict,
    },
    /// List the runs of experiments, or estimate the time that they take.
    Plan {
        /// Experiment files, or names of papers or experiments [default: all papers].
        #[arg(value_name = "NAME|FILE")]
        wanted: Vec<PathBuf>,
        /// Content and format of the list.
        #[command(flatten)]
        options: PlanOptions,
    },
    /// Compute one run into the cache.
    Cell {
        /// Key of the run, shown by `plan` and in `runs.csv`.
        key: String,
        /// Files, papers or experiments that have the run [default: all papers].
        #[arg(value_name = "NAME|FILE")]
        wanted: Vec<PathBuf>,
        /// Computation of the runs.
        #[command(flatten)]
        options: RunOptions,
    },
    /// Compute one part of the runs into the cache.
    Shard {
        /// Part I of N, `1/8` to `8/8`, or a file with the keys of runs, one a line.
        #[arg(value_name = "I/N|@FILE")]
        part: Part,
        /// Experiment files, or names of papers or experiments [default: all papers].
        #[arg(value_name = "NAME|FILE")]
        wanted: Vec<PathBuf>,
        /// Computation of the runs.
        #[command(flatten)]
        options: RunOptions,
    },
    /// Merge run caches from other machines.
    Merge {
        /// Run caches to merge.
        #[arg(required = true, value_name = "DIR")]
        folders: Vec<PathBuf>,
        /// Run cache that receives the runs.
        #[arg(long, value_name = "DIR", default_value = STORE)]
        cache: PathBuf,
    },
    /// List models, methods, measures, experiments, papers or statements.
    List {
        /// `models`, `methods`, `measures`, `experiments`, `papers` or `statements`.
        what: Listed,
        /// Output format.
        #[arg(long, value_enum, value_name = "text|json", default_value_t = Format::Text)]
        format: Format,
        /// Directory that `list experiments` lists [default: experiments directory].
        #[arg(long, value_name = "DIR")]
        folder: Option<PathBuf>,
    },
    /// Show the parameters of a model, method or measure, with defaults and units.
    #[command(override_usage = "mbsbench describe [model|method|measure] <NAME>")]
    Describe {
        /// Name of a model, method or measure, or file with the coefficients of a method.
        #[arg(num_args = 1..=2, required = true, value_name = "NAME")]
        what: Vec<String>,
    },
    /// Print the JSON Schema of experiment files, ledgers or `paper.yaml`.
    Schema {
        /// `experiment`, `claims` (ledgers) or `paper`.
        #[arg(value_enum, default_value_t = Schemas::Experiment)]
        what: Schemas,
    },
}

impl Command {
    /// Whether this command needs the experiments of the papers, to read or to change them.
    pub(super) fn need(&self) -> Need {
        let of = |wanted: &[PathBuf]| if are_files(wanted) { Need::Nothing } else { Need::Read };
        match self {
            Self::Reconstruct { .. } => Need::Read,
            Self::Verify { .. }
            | Self::Explain { .. }
            | Self::Report { .. }
            | Self::Export { .. }
            | Self::Rank { .. }
            | Self::Like { .. } => Need::Results,
            Self::Reproduce { wanted, .. }
            | Self::Run { wanted, .. }
            | Self::Render { wanted, .. }
            | Self::Plan { wanted, .. }
            | Self::Cell { wanted, .. }
            | Self::Shard { wanted, .. } => of(wanted),
            Self::Animate { file, .. } => of(std::slice::from_ref(file)),
            Self::List { what, folder, .. } => match what {
                Listed::Papers | Listed::Statements => Need::Read,
                Listed::Experiments if folder.is_none() => Need::Read,
                Listed::Experiments | Listed::Models | Listed::Methods | Listed::Measures => Need::Nothing,
            },
            Self::Reference { .. } | Self::Lock { .. } => Need::Change,
            Self::Diff { .. }
            | Self::Examine { .. }
            | Self::Init { .. }
            | Self::New { .. }
            | Self::Check { .. }
            | Self::Merge { .. }
            | Self::Describe { .. }
            | Self::Schema { .. } => Need::Nothing,
        }
    }

    /// Whether it takes papers by name and none is named.
    pub(super) fn names_nothing(&self) -> bool {
        match self {
            Self::Reproduce { wanted, .. } => wanted.is_empty(),
            Self::Verify { paper, .. } => paper.is_none(),
            Self::Render { wanted, .. }
            | Self::Plan { wanted, .. }
            | Self::Cell { wanted, .. }
            | Self::Shard { wanted, .. } => wanted.is_empty(),
            _ => false,
        }
    }
}

/// Kinds of things to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Listed {
    /// Benchmark models.
    Models,
    /// Time integration methods.
    Methods,
    /// Measures.
    Measures,
    /// Experiment files.
    Experiments,
    /// Papers and sets of benchmark problems.
    Papers,
    /// Statements of the papers, and our findings.
    Statements,
}

/// Kinds of things to describe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// A benchmark model.
    Model,
    /// A time integration method.
    Method,
    /// A measure.
    Measure,
}

/// Files that have a JSON Schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Schemas {
    /// Experiment files.
    Experiment,
    /// `claims.yaml` and `anchors.yaml`.
    Claims,
    /// `paper.yaml`.
    Paper,
}

/// Output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Human-readable.
    Text,
    /// JSON.
    Json,
}
