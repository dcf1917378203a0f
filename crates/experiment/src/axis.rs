//! Axes: what varies from run to run.

use std::fmt;

use mbsbench_input::{Key, Node, Problem, Value, one_of};

use crate::registry::{CONTROLS, Kind, MethodKind, ModelKind, Registry, choose};

/// What an axis varies. The order is that of the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// The model.
    Model,
    /// A parameter of the model.
    ModelParameter,
    /// The method.
    Method,
    /// A parameter of the method.
    MethodParameter,
    /// `step`, `step_per_stage` or `tolerance`.
    Control,
    /// A setting.
    Setting,
}

/// A value on an axis as it is shown and compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    /// As written in the file, or the label of a model or method.
    pub text: String,
    /// Its value, where it is a number.
    pub number: Option<f64>,
}

impl Label {
    /// Whether `text` means this value: the same text or the same number.
    #[must_use]
    pub fn is(&self, text: &str) -> bool {
        self.text == text || (self.number.is_some() && self.number == text.trim().parse().ok())
    }

    /// Whether two labels mean the same value.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        self.text == other.text || (self.number.is_some() && self.number == other.number)
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// One value of an axis.
#[derive(Debug, Clone)]
pub struct AxisPoint {
    /// As it stands in the file.
    pub node: Node,
    /// What it is called.
    pub label: Label,
}

/// An axis with its values.
#[derive(Debug, Clone)]
pub struct Axis {
    /// Its name, that of the column: `method`, `step`, `model.mass`.
    pub name: String,
    /// What it varies.
    pub role: Role,
    /// The parameter, for [`Role::ModelParameter`] and the like: each name at the place of the axis.
    pub path: Vec<Key>,
    /// Its values, at least one.
    pub points: Vec<AxisPoint>,
}

impl Axis {
    /// Reads an axis: a list of values, or one value.
    pub(super) fn read(key: &Key, node: &Node, registry: &Registry) -> Result<Self, Problem> {
        let (role, path) = role(key)?;
        let nodes = match &node.value {
            Value::List(items) if items.is_empty() => {
                return Err(Problem::new(node.place, format!("the axis `{}` is empty", key.name))
                    .help("accepted: a list with at least one value"));
            }
            Value::List(items) => items.as_slice(),
            _ => std::slice::from_ref(node),
        };
        let mut points: Vec<AxisPoint> = Vec::with_capacity(nodes.len());
        for node in nodes {
            let label = label(role, node, registry)?;
            if let Some(other) = points.iter().find(|point| point.label.same(&label)) {
                return Err(twice(key, node, other, &label));
            }
            points.push(AxisPoint { node: node.clone(), label });
        }
        Ok(Self { name: key.name.clone(), role, path, points })
    }

    /// Whether it has only one value.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        self.points.len() == 1
    }
}

fn role(key: &Key) -> Result<(Role, Vec<Key>), Problem> {
    let path = |rest: &str| rest.split('.').map(|name| Key { name: name.to_owned(), place: key.place }).collect();
    match key.name.split_once('.') {
        None if key.name == "model" => Ok((Role::Model, Vec::new())),
        None if key.name == "method" => Ok((Role::Method, Vec::new())),
        None if CONTROLS.contains(&key.name.as_str()) => Ok((Role::Control, Vec::new())),
        Some(("model", rest)) => Ok((Role::ModelParameter, path(rest))),
        Some(("method", rest)) => Ok((Role::MethodParameter, path(rest))),
        Some(("settings", rest)) => Ok((Role::Setting, path(rest))),
        _ => {
            let known = ["model", "method", "step", "step_per_stage", "tolerance"];
            let mut problem = Problem::unknown(key.place, "axis", &key.name, known);
            let parameters = "a parameter, `model.mass`, `method.alpha` or `settings.clock`";
            problem.help = problem.help.map(|help| format!("{help}, or {parameters}"));
            Err(problem)
        }
    }
}

fn twice(key: &Key, node: &Node, other: &AxisPoint, label: &Label) -> Problem {
    if key.name == "method" || key.name == "model" {
        let problem = Problem::new(node.place, format!("a second {} is labelled `{label}`", key.name));
        return problem.help("give one of the two another `label`, or remove it");
    }
    let message = match label.text == other.label.text {
        true => format!("the axis `{}` has `{label}` twice", key.name),
        false => format!("the axis `{}` has `{label}` twice: `{}` is the same", key.name, other.label),
    };
    Problem::new(node.place, message).help("the values of an axis have to differ")
}

fn label(role: Role, node: &Node, registry: &Registry) -> Result<Label, Problem> {
    let text = match role {
        Role::Model => choose::<ModelKind>(registry.models(), node)?.label(),
        Role::Method => choose::<MethodKind>(registry.methods(), node)?.label(),
        _ => described(node).ok_or_else(|| {
            let accepted = "accepted: numbers, texts and `{ name: … }`";
            Problem::new(node.place, format!("found {} on an axis", node.describe())).help(accepted)
        })?,
    };
    let number = match &node.value {
        Value::Number(number) => Some(number.value),
        // Of tolerances, the relative one is what is plotted.
        Value::Map(_) if role == Role::Control => match node.get("rel").map(|rel| &rel.value) {
            Some(Value::Number(number)) => Some(number.value),
            _ => None,
        },
        _ => None,
    };
    let text = match (role, node.get("rel").and_then(Node::spelling), node.get("abs").and_then(Node::spelling)) {
        (Role::Control, Some(rel), Some(abs)) => format!("{rel}/{abs}"),
        _ => text,
    };
    Ok(Label { text, number })
}

/// A value in one line: `sliding-mode(eta=3)`.
fn described(node: &Node) -> Option<String> {
    match &node.value {
        Value::Null => None,
        Value::List(items) => {
            let items: Option<Vec<String>> = items.iter().map(described).collect();
            items.map(|items| format!("[{}]", items.join(",")))
        }
        Value::Map(entries) => {
            let parts: Option<Vec<String>> = entries
                .iter()
                .map(|entry| match &entry.value.value {
                    Value::Map(inner) if inner.is_empty() => Some(entry.key.name.clone()),
                    Value::Map(_) => described(&entry.value).map(|fields| format!("{}({fields})", entry.key.name)),
                    _ => described(&entry.value).map(|value| format!("{}={value}", entry.key.name)),
                })
                .collect();
            parts.map(|parts| parts.join(","))
        }
        _ => node.spelling(),
    }
}

/// The problem that a run has no model, no method or no step.
pub(super) fn missing<K: Kind>(place: mbsbench_input::Place, registry_names: Vec<&str>) -> Problem {
    Problem::new(place, format!("the key `{}` is missing", K::NAME)).help(format!(
        "accepted: `{}: NAME` or a list, with one of {}",
        K::NAME,
        one_of(registry_names)
    ))
}
