//! Where experiments come from: a folder, the program itself, or both.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::files::{EXPERIMENTS, is_paper, is_yaml};
use super::{Arguments, CommandError};
use crate::output::Output;

/// What a command needs of the experiments of the papers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// Nothing: it is about files that are named, or about no experiment.
    Nothing,
    /// To read them.
    Read,
    /// To read their results.
    Results,
    /// To write among them.
    Change,
}

/// Built-in papers, sets and the comparison, except those that a folder of the user replaces. They are unpacked when the first of them is
/// read.
#[derive(Debug, Default)]
pub(super) struct Builtin {
    papers: BTreeSet<&'static str>,
    root: OnceLock<PathBuf>,
}

impl Builtin {
    /// The built-in papers that no folder of `experiments` replaces. A folder does if it has a `paper.yaml` or an experiment.
    fn beside(experiments: &Path) -> Self {
        let mut papers = mbsbench_builtin::papers();
        papers.retain(|paper| !is_paper(&experiments.join(paper)));
        Self { papers, root: OnceLock::new() }
    }

    /// Their names, in order.
    pub(super) fn papers(&self) -> impl Iterator<Item = &'static str> {
        self.papers.iter().copied()
    }

    /// Whether a paper is one of them.
    pub(super) fn has(&self, paper: &str) -> bool {
        self.papers.contains(paper)
    }

    /// The folder with their `experiments` and `results`.
    ///
    /// # Errors
    /// They cannot be unpacked.
    pub(super) fn root(&self) -> Result<&Path, CommandError> {
        if self.root.get().is_none() {
            let root = mbsbench_builtin::unpacked()?;
            // Another thread may have been faster; the folder is the same.
            let _ = self.root.set(root);
        }
        Ok(self.root.get().map_or(Path::new(""), PathBuf::as_path))
    }

    /// The same, if one of them has been read.
    pub(super) fn unpacked(&self) -> Option<&Path> {
        self.root.get().map(PathBuf::as_path)
    }
}

/// The experiments that a command is about.
#[derive(Debug)]
pub(super) struct Source {
    /// The folder of the user's own experiments; that of the built-in ones if there are no own ones and they are needed.
    pub(super) folder: PathBuf,
    /// Whether it is the folder of the built-in ones.
    pub(super) is_builtin: bool,
    /// Those that are built in.
    pub(super) builtin: Builtin,
}

impl Source {
    /// The folder that is named; or else `experiments` of the project and, beside it, the built-in papers. If the latter are all there is,
    /// that is said.
    pub(super) fn of(arguments: &Arguments, output: &mut Output<'_>) -> Result<Self, CommandError> {
        let need = arguments.command.need();
        let folder = arguments.experiments.clone().unwrap_or_else(|| PathBuf::from(EXPERIMENTS));
        if arguments.experiments.is_some() || need == Need::Nothing {
            return Ok(Self { folder, is_builtin: false, builtin: Builtin::default() });
        }
        let builtin = Builtin::beside(&folder);
        if !is_empty(&folder) {
            if arguments.command.names_nothing() && builtin.papers().next().is_some() {
                output.beside(format!(
                    "no paper is named: those in `{EXPERIMENTS}` are taken; built-in ones are taken by name, as in `gil2013`"
                ));
            }
            return Ok(Self { folder, is_builtin: false, builtin });
        }
        if need == Need::Change {
            return Err(CommandError::Unchangeable);
        }
        let unpacked = builtin.root()?.join(EXPERIMENTS);
        if need == Need::Read {
            output.beside(format!(
                "no folder `{EXPERIMENTS}` here: the experiments are the built-in ones, in {}",
                unpacked.display()
            ));
        }
        Ok(Self { folder: unpacked, is_builtin: true, builtin })
    }
}

/// Whether a folder has neither papers nor experiments in it, or is missing.
fn is_empty(folder: &Path) -> bool {
    match folder.read_dir() {
        Ok(mut entries) => {
            entries.all(|entry| entry.is_ok_and(|entry| !is_paper(&entry.path()) && !is_yaml(&entry.path())))
        }
        Err(error) => error.kind() == io::ErrorKind::NotFound && folder.symlink_metadata().is_err(),
    }
}
