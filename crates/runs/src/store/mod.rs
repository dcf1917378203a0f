//! The cache of finished runs.

mod entry;
mod merge;

use std::fs;
use std::io;
use std::path::PathBuf;

use entry::Entry;
use mbsbench_input::write_atomically;
use serde::{Serialize, de::DeserializeOwned};

pub use entry::Refusal;
pub use merge::{Conflict, MergeError, Merged};

/// Finished runs by key. The key of an entry adds to the run's own key everything else that can change a
/// number: the sources that compute it, the locked dependencies, the compiler and the target.
#[derive(Debug, Clone)]
pub struct Store {
    folder: PathBuf,
    fingerprint: String,
}

impl Store {
    /// A store in `folder`, for results of code with that fingerprint. Nothing is written yet.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>, fingerprint: impl Into<String>) -> Self {
        Self { folder: folder.into(), fingerprint: fingerprint.into() }
    }

    /// Makes the folder, also where nothing will be kept in it: a part without runs is a store, too.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn prepare(&self) -> io::Result<()> {
        fs::create_dir_all(&self.folder)
    }

    fn path(&self, run: &str) -> PathBuf {
        self.folder.join(entry::place(run, &self.fingerprint))
    }

    /// The record of a run, if it is there and readable. A damaged entry counts as missing: it is made again.
    #[must_use]
    pub fn load<T: DeserializeOwned>(&self, run: &str) -> Option<T> {
        let bytes = mbsbench_input::read_file(&self.path(run), mbsbench_input::LARGEST_DATA).ok()?;
        let entry = Entry::parse(&bytes).ok()?;
        entry.is_of(run, &self.fingerprint).then(|| serde_json::from_slice(entry.record).ok()).flatten()
    }

    /// Keeps a record.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn save<T: Serialize>(&self, run: &str, record: &T) -> io::Result<()> {
        write_atomically(&self.path(run), &entry::bytes(run, &self.fingerprint, record)?)
    }
}

#[cfg(test)]
mod tests {
    use mbsbench_problem::Status;

    use super::*;
    use crate::execute::run::Record;

    fn record() -> Record {
        Record {
            status: Status::Ok,
            message: None,
            t_reached: 5.0,
            columns: ["a", "b", "c", "d", "e"].map(str::to_owned).to_vec(),
            values: vec![Some(0.1 + 0.2), None, Some(f64::NAN), Some(f64::INFINITY), Some(5e-324)],
            trajectory: None,
        }
    }

    #[test]
    fn gives_back_the_same_bits() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path(), "code");
        assert_eq!(store.load::<Record>("run"), None);
        store.save("run", &record()).unwrap();
        let bits = |record: &Record| record.values.iter().map(|v| v.map(f64::to_bits)).collect::<Vec<_>>();
        assert_eq!(bits(&store.load::<Record>("run").unwrap()), bits(&record()));
    }

    #[test]
    fn other_code_is_another_entry() {
        let folder = tempfile::tempdir().unwrap();
        Store::new(folder.path(), "code").save("run", &record()).unwrap();
        assert!(Store::new(folder.path(), "changed code").load::<Record>("run").is_none());
    }

    #[test]
    fn a_damaged_entry_counts_as_missing() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path(), "code");
        store.save("run", &record()).unwrap();
        let path = store.path("run");
        let content = fs::read(&path).unwrap();
        fs::write(&path, &content[..content.len() / 2]).unwrap();
        assert_eq!(store.load::<Record>("run"), None);
        // A digit that has changed is no syntax error.
        let text = String::from_utf8(content).unwrap();
        assert_eq!(text.matches("0.30000000000000004").count(), 1);
        fs::write(&path, text.replace("0.30000000000000004", "0.30000000000000005")).unwrap();
        assert_eq!(store.load::<Record>("run"), None);
    }
}
