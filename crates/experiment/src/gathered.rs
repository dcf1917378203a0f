//! Runs of other experiments, gathered for one figure or table.

use mbsbench_input::{Node, Problem, read, refuse};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::keys::{RUN, RUNS, names};
use super::spec::Filter;
use super::{Placed, items};

/// Selected runs of another experiment of the same paper.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gathered {
    /// The name of the experiment, which equals the name of its file: `squeezer-coarse`. It is the value on the axis
    /// `experiment`.
    pub experiment: String,
    /// Only runs with these axis values.
    #[serde(default, rename = "where")]
    pub filter: Filter,
}

/// Reads `gathers:`. Keys that define runs are refused together with it.
pub(super) fn read_gathered(root: &Node) -> Result<Vec<Placed<Gathered>>, Problem> {
    let gathered = items(root, "gathers", read::<Gathered>)?;
    let Some(node) = root.get("gathers") else { return Ok(gathered) };
    if gathered.is_empty() {
        let message = "`gathers` names no experiment";
        return refuse(node.place, message, "add `- { experiment: name }`, or remove `gathers`");
    }
    // The experiment has no runs of its own to which these keys could apply.
    let foreign = names(&[RUN, RUNS]);
    if let Some(entry) = root.entries().iter().find(|entry| foreign.contains(&entry.key.name.as_str())) {
        let message = format!("`{}` cannot be set together with `gathers`, which shows existing runs", entry.key.name);
        return refuse(entry.key.place, message, "set it in the experiments whose runs are gathered");
    }
    Ok(gathered)
}
