//! Lists the sources that can change a number: those of this crate and of all workspace crates that it depends on. Part
//! of the build script, and of the test that compares the list with cargo's metadata.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the folders of these crates below `crates`.
pub fn folders(crates: &Path) -> BTreeSet<String> {
    let mut folders = BTreeSet::new();
    closure(crates, "runs", &mut folders);
    folders
}

/// Adds a crate and all workspace crates that it depends on, according to its manifest.
fn closure(crates: &Path, folder: &str, folders: &mut BTreeSet<String>) {
    if !folders.insert(folder.to_owned()) {
        return;
    }
    let manifest = fs::read_to_string(crates.join(folder).join("Cargo.toml")).unwrap_or_default();
    let lines = manifest.lines().skip_while(|line| *line != "[dependencies]").skip(1);
    for line in lines.take_while(|line| !line.starts_with('[')) {
        if let Some((name, _)) = line.strip_prefix("mbsbench-").and_then(|rest| rest.split_once('.')) {
            closure(crates, name, folders);
        }
    }
}

/// Returns their files, sorted, and the lock file of the dependencies.
pub fn files(crates: &Path) -> Vec<PathBuf> {
    let root = crates.parent().unwrap_or(crates);
    let mut files = ["Cargo.lock", "Cargo.toml"].map(|file| root.join(file)).to_vec();
    for folder in folders(crates) {
        collect(&crates.join(folder), &mut files);
    }
    files.sort();
    files
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            if !["tests", "benches", "target"].iter().any(|name| path.ends_with(name)) {
                collect(&path, files);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "toml")
            || folder.ends_with("tableaux")
        {
            files.push(path);
        }
    }
}

/// Returns a hash of the contents of these files and of their names within the workspace, so that two clones agree.
pub fn hash(crates: &Path) -> blake3::Hasher {
    let root = crates.parent().unwrap_or(crates);
    let mut hash = blake3::Hasher::new();
    for file in files(crates) {
        hash.update(file.strip_prefix(root).unwrap_or(&file).to_string_lossy().as_bytes());
        hash.update(&fs::read(&file).unwrap_or_default());
    }
    hash
}
