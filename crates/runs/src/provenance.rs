//! What made the results: program, toolchain, machine, date and every input. It lies beside the results, and nothing of
//! it is in them.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use mbsbench_input::write_atomically;
use serde_json::{Map, Value, json};

use crate::execute::timing::machine;

/// Writes `manifest.json` into `results`. Where nothing but the date has changed, the old one stays: its date is that of
/// the results.
///
/// # Errors
/// The file that could not be read or written.
pub fn write(results: &Path, fingerprint: &str, inputs: &[PathBuf], outputs: &[PathBuf]) -> Result<(), ManifestError> {
    let path = results.join("manifest.json");
    let content = json!({
        "program": { "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION"), "sources": fingerprint },
        "toolchain": { "compiler": env!("MBSBENCH_COMPILER"), "target": env!("MBSBENCH_TARGET") },
        "machine": machine(),
        "inputs": hashes(inputs)?,
        "outputs": hashes(outputs)?,
    });
    let old: Option<Value> = std::fs::read(&path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    if old.is_some_and(|old| content.as_object().is_some_and(|new| new.iter().all(|(key, value)| old[key] == *value))) {
        return Ok(());
    }
    let mut manifest = json!({ "date": humantime::format_rfc3339_seconds(SystemTime::now()).to_string() });
    if let (Value::Object(manifest), Value::Object(content)) = (&mut manifest, content) {
        manifest.extend(content);
    }
    write_atomically(&path, format!("{manifest:#}\n").as_bytes()).map_err(|error| ManifestError { path, error })
}

/// A manifest cannot be made.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {error}", path = path.display())]
pub struct ManifestError {
    /// The file that could not be read or written.
    pub path: PathBuf,
    /// Why.
    pub error: std::io::Error,
}

/// blake3 of each file, by its path.
fn hashes(files: &[PathBuf]) -> Result<Value, ManifestError> {
    let mut hashes = Map::new();
    for path in files {
        let bytes = mbsbench_input::read_file(path, mbsbench_input::LARGEST_DATA)
            .map_err(|error| ManifestError { path: path.clone(), error })?;
        hashes.insert(path.display().to_string(), json!(blake3::hash(&bytes).to_hex().as_str()));
    }
    Ok(Value::Object(hashes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_date_changes_with_the_content_only() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("input.yaml");
        std::fs::write(&input, "id: a/b").unwrap();
        let inputs = [input.clone()];
        let manifest = || -> Value {
            serde_json::from_slice(&std::fs::read(folder.path().join("manifest.json")).unwrap()).unwrap()
        };
        write(folder.path(), "sources", &inputs, &[]).unwrap();
        let mut first = manifest();
        assert!(first["date"].as_str().unwrap().ends_with('Z'));
        // An old date stays as long as nothing else changes.
        first["date"] = json!("2001-01-01T00:00:00Z");
        std::fs::write(folder.path().join("manifest.json"), first.to_string()).unwrap();
        write(folder.path(), "sources", &inputs, &[]).unwrap();
        assert_eq!(manifest()["date"], "2001-01-01T00:00:00Z");
        std::fs::write(&input, "id: a/c").unwrap();
        write(folder.path(), "sources", &inputs, &[]).unwrap();
        assert_ne!(manifest()["date"], "2001-01-01T00:00:00Z");
        assert_ne!(manifest()["inputs"], first["inputs"]);
    }
}
