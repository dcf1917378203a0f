//! `mbsbench list`.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{CommandError, Format, Listed};
use crate::experiment::read_id;
use crate::input::{BadInput, Document, Node};
use crate::output::Output;
use crate::registry::{Entry, Kind, Registry};

/// A line of a list: its name, what stands beside it, and all of it for programs.
struct Item {
    name: String,
    about: String,
    json: Value,
}

pub(super) fn list(
    registry: &Registry,
    what: Listed,
    format: Format,
    folder: &Path,
    output: &mut Output<'_>,
) -> Result<(), CommandError> {
    let items = match what {
        Listed::Models => entries(registry.models()),
        Listed::Methods => entries(registry.methods()),
        Listed::Measures => entries(registry.measures()),
        Listed::Experiments => experiments(folder)?,
    };
    if format == Format::Json {
        let items: Vec<Value> = items.into_iter().map(|item| item.json).collect();
        output.line(format!("{:#}", Value::Array(items)))?;
        return Ok(());
    }
    let width = items.iter().map(|item| item.name.chars().count()).max().unwrap_or(0);
    for Item { name, about, .. } in items {
        output.line(format!("{name:width$}  {about}").trim_end())?;
    }
    Ok(())
}

fn entries<K: Kind>(entries: &[Entry<K>]) -> Vec<Item> {
    let item = |entry: &Entry<K>| {
        let mut json = json!({ "name": entry.name(), "summary": entry.summary() });
        for (key, text) in [("family", entry.family()), ("source", entry.source())] {
            if !text.is_empty() {
                json[key] = json!(text);
            }
        }
        json["parameters"] = entry.default_choice().parameters().clone();
        Item { name: entry.name().to_owned(), about: entry.summary().to_owned(), json }
    };
    entries.iter().map(item).collect()
}

/// The experiments below a folder: the YAML files that have an id, in the order of their ids.
fn experiments(folder: &Path) -> Result<Vec<Item>, CommandError> {
    let mut files = Vec::new();
    yaml_files(folder, &mut files)?;
    let mut items = Vec::new();
    let mut bad = Vec::new();
    for path in files {
        let bytes = std::fs::read(&path).map_err(|error| CommandError::Unreadable { path: path.clone(), error })?;
        match experiment(&path, &bytes) {
            Ok(item) => items.extend(item),
            Err(wrong) => bad.push(wrong),
        }
    }
    if !bad.is_empty() {
        return Err(CommandError::BadInput(bad));
    }
    items.sort_by(|a: &Item, b: &Item| a.name.cmp(&b.name));
    Ok(items)
}

fn experiment(path: &Path, bytes: &[u8]) -> Result<Option<Item>, BadInput> {
    let document = Document::parse(path, bytes)?;
    // Ledgers of claims lie beside the experiments.
    if document.root.get("id").is_none() {
        return Ok(None);
    }
    let id = read_id(&document.root).map_err(|problem| document.bad(vec![problem]))?;
    let title = document.root.get("title").and_then(Node::text).unwrap_or_default().to_owned();
    let json = json!({ "id": id, "title": title, "file": path.display().to_string() });
    Ok(Some(Item { name: id, about: title, json }))
}

fn yaml_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), CommandError> {
    let unreadable = |error| CommandError::Unreadable { path: folder.to_owned(), error };
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let path = entry.path();
        if entry.file_type().map_err(unreadable)?.is_dir() {
            yaml_files(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            files.push(path);
        }
    }
    Ok(())
}
