//! Computes the fingerprint of everything that can change a number: the sources of this crate and of the crates below
//! it, the locked dependencies, the compiler and the target.

#[path = "build/sources.rs"]
mod sources;

use std::env;
use std::path::PathBuf;
use std::process::Command;

fn main() {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap_or_default());
    let Some(crates) = here.parent() else { return };
    for file in sources::files(crates) {
        println!("cargo:rerun-if-changed={}", file.display());
    }
    for folder in sources::folders(crates) {
        // Cargo also notices new files in the folder.
        println!("cargo:rerun-if-changed={}", crates.join(folder).join("src").display());
    }
    let mut hash = sources::hash(crates);
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
