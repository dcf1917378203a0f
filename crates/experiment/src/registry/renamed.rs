//! Parameters of methods that once had other names. A file may still have the old one, which is noted; keys of runs, and labels
//! made of parameters, go on with it, so that results that are there stay those of their runs.

use mbsbench_input::{Entry, Node, Place, Problem, Value as NodeValue};
use serde_json::{Map, Value};

/// The old name with the present one.
pub(super) type Renamed = (&'static str, &'static str);

/// Methods, and what was renamed in each of them.
const RENAMED: [(&[&str], &[Renamed]); 1] = [(
    &["lms2", "lms3", "lms4", "ss2", "ss3", "ss4", "bathe", "msstc3", "msstc4", "msstc5", "mssth3", "mssth4", "mssth5"],
    &[("rho", "rho-inf")],
)];

/// What was renamed in a method; nothing in a model or measure.
pub(super) fn of(kind: &str, name: &str) -> &'static [Renamed] {
    let own = RENAMED.iter().find(|(methods, _)| kind == "method" && methods.contains(&name));
    own.map_or(&[], |(_, renamed)| renamed)
}

/// The present name of a parameter at a path.
pub(super) fn present(path: &str, renamed: &[Renamed]) -> String {
    let (name, rest) = path.split_once('.').map_or((path, None), |(name, rest)| (name, Some(rest)));
    let name = renamed.iter().find(|(old, _)| *old == name).map_or(name, |&(_, present)| present);
    rest.map_or_else(|| name.to_owned(), |rest| format!("{name}.{rest}"))
}

/// Parameters of a file under their present names; both names of one are left, so that the old one is unknown.
pub(super) fn read(node: &Node, renamed: &[Renamed]) -> Node {
    let NodeValue::Map(entries) = &node.value else { return node.clone() };
    let entry = |entry: &Entry| {
        let mut entry = entry.clone();
        let name = present(&entry.key.name, renamed);
        if node.get(&name).is_none() {
            entry.key.name = name;
        }
        entry
    };
    Node::new(NodeValue::Map(entries.iter().map(entry).collect()), node.place)
}

/// Parameters under the names by which runs are known.
pub(super) fn former(parameters: &Value, renamed: &[Renamed]) -> Value {
    let Value::Object(fields) = parameters else { return parameters.clone() };
    let old = |name: &String| renamed.iter().find(|(_, present)| present == name).map(|&(old, _)| old.to_owned());
    let field = |(name, value): (&String, &Value)| (old(name).unwrap_or_else(|| name.clone()), value.clone());
    Value::Object(fields.iter().map(field).collect::<Map<_, _>>())
}

/// A parameter that has its old name in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renaming {
    /// Where its name stands.
    pub place: Place,
    /// What it has it in.
    pub method: String,
    /// That name.
    pub old: &'static str,
    /// The name that it has now.
    pub present: &'static str,
}

impl Renaming {
    /// In words.
    #[must_use]
    pub fn problem(&self) -> Problem {
        let Self { place, method, old, present } = self;
        Problem::new(*place, format!("`{old}` of `{method}` is now called `{present}`"))
            .help("`mbsbench migrate` brings a file into the present format")
    }
}

/// The places in a file where a parameter has its old name.
#[must_use]
pub fn renamings(node: &Node) -> Vec<Renaming> {
    let mut found = Vec::new();
    if let NodeValue::List(items) = &node.value {
        found.extend(items.iter().flat_map(renamings));
    }
    for entry in node.entries() {
        let method = &entry.key.name;
        found.extend(of("method", method).iter().filter_map(|&(old, present)| {
            let place = entry.value.entry(old)?.key.place;
            Some(Renaming { place, method: method.clone(), old, present })
        }));
        found.extend(renamings(&entry.value));
    }
    found
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use mbsbench_input::Document;

    use crate::registry::{MethodKind, Registry, choose};

    #[test]
    fn an_old_name_is_read_and_noted_and_names_runs() {
        let registry = Registry::builtin();
        let document = |text: &str| Document::parse(Path::new("a.yaml"), text.as_bytes()).expect("YAML");
        let read = |text: &str| choose::<MethodKind>(registry.methods(), &document(text).root);
        let [old, new] = ["lms2: { rho: 0.8 }", "lms2: { rho-inf: 0.8 }"].map(|text| read(text).expect("a method"));
        assert_eq!(old.parameters(), new.parameters());
        assert_eq!((old.identity(), old.label()), (new.identity(), "lms2(rho=0.8)".to_owned()));
        assert_eq!(new.identity()["lms2"]["rho"], 0.8);
        assert!(old.has("rho") && old.has("rho-inf"));
        let generalized = read("generalized-alpha: { rho-inf: 0.7 }").expect("a method");
        assert_eq!(generalized.identity()["generalized-alpha"]["rho-inf"], 0.7, "was always called that");
        let twice = read("lms2: { rho: 0.8, rho-inf: 0.8 }").unwrap_err();
        assert!(twice.message.contains("`rho`"), "{twice}");

        let document = document("matrix:\n  method: [rk3, { lms2: { rho: 0.8 } }]\n");
        let [found] = super::renamings(&document.root).try_into().expect("one word");
        assert_eq!(document.source.line_and_column(found.place), (2, 27));
        assert_eq!(found.problem().message, "`rho` of `lms2` is now called `rho-inf`");
        let present = Document::parse(Path::new("b.yaml"), b"lms2: { rho-inf: 0.8 }").expect("YAML");
        assert_eq!(super::renamings(&present.root), []);
    }
}
