//! Packs the built-in files: all experiments, the mechanisms that they name, and the numerical results with the
//! manifests that seal them. Figures and pages are not packed: they would double the size of the archive, and
//! `mbsbench reproduce` draws them.
//!
//! The files are those of the repository. A published crate has copies of them in `files/`, whose links lead there.

use std::env;
use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use walkdir::WalkDir;

type Done<T> = Result<T, Box<dyn Error>>;

fn main() -> Done<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let repository = here.join("../..");
    let root = if repository.join("experiments").is_dir() { repository } else { here.join("files") };
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let (archive, index) = archive(&root)?;
    fs::write(out.join("builtin.tar.gz"), &archive)?;
    fs::write(out.join("index.txt"), index)?;
    println!("cargo::rustc-env=MBSBENCH_BUILTIN_HASH={}", blake3::hash(&archive).to_hex());
    Ok(())
}

/// True if a file, named by its path in the repository, is built in.
fn is_wanted(path: &str) -> bool {
    match path.split('/').next() {
        Some("results") => {
            let has_numbers = path.ends_with(".csv") && !path.ends_with("/set-ups.csv");
            let is_seal = path.ends_with("/manifest.json") && path != "results/manifest.json";
            has_numbers || is_seal
        }
        _ => true,
    }
}

/// Returns an archive of the wanted files below a root, and an index with the hash and path of each file, one per
/// line. The files are sorted and stored without times and owners, so that equal files give equal bytes.
fn archive(root: &Path) -> Done<(Vec<u8>, String)> {
    let mut index = String::new();
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    for folder in ["examples/mechanisms", "experiments", "results"] {
        // Changes below `results` alone do not trigger a rebuild; otherwise every reproduction would.
        if folder != "results" {
            println!("cargo::rerun-if-changed={}", root.join(folder).display());
        }
        for entry in WalkDir::new(root.join(folder)).sort_by_file_name().into_iter().filter_entry(is_visible) {
            let entry = entry?;
            let path = entry.path().strip_prefix(root)?.to_string_lossy().replace('\\', "/");
            if entry.file_type().is_dir() || !is_wanted(&path) {
                continue;
            }
            println!("cargo::rerun-if-changed={}", entry.path().display());
            let content = fs::read(entry.path())?;
            index += &format!("{} {path}\n", blake3::hash(&content).to_hex());
            append(&mut builder, &path, &content)?;
        }
    }
    Ok((builder.into_inner()?.finish()?, index))
}

fn append(builder: &mut tar::Builder<impl Write>, path: &str, content: &[u8]) -> Done<()> {
    let mut header = tar::Header::new_gnu();
    header.set_size(content.len() as u64);
    header.set_mode(0o644);
    builder.append_data(&mut header, path, content)?;
    Ok(())
}

/// False for hidden files, which belong to editors and to programs that are still writing.
fn is_visible(entry: &walkdir::DirEntry) -> bool {
    !entry.file_name().to_string_lossy().starts_with('.')
}
