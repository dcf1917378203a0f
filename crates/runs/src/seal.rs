//! Seals: checks that the results of an experiment are as the program wrote them.
//!
//! Beside the results of an experiment, `manifest.json` lists a hash of each of their files. The manifest of all
//! results lists the root of each folder, so that both manifests have to be replaced to hide an edit. Code that writes
//! such a file uses [`write()`], and code that relies on one calls [`inspect`] first. Times are recorded elsewhere
//! (`times/`) and not sealed.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mbsbench_input::{LARGEST_DATA, read_file, write_atomically};
use serde::{Deserialize, Serialize};
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
    /// Files that differ from the manifest, and the manifest if it differs from that of all results.
    pub changed: Vec<PathBuf>,
    /// Files with numbers that the manifest does not list, and a damaged manifest of all results: changes would go
    /// unnoticed.
    pub unsealed: Vec<PathBuf>,
}

/// The manifest of all results.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Whole {
    /// Program, machine, date, inputs and outputs.
    #[serde(flatten)]
    pub provenance: Value,
    /// The root of each folder by the id of its experiment.
    folders: Hashes,
    /// The root of `folders`.
    root: String,
}

impl Whole {
    /// Returns a manifest with the roots of all folders: listed ones as they are, and those of further folders.
    pub fn of(results: &Path, provenance: Value) -> Self {
        let mut folders = Self::read(results).ok().flatten().map_or_else(Hashes::new, |whole| whole.folders);
        folders.retain(|id, _| results.join(id).is_dir());
        let inside = |folder: PathBuf| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        for folder in inside(results.to_owned()).flat_map(inside).filter(|folder| folder.join(FILE).is_file()) {
            if let (Some((_, id)), Ok(Some(listed))) = (place(&folder), listed(&folder)) {
                folders.entry(id).or_insert_with(|| root(&listed));
            }
        }
        Self { provenance, root: root(&folders), folders }
    }

    /// Reads the manifest in the folder of all results; `None` if there is none, or one without roots, which is not
    /// ours or that of an earlier version.
    ///
    /// # Errors
    /// Fails if it is damaged.
    pub fn read(results: &Path) -> Result<Option<Self>, io::Error> {
        let whole: Value = match read_file(&results.join(FILE), LARGEST_DATA) {
            Ok(content) => serde_json::from_slice(&content)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        if whole.get("folders").is_none() { Ok(None) } else { Ok(serde_json::from_value(whole)?) }
    }

    /// Returns the text of the manifest.
    pub fn text(&self) -> String {
        format!("{:#}\n", json!(self))
    }

    /// True if the manifest lists another root of a folder than that of these hashes.
    fn contradicts(&self, id: &str, listed: &Hashes) -> bool {
        self.folders.get(id).is_some_and(|sealed| *sealed != root(listed))
    }
}

/// Returns the folder of all results and the id of the experiment with results in `folder`.
fn place(folder: &Path) -> Option<(&Path, String)> {
    let (paper, name) = (folder.parent()?, folder.file_name()?.to_str()?);
    Some((paper.parent()?, format!("{}/{name}", paper.file_name()?.to_str()?)))
}

/// Returns the root of some hashes: the hash of the lines `HASH NAME`, sorted by name, each with its line end.
fn root(hashes: &Hashes) -> String {
    hash(hashes.iter().map(|(name, hash)| format!("{hash} {name}\n")).collect::<String>().as_bytes())
}

/// Waits until no other thread or program changes the manifest of all results. Not all file systems support the lock
/// that other programs see.
pub(crate) fn alone(results: &Path) -> (MutexGuard<'static, ()>, Option<File>) {
    static CHANGING: Mutex<()> = Mutex::new(());
    let here = CHANGING.lock().unwrap_or_else(PoisonError::into_inner);
    (here, File::open(results).ok().filter(|folder| folder.lock().is_ok()))
}

/// Lists the root of a folder in the manifest of all results, if there is one, or removes it while the folder is not
/// complete.
fn enter(folder: &Path, is_complete: bool) -> Result<(), FileError> {
    let Some((results, id)) = place(folder) else { return Ok(()) };
    let _alone = alone(results);
    let Ok(Some(mut whole)) = Whole::read(results) else { return Ok(()) };
    match listed(folder)?.filter(|_| is_complete) {
        Some(listed) => whole.folders.insert(id, root(&listed)),
        None => whole.folders.remove(&id),
    };
    whole.root = root(&whole.folders);
    put(&results.join(FILE), whole.text().as_bytes())
}

/// True if the manifest of all results lists the root of a folder.
pub fn is_listed(folder: &Path) -> bool {
    let Some((results, id)) = place(folder) else { return false };
    Whole::read(results).is_ok_and(|whole| whole.is_some_and(|whole| whole.folders.contains_key(&id)))
}

/// Writes files into a folder of results, each completely or not at all, and lists them in the manifest, whose root is
/// listed in the manifest of all results, if there is one.
///
/// If the program is killed meanwhile, some files may be missing in the manifests, but none is listed with a wrong
/// hash. A manifest of the folder that was replaced is not continued: other files that it lists are no longer sealed.
///
/// # Errors
/// Returns the first file that cannot be written, or the manifest if it cannot be read; files before it are complete.
pub fn write(folder: &Path, files: &[(String, Vec<u8>)]) -> Result<(), FileError> {
    let is_replaced = |old: &Hashes| {
        let whole = place(folder).map(|(results, id)| (Whole::read(results), id));
        matches!(whole, Some((Ok(Some(whole)), id)) if whole.contradicts(&id, old))
    };
    let old = listed(folder)?.filter(|old| !is_replaced(old)).unwrap_or_default();
    let new: Hashes = files.iter().map(|(name, content)| (name.clone(), hash(content))).collect();
    let mut unchanged = old.clone();
    unchanged.retain(|name, hash| new.get(name).is_none_or(|new| new == hash));
    let mut all = unchanged.clone();
    all.extend(new);
    all.retain(|name, _| folder.join(name).exists() || files.iter().any(|(new, _)| new == name));
    if all != old {
        enter(folder, false)?;
        list(folder, &unchanged)?;
    }
    for (name, content) in files {
        put(&folder.join(name), content)?;
    }
    list(folder, &all)?;
    enter(folder, true)
}

/// Compares the files of a folder of results with its manifest. A listed file that is missing does not count as
/// changed, since nothing can be read from it.
///
/// # Errors
/// Returns the first file that cannot be read.
pub fn inspect(folder: &Path) -> Result<Inspection, FileError> {
    let mut inspection = Inspection::default();
    let Some(listed) = listed(folder)? else {
        inspection.changed.push(folder.join(FILE));
        return Ok(inspection);
    };
    if let Some((results, id)) = place(folder).filter(|_| folder.exists()) {
        let (is_other, is_sound) = match Whole::read(results) {
            Ok(Some(whole)) => (whole.contradicts(&id, &listed), whole.root == root(&whole.folders)),
            Ok(None) => (false, true),
            Err(_) => (false, false),
        };
        inspection.changed.extend(is_other.then(|| folder.join(FILE)));
        inspection.unsealed.extend((!is_sound).then(|| results.join(FILE)));
    }
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
fn listed(folder: &Path) -> Result<Option<Hashes>, FileError> {
    let path = folder.join(FILE);
    let hashes = |content: Vec<u8>| {
        let manifest: Value = serde_json::from_slice(&content).ok()?;
        serde_json::from_value(manifest.get(OUTPUTS)?.clone()).ok()
    };
    match read_file(&path, LARGEST_DATA) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Some(Hashes::new())),
        content => Ok(hashes(content.map_err(FileError::of(&path))?)),
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
        assert_eq!(listed(folder.path()).unwrap().unwrap().into_keys().collect::<Vec<_>>(), ["runs.csv"]);
    }

    #[test]
    fn a_manifest_that_cannot_be_read_is_an_error() {
        let (folder, _) = sealed();
        fs::remove_file(folder.path().join(FILE)).unwrap();
        fs::create_dir(folder.path().join(FILE)).unwrap();
        let error = write(folder.path(), &[file("table-2.md", "| z |\n")]).unwrap_err();
        assert!(error.path.ends_with(FILE) && !folder.path().join("table-2.md").exists(), "{error}");
        assert!(inspect(folder.path()).unwrap_err().path.ends_with(FILE));
    }

    /// Creates results of two experiments with a manifest of all results.
    fn results() -> (tempfile::TempDir, [PathBuf; 2]) {
        let results = tempfile::tempdir().unwrap();
        let folders = ["mine/a", "mine/b"].map(|id| results.path().join(id));
        for folder in &folders {
            write(folder, &[file("runs.csv", "run,x\na,1\n"), file("table.csv", "x\n1\n")]).unwrap();
        }
        let whole = Whole::of(results.path(), json!({ "date": "today" }));
        assert_eq!(whole.folders.keys().collect::<Vec<_>>(), ["mine/a", "mine/b"]);
        put(&results.path().join(FILE), whole.text().as_bytes()).unwrap();
        (results, folders)
    }

    /// Changes a file and lists its new hash in the manifest of the folder.
    fn reseal(folder: &Path, name: &str, content: &str) {
        fs::write(folder.join(name), content).unwrap();
        let mut hashes = listed(folder).unwrap().unwrap();
        hashes.insert(name.to_owned(), hash(content.as_bytes()));
        list(folder, &hashes).unwrap();
    }

    fn changed(folder: &Path) -> Vec<PathBuf> {
        inspect(folder).unwrap().changed
    }

    #[test]
    fn roots_are_hashes_of_sorted_lines() {
        let hashes = Hashes::from([("b".to_owned(), "22".to_owned()), ("a".to_owned(), "11".to_owned())]);
        assert_eq!(root(&hashes), blake3::hash(b"11 a\n22 b\n").to_hex().to_string());
        let (results, folders) = results();
        let whole = Whole::read(results.path()).unwrap().unwrap();
        assert_eq!(whole.folders["mine/a"], root(&listed(&folders[0]).unwrap().unwrap()));
        assert_eq!(whole.root, root(&whole.folders));
    }

    #[test]
    fn a_manifest_that_was_sealed_again_is_named() {
        let (results, [a, b]) = results();
        reseal(&a, "runs.csv", "run,x\na,2\n");
        assert_eq!(changed(&a), [a.join(FILE)]);
        assert_eq!(changed(&b), NONE.map(PathBuf::from));
        // Writing another file does not vouch for the edit, and other folders are listed as they were.
        write(&a, &[file("figure.svg", "<svg/>")]).unwrap();
        assert_eq!(inspect(&a).unwrap().unsealed, [a.join("runs.csv"), a.join("table.csv")]);
        write(&a, &[file("runs.csv", "run,x\na,1\n"), file("table.csv", "x\n1\n")]).unwrap();
        assert_eq!(inspect(&a).unwrap(), Inspection::default());
        reseal(&b, "table.csv", "x\n3\n");
        assert_eq!(Whole::of(results.path(), json!({})).folders, Whole::read(results.path()).unwrap().unwrap().folders);
        fs::remove_file(b.join(FILE)).unwrap();
        assert_eq!(changed(&b), [b.join(FILE)], "without its manifest");
        fs::remove_dir_all(&b).unwrap();
        assert_eq!(inspect(&b).unwrap(), Inspection::default(), "nothing can be read from a folder that is missing");
    }

    #[test]
    fn legitimate_results_are_listed_at_once() {
        let (results, [a, _]) = results();
        let before = fs::read(results.path().join(FILE)).unwrap();
        write(&a, &[file("runs.csv", "run,x\na,1\n")]).unwrap();
        assert_eq!(fs::read(results.path().join(FILE)).unwrap(), before, "the same results, the same bytes");
        std::thread::scope(|scope| {
            for number in 0..16 {
                let folder = results.path().join(format!("mine/c{}", number % 8));
                scope.spawn(move || write(&folder, &[file(&format!("{number}.csv"), "x\n")]).unwrap());
            }
        });
        write(&a, &[file("runs.csv", "run,x\na,5\n")]).unwrap();
        let ids = ["a", "b", "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"].map(|name| format!("mine/{name}"));
        assert_eq!(Whole::read(results.path()).unwrap().unwrap().folders.into_keys().collect::<Vec<_>>(), ids);
        assert_eq!(changed(&a), NONE.map(PathBuf::from));

        // A folder in place of the file cannot be overwritten, as if the program had ended there.
        fs::create_dir(a.join("table-2.csv")).unwrap();
        write(&a, &[file("runs.csv", "run,x\na,6\n"), file("table-2.csv", "x\n")]).unwrap_err();
        assert_eq!(changed(&a), NONE.map(PathBuf::from));
        assert!(!is_listed(&a) && is_listed(&results.path().join("mine/b")));
    }

    #[test]
    fn foreign_and_damaged_manifests_stay_as_they_are() {
        let (results, [a, _]) = results();
        let whole = fs::read_to_string(results.path().join(FILE)).unwrap();
        for (text, unsealed) in [
            ("{ \"name\": \"of something else\" }", 0),
            ("{", 1),
            (&*whole.replacen("\"root\": \"", "\"root\": \"0", 1), 1),
        ] {
            fs::write(results.path().join(FILE), text).unwrap();
            assert_eq!(changed(&a), NONE.map(PathBuf::from), "{text}");
            assert_eq!(inspect(&a).unwrap().unsealed, vec![results.path().join(FILE); unsealed], "{text}");
        }
        write(&a, &[file("runs.csv", "run,x\na,1\n")]).unwrap();
        assert_eq!(inspect(&a).unwrap(), Inspection::default(), "a wrong root is written again");
        fs::write(results.path().join(FILE), "{").unwrap();
        write(&a, &[file("runs.csv", "run,x\na,2\n")]).unwrap();
        assert_eq!(fs::read_to_string(results.path().join(FILE)).unwrap(), "{");
    }
}
