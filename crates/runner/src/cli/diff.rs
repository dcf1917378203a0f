//! `mbsbench diff`: two folders of results, compared by tolerance.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{CommandError, Exit};
use crate::output::Output;

/// How much two numbers may differ.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct DiffOptions {
    /// Allowed difference as a part of the larger number.
    #[arg(long, default_value_t = 1e-6)]
    pub rel: f64,
    /// Allowed difference in the unit of the column.
    #[arg(long, default_value_t = 1e-12)]
    pub abs: f64,
}

/// Files whose content is numbers that do not depend on time or machine.
const COMPARED: [&str; 2] = ["runs.csv", "claims.json"];

/// Compares `runs.csv` and the verdicts of two folders; every difference is a line.
pub(super) fn diff(
    one: &Path,
    other: &Path,
    options: DiffOptions,
    output: &mut Output<'_>,
) -> Result<Exit, CommandError> {
    let (first, second) = (files(one)?, files(other)?);
    let mut differences = 0_usize;
    let mut compared = 0_usize;
    let mut say = |text: String, output: &mut Output<'_>| -> Result<(), CommandError> {
        differences += 1;
        Ok(output.line(text)?)
    };
    for name in first.union(&second) {
        match (first.contains(name), second.contains(name)) {
            (true, false) => say(format!("{}: only in {}", name.display(), one.display()), output)?,
            (false, true) => say(format!("{}: only in {}", name.display(), other.display()), output)?,
            _ => {
                compared += 1;
                let lines = match name.extension().is_some_and(|extension| extension == "json") {
                    true => verdicts(&one.join(name), &other.join(name))?,
                    false => runs(&one.join(name), &other.join(name), options)?,
                };
                for line in lines {
                    say(format!("{}: {line}", name.display()), output)?;
                }
            }
        }
    }
    output.line(format!("{compared} files compared, {differences} differences"))?;
    Ok(if differences == 0 { Exit::Done } else { Exit::Differs })
}

fn files(folder: &Path) -> Result<BTreeSet<PathBuf>, CommandError> {
    fn collect(root: &Path, folder: &Path, files: &mut BTreeSet<PathBuf>) -> std::io::Result<()> {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                collect(root, &path, files)?;
            } else if path.file_name().is_some_and(|name| COMPARED.iter().any(|compared| name == *compared))
                && let Ok(name) = path.strip_prefix(root)
            {
                files.insert(name.to_owned());
            }
        }
        Ok(())
    }
    let mut found = BTreeSet::new();
    collect(folder, folder, &mut found).map_err(|error| CommandError::Unreadable { path: folder.to_owned(), error })?;
    Ok(found)
}

type Rows = BTreeMap<String, BTreeMap<String, String>>;

fn read(path: &Path) -> Result<Rows, CommandError> {
    let unreadable = |error: csv::Error| CommandError::Unreadable { path: path.to_owned(), error: error.into() };
    let mut reader = csv::Reader::from_path(path).map_err(unreadable)?;
    let mut rows = Rows::new();
    for row in reader.deserialize() {
        let row: BTreeMap<String, String> = row.map_err(unreadable)?;
        rows.insert(row.get("run").cloned().unwrap_or_default(), row);
    }
    Ok(rows)
}

fn runs(one: &Path, other: &Path, options: DiffOptions) -> Result<Vec<String>, CommandError> {
    let (first, second) = (read(one)?, read(other)?);
    let mut lines = Vec::new();
    let keys: BTreeSet<&String> = first.keys().chain(second.keys()).collect();
    for key in keys {
        let (Some(a), Some(b)) = (first.get(key), second.get(key)) else {
            let which = if first.contains_key(key) { "first" } else { "second" };
            lines.push(format!("run {key}: only in the {which}"));
            continue;
        };
        let columns: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
        for column in columns {
            let text = |row: &BTreeMap<String, String>| row.get(column).cloned().unwrap_or_default();
            let (x, y) = (text(a), text(b));
            if !same(&x, &y, options) {
                lines.push(format!("run {key}, {column}: {x} and {y}"));
            }
        }
    }
    Ok(lines)
}

fn same(x: &str, y: &str, options: DiffOptions) -> bool {
    if x == y {
        return true;
    }
    match (x.parse::<f64>(), y.parse::<f64>()) {
        (Ok(x), Ok(y)) => (x - y).abs() <= options.abs.max(options.rel * x.abs().max(y.abs())),
        _ => false,
    }
}

/// Statements and checks by id: their verdicts are compared, their numbers stand in `runs.csv`.
fn verdicts(one: &Path, other: &Path) -> Result<Vec<String>, CommandError> {
    type Verdicts = BTreeMap<(&'static str, String), String>;
    let read = |path: &Path| -> Result<Verdicts, CommandError> {
        let unreadable = |error: std::io::Error| CommandError::Unreadable { path: path.to_owned(), error };
        let bytes = std::fs::read(path).map_err(unreadable)?;
        let statements: Vec<serde_json::Value> =
            serde_json::from_slice(&bytes).map_err(|error| unreadable(error.into()))?;
        let text = |value: &serde_json::Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let entry = |kind, value| ((kind, text(value, "id")), text(value, "verdict"));
        let checks = statements.iter().filter_map(|statement| statement["checks"].as_array()).flatten();
        let statements = statements.iter().map(|statement| entry("statement", statement));
        Ok(statements.chain(checks.map(|check| entry("check", check))).collect())
    };
    let (first, second) = (read(one)?, read(other)?);
    let ids: BTreeSet<&(&str, String)> = first.keys().chain(second.keys()).collect();
    let verdict = |verdicts: &Verdicts, id: &(&'static str, String)| {
        verdicts.get(id).cloned().unwrap_or_else(|| format!("no such {}", id.0))
    };
    Ok(ids
        .into_iter()
        .map(|id| (id, verdict(&first, id), verdict(&second, id)))
        .filter(|(_, a, b)| a != b)
        .map(|((kind, id), a, b)| format!("{kind} {id}: {a} and {b}"))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_same_within_tolerance_and_texts_to_the_letter() {
        let options = DiffOptions { rel: 1e-6, abs: 1e-12 };
        assert!(same("1.0000001", "1", options) && same("5e-14", "9e-14", options) && same("", "", options));
        assert!(!same("1.00001", "1", options) && !same("ok", "diverged", options) && !same("", "0", options));
        assert!(!same("NaN", "1", options));
    }
}
