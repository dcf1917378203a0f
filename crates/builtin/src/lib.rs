//! The experiments of the project inside of the program.
//!
//! The program reads its experiments from files, and says of them where a mistake is. In a folder without the repository these files are
//! unpacked once, into the user's folder for caches, below a name that is the hash of what is in them:
//!
//! ```text
//! experiments/  examples/mechanisms/  results/…  ──build.rs──▶ archive ──unpacked──▶ ~/.cache/mbsbench/HASH/experiments/ …
//! ```
//!
//! Paths are as in the repository, since experiments name mechanisms by theirs. Of the results there are the numbers, on which verdicts and
//! rankings rest; figures and pages are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use flate2::read::GzDecoder;
use walkdir::WalkDir;

const ARCHIVE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/builtin.tar.gz"));

/// The hash and the path of each built-in file, a line each.
const INDEX: &str = include_str!(concat!(env!("OUT_DIR"), "/index.txt"));

/// Why the built-in files are not to be had.
#[derive(Debug, thiserror::Error)]
pub enum BuiltinError {
    /// Nobody knows where this user keeps caches.
    #[error("no folder for caches: {0}")]
    NoCache(#[from] etcetera::HomeDirError),
    /// The file system failed.
    #[error("{path}: {error}", path = path.display())]
    Files {
        /// The folder that they were to be written into.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Files that are there already and are others.
    #[error("refusing to overwrite modified files: {}; nothing was written", named(.0))]
    Differ(Vec<PathBuf>),
    /// The program is damaged.
    #[error("the archive in the program: {0}")]
    Archive(io::Error),
}

/// The first of some paths, and how many there are besides.
fn named(paths: &[PathBuf]) -> String {
    const NAMED: usize = 5;
    let names: Vec<String> = paths.iter().take(NAMED).map(|path| path.display().to_string()).collect();
    let rest = paths.len().saturating_sub(NAMED);
    if rest == 0 { names.join(", ") } else { format!("{} and {rest} more", names.join(", ")) }
}

/// Files by their paths.
pub type Files = BTreeMap<PathBuf, Vec<u8>>;

/// Built-in files by their paths in the repository (`experiments/gil2013/claims.yaml`).
///
/// # Errors
/// [`BuiltinError::Archive`], where the program is damaged.
pub fn files() -> Result<Files, BuiltinError> {
    let read = || {
        let mut files = Files::new();
        for entry in tar::Archive::new(GzDecoder::new(ARCHIVE)).entries()? {
            let mut entry = entry?;
            let mut content = Vec::new();
            entry.read_to_end(&mut content)?;
            files.insert(entry.path()?.into_owned(), content);
        }
        Ok(files)
    };
    read().map_err(BuiltinError::Archive)
}

/// Hashes of the built-in files, in hexadecimal digits, and their paths in the repository.
fn index() -> impl Iterator<Item = (&'static str, &'static str)> {
    INDEX.lines().filter_map(|line| line.split_once(' '))
}

/// The built-in papers, sets of problems and the comparison: the folders of `experiments/`.
pub fn papers() -> BTreeSet<&'static str> {
    let below = index().filter_map(|(_, path)| path.strip_prefix("experiments/"));
    below.filter_map(|path| path.split_once('/')).map(|(paper, _)| paper).collect()
}

/// The folder with the unpacked files, in the user's folder for caches (`XDG_CACHE_HOME`, `~/.cache`): every call compares their hashes with
/// what is built in, and unpacks them if one is missing or differs.
///
/// # Errors
/// Where there is no such folder, or the file system fails.
pub fn unpacked() -> Result<PathBuf, BuiltinError> {
    unpacked_below(&etcetera::choose_base_strategy()?.cache_dir().join("mbsbench"))
}

/// The same below another folder.
///
/// # Errors
/// Where the file system fails.
pub fn unpacked_below(cache: &Path) -> Result<PathBuf, BuiltinError> {
    let folder = cache.join(&env!("MBSBENCH_BUILTIN_HASH")[..16]);
    if !is_whole(&folder) {
        unpack(cache, &folder, &files()?).map_err(|error| BuiltinError::Files { path: folder.clone(), error })?;
    }
    Ok(folder)
}

/// Whether a folder has the built-in files and no others.
fn is_whole(folder: &Path) -> bool {
    let present =
        WalkDir::new(folder).into_iter().filter(|entry| !matches!(entry, Ok(entry) if entry.file_type().is_dir()));
    let is_same = |(hash, path): (&str, &str)| {
        fs::read(folder.join(path)).is_ok_and(|found| blake3::hash(&found).to_hex().as_str() == hash)
    };
    present.count() == index().count() && index().all(is_same)
}

/// Writes all built-in files into a folder, as they are in the repository, and returns those that were missing. Folders with results that
/// exist stay as they are. If any other file exists and differs, nothing is written. All files are written beside their places first, so
/// that a full disk leaves everything as it was.
///
/// # Errors
/// [`BuiltinError::Differ`], or where the file system fails.
pub fn write_out(folder: &Path) -> Result<Vec<PathBuf>, BuiltinError> {
    let mut files = files()?;
    let mut different = Vec::new();
    files.retain(|path, content| {
        let place = folder.join(path);
        if path.starts_with("results") && place.parent().is_some_and(Path::exists) {
            return false;
        }
        match fs::read(&place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => true,
            Ok(found) if found == *content => false,
            _ => {
                different.push(place);
                false
            }
        }
    });
    if !different.is_empty() {
        return Err(BuiltinError::Differ(different));
    }
    let put = || {
        fs::create_dir_all(folder)?;
        let beside = tempfile::Builder::new().prefix(".mbsbench-").tempdir_in(folder)?;
        write(beside.path(), &files)?;
        for path in files.keys() {
            let place = folder.join(path);
            fs::create_dir_all(place.parent().unwrap_or(folder))?;
            fs::rename(beside.path().join(path), place)?;
        }
        Ok(())
    };
    put().map_err(|error| BuiltinError::Files { path: folder.to_owned(), error })?;
    Ok(files.into_keys().collect())
}

fn write(folder: &Path, files: &Files) -> io::Result<()> {
    for (path, content) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(path, content)?;
    }
    Ok(())
}

/// Writes files beside a folder and puts them in its place at once, so that nobody sees a part of them.
fn unpack(cache: &Path, folder: &Path, files: &Files) -> io::Result<()> {
    fs::create_dir_all(cache)?;
    let beside = tempfile::tempdir_in(cache)?;
    let (new, old) = (beside.path().join("new"), beside.path().join("old"));
    write(&new, files)?;
    match fs::rename(folder, &old) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    match fs::rename(&new, folder) {
        // Another program was faster.
        Err(_) if is_whole(folder) => Ok(()),
        done => done,
    }
}
