//! Mechanisms and methods in separate files: `mechanism: crane.yaml`, or `mechanism: { file: crane.yaml, … }` with
//! parameters that override those of the file; likewise `tableau: ralston.yaml`. Robots in URDF are accepted, too.

use std::path::{Component, Path};

use mbsbench_input::{
    BadInput, Document, Each, Key, Node, Place, Problem, Source, Value, did_you_mean, refuse, source,
};
use mbsbench_mechanisms::urdf::{self, NoRobot};

use super::registry::{Choice, Contender, Entry, Kind, LABEL, MethodKind, Registry, read_parameters};

/// The key of the methods that are compared with all others.
const CONTENDERS: &str = "contenders";
/// The key of the file among the parameters.
pub const FILE: &str = "file";

/// Expands `each:` and inserts the mechanisms and methods from other files. Also returns one line for each part of
/// these files that is not used. Problems in such a file are reported there; its contents count as written where the
/// file is named.
///
/// # Errors
/// Fails if a file is missing or not valid.
pub fn included(document: Document, registry: &Registry) -> Result<(Document, Vec<String>), BadInput> {
    let written = Each::read(&document.root, &[]).and_then(|each| each.written_out(&document.root));
    let root = written.map_err(|problem| document.bad(vec![problem]))?;
    let mut outcome = Ok(());
    let mut notes = Vec::new();
    let mut replace = |name: &str, own: &Node| {
        let file = || if own.text().is_some() { Some(own) } else { own.get(FILE) };
        let read = if let Some(entry) = written_out(registry.models(), name) {
            read(&document, file()?, own, entry, &mut notes)
        } else {
            read(&document, file()?, own, written_out(registry.methods(), name)?, &mut notes)
        };
        read.map_err(|bad| outcome = Err(bad)).ok()
    };
    let root = with_files(&root, &mut replace);
    outcome.map(|()| (Document { root, ..document }, notes))
}

/// Returns the entry of that name if its parameters may be in a separate file.
fn written_out<'r, K: Kind>(entries: &'r [Entry<K>], name: &str) -> Option<&'r Entry<K>> {
    entries.iter().find(|entry| entry.is_written_out && entry.name == name)
}

/// Reads the method that the file at `path` defines.
///
/// # Errors
/// Fails if the file does not define a method.
pub fn read_method(path: &Path, bytes: &[u8], registry: &Registry) -> Result<Choice<MethodKind>, BadInput> {
    method_of(path, bytes, registry).map(|(choice, _)| choice)
}

/// Reads the method that the file at `path` defines, as a contender that replaces `every` in experiments.
///
/// # Errors
/// Fails if the file does not define a method.
pub fn read_contender(path: &Path, bytes: &[u8], registry: &Registry) -> Result<Contender, BadInput> {
    let (choice, root) = method_of(path, bytes, registry)?;
    // Its problems have been reported at their own places.
    let start = Place::new(0, 0);
    let label = Key { name: LABEL.to_owned(), place: start };
    let parameters = root.placed(start).with(&[label], &Node::new(Value::Text(choice.label()), start));
    Ok(Contender { method: choice.name().to_owned(), parameters })
}

/// A method of the user that is compared with all others.
#[derive(Debug, Clone)]
pub struct ContenderEntry {
    /// The label.
    pub label: String,
    /// The method as it replaces `every` in experiments.
    pub contender: Contender,
    /// True if the comparison runs the method anyway: a registered method with default parameters.
    pub is_compared: bool,
}

/// Reads the methods under `contenders:` of the file at `path`, each in the form of `method:` in an experiment:
/// `dop853`, `{ bathe: { label: bathe-0, rho-inf: 0 } }`, `{ tableau: mine.yaml }`.
///
/// # Errors
/// Fails if the file is not valid; each problem has its place.
pub fn read_contenders(path: &Path, bytes: &[u8], registry: &Registry) -> Result<Vec<ContenderEntry>, BadInput> {
    let (document, _) = included(Document::parse(path, bytes)?, registry)?;
    let bad = |problem| document.bad(vec![problem]);
    let accepted = "accepted: a list of methods, `contenders: [ { tableau: mine.yaml } ]`";
    if let Some(other) = document.root.entries().iter().find(|entry| entry.key.name != CONTENDERS) {
        return Err(bad(Problem::unknown(other.key.place, "key", &other.key.name, [CONTENDERS])));
    }
    let Some(Value::List(items)) = document.root.get(CONTENDERS).map(|node| &node.value) else {
        return Err(bad(
            Problem::new(document.root.place_of(CONTENDERS), "`contenders` must be a list of methods").help(accepted)
        ));
    };
    let mut entries: Vec<ContenderEntry> = Vec::new();
    for item in items {
        let entry = contender(item, registry).map_err(bad)?;
        if entries.iter().any(|other| other.label == entry.label) {
            let message = format!("duplicate contender `{}`", entry.label);
            return Err(bad(Problem::new(item.place, message).help("give it another `label`")));
        }
        entries.push(entry);
    }
    Ok(entries)
}

/// Reads a method of the list.
fn contender(item: &Node, registry: &Registry) -> Result<ContenderEntry, Problem> {
    let Some(mbsbench_input::Entry { key: Key { name, .. }, value: own }) = item.named() else {
        let message = format!("found {} instead of a method", item.describe());
        return refuse(item.place, message, "accepted: a name, or a name with parameters, `{ tableau: mine.yaml }`");
    };
    let methods = registry.methods();
    let Some(method) = methods.iter().find(|method| method.name == name) else {
        return Err(Problem::unknown(item.place, "method", &name, methods.iter().map(|entry| entry.name)));
    };
    let choice = method.choose(&own.without(LABEL), None)?;
    let label = own.get(LABEL).map(mbsbench_input::read::<String>).transpose()?.unwrap_or_else(|| choice.label());
    let is_compared = own.entries().is_empty() && !method.is_late();
    if !own.entries().is_empty() && methods.iter().any(|method| method.name == label) {
        let message = format!("the contender `{label}` has the name of a registered method");
        return refuse(item.place, message, "give it another `label`");
    }
    // Its problems have been reported at their own places.
    let (mut parameters, start) = (own.placed(Place::new(0, 0)), Place::new(0, 0));
    if !own.entries().is_empty() {
        let text = Node::new(Value::Text(label.clone()), start);
        parameters = parameters.with(&[Key { name: LABEL.to_owned(), place: start }], &text);
    }
    Ok(ContenderEntry { label, contender: Contender { method: name, parameters }, is_compared })
}

fn method_of(path: &Path, bytes: &[u8], registry: &Registry) -> Result<(Choice<MethodKind>, Node), BadInput> {
    let document = Document::parse(path, bytes)?;
    let entry = registry.methods().iter().find(|entry| entry.is_written_out);
    let Some(entry) = entry else {
        return Err(
            document.bad(vec![Problem::new(document.root.place, "no registered method can be defined in a file")])
        );
    };
    let is_of_formula = |name: &str| ["rows", "weights", "nodes", "embedded", "order"].contains(&name);
    if let Some(other) = document.root.entries().iter().find(|entry| is_of_formula(&entry.key.name)) {
        let problem = Problem::new(other.key.place, format!("`{}` is not a key of a method", other.key.name));
        return Err(document.bad(vec![problem.help("indent it: it belongs under `runge-kutta:`")]));
    }
    let label = document.root.get(LABEL).map(mbsbench_input::read::<String>).transpose();
    let label = label.map_err(|problem| document.bad(vec![problem]))?.or_else(|| stem(path));
    let choice = entry.choose(&document.root.without(LABEL), label);
    choice.map(|choice| (choice, document.root.clone())).map_err(|problem| document.bad(vec![problem]))
}

/// The name of a file without its extension, with only printable characters.
fn stem(path: &Path) -> Option<String> {
    path.file_stem().map(|stem| mbsbench_input::printable(&stem.to_string_lossy()).into_owned())
}

/// Returns the tree with the values of certain keys replaced.
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

/// True if the path starts from the folder of the file that names it.
pub(crate) fn is_relative(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir | Component::ParentDir))
}

/// Reads the parameters in a file and overrides them by those beside the file's name.
fn read<K: Kind>(
    document: &Document,
    file: &Node,
    own: &Node,
    entry: &Entry<K>,
    notes: &mut Vec<String>,
) -> Result<Node, BadInput> {
    let refused = |message: String, help: &str| document.bad(vec![Problem::new(file.place, message).help(help)]);
    let Some(name) = file.text() else {
        return Err(refused(
            format!("found {} instead of a file name", file.describe()),
            &format!("accepted: the name of a file, `{}.yaml`", entry.name),
        ));
    };
    let relative = Path::new(name);
    if !is_relative(relative) {
        return Err(refused(
            format!("`{name}` is not a relative path"),
            "accepted: a path relative to the folder of this file",
        ));
    }
    let path = document.source.folder().join(relative);
    let bytes = mbsbench_input::read_file(&path, mbsbench_input::LARGEST_TEXT).map_err(|error| {
        refused(
            format!("`{}`: {error}", path.display()),
            &format!("accepted: the name of a file with a {}, relative to the folder of this file", entry.name),
        )
    })?;
    let is_robot = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("urdf"));
    let mut overrides = own.without(FILE);
    let found = if K::NAME == "model" && is_robot {
        let mut options = Node::empty(own.place);
        for entry in mbsbench_input::keys_of::<urdf::Options>().iter().filter_map(|name| own.entry(name)) {
            options = options.with(std::slice::from_ref(&entry.key), &entry.value);
            overrides = overrides.without(&entry.key.name);
        }
        let options = read_parameters(&options, "key of a robot").map_err(|problem| document.bad(vec![problem]))?;
        let (found, of_robot) = robot(&path, &bytes, &options)?;
        let new = of_robot.summary().into_iter().map(|note| format!("{}: {note}", path.display()));
        let new: Vec<String> = new.filter(|note| !notes.contains(note)).collect();
        notes.extend(new);
        found
    } else {
        Document::parse(&path, &bytes)?
    };
    // A model has the name that the experiment gives it; a method from a file has its own name.
    let is_labelled = K::NAME == MethodKind::NAME;
    let parameters = if is_labelled { found.root.without(LABEL) } else { found.root.clone() };
    let wrong = |problem| found.bad(vec![problem]);
    if let Some(label) = found.root.get(LABEL).filter(|_| is_labelled) {
        mbsbench_input::read::<String>(label).map_err(wrong)?;
    }
    entry.choose(&parameters, None).map_err(wrong)?;
    let mut written = found.root.placed(file.place);
    if let (Value::Map(entries), true, Some(stem)) = (&mut written.value, is_labelled, stem(&path))
        && entries.iter().all(|entry| entry.key.name != LABEL)
    {
        let key = Key { name: LABEL.to_owned(), place: file.place };
        entries.push(mbsbench_input::Entry { key, value: Node::new(Value::Text(stem), file.place) });
    }
    Ok(match &own.value {
        Value::Map(_) => written.merged(&overrides),
        _ => written,
    })
}

/// Describes each part of the robot in the file at `path` that was kept, merged, renamed, ignored or left out, with
/// line and column.
///
/// # Errors
/// Fails if the file is not a robot.
pub fn read_robot(path: &Path, bytes: &[u8]) -> Result<Vec<String>, BadInput> {
    let (Document { source, .. }, notes) = robot(path, bytes, &urdf::Options::default())?;
    let line = |(start, text)| {
        let (line, column) = source.line_and_column(Place::new(start, start));
        format!("{line}:{column}: {text}")
    };
    Ok(notes.all().into_iter().map(line).collect())
}

/// Converts a robot into the document of a mechanism, with notes on the differences.
fn robot(path: &Path, bytes: &[u8], options: &urdf::Options) -> Result<(Document, urdf::Notes), BadInput> {
    let source = source(path, bytes)?;
    let robot = urdf::read(source.text(), options).map_err(|NoRobot { start, message, accepted, name, known }| {
        let meant = did_you_mean(&name, &known);
        let problem = Problem::new(tag(&source, start), message).help(format!("{meant}accepted: {accepted}"));
        BadInput::new(source.clone(), vec![problem])
    })?;
    let mut root = Node::from_json(&robot.mechanism, Place::new(0, 0));
    // Problems of bodies, joints and forces are reported at the URDF elements that they come from.
    if let Value::Map(kinds) = &mut root.value {
        for kind in kinds {
            let Value::Map(parts) = &mut kind.value.value else { continue };
            for part in parts {
                if let Some(&start) = robot.places.get(&format!("{}.{}", kind.key.name, part.key.name)) {
                    part.value = part.value.placed(tag(&source, start));
                }
            }
        }
    }
    Ok((Document { source, root }, robot.notes))
}

/// The place of the tag that begins at a byte.
fn tag(source: &Source, start: usize) -> Place {
    Place::new(start, source.text()[start..].find('>').map_or(start, |length| start + length + 1))
}
