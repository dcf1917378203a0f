//! Packs what is built in: all experiments, the mechanisms that they name, and the numbers of all results with the manifests that seal them.
//! Figures and pages are not packed: they would double the archive, and `mbsbench reproduce` draws them.

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
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../..");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let (archive, index) = archive(&root)?;
    fs::write(out.join("builtin.tar.gz"), &archive)?;
    fs::write(out.join("index.txt"), index)?;
    println!("cargo::rustc-env=MBSBENCH_BUILTIN_HASH={}", blake3::hash(&archive).to_hex());
    Ok(())
}

/// Whether a file, by its path in the repository, is built in.
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

/// The wanted files below a root, sorted, without times and owners, so that the same files give the same bytes; and their hashes and paths,
/// a line each.
fn archive(root: &Path) -> Done<(Vec<u8>, String)> {
    let mut index = String::new();
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    for folder in ["examples/mechanisms", "experiments", "results"] {
        // A new file of results is seen with the next change; it would else be one after every reproduction.
        if folder != "results" {
            println!("cargo::rerun-if-changed={}", root.join(folder).display());
        }
        for entry in WalkDir::new(root.join(folder)).sort_by_file_name().into_iter().filter_entry(is_visible) {
            let entry = entry.map_err(|error| format!("{error}; the crate is built inside of the repository"))?;
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

/// Hidden files are those of editors and of programs that write.
fn is_visible(entry: &walkdir::DirEntry) -> bool {
    !entry.file_name().to_string_lossy().starts_with('.')
}
