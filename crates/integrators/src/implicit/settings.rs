//! Settings that the implicit formulas share.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Derivatives and multipliers that a run starts from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InitialDerivatives {
    /// Those that the equations give, at acceleration level.
    #[default]
    Consistent,
    /// None: positions change with the initial velocities, accelerations and multipliers are zero. What the published runs
    /// of zhang2022 start from where the solution for them is skipped; of first order where the initial accelerations are
    /// not zero.
    Zero,
}

/// How the first steps of a multistep formula are made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// All by the trapezoidal rule, as zhang2022 says.
    #[default]
    Trapezoidal,
    /// The first by the trapezoidal rule, the second by LMS2, the third by LMS3, with the same `rho`.
    Ladder,
}

/// Where local coordinates of a configuration with rotations are centred. It matters for nothing else.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Charts {
    /// At the start of each step.
    #[default]
    Step,
    /// At the point solved last, in every stage.
    Stage,
    /// In every stage, at the point solved last for the prediction, and at the predicted point for the correction, to which
    /// alone the formula is applied then.
    Prediction,
    /// In the same way, with the chart of the correction moving on as predicted: the formula is applied to the rotation that
    /// leads from the predicted one to the corrected one and to the rate of that rotation. Auxiliary derivatives of single-step
    /// formulas stay what they are from chart to chart. As the code behind zhang2022 does.
    Moving,
}

impl Charts {
    /// Whether corrections are about the predicted point.
    #[must_use]
    pub fn are_predicted(self) -> bool {
        matches!(self, Self::Prediction | Self::Moving)
    }
}
