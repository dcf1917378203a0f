//! Why a command stopped.

use std::io;
use std::path::{Path, PathBuf};

use mbsbench_builtin::BuiltinError;
use mbsbench_input::{BadInput, accepted, printable, unknown};
use mbsbench_judge::claims::EvidenceError;
use mbsbench_judge::reconstruction::{OutdatedStudy, ReconstructionError};
use mbsbench_runs::seal::SealError;
use mbsbench_runs::store::MergeError;

use super::Exit;
use super::files::{paper_of, sorted};
use super::recognition::FileKind;
use crate::artefacts::WriteError;
use crate::report::ReportError;

/// Why a command stopped.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// Files that cannot be used, all of them.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    BadInput(Vec<BadInput>),
    /// Files of which something changes nothing, where that is not accepted.
    #[error("{}, which `--strict` does not accept", super::check::warnings(*.0))]
    Warnings(usize),
    /// A file that the user named cannot be read.
    #[error("{path}: {error}", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Experiments have not been run.
    #[error(
        "no results of {} in {}\nhelp: `mbsbench reproduce {}` makes them",
        several(.experiments), folder.display(), made_by(.experiments)
    )]
    NotMade {
        /// Their ids.
        experiments: Vec<String>,
        /// Folder of the results.
        folder: PathBuf,
    },
    /// No paper has results that a report could show.
    #[error(
        "no paper has all of its results in {}, and figures are not built in\nhelp: `mbsbench reproduce` makes results and report of all \
         papers, `mbsbench reproduce gil2013` those of one",
        folder.display()
    )]
    NothingToReport {
        /// Folder of the results.
        folder: PathBuf,
    },
    /// A file is something else than what a command takes.
    #[error("{} is {}, not {wanted}\nhelp: {}", path.display(), found.name(), found.help(path))]
    OtherKind {
        /// The file.
        path: PathBuf,
        /// What it is.
        found: FileKind,
        /// What would be accepted.
        wanted: &'static str,
    },
    /// Results that are none.
    #[error("{path}: {what}\nhelp: `mbsbench reproduce` makes results", path = path.display())]
    NoResults {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// A name on the command line that nothing has.
    #[error("{}\nhelp: {}", unknown(kind, &format!("`{found}`")), names(kind, found, known))]
    UnknownName {
        /// "model", "method", …
        kind: &'static str,
        /// What was found.
        found: String,
        /// All names.
        known: Vec<String>,
    },
    /// The built-in experiments are not to be had, or differ from what is there.
    #[error("{error}\nhelp: {help}", error = .0, help = help_with(.0))]
    Builtin(#[from] BuiltinError),
    /// A command would change experiments that are built in.
    #[error(
        "the built-in experiments cannot be changed\nhelp: `mbsbench init .` writes them into the folder `experiments`, where they can"
    )]
    Unchangeable,
    /// Something has not the form in which it is wanted.
    #[error("`{name}` has no {lacks}\nhelp: accepted: {accepted}")]
    NoForm {
        /// What is wanted.
        name: String,
        /// What it has not.
        lacks: &'static str,
        /// Forms that it has.
        accepted: &'static str,
    },
    /// What is to be begun cannot be called so.
    #[error("`{}` is not a valid name\nhelp: accepted: {accepted}", found.escape_debug())]
    NoName {
        /// What was found.
        found: String,
        /// What would be accepted.
        accepted: &'static str,
    },
    /// What is to be begun is there already.
    #[error("{}{} already exists; nothing was written", what.as_ref().map_or_else(String::new, |what| format!("`{what}` of ")), path.display())]
    Exists {
        /// The file.
        path: PathBuf,
        /// What of it, if not all.
        what: Option<String>,
    },
    /// Nothing can be seen of any model.
    #[error(
        "{} no picture\nhelp: accepted: experiments with a mechanism, bodies or points; a model is given a picture by its `views`",
        match models.as_slice() { [model] => format!("`{model}` has"), models => format!("`{}` have", models.join("`, `")) }
    )]
    NoView {
        /// The models.
        models: Vec<String>,
    },
    /// There is nothing that could be drawn at any time.
    #[error("{experiment}: no run reaches a time that is drawn\nhelp: `mbsbench run` shows how its runs end")]
    NothingMoves {
        /// The experiment.
        experiment: String,
    },
    /// A paper has nothing to be run, and no statement of it can be tested.
    #[error("{paper} has no experiment yet\nhelp: `mbsbench new experiment {paper}/NAME` begins one")]
    NoExperiment {
        /// The paper.
        paper: String,
    },
    /// A file in the present format would have other runs.
    #[error("{} would have other runs in the present format; it stays as it is", .0.display())]
    NotMigrated(PathBuf),
    /// A key that no run has.
    #[error(
        "no run has the key `{found}`\nhelp: {}`mbsbench plan` lists the runs of files, papers and experiments",
        nearest.as_ref().map_or_else(String::new, |key| format!("did you mean `{key}`? "))
    )]
    UnknownRun {
        /// What was found.
        found: String,
        /// The key that was probably meant.
        nearest: Option<String>,
    },
    /// Finished runs cannot be kept.
    #[error("{path}: {error}", path = path.display())]
    Store {
        /// Folder of the store.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The program panicked in these runs or references.
    #[error(
        "the program panicked in {}; all other runs are finished and kept\nhelp: this is a mistake of the program, described in its message; \
         nothing that depends on these runs is judged",
        .0.join("; ")
    )]
    Panicked(Vec<String>),
    /// There is too little memory for these runs or references.
    #[error(
        "there is too little memory for {}; all other runs are finished and kept\nhelp: their messages say how much they need, and `--memory` \
         gives more; nothing that depends on these runs is judged",
        .0.join("; ")
    )]
    Memory(Vec<String>),
    /// A reference cannot be kept.
    #[error("{path} {error}", path = path.display())]
    Reference {
        /// Its file.
        path: PathBuf,
        /// Why.
        error: mbsbench_experiment::plan::stored::StoredError,
    },
    /// Stores cannot be merged.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// Results cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Results cannot be judged.
    #[error(transparent)]
    Evidence(#[from] EvidenceError),
    /// The report cannot be made.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// A file of results, or a manifest of them, cannot be read or written.
    #[error(transparent)]
    Sealed(#[from] SealError),
    /// Results were changed after they were made.
    #[error("{}", changed(.0))]
    Changed(Vec<ChangedResults>),
    /// A reconstruction is of something else by now.
    #[error(transparent)]
    OutdatedStudy(OutdatedStudy),
    /// A reconstruction cannot be made.
    #[error(transparent)]
    Reconstruction(#[from] ReconstructionError),
    /// Reconstructions that have not all of their runs.
    #[error("no reconstruction of {}, which needs a run that was not finished; all other runs are finished and kept", .0.join("; "))]
    LostStudies(Vec<String>),
    /// An engine does not take the runs.
    #[error(
        "{program}: {error}; the runs made by then are kept\nhelp: check that it is installed and that its server runs; without `--engine` this machine computes the runs"
    )]
    Engine {
        /// Its program.
        program: &'static str,
        /// Why.
        error: io::Error,
    },
    /// All runs are to be made again, and in parts.
    #[error(
        "`--fresh` is given with `--engine`, which computes only runs that are not in the cache\n\
         help: `--cache` with a new folder computes all runs again"
    )]
    FreshParts,
    /// Threads cannot be made.
    #[error("threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The output cannot be written.
    #[error("standard output: {0}")]
    Output(#[from] io::Error),
}

/// `gil2013/figure-5 and 13 other experiments`.
pub(super) fn several(experiments: &[String]) -> String {
    match experiments {
        [] => String::new(),
        [one] => one.clone(),
        [one, other] => format!("{one} and {other}"),
        [one, rest @ ..] => format!("{one} and {} other experiments", rest.len()),
    }
}

/// What `reproduce` is asked for: the one experiment that is missing, or the papers of several.
fn made_by(experiments: &[String]) -> String {
    match experiments {
        [one] => one.clone(),
        _ => sorted(experiments.iter().map(|id| paper_of(id).to_owned())).join(" "),
    }
}

/// Files of the results of an experiment that are not as the program wrote them.
#[derive(Debug)]
pub struct ChangedResults {
    /// The experiment.
    pub experiment: String,
    /// The files.
    pub files: Vec<PathBuf>,
}

/// What is said of changed results.
fn changed(all: &[ChangedResults]) -> String {
    let files = all.iter().flat_map(|results| &results.files);
    let lines = files.map(|file| format!("{} was changed after it was made\n", file.display()));
    let ids: Vec<&str> = all.iter().map(|results| results.experiment.as_str()).collect();
    let is_study = all.iter().flat_map(|results| &results.files).any(|file| is_of_study(file));
    let studies = if is_study { ", and `mbsbench reconstruct` repeats reconstructions" } else { "" };
    let ids = ids.join(" ");
    format!(
        "{}help: changed results are not used; `mbsbench reproduce {ids}` computes them again{studies}",
        lines.collect::<String>()
    )
}

/// Whether a file is written by `reconstruct`.
fn is_of_study(file: &Path) -> bool {
    let own = ["reconstruction.csv", "reconstruction.svg", "set-ups.csv", "witness.yaml"];
    file.file_name().is_some_and(|name| own.iter().any(|own| name == *own))
}

impl CommandError {
    /// The exit code of the program.
    #[must_use]
    pub fn exit(&self) -> Exit {
        match self {
            Self::BadInput(_)
            | Self::Warnings(_)
            | Self::UnknownName { .. }
            | Self::NoName { .. }
            | Self::NoForm { .. }
            | Self::Builtin(BuiltinError::Differ(_))
            | Self::Unchangeable
            | Self::Exists { .. }
            | Self::NoExperiment { .. }
            | Self::NoView { .. }
            | Self::NothingMoves { .. }
            | Self::UnknownRun { .. }
            | Self::NotMigrated(_)
            | Self::NoResults { .. }
            | Self::NotMade { .. }
            | Self::NothingToReport { .. }
            | Self::OtherKind { .. }
            | Self::OutdatedStudy(OutdatedStudy::Changed { .. })
            | Self::Evidence(EvidenceError::Outdated { .. } | EvidenceError::Cell { .. })
            | Self::FreshParts
            | Self::Merge(MergeError::Conflicts(_))
            | Self::Reconstruction(ReconstructionError::Refused(..)) => Exit::BadInput,
            Self::Changed(_) => Exit::Differs,
            Self::Unreadable { error, .. } | Self::Merge(MergeError::Folder { error, .. }) => unreadable(error),
            _ => Exit::System,
        }
    }

    /// The report for a terminal.
    #[must_use]
    pub fn render(&self, colour: bool) -> String {
        match self {
            Self::BadInput(files) => files.iter().map(|file| file.render(colour)).collect(),
            _ => printable(&format!("error: {self}")).into_owned(),
        }
    }
}

/// The help for an unknown name, which says how to list all if there are many.
fn names(kind: &str, found: &str, known: &[String]) -> String {
    let help = accepted(found, known.iter().map(String::as_str));
    if !help.ends_with(" others") {
        return help;
    }
    let lists = ["paper", "experiment", "statement", "model", "method", "measure"].into_iter();
    let lists: Vec<String> =
        lists.filter(|list| kind.contains(list)).map(|list| format!("`mbsbench list {list}s`")).collect();
    if lists.is_empty() { help } else { format!("{help}; {} lists all", lists.join(" or ")) }
}

/// What to do where the built-in experiments are not to be had.
fn help_with(error: &BuiltinError) -> &'static str {
    match error {
        BuiltinError::NoCache(_) | BuiltinError::Files { .. } => {
            "`XDG_CACHE_HOME` names another folder for caches; `mbsbench init DIR` writes the experiments where you like"
        }
        BuiltinError::Differ(_) => "accepted: a folder where these files are not there, or as they are built in",
        BuiltinError::Archive(_) => "the program is damaged; install it again",
    }
}

/// Whether the user named what cannot be read, or the disk failed.
fn unreadable(error: &io::Error) -> Exit {
    match error.kind() {
        io::ErrorKind::NotFound
        | io::ErrorKind::IsADirectory
        | io::ErrorKind::NotADirectory
        | io::ErrorKind::InvalidInput
        | io::ErrorKind::FileTooLarge
        | io::ErrorKind::PermissionDenied => Exit::BadInput,
        _ => Exit::System,
    }
}

impl From<OutdatedStudy> for CommandError {
    fn from(error: OutdatedStudy) -> Self {
        match error {
            OutdatedStudy::BadInput(bad) => Self::BadInput(vec![bad]),
            error => Self::OutdatedStudy(error),
        }
    }
}
