//! The project's experiments, packed into the program.
//!
//! The program reads experiments from files and reports the place of every mistake in them. Outside the repository,
//! the packed files are unpacked once into the user's cache folder, below a folder that is named by the hash of their
//! content:
//!
//! ```text
//! experiments/  examples/mechanisms/  results/…  ──build.rs──▶ archive ──unpacked──▶ ~/.cache/mbsbench/HASH/…
//! ```
//!
//! Paths are the same as in the repository, since experiments name mechanisms by path. Of the results, only the
//! numbers are included, because verdicts and rankings depend on them; figures and pages are left out.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use etcetera::BaseStrategy;
use flate2::read::GzDecoder;
use tempfile::TempDir;
use walkdir::WalkDir;

const ARCHIVE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/builtin.tar.gz"));

/// The hash and the path of each built-in file, one file per line.
const INDEX: &str = include_str!(concat!(env!("OUT_DIR"), "/index.txt"));

/// An error in providing the built-in files.
#[derive(Debug, thiserror::Error)]
pub enum BuiltinError {
    /// The user's cache folder cannot be determined.
    #[error("cannot find the user's cache folder: {0}")]
    NoCache(#[from] etcetera::HomeDirError),
    /// The file system failed in the user's cache folder.
    #[error("{path}: {error}", path = path.display())]
    Files {
        /// The folder that the files were to be written into.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// The file system failed in a folder that the user named.
    #[error("{path}: {error}", path = path.display())]
    Folder {
        /// The folder that the files were to be written into.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// A symbolic link in place of a folder.
    #[error("refusing to write through the symbolic link {}; nothing was written", .0.display())]
    Linked(PathBuf),
    /// Files that exist already and differ from the built-in ones.
    #[error("refusing to overwrite modified files: {}; nothing was written", named(.0))]
    Differ(Vec<PathBuf>),
    /// The packed archive is damaged.
    #[error("the archive built into the program is damaged: {0}")]
    Archive(io::Error),
}

/// Lists the first paths, and the number of the remaining ones.
fn named(paths: &[PathBuf]) -> String {
    const NAMED: usize = 5;
    let names: Vec<String> = paths.iter().take(NAMED).map(|path| path.display().to_string()).collect();
    let rest = paths.len().saturating_sub(NAMED);
    if rest == 0 { names.join(", ") } else { format!("{} and {rest} more", names.join(", ")) }
}

/// Contents of files by path.
pub type Files = BTreeMap<PathBuf, Vec<u8>>;

/// Returns the built-in files by their paths in the repository (`experiments/gil2013/claims.yaml`).
///
/// # Errors
/// Fails with [`BuiltinError::Archive`] if the packed archive is damaged.
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

/// The hash (hexadecimal) and the repository path of each built-in file.
fn index() -> impl Iterator<Item = (&'static str, &'static str)> {
    INDEX.lines().filter_map(|line| line.split_once(' '))
}

/// Names of the built-in papers, problem sets and the comparison: the folders in `experiments/`.
pub fn papers() -> BTreeSet<&'static str> {
    let below = index().filter_map(|(_, path)| path.strip_prefix("experiments/"));
    below.filter_map(|path| path.split_once('/')).map(|(paper, _)| paper).collect()
}

/// Returns the folder with the unpacked files, in the user's cache folder (`XDG_CACHE_HOME`, `~/.cache`). Every call
/// compares the hashes of the unpacked files with the built-in ones, and unpacks again if a file is missing, differs,
/// or could be changed by another user.
///
/// # Errors
/// Fails if there is no cache folder, if it belongs to another user, or on an error of the file system.
pub fn unpacked() -> Result<PathBuf, BuiltinError> {
    unpacked_below(&etcetera::choose_base_strategy()?.cache_dir().join("mbsbench"))
}

/// Like [`unpacked`], below another folder.
///
/// # Errors
/// Fails if the folder belongs to another user, or on an error of the file system.
pub fn unpacked_below(cache: &Path) -> Result<PathBuf, BuiltinError> {
    let folder = cache.join(&env!("MBSBENCH_BUILTIN_HASH")[..16]);
    if !(fs::metadata(cache).is_ok_and(|cache| is_own(&cache)) && is_whole(&folder)) {
        unpack(cache, &folder, &files()?).map_err(|error| BuiltinError::Files { path: folder.clone(), error })?;
    }
    Ok(folder)
}

/// True if a folder has all built-in files, unmodified, and no others, and nobody else can change them.
fn is_whole(folder: &Path) -> bool {
    let entries: Vec<_> = WalkDir::new(folder).into_iter().collect();
    if !entries.iter().all(|entry| entry.as_ref().is_ok_and(|entry| entry.metadata().is_ok_and(|found| is_own(&found))))
    {
        return false;
    }
    let present = entries.into_iter().flatten().filter(|entry| !entry.file_type().is_dir());
    let is_same = |(hash, path): (&str, &str)| {
        fs::read(folder.join(path)).is_ok_and(|found| blake3::hash(&found).to_hex().as_str() == hash)
    };
    present.count() == index().count() && index().all(is_same)
}

/// True if a file or folder belongs to this process or the administrator, who alone may write to it. Symbolic links,
/// which everybody may write to, are refused.
#[cfg(unix)]
fn is_own(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    // without `/proc`, only the permissions are compared
    let own = fs::metadata("/proc/self").map_or(found.uid(), |process| process.uid());
    [own, 0].contains(&found.uid()) && found.mode() & OTHERS == 0
}

#[cfg(not(unix))]
fn is_own(_: &fs::Metadata) -> bool {
    true
}

/// The permissions of others to write.
#[cfg(unix)]
const OTHERS: u32 = 0o022;

/// Takes the permission to write from others.
#[cfg(unix)]
fn close(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mut permissions = fs::metadata(path)?.permissions();
    permissions.set_mode(permissions.mode() & !OTHERS);
    fs::set_permissions(path, permissions)
}

#[cfg(not(unix))]
fn close(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Creates a temporary folder in a folder, and removes those that programs left there which were killed.
fn temporary(folder: &Path) -> io::Result<TempDir> {
    const NAME: &str = ".mbsbench-";
    const LEFT: Duration = Duration::from_secs(3600);
    for entry in fs::read_dir(folder)?.flatten() {
        let is_old =
            |found: fs::Metadata| found.modified().is_ok_and(|time| time.elapsed().is_ok_and(|age| age > LEFT));
        let is_temporary = entry.file_name().to_string_lossy().starts_with(NAME);
        if is_temporary && entry.metadata().is_ok_and(|found| found.is_dir() && is_old(found)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    tempfile::Builder::new().prefix(NAME).tempdir_in(folder)
}

/// Writes all built-in files into a folder, with the same paths as in the repository, and returns those that were
/// missing. Existing folders with results are left unchanged. If any other file exists and differs, nothing is
/// written. All files are first written to temporary places beside their targets, so that a full disk leaves the
/// folder unchanged.
///
/// # Errors
/// Fails with [`BuiltinError::Differ`] if a file exists and differs, with [`BuiltinError::Linked`] if a symbolic link
/// leads out of the folder, or on an error of the file system.
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
    let folders = files.keys().flat_map(|path| path.ancestors().skip(1)).map(|path| folder.join(path));
    if let Some(link) = folders.filter(|path| path != folder).find(|path| path.is_symlink()) {
        return Err(BuiltinError::Linked(link));
    }
    let put = || {
        fs::create_dir_all(folder)?;
        let beside = temporary(folder)?;
        write(beside.path(), &files)?;
        for path in files.keys() {
            let place = folder.join(path);
            fs::create_dir_all(place.parent().unwrap_or(folder))?;
            fs::rename(beside.path().join(path), place)?;
        }
        Ok(())
    };
    put().map_err(|error| BuiltinError::Folder { path: folder.to_owned(), error })?;
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

/// Writes the files next to a folder and then renames them all at once, so that no reader sees only some of them.
fn unpack(cache: &Path, folder: &Path, files: &Files) -> io::Result<()> {
    fs::create_dir_all(cache)?;
    let _ = close(cache);
    if !is_own(&fs::metadata(cache)?) {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the folder around it belongs to another user"));
    }
    let beside = temporary(cache)?;
    let (new, old) = (beside.path().join("new"), beside.path().join("old"));
    write(&new, files)?;
    WalkDir::new(&new).into_iter().try_for_each(|entry| close(entry?.path()))?;
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
