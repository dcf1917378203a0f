//! The files below `experiments/`.

use std::path::{Path, PathBuf};

use mbsbench_experiment::plan::Plan;
use mbsbench_experiment::registry::Registry;
use mbsbench_input::{BadInput, Document};
use mbsbench_judge::claims::{Book, Ledger};
use mbsbench_judge::comparison::is_comparison;

use super::{CommandError, load};

/// Where experiments are, seen from the folder of the project.
pub(super) const EXPERIMENTS: &str = "experiments";

/// Ledgers lie beside the experiments of their paper.
const LEDGERS: [(&str, Book); 2] = [("claims", Book::Claims), ("anchors", Book::Anchors)];

/// The book that a file is, by its name; none for an experiment.
pub(super) fn book(path: &Path) -> Option<Book> {
    let stem = path.file_stem()?;
    LEDGERS.into_iter().find(|(name, _)| stem == *name).map(|(_, book)| book)
}

/// The folder beside experiments with the mechanisms that they name.
const MECHANISMS: &str = "mechanisms";

/// Experiment files below a folder, in the order of their paths.
pub(super) fn experiment_files(folder: &Path) -> Result<Vec<PathBuf>, CommandError> {
    let mut files = all_files(folder)?;
    let is_mechanism = |path: &Path| path.parent().is_some_and(|parent| parent.ends_with(MECHANISMS));
    files.retain(|path| {
        path.extension().is_some_and(|extension| extension == "yaml") && book(path).is_none() && !is_mechanism(path)
    });
    Ok(files)
}

/// All files below a folder, in the order of their paths.
pub(super) fn all_files(folder: &Path) -> Result<Vec<PathBuf>, CommandError> {
    let unreadable = |error| CommandError::Unreadable { path: folder.to_owned(), error };
    let entries = std::fs::read_dir(folder).map_err(unreadable)?;
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>().map_err(unreadable)?;
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            files.extend(all_files(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}

/// Plans of the papers or experiments (`compere2001/pendulum-ode`) of that name; all of the papers where none is named.
pub(super) fn named(registry: &Registry, names: &[String], quick: bool) -> Result<Vec<Plan>, CommandError> {
    let mut plans = load(registry, &experiment_files(Path::new(EXPERIMENTS))?, quick)?;
    let is_called = |plan: &Plan, name: &String| plan.experiment.id == *name || plan.experiment.paper == *name;
    if let Some(name) = names.iter().find(|name| !plans.iter().any(|plan| is_called(plan, name))) {
        let mut known: Vec<String> =
            plans.iter().flat_map(|plan| [plan.experiment.paper.clone(), plan.experiment.id.clone()]).collect();
        known.sort();
        known.dedup();
        return Err(CommandError::UnknownName { kind: "paper or experiment", found: name.clone(), known });
    }
    // The comparison across the papers is no paper's, and takes long.
    plans.retain(|plan| match names {
        [] => !is_comparison(&plan.experiment),
        names => names.iter().any(|name| is_called(plan, name)),
    });
    Ok(plans)
}

/// Plans of experiment files, or of papers and experiments by their names; all of the papers where nothing is wanted.
pub(super) fn selected(registry: &Registry, wanted: &[PathBuf], quick: bool) -> Result<Vec<Plan>, CommandError> {
    let is_file = |path: &PathBuf| path.is_file() || path.extension().is_some_and(|end| end == "yaml" || end == "yml");
    if !wanted.is_empty() && wanted.iter().all(is_file) {
        return load(registry, wanted, quick);
    }
    let names: Vec<String> = wanted.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    named(registry, &names, quick)
}

/// The papers of some plans, in order, each once.
pub(super) fn papers(plans: &[Plan]) -> Vec<String> {
    let mut papers: Vec<String> = plans.iter().map(|plan| plan.experiment.paper.clone()).collect();
    papers.sort();
    papers.dedup();
    papers
}

/// The ledger of a paper; none where it has no ledger.
pub(super) fn ledger(paper: &str, plans: &[Plan]) -> Result<Option<Ledger>, CommandError> {
    let path = Path::new(EXPERIMENTS).join(paper).join("claims.yaml");
    if !path.exists() {
        return Ok(None);
    }
    read_ledger(&path, Book::Claims, plans).map(Some)
}

/// The anchors of a paper; none where it has none.
pub(super) fn anchors(paper: &str, plans: &[Plan]) -> Result<Option<Ledger>, CommandError> {
    let path = Path::new(EXPERIMENTS).join(paper).join("anchors.yaml");
    if !path.exists() {
        return Ok(None);
    }
    read_ledger(&path, Book::Anchors, plans).map(Some)
}

/// Reads a ledger.
pub(super) fn read_ledger(path: &Path, book: Book, plans: &[Plan]) -> Result<Ledger, CommandError> {
    read_with(path, |document| Ledger::read(document, book, plans))
}

/// Reads the ledger of a paper whatever its lock says.
pub(super) fn read_unlocked(path: &Path, plans: &[Plan]) -> Result<Ledger, CommandError> {
    read_with(path, |document| Ledger::read_unlocked(document, Book::Claims, plans))
}

fn read_with(path: &Path, read: impl Fn(&Document) -> Result<Ledger, BadInput>) -> Result<Ledger, CommandError> {
    let bytes = std::fs::read(path).map_err(|error| CommandError::Unreadable { path: path.to_owned(), error })?;
    let ledger = Document::parse(path, &bytes).and_then(|document| read(&document));
    ledger.map_err(|wrong| CommandError::BadInput(vec![wrong]))
}

/// Plans of the experiments that lie beside a ledger.
pub(super) fn plans_beside(registry: &Registry, ledger: &Path) -> Result<Vec<Plan>, CommandError> {
    let folder = ledger.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    load(registry, &experiment_files(folder)?, false)
}
