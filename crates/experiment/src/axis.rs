//! Axes: the quantities that vary from run to run.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use mbsbench_input::{Entry, Key, Node, Problem, Value, one_of, refuse};

use crate::registry::{CONTROLS, Kind, MethodKind, ModelKind, Registry, choose};
use crate::spec::AxisValue;

/// The quantity that an axis varies. The variants are in the order of the columns.
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

/// A value on an axis, as it is shown and compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    /// The value as written in the file, or the label of a model or method.
    pub text: String,
    /// The value as a number, if it is one.
    pub number: Option<f64>,
}

impl Label {
    /// True if `text` denotes this value: the same text or the same number.
    pub fn is(&self, text: &str) -> bool {
        self.text == text || (self.number.is_some() && self.number == text.trim().parse().ok())
    }

    /// True if two labels denote the same value.
    pub fn same(&self, other: &Self) -> bool {
        self.text == other.text || (self.number.is_some() && self.number == other.number)
    }
}

impl AsRef<str> for Label {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Labels indexed by text and by number, so that a lookup does not compare with every label.
#[derive(Debug, Default)]
pub(super) struct LabelIndex<'l> {
    texts: HashMap<&'l str, usize>,
    numbers: HashMap<u64, usize>,
    count: usize,
}

impl<'l> LabelIndex<'l> {
    /// Adds a label under the next index, counted from zero. If an equal label exists, returns its index, and lookups
    /// continue to find that one.
    pub(super) fn add(&mut self, label: &'l Label) -> Option<usize> {
        let same = self.same(label);
        self.texts.entry(&label.text).or_insert(self.count);
        if let Some(bits) = label.number.and_then(bits) {
            self.numbers.entry(bits).or_insert(self.count);
        }
        self.count += 1;
        same
    }

    /// Adds a label unless an equal one exists. Returns true if it was added.
    pub(super) fn is_new(&mut self, label: &'l Label) -> bool {
        let is_new = self.same(label).is_none();
        if is_new {
            self.add(label);
        }
        is_new
    }

    /// Returns the index of the first label equal to this one ([`Label::same`]).
    fn same(&self, label: &Label) -> Option<usize> {
        let text = self.texts.get(label.text.as_str()).copied();
        let number = label.number.and_then(bits).and_then(|bits| self.numbers.get(&bits)).copied();
        text.into_iter().chain(number).min()
    }

    /// Passes the indices of the labels that a value matches ([`AxisValue::matches`]) to `say`. No two labels may be
    /// equal.
    pub(super) fn meant(&self, value: &AxisValue, say: &mut impl FnMut(usize)) {
        let number = |number: f64| bits(number).and_then(|bits| self.numbers.get(&bits)).copied();
        match value {
            AxisValue::Number(value) => number(*value).into_iter().for_each(say),
            AxisValue::Text(text) => {
                let as_number = text.trim().parse().ok().and_then(number);
                self.texts.get(text.as_str()).copied().into_iter().chain(as_number).for_each(say);
            }
            AxisValue::Any(values) => values.iter().for_each(|value| self.meant(value, say)),
        }
    }
}

impl<'l> FromIterator<&'l Label> for LabelIndex<'l> {
    fn from_iter<I: IntoIterator<Item = &'l Label>>(labels: I) -> Self {
        let mut index = Self::default();
        labels.into_iter().for_each(|label| {
            index.add(label);
        });
        index
    }
}

/// The bits of a number; 0 and -0 have the same bits. `None` for NaN, which equals no number.
fn bits(number: f64) -> Option<u64> {
    (!number.is_nan()).then(|| (number + 0.0).to_bits())
}

/// One value of an axis.
#[derive(Debug, Clone)]
pub struct AxisPoint {
    /// The node in the file.
    pub node: Node,
    /// The label under which the value is shown.
    pub label: Arc<Label>,
}

/// An axis with its values.
#[derive(Debug, Clone)]
pub struct Axis {
    /// The name of the axis and of its column: `method`, `step`, `model.mass`.
    pub name: String,
    /// The quantity that varies.
    pub role: Role,
    /// The parameter of [`Role::ModelParameter`] and similar roles, as a list of names, each placed where the axis is.
    pub path: Vec<Key>,
    /// The values, at least one.
    pub points: Vec<AxisPoint>,
}

impl Axis {
    /// Reads an axis from a list of values or a single value.
    pub(super) fn read(key: &Key, node: &Node, registry: &Registry) -> Result<Self, Problem> {
        let (role, path) = role(key)?;
        let nodes = match &node.value {
            Value::List(items) if items.is_empty() => {
                let message = format!("the axis `{}` is empty", key.name);
                return refuse(node.place, message, "accepted: a list with at least one value");
            }
            Value::List(items) => items.as_slice(),
            _ => std::slice::from_ref(node),
        };
        let read = |node: &Node| Ok(AxisPoint { node: node.clone(), label: Arc::new(label(role, node, registry)?) });
        let mut wrong = None;
        let right = |node: &Node| read(node).map_err(|problem| wrong = Some(problem)).ok();
        let points: Vec<AxisPoint> = nodes.iter().map_while(right).collect();
        let mut seen = LabelIndex::default();
        for AxisPoint { node, label } in &points {
            if let Some(other) = seen.add(label) {
                return Err(twice(key, node, &points[other], label));
            }
        }
        if let Some(problem) = wrong {
            return Err(problem);
        }
        Ok(Self { name: key.name.clone(), role, path, points })
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
        let problem = Problem::new(node.place, format!("two {}s have the label `{label}`", key.name));
        return problem.help("give one of the two another `label`, or remove it");
    }
    let message = match label.text == other.label.text {
        true => format!("the axis `{}` has `{label}` twice", key.name),
        false => format!("the axis `{}` has `{label}` twice: `{}` is the same value", key.name, other.label),
    };
    Problem::new(node.place, message).help("the values of an axis must differ")
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
        // The relative tolerance is the number that is plotted.
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

/// A value on one line: `sliding-mode(eta=3)`.
fn described(node: &Node) -> Option<String> {
    match &node.value {
        Value::Null => None,
        Value::List(items) => {
            let items: Option<Vec<String>> = items.iter().map(described).collect();
            items.map(|items| format!("[{}]", items.join(",")))
        }
        Value::Map(entries) => {
            let part = |Entry { key, value }: &Entry| match &value.value {
                Value::Map(inner) if inner.is_empty() => Some(key.name.clone()),
                Value::Map(_) => described(value).map(|fields| format!("{}({fields})", key.name)),
                _ => described(value).map(|value| format!("{}={value}", key.name)),
            };
            let parts: Option<Vec<String>> = entries.iter().map(part).collect();
            parts.map(|parts| parts.join(","))
        }
        _ => node.spelling(),
    }
}

/// Returns the problem of a run without a model, method or step.
pub(super) fn missing<K: Kind>(place: mbsbench_input::Place, registry_names: Vec<&str>) -> Problem {
    Problem::new(place, format!("the key `{}` is missing", K::NAME)).help(format!(
        "accepted: `{}: NAME` or a list of names, each one of {}",
        K::NAME,
        one_of(registry_names)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_and_linear_search_agree() {
        let label = |text: &str| Label { text: text.to_owned(), number: text.parse().ok() };
        let labels = ["0.1", "rk3", "-0.0", "nan", "inf", "5", "1e-3", "0x1"].map(label);
        let index: LabelIndex<'_> = labels.iter().collect();
        let text = |text: &str| AxisValue::Text(text.to_owned());
        let texts = ["0.1", "1e-1", " 5.0", "rk3", "rk4", "0", "nan", "NaN", "inf", "0x1", "1"].map(text);
        let numbers = [0.1, 0.0, -0.0, f64::NAN, f64::INFINITY, 5.0, 0.001, 7.0].map(AxisValue::Number);
        let any = AxisValue::Any(vec![text("rk3"), AxisValue::Number(5.0), text("no")]);
        let mut hits = 0;
        for value in texts.iter().chain(&numbers).chain([&any]) {
            let expected: Vec<usize> = (0..labels.len()).filter(|&at| value.matches(&labels[at])).collect();
            let mut found = Vec::new();
            index.meant(value, &mut |at| found.push(at));
            found.sort_unstable();
            found.dedup();
            assert_eq!(found, expected, "{value}");
            hits += found.len();
        }
        assert!(hits > 10);
        for new in ["0.10", "rk3", "0", "nan", "Inf", "6"].map(label) {
            let expected = labels.iter().position(|known| known.same(&new));
            assert_eq!(index.same(&new), expected, "{new}");
        }
    }
}
