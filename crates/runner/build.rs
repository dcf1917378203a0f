//! Makes the fingerprint of everything that can change a number: the sources of the crates that compute, the
//! measures, the locked dependencies, the version of SUNDIALS, the compiler and the target.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap_or_default());
    let root = here.join("../..");
    let mut sources = Vec::new();
    let computing =
        ["crates/problem", "crates/integrators", "crates/models", "crates/sundials", "crates/runner/src/measures"];
    for folder in computing {
        collect(&root.join(folder), &mut sources);
    }
    sources.extend(["Cargo.lock", "Cargo.toml"].map(|file| root.join(file)));
    let executing = ["run", "reference", "collect"];
    sources.extend(executing.map(|name| root.join(format!("crates/runner/src/execute/{name}.rs"))));
    sources.sort();

    let mut hash = blake3::Hasher::new();
    for source in &sources {
        println!("cargo:rerun-if-changed={}", source.display());
        // The name within the workspace, not the path of this machine, so that two clones agree.
        let name = source.strip_prefix(&root).unwrap_or(source);
        hash.update(name.to_string_lossy().as_bytes());
        hash.update(&fs::read(source).unwrap_or_default());
    }
    for folder in computing {
        let folder = root.join(folder);
        let sources = if folder.join("src").is_dir() { folder.join("src") } else { folder };
        println!("cargo:rerun-if-changed={}", sources.display());
    }
    let compiler = Command::new(env::var("RUSTC").unwrap_or_else(|_| "rustc".into()))
        .arg("-vV")
        .output()
        .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
        .unwrap_or_default();
    hash.update(compiler.as_bytes());
    // The version of SUNDIALS comes from the build script of the crate that links it; none where it is not there.
    for variable in ["TARGET", "OPT_LEVEL", "CARGO_ENCODED_RUSTFLAGS", "DEP_SUNDIALS_VERSION"] {
        println!("cargo:rerun-if-env-changed={variable}");
        hash.update(env::var(variable).unwrap_or_default().as_bytes());
    }
    println!("cargo:rustc-env=MBSBENCH_FINGERPRINT={}", hash.finalize().to_hex());
    println!("cargo:rustc-env=MBSBENCH_RENDERER={}", renderer(&root).to_hex());
    println!("cargo:rustc-env=MBSBENCH_COMPILER={}", compiler.lines().next().unwrap_or_default());
    println!("cargo:rustc-env=MBSBENCH_TARGET={}", env::var("TARGET").unwrap_or_default());
}

/// The hash of everything that can change a picture of a given drawing.
fn renderer(root: &Path) -> blake3::Hash {
    let mut sources = vec![root.join("Cargo.lock")];
    collect(&root.join("crates/runner/src/render"), &mut sources);
    sources.sort();
    println!("cargo:rerun-if-changed={}", root.join("crates/runner/src/render").display());
    let mut hash = blake3::Hasher::new();
    for source in sources {
        hash.update(&fs::read(source).unwrap_or_default());
    }
    hash.finalize()
}

fn collect(folder: &Path, sources: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            if !path.ends_with("tests") && !path.ends_with("benches") && !path.ends_with("target") {
                collect(&path, sources);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "toml") {
            sources.push(path);
        }
    }
}
