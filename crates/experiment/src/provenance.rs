//! The block `known:` of an experiment file, which states how each parameter is known.

use std::fmt;

use mbsbench_input::{Key, Node, Problem, Value, keys_of, read};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::spec::Filter;
use super::undetermined::lies_below;

/// How a parameter is known, from the firmest to the weakest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Provenance {
    /// The paper prints it.
    Printed,
    /// The authors state it in an answer, an input file or a program; the paper does not, or states something else.
    Authors,
    /// Not stated anywhere; we chose it.
    Chosen,
    /// Chosen to match a published number or feature.
    Calibrated,
    /// The problem's definition is not public; a problem of ours takes its place.
    StandIn,
}

impl Provenance {
    /// All marks, from the firmest to the weakest.
    pub const ALL: [Self; 5] = [Self::Printed, Self::Authors, Self::Chosen, Self::Calibrated, Self::StandIn];

    /// Returns the name in files: `authors`.
    pub fn name(self) -> &'static str {
        keys_of::<Self>()[self as usize]
    }

    /// True if the value is our choice, so that a verdict needs a study.
    pub fn is_ours(self) -> bool {
        matches!(self, Self::Chosen | Self::Calibrated)
    }
}

impl fmt::Display for Provenance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The block `known:`.
#[derive(Debug, Clone, Default)]
pub struct Provenances {
    /// The mark of all parameters without an entry.
    pub defaults: Option<Provenance>,
    /// Paths with their marks; the last mark of a path that fits a run applies.
    pub entries: Vec<(Key, Vec<Marked>)>,
}

/// A mark, and the runs to which it applies.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Marked {
    /// The mark.
    pub is: Provenance,
    /// Only runs with these axis values.
    #[serde(default, rename = "where")]
    pub filter: Filter,
    /// The reason, for readers.
    pub why: Option<String>,
}

impl Provenances {
    /// Returns the mark of a path if an entry has one that fits; `is_meant` tells if a filter includes the run.
    pub fn stated(&self, path: &str, is_meant: impl Fn(&Filter) -> bool) -> Option<Provenance> {
        let fits = |(key, marks): &'_ (Key, Vec<Marked>)| {
            marks.iter().rev().find(|marked| is_meant(&marked.filter)).map(|marked| (key.name.len(), marked.is))
        };
        let of_path = self.entries.iter().filter(|(key, _)| lies_below(path, &key.name));
        // If two entries fit, the longer path is more specific.
        of_path.filter_map(fits).max_by_key(|(length, _)| *length).map(|(_, mark)| mark)
    }

    /// Reads the block; `None` if the file does not have one.
    pub(super) fn read(root: &Node) -> Result<Option<Self>, Problem> {
        let Some(node) = root.get("known") else { return Ok(None) };
        let Value::Map(entries) = &node.value else {
            return Err(Problem::found(node).help("accepted: a map, `{ defaults: printed, model.preload: chosen }`"));
        };
        let mut known = Self::default();
        for entry in entries {
            if entry.key.name == "defaults" {
                known.defaults = Some(read(&entry.value)?);
                continue;
            }
            let marks = match &entry.value.value {
                Value::List(items) if !items.is_empty() => items.iter().map(read).collect::<Result<_, _>>()?,
                Value::Map(_) => vec![read(&entry.value)?],
                _ => vec![Marked { is: read(&entry.value)?, filter: Filter::new(), why: None }],
            };
            known.entries.push((entry.key.clone(), marks));
        }
        Ok(Some(known))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AxisValue;
    use mbsbench_input::Place;

    #[test]
    fn the_longest_path_wins_then_the_last_match() {
        let key = |name: &str| Key { name: name.to_owned(), place: Place::default() };
        let marked = |is, case: Option<&str>| Marked {
            is,
            filter: case.map(|case| ("case".to_owned(), AxisValue::Text(case.to_owned()))).into_iter().collect(),
            why: None,
        };
        let known = Provenances {
            defaults: Some(Provenance::Printed),
            entries: vec![
                (
                    key("model.mass"),
                    vec![marked(Provenance::Chosen, None), marked(Provenance::Authors, Some("theirs"))],
                ),
                (key("model"), vec![marked(Provenance::StandIn, Some("like"))]),
            ],
        };
        let at = |path: &str, case: &str| {
            known.stated(path, |filter| filter.values().all(|value| *value == AxisValue::Text(case.to_owned())))
        };
        assert_eq!(at("model.mass", "ours"), Some(Provenance::Chosen));
        assert_eq!(at("model.mass", "theirs"), Some(Provenance::Authors));
        assert_eq!(at("model.mass", "like"), Some(Provenance::Chosen));
        assert_eq!(at("model.mass-2", "like"), Some(Provenance::StandIn));
        assert_eq!(at("model.mass-2", "ours"), None);
        assert!(Provenance::StandIn > Provenance::Calibrated && Provenance::Calibrated > Provenance::Chosen);
    }
}
