//! Runs of other experiments, gathered for one figure or table.

use std::collections::BTreeMap;

use mbsbench_input::{Node, Problem, read};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::spec::AxisValue;
use super::{KEYS, Placed, items};

/// Keys of an experiment that gathers: it has no runs of its own that other keys could be about.
const OWN_KEYS: [&str; 8] = ["schema", "id", "paper", "reproduces", "title", "gathers", "tables", "plots"];

/// Runs of an experiment beside this one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gathered {
    /// Its name, which is that of its file: `squeezer-coarse`. The axis `experiment` has it.
    pub experiment: String,
    /// Only runs with these axis values.
    #[serde(default, rename = "where")]
    pub filter: BTreeMap<String, AxisValue>,
}

/// Reads `gathers:`; beside it stands nothing that says what is run.
pub(super) fn read_gathered(root: &Node) -> Result<Vec<Placed<Gathered>>, Problem> {
    let gathered = items(root, "gathers", read::<Gathered>)?;
    let Some(node) = root.get("gathers") else { return Ok(gathered) };
    if gathered.is_empty() {
        let problem = Problem::new(node.place, "no experiment to gather runs of");
        return Err(problem.help("give one, `- { experiment: name }`, or leave `gathers` out"));
    }
    let is_foreign = |name: &str| KEYS.contains(&name) && !OWN_KEYS.contains(&name);
    if let Some(entry) = root.entries().iter().find(|entry| is_foreign(&entry.key.name)) {
        let message = format!("`{}` beside `gathers`, whose runs are those of other experiments", entry.key.name);
        return Err(Problem::new(entry.key.place, message).help("say it there"));
    }
    Ok(gathered)
}
