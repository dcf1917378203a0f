//! The runs and checks of a reconstruction; see `docs/reconstruction.md`.

use mbsbench_input::{Key, Node, Problem, read, refuse};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::spec::Filter;
use super::undetermined::Undetermined;

/// The block `study:` of an experiment file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StudySpec {
    /// Cases to run in every set-up; all by default.
    pub cases: Vec<String>,
    /// Only runs with these axis values. A check that reduces over such an axis is judged on the remaining runs.
    #[serde(rename = "where")]
    pub filter: Filter,
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
    pub filter: Filter,
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

impl StudySpec {
    /// The default number of samples.
    pub const SAMPLES: u32 = 128;
    /// The default budget of set-ups.
    pub const BUDGET: u32 = 2000;

    pub(super) fn read(root: &Node, undetermined: &[(Key, Undetermined)]) -> Result<Self, Problem> {
        let Some(node) = root.get("study") else { return Ok(Self::default()) };
        if undetermined.is_empty() {
            let message = "a study needs undetermined parameters";
            return refuse(node.place, message, "add `undetermined:` with a parameter and its range");
        }
        let study: Self = read(node)?;
        let names: Vec<&str> = study.features.iter().map(|feature| feature.name.as_str()).collect();
        for (index, name) in names.iter().enumerate() {
            let place = node.place_of(&format!("features.{index}.name"));
            if names[..index].contains(name) || undetermined.iter().any(|(key, _)| key.name == *name) {
                let problem = Problem::new(place, format!("duplicate variable `{name}`"));
                return Err(
                    problem.help("names of features must differ from each other and from undetermined parameters")
                );
            }
            if name.trim().is_empty() {
                return refuse(place, "the name is empty", "accepted: a text");
            }
        }
        let counts = [("samples", study.samples), ("budget", study.budget)];
        if let Some((key, _)) = counts.into_iter().find(|(_, count)| *count == Some(0)) {
            return refuse(node.place_of(key), format!("`{key}` is 0"), "accepted: a whole number above zero");
        }
        Ok(study)
    }

    /// True if a check is to be judged.
    pub fn asks_for(&self, check: &str) -> bool {
        self.checks.is_empty() || self.checks.iter().any(|beginning| check.starts_with(beginning))
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
            filter: Filter::new(),
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
