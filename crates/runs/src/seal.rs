//! Seals: checks that the results of an experiment are as the program wrote them.
//!
//! Beside the results of an experiment, `manifest.json` lists a hash of each of their files. Code that writes such a
//! file uses [`write()`], and code that relies on one calls [`inspect`] first. Times are recorded elsewhere (`times/`)
//! and not sealed.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use mbsbench_input::{LARGEST_DATA, read_file, write_atomically};
use serde_json::{Value, json};

/// The name of a manifest.
pub(crate) const FILE: &str = "manifest.json";

/// The key of the hashes in a manifest.
pub(crate) const OUTPUTS: &str = "outputs";

/// The hashes of files by name.
type Hashes = BTreeMap<String, String>;

/// A file or folder that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {error}", path = path.display())]
pub struct FileError {
    /// The file or folder.
    pub path: PathBuf,
    /// The cause.
    pub error: io::Error,
}

impl FileError {
    /// Returns a function that adds the path to an error.
    pub fn of(path: &Path) -> impl FnOnce(io::Error) -> Self {
        |error| Self { path: path.to_owned(), error }
    }
}

/// The differences between a folder of results and its manifest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inspection {
    /// Files that differ from the manifest.
    pub changed: Vec<PathBuf>,
    /// Files with numbers that the manifest does not list, so that changes to them would go unnoticed.
    pub unsealed: Vec<PathBuf>,
}

/// Writes files into a folder of results, each completely or not at all, and lists them in the manifest.
///
/// If the program is killed meanwhile, some files may be missing in the manifest, but none is listed with a wrong hash.
///
/// # Errors
/// Returns the first file that cannot be written; those before it are complete.
pub fn write(folder: &Path, files: &[(String, Vec<u8>)]) -> Result<(), FileError> {
    let old = listed(folder).unwrap_or_default();
    let new: Hashes = files.iter().map(|(name, content)| (name.clone(), hash(content))).collect();
    let mut unchanged = old.clone();
    unchanged.retain(|name, hash| new.get(name).is_none_or(|new| new == hash));
    if unchanged.len() < old.len() {
        list(folder, &unchanged)?;
    }
    for (name, content) in files {
        put(&folder.join(name), content)?;
    }
    let mut whole = unchanged;
    whole.extend(new);
    whole.retain(|name, _| folder.join(name).exists());
    list(folder, &whole)
}

/// Compares the files of a folder of results with its manifest. A listed file that is missing does not count as
/// changed, since nothing can be read from it.
///
/// # Errors
/// Returns the first file that cannot be read.
pub fn inspect(folder: &Path) -> Result<Inspection, FileError> {
    let mut inspection = Inspection::default();
    let Some(listed) = listed(folder) else {
        inspection.changed.push(folder.join(FILE));
        return Ok(inspection);
    };
    for (name, sealed) in &listed {
        let path = folder.join(name);
        match read_file(&path, LARGEST_DATA) {
            Ok(content) if hash(&content) == *sealed => {}
            Ok(_) => inspection.changed.push(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(FileError { path, error }),
        }
    }
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(inspection),
        entries => entries.map_err(FileError::of(folder))?,
    };
    for entry in entries {
        let entry = entry.map_err(FileError::of(folder))?;
        let name = entry.file_name();
        let has_numbers = Path::new(&name).extension().is_some_and(|extension| extension == "csv");
        if has_numbers && !name.to_str().is_some_and(|name| listed.contains_key(name)) {
            inspection.unsealed.push(entry.path());
        }
    }
    inspection.unsealed.sort();
    Ok(inspection)
}

/// Returns the BLAKE3 hash of a file in hexadecimal. Line endings are hashed as those of Unix, because git may change
/// them.
pub(crate) fn hash(content: &[u8]) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut rest = content;
    while let Some(at) = rest.iter().position(|&byte| byte == b'\r') {
        let is_end = rest.get(at + 1) == Some(&b'\n');
        hasher.update(&rest[..if is_end { at } else { at + 1 }]);
        rest = &rest[at + 1..];
    }
    hasher.update(rest);
    hasher.finalize().to_hex().to_string()
}

/// Returns the hashes in the manifest of a folder; empty if there is no manifest, `None` if it is damaged.
fn listed(folder: &Path) -> Option<Hashes> {
    match read_file(&folder.join(FILE), LARGEST_DATA) {
        Ok(content) => {
            let manifest: Value = serde_json::from_slice(&content).ok()?;
            serde_json::from_value(manifest.get(OUTPUTS)?.clone()).ok()
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Some(Hashes::new()),
        Err(_) => None,
    }
}

fn list(folder: &Path, hashes: &Hashes) -> Result<(), FileError> {
    put(&folder.join(FILE), format!("{:#}\n", json!({ OUTPUTS: hashes })).as_bytes())
}

/// Writes a file that no manifest lists, completely or not at all.
pub fn put(path: &Path, content: &[u8]) -> Result<(), FileError> {
    write_atomically(path, content).map_err(FileError::of(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, content: &str) -> (String, Vec<u8>) {
        (name.to_owned(), content.into())
    }

    /// Creates a folder with results, and a function that returns the names of its changed and unsealed files.
    fn sealed() -> (tempfile::TempDir, impl Fn(&Path) -> [Vec<String>; 2]) {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &[file("runs.csv", "run,x\na,1\n"), file("table-1.md", "| x |\n")]).unwrap();
        let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
        let names = move |folder: &Path| {
            let Inspection { changed, unsealed } = inspect(folder).unwrap();
            [changed, unsealed].map(|paths| paths.iter().map(name).collect())
        };
        (folder, names)
    }

    const NONE: [&str; 0] = [];

    #[test]
    fn edits_are_noticed_but_line_endings_ignored() {
        let (folder, names) = sealed();
        let at = |name: &str| folder.path().join(name);
        assert_eq!(names(folder.path()), [NONE, NONE]);
        fs::write(at("runs.csv"), "run,x\r\na,1\r\n").unwrap();
        assert_eq!(names(folder.path()), [NONE, NONE]);
        for edited in ["run,x\na,2\n", "run,x\na,1", "run,x\n\na,1\n", "run,x\r\r\na,1\n", ""] {
            fs::write(at("runs.csv"), edited).unwrap();
            assert_eq!(names(folder.path()), [&["runs.csv"][..], &NONE], "{edited:?}");
        }
        fs::write(at("table-1.md"), "| y |\n").unwrap();
        assert_eq!(names(folder.path()), [&["runs.csv", "table-1.md"][..], &NONE]);
        fs::remove_file(at("runs.csv")).unwrap();
        assert_eq!(names(folder.path()), [&["table-1.md"][..], &NONE], "nothing is read from a file that is missing");
    }

    #[test]
    fn files_with_numbers_that_no_manifest_lists_are_reported() {
        let (folder, names) = sealed();
        let at = |name: &str| folder.path().join(name);
        for name in ["notes.txt", "figure.png"] {
            fs::write(at(name), "1").unwrap();
        }
        assert_eq!(names(folder.path()), [NONE, NONE]);
        fs::write(at("reconstruction.csv"), "check\n").unwrap();
        assert_eq!(names(folder.path()), [&NONE[..], &["reconstruction.csv"]]);
        write(folder.path(), &[file("reconstruction.csv", "check\n")]).unwrap();
        assert_eq!(names(folder.path()), [NONE, NONE], "what others have written stays listed");
        fs::remove_file(at(FILE)).unwrap();
        assert_eq!(names(folder.path()), [&NONE[..], &["reconstruction.csv", "runs.csv"]]);
        fs::write(at(FILE), "{}").unwrap();
        assert_eq!(names(folder.path()), [&[FILE][..], &NONE]);
        assert_eq!(inspect(&at("nowhere")).unwrap(), Inspection::default());
    }

    #[test]
    fn a_killed_program_leaves_no_apparent_edits() {
        let (folder, names) = sealed();
        // A folder in place of the file cannot be overwritten, as if the program had ended there.
        fs::create_dir(folder.path().join("table-2.csv")).unwrap();
        let files = [file("runs.csv", "run,x\na,2\n"), file("table-2.csv", "x\n"), file("table-1.md", "| z |\n")];
        let error = write(folder.path(), &files).unwrap_err();
        assert!(error.path.ends_with("table-2.csv"), "{error}");
        assert_eq!(names(folder.path())[0], NONE);
        assert!(names(folder.path())[1].contains(&"runs.csv".to_owned()));
    }

    #[test]
    fn deleted_files_are_no_longer_listed() {
        let (folder, _) = sealed();
        fs::remove_file(folder.path().join("table-1.md")).unwrap();
        write(folder.path(), &[file("runs.csv", "run,x\na,1\n")]).unwrap();
        assert_eq!(listed(folder.path()).unwrap().into_keys().collect::<Vec<_>>(), ["runs.csv"]);
    }
}
