//! Expansion of checks: a statement with `sets:`, `each`, `except` and `on` becomes one complete node for each check.

use mbsbench_input::{Each, Entry, Key, Node, Problem, Value, keys_of, one_of, refuse};

use super::{Check, Kind, Statement};

/// Keys of a statement that its checks inherit unless they have their own.
const SHARED: [&str; 4] = ["on", "why", "bound_from", "bound_set"];
/// The key with the id of the check in a statement that is its own check.
const NAME: &str = "check";

/// Names that are filled in later for the cells of a table.
pub(super) const OF_CELLS: &[&str] = &["row", "column"];

/// Returns the checks of a statement, each as a complete node with its id.
pub(super) fn checks(statement: &Node, each: &Each<'_>) -> Result<Vec<Node>, Problem> {
    let Some(id) = statement.get("id") else {
        return refuse(statement.place, "the key `id` is missing", "add `id:`");
    };
    let mut written = Vec::new();
    for check in templates(statement)? {
        let check = match check.get("id") {
            Some(_) => check,
            None => check.with(&[Key { name: "id".to_owned(), place: id.place }], id),
        };
        for check in each.items(&check)? {
            written.push(with_common(&check)?);
        }
    }
    Ok(written)
}

/// Reports an unknown key of a statement.
pub(super) fn check_keys(statement: &Node) -> Result<(), Problem> {
    let of_check = keys_of::<Check>().iter().chain(keys_of::<Kind>()).copied().chain([NAME, "each", "except"]);
    let (what, own) = match statement.get("checks") {
        Some(_) => ("key of a statement with `checks`", Vec::new()),
        None => ("key", of_check.collect()),
    };
    let known: Vec<&str> = keys_of::<Statement>().iter().copied().chain(SHARED).chain(["checks"]).chain(own).collect();
    match statement.entries().iter().find(|entry| !known.contains(&entry.key.name.as_str())) {
        Some(entry) => Err(Problem::unknown(entry.key.place, what, &entry.key.name, known)),
        None => Ok(()),
    }
}

/// Returns the checks as written, each with the keys that it inherits from its statement.
fn templates(statement: &Node) -> Result<Vec<Node>, Problem> {
    let Some(items) = statement.get("checks") else {
        let own = statement.with_keys(|name| !keys_of::<Statement>().contains(&name) && name != NAME);
        return Ok(vec![match statement.entry(NAME) {
            Some(name) => own.with(&[Key { name: "id".to_owned(), place: name.key.place }], &name.value),
            None => own,
        }]);
    };
    let shared = statement.with_keys(|name| SHARED.contains(&name));
    let items = match &items.value {
        Value::List(items) if !items.is_empty() => items,
        _ => return Err(Problem::found(items).help("accepted: a list of checks")),
    };
    if let Some(item) = items.iter().find(|item| !matches!(item.value, Value::Map(_))) {
        return Err(Problem::found(item).help("accepted: a check, `{ id: …, bound: … }`"));
    }
    Ok(items.iter().map(|item| shared.merged(item)).collect())
}

/// Returns the check with the keys of `on` merged into all of its operands.
fn with_common(check: &Node) -> Result<Node, Problem> {
    let Some(on) = check.get("on") else { return Ok(check.clone()) };
    if !matches!(on.value, Value::Map(_)) {
        return Err(Problem::found(on).help("accepted: the keys that operands share, `{ experiment: …, where: … }`"));
    }
    let check = check.without("on");
    let entries = check.entries().iter().map(|entry| {
        let value = match entry.key.name.as_str() {
            "value" | "bound" | "order" => of_key(&entry.value, "of", on),
            "ratio" | "difference" => of_key(&of_key(&entry.value, "of", on), "to", on),
            "ordering" => in_list(&entry.value, "smallest_first", |operand| common(on, operand)),
            "shape" => in_list(&entry.value, "landmarks", |landmark| of_key(landmark, "of", on)),
            "failure" | "identity" => on.with_keys(|key| ["experiment", "where"].contains(&key)).merged(&entry.value),
            "cells" => on.with_keys(|key| key == "experiment").merged(&entry.value),
            _ => entry.value.clone(),
        };
        Entry { key: entry.key.clone(), value }
    });
    Ok(Node::new(Value::Map(entries.collect()), check.place))
}

fn of_key(node: &Node, name: &str, on: &Node) -> Node {
    let place = node.place;
    let operand = node.get(name).cloned().unwrap_or_else(|| Node::empty(place));
    node.with(&[Key { name: name.to_owned(), place }], &common(on, &operand))
}

fn in_list(node: &Node, name: &str, change: impl Fn(&Node) -> Node) -> Node {
    let entries = node.entries().iter().map(|entry| match &entry.value.value {
        Value::List(items) if entry.key.name == name => {
            let items = items.iter().map(&change).collect();
            Entry { key: entry.key.clone(), value: Node::new(Value::List(items), entry.value.place) }
        }
        _ => entry.clone(),
    });
    Node::new(Value::Map(entries.collect()), node.place)
}

/// Merges an operand with the common keys; its own `column` or `columns` replaces both of these keys.
fn common(on: &Node, operand: &Node) -> Node {
    let on = match operand.get("column").or(operand.get("columns")) {
        Some(_) => on.without("column").without("columns"),
        None => on.clone(),
    };
    let merged = on.merged(operand);
    match merged.get("at").and_then(|at| at.get("equals")) {
        Some(equals) => {
            let keys = ["at", "equals"].map(|name| Key { name: name.to_owned(), place: equals.place });
            merged.with(&keys, &common(&on.without("at"), equals))
        }
        None => merged,
    }
}

/// Splits a check into its kind and all other keys. Fails if there is no kind, or more than one.
pub(super) fn parts(check: &Node) -> Result<(Node, Node), Problem> {
    let kinds = keys_of::<Kind>();
    let [kind, rest] = [true, false].map(|is_kind| check.with_keys(|name| kinds.contains(&name) == is_kind));
    let count = kind.entries().len();
    if count != 1 {
        let found = if count == 0 { "no kind".to_owned() } else { format!("{count} kinds") };
        let name = check.get("id").and_then(Node::spelling).unwrap_or_default();
        let accepted = format!("accepted: one of {}", one_of(kinds.iter().copied()));
        return refuse(check.place, format!("the check `{name}` has {found}"), accepted);
    }
    let known = keys_of::<Check>();
    if let Some(entry) = rest.entries().iter().find(|entry| !known.contains(&entry.key.name.as_str())) {
        let known = known.iter().chain(kinds).copied();
        return Err(Problem::unknown(entry.key.place, "key", &entry.key.name, known));
    }
    Ok((rest, kind))
}
