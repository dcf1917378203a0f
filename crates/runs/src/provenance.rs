//! The provenance of results: program, toolchain, machine, date and every input. It is stored beside the results and
//! does not enter them.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::{Map, Value, json};

use crate::execute::timing::machine;
use crate::seal::{FILE, FileError, OUTPUTS, Whole, alone, hash, put};

/// Writes `manifest.json` into `results` and into `here`, with the roots of all folders of results. If the manifest in
/// `results` has the same inputs and outputs, the rest of it stays, because it states when, where and by which program
/// these results were first computed. The one in `here` is always current.
///
/// # Errors
/// Returns the file that could not be read or written.
pub fn write(
    results: &Path,
    here: &Path,
    fingerprint: &str,
    inputs: &[PathBuf],
    outputs: &[PathBuf],
) -> Result<(), FileError> {
    let _alone = alone(results);
    // A clock may show any year, but only those from 1970 to 9999 can be written.
    let first = SystemTime::UNIX_EPOCH;
    let date = SystemTime::now().clamp(first, first + Duration::from_secs(253_402_300_799));
    let provenance = json!({
        "date": humantime::format_rfc3339_seconds(date).to_string(),
        "program": { "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION"), "sources": fingerprint },
        "toolchain": { "compiler": env!("MBSBENCH_COMPILER"), "target": env!("MBSBENCH_TARGET") },
        "machine": machine(),
        "inputs": hashes(inputs)?,
        OUTPUTS: hashes(outputs)?,
    });
    let mut manifest = Whole::of(results, provenance);
    put(&here.join(FILE), manifest.text().as_bytes())?;
    if let Ok(Some(old)) = Whole::read(results)
        && ["inputs", OUTPUTS].iter().all(|&key| old.provenance[key] == manifest.provenance[key])
    {
        manifest.provenance = old.provenance;
    }
    put(&results.join(FILE), manifest.text().as_bytes())
}

/// Returns the BLAKE3 hash of each file, by its path.
fn hashes(files: &[PathBuf]) -> Result<Value, FileError> {
    let mut hashes = Map::new();
    for path in files {
        let bytes = mbsbench_input::read_file(path, mbsbench_input::LARGEST_DATA).map_err(FileError::of(path))?;
        hashes.insert(path.display().to_string(), json!(hash(&bytes)));
    }
    Ok(Value::Object(hashes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_is_kept_with_its_results() {
        let folder = tempfile::tempdir().unwrap();
        let here = tempfile::tempdir().unwrap();
        let input = folder.path().join("input.yaml");
        std::fs::write(&input, "id: a/b").unwrap();
        let inputs = [input.clone()];
        let manifest =
            |folder: &Path| -> Value { serde_json::from_slice(&std::fs::read(folder.join(FILE)).unwrap()).unwrap() };
        let make = |sources: &str| write(folder.path(), here.path(), sources, &inputs, &[]).unwrap();
        make("sources");
        let mut first = manifest(folder.path());
        assert!(first["date"].as_str().unwrap().ends_with('Z'));
        assert_eq!(manifest(here.path()), first);
        // Another day, machine or program does not change the first manifest, but is in the one beside it.
        first["date"] = json!("2001-01-01T00:00:00Z");
        first["machine"] = json!("another");
        std::fs::write(folder.path().join(FILE), first.to_string()).unwrap();
        make("other sources");
        assert_eq!(manifest(folder.path()), first);
        assert_eq!(manifest(here.path())["program"]["sources"], "other sources");
        std::fs::write(&input, "id: a/c").unwrap();
        make("other sources");
        assert_eq!(manifest(folder.path()), manifest(here.path()));
        assert_ne!(manifest(folder.path())["inputs"], first["inputs"]);
    }
}
