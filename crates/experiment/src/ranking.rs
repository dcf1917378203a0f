//! Rankings: the methods that reach an accuracy at the lowest cost.

use std::collections::BTreeMap;

use mbsbench_input::{Node, Problem, read, refuse};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::spec::{Filter, Heads};

/// Ranks the methods of an experiment by the cost of reaching an accuracy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RankingSpec {
    /// The problem, for a reader: `Slider crank`.
    pub title: String,
    /// The column with the error.
    pub error: String,
    /// The value by which the error is divided before it is compared, in the unit of the error; 1 by default.
    #[serde(default = "unit")]
    pub scale: f64,
    /// The meaning of the accuracies, for a reader: `of positions, relative to the crank of 0.2 m`.
    pub meaning: String,
    /// The accuracies to be reached.
    #[serde(default = "accuracies")]
    #[schemars(length(min = 1))]
    pub accuracies: Vec<f64>,
    /// The costs of a run: columns of `runs.csv` by the headings under which they are shown. A method whose cost is
    /// zero in all of its runs is not ranked by that cost.
    #[schemars(with = "BTreeMap<String, String>")]
    pub work: Heads,
    /// Only runs with these axis values.
    #[serde(default, rename = "where")]
    pub filter: Filter,
}

fn unit() -> f64 {
    1.0
}

fn accuracies() -> Vec<f64> {
    vec![1e-3, 1e-6, 1e-9]
}

/// Reads a ranking.
pub(super) fn read_ranking(node: &Node) -> Result<RankingSpec, Problem> {
    let spec: RankingSpec = read(node)?;
    let positive = |x: f64| x.is_finite() && x > 0.0;
    if !positive(spec.scale) {
        return refuse(node.place_of("scale"), format!("`scale` is {}", spec.scale), "accepted: a number above zero");
    }
    if spec.accuracies.is_empty() || spec.accuracies.iter().any(|&accuracy| !positive(accuracy)) {
        let message = format!("`accuracies` is {:?}", spec.accuracies);
        return refuse(node.place_of("accuracies"), message, "accepted: a list of numbers above zero");
    }
    if spec.work.0.is_empty() {
        let problem = Problem::new(node.place_of("work"), "`work` is empty");
        return Err(problem.help("accepted: a map of headings to columns, `{ right-hand sides: rhs_evaluations }`"));
    }
    Ok(spec)
}
