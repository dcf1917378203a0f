//! Expands repeated parts, each with its path in the file for error messages.

use mbsbench_problem::{Fault, OutOfRange};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::definition::{Body, Force, Joint, Mechanism, Named, Point, Repeat};

/// A part with its name and its path in the file.
#[derive(Debug, Clone)]
pub struct Part<T> {
    /// Name of the part.
    pub name: String,
    /// Path of the part: `joints.pin`, `repeat.0.joints.pin_{i}`.
    pub path: String,
    /// The part itself.
    pub what: T,
}

/// All parts of a mechanism.
#[derive(Debug, Clone, Default)]
pub struct Parts {
    /// Markers on the ground.
    pub ground: Vec<Part<Point>>,
    /// Bodies.
    pub bodies: Vec<Part<Body>>,
    /// Joints.
    pub joints: Vec<Part<Joint>>,
    /// Forces.
    pub forces: Vec<Part<Force>>,
}

/// Largest number of characters of all parts as JSON with every parameter, counting repeated parts each time: about
/// fifteen thousand bodies.
const LONGEST: usize = 3_000_000;

impl Parts {
    /// Returns the parts of a mechanism.
    ///
    /// # Errors
    /// Fails if names are invalid or occur twice, or if the parts have more than [`LONGEST`] characters.
    pub fn of(mechanism: &Mechanism) -> Result<Self, OutOfRange> {
        let mut parts = Self::default();
        let Mechanism { ground, bodies, joints, forces, .. } = mechanism;
        let own = Block { ground, bodies, joints, forces };
        let mut length = own.characters();
        fits(length, "bodies")?;
        parts.add("", &own, &[])?;
        for (k, Repeat { r#for: indices, ground, bodies, joints, forces }) in mechanism.repeat.iter().enumerate() {
            let path = format!("repeat.{k}.");
            let found = format!("`{path}for` has {} indices", indices.len());
            let are_too_many = indices.is_empty() || indices.len() > 2;
            OutOfRange::clause_if(are_too_many, format!("{path}for"), found, "one or two indices")?;
            let block = Block { ground, bodies, joints, forces };
            let count: usize = indices.values().map(|r| (r.last - r.first) as usize + 1).product();
            // a block without parts takes time, too
            length = count.saturating_mul(block.characters() + 1).saturating_add(length);
            fits(length, &format!("{path}for"))?;
            let names: Vec<&str> = indices.keys().map(String::as_str).collect();
            let ranges: Vec<_> = indices.values().map(|range| range.first..=range.last).collect();
            let second = ranges.get(1).cloned().unwrap_or(0..=0);
            for i in ranges[0].clone() {
                for j in second.clone() {
                    let values: Vec<(&str, i64)> = names.iter().copied().zip([i64::from(i), i64::from(j)]).collect();
                    parts.add(&path, &block, &values)?;
                }
            }
        }
        unique(&parts.ground)?;
        unique(&parts.bodies)?;
        unique(&parts.joints)?;
        unique(&parts.forces)?;
        Ok(parts)
    }

    /// Adds all parts of a block, for given values of its indices.
    fn add(&mut self, before: &str, block: &Block<'_>, indices: &[(&str, i64)]) -> Result<(), OutOfRange> {
        add(before, block.ground, "ground", indices, &mut self.ground)?;
        add(before, block.bodies, "bodies", indices, &mut self.bodies)?;
        add(before, block.joints, "joints", indices, &mut self.joints)?;
        add(before, block.forces, "forces", indices, &mut self.forces)
    }
}

/// The parts in one place of a file.
struct Block<'m> {
    ground: &'m Named<Point>,
    bodies: &'m Named<Body>,
    joints: &'m Named<Joint>,
    forces: &'m Named<Force>,
}

impl Block<'_> {
    /// The number of characters of all parts as JSON.
    fn characters(&self) -> usize {
        characters(self.ground) + characters(self.bodies) + characters(self.joints) + characters(self.forces)
    }
}

/// The number of characters of all named parts as JSON.
fn characters<T: Serialize>(named: &Named<T>) -> usize {
    let one = |(name, thing): (&String, &T)| name.len() + serde_json::to_string(thing).map_or(0, |text| text.len());
    named.iter().map(one).sum()
}

fn fits(length: usize, path: &str) -> Result<(), OutOfRange> {
    let found = format!("the mechanism has {length} characters with all repetitions expanded");
    OutOfRange::clause_if(length > LONGEST, path, found, format!("at most {LONGEST} characters"))
}

fn add<T: Clone + Serialize + DeserializeOwned>(
    before: &str,
    named: &Named<T>,
    kind: &str,
    indices: &[(&str, i64)],
    parts: &mut Vec<Part<T>>,
) -> Result<(), OutOfRange> {
    for (name, what) in named.iter() {
        let path = format!("{before}{kind}.{name}");
        let (name, what) = if indices.is_empty() {
            (name.clone(), what.clone())
        } else {
            let written = serde_json::to_value(what)
                .map_err(|error| OutOfRange::clause(&path, error.to_string(), "a part that can be repeated"))?;
            let what = serde_json::from_value(with_numbers(&written, indices)).map_err(|error| {
                OutOfRange::clause(&path, error.to_string(), "a part that is valid for all values of the index")
            })?;
            (replaced(name, indices), what)
        };
        check_name(&path, &name)?;
        if name == "ground" && kind == "bodies" {
            return Err(misnamed(
                path,
                "a body is called `ground`",
                "another name, since `ground` is the part that does not move",
            ));
        }
        parts.push(Part { name, path, what });
    }
    Ok(())
}

/// Fails unless a name can be used in formulas and paths.
pub(crate) fn check_name(path: &str, name: &str) -> Result<(), OutOfRange> {
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_name {
        return Ok(());
    }
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let example =
        if plain.starts_with(|c: char| c.is_ascii_alphabetic()) { format!(": `{plain}`") } else { String::new() };
    let clause = match name.chars().find(|c| !c.is_ascii_alphanumeric() && *c != '_') {
        Some(other) => format!("the name `{name}` contains `{other}`"),
        None if name.is_empty() => "a name is empty".to_owned(),
        None => format!("the name `{name}` does not begin with a letter"),
    };
    Err(misnamed(path, clause, format!("a name of letters, digits and `_`, with a letter first{example}")))
}

/// The error for an invalid name of a part.
fn misnamed(path: impl Into<String>, clause: impl Into<String>, accepted: impl Into<String>) -> OutOfRange {
    OutOfRange { field: path.into(), fault: Fault::Name(clause.into()), accepted: accepted.into() }
}

fn unique<T>(parts: &[Part<T>]) -> Result<(), OutOfRange> {
    let mut names: Vec<(&str, &str)> = parts.iter().map(|part| (&*part.name, &*part.path)).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => {
            Err(misnamed(pair[1].1, format!("two parts are called `{}`", pair[1].0), "a different name for each part"))
        }
        None => Ok(()),
    }
}

/// Replaces `{i}`, `{i+1}` and `{i-1}` in all texts.
fn with_numbers(value: &Value, indices: &[(&str, i64)]) -> Value {
    match value {
        Value::String(text) => Value::String(replaced(text, indices)),
        Value::Array(items) => Value::Array(items.iter().map(|item| with_numbers(item, indices)).collect()),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(key, value)| (key.clone(), with_numbers(value, indices))).collect())
        }
        other => other.clone(),
    }
}

fn replaced(text: &str, indices: &[(&str, i64)]) -> String {
    let mut text = text.to_owned();
    if !text.contains('{') {
        return text;
    }
    for &(index, value) in indices {
        for (sign, shift) in [("", 0), ("+1", 1), ("-1", -1)] {
            text = text.replace(&format!("{{{index}{sign}}}"), &(value + shift).to_string());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_replaced_in_names_and_formulas() {
        let indices = [("i", 3), ("j", 1)];
        assert_eq!(replaced("rod_{i}_{j-1}.end", &indices), "rod_3_0.end");
        assert_eq!(replaced("0.1*{i+1}", &indices), "0.1*4");
        assert_eq!(replaced("{k}", &indices), "{k}");
    }
}
