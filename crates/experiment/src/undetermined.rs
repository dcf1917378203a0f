//! Parameters that a paper leaves out: their plausible ranges, or the possible readings of the text.

use mbsbench_input::{Entry, Key, Node, Number, Problem, Value, read, refuse};
use schemars::JsonSchema;
use serde::Deserialize;

use super::list;

/// An undetermined part of the set-up, named by the path of its parameter or by a name if readings set several
/// parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Undetermined {
    /// The possible values.
    pub varies: Varies,
    /// Why it is undetermined, and the origin of the range or the readings.
    pub why: String,
    /// The published number that the nominal value was chosen to match, if any.
    pub calibrated: Option<String>,
}

/// The possible values of an undetermined parameter in a set-up.
#[derive(Debug, Clone, PartialEq)]
pub enum Varies {
    /// Any number between the lowest and the highest plausible value.
    Over([f64; 2]),
    /// One of these readings instead of the nominal one.
    Readings(Vec<Reading>),
}

/// An alternative reading of the text: parameters by path, with their values.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The name: `method.charts = step`, or the name in the file.
    pub name: String,
    /// The parameters that it sets.
    pub sets: Vec<(Key, Node)>,
}

/// An undetermined parameter, as in the file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UndeterminedSpec {
    /// Lowest and highest plausible value.
    range: Option<[f64; 2]>,
    /// Other readings: values of the parameter, or `{ name, set: { path: value } }`.
    #[schemars(with = "Option<Vec<serde_json::Value>>")]
    readings: Option<serde::de::IgnoredAny>,
    /// Why it is undetermined, and the origin of the range or the readings.
    why: String,
    /// The published number that the nominal value was chosen to match, if any.
    calibrated: Option<String>,
}

impl Undetermined {
    /// Returns the range, if there is one.
    pub fn range(&self) -> Option<[f64; 2]> {
        match &self.varies {
            Varies::Over(range) => Some(*range),
            Varies::Readings(_) => None,
        }
    }

    /// Returns the alternative readings; empty for a range.
    pub fn readings(&self) -> &[Reading] {
        match &self.varies {
            Varies::Over(_) => &[],
            Varies::Readings(readings) => readings,
        }
    }

    /// True if it varies the parameter at a path, or one below it.
    pub fn covers(&self, key: &str, path: &str) -> bool {
        match &self.varies {
            Varies::Over(_) => lies_below(path, key),
            Varies::Readings(readings) => {
                readings.iter().any(|reading| reading.sets.iter().any(|(key, _)| lies_below(path, &key.name)))
            }
        }
    }

    fn read(entry: &Entry) -> Result<(Key, Self), Problem> {
        let UndeterminedSpec { range, readings, why, calibrated } = read(&entry.value)?;
        let varies = match (range, readings) {
            (Some([low, high]), None) if low < high => Varies::Over([low, high]),
            (Some([low, high]), None) => {
                let message = format!("the range from {low} to {high} is empty");
                return refuse(entry.value.place_of("range"), message, "accepted: `[lowest, highest]`");
            }
            (None, Some(_)) => Varies::Readings(readings_of(entry)?),
            _ => {
                let message = format!("`{}` needs either a range or readings", entry.key.name);
                let accepted = "accepted: `range: [lowest, highest]` or `readings: [value, …]`";
                return refuse(entry.value.place, message, accepted);
            }
        };
        Ok((entry.key.clone(), Self { varies, why, calibrated }))
    }
}

/// True if `path` equals `above` or lies below it.
pub fn lies_below(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn readings_of(entry: &Entry) -> Result<Vec<Reading>, Problem> {
    let accepted = "accepted: a list of values, or of maps `{ name: …, set: { path: value } }`";
    let Some(Node { value: Value::List(items), place }) = entry.value.get("readings") else {
        return refuse(entry.value.place_of("readings"), "the list of readings is missing", accepted);
    };
    if items.is_empty() {
        return refuse(*place, "the list of readings is empty", accepted);
    }
    let reading = |item: &Node| {
        let Some(set) = item.get("set") else {
            let text = item.spelling().unwrap_or_else(|| item.to_json().to_string());
            let sets = vec![(entry.key.clone(), item.clone())];
            return Ok(Reading { name: format!("{} = {text}", entry.key.name), sets });
        };
        let name = item.get("name").map(read::<String>).transpose()?.filter(|name| !name.trim().is_empty());
        let name = name.ok_or_else(|| Problem::new(item.place, "the reading has no name").help("add `name:`"))?;
        let sets: Vec<(Key, Node)> =
            set.entries().iter().map(|entry| (entry.key.clone(), entry.value.clone())).collect();
        if sets.is_empty() {
            return refuse(set.place, "the reading sets nothing", accepted);
        }
        Ok(Reading { name, sets })
    };
    items.iter().map(reading).collect()
}

/// Reads `given:`, the paper's statements about the set-up. Their tests are read together with the checks.
pub(super) fn read_given(root: &Node) -> Result<Vec<Node>, Problem> {
    let Some(given) = root.entry("given") else { return Ok(Vec::new()) };
    if root.get("undetermined").is_none() {
        let message = "`given` needs undetermined parameters";
        return refuse(given.key.place, message, "add `undetermined:` with a parameter and its range");
    }
    Ok(list(root, "given")?.to_vec())
}

/// Reads `set:`: parameters by path that are set in every run that has them.
pub(super) fn read_set(root: &Node) -> Result<Vec<(Key, Node)>, Problem> {
    let Some(node) = root.get("set") else { return Ok(Vec::new()) };
    let Value::Map(entries) = &node.value else {
        return Err(Problem::found(node).help("accepted: a map of paths, `set: { model.mass: 3.2 }`"));
    };
    Ok(entries.iter().map(|entry| (entry.key.clone(), entry.value.clone())).collect())
}

/// Returns a number of a set-up as a file would give it.
pub fn number(value: f64, key: &Key) -> Node {
    Node::new(Value::Number(Number { value, whole: None, text: value.to_string() }), key.place)
}

/// Reads `undetermined:`.
pub(super) fn read_undetermined(root: &Node) -> Result<Vec<(Key, Undetermined)>, Problem> {
    let Some(node) = root.get("undetermined") else { return Ok(Vec::new()) };
    let Value::Map(entries) = &node.value else {
        return Err(
            Problem::found(node).help("accepted: a map of paths, `model.inner-radius: { range: [low, high], why: … }`")
        );
    };
    entries.iter().map(Undetermined::read).collect()
}
