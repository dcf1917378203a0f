//! The runs and checks of a reconstruction; see `docs/reconstruction.md`.

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
    /// Cases to run in every set-up; all by default.
    pub cases: Vec<String>,
    /// Only runs with these axis values. A check that reduces over such an axis is judged on the remaining runs.
    #[serde(rename = "where")]
    pub filter: BTreeMap<String, AxisValue>,
    /// Experiments of the same paper that vary in the same way, for checks and statements in `given` that need several
    /// experiments.
    pub along: Vec<String>,
    /// Prefixes of the ids of the checks to judge; all checks by default.
    pub checks: Vec<String>,
    /// Number of samples of the ranges if the file has no `given` and the command does not set it; 128 by default.
    pub samples: Option<u32>,
    /// Largest number of set-ups to evaluate if the file has `given` and the command does not set it; 2000 by default.
    pub budget: Option<u32>,
    /// The figure or table whose sentences a witness has to satisfy; all sentences by default.
    pub figure: Option<String>,
    /// Numbers besides the undetermined parameters on which verdicts may depend.
    pub features: Vec<Feature>,
}

/// A number computed from the runs of a sample on which verdicts may depend: `column / per`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Feature {
    /// The name.
    pub name: String,
    /// Its meaning, and the reason why verdicts may depend on it.
    pub why: String,
    /// A column of `runs.csv`, an axis, or a parameter (`model.mass`), of the first run that `where` selects.
    pub column: String,
    /// Only runs with these axis values.
    #[serde(default, rename = "where")]
    pub filter: BTreeMap<String, AxisValue>,
    /// The column, axis or parameter by which it is divided.
    pub per: Option<String>,
}

impl Feature {
    /// Returns the columns, axes and parameters in the formula, with their keys.
    pub fn operands(&self) -> impl Iterator<Item = (&'static str, &str)> {
        std::iter::once(("column", self.column.as_str())).chain(self.per.as_deref().map(|name| ("per", name)))
    }

    /// Returns the value from the numbers of a run; `None` if the run lacks one of them.
    pub fn value(&self, number: impl Fn(&str) -> Option<f64>) -> Option<f64> {
        Some(number(&self.column)? / self.per.as_deref().map_or(Some(1.0), number)?)
    }
}

/// The default number of samples.
const SAMPLES: u32 = 128;
/// The default budget of set-ups.
const BUDGET: u32 = 2000;

/// The block `study:`, with the nodes of its parts.
#[derive(Debug, Clone, Default)]
pub struct StudyScope {
    /// Cases to run in every set-up; all if empty.
    pub cases: Vec<Placed<String>>,
    /// Only runs with these axis values.
    pub filter: BTreeMap<String, AxisValue>,
    /// Experiments that vary in the same way.
    pub along: Vec<Placed<String>>,
    /// Prefixes of the ids of the checks to judge; all checks if empty.
    pub checks: Vec<Placed<String>>,
    /// The number of samples of the ranges.
    pub samples: u32,
    /// The largest number of set-ups to evaluate.
    pub budget: u32,
    /// The figure or table whose sentences a witness has to satisfy.
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
            return Err(Problem::new(root.place_of("study"), "a study needs undetermined parameters")
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
                let problem = Problem::new(node.place_of("name"), format!("duplicate variable `{name}`"));
                return Err(
                    problem.help("names of features must differ from each other and from undetermined parameters")
                );
            }
            if name.trim().is_empty() {
                return Err(Problem::new(node.place_of("name"), "the name is empty").help("accepted: a text"));
            }
        }
        let count = |key: &str, default: u32| match node.get(key).map(read::<u32>).transpose()? {
            Some(0) => {
                let problem = Problem::new(node.place_of(key), format!("`{key}` is 0"));
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

    /// True if a check is to be judged.
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
