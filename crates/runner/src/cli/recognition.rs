//! Kinds of files: experiments, files that experiments name, and files beside them.

use std::path::Path;

use mbsbench_input::{Document, Node};
use mbsbench_judge::claims::Book;
use mbsbench_judge::publication;

/// Names of ledgers, which lie beside the experiments of their paper.
pub(super) const LEDGERS: [(&str, Book); 2] = [("claims.yaml", Book::Claims), ("anchors.yaml", Book::Anchors)];

/// The file with the contenders, beside the experiments of the comparison.
pub(super) const CONTENDERS: &str = "contenders.yaml";

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// An experiment.
    Experiment,
    /// A mechanism.
    Mechanism,
    /// A robot in URDF format.
    Robot,
    /// Equations of a model.
    Equations,
    /// Coefficients of a method.
    Method,
    /// A ledger.
    Ledger(Book),
    /// The citation of a paper.
    Publication,
    /// Methods from outside that take part in the comparison.
    Contenders,
}

impl FileKind {
    /// The name of the kind, with an article.
    pub fn name(self) -> &'static str {
        match self {
            Self::Experiment => "an experiment",
            Self::Mechanism => "a mechanism",
            Self::Robot => "a robot",
            Self::Equations => "equations",
            Self::Method => "a method",
            Self::Ledger(_) => "a ledger",
            Self::Publication => "the citation of a paper",
            Self::Contenders => "a list of contenders",
        }
    }

    /// Names the commands that accept the file.
    pub(super) fn help(self, path: &Path) -> String {
        let (name, path) = (path.file_name().unwrap_or_default().display(), path.display());
        match self {
            Self::Experiment => format!("`mbsbench run {path}` runs it"),
            Self::Mechanism | Self::Robot => format!(
                "refer to it in an experiment in the same folder, `model: {{ mechanism: {name} }}`; \
                 `mbsbench new experiment` creates one, in which `method: every` and `rankings:` compare all methods; \
                 `mbsbench check`, `compare` and `render --to gif` accept the file itself"
            ),
            Self::Equations => format!(
                "refer to it in an experiment in the same folder, `model: {{ equations: {name} }}`; \
                 `mbsbench check` and `compare` accept the file itself"
            ),
            Self::Method => format!(
                "refer to it in an experiment in the same folder, `method: {{ tableau: {name} }}`; \
                 `mbsbench check`, `list` and `compare` accept the file itself"
            ),
            Self::Ledger(_) | Self::Publication | Self::Contenders => {
                format!("`mbsbench check {path}` checks it; `mbsbench reproduce` and `verify` accept names of papers")
            }
        }
    }

    /// The registered model that such a file describes.
    pub fn model(self) -> Option<&'static str> {
        match self {
            Self::Mechanism | Self::Robot => Some("mechanism"),
            Self::Equations => Some("equations"),
            _ => None,
        }
    }
}

/// Returns the kind of the file at `path` according to its name or its keys; `None` if neither determines it.
pub fn file_kind(path: &Path) -> Option<FileKind> {
    if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("urdf")) {
        return Some(FileKind::Robot);
    }
    let name = path.file_name()?;
    if let Some((_, book)) = LEDGERS.into_iter().find(|(own, _)| name == *own) {
        return Some(FileKind::Ledger(book));
    }
    if name == publication::FILE {
        return Some(FileKind::Publication);
    }
    if name == CONTENDERS {
        return Some(FileKind::Contenders);
    }
    if !is_yaml(path) {
        return None;
    }
    if id_in(path).is_some() {
        return Some(FileKind::Experiment);
    }
    let bytes = mbsbench_input::read_file(path, mbsbench_input::LARGEST_TEXT).ok()?;
    kind_of(&Document::parse(path, &bytes).ok()?.root)
}

/// Returns the kind of a document according to its keys.
pub fn kind_of(root: &Node) -> Option<FileKind> {
    const KEYS: [(FileKind, &[&str]); 4] = [
        (FileKind::Experiment, &["id", "model", "matrix", "span"]),
        (FileKind::Mechanism, &["bodies", "joints", "repeat"]),
        (FileKind::Equations, &["states", "rates"]),
        (FileKind::Method, &["runge-kutta", "multistep", "generalized-alpha"]),
    ];
    KEYS.into_iter().find(|(_, keys)| keys.iter().any(|key| root.get(key).is_some())).map(|(kind, _)| kind)
}

/// True if a word of the command line names a file: it has a suffix of such files, or a file of a known kind has this
/// path.
pub(super) fn is_file(path: &Path) -> bool {
    is_yaml(path) || file_kind(path).is_some()
}

/// True if the name belongs to a YAML file.
pub(super) fn is_yaml(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "yaml" || end == "yml")
}

/// Returns the id of an experiment file if it is written plainly on a line of its own; `None` if the whole file must be
/// read to know it.
pub(super) fn id_in(path: &Path) -> Option<String> {
    let text = mbsbench_input::read_text(path, mbsbench_input::LARGEST_TEXT).ok()?;
    let id = text.lines().find_map(|line| line.strip_prefix("id:"))?.trim();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/-_.".contains(c);
    (!id.is_empty() && id.chars().all(is_plain)).then(|| id.to_owned())
}
