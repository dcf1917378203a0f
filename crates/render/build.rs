//! Makes the fingerprint of everything that can change a picture of a given drawing: the sources of this crate and the locked
//! dependencies.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut sources = vec![here.join("../../Cargo.lock")];
    collect(&here.join("src"), &mut sources);
    sources.sort();
    println!("cargo:rerun-if-changed={}", here.join("src").display());
    let mut hash = blake3::Hasher::new();
    for source in &sources {
        println!("cargo:rerun-if-changed={}", source.display());
        hash.update(&fs::read(source).unwrap_or_default());
    }
    println!("cargo:rustc-env=MBSBENCH_RENDERER={}", hash.finalize().to_hex());
}

fn collect(folder: &Path, sources: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, sources);
        } else {
            sources.push(path);
        }
    }
}
