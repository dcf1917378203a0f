//! The papers that are built into the program.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::{Result, is_paper};

/// The folder with the experiments of a project.
pub(super) const EXPERIMENTS: &str = "experiments";
/// The folder with results, beside the experiments.
pub(super) const RESULTS: &str = "results";

/// The built-in papers, sets and the comparison, except those that a folder of the user replaces. They are unpacked
/// when one of them is read for the first time.
#[derive(Debug, Default)]
pub(super) struct Builtin {
    pub(super) papers: BTreeSet<&'static str>,
    root: OnceLock<PathBuf>,
}

impl Builtin {
    /// Returns the built-in papers that no folder of `experiments` replaces. A folder replaces a paper if it has a
    /// `paper.yaml` or an experiment.
    pub(super) fn beside(experiments: &Path) -> Self {
        let mut papers = mbsbench_builtin::papers();
        papers.retain(|paper| !is_paper(&experiments.join(paper)));
        Self { papers, root: OnceLock::new() }
    }

    /// The folder with their `experiments` and `results`.
    ///
    /// # Errors
    /// Fails if they cannot be unpacked.
    pub(super) fn root(&self) -> Result<&Path> {
        if self.root.get().is_none() {
            // If another thread was faster, it unpacked to the same folder.
            let _ = self.root.set(mbsbench_builtin::unpacked()?);
        }
        Ok(self.unpacked().unwrap_or(Path::new("")))
    }

    /// The folder, if one of them has been read.
    pub(super) fn unpacked(&self) -> Option<&Path> {
        self.root.get().map(PathBuf::as_path)
    }
}
