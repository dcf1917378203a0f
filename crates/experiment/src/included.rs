//! Mechanisms in files of their own: `mechanism: crane.yaml`, or `mechanism: { file: crane.yaml, … }` with what is to be different;
//! robots in the format URDF, too.

use std::path::{Component, Path};

use mbsbench_input::{BadInput, Document, Node, Place, Problem, Value, source};
use mbsbench_mechanisms::urdf::{self, NoRobot};

use super::registry::{Entry, ModelKind, Registry};

/// The key for the file among the parameters.
pub const FILE: &str = "file";

/// The document with the mechanisms of other files in it. Problems of such a file are shown there; what it says counts as said where
/// it is named.
///
/// # Errors
/// A file that is not there, or makes no sense.
pub fn included(document: Document, registry: &Registry) -> Result<Document, BadInput> {
    let mut outcome = Ok(());
    let mut replace = |name: &str, own: &Node| {
        let entry = registry.models().iter().find(|entry| entry.is_written_out() && entry.name() == name)?;
        let file = if own.text().is_some() { own } else { own.get(FILE)? };
        read(&document, file, own, entry).map_err(|bad| outcome = Err(bad)).ok()
    };
    let root = with_files(&document.root, &mut replace);
    outcome.map(|()| Document { root, ..document })
}

/// The tree with values replaced that stand behind certain keys.
fn with_files(node: &Node, replace: &mut impl FnMut(&str, &Node) -> Option<Node>) -> Node {
    let value = match &node.value {
        Value::Map(entries) => {
            let mut entries = entries.clone();
            for entry in &mut entries {
                entry.value = match replace(&entry.key.name, &entry.value) {
                    Some(replaced) => replaced,
                    None => with_files(&entry.value, replace),
                };
            }
            Value::Map(entries)
        }
        Value::List(items) => Value::List(items.iter().map(|item| with_files(item, replace)).collect()),
        other => other.clone(),
    };
    Node::new(value, node.place)
}

/// The parameters in a file, with those that stand beside its name over them.
fn read(document: &Document, file: &Node, own: &Node, entry: &Entry<ModelKind>) -> Result<Node, BadInput> {
    let refused = |message: String, help: &str| document.bad(vec![Problem::new(file.place, message).help(help)]);
    let Some(name) = file.text() else {
        return Err(refused(
            format!("found {} where a file is named", file.describe()),
            "accepted: a name like `crane.yaml`",
        ));
    };
    let relative = Path::new(name);
    if relative
        .components()
        .any(|part| !matches!(part, Component::Normal(_) | Component::CurDir | Component::ParentDir))
    {
        return Err(refused(format!("`{name}` is no relative path"), "accepted: a path from the folder of this file"));
    }
    let path = document.source.folder().join(relative);
    let bytes = std::fs::read(&path).map_err(|error| {
        refused(
            format!("`{}`: {error}", path.display()),
            "accepted: the name of a file with a mechanism, from the folder of this file",
        )
    })?;
    let mechanism = if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("urdf")) {
        robot(&path, &bytes)?
    } else {
        Document::parse(&path, &bytes)?
    };
    entry.choose(&mechanism.root, None).map_err(|problem| mechanism.bad(vec![problem]))?;
    let parameters = mechanism.root.placed(file.place);
    Ok(match &own.value {
        Value::Map(_) => parameters.merged(&own.without(FILE)),
        _ => parameters,
    })
}

/// A robot as a document of a mechanism.
fn robot(path: &Path, bytes: &[u8]) -> Result<Document, BadInput> {
    let source = source(path, bytes)?;
    match urdf::mechanism(source.text()) {
        Ok(written) => {
            let root = Node::from_json(&written, Place::new(0, 0));
            Ok(Document { source, root })
        }
        Err(NoRobot { start, message, accepted }) => {
            let end = source.text()[start..].find('>').map_or(start, |length| start + length + 1);
            let problem = Problem::new(Place::new(start, end), message).help(format!("accepted: {accepted}"));
            Err(BadInput::new(source, vec![problem]))
        }
    }
}
