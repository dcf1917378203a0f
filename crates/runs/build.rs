//! Computes the fingerprint of everything that can change a number: the sources of this crate and of the crates below
//! it, the locked dependencies, the compiler and the target. A published crate asks for exact versions of the crates
//! below it, so that its version stands for their sources.

#[path = "build/sources.rs"]
mod sources;

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

fn main() {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap_or_default());
    let Some(crates) = here.parent() else { return };
    let mut hash = if here.ends_with("crates/runs") {
        for file in sources::files(crates) {
            println!("cargo:rerun-if-changed={}", file.display());
        }
        for folder in sources::folders(crates) {
            // Cargo also notices new files in the folder.
            println!("cargo:rerun-if-changed={}", crates.join(folder).join("src").display());
        }
        sources::hash(crates)
    } else {
        let mut published = blake3::Hasher::new();
        published.update(env::var("CARGO_PKG_VERSION").unwrap_or_default().as_bytes());
        published.update(&fs::read(here.join("Cargo.lock")).unwrap_or_default());
        published
    };
    let compiler = Command::new(env::var("RUSTC").unwrap_or_else(|_| "rustc".into()))
        .arg("-vV")
        .output()
        .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
        .unwrap_or_default();
    hash.update(compiler.as_bytes());
    for variable in ["TARGET", "OPT_LEVEL", "CARGO_ENCODED_RUSTFLAGS"] {
        println!("cargo:rerun-if-env-changed={variable}");
        hash.update(env::var(variable).unwrap_or_default().as_bytes());
    }
    println!("cargo:rustc-env=MBSBENCH_FINGERPRINT={}", hash.finalize().to_hex());
    println!("cargo:rustc-env=MBSBENCH_COMPILER={}", compiler.lines().next().unwrap_or_default());
    println!("cargo:rustc-env=MBSBENCH_TARGET={}", env::var("TARGET").unwrap_or_default());
}
