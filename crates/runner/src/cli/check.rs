//! `mbsbench check`, and reading experiment files for any command.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mbsbench_experiment::plan::Plan;
use mbsbench_experiment::registry::Registry;
use mbsbench_input::{BadInput, Problem};
use mbsbench_judge::reconstruction::Scope;
use mbsbench_problem::{Form, Formulated};
use rayon::prelude::*;
use serde_json::Value;

use super::CommandError;
use super::contenders::{self, is_contenders};
use super::files::{book, is_publication, plans_beside, read_ledger, read_publication};
use super::rank::Examined;
use super::recognition::{FileKind, file_kind, is_mechanism, motion};
use crate::output::Output;

/// Reads experiment files and plans their runs; all files are read before the first problem is reported.
///
/// # Errors
/// A file that cannot be read, or everything that is wrong with the files, among it two of one id.
pub fn load(registry: &Registry, files: &[PathBuf], quick: bool) -> Result<Vec<Plan>, CommandError> {
    let read = |path: &PathBuf| {
        let bytes = mbsbench_input::read_file(path, mbsbench_input::LARGEST_TEXT)
            .map_err(|error| CommandError::Unreadable { path: path.clone(), error })?;
        Ok(Plan::read(path, &bytes, registry, quick))
    };
    let read: Vec<Result<Plan, BadInput>> = files.par_iter().map(read).collect::<Result<_, CommandError>>()?;
    let mut plans: Vec<Plan> = Vec::new();
    let mut bad: Vec<BadInput> = Vec::new();
    let mut places: HashMap<String, String> = HashMap::new();
    for plan in read {
        let plan = match plan {
            Ok(plan) => plan,
            Err(wrong) => {
                bad.push(wrong);
                continue;
            }
        };
        let document = &plan.experiment.document;
        let place = document.root.place_of("id");
        let position = document.source.position(place);
        match places.insert(plan.experiment.id.clone(), position) {
            None => plans.push(plan),
            Some(first) => {
                let message = format!("a second experiment `{}`; the first one is {first}", plan.experiment.id);
                let problem = Problem::new(place, message).help("results are kept by id: give one of the two another");
                bad.push(BadInput::new(Arc::clone(&document.source), vec![problem]));
            }
        }
    }
    if bad.is_empty() {
        return Ok(plans);
    }
    let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    Err(no_experiment(bad, &files))
}

/// The error about `files` that are not experiments: the mistakes in them or in files that they name, or that one of `files` is
/// something else.
#[must_use]
pub fn no_experiment(bad: Vec<BadInput>, files: &[&Path]) -> CommandError {
    let other = |wrong: &BadInput| {
        let path = wrong.source().path();
        files.contains(&path).then(|| other_kind(path, FileKind::Experiment)).flatten()
    };
    bad.iter().find_map(other).unwrap_or(CommandError::BadInput(bad))
}

/// The error about a file that is something else than what is wanted; none if it is that, or nothing is known of it.
pub(super) fn other_kind(path: &Path, wanted: FileKind) -> Option<CommandError> {
    let found = file_kind(path).filter(|found| *found != wanted)?;
    Some(CommandError::OtherKind { path: path.to_owned(), found, wanted: wanted.name() })
}

/// Says beside the output what of files changes nothing or has an older word, and how often.
///
/// # Errors
/// [`CommandError::Warnings`] where there is any and `strict` is asked for.
pub(super) fn heed(plans: &[Plan], strict: Strict, output: &mut Output<'_>) -> Result<(), CommandError> {
    let mut count = 0;
    let warned: Vec<Vec<Problem>> = plans.par_iter().map(Plan::warnings).collect();
    for (plan, problems) in plans.iter().zip(warned) {
        let source = &plan.experiment.document.source;
        for Problem { place, message, help, .. } in problems {
            let help = help.map_or_else(String::new, |help| format!("; {help}"));
            output.beside(format!("warning: {}: {message}{help}", source.position(place)));
            count += 1;
        }
    }
    if count > 0 && strict.strict {
        return Err(CommandError::Warnings(count));
    }
    if count > 0 {
        output.beside(warnings(count));
    }
    Ok(())
}

/// Gives lines on how many methods `every` means and leaves out and, beside the output, names those that do not run since the
/// model jumps.
pub(super) fn tell_left_out(plans: &[Plan], output: &mut Output<'_>) -> Vec<String> {
    let mut accounts = Vec::new();
    for plan in plans {
        let id = &plan.experiment.id;
        accounts.extend(plan.accounts().into_iter().map(|line| format!("{id}: {line}")));
        for left_out in plan.left_out().iter().filter(|left_out| !left_out.is_written) {
            output.beside(format!("{id}: left out: {left_out}"));
        }
    }
    accounts
}

/// The parts and the size of the mechanism of a plan: `a mechanism with 3 bodies, 2 joints, 18 states and 4 constraints`.
fn described(plan: &Plan) -> String {
    let Some(choice) = plan.runs.first().map(|run| &run.model) else { return String::new() };
    let model = choice.object().model();
    let states = Formulated::<f64>::initial_state(&*model).len();
    let constraints = match Formulated::<f64>::ode(&*model).form() {
        Form::Mechanics(mechanics) => mechanics.dimensions().constraints(),
        _ => 0,
    };
    let count = |key: &str| choice.parameter(key).and_then(Value::as_object).map_or(0, |parts| parts.len());
    // Parts that are repeated have no names of their own before they are written out.
    let is_repeated = choice.parameter("repeat").and_then(Value::as_array).is_some_and(|parts| !parts.is_empty());
    let parts = if is_repeated {
        String::new()
    } else {
        format!("{}, {}, ", counted(count("bodies"), "body", "bodies"), counted(count("joints"), "joint", "joints"))
    };
    let constraints = counted(constraints, "constraint", "constraints");
    format!("a mechanism with {parts}{states} states and {constraints}")
}

fn counted(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

/// `2 warnings`.
pub(super) fn warnings(count: usize) -> String {
    format!("{count} warning{}", if count == 1 { "" } else { "s" })
}

/// The option `--strict`.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub struct Strict {
    /// Treat warnings as errors.
    #[arg(long)]
    strict: bool,
}

pub(super) fn check(
    registry: &Registry,
    files: &[PathBuf],
    strict: Strict,
    output: &mut Output<'_>,
) -> Result<(), CommandError> {
    let (ledgers, files): (Vec<PathBuf>, Vec<PathBuf>) = files.iter().cloned().partition(|path| book(path).is_some());
    let (publications, files): (Vec<PathBuf>, Vec<PathBuf>) = files.into_iter().partition(|path| is_publication(path));
    let (methods, files): (Vec<PathBuf>, Vec<PathBuf>) =
        files.into_iter().partition(|path| file_kind(path) == Some(FileKind::Method));
    let (mechanisms, files): (Vec<PathBuf>, Vec<PathBuf>) = files.into_iter().partition(|path| is_mechanism(path));
    let (contenders, files): (Vec<PathBuf>, Vec<PathBuf>) = files.into_iter().partition(|path| is_contenders(path));
    let plans = load(registry, &files, false)?;
    // What `--quick` makes of a file has to be in order as well, where it makes something else of it.
    let is_quickened = |(plan, _): &(&Plan, &PathBuf)| {
        !plan.experiment.gathers.is_empty() || plan.experiment.document.root.get("quick").is_some()
    };
    let quickened: Vec<PathBuf> = plans.iter().zip(&files).filter(is_quickened).map(|(_, file)| file.clone()).collect();
    load(registry, &quickened, true)?;
    for (plan, file) in plans.iter().zip(&files) {
        if !plan.experiment.given.is_empty() {
            let beside = plans_beside(registry, file)?;
            Scope::new(plan, &beside).map_err(|bad| CommandError::BadInput(vec![bad]))?;
        }
        let runs = if plan.runs.len() == 1 { "1 run".to_owned() } else { format!("{} runs", plan.runs.len()) };
        output.line(format!("{}: {} with {runs}", file.display(), plan.experiment.id))?;
        for note in &plan.notes {
            output.line(format!("  {note}"))?;
        }
    }
    for path in methods {
        let choice = Examined::find(registry, &path.to_string_lossy())?.choice;
        let order = choice.object().method().order();
        output.line(format!("{}: the method {}, of order {order}", path.display(), choice.label()))?;
    }
    for path in mechanisms {
        let plan = motion(registry, &path, 1.0, "dop853")?;
        output.line(format!("{}: {}", path.display(), described(&plan)))?;
        for note in &plan.notes {
            output.line(format!("  {note}"))?;
        }
    }
    for path in publications {
        let publication = read_publication(registry, &path)?;
        output.line(format!("{}: {}", path.display(), publication.citation()))?;
    }
    for path in contenders {
        let names: Vec<String> = contenders::read(registry, &path)?.into_iter().map(|entry| entry.label).collect();
        output.line(format!("{}: {}", path.display(), names.join(", ")))?;
    }
    for path in ledgers {
        let Some(book) = book(&path) else { continue };
        let ledger = read_ledger(&path, book, &plans_beside(registry, &path)?)?;
        output.line(format!(
            "{}: {} statements and {} findings of ours with {} checks, of {}",
            path.display(),
            ledger.statements.len(),
            ledger.findings.len(),
            ledger.checks().count(),
            ledger.paper
        ))?;
    }
    for line in tell_left_out(&plans, output) {
        output.line(line)?;
    }
    heed(&plans, strict, output)
}
