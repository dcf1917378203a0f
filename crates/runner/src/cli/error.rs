//! Errors that stop a command.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use mbsbench_builtin::BuiltinError;
use mbsbench_input::{BadInput, accepted, printable, unknown};
use mbsbench_judge::claims::EvidenceError;
use mbsbench_judge::reconstruction::{OutdatedStudy, ReconstructionError};
use mbsbench_runs::FileError;
use mbsbench_runs::cache::MergeError;

use crate::artefacts::WriteError;

/// Exit codes of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// The command completed.
    Done = 0,
    /// A verdict or run differs from what is expected.
    Differs = 1,
    /// Bad input; nothing was changed on disk.
    BadInput = 2,
    /// The disk, the system or the program failed.
    System = 3,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// The result of a step of a command.
pub type Result<T, E = CommandError> = std::result::Result<T, E>;

/// The reason why a command stopped.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// Invalid files, all of them.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    BadInput(Vec<BadInput>),
    /// The request cannot be carried out, and nothing was changed on disk.
    #[error("{0}")]
    Refused(String),
    /// A file that the user named cannot be read.
    #[error(transparent)]
    Unreadable(FileError),
    /// The built-in experiments are not available, or differ from existing files.
    #[error("{error}\nhelp: {help}", error = .0, help = help_with(.0))]
    Builtin(#[from] BuiltinError),
    /// A command would change built-in experiments.
    #[error(
        "the built-in experiments cannot be changed\nhelp: `mbsbench init .` copies them into the folder \
         `experiments`, where they can be changed"
    )]
    Unchangeable,
    /// A file of results, or the cache of runs, cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The program panicked in these runs or references.
    #[error(
        "the program panicked in {}; all other runs are finished and kept\nhelp: this is a bug in the program; \
         its message describes it. Statements that depend on these runs are not judged",
        .0.join("; ")
    )]
    Panicked(Vec<String>),
    /// There is not enough memory for these runs or references.
    #[error(
        "not enough memory for {}; all other runs are finished and kept\nhelp: their messages say how much memory \
         they need; `--memory` raises the limit. Statements that depend on these runs are not judged",
        .0.join("; ")
    )]
    Memory(Vec<String>),
    /// A reference cannot be stored.
    #[error("{path} {error}", path = path.display())]
    Reference {
        /// The file of the reference.
        path: PathBuf,
        /// The cause.
        error: mbsbench_experiment::plan::stored::StoredError,
    },
    /// Caches cannot be merged.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// Results cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Results cannot be judged.
    #[error(transparent)]
    Evidence(#[from] EvidenceError),
    /// Files of these experiments were changed after they were written.
    #[error("{}", changed(.0))]
    Changed(Vec<(String, Vec<PathBuf>)>),
    /// A reconstruction belongs to an earlier version of its experiment or check.
    #[error(transparent)]
    OutdatedStudy(#[from] OutdatedStudy),
    /// A reconstruction cannot be made.
    #[error(transparent)]
    Reconstruction(#[from] ReconstructionError),
    /// Reconstructions that lack some of their runs.
    #[error(
        "cannot reconstruct {}: a run that it needs did not finish; all other runs are finished and kept",
        .0.join("; ")
    )]
    LostStudies(Vec<String>),
    /// Threads cannot be created.
    #[error("cannot create threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The output cannot be written.
    #[error("standard output: {0}")]
    Output(#[from] io::Error),
}

/// The message about changed results.
fn changed(all: &[(String, Vec<PathBuf>)]) -> String {
    let files = all.iter().flat_map(|(_, files)| files);
    let lines = files.map(|file| format!("{} was changed after it was written\n", file.display()));
    let ids = all.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>().join(" ");
    format!(
        "{}help: changed results are not used; `mbsbench reproduce {ids}` computes them again, and `mbsbench \
         reconstruct` those of a reconstruction",
        lines.collect::<String>()
    )
}

impl CommandError {
    /// An error for an impossible request, with the alternative.
    pub(super) fn refused(what: &str, help: &str) -> Self {
        Self::Refused(format!("{what}\nhelp: {help}"))
    }

    /// An error for an unknown name on the command line.
    pub(super) fn unknown(kind: &str, found: &str, known: impl IntoIterator<Item = String>) -> Self {
        let known: Vec<String> = known.into_iter().collect();
        Self::refused(&unknown(kind, &format!("`{found}`")), &names(kind, found, &known))
    }

    /// An error for an invalid name.
    pub(super) fn no_name(found: &str, accepted: &str) -> Self {
        Self::refused(&format!("`{}` is not a valid name", found.escape_debug()), &format!("accepted: {accepted}"))
    }

    /// An error for a file that cannot be read as results.
    pub(super) fn no_results(path: &Path, what: &str) -> Self {
        Self::refused(&format!("{}: {what}", path.display()), "`mbsbench reproduce` computes results")
    }

    /// An error for a paper without experiments, whose statements cannot be tested.
    pub(super) fn no_experiment(paper: &str) -> Self {
        let help = format!("`mbsbench new experiment {paper}/NAME` creates one");
        Self::refused(&format!("{paper} has no experiment yet"), &help)
    }

    /// An error for a file that cannot be read.
    pub(super) fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> Self {
        |error| Self::Unreadable(FileError { path: path.to_owned(), error })
    }

    /// The exit code of the program.
    pub fn exit(&self) -> Exit {
        match self {
            Self::BadInput(_)
            | Self::Refused(_)
            | Self::Builtin(BuiltinError::Differ(_) | BuiltinError::Linked(_))
            | Self::Unchangeable
            | Self::OutdatedStudy(OutdatedStudy::Changed { .. } | OutdatedStudy::BadInput(_))
            | Self::Evidence(EvidenceError::Outdated { .. } | EvidenceError::Cell { .. })
            | Self::Merge(MergeError::Conflicts(_))
            | Self::Reconstruction(ReconstructionError::Refused(..)) => Exit::BadInput,
            Self::Changed(_) => Exit::Differs,
            Self::Unreadable(file) | Self::Merge(MergeError::Folder(file)) => unreadable(&file.error),
            _ => Exit::System,
        }
    }

    /// The report for a terminal.
    pub fn render(&self, colour: bool) -> String {
        match self {
            Self::BadInput(files) => files.iter().map(|file| file.render(colour)).collect(),
            Self::OutdatedStudy(OutdatedStudy::BadInput(file)) => file.render(colour),
            _ => printable(&format!("error: {self}")).into_owned(),
        }
    }
}

/// The help for an unknown name. If there are many known names, it gives the command that lists them.
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

/// The help if the built-in experiments are not available.
fn help_with(error: &BuiltinError) -> &'static str {
    match error {
        BuiltinError::NoCache(_) | BuiltinError::Files { .. } => {
            "set `XDG_CACHE_HOME` to use another folder for caches, \
             or copy the experiments into a folder of your own with `mbsbench init DIR`"
        }
        BuiltinError::Folder { .. } => "accepted: a folder that can be written to and has space for the files",
        BuiltinError::Linked(_) => "accepted: a folder without symbolic links to other folders",
        BuiltinError::Differ(_) => "accepted: a folder that lacks these files or has them unchanged",
        BuiltinError::Archive(_) => "the program is damaged; reinstall it",
    }
}

/// Distinguishes a wrong file name from a failure of the disk.
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

impl From<BadInput> for CommandError {
    fn from(bad: BadInput) -> Self {
        Self::BadInput(vec![bad])
    }
}
