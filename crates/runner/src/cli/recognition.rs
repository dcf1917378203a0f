//! Kinds of files: experiments, and the mechanisms, robots and methods that experiments name.

use std::path::Path;

use mbsbench_experiment::is_safe_name;
use mbsbench_experiment::plan::Plan;
use mbsbench_experiment::registry::Registry;
use mbsbench_input::Document;
use mbsbench_judge::claims::Book;
use serde_json::json;

use super::CommandError;
use super::files::{book, id_in, is_publication, is_yaml};

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// An experiment.
    Experiment,
    /// A mechanism.
    Mechanism,
    /// A robot in the format URDF.
    Robot,
    /// Coefficients of a method.
    Method,
    /// A ledger.
    Ledger(Book),
    /// How a paper is cited.
    Publication,
}

impl FileKind {
    /// Its name, with an article.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Experiment => "an experiment",
            Self::Mechanism => "a mechanism",
            Self::Robot => "a robot",
            Self::Method => "a method",
            Self::Ledger(_) => "a ledger",
            Self::Publication => "the citation of a paper",
        }
    }

    /// Commands that take the file.
    pub(super) fn help(self, path: &Path) -> String {
        let (name, path) = (path.file_name().unwrap_or_default().display(), path.display());
        match self {
            Self::Experiment => format!("`mbsbench run {path}` runs it"),
            Self::Mechanism | Self::Robot => format!(
                "an experiment beside it names it, `model: {{ mechanism: {name} }}`, and `mbsbench new experiment` begins one; \
                 `mbsbench check`, `animate` and `like` take the file itself"
            ),
            Self::Method => format!(
                "an experiment beside it names it, `method: {{ tableau: {name} }}`; `mbsbench check`, `describe`, `rank` and `examine` take the file \
                 itself"
            ),
            Self::Ledger(_) | Self::Publication => {
                format!("`mbsbench check {path}` checks it; `mbsbench reproduce` and `verify` take papers by name")
            }
        }
    }
}

/// The kind of the file at `path`, by its name or its keys; none if neither shows it.
pub(super) fn file_kind(path: &Path) -> Option<FileKind> {
    if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("urdf")) {
        return Some(FileKind::Robot);
    }
    if let Some(book) = book(path).filter(|_| is_yaml(path)) {
        return Some(FileKind::Ledger(book));
    }
    if is_publication(path) {
        return Some(FileKind::Publication);
    }
    if !is_yaml(path) {
        return None;
    }
    if id_in(path).is_some() {
        return Some(FileKind::Experiment);
    }
    let bytes = mbsbench_input::read_file(path, mbsbench_input::LARGEST_TEXT).ok()?;
    let root = Document::parse(path, &bytes).ok()?.root;
    let has = |keys: &[&str]| keys.iter().any(|key| root.get(key).is_some());
    if has(&["id", "model", "matrix", "span"]) {
        Some(FileKind::Experiment)
    } else if has(&["bodies", "joints", "repeat"]) {
        Some(FileKind::Mechanism)
    } else if has(&["runge-kutta", "multistep", "generalized-alpha"]) {
        Some(FileKind::Method)
    } else {
        None
    }
}

/// Whether a file has a mechanism and nothing else.
pub(super) fn is_mechanism(path: &Path) -> bool {
    matches!(file_kind(path), Some(FileKind::Mechanism | FileKind::Robot))
}

/// The experiment that moves a mechanism from its file for some time, s, by the method of a name.
///
/// # Errors
/// What is wrong with the mechanism.
pub(super) fn motion(registry: &Registry, path: &Path, span: f64, method: &str) -> Result<Plan, CommandError> {
    // A file that is missing is an error of the command line, not of the experiment below.
    mbsbench_input::read_file(path, mbsbench_input::LARGEST_TEXT)
        .map_err(|error| CommandError::Unreadable { path: path.to_owned(), error })?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let stem = if is_safe_name(&stem) { &stem } else { "motion" };
    let experiment = json!({
        "schema": 2, "id": format!("mechanism/{stem}"), "title": name, "model": { "mechanism": name },
        "span": [0.0, span], "method": method, "tolerance": 1e-6,
    });
    // JSON is YAML, and the name of the file is from its own folder.
    let place = path.with_file_name("mbsbench-mechanism.yaml");
    Plan::read(&place, experiment.to_string().as_bytes(), registry, false)
        .map_err(|wrong| CommandError::BadInput(vec![wrong]))
}
