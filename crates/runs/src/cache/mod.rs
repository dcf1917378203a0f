//! The cache of finished runs.

pub mod consistency;
mod entry;
mod merge;

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use consistency::Consistency;
use entry::Entry;
use mbsbench_input::{remove_leftovers, write_replaceable};
use serde::{Serialize, de::DeserializeOwned};

pub use entry::Refusal;
pub use merge::{MergeError, Merged};

/// Finished runs by key. The key of an entry adds to the run's own key everything else that can change a number: the
/// sources, the locked dependencies, the compiler and the target.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
    fingerprint: String,
    /// Entries that were refused, with the reason.
    refused: Arc<Mutex<Vec<(PathBuf, Refusal)>>>,
}

impl Cache {
    /// Returns the cache in `folder` for results of code with this fingerprint. Nothing is written yet.
    pub fn new(folder: impl Into<PathBuf>, fingerprint: impl Into<String>) -> Self {
        Self { folder: folder.into(), fingerprint: fingerprint.into(), refused: Arc::default() }
    }

    /// Creates the folder, even if it stays empty: a shard without runs also needs a cache.
    pub fn prepare(&self) -> io::Result<()> {
        fs::create_dir_all(&self.folder)
    }

    /// Removes files that killed programs left half written.
    pub fn tidy(&self) {
        remove_leftovers(&self.folder);
    }

    fn path(&self, run: &str) -> PathBuf {
        self.folder.join(entry::place(run, &self.fingerprint))
    }

    /// True if there is an entry of that name; whether it can be trusted is checked when it is read.
    pub fn has(&self, run: &str) -> bool {
        self.path(run).is_file()
    }

    /// Returns the record of a run, if it exists and `fits` finds no error in it. A damaged or foreign entry counts as
    /// missing, so that the run is executed again, and is listed in [`Cache::refused`].
    pub fn load<T: DeserializeOwned>(&self, run: &str, fits: impl FnOnce(&T) -> Consistency) -> Option<T> {
        let path = self.path(run);
        let read = || {
            let bytes = mbsbench_input::read_file(&path, mbsbench_input::LARGEST_DATA)?;
            let entry = Entry::parse(&bytes)?;
            if !entry.is_of(run, &self.fingerprint) {
                return Err(Refusal::Misplaced(entry.title()));
            }
            entry.record(fits)
        };
        match read() {
            Ok(record) => Some(record),
            Err(Refusal::Unreadable(error)) if error.kind() == io::ErrorKind::NotFound => None,
            Err(refusal) => {
                self.refused.lock().unwrap_or_else(PoisonError::into_inner).push((path, refusal));
                None
            }
        }
    }

    /// Returns the entries refused since the last call, sorted by path, with the reasons.
    pub fn refused(&self) -> Vec<(PathBuf, Refusal)> {
        let mut refused = std::mem::take(&mut *self.refused.lock().unwrap_or_else(PoisonError::into_inner));
        refused.sort_by(|(one, _), (other, _)| one.cmp(other));
        refused
    }

    /// Deletes the entry of a run unless it has this record, which was just computed. Returns the path of the entry if
    /// it was deleted.
    ///
    /// # Errors
    /// Fails if the entry cannot be read or deleted.
    pub fn refute<T: Serialize>(&self, run: &str, record: &T) -> io::Result<Option<PathBuf>> {
        let path = self.path(run);
        match mbsbench_input::read_file(&path, mbsbench_input::LARGEST_DATA) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Ok(found) if found == entry::bytes(run, &self.fingerprint, record)? => Ok(None),
            _ => fs::remove_file(&path).map(|()| Some(path)),
        }
    }

    /// Saves a record without waiting for the disk: an entry lost or damaged in a power failure is computed again.
    pub fn save<T: Serialize>(&self, run: &str, record: &T) -> io::Result<()> {
        let path = self.path(run);
        let kept = write_replaceable(&path, &entry::bytes(run, &self.fingerprint, record)?);
        kept.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
    }
}

#[cfg(test)]
mod tests {
    use mbsbench_problem::{Findings, Status};

    use super::*;
    use crate::execute::run::{Record, Trajectory};

    fn record() -> Record {
        Record {
            status: Status::Ok,
            message: None,
            t_reached: 5.0,
            columns: ["a", "b", "c", "d", "e"].map(str::to_owned).to_vec(),
            values: vec![Some(0.1 + 0.2), None, Some(f64::NAN), Some(f64::INFINITY), Some(5e-324)],
            findings: Some(Findings::doubt("nobody looked")),
            trajectory: None,
        }
    }

    fn loaded(cache: &Cache) -> Option<Record> {
        cache.load("run", consistency::of_record)
    }

    #[test]
    fn entries_round_trip_bitwise() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path(), "code");
        assert_eq!(loaded(&cache), None);
        cache.save("run", &record()).unwrap();
        let bits = |record: &Record| record.values.iter().map(|v| v.map(f64::to_bits)).collect::<Vec<_>>();
        assert_eq!(bits(&loaded(&cache).unwrap()), bits(&record()));
    }

    #[test]
    fn other_code_is_another_entry() {
        let folder = tempfile::tempdir().unwrap();
        Cache::new(folder.path(), "code").save("run", &record()).unwrap();
        assert!(loaded(&Cache::new(folder.path(), "changed code")).is_none());
    }

    #[test]
    fn a_damaged_entry_counts_as_missing() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path(), "code");
        cache.save("run", &record()).unwrap();
        let path = cache.path("run");
        let content = fs::read(&path).unwrap();
        fs::write(&path, &content[..content.len() / 2]).unwrap();
        assert_eq!(loaded(&cache), None);
        // A changed digit is not a syntax error.
        let text = String::from_utf8(content).unwrap();
        assert_eq!(text.matches("0.30000000000000004").count(), 1);
        fs::write(&path, text.replace("0.30000000000000004", "0.30000000000000005")).unwrap();
        assert_eq!(loaded(&cache), None);
    }

    /// A record that has the right checksum but was not written by this program.
    #[test]
    fn a_forged_entry_counts_as_missing_and_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path(), "code");
        let curves = Trajectory {
            observables: vec!["x".to_owned()],
            units: vec!["m".to_owned()],
            times: vec![0.0, 1.0],
            columns: vec![vec![0.5, f64::NEG_INFINITY]],
        };
        let whole = Record { trajectory: Some(curves.clone()), ..record() };
        cache.save("run", &whole).unwrap();
        assert_eq!(loaded(&cache).unwrap().trajectory, whole.trajectory, "non-finite values are kept, too");
        assert_eq!(cache.refused().len(), 0);
        let with = |curves: Trajectory| Record { trajectory: Some(curves), ..record() };
        let forged = [
            ("findings", Record { status: Status::Unavailable, ..record() }),
            ("values", Record { values: vec![Some(1.0)], ..record() }),
            ("columns", with(Trajectory { columns: Vec::new(), ..curves.clone() })),
            ("units", with(Trajectory { units: Vec::new(), ..curves.clone() })),
            ("differ in length", with(Trajectory { times: vec![0.0], ..curves.clone() })),
            ("decrease or are not finite", with(Trajectory { times: vec![1.0, 0.0], ..curves.clone() })),
            ("no observables", with(Trajectory { observables: Vec::new(), ..curves })),
        ];
        for (what, record) in forged {
            cache.save("run", &record).unwrap();
            assert_eq!(loaded(&cache), None, "{what}");
            let refused = cache.refused();
            let [(path, refusal)] = &refused[..] else { panic!("{what}: {refused:?}") };
            assert!(*path == cache.path("run") && refusal.to_string().contains(what), "{what}: {refusal}");
        }
    }

    #[test]
    fn a_folder_in_the_place_of_an_entry_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path(), "code");
        let path = cache.path("run");
        fs::create_dir_all(&path).unwrap();
        assert_eq!(loaded(&cache), None);
        assert_eq!(cache.refused()[0].0, path);
        let said = cache.save("run", &record()).unwrap_err().to_string();
        assert!(said.contains(&path.display().to_string()), "{said}");
    }
}
