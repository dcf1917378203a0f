//! `mbsbench new`: commented templates for the files of a paper.

use std::path::Path;

use clap::Subcommand;
use mbsbench_experiment::is_safe_name;
use mbsbench_input::Document;
use mbsbench_judge::claims::{Book, Ledger};
use mbsbench_judge::publication::FILE;

use super::Command;
use crate::cli::{CommandError, Exit, Library, Result, Session, plans_beside, read_unlocked, write};

/// Create a paper, experiment or statement of your own from a commented template.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  mbsbench new paper mine2026\n  mbsbench new experiment mine2026/pendulum")]
pub(super) struct New {
    /// Kind of template.
    #[command(subcommand)]
    what: Start,
}

/// A kind of template.
#[derive(Debug, Subcommand)]
enum Start {
    /// Create a paper or a set of problems: a directory with `paper.yaml`.
    #[command(after_help = "Examples:\n  mbsbench new paper mine2026")]
    Paper {
        /// Name of the directory, by convention first author and year (`modin2005`).
        id: String,
    },
    /// Create an experiment of a paper.
    #[command(after_help = "Examples:\n  mbsbench new experiment mine2026/pendulum")]
    Experiment {
        /// Paper and a name for the experiment.
        #[arg(value_name = "PAPER/NAME")]
        id: String,
    },
    /// Create a statement in the ledger of a paper.
    #[command(after_help = "Examples:\n  mbsbench new statement mine2026/figure-3/work --experiment pendulum")]
    Statement {
        /// Paper and a name for the statement, which may have several parts.
        #[arg(value_name = "PAPER/NAME")]
        id: String,
        /// Experiment that tests it [default: first of the paper].
        #[arg(long, value_name = "NAME")]
        experiment: Option<String>,
    },
}

impl Command for New {
    /// Writes a template that passes `check`, and names the next step.
    fn run(&self, session: &mut Session<'_>) -> Result<Exit> {
        let [written, next] = match &self.what {
            Start::Paper { id } => paper(session, id)?,
            Start::Experiment { id } => experiment(session, id)?,
            Start::Statement { id, experiment } => statement(session.library, id, experiment.as_deref())?,
        };
        session.output.println(written)?;
        session.output.println(format!("next: {next}"))?;
        Ok(Exit::Done)
    }
}

/// The path that was written, and the next step.
type Begun = Result<[String; 2]>;

fn paper(session: &mut Session<'_>, id: &str) -> Begun {
    if !is_safe_name(id) {
        return Err(CommandError::no_name(id, "an id like `modin2005`"));
    }
    let year: String = id.chars().skip_while(|letter| !letter.is_ascii_digit()).take(4).collect();
    let year = year.parse().ok().filter(|year: &u16| (1600..2200).contains(year)).unwrap_or(2000);
    let text = include_str!("starts/paper.yaml").replace("{paper}", id).replace("{year}", &year.to_string());
    let path = create(session, id, FILE, &text)?;
    Ok([path, format!("mbsbench new experiment {id}/NAME")])
}

fn experiment(session: &mut Session<'_>, id: &str) -> Begun {
    let (paper, name) = parts(id)?;
    if !is_safe_name(name) || [FILE, "claims.yaml", "anchors.yaml"].contains(&format!("{name}.yaml").as_str()) {
        return Err(CommandError::no_name(id, "a name like `modin2005/bouncing-ball`"));
    }
    let text = include_str!("starts/experiment.yaml").replace("{paper}", paper).replace("{name}", name);
    let path = create(session, paper, &format!("{name}.yaml"), &text)?;
    let next = format!("mbsbench run {path}, and mbsbench new statement {paper}/NAME");
    Ok([path, next])
}

fn statement(library: &Library<'_>, id: &str, experiment: Option<&str>) -> Begun {
    let (paper, name) = parts(id)?;
    if !name.split('/').all(is_safe_name) {
        return Err(CommandError::no_name(id, "a name like `modin2005/figure-3/work`"));
    }
    let path = library.experiments.join(paper).join("claims.yaml");
    let plans =
        if path.parent().is_some_and(Path::exists) { plans_beside(library.registry, &path)? } else { Vec::new() };
    if plans.is_empty() {
        return Err(CommandError::no_experiment(paper));
    }
    let plan = match experiment {
        Some(wanted) => plans.iter().find(|plan| plan.experiment.is_called(wanted, paper)),
        None => plans.first(),
    };
    let Some(plan) = plan else {
        let known = plans.iter().map(|plan| plan.experiment.id.clone());
        return Err(CommandError::unknown("experiment", experiment.unwrap_or_default(), known));
    };
    let ledger = library.ledger_file(paper, Book::Claims)?;
    let before = match &ledger {
        Some(path) => {
            let ledger = read_unlocked(path, &plans)?;
            if ledger.statements.iter().chain(&ledger.findings).any(|statement| statement.id == name) {
                return Err(exists(&format!("`{name}` of {}", path.display())));
            }
            mbsbench_input::read_text(path, mbsbench_input::LARGEST_TEXT).map_err(CommandError::unreadable(path))?
        }
        None => include_str!("starts/ledger.yaml").replace("{paper}", paper),
    };
    let short = plan.experiment.id.strip_prefix(&format!("{paper}/")).unwrap_or(&plan.experiment.id);
    let column = plan.runs.first().and_then(|run| run.columns().into_iter().next());
    let start = include_str!("starts/statement.yaml")
        .replace("{name}", name)
        .replace("{experiment}", short)
        .replace("{column}", column.as_deref().unwrap_or("steps_accepted"));
    let at = match &ledger {
        Some(path) => end_of_statements(path, &before)?,
        None => before.len(),
    };
    let text = format!("{}{start}{}", &before[..at], &before[at..]);
    // A ledger that could not be read back, for example after a list in braces or in an older format, is not written.
    Document::parse(&path, text.as_bytes())
        .and_then(|document| Ledger::read_unlocked(&document, Book::Claims, &plans))?;
    write(&path, &text)?;
    let line = text[..at].lines().count() + 1;
    let next = format!("write it, mbsbench ledger lock {paper}, mbsbench reproduce {paper}");
    Ok([format!("{}:{line}", path.display()), next])
}

/// Returns the position in the text of a ledger at which a statement can be appended: after the last line of
/// `statements:`.
fn end_of_statements(path: &Path, text: &str) -> Result<usize> {
    let document = Document::parse(path, text.as_bytes())?;
    let mut after = document.root.entries().iter().skip_while(|entry| entry.key.name != "statements").skip(1);
    let body = &text[..after.next().map_or(text.len(), |entry| entry.key.place.start)];
    // Comments before the next key belong to that key.
    let is_own = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
    let lines: Vec<&str> = body.split_inclusive('\n').collect();
    let kept = lines.iter().rposition(is_own).map_or(0, |last| last + 1);
    Ok(lines[..kept].iter().map(|line| line.len()).sum())
}

/// Splits a name into its paper and the rest.
fn parts(id: &str) -> Result<(&str, &str)> {
    let found = id.split_once('/').filter(|(paper, _)| is_safe_name(paper));
    found.ok_or_else(|| CommandError::no_name(id, "the paper and a name, `modin2005/…`"))
}

fn exists(what: &str) -> CommandError {
    CommandError::Refused(format!("{what} already exists; nothing was written"))
}

/// Creates a file of a paper, reports if its folder replaces a built-in paper, and returns the path.
fn create(session: &mut Session<'_>, paper: &str, name: &str, text: &str) -> Result<String> {
    let folder = session.library.experiments.join(paper);
    if mbsbench_builtin::papers().contains(paper) && !folder.exists() {
        session.output.eprintln(format!(
            "{} replaces the built-in paper `{paper}`; to copy the built-in one instead, use `mbsbench init .`",
            folder.display()
        ));
    }
    let path = folder.join(name);
    if path.exists() {
        return Err(exists(&path.display().to_string()));
    }
    write(&path, text)?;
    Ok(path.display().to_string())
}
