//! Where experiments come from: from a folder, or from the program itself.

use std::io;
use std::path::PathBuf;

use super::files::EXPERIMENTS;
use super::{Arguments, CommandError};
use crate::output::Output;

/// What a command needs of the experiments of the papers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// Nothing: it is about files that are named, or about no experiment.
    Nothing,
    /// To read them.
    Read,
    /// To write among them.
    Change,
}

/// The folder of the experiments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) folder: PathBuf,
    /// Whether it has the built-in ones.
    pub(super) is_builtin: bool,
}

impl Source {
    /// The folder that is named, else that of the project; where that is not there and is needed, the built-in experiments, which is said.
    pub(super) fn of(arguments: &Arguments, output: &mut Output<'_>) -> Result<Self, CommandError> {
        let folder = arguments.experiments.clone().unwrap_or_else(|| PathBuf::from(EXPERIMENTS));
        let is_missing = || folder.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        let need = arguments.command.need();
        if arguments.experiments.is_some() || need == Need::Nothing || !is_missing() {
            return Ok(Self { folder, is_builtin: false });
        }
        if need == Need::Change {
            return Err(CommandError::Unchangeable);
        }
        let folder = mbsbench_builtin::unpacked()?.join(EXPERIMENTS);
        output.beside(format!(
            "no folder `{EXPERIMENTS}` here: the experiments are the built-in ones, in {}",
            folder.display()
        ));
        Ok(Self { folder, is_builtin: true })
    }
}
