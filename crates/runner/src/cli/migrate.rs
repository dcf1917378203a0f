//! `mbsbench migrate`: experiment files of an older format in the present one.

use std::path::{Path, PathBuf};

use mbsbench_experiment::plan::Plan;
use mbsbench_experiment::{Registry, SCHEMA, registry::renamings};
use mbsbench_input::{BadInput, Document, Place, write_atomically};

use super::CommandError;
use crate::output::Output;

/// A file in the present format.
struct Migrated {
    text: String,
    /// How many words are other ones.
    renamed: usize,
}

/// Writes files in the present format, and nothing else of them: comments and layout stay, and so do the keys of all runs. All files
/// are read before the first is written.
pub(super) fn migrate(registry: &Registry, files: &[PathBuf], output: &mut Output<'_>) -> Result<(), CommandError> {
    let mut all = Vec::with_capacity(files.len());
    for path in files {
        all.push((path, migrated(registry, path)?));
    }
    for (path, migrated) in all {
        let Some(Migrated { text, renamed }) = migrated else {
            output.line(format!("{}: has the present format", path.display()))?;
            continue;
        };
        write_atomically(path, text.as_bytes()).map_err(|error| CommandError::Store { path: path.clone(), error })?;
        let words = format!("{renamed} parameter{} renamed", if renamed == 1 { "" } else { "s" });
        output.line(format!("{}: format {SCHEMA}, {words}", path.display()))?;
    }
    Ok(())
}

/// A file in the present format; none where it has that already.
fn migrated(registry: &Registry, path: &Path) -> Result<Option<Migrated>, CommandError> {
    let bytes = mbsbench_input::read_file(path, mbsbench_input::LARGEST_TEXT)
        .map_err(|error| CommandError::Unreadable { path: path.to_owned(), error })?;
    let bad = |wrong: BadInput| CommandError::BadInput(vec![wrong]);
    let document = Document::parse(path, &bytes).map_err(bad)?;
    let plan = Plan::read(path, &bytes, registry, false).map_err(bad)?;
    if plan.experiment.schema == SCHEMA {
        return Ok(None);
    }
    let text = document.source.text();
    let renamings = renamings(&document.root);
    let mut edits: Vec<(Place, String)> = Vec::new();
    for renaming in &renamings {
        let word = &text[renaming.place.start..renaming.place.end];
        edits.push((renaming.place, word.replace(renaming.old, renaming.present)));
    }
    edits.push(match document.root.get("schema") {
        Some(node) => (node.place, SCHEMA.to_string()),
        None => {
            let first = document.root.entries().first().map_or(0, |entry| entry.key.place.start);
            (Place::new(first, first), format!("schema: {SCHEMA}\n"))
        }
    });
    let text = edited(text, edits);
    let again = Plan::read(path, text.as_bytes(), registry, false).map_err(bad)?;
    if again.runs.iter().map(|run| run.key()).ne(plan.runs.iter().map(|run| run.key())) {
        return Err(CommandError::NotMigrated(path.to_owned()));
    }
    Ok(Some(Migrated { text, renamed: renamings.len() }))
}

/// A text with other words at some places.
fn edited(text: &str, mut edits: Vec<(Place, String)>) -> String {
    edits.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
    edits.into_iter().fold(text.to_owned(), |mut text, (place, word)| {
        text.replace_range(place.start..place.end, &word);
        text
    })
}
