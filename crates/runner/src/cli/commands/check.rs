//! `mbsbench check`: checks files of all kinds, each according to its kind.

use std::path::{Path, PathBuf};

use mbsbench_experiment::{Plan, read_robot};
use mbsbench_judge::reconstruction::Scope;
use mbsbench_problem::{Form, Formulated};
use serde_json::Value;

use super::Command;
use crate::cli::{
    Examined, Exit, FileKind, Result, Session, Strict, counted, entries, file_kind, is_file, load, motion,
    plans_beside, read, read_entries, read_ledger, read_publication,
};

/// Check files for mistakes, without running anything.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mbsbench check experiments/gil2013\n  mbsbench check experiments/gil2013/claims.yaml"
)]
pub(super) struct Check {
    /// Files of experiments, mechanisms, robots, equations, methods or papers; or folders.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// For robots, list what was kept, merged, renamed, ignored and left out.
    #[arg(long)]
    read: bool,
    /// Treatment of warnings.
    #[command(flatten)]
    strict: Strict,
}

impl Command for Check {
    fn run(&self, session: &mut Session<'_>) -> Result<Exit> {
        let registry = session.library.registry;
        let all = self.files.iter().map(|path| files_at(path)).collect::<Result<Vec<_>, _>>()?.concat();
        let kinds = all.iter().map(|path| (path, file_kind(path).unwrap_or(FileKind::Experiment)));
        let (experiments, others): (Vec<_>, Vec<_>) = kinds.partition(|(_, kind)| *kind == FileKind::Experiment);
        let files: Vec<PathBuf> = experiments.into_iter().map(|(path, _)| path.clone()).collect();
        let mut plans = load(registry, &files, false)?;
        // If `--quick` changes the experiment, the changed version is checked as well.
        let is_quickened = |(plan, _): &(&Plan, &PathBuf)| {
            !plan.experiment.gathers.is_empty() || plan.experiment.document.root.get("quick").is_some()
        };
        let quickened: Vec<PathBuf> =
            plans.iter().zip(&files).filter(is_quickened).map(|(_, file)| file.clone()).collect();
        load(registry, &quickened, true)?;
        for (plan, file) in plans.iter().zip(&files) {
            if !plan.experiment.given.is_empty() {
                Scope::new(plan, &plans_beside(registry, file)?)?;
            }
            let runs = counted(plan.runs.len(), "run");
            tell(session, file, &format!("{} with {runs}", plan.experiment.id), &plan.notes)?;
        }
        for (path, kind) in others {
            let mut notes = Vec::new();
            let found = match kind {
                FileKind::Experiment => continue,
                FileKind::Method => {
                    let choice = Examined::find(registry, &path.to_string_lossy())?.choice;
                    format!("the method {}, of order {}", choice.label(), choice.object.method().order())
                }
                FileKind::Mechanism | FileKind::Robot => {
                    let mut plan = motion(registry, "mechanism", path, 1.0, &["dop853"])?;
                    notes = std::mem::take(&mut plan.notes);
                    let described = described(&plan);
                    if self.read && kind == FileKind::Robot {
                        notes = read_robot(path, &read(path)?)?;
                    }
                    plans.push(plan);
                    described
                }
                FileKind::Equations => {
                    let plan = motion(registry, "equations", path, 1.0, &["ida"])?;
                    let model = plan.runs.first().map(|run| run.model.object.model());
                    let states = model.map_or(0, |model| Formulated::<f64>::initial_state(&*model).len());
                    format!("equations with {}", counted(states, "state"))
                }
                FileKind::Publication => read_publication(registry, path)?.citation(),
                FileKind::Contenders => {
                    let names = read_entries(registry, path)?.into_iter().map(|entry| entry.label);
                    names.collect::<Vec<_>>().join(", ")
                }
                FileKind::Ledger(book) => {
                    let ledger = read_ledger(path, book, &plans_beside(registry, path)?)?;
                    let statements = counted(ledger.statements.len(), "statement");
                    let findings = counted(ledger.findings.len(), "finding");
                    let checks = counted(ledger.checks().count(), "check");
                    format!("{statements} and {findings} of ours with {checks}, from {}", ledger.paper)
                }
            };
            tell(session, path, &found, &notes)?;
        }
        session.report_left_out(&plans).iter().try_for_each(|line| session.output.println(line))?;
        session.report_warnings(&plans, self.strict)?;
        Ok(Exit::Done)
    }
}

/// The files of known kinds in a folder; a path to anything else is returned unchanged.
fn files_at(path: &Path) -> Result<Vec<PathBuf>> {
    let mut files = if path.is_dir() { entries(path)? } else { Vec::new() };
    files.retain(|file| file.is_file() && is_file(file));
    Ok(if files.is_empty() { vec![path.to_owned()] } else { files })
}

/// Prints the kind of a file, with notes.
fn tell(session: &mut Session<'_>, path: &Path, found: &str, notes: &[String]) -> Result<()> {
    session.output.println(format!("{}: {found}", path.display()))?;
    Ok(notes.iter().try_for_each(|note| session.output.println(format!("  {note}")))?)
}

/// Describes the size of the mechanism of a plan: `a mechanism with 3 bodies, 2 joints, 18 states and 4 constraints`.
fn described(plan: &Plan) -> String {
    let Some(choice) = plan.runs.first().map(|run| &run.model) else { return String::new() };
    let model = choice.object.model();
    let states = Formulated::<f64>::initial_state(&*model).len();
    let (velocities, constraints) = match Formulated::<f64>::ode(&*model).form() {
        Form::Mechanics(mechanics) => (mechanics.dimensions().velocities, mechanics.dimensions().constraints()),
        _ => (states / 2, 0),
    };
    let count = |key: &str| choice.parameter(key).and_then(Value::as_object).map_or(0, |parts| parts.len());
    // Repeated parts have no names before they are expanded, so they cannot be counted here.
    let is_repeated = choice.parameter("repeat").and_then(Value::as_array).is_some_and(|parts| !parts.is_empty());
    let parts = if is_repeated {
        String::new()
    } else {
        format!("{}, {}, ", counted(count("bodies"), "body"), counted(count("joints"), "joint"))
    };
    let freedom = counted(velocities.saturating_sub(constraints), "degree");
    format!("a mechanism with {parts}{states} states and {}: {freedom} of freedom", counted(constraints, "constraint"))
}
