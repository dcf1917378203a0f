//! Merges caches written elsewhere into this one.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use mbsbench_input::write_replaceable;

use super::Cache;
use super::entry::{Entry, Refusal};
use crate::seal::FileError;

/// The result of merging other caches.
#[derive(Debug, Default)]
pub struct Merged {
    /// The number of entries added.
    pub added: usize,
    /// The number of entries that existed already, here or in another of the caches.
    pub same: usize,
    /// Files that were refused, each with the reason.
    pub refused: Vec<(PathBuf, Refusal)>,
}

/// The reason for not merging caches.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// A folder cannot be listed.
    #[error(transparent)]
    Folder(FileError),
    /// Entries contradict each other; the list is complete. Nothing is merged.
    #[error("{}", .0.join("\n"))]
    Conflicts(Vec<String>),
    /// An entry cannot be written. Those written before it are complete.
    #[error(transparent)]
    Write(FileError),
}

/// An existing entry, for comparison.
struct Known {
    file: PathBuf,
    sum: blake3::Hash,
    is_here: bool,
}

impl Cache {
    /// Imports the entries of other caches. All entries are checked before the first is written; one that cannot be
    /// trusted is refused without affecting the others. Files whose names begin with a dot are skipped: costs of runs,
    /// orders for shards, and leftovers of killed writers and other tools.
    ///
    /// # Errors
    /// Fails if a folder cannot be listed, if entries contradict each other or those in this cache, or if a file cannot
    /// be written.
    pub fn merge(&self, folders: &[PathBuf]) -> Result<Merged, MergeError> {
        let (mut merged, mut conflicts) = (Merged::default(), Vec::new());
        let mut known: BTreeMap<PathBuf, Known> = BTreeMap::new();
        for folder in folders {
            for file in files(folder).map_err(FileError::of(folder)).map_err(MergeError::Folder)? {
                let place = file.strip_prefix(folder).unwrap_or(&file);
                let (title, sum) = match self.checked(&file, place) {
                    Ok(found) => found,
                    Err(refusal) => {
                        merged.refused.push((file, refusal));
                        continue;
                    }
                };
                let own = self.folder.join(place);
                // A damaged entry in this cache counts as missing.
                if !known.contains_key(place)
                    && let Ok((_, sum)) = self.checked(&own, place)
                {
                    known.insert(place.to_owned(), Known { file: own, sum, is_here: true });
                }
                match known.get(place) {
                    None => {
                        merged.added += 1;
                        known.insert(place.to_owned(), Known { file, sum, is_here: false });
                    }
                    Some(known) if known.sum == sum => merged.same += 1,
                    Some(known) => {
                        let (one, other) = (known.file.display(), file.display());
                        conflicts.push(format!("{title} differs between {one} and {other}"));
                    }
                }
            }
        }
        if !conflicts.is_empty() {
            return Err(MergeError::Conflicts(conflicts));
        }
        for (place, entry) in known.iter().filter(|(_, entry)| !entry.is_here) {
            self.copy(place, entry).map_err(FileError::of(&self.folder.join(place))).map_err(MergeError::Write)?;
        }
        Ok(merged)
    }

    /// Checks a file as the entry of a place, and returns its title and the hash of its content.
    fn checked(&self, file: &Path, place: &Path) -> Result<(String, blake3::Hash), Refusal> {
        let bytes = mbsbench_input::read_file(file, mbsbench_input::LARGEST_DATA)?;
        let entry = Entry::parse(&bytes)?;
        entry.check(place, &self.fingerprint)?;
        Ok((entry.title(), blake3::hash(&bytes)))
    }

    fn copy(&self, place: &Path, entry: &Known) -> io::Result<()> {
        let bytes = mbsbench_input::read_file(&entry.file, mbsbench_input::LARGEST_DATA)?;
        if blake3::hash(&bytes) != entry.sum {
            return Err(io::Error::other(format!("{} has changed since it was checked", entry.file.display())));
        }
        write_replaceable(&self.folder.join(place), &bytes)
    }
}

/// Returns the files of a cache that are or should be entries, sorted by path.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let is_hidden = |path: &Path| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    let paths = |folder: &Path| -> io::Result<Vec<PathBuf>> {
        let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
        paths.retain(|path| !is_hidden(path));
        paths.sort();
        Ok(paths)
    };
    let mut files = Vec::new();
    for path in paths(folder)? {
        if path.is_dir() {
            files.extend(paths(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}
