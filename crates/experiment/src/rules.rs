//! Rules that a run must not break; a run that breaks one ends with the status `rule`.

use mbsbench_input::{Node, Problem, read, refuse};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A range that an observable must not leave at the end of an accepted step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The observable that is watched.
    pub observable: String,
    /// The run fails above this value.
    pub above: Option<f64>,
    /// The run fails below this value.
    pub below: Option<f64>,
}

impl Rule {
    pub(super) fn read(node: &Node) -> Result<Self, Problem> {
        let rule: Self = read(node)?;
        match (rule.above, rule.below) {
            (None, None) => {
                let message = format!("the rule sets no bound for `{}`", rule.observable);
                refuse(node.place, message, "add `above:` or `below:`")
            }
            (Some(above), Some(below)) if above <= below => {
                let message = format!("`above` is {above}, which is not greater than `below`, {below}");
                refuse(node.place, message, "the rule allows the values from `below` to `above`")
            }
            _ => Ok(rule),
        }
    }

    /// True if the value breaks the rule; NaN always does.
    pub fn is_broken_by(&self, value: f64) -> bool {
        let within = self.above.is_none_or(|above| value <= above) && self.below.is_none_or(|below| value >= below);
        !within
    }

    /// Describes the rule for the failure message.
    pub fn describe(&self) -> String {
        let above = self.above.map(|above| format!("{} > {above}", self.observable));
        let below = self.below.map(|below| format!("{} < {below}", self.observable));
        above.into_iter().chain(below).collect::<Vec<_>>().join(" or ")
    }
}
