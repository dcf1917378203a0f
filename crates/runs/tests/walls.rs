//! Tests the walls between the crates of the workspace, and their consequence that the key of the cache covers
//! everything that can change a number.

#[path = "../build/sources.rs"]
mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The workspace crates that each crate may depend on directly, from the bottom up. Crates that are not listed may
/// depend on none.
const MAY_KNOW: [(&str, &[&str]); 12] = [
    ("numbers", &["elementary"]),
    ("input", &["numbers"]),
    ("problem", &["elementary"]),
    ("integrators", &["problem", "input"]),
    ("models", &["problem"]),
    ("mechanisms", &["problem"]),
    ("sundials", &["problem", "integrators"]),
    ("measures", &["problem"]),
    ("experiment", &["problem", "integrators", "models", "mechanisms", "sundials", "measures", "input"]),
    ("render", &["numbers"]),
    ("runs", &["problem", "measures", "experiment", "input", "numbers"]),
    ("judge", &["problem", "measures", "experiment", "input", "numbers", "runs"]),
];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Returns the crates of the workspace with their dependencies according to cargo, without `dev-dependencies`.
fn known() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .current_dir(crates())
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .output()
        .expect("cargo starts");
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let short =
        |name: &serde_json::Value| name.as_str().and_then(|name| name.strip_prefix("mbsbench-")).map(str::to_owned);
    let packages = metadata["packages"].as_array().expect("packages");
    let of = |package: &serde_json::Value| {
        let dependencies = package["dependencies"].as_array().expect("dependencies").iter();
        let own = dependencies.filter(|dependency| dependency["kind"].is_null());
        // The crate in docs/extending.md is also a member and represents crates outside the workspace.
        let name = short(&package["name"])?;
        Some((name, own.filter_map(|own| short(&own["name"])).collect()))
    };
    packages.iter().filter_map(of).collect()
}

#[test]
fn no_crate_depends_on_a_higher_one() {
    let known = known();
    assert!(known.len() >= 12, "{known:?}");
    for (name, dependencies) in &known {
        // The program and the Python package are at the top and may depend on every crate.
        if ["runner", "python"].contains(&name.as_str()) {
            continue;
        }
        let allowed = MAY_KNOW.iter().find(|(of, _)| of == name).map_or(&[][..], |(_, allowed)| allowed);
        let wrong: Vec<_> = dependencies.iter().filter(|other| !allowed.contains(&other.as_str())).collect();
        assert!(wrong.is_empty(), "`{name}` must not know {wrong:?}");
    }
}

#[test]
fn the_fingerprint_covers_this_crate_and_its_dependencies() {
    let known = known();
    let mut below = BTreeSet::new();
    let mut open = vec!["runs".to_owned()];
    while let Some(name) = open.pop() {
        if below.insert(name.clone()) {
            open.extend(known[&name].iter().cloned());
        }
    }
    assert_eq!(sources::folders(&crates()), below);
    for name in ["problem", "integrators", "models", "sundials", "measures", "experiment"] {
        assert!(below.contains(name), "{name}");
    }
}

#[test]
fn relevant_source_changes_make_a_new_key() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("crates");
    let root = crates();
    let all: Vec<String> = known().into_keys().collect();
    for name in &all {
        copied(&root.join(name), &copy.join(name));
    }
    let key = || sources::hash(&copy).finalize();
    let (before, mut changed) = (key(), 0);
    for name in &all {
        let is_below = sources::folders(&copy).contains(name);
        let is_no_test = |file: &PathBuf| !file.components().any(|part| part.as_os_str() == "tests");
        for file in files(&copy.join(name).join("src")).into_iter().filter(is_no_test) {
            let text = fs::read(&file).unwrap();
            fs::write(&file, [text.as_slice(), b"// another constant\n"].concat()).unwrap();
            assert_eq!(key() != before, is_below, "{}", file.display());
            fs::write(&file, text).unwrap();
            changed += usize::from(is_below);
        }
    }
    assert!(changed > 200, "{changed} files");
    assert_eq!(key(), before);
}

/// Returns all Rust files and tableaux below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries
        .flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
        .filter(|path| {
            path.extension().is_some_and(|extension| extension == "rs") || path.to_string_lossy().contains("tableaux")
        })
        .collect()
}

/// Copies the manifest and the sources of a crate.
fn copied(from: &Path, to: &Path) {
    for file in files(&from.join("src")).into_iter().chain([from.join("Cargo.toml")]) {
        let path = to.join(file.strip_prefix(from).unwrap());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::copy(&file, path).unwrap();
    }
}
