//! Checks written out: what a statement, `sets:`, `each`, `except` and `on` say together becomes one node a check.

use mbsbench_input::{Entry, Key, Node, Problem, Value, keys_of, one_of};

use super::spec::{CheckSpec, KindSpec, StatementSpec};

/// Keys of a statement that its checks take over where they do not say otherwise.
const SHARED: [&str; 4] = ["on", "why", "bound_from", "bound_set"];
/// The key under which a statement that is its own check names it.
const NAME: &str = "check";

/// Lists of values with names, for `each`.
pub(super) struct Sets<'n>(&'n [Entry]);

impl<'n> Sets<'n> {
    /// Reads the block `sets:`.
    pub(super) fn read(root: &'n Node) -> Result<Self, Problem> {
        let Some(node) = root.get("sets") else { return Ok(Self(&[])) };
        if !matches!(node.value, Value::Map(_)) {
            let problem = Problem::new(node.place, format!("found {}", node.describe()));
            return Err(problem.help("accepted: a map of lists, `{ explicit: [rk3, rk5] }`"));
        }
        for entry in node.entries() {
            list(&entry.value)?;
        }
        Ok(Self(node.entries()))
    }

    fn get(&self, node: &'n Node) -> Result<&'n [Node], Problem> {
        let Some(name) = node.text() else { return list(node) };
        match self.0.iter().find(|entry| entry.key.name == name) {
            Some(entry) => list(&entry.value),
            None => {
                let known: Vec<&str> = self.0.iter().map(|entry| entry.key.name.as_str()).collect();
                Err(Problem::unknown(node.place, "set", name, known))
            }
        }
    }
}

fn list(node: &Node) -> Result<&[Node], Problem> {
    match &node.value {
        Value::List(items) if !items.is_empty() => Ok(items),
        _ => {
            let problem = Problem::new(node.place, format!("found {}", node.describe()));
            Err(problem.help("accepted: a list of values, or the name of one of the `sets:`"))
        }
    }
}

/// The checks of a statement, each as a node of its own with its id.
pub(super) fn checks(statement: &Node, sets: &Sets<'_>) -> Result<Vec<Node>, Problem> {
    let Some(id) = statement.get("id") else {
        return Err(Problem::new(statement.place, "the key `id` is missing").help("add `id:`"));
    };
    let mut written = Vec::new();
    for check in templates(statement)? {
        let check = match check.get("id") {
            Some(_) => check,
            None => check.with(&[Key { name: "id".to_owned(), place: id.place }], id),
        };
        written.extend(combinations(&check, sets)?);
    }
    Ok(written)
}

/// The checks as the file has them, each with what it takes over from its statement.
fn templates(statement: &Node) -> Result<Vec<Node>, Problem> {
    let part = |is_wanted: &dyn Fn(&str) -> bool| {
        let entries = statement.entries().iter().filter(|entry| is_wanted(&entry.key.name)).cloned().collect();
        Node::new(Value::Map(entries), statement.place)
    };
    let Some(items) = statement.get("checks") else {
        let own = part(&|name| !keys_of::<StatementSpec>().contains(&name) && name != NAME);
        let name = statement.entry(NAME);
        return Ok(vec![match name {
            Some(name) => own.with(&[Key { name: "id".to_owned(), place: name.key.place }], &name.value),
            None => own,
        }]);
    };
    let shared = part(&|name| SHARED.contains(&name));
    let known = || keys_of::<StatementSpec>().iter().copied().chain(SHARED).chain(["checks"]);
    if let Some(entry) = statement.entries().iter().find(|entry| !known().any(|known| known == entry.key.name)) {
        let known: Vec<&str> = known().collect();
        return Err(Problem::unknown(entry.key.place, "key of a statement with `checks`", &entry.key.name, known));
    }
    let items = list(items)?;
    if let Some(item) = items.iter().find(|item| !matches!(item.value, Value::Map(_))) {
        let problem = Problem::new(item.place, format!("found {}", item.describe()));
        return Err(problem.help("accepted: a check, `{ id: …, bound: … }`"));
    }
    Ok(items.iter().map(|item| shared.merged(item)).collect())
}

/// An axis of `each`.
type Axis<'n> = (&'n str, &'n [Node]);
/// A combination: each axis with its value.
type Bound<'n> = Vec<(&'n str, &'n Node)>;

/// A check for each combination of `each`.
fn combinations(check: &Node, sets: &Sets<'_>) -> Result<Vec<Node>, Problem> {
    let exceptions = match check.get("except") {
        Some(node) => list(node)?,
        None => &[],
    };
    let Some(each) = check.get("each") else {
        if let Some(except) = check.entry("except") {
            let problem = Problem::new(except.key.place, "`except` without `each`");
            return Err(problem.help("accepted: exceptions from the combinations of `each`"));
        }
        return Ok(vec![with_common(check)?]);
    };
    let axes: Vec<Axis<'_>> = each
        .entries()
        .iter()
        .map(|entry| Ok((entry.key.name.as_str(), sets.get(&entry.value)?)))
        .collect::<Result<_, Problem>>()?;
    if axes.is_empty() {
        let problem = Problem::new(each.place, format!("found {}", each.describe()));
        return Err(problem.help("accepted: axes with their values, `{ method: [rk3, rk5] }`"));
    }
    let template = check.without("each").without("except");
    let mut used = vec![false; exceptions.len()];
    let mut written = Vec::new();
    for bound in product(&axes) {
        let fitting = exceptions.iter().zip(&mut used).find(|(exception, _)| fits(exception, &bound));
        let exception = fitting.map(|(exception, used)| {
            *used = true;
            exception
        });
        let over = exception.map(|exception| without_axes(exception, &axes));
        if over.as_ref().and_then(|over| over.get("drop")).is_some() {
            continue;
        }
        let filled = fill(&over.map_or_else(|| template.clone(), |over| template.merged(&over)), &bound)?;
        written.push(with_common(&filled)?);
    }
    if let Some((exception, _)) = exceptions.iter().zip(used).find(|(_, used)| !used) {
        let problem = Problem::new(exception.place, "the exception fits no combination of `each`");
        return Err(problem.help("accepted: values that the axes have; the first exception that fits counts"));
    }
    Ok(written)
}

fn product<'n>(axes: &[Axis<'n>]) -> Vec<Bound<'n>> {
    axes.iter().fold(vec![Vec::new()], |bounds, &(name, values)| {
        let extended = |bound: &Bound<'n>| -> Vec<Bound<'n>> {
            values.iter().map(|value| bound.iter().copied().chain([(name, value)]).collect()).collect()
        };
        bounds.iter().flat_map(extended).collect()
    })
}

/// Whether an exception is meant for a combination: all axes that it names have one of its values.
fn fits(exception: &Node, bound: &Bound<'_>) -> bool {
    bound.iter().all(|(axis, value)| {
        exception.get(axis).is_none_or(|wanted| {
            let wanted =
                if let Value::List(items) = &wanted.value { items.as_slice() } else { std::slice::from_ref(wanted) };
            wanted.iter().any(|wanted| is_value(value, wanted))
        })
    })
}

fn is_value(value: &Node, wanted: &Node) -> bool {
    let same = |node: &Node| node.spelling().is_some() && node.spelling() == wanted.spelling();
    same(value) || value.entries().iter().any(|field| same(&field.value))
}

fn without_axes(exception: &Node, axes: &[Axis<'_>]) -> Node {
    axes.iter().fold(exception.clone(), |node, (axis, _)| node.without(axis))
}

/// The node with the values of a combination in the place of their names.
fn fill(node: &Node, bound: &Bound<'_>) -> Result<Node, Problem> {
    let value = match &node.value {
        Value::Text(text) => return fill_text(node, text, bound),
        Value::List(items) => Value::List(items.iter().map(|item| fill(item, bound)).collect::<Result<_, _>>()?),
        Value::Map(entries) => {
            let entry = |entry: &Entry| Ok(Entry { key: entry.key.clone(), value: fill(&entry.value, bound)? });
            Value::Map(entries.iter().map(entry).collect::<Result<_, Problem>>()?)
        }
        other => other.clone(),
    };
    Ok(Node::new(value, node.place))
}

/// Names that the cells of a table fill in later.
const OF_CELLS: [&str; 2] = ["row", "column"];

fn fill_text(node: &Node, text: &str, bound: &Bound<'_>) -> Result<Node, Problem> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let Some((name, after)) = after.split_once('}') else {
            let problem = Problem::new(node.place, "a `{` without `}`");
            return Err(problem.help("accepted: the name of an axis of `each` in braces"));
        };
        rest = after;
        match value_of(name, bound) {
            // Alone in its text, the value stays what it is.
            Some(value) if name.len() + 2 == text.len() => return Ok(Node::new(value.value.clone(), node.place)),
            Some(value) => filled.push_str(&value.spelling().ok_or_else(|| {
                let problem = Problem::new(node.place, format!("`{{{name}}}` is {} within a text", value.describe()));
                problem.help("accepted: a number or a text; name a field of a map, `{axis.field}`")
            })?),
            None if OF_CELLS.contains(&name) => filled.push_str(&format!("{{{name}}}")),
            None => {
                let known: Vec<&str> = bound.iter().map(|(axis, _)| *axis).collect();
                return Err(Problem::unknown(node.place, "axis of `each`", name, known));
            }
        }
    }
    filled.push_str(rest);
    Ok(Node::new(Value::Text(filled), node.place))
}

/// The value of an axis, or of a field of it: `m.label`.
fn value_of<'n>(name: &str, bound: &Bound<'n>) -> Option<&'n Node> {
    let find = |axis: &str| bound.iter().find(|(known, _)| *known == axis).map(|(_, value)| *value);
    find(name).or_else(|| {
        let (axis, field) = name.split_once('.')?;
        find(axis)?.get(field)
    })
}

/// The check with what `on` says in all of its operands.
fn with_common(check: &Node) -> Result<Node, Problem> {
    let Some(on) = check.get("on") else { return Ok(check.clone()) };
    if !matches!(on.value, Value::Map(_)) {
        let problem = Problem::new(on.place, format!("found {}", on.describe()));
        return Err(problem.help("accepted: what operands have in common, `{ experiment: …, where: … }`"));
    }
    let check = check.without("on");
    let entries = check.entries().iter().map(|entry| {
        let value = match entry.key.name.as_str() {
            "value" | "bound" | "order" => of_key(&entry.value, "of", on),
            "ratio" | "difference" => of_key(&of_key(&entry.value, "of", on), "to", on),
            "ordering" => in_list(&entry.value, "smallest_first", |operand| common(on, operand)),
            "shape" => in_list(&entry.value, "landmarks", |landmark| of_key(landmark, "of", on)),
            "failure" | "identity" => only(on, &["experiment", "where"]).merged(&entry.value),
            "cells" => only(on, &["experiment"]).merged(&entry.value),
            _ => entry.value.clone(),
        };
        Entry { key: entry.key.clone(), value }
    });
    Ok(Node::new(Value::Map(entries.collect()), check.place))
}

fn only(node: &Node, names: &[&str]) -> Node {
    let entries = node.entries().iter().filter(|entry| names.contains(&entry.key.name.as_str()));
    Node::new(Value::Map(entries.cloned().collect()), node.place)
}

fn of_key(node: &Node, name: &str, on: &Node) -> Node {
    let place = node.place;
    let operand = node.get(name).cloned().unwrap_or_else(|| Node::new(Value::Map(Vec::new()), place));
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

/// An operand over what all have in common; its own column or columns stand for both keys.
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

/// What a check says beside its kind, and its kind; a problem where there is none, or more than one.
pub(super) fn parts(check: &Node) -> Result<(Node, Node), Problem> {
    let kinds = keys_of::<KindSpec>();
    let (kind, rest): (Vec<Entry>, Vec<Entry>) =
        check.entries().iter().cloned().partition(|entry| kinds.contains(&entry.key.name.as_str()));
    if kind.len() != 1 {
        let found = if kind.is_empty() { "no kind".to_owned() } else { format!("{} kinds", kind.len()) };
        let name = check.get("id").and_then(Node::spelling).unwrap_or_default();
        let accepted = format!("accepted: one of {}", one_of(kinds.iter().copied()));
        return Err(Problem::new(check.place, format!("the check `{name}` has {found}")).help(accepted));
    }
    let known = keys_of::<CheckSpec>();
    if let Some(entry) = rest.iter().find(|entry| !known.contains(&entry.key.name.as_str())) {
        let known = known.iter().chain(kinds).copied();
        return Err(Problem::unknown(entry.key.place, "key", &entry.key.name, known));
    }
    Ok((Node::new(Value::Map(rest), check.place), Node::new(Value::Map(kind), check.place)))
}
