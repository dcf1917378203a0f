//! Files that commands read and write.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mbsbench_experiment::{Plan, Registry, is_safe_name};
use mbsbench_input::{BadInput, Document, Problem};
use mbsbench_judge::claims::{Book, Ledger};
use mbsbench_judge::publication::{self, Publication};
use mbsbench_runs::FileError;
use mbsbench_runs::seal::put;
use rayon::prelude::*;
use serde_json::{Value, json};

use super::{CommandError, Examined, FileKind, Result, file_kind};

/// Reads a text file written by a person.
pub(super) fn read(path: &Path) -> Result<Vec<u8>> {
    mbsbench_input::read_file(path, mbsbench_input::LARGEST_TEXT).map_err(CommandError::unreadable(path))
}

/// Reads a file written by a program.
pub(super) fn read_data(path: &Path) -> Result<Vec<u8>> {
    mbsbench_input::read_file(path, mbsbench_input::LARGEST_DATA).map_err(CommandError::unreadable(path))
}

/// Writes a file completely or not at all.
pub(super) fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    Ok(put(path, content.as_ref())?)
}

/// Reads experiment files and plans their runs. All files are read before the first problem is reported.
///
/// # Errors
/// Fails if a file cannot be read, or with all problems found in the files, including duplicate ids.
pub fn load(registry: &Registry, files: &[PathBuf], quick: bool) -> Result<Vec<Plan>> {
    let plan = |path: &PathBuf| Ok(Plan::read(path, &read(path)?, registry, quick));
    let planned: Vec<Result<Plan, BadInput>> = files.par_iter().map(plan).collect::<Result<_>>()?;
    let (good, bad): (Vec<_>, Vec<_>) = planned.into_iter().partition(Result::is_ok);
    let mut bad: Vec<BadInput> = bad.into_iter().filter_map(Result::err).collect();
    let mut plans: Vec<Plan> = Vec::new();
    let mut places: HashMap<String, String> = HashMap::new();
    for plan in good.into_iter().flatten() {
        let document = &plan.experiment.document;
        let place = document.root.place_of("id");
        let position = document.source.position(place);
        match places.insert(plan.experiment.id.clone(), position) {
            None => plans.push(plan),
            Some(first) => {
                let message = format!("duplicate experiment id `{}`; first used at {first}", plan.experiment.id);
                let problem = Problem::new(place, message).help("results are stored by id: change one of the two ids");
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

/// Returns the error for `files` that are not valid experiments: their mistakes, including those in files that they
/// name, or a note that one of `files` is of another kind.
pub fn no_experiment(bad: Vec<BadInput>, files: &[&Path]) -> CommandError {
    let other = |wrong: &BadInput| {
        let path = wrong.source().path();
        files.contains(&path).then(|| other_kind(path, FileKind::Experiment)).flatten()
    };
    bad.iter().find_map(other).unwrap_or_else(|| CommandError::BadInput(bad))
}

/// Returns the error for a file of another kind than `wanted`; `None` if the kind matches or is unknown.
pub(super) fn other_kind(path: &Path, wanted: FileKind) -> Option<CommandError> {
    let found = file_kind(path).filter(|found| *found != wanted)?;
    let what = format!("{} is {}, not {}", path.display(), found.name(), wanted.name());
    Some(CommandError::refused(&what, &found.help(path)))
}

/// Reads a YAML file and converts it by `of_document`.
pub(super) fn read_with<T>(path: &Path, of_document: impl Fn(&Document) -> Result<T, BadInput>) -> Result<T> {
    Ok(Document::parse(path, &read(path)?).and_then(|document| of_document(&document))?)
}

/// Reads a ledger.
pub(super) fn read_ledger(path: &Path, book: Book, plans: &[Plan]) -> Result<Ledger> {
    read_with(path, |document| Ledger::read(document, book, plans))
}

/// Reads the ledger of a paper without comparing it with its lock.
pub(super) fn read_unlocked(path: &Path, plans: &[Plan]) -> Result<Ledger> {
    read_with(path, |document| Ledger::read_unlocked(document, Book::Claims, plans))
}

/// Reads `paper.yaml`, and checks its main claims against the ledger beside it.
pub(super) fn read_publication(registry: &Registry, path: &Path) -> Result<Publication> {
    let publication = read_with(path, Publication::read)?;
    if publication.claims.is_empty() && publication.errata.is_empty() {
        return Ok(publication);
    }
    let plans = plans_beside(registry, path)?;
    let ledger = path.with_file_name("claims.yaml");
    let ledger = ledger.exists().then(|| read_ledger(&ledger, Book::Claims, &plans)).transpose()?;
    read_with(path, |document| publication.agrees(document, ledger.as_ref()))?;
    Ok(publication)
}

/// Reads the experiments beside a file.
pub(super) fn plans_beside(registry: &Registry, file: &Path) -> Result<Vec<Plan>> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut files = entries(folder)?;
    files.retain(|path| path.is_file() && is_experiment(path));
    load(registry, &files, false)
}

/// Returns an experiment that simulates the model of a file, a `mechanism` or `equations`, over a time span, s, with
/// each of some methods.
pub(super) fn motion(registry: &Registry, model: &str, path: &Path, span: f64, methods: &[&str]) -> Result<Plan> {
    // A missing file is reported as an error of the command line, not of the experiment below.
    read(path)?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let stem = stem.replace(['_', ' '], "-");
    let stem = if is_safe_name(&stem) { &stem } else { "motion" };
    let case = |name: &str| {
        let adapts = Examined::find(registry, name)?.choice.object.method().properties().adapts;
        let (control, value) = if adapts { ("tolerance", 1e-6) } else { ("step", 1e-3) };
        Ok(json!({ "case": name, "method": name, (control): value }))
    };
    let cases: Vec<Value> = methods.iter().map(|&name| case(name)).collect::<Result<_>>()?;
    let experiment = json!({
        "schema": 2, "id": format!("{model}/{stem}"), "title": name, "model": { model: name },
        "span": [0.0, span], "cases": cases,
    });
    // JSON is valid YAML; the name of the file is relative to this folder.
    let place = path.with_file_name("mbsbench-mechanism.yaml");
    Ok(Plan::read(&place, experiment.to_string().as_bytes(), registry, false)?)
}

/// Returns the experiment files in a folder and in its folders of papers, ordered by path. Mechanisms and methods
/// beside them are left out, and so are all files in deeper folders: mechanisms, references, published values.
pub(super) fn experiment_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = files_below(folder, 2)?;
    files.retain(|path| is_experiment(path));
    Ok(files)
}

fn is_experiment(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yaml")
        && matches!(file_kind(path), None | Some(FileKind::Experiment))
}

/// True for the folder of a paper, which has a `paper.yaml` or an experiment. A folder that cannot be read counts as
/// one, so that the error is reported where its files are read, and no built-in paper takes its place.
pub(super) fn is_paper(folder: &Path) -> bool {
    folder.join(publication::FILE).exists()
        || entries(folder).map_or_else(|_| folder.is_dir(), |entries| entries.iter().any(|path| is_experiment(path)))
}

/// Returns the files in a folder up to a depth, ordered by path. Links are followed. A dangling link, as editors create
/// them, is left out; a cycle of links is an error.
pub(super) fn files_below(folder: &Path, depth: usize) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(folder).follow_links(true).max_depth(depth).sort_by_file_name() {
        match entry {
            Ok(entry) if entry.file_type().is_dir() => {}
            Ok(entry) => files.push(entry.into_path()),
            Err(wrong) => {
                let path = wrong.path().unwrap_or(folder).to_owned();
                let is_missing = wrong.io_error().is_some_and(|error| error.kind() == io::ErrorKind::NotFound);
                if is_missing && wrong.depth() > 0 {
                    continue;
                }
                let error = match wrong.loop_ancestor() {
                    Some(above) => {
                        let what = format!("a circular link to its parent folder `{}`; remove it", above.display());
                        io::Error::new(io::ErrorKind::InvalidInput, what)
                    }
                    None => wrong.into(),
                };
                return Err(CommandError::Unreadable(FileError { path, error }));
            }
        }
    }
    Ok(files)
}

/// The paths in a folder, in order.
pub(super) fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let paths = std::fs::read_dir(folder).and_then(|all| all.map(|entry| Ok(entry?.path())).collect());
    let mut paths: Vec<PathBuf> = paths.map_err(CommandError::unreadable(folder))?;
    paths.sort();
    Ok(paths)
}
