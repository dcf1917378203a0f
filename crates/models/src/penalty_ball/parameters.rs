//! The ball as an experiment file names it.

use mbsbench_problem::{Model, ModelDefinition, OutOfRange, Parameters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::range::not_negative;
use crate::watched::WatchedModel;

/// A ball falls on a floor that is a stiff spring, `q'' = −g`, and `q'' = −g − (k q + c q')/m` where `q < 0`
/// (modin2005, section 6.1).
///
/// The paper's ball has no damping, and keeps its energy. With damping the contact is that of Kelvin and Voigt, whose
/// force jumps at touch, and pulls just before the ball leaves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct PenaltyBall {
    /// Stiffness `k` of the floor, N/m.
    pub stiffness: f64,
    /// Damping `c` of the floor, N s/m; less than critical.
    pub damping: f64,
    /// Mass `m`, kg.
    pub mass: f64,
    /// Acceleration of gravity, m/s².
    pub gravity: f64,
    /// Height at the start, above the floor, m; below zero the ball starts in contact, and has no closed form here.
    pub height: f64,
    /// Velocity at the start relative to the floor, upwards, m/s.
    pub velocity: f64,
    /// Speed at which the floor moves upwards, m/s.
    #[serde(skip_serializing_if = "is_zero")]
    pub floor_speed: f64,
}

/// Whether a parameter that came later has no effect, so that runs without it keep their names.
#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

impl Default for PenaltyBall {
    fn default() -> Self {
        Self { stiffness: 1e7, damping: 0.0, mass: 1.0, gravity: 9.81, height: 1.0, velocity: 0.0, floor_speed: 0.0 }
    }
}

impl Parameters for PenaltyBall {
    fn check(&self) -> Result<(), OutOfRange> {
        OutOfRange::unless_positive("stiffness", self.stiffness)?;
        OutOfRange::unless_positive("mass", self.mass)?;
        not_negative("damping", self.damping)?;
        if self.damping >= 2.0 * (self.stiffness * self.mass).sqrt() {
            return Err(OutOfRange::new("damping", self.damping, "a number below the critical damping 2 √(k m)"));
        }
        OutOfRange::unless_positive("gravity", self.gravity)?;
        OutOfRange::unless_finite("height", self.height)?;
        OutOfRange::unless_finite("velocity", self.velocity)?;
        OutOfRange::unless_finite("floor-speed", self.floor_speed)
    }
}

impl ModelDefinition for PenaltyBall {
    const NAME: &'static str = "penalty-ball";
    const SUMMARY: &'static str = "a ball bounces on a stiff spring, with its contact power";
    const SOURCE: &'static str = "modin2005, section 6.1, Eq. 17";

    fn model(&self) -> Box<dyn Model> {
        Box::new(WatchedModel(self.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_checked() {
        let check = |change: fn(&mut PenaltyBall)| {
            let mut parameters = PenaltyBall::default();
            change(&mut parameters);
            parameters.check().map_err(|error| error.field)
        };
        assert_eq!(check(|_| ()), Ok(()));
        assert_eq!(check(|p| p.damping = 2000.0), Ok(()));
        assert_eq!(check(|p| p.stiffness = 0.0), Err("stiffness".into()));
        assert_eq!(check(|p| p.damping = -1.0), Err("damping".into()));
        assert_eq!(check(|p| p.damping = 1e4), Err("damping".into()));
        assert_eq!(check(|p| p.mass = 0.0), Err("mass".into()));
        assert_eq!(check(|p| p.gravity = 0.0), Err("gravity".into()));
        assert_eq!(check(|p| p.height = -1e-6), Ok(()));
        assert_eq!(check(|p| p.height = f64::INFINITY), Err("height".into()));
        assert_eq!(check(|p| p.floor_speed = f64::NAN), Err("floor-speed".into()));
        assert_eq!(check(|p| p.velocity = f64::NAN), Err("velocity".into()));
    }

    #[test]
    fn parameters_survive_a_file() {
        let parameters: PenaltyBall = serde_json::from_str(r#"{ "damping": 2000, "height": 0.02 }"#).unwrap();
        assert_eq!((parameters.damping, parameters.height, parameters.stiffness), (2000.0, 0.02, 1e7));
        let text = serde_json::to_string(&parameters).unwrap();
        assert_eq!(serde_json::from_str::<PenaltyBall>(&text).unwrap(), parameters);
        assert!(serde_json::from_str::<PenaltyBall>(r#"{ "spacing": 2 }"#).is_err());
    }
}
