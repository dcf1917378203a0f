//! `mbsbench check`, and reading experiment files for any command.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use mbsbench_experiment::plan::Plan;
use mbsbench_experiment::registry::{Registry, notes};
use mbsbench_input::{BadInput, Problem};

use super::CommandError;
use super::files::{book, is_publication, plans_beside, read_ledger, read_publication};
use crate::output::Output;

/// Reads experiment files and plans their runs; all files are read before the first problem is reported.
///
/// # Errors
/// A file that cannot be read, or everything that is wrong with the files, among it two of one id.
pub fn load(registry: &Registry, files: &[PathBuf], quick: bool) -> Result<Vec<Plan>, CommandError> {
    let mut plans: Vec<Plan> = Vec::new();
    let mut bad: Vec<BadInput> = Vec::new();
    let mut places: HashMap<String, String> = HashMap::new();
    for path in files {
        let bytes = mbsbench_input::read_file(path, mbsbench_input::LARGEST_TEXT)
            .map_err(|error| CommandError::Unreadable { path: path.clone(), error })?;
        let plan = match Plan::read(path, &bytes, registry, quick) {
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
    if bad.is_empty() { Ok(plans) } else { Err(CommandError::BadInput(bad)) }
}

/// Says beside the output where files have words of an older format.
pub(super) fn note(plans: &[Plan], output: &mut Output<'_>) {
    for document in plans.iter().map(|plan| &plan.experiment.document) {
        for Problem { place, message, .. } in notes(&document.root) {
            output.beside(format!("note: {}: {message}", document.source.position(place)));
        }
    }
}

pub(super) fn check(registry: &Registry, files: &[PathBuf], output: &mut Output<'_>) -> Result<(), CommandError> {
    let (ledgers, files): (Vec<PathBuf>, Vec<PathBuf>) = files.iter().cloned().partition(|path| book(path).is_some());
    let (publications, files): (Vec<PathBuf>, Vec<PathBuf>) = files.into_iter().partition(|path| is_publication(path));
    let plans = load(registry, &files, false)?;
    note(&plans, output);
    // What `--quick` makes of a file has to be in order as well, where it makes something else of it.
    let is_quickened = |(plan, _): &(&Plan, &PathBuf)| {
        !plan.experiment.gathers.is_empty() || plan.experiment.document.root.get("quick").is_some()
    };
    let quickened: Vec<PathBuf> = plans.iter().zip(&files).filter(is_quickened).map(|(_, file)| file.clone()).collect();
    load(registry, &quickened, true)?;
    for (plan, file) in plans.iter().zip(&files) {
        output.line(format!("{}: {} with {} runs", file.display(), plan.experiment.id, plan.runs.len()))?;
    }
    for path in publications {
        let publication = read_publication(registry, &path)?;
        output.line(format!("{}: {}", path.display(), publication.citation()))?;
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
    Ok(())
}
