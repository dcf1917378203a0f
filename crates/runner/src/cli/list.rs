//! `mbsbench list`.

use std::path::{Path, PathBuf};

use mbsbench_experiment::read_id;
use mbsbench_experiment::registry::{Entry, Kind};
use mbsbench_input::{BadInput, Document, Node};
use mbsbench_judge::publication::Publication;
use serde_json::{Value, json};

use super::files::{Library, experiment_files, paper_of, papers};
use super::{CommandError, Format, Listed};
use crate::output::Output;

/// What marks a line about something that is built in, beside what is the user's own.
const BUILTIN: &str = "(built in)";

/// A line of a list: its name, what it is, and all of it for programs.
struct Item {
    name: String,
    about: String,
    json: Value,
}

pub(super) fn list(
    library: Library<'_>,
    what: Listed,
    format: Format,
    folder: Option<&Path>,
    output: &mut Output<'_>,
) -> Result<(), CommandError> {
    let items = match what {
        Listed::Models => entries(library.registry.models()),
        Listed::Methods => entries(library.registry.methods()),
        Listed::Measures => entries(library.registry.measures()),
        Listed::Experiments => match folder {
            Some(folder) => experiments(&experiment_files(folder)?)?,
            None => experiments(&library.files(|_| true)?)?,
        },
        Listed::Papers => publications(library)?,
        Listed::Statements => statements(library)?,
    };
    if format == Format::Json {
        let items: Vec<Value> = items.into_iter().map(|item| item.json).collect();
        output.line(format!("{:#}", Value::Array(items)))?;
        return Ok(());
    }
    let is_own = matches!(what, Listed::Experiments | Listed::Papers | Listed::Statements) && folder.is_none();
    let width = items.iter().map(|item| item.name.chars().count()).max().unwrap_or(0);
    for Item { name, about, .. } in items {
        let mark = if is_own && library.is_beside(paper_of(&name)) { BUILTIN } else { "" };
        output.line(format!("{name:width$}  {about} {mark}").trim_end())?;
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

/// The experiments in files, in the order of their ids.
fn experiments(files: &[PathBuf]) -> Result<Vec<Item>, CommandError> {
    let mut items = Vec::new();
    let mut bad = Vec::new();
    for path in files {
        let bytes = mbsbench_input::read_file(path, mbsbench_input::LARGEST_TEXT)
            .map_err(|error| CommandError::Unreadable { path: path.clone(), error })?;
        match experiment(path, &bytes) {
            Ok(item) => items.push(item),
            Err(wrong) => bad.push(wrong),
        }
    }
    if !bad.is_empty() {
        return Err(CommandError::BadInput(bad));
    }
    items.sort_by(|a: &Item, b: &Item| a.name.cmp(&b.name));
    Ok(items)
}

fn experiment(path: &Path, bytes: &[u8]) -> Result<Item, BadInput> {
    let document = Document::parse(path, bytes)?;
    let id = read_id(&document.root).map_err(|problem| document.bad(vec![problem]))?;
    let title = document.root.get("title").and_then(Node::text).unwrap_or_default().to_owned();
    let json = json!({ "id": id, "title": title, "file": path.display().to_string() });
    Ok(Item { name: id, about: title, json })
}

/// The papers and sets, as the report has them.
fn publications(library: Library<'_>) -> Result<Vec<Item>, CommandError> {
    let item = |(id, publication): (String, Publication)| Item {
        about: publication.citation(),
        json: publication.to_json(&id),
        name: id,
    };
    Ok(library.publications(library.papers()?)?.into_iter().map(item).collect())
}

/// The statements of all papers and our findings, in the order of their ledgers.
fn statements(library: Library<'_>) -> Result<Vec<Item>, CommandError> {
    let plans = library.plans(false)?;
    let mut items = Vec::new();
    for paper in papers(&plans) {
        let Some(ledger) = library.ledger(&paper, &plans)? else { continue };
        let statements = ledger.statements.into_iter().map(|statement| (false, statement));
        for (is_finding, statement) in statements.chain(ledger.findings.into_iter().map(|finding| (true, finding))) {
            let checks: Vec<&str> = statement.checks.iter().map(|check| check.id.as_str()).collect();
            items.push(Item {
                json: json!({
                    "id": statement.id, "paper": paper, "finding": is_finding, "place": statement.place,
                    "statement": statement.says, "holds": statement.holds, "expected": statement.expected(), "checks": checks,
                }),
                name: format!("{paper}/{}", statement.id),
                about: statement.says,
            });
        }
    }
    Ok(items)
}
