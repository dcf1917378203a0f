//! `mbsbench new`: commented starts of the files of a paper.

use std::path::Path;

use clap::Subcommand;
use mbsbench_experiment::is_safe_name;
use mbsbench_experiment::plan::Plan;
use mbsbench_input::{Document, write_atomically};
use mbsbench_judge::claims::{Book, Ledger};
use mbsbench_judge::publication::FILE;

use super::CommandError;
use super::files::{Library, plans_beside, read_unlocked, read_with};
use crate::output::Output;

/// A kind of template.
#[derive(Debug, Clone, Subcommand)]
pub enum Start {
    /// Begin a paper or a set of problems: a directory with `paper.yaml`.
    Paper {
        /// Name of the directory, by convention first author and year (`modin2005`).
        id: String,
    },
    /// Begin an experiment of a paper.
    Experiment {
        /// Paper and a name for the experiment.
        #[arg(value_name = "PAPER/NAME")]
        id: String,
    },
    /// Begin a statement in the ledger of a paper.
    Statement {
        /// Paper and a name for the statement, which may have several parts.
        #[arg(value_name = "PAPER/NAME")]
        id: String,
        /// Experiment that tests it [default: first of the paper].
        #[arg(long, value_name = "NAME")]
        experiment: Option<String>,
    },
}

/// Writes a start that `check` accepts, and says what comes next.
pub(super) fn new(library: Library<'_>, start: &Start, output: &mut Output<'_>) -> Result<(), CommandError> {
    match start {
        Start::Paper { id } => paper(library, id, output),
        Start::Experiment { id } => experiment(library, id, output),
        Start::Statement { id, experiment } => statement(library, id, experiment.as_deref(), output),
    }
}

fn paper(library: Library<'_>, id: &str, output: &mut Output<'_>) -> Result<(), CommandError> {
    if !is_safe_name(id) {
        return Err(CommandError::NoName { found: id.to_owned(), accepted: "an id like `modin2005`" });
    }
    let year: String = id.chars().skip_while(|letter| !letter.is_ascii_digit()).take(4).collect();
    let year = year.parse().ok().filter(|year: &u16| (1600..2200).contains(year)).unwrap_or(2000);
    let text = include_str!("starts/paper.yaml").replace("{paper}", id).replace("{year}", &year.to_string());
    let path = library.experiments.join(id).join(FILE);
    tell_replaced(library, id, output);
    create(&path, &text)?;
    output.line(path.display().to_string())?;
    output.line(format!("next: mbsbench new experiment {id}/NAME"))?;
    Ok(())
}

fn experiment(library: Library<'_>, id: &str, output: &mut Output<'_>) -> Result<(), CommandError> {
    let (paper, name) = parts(id)?;
    if !is_safe_name(name) || [FILE, "claims.yaml", "anchors.yaml"].contains(&format!("{name}.yaml").as_str()) {
        return Err(CommandError::NoName { found: id.to_owned(), accepted: "a name like `modin2005/bouncing-ball`" });
    }
    let text = include_str!("starts/experiment.yaml").replace("{paper}", paper).replace("{name}", name);
    let path = library.experiments.join(paper).join(format!("{name}.yaml"));
    tell_replaced(library, paper, output);
    create(&path, &text)?;
    output.line(path.display().to_string())?;
    output.line(format!("next: mbsbench run {}, and mbsbench new statement {paper}/NAME", path.display()))?;
    Ok(())
}

fn statement(
    library: Library<'_>,
    id: &str,
    experiment: Option<&str>,
    output: &mut Output<'_>,
) -> Result<(), CommandError> {
    let (paper, name) = parts(id)?;
    if !name.split('/').all(is_safe_name) {
        return Err(CommandError::NoName { found: id.to_owned(), accepted: "a name like `modin2005/figure-3/work`" });
    }
    let path = library.experiments.join(paper).join("claims.yaml");
    let plans =
        if path.parent().is_some_and(Path::exists) { plans_beside(library.registry, &path)? } else { Vec::new() };
    if plans.is_empty() {
        return Err(CommandError::NoExperiment { paper: paper.to_owned() });
    }
    let known = || plans.iter().map(|plan| plan.experiment.id.clone()).collect();
    let plan = match experiment {
        Some(wanted) => plans.iter().find(|plan| plan.experiment.is_called(wanted, paper)),
        None => plans.first(),
    };
    let Some(plan) = plan else {
        let found = experiment.unwrap_or_default().to_owned();
        return Err(CommandError::UnknownName { kind: "experiment", found, known: known() });
    };
    let ledger = library.ledger_file(paper, Book::Claims)?;
    let before = match &ledger {
        Some(path) => {
            let ledger = read_unlocked(path, &plans)?;
            let taken: Vec<&str> =
                ledger.statements.iter().chain(&ledger.findings).map(|statement| statement.id.as_str()).collect();
            if taken.contains(&name) {
                return Err(CommandError::Exists { path: path.clone(), what: Some(name.to_owned()) });
            }
            mbsbench_input::read_text(path, mbsbench_input::LARGEST_TEXT)
                .map_err(|error| CommandError::Unreadable { path: path.clone(), error })?
        }
        None => include_str!("starts/ledger.yaml").replace("{paper}", paper),
    };
    let short = plan.experiment.id.strip_prefix(&format!("{paper}/")).unwrap_or(&plan.experiment.id);
    let start = include_str!("starts/statement.yaml")
        .replace("{name}", name)
        .replace("{experiment}", short)
        .replace("{column}", &column(plan));
    let at = match &ledger {
        Some(path) => end_of_statements(path, &before)?,
        None => before.len(),
    };
    let text = format!("{}{start}{}", &before[..at], &before[at..]);
    // What cannot be read again, after a list in braces or a file in an older format, is not written.
    Document::parse(&path, text.as_bytes())
        .and_then(|document| Ledger::read_unlocked(&document, Book::Claims, &plans))
        .map_err(|wrong| CommandError::BadInput(vec![wrong]))?;
    write_atomically(&path, text.as_bytes()).map_err(|error| CommandError::Store { path: path.clone(), error })?;
    let line = text[..at].lines().count() + 1;
    output.line(format!("{}:{line}", path.display()))?;
    output.line(format!("next: write it, mbsbench lock {paper}, mbsbench reproduce {paper}"))?;
    Ok(())
}

/// The first number that the runs of an experiment measure.
fn column(plan: &Plan) -> String {
    let measured = plan.runs.first().and_then(|run| run.columns().into_iter().next());
    measured.unwrap_or_else(|| "steps_accepted".to_owned())
}

/// Where, in the text of a ledger, a statement can follow the last one: behind the last line of `statements:`.
fn end_of_statements(path: &Path, text: &str) -> Result<usize, CommandError> {
    let next = read_with(path, |document: &Document| {
        let keys: Vec<_> =
            document.root.entries().iter().map(|entry| (entry.key.name.clone(), entry.key.place)).collect();
        let own = keys.iter().position(|(name, _)| name == "statements");
        let after = own.and_then(|own| keys.get(own + 1));
        Ok(after.map(|(_, place)| place.start))
    })?;
    let body = &text[..next.unwrap_or(text.len())];
    // Comments before the next key are its own.
    let is_own = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
    let lines: Vec<&str> = body.split_inclusive('\n').collect();
    let kept = lines.iter().rposition(is_own).map_or(0, |last| last + 1);
    Ok(lines[..kept].iter().map(|line| line.len()).sum())
}

/// The paper and the rest of a name.
fn parts(id: &str) -> Result<(&str, &str), CommandError> {
    let found = id.split_once('/').filter(|(paper, _)| is_safe_name(paper));
    found
        .ok_or_else(|| CommandError::NoName { found: id.to_owned(), accepted: "the paper and a name, `modin2005/…`" })
}

/// Says that a new folder replaces a built-in paper, if it does.
fn tell_replaced(library: Library<'_>, paper: &str, output: &mut Output<'_>) {
    let folder = library.experiments.join(paper);
    if mbsbench_builtin::papers().contains(paper) && !folder.exists() {
        output.beside(format!(
            "{} replaces the built-in paper `{paper}`; `mbsbench init .` writes that one",
            folder.display()
        ));
    }
}

/// Writes a file that is not there yet.
fn create(path: &Path, text: &str) -> Result<(), CommandError> {
    if path.exists() {
        return Err(CommandError::Exists { path: path.to_owned(), what: None });
    }
    write_atomically(path, text.as_bytes()).map_err(|error| CommandError::Store { path: path.to_owned(), error })
}
