//! What a reconstruction runs and judges; see `docs/reconstruction.md`.

use std::collections::BTreeMap;

use mbsbench_input::{Key, Node, Problem, Value, keys_of, one_of, read};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::keys::unknown;
use super::spec::AxisValue;
use super::undetermined::Undetermined;
use super::{Placed, items};

/// The block `study:` of an experiment file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StudySpec {
    /// Cases that are run in every set-up; all of them if none is named.
    pub cases: Vec<String>,
    /// Only runs with these axis values; a check that reduces over such an axis is judged on what is left.
    #[serde(rename = "where")]
    pub filter: BTreeMap<String, AxisValue>,
    /// Experiments of the same paper whose runs vary alike, for checks and givens that rest on several.
    pub along: Vec<String>,
    /// Checks whose ids begin like this; all of them if nothing is said.
    pub checks: Vec<String>,
    /// Samples of the ranges, if nothing is given and the command does not say; 128 if neither does.
    pub samples: Option<u32>,
    /// Most set-ups that are evaluated, if something is given and the command does not say; 2000 if neither does.
    pub budget: Option<u32>,
    /// The figure or table whose sentences a witness has to meet; all sentences if it is not named.
    pub figure: Option<String>,
    /// Numbers besides the undetermined parameters on which verdicts may depend.
    pub features: Vec<Feature>,
}

/// A number of the runs of a sample on which verdicts may depend: `column / per`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Feature {
    /// What it is called.
    pub name: String,
    /// What it means and why verdicts may depend on it.
    pub why: String,
    /// A column of `runs.csv`, an axis, or a parameter (`model.mass`), of the first run that `where` leaves.
    pub column: String,
    /// Only runs with these axis values.
    #[serde(default, rename = "where")]
    pub filter: BTreeMap<String, AxisValue>,
    /// Column, axis or parameter by which it is divided.
    pub per: Option<String>,
}

impl Feature {
    /// The columns, axes and parameters that it is made of, with their keys.
    pub fn operands(&self) -> impl Iterator<Item = (&'static str, &str)> {
        std::iter::once(("column", self.column.as_str())).chain(self.per.as_deref().map(|name| ("per", name)))
    }

    /// Its value, from the numbers of a run; none where the run lacks one of them.
    pub fn value(&self, number: impl Fn(&str) -> Option<f64>) -> Option<f64> {
        Some(number(&self.column)? / self.per.as_deref().map_or(Some(1.0), number)?)
    }
}

/// Samples if the file names no number.
const SAMPLES: u32 = 128;
/// Set-ups that are evaluated at most if the file names no number.
const BUDGET: u32 = 2000;

/// The block `study:`, its parts with their nodes.
#[derive(Debug, Clone, Default)]
pub struct StudyScope {
    /// Cases that are run in every set-up; all of them if none is named.
    pub cases: Vec<Placed<String>>,
    /// Only runs with these axis values.
    pub filter: BTreeMap<String, AxisValue>,
    /// Experiments whose runs vary alike.
    pub along: Vec<Placed<String>>,
    /// Beginnings of the ids of checks that are judged; all of them if there is none.
    pub checks: Vec<Placed<String>>,
    /// Samples of the ranges.
    pub samples: u32,
    /// Most set-ups that are evaluated.
    pub budget: u32,
    /// The figure or table whose sentences a witness has to meet.
    pub figure: Option<String>,
    /// Numbers besides the undetermined parameters on which verdicts may depend.
    pub features: Vec<Placed<Feature>>,
}

impl StudyScope {
    pub(super) fn read(root: &Node, undetermined: &[(Key, Undetermined)]) -> Result<Self, Problem> {
        let Some(node) = root.get("study") else {
            return Ok(Self { samples: SAMPLES, budget: BUDGET, ..Self::default() });
        };
        if !matches!(node.value, Value::Map(_)) {
            return Err(Problem::found(node).help(format!("accepted: a map with {}", one_of(keys_of::<StudySpec>()))));
        }
        if undetermined.is_empty() {
            return Err(Problem::new(root.place_of("study"), "nothing is undetermined that could be studied")
                .help("add `undetermined:` with a parameter and its range"));
        }
        if let Some(problem) = unknown(node, "key", keys_of::<StudySpec>()).next() {
            return Err(problem);
        }
        let features: Vec<Placed<Feature>> = items(node, "features", read)?;
        for (index, feature) in features.iter().enumerate() {
            let Placed { value: Feature { name, .. }, node } = feature;
            let is_taken = features[..index].iter().any(|earlier| &earlier.value.name == name)
                || undetermined.iter().any(|(key, _)| &key.name == name);
            if is_taken {
                let problem = Problem::new(node.place_of("name"), format!("a second variable `{name}`"));
                return Err(problem.help("names of features differ from each other and from undetermined parameters"));
            }
            if name.trim().is_empty() {
                return Err(Problem::new(node.place_of("name"), "an empty name").help("accepted: any other text"));
            }
        }
        let count = |key: &str, default: u32| match node.get(key).map(read::<u32>).transpose()? {
            Some(0) => {
                let problem = Problem::new(node.place_of(key), format!("no {key}"));
                Err(problem.help("accepted: a whole number above zero"))
            }
            count => Ok(count.unwrap_or(default)),
        };
        Ok(Self {
            cases: items(node, "cases", read)?,
            filter: node.get("where").map(read).transpose()?.unwrap_or_default(),
            along: items(node, "along", read)?,
            checks: items(node, "checks", read)?,
            samples: count("samples", SAMPLES)?,
            budget: count("budget", BUDGET)?,
            figure: node.get("figure").map(read).transpose()?,
            features,
        })
    }

    /// Whether a check is to be judged.
    pub fn asks_for(&self, check: &str) -> bool {
        self.checks.is_empty() || self.checks.iter().any(|beginning| check.starts_with(&beginning.value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_numbers_or_quotients_of_two() {
        let feature = |per: Option<&str>| Feature {
            name: "phase".into(),
            why: String::new(),
            column: "omega".into(),
            filter: BTreeMap::new(),
            per: per.map(str::to_owned),
        };
        let number = |name: &str| match name {
            "omega" => Some(7.5),
            "turn" => Some(4.0),
            _ => None,
        };
        assert_eq!(feature(None).value(number), Some(7.5));
        assert_eq!(feature(Some("turn")).value(number), Some(1.875));
        assert_eq!(feature(Some("step")).value(number), None);
    }
}
