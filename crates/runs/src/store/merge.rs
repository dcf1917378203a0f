//! Stores that were written elsewhere become part of this one.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use mbsbench_input::write_replaceable;

use super::Store;
use super::entry::{Entry, Refusal};
use crate::seal::FileError;

/// What became of the entries of other stores.
#[derive(Debug, Default)]
pub struct Merged {
    /// Entries that are here now and were not before.
    pub added: usize,
    /// Entries that were here already, or in two of the stores.
    pub same: usize,
    /// Files that are not taken, each with the reason.
    pub refused: Vec<(PathBuf, Refusal)>,
}

/// Two entries of the same name that are not the same.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{title} is not the same in {one} and {other}", one = one.display(), other = other.display())]
pub struct Conflict {
    /// `run` or `reference`, and the key.
    pub title: String,
    /// The file that came first.
    pub one: PathBuf,
    /// The other file.
    pub other: PathBuf,
}

/// Why stores are not merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// A folder cannot be listed.
    #[error(transparent)]
    Folder(FileError),
    /// Entries contradict each other; all of them. Nothing is merged.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Conflicts(Vec<Conflict>),
    /// An entry cannot be written. Those written by then are whole.
    #[error(transparent)]
    Write(FileError),
}

/// An entry that is there, for comparison.
struct Known {
    file: PathBuf,
    sum: blake3::Hash,
    is_here: bool,
}

impl Store {
    /// Takes over the entries of other stores. Every one is checked before the first is written; one that cannot be
    /// trusted is refused and does not keep the others out. What has a name that begins with a dot is left alone: costs of runs,
    /// orders for parts, what killed writers and other tools leave behind.
    ///
    /// # Errors
    /// A folder that cannot be listed; entries that contradict each other or those here; a file that cannot be written.
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
                // A damaged entry here counts as missing.
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
                    Some(known) => conflicts.push(Conflict { title, one: known.file.clone(), other: file }),
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

    /// Checks a file as the entry of a place, and gives its title and the hash of its content.
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

/// The files of a store that are entries or ought to be, in the order of their paths.
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
