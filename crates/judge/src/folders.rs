//! Folders with the results of experiments.

use std::path::{Path, PathBuf};

/// A place with results. A path is a folder with one subfolder for each experiment, named by its id.
pub trait Folders: Sync {
    /// Returns the folder to which verdicts are written.
    fn root(&self) -> &Path;

    /// Returns the folder that contains the results and times of the experiment `id`.
    fn root_of(&self, _id: &str) -> PathBuf {
        self.root().to_owned()
    }

    /// Returns the folder with the results of the experiment `id`; it may not exist.
    fn of(&self, id: &str) -> PathBuf {
        self.root_of(id).join(id)
    }
}

impl<P: AsRef<Path> + Sync> Folders for P {
    fn root(&self) -> &Path {
        self.as_ref()
    }
}
