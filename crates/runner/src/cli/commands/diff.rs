//! `mbsbench diff`: compares two folders of results within a tolerance.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::Command;
use crate::cli::{CommandError, Exit, Result, RunsTable, Session, read_data};

/// Compare two results directories within a tolerance.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  mbsbench diff results/gil2013 elsewhere/gil2013 --rel 1e-3")]
pub(super) struct Diff {
    /// One results directory.
    #[arg(value_name = "DIR")]
    one: PathBuf,
    /// The other.
    #[arg(value_name = "OTHER")]
    other: PathBuf,
    /// Relative tolerance.
    #[arg(long, value_name = "NUMBER", default_value = "1e-6", value_parser = tolerance, allow_negative_numbers = true)]
    rel: f64,
}

/// The difference that is always allowed, in the unit of the column.
const ABSOLUTE: f64 = 1e-12;

/// Parses a finite number that is not negative.
fn tolerance(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "accepted: a finite number, zero or above".to_owned())
}

/// Files with numbers that do not depend on time or machine.
const COMPARED: [&str; 2] = ["runs.csv", "claims.json"];

/// The column that is not compared: the message of a failure. It contains numbers that are rounded differently on other
/// processors, and results of earlier versions do not have it. The failure itself is compared by its status.
const WORDS: &str = "message";

/// The column whose reasons are not compared, for they contain numbers, too.
const ASSURANCE: &str = "assurance";

impl Command for Diff {
    /// Compares `runs.csv` and the verdicts of two folders, and prints a line for every difference.
    fn run(&self, Session { output, .. }: &mut Session<'_>) -> Result<Exit> {
        let Self { one, other, rel } = self;
        let (first, second) = (files(one)?, files(other)?);
        if first.is_empty() && second.is_empty() {
            let what = format!("neither this folder nor {} has a {}", other.display(), COMPARED.join(" or a "));
            return Err(CommandError::no_results(one, &what));
        }
        let (mut compared, mut differences) = (0_usize, 0_usize);
        for name in first.union(&second) {
            let lines = match (first.contains(name), second.contains(name)) {
                (true, false) => vec![format!("only in {}", one.display())],
                (false, true) => vec![format!("only in {}", other.display())],
                _ => {
                    compared += 1;
                    let (one, other) = (one.join(name), other.join(name));
                    match name.extension().is_some_and(|extension| extension == "json") {
                        true => verdicts(&one, &other)?,
                        false => runs(&RunsTable::read(&one)?, &RunsTable::read(&other)?, *rel),
                    }
                }
            };
            differences += lines.len();
            lines.iter().try_for_each(|line| output.println(format!("{}: {line}", name.display())))?;
        }
        output.println(format!("{compared} files compared, {differences} differences"))?;
        Ok(if differences == 0 { Exit::Done } else { Exit::Differs })
    }
}

/// Returns the files to be compared below a folder. Links to folders are not followed, because they may form a cycle.
fn files(folder: &Path) -> Result<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    for entry in walkdir::WalkDir::new(folder) {
        let entry = entry.map_err(|error| CommandError::unreadable(folder)(error.into()))?;
        if COMPARED.iter().any(|compared| entry.file_name() == *compared)
            && entry.path().is_file()
            && let Ok(name) = entry.path().strip_prefix(folder)
        {
            found.insert(name.to_owned());
        }
    }
    Ok(found)
}

/// Compares rows with the same key in their order. A run that an experiment contains twice, under two labels, has one
/// key.
fn runs(first: &RunsTable, second: &RunsTable, rel: f64) -> Vec<String> {
    let mut lines = Vec::new();
    let mut common = Vec::new();
    for (index, column) in first.columns.iter().enumerate().filter(|(_, column)| *column != WORDS) {
        match second.position(column) {
            Some(other) => common.push((column, index, other)),
            None => lines.push(format!("column {column}: only in the first")),
        }
    }
    let is_new = |column: &str| first.position(column).is_none() && column != WORDS;
    let only = second.columns.iter().filter(|column| is_new(column));
    lines.extend(only.map(|column| format!("column {column}: only in the second")));
    let keys: BTreeSet<&String> = first.rows.keys().chain(second.rows.keys()).collect();
    for key in keys {
        let (a, b) = (first.rows_of(key), second.rows_of(key));
        match (a.len(), b.len()) {
            (0, _) => lines.push(format!("run {key}: only in the second")),
            (_, 0) => lines.push(format!("run {key}: only in the first")),
            (one, other) if one != other => lines.push(format!("run {key}: {one} rows and {other}")),
            _ => {}
        }
        for (index, (a, b)) in a.iter().zip(b).enumerate() {
            let which = if index == 0 { String::new() } else { format!(" (row {})", index + 1) };
            for &(column, i, j) in &common {
                // `read` ensured that rows are as long as the headings.
                let (x, y) = (&a[i], &b[j]);
                let word = |cell| if column == ASSURANCE { before_reason(cell) } else { cell };
                if !same(word(x), word(y), rel) {
                    lines.push(format!("run {key}{which}, {column}: {x} and {y}"));
                }
            }
        }
    }
    lines
}

/// Returns an assurance without its reason.
fn before_reason(assurance: &str) -> &str {
    assurance.split_once(':').map_or(assurance, |(word, _)| word)
}

/// True if two texts are equal, or are finite numbers within the tolerances.
fn same(x: &str, y: &str, rel: f64) -> bool {
    if x == y {
        return true;
    }
    match (x.parse::<f64>(), y.parse::<f64>()) {
        (Ok(x), Ok(y)) if x.is_finite() && y.is_finite() => (x - y).abs() <= ABSOLUTE.max(rel * x.abs().max(y.abs())),
        _ => false,
    }
}

/// Compares the verdicts of statements and checks by id. Their numbers are compared in `runs.csv`.
fn verdicts(one: &Path, other: &Path) -> Result<Vec<String>> {
    let read = |path: &Path| verdicts_of(&read_data(path)?).map_err(|what| CommandError::no_results(path, &what));
    let (first, second) = (read(one)?, read(other)?);
    let ids: BTreeSet<&(&str, String)> = first.keys().chain(second.keys()).collect();
    let verdict = |verdicts: &Verdicts, id: &(&'static str, String)| {
        verdicts.get(id).cloned().unwrap_or_else(|| format!("no such {}", id.0))
    };
    let both = ids.into_iter().map(|id| (id, verdict(&first, id), verdict(&second, id)));
    Ok(both.filter(|(_, a, b)| a != b).map(|((kind, id), a, b)| format!("{kind} {id}: {a} and {b}")).collect())
}

type Verdicts = BTreeMap<(&'static str, String), String>;

fn verdicts_of(bytes: &[u8]) -> Result<Verdicts, String> {
    let statements: Vec<serde_json::Value> =
        serde_json::from_slice(bytes).map_err(|error| format!("are not verdicts: {error}"))?;
    let checks = statements.iter().filter_map(|statement| statement["checks"].as_array()).flatten();
    let named = statements.iter().map(|each| ("statement", each)).chain(checks.map(|each| ("check", each)));
    let mut verdicts = Verdicts::new();
    for (kind, value) in named {
        let text =
            |key: &str| value[key].as_str().map(str::to_owned).ok_or_else(|| format!("a {kind} without `{key}`"));
        let id = text("id")?;
        if verdicts.insert((kind, id.clone()), text("verdict")?).is_some() {
            return Err(format!("two {kind}s `{id}`"));
        }
    }
    Ok(verdicts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_may_differ_within_tolerance_texts_may_not() {
        let same = |x, y| same(x, y, 1e-6);
        assert!(same("1.0000001", "1") && same("5e-14", "9e-14") && same("", ""));
        assert!(!same("1.00001", "1") && !same("ok", "diverged") && !same("", "0"));
        assert!(!same("NaN", "1"));
        assert!(same("inf", "inf") && !same("inf", "1") && !same("inf", "-inf") && !same("1", "inf"));
    }

    fn compared(one: &str, other: &str) -> Vec<String> {
        let read = |text: &str| RunsTable::parse(text.as_bytes()).unwrap();
        runs(&read(one), &read(other), 1e-6)
    }

    #[test]
    fn rows_of_one_run_are_compared_one_by_one() {
        let twice = "run,label,x\nk,a,1\nk,b,1\n";
        assert_eq!(compared(twice, twice), Vec::<String>::new());
        assert_eq!(compared(twice, "run,label,x\nk,b,1\n"), ["run k: 2 rows and 1", "run k, label: a and b"]);
        assert_eq!(compared(twice, "run,label,x\nk,a,1\nk,b,666\n"), ["run k (row 2), x: 1 and 666"]);
        assert_eq!(compared("run,x\nk,1\n", "run,x\n"), ["run k: only in the first"]);
    }

    #[test]
    fn failure_messages_are_not_compared() {
        let with = "run,status,message\nk,rule,it is 0.1\n";
        assert_eq!(compared("run,status\nk,rule\n", with), Vec::<String>::new());
        assert_eq!(compared(with, "run,status\nk,rule\n"), Vec::<String>::new());
        assert_eq!(compared(with, "run,status,message\nk,rule,it is 0.2\n"), Vec::<String>::new());
        assert_eq!(compared(with, "run,status,message\nk,ok,\n"), ["run k, status: rule and ok"]);
    }

    #[test]
    fn assurances_are_compared_without_their_reasons() {
        let with = |assurance: &str| format!("run,assurance\nk,{assurance}\n");
        let (vouched, opens) = (with("vouched"), with("unvouched: the joint opens by 0.1 m"));
        assert_eq!(compared(&opens, &with("unvouched: the joint opens by 0.2 m")), Vec::<String>::new());
        assert_eq!(compared(&vouched, &opens), ["run k, assurance: vouched and unvouched: the joint opens by 0.1 m"]);
    }

    #[test]
    fn columns_of_one_side_are_a_difference_even_without_rows() {
        let said = compared("run,x,y\n", "run,x,z\n");
        assert_eq!(said, ["column y: only in the first", "column z: only in the second"]);
    }

    #[test]
    fn files_other_than_run_tables_are_refused() {
        let refused = |text: &[u8]| RunsTable::parse(text).unwrap_err();
        assert_eq!(refused(b"run,x,x\nk,1,2\n"), "two columns `x`");
        assert_eq!(refused(b"x\n1\n"), "no column `run`");
        assert!(refused(b"run,x\nk\n").contains("is not a table"));
        assert!(refused(b"run,x\nk,\xff\n").contains("is not a table"));
        assert!(verdicts_of(b"{}").unwrap_err().contains("are not verdicts"));
        assert_eq!(verdicts_of(br#"[{"id": "a"}]"#).unwrap_err(), "a statement without `verdict`");
        let twice = br#"[{"id": "a", "verdict": "x"}, {"id": "a", "verdict": "y"}]"#;
        assert_eq!(verdicts_of(twice).unwrap_err(), "two statements `a`");
    }

    #[test]
    fn tolerances_are_finite_and_not_negative() {
        assert_eq!(tolerance("0"), Ok(0.0));
        for text in ["inf", "nan", "-5", "x"] {
            assert!(tolerance(text).is_err(), "{text}");
        }
    }
}
