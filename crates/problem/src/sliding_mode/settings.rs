//! What can be chosen in the sliding-mode form.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{OutOfRange, Parameters};

/// Settings of the sliding-mode form of a constrained mechanical system.
///
/// The default is the hybrid method of compere2001 (section 3.2.4) from consistent initial values. The other
/// choices are those that the dissertation compares it with, and those that its wording leaves open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct SlidingModeSettings {
    /// Speed σ of the holonomic surfaces `Φ̇ + σ Φ`, 1/s (compere2001, Eq. 3.21; 10 in section 3.5.2).
    pub sigma: f64,
    /// Reaching gains η of the surfaces, nonholonomic first, in the units of the multipliers. Empty: no
    /// reaching phase, all surfaces are held from the start. With one gain for each surface, `u = −η sgn(s)` drives the
    /// surfaces that do not hold initially to zero (compere2001, section 3.2.4; the values are not printed).
    pub eta: Vec<f64>,
    /// Where the equivalent control is evaluated (compere2001, section 3.4.2).
    pub equivalent_control: EquivalentControl,
    /// Whether the accelerations of each stage are corrected to `Ṡ = 0` (compere2001, section 3.4.2).
    pub acceleration_stabilization: bool,
    /// Passes of the correction of positions and velocities after each step: 0, 1 or 2 (compere2001,
    /// Eqs. 3.27–3.30: 2).
    #[schemars(range(max = 2))]
    pub post_stabilization_passes: u32,
    /// Metric in which the corrections after a step are smallest.
    pub metric: Metric,
    /// Which constraints the correction of the positions removes.
    pub position_correction: PositionCorrection,
    /// How long the discontinuous control `−η sgn(s)` is kept on (compere2001, section 3.2.4).
    pub robust_control: RobustControl,
    /// What the gains η are gains of.
    pub gain: Gain,
}

impl Default for SlidingModeSettings {
    fn default() -> Self {
        Self {
            sigma: 10.0,
            eta: Vec::new(),
            equivalent_control: EquivalentControl::default(),
            acceleration_stabilization: true,
            post_stabilization_passes: 2,
            metric: Metric::default(),
            position_correction: PositionCorrection::default(),
            robust_control: RobustControl::default(),
            gain: Gain::default(),
        }
    }
}

impl Parameters for SlidingModeSettings {
    fn check(&self) -> Result<(), OutOfRange> {
        if !(self.sigma.is_finite() && self.sigma >= 0.0) {
            return Err(OutOfRange::new("sigma", self.sigma, "a finite number, zero or above"));
        }
        for (index, &eta) in self.eta.iter().enumerate() {
            OutOfRange::unless_positive(&format!("eta[{index}]"), eta)?;
        }
        if self.robust_control == RobustControl::Always && self.eta.is_empty() {
            return Err(OutOfRange::new(
                "eta",
                "an empty list",
                "a gain for each surface, as `robust-control` is `always`",
            ));
        }
        if self.post_stabilization_passes > 2 {
            return Err(OutOfRange::new("post-stabilization-passes", self.post_stabilization_passes, "0, 1 or 2"));
        }
        Ok(())
    }
}

impl SlidingModeSettings {
    /// Fails unless `eta` is empty or has a gain for each of `surfaces` surfaces.
    ///
    /// # Errors
    /// [`OutOfRange`] for `eta`.
    pub fn check_surfaces(&self, surfaces: usize) -> Result<(), OutOfRange> {
        if self.eta.is_empty() || self.eta.len() == surfaces {
            return Ok(());
        }
        let found = format!("a list of {}", self.eta.len());
        Err(OutOfRange::new("eta", found, format!("an empty list, or one gain for each of the {surfaces} surfaces")))
    }
}

/// Where the equivalent control `u_eq` is evaluated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EquivalentControl {
    /// At every stage, at the stage's own state.
    #[default]
    EveryStage,
    /// Once, at the start of the step, and held for all stages, while `f` and `B` are those of each stage.
    /// Without the acceleration-level correction this is what falsifies the motion of compere2001, figure 3.8.
    Frozen,
}

/// Metric of the corrections after a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// `F = Jᵀ (J Jᵀ)⁻¹`, as printed (compere2001, section 3.4.1).
    #[default]
    Identity,
    /// `F = M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁻¹`, which takes no tangential momentum out.
    Mass,
}

/// Which constraints the correction of the positions removes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PositionCorrection {
    /// The whole of `(Γ ; Φ)`, as printed (compere2001, Eq. 3.27), although the nonholonomic rows are velocities.
    #[default]
    All,
    /// `(0 ; Φ)`: holonomic constraints only.
    Holonomic,
}

/// How long the discontinuous control `−η sgn(s)` is kept on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RobustControl {
    /// Until a surface is reached; from then on post-stabilisation holds it (the hybrid method).
    #[default]
    UntilReached,
    /// Always, with the sign of the surface at each evaluation: sliding-mode control as it is without the hybrid method. No
    /// surface is ever held, nothing is corrected, at the accelerations or after a step.
    Always,
}

/// What the gains η of the discontinuous control are gains of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Gain {
    /// Of the control itself, a multiplier: `u_rob = −η sgn(s)`, as printed, so that `Ṡ = −GB η sgn(s)`.
    #[default]
    Control,
    /// Of the rate of the surfaces, as the sliding equation (3.19) asks: `u_rob = −(GB)⁻¹ η sgn(s)`, so that `Ṡ = −η sgn(s)`.
    Rate,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_checked() {
        let check = |change: fn(&mut SlidingModeSettings)| {
            let mut settings = SlidingModeSettings::default();
            change(&mut settings);
            settings.check().map_err(|error| error.field)
        };
        assert_eq!(check(|_| ()), Ok(()));
        assert_eq!(check(|s| s.sigma = 0.0), Ok(()));
        assert_eq!(check(|s| s.sigma = -1.0), Err("sigma".into()));
        assert_eq!(check(|s| s.sigma = f64::INFINITY), Err("sigma".into()));
        assert_eq!(check(|s| s.eta = vec![1.0, 0.0]), Err("eta[1]".into()));
        assert_eq!(check(|s| s.robust_control = RobustControl::Always), Err("eta".into()));
        assert_eq!(check(|s| s.post_stabilization_passes = 3), Err("post-stabilization-passes".into()));
        let two = SlidingModeSettings { eta: vec![1.0, 2.0], ..SlidingModeSettings::default() };
        assert_eq!(two.check_surfaces(2), Ok(()));
        assert!(two.check_surfaces(3).is_err());
        assert_eq!(SlidingModeSettings::default().check_surfaces(3), Ok(()));
    }
}
