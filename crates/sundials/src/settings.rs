//! What the methods here have in common in experiment files.

use mbsbench_problem::OutOfRange;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the Jacobian `∂f/∂y` comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Jacobian {
    /// From the problem, exact to roundoff.
    Exact,
    /// One-sided differences with the increments `increment · max(|y_i|, typical_i)`.
    FiniteDifference,
    /// One-sided differences with the library's own increments.
    #[default]
    Internal,
}

/// How the implicit equations of a step are solved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Iteration {
    /// By functional iteration, without a Jacobian; for problems that are not stiff.
    #[default]
    FixedPoint,
    /// By Newton's method with a dense matrix.
    Newton,
}

/// A size for each component of the state.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sizes {
    /// One, in the unit of each component.
    #[default]
    Uniform,
    /// Those that the problem states for this purpose, typical sizes or scales of tolerances; one where it states none.
    Problem,
    /// These, in the unit of each component; repeated as often as it takes, so that one body of many may stand for all.
    Components(Vec<f64>),
}

impl Sizes {
    /// Fails unless all of them are positive.
    pub(crate) fn check(&self, field: &str) -> Result<(), OutOfRange> {
        let Self::Components(sizes) = self else { return Ok(()) };
        if sizes.is_empty() {
            return Err(OutOfRange::new(format!("{field}.components"), "[]", "at least one size"));
        }
        sizes.iter().enumerate().try_for_each(|(index, &size)| {
            OutOfRange::unless_positive(&index.to_string(), size)
                .map_err(|error| error.within("components").within(field))
        })
    }
}

/// Fails unless `order` is one that the formulas have.
pub(crate) fn check_order(order: u32, highest: u32) -> Result<(), OutOfRange> {
    if (1..=highest).contains(&order) {
        return Ok(());
    }
    Err(OutOfRange::new("max-order", order, format!("a whole number from 1 to {highest}")))
}
