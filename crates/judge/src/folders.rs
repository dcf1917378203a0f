//! Where the results of experiments are.

use std::path::{Path, PathBuf};

/// Folders with the results of experiments. A path is the folder that has one for each experiment by its id.
pub trait Folders: Sync {
    /// The folder that verdicts are written to.
    fn root(&self) -> &Path;

    /// The folder that has the results of the experiment `id` and its times.
    fn root_of(&self, _id: &str) -> PathBuf {
        self.root().to_owned()
    }

    /// The folder with the results of the experiment `id`, which need not exist.
    fn of(&self, id: &str) -> PathBuf {
        self.root_of(id).join(id)
    }
}

impl Folders for Path {
    fn root(&self) -> &Path {
        self
    }
}

impl Folders for PathBuf {
    fn root(&self) -> &Path {
        self
    }
}
