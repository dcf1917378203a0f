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
use super::robustness::StudyOptions;
use super::run::{MakeOptions, RunOptions, STORE};
use super::source::Need;
use super::verify::{Recompute, Shown};

/// Benchmarks and reproduces time integration methods for multibody dynamics.
#[derive(Debug, Clone, Parser)]
#[command(
    name = "mbsbench",
    version,
    after_help = "Exit codes: 0 done; 1 a verdict or run differs from what is expected; 2 bad input; 3 the disk or the system failed,\n\
                  the program itself in a run, or the processor is too old for it; 130 and 143 ended by SIGINT or SIGTERM."
)]
pub struct Arguments {
    /// Folder that has a folder for each paper; results are kept beside it [default: experiments, with the built-in papers beside it].
    #[arg(long, global = true, value_name = "DIR")]
    pub experiments: Option<PathBuf>,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Clone, Subcommand)]
pub enum Command {
    /// Reproduce papers into `results/`: run, judge the statements, write the report.
    Reproduce {
        /// Papers (`gil2013`), experiments (`gil2013/eq35-global`) or experiment files [default: all papers].
        #[arg(value_name = "NAME|FILE")]
        wanted: Vec<PathBuf>,
        /// Exit with 1 if ratios of times differ from the recorded ones, or turn a verdict.
        #[arg(long)]
        strict_times: bool,
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
    /// Draw the figures of experiments and write nothing else. `run` and `reproduce` write them as SVG.
    Render {
        /// Experiment files, or papers and experiments by name; all papers where none is given.
        wanted: Vec<PathBuf>,
        /// As PNG, for papers and slides: 1280 pixels wide or more.
        #[arg(long)]
        png: bool,
        /// Folder for the pictures; those of each experiment go to `DIR/<id>/`.
        #[arg(long, value_name = "DIR", default_value = "results")]
        out: PathBuf,
        /// How runs are made that the store does not have.
        #[command(flatten)]
        options: RunOptions,
    },
    /// Animate experiments: as they say themselves, or the first run of any model that has a picture.
    Animate {
        /// An experiment file, a paper or an experiment by name, or a file with a mechanism, which moves for ten seconds.
        file: PathBuf,
        /// What is animated, and as what.
        #[command(flatten)]
        options: AnimateOptions,
    },
    /// Judge the statements of papers on the results that are there, and write `claims.json`.
    Verify {
        /// The paper or set; all papers where none is given.
        paper: Option<String>,
        /// What is printed.
        #[command(flatten)]
        shown: Shown,
        /// Whether warnings are errors.
        #[command(flatten)]
        strict: Strict,
        /// What is made again.
        #[command(flatten)]
        recompute: Recompute,
        /// Folder with the results; beside the experiments where not given.
        #[arg(long, value_name = "DIR")]
        results: Option<PathBuf>,
    },
    /// Tell a statement as a referee would: verdict, what it hangs on, checks, how to redo it.
    Explain {
        /// Its id or that of one of its checks, with or without the paper.
        statement: String,
        /// Folder with the results; beside the experiments where not given.
        #[arg(long, value_name = "DIR")]
        results: Option<PathBuf>,
    },
    /// Compare two folders of results by tolerance.
    Diff {
        /// One folder.
        one: PathBuf,
        /// The other.
        other: PathBuf,
        /// What counts as the same.
        #[command(flatten)]
        options: DiffOptions,
    },
    /// Say in which share of the plausible range of undetermined parameters each verdict holds, and which reading turns it.
    Robustness {
        /// Experiment files, or papers and experiments by name.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// How the study is made.
        #[command(flatten)]
        options: StudyOptions,
    },
    /// Make the stored references of an experiment again.
    Reference {
        /// The experiment (`zhang2022/shaft-convergence`).
        id: String,
    },
    /// Record what the checks of a ledger test in `bounds.lock`, and say which were written when results were known.
    Lock {
        /// The paper; all papers if none is given.
        paper: Option<String>,
        /// What new checks are stamped with.
        #[command(flatten)]
        options: LockOptions,
        /// Folder with the results; beside the experiments where not given.
        #[arg(long, value_name = "DIR")]
        results: Option<PathBuf>,
    },
    /// Write the report of all papers whose results are there.
    Report {
        /// Folder with the results, beside the experiments where not given; the report goes to `DIR/report/index.html`.
        #[arg(long, value_name = "DIR")]
        results: Option<PathBuf>,
    },
    /// Hand out a statement, figure or table as LaTeX, for pgfplots, as CSV, or how its paper is cited.
    Export {
        /// What is called so, with its paper: `gil2013/linear/exact`, `gil2013/figure-6`, `compere2001/table-3.1`.
        name: String,
        /// The form.
        #[arg(long, value_enum)]
        to: Form,
        /// Folder with the results; beside the experiments where not given.
        #[arg(long, value_name = "DIR")]
        results: Option<PathBuf>,
    },
    /// Examine a method: order, stability, conservation, difficult problems, and what is asked of all methods, on one page.
    Examine {
        /// A registered method, or a file with the coefficients of one.
        method: String,
        /// Write the page for a browser as well, with a figure of its errors.
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,
        /// How runs are made.
        #[command(flatten)]
        options: RunOptions,
        /// How to print it: as Markdown, or as JSON.
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Say where a method stands among all others on the models of the comparison.
    Rank {
        /// A registered method, or a file with the coefficients of one, which is run where the comparison runs such methods.
        method: String,
        /// Experiments with rankings; those of the comparison where none is given.
        wanted: Vec<String>,
        /// Folder with the results of all others; beside the experiments where not given.
        #[arg(long, value_name = "DIR")]
        results: Option<PathBuf>,
        /// Folder for a picture of each ranking: error over work of this method, of all others, and the front of these.
        #[arg(long, value_name = "DIR")]
        figures: Option<PathBuf>,
        /// How runs are made that are not among these results.
        #[command(flatten)]
        options: RunOptions,
        /// How to print it.
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Find the models of the comparison that are most like a given one, and the methods that are the cheapest on these.
    Like {
        /// A registered model, an experiment file, whose first run counts, or a file with a mechanism.
        model: String,
        /// What is asked.
        #[command(flatten)]
        options: LikeOptions,
        /// Folder with the results of the comparison; beside the experiments where not given.
        #[arg(long, value_name = "DIR")]
        results: Option<PathBuf>,
        /// How to print it.
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Write the built-in experiments into a folder, to be read and changed there.
    Init {
        /// The folder, which is made where it is not there; a file in it that differs is not overwritten.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Begin a paper, an experiment or a statement: a commented file that `check` accepts.
    New {
        /// What is begun.
        #[command(subcommand)]
        what: Start,
    },
    /// Validate files, and do nothing else.
    Check {
        /// Files of experiments, mechanisms, robots (URDF) or methods; `claims.yaml`, `anchors.yaml` or `paper.yaml`.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Whether warnings are errors.
        #[command(flatten)]
        strict: Strict,
    },
    /// Bring experiment files of an older format into the present one; nothing else of them changes
    Migrate {
        /// Experiment files.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Show the runs of experiments.
    Plan {
        /// Experiment files, or papers and experiments by name; all where none is given.
        wanted: Vec<PathBuf>,
        /// What is shown of them.
        #[command(flatten)]
        options: PlanOptions,
    },
    /// Make one run and keep it in the store.
    Cell {
        /// Key of the run, as `plan` and `runs.csv` show it.
        key: String,
        /// Experiment files, or papers and experiments by name, that have the run; all where none is given.
        wanted: Vec<PathBuf>,
        /// How runs are made.
        #[command(flatten)]
        options: RunOptions,
    },
    /// Make a part of the runs and keep them in the store.
    Shard {
        /// One of N parts, 1/8 to 8/8, or the runs whose keys stand in a file, a line each.
        #[arg(value_name = "I/N|@FILE")]
        part: Part,
        /// Experiment files, or papers and experiments by name; all where none is given.
        wanted: Vec<PathBuf>,
        /// How runs are made.
        #[command(flatten)]
        options: RunOptions,
    },
    /// Take over the finished runs of stores that were written elsewhere.
    Merge {
        /// Folders of these stores.
        #[arg(required = true, value_name = "DIR")]
        folders: Vec<PathBuf>,
        /// Folder of the store that gets them.
        #[arg(long, value_name = "DIR", default_value = STORE)]
        cache: PathBuf,
    },
    /// List what experiment files can name.
    List {
        /// What to list.
        what: Listed,
        /// How to print it.
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
        /// Folder with experiment files, for `list experiments`; that of the papers where not given.
        #[arg(long)]
        folder: Option<PathBuf>,
    },
    /// Show the parameters of a model, method or measure.
    #[command(override_usage = "mbsbench describe [model|method|measure] <NAME>")]
    Describe {
        /// What it is, where a name alone does not say, and its name.
        #[arg(num_args = 1..=2, required = true, value_name = "NAME")]
        what: Vec<String>,
    },
    /// Print the JSON Schema of experiment files, of ledgers or of `paper.yaml`.
    Schema {
        /// Of which files.
        #[arg(value_enum, default_value_t = Schemas::Experiment)]
        what: Schemas,
    },
}

impl Command {
    /// What this command needs of the experiments of the papers.
    pub(super) fn need(&self) -> Need {
        let of = |wanted: &[PathBuf]| if are_files(wanted) { Need::Nothing } else { Need::Read };
        match self {
            Self::Robustness { .. } => Need::Read,
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
            | Self::Migrate { .. }
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

/// What can be listed.
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
    /// Statements of the papers, and findings of ours.
    Statements,
}

/// What can be described.
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

/// How a list is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
}
