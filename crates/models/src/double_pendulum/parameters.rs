//! The double pendulum as an experiment file names it.

use std::f64::consts::{PI, TAU};

use mbsbench_problem::{Model, ModelDefinition, OutOfRange, Parameters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::linkage::{LinkageFormulation, LinkageModel};
use crate::range::not_negative;

/// Two slender rods, the first on a pin at the origin, with torsional springs and dampers in both pins.
///
/// The damper of the second pin makes a mode that decays within 2.4e-5 s. The paper prints θ₂(0) = 0 and no free angles:
/// taken as relative to the first rod, and as springs that are free where the rods hang straight.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct DoublePendulum {
    /// The equations: six coordinates with four constraints, or the two angles.
    pub formulation: LinkageFormulation,
    /// Mass of the first rod, kg.
    pub mass_1: f64,
    /// Length of the first rod, m.
    pub length_1: f64,
    /// Stiffness of the spring between ground and first rod, N m/rad.
    pub stiffness_1: f64,
    /// Damping between ground and first rod, N m s/rad.
    pub damping_1: f64,
    /// Mass of the second rod, kg.
    pub mass_2: f64,
    /// Length of the second rod, m.
    pub length_2: f64,
    /// Stiffness of the spring between the rods, N m/rad.
    pub stiffness_2: f64,
    /// Damping between the rods, N m s/rad.
    pub damping_2: f64,
    /// Angle of the first rod at which its spring is free, rad from `+x`.
    pub free_angle_1: f64,
    /// Angle between the rods at which their spring is free, rad.
    pub free_angle_2: f64,
    /// Initial angle of the first rod, rad from `+x`.
    pub angle_1: f64,
    /// Initial angle of the second rod relative to the first, rad.
    pub angle_2: f64,
    /// Initial angular velocity of the first rod, rad/s.
    pub rate_1: f64,
    /// Initial angular velocity of the second rod against the ground, rad/s.
    pub rate_2: f64,
    /// Acceleration of gravity, m/s².
    pub gravity: f64,
}

impl Default for DoublePendulum {
    fn default() -> Self {
        Self {
            formulation: LinkageFormulation::Cartesian,
            mass_1: 3.0,
            length_1: 1.0,
            stiffness_1: 400.0,
            damping_1: 15.0,
            mass_2: 0.3,
            length_2: 1.5,
            stiffness_2: 3e5,
            damping_2: 5e3,
            free_angle_1: 1.5 * PI,
            free_angle_2: 0.0,
            angle_1: TAU,
            angle_2: 0.0,
            rate_1: 0.0,
            rate_2: 10.0,
            gravity: 9.81,
        }
    }
}

impl Parameters for DoublePendulum {
    fn check(&self) -> Result<(), OutOfRange> {
        OutOfRange::unless_positive("mass-1", self.mass_1)?;
        OutOfRange::unless_positive("length-1", self.length_1)?;
        not_negative("stiffness-1", self.stiffness_1)?;
        not_negative("damping-1", self.damping_1)?;
        OutOfRange::unless_positive("mass-2", self.mass_2)?;
        OutOfRange::unless_positive("length-2", self.length_2)?;
        not_negative("stiffness-2", self.stiffness_2)?;
        not_negative("damping-2", self.damping_2)?;
        OutOfRange::unless_finite("free-angle-1", self.free_angle_1)?;
        OutOfRange::unless_finite("free-angle-2", self.free_angle_2)?;
        OutOfRange::unless_finite("angle-1", self.angle_1)?;
        OutOfRange::unless_finite("angle-2", self.angle_2)?;
        OutOfRange::unless_finite("rate-1", self.rate_1)?;
        OutOfRange::unless_finite("rate-2", self.rate_2)?;
        OutOfRange::unless_finite("gravity", self.gravity)
    }
}

impl ModelDefinition for DoublePendulum {
    const NAME: &'static str = "double-pendulum";
    const SUMMARY: &'static str = "two rods with torsional springs and dampers, four constraints, very stiff";
    const SOURCE: &'static str = "negrut2007, section 3a";

    fn model(&self) -> Box<dyn Model> {
        Box::new(LinkageModel(self.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_checked() {
        let check = |change: fn(&mut DoublePendulum)| {
            let mut parameters = DoublePendulum::default();
            change(&mut parameters);
            parameters.check().map_err(|error| error.field)
        };
        assert_eq!(check(|_| ()), Ok(()));
        assert_eq!(check(|p| (p.stiffness_1, p.damping_2) = (0.0, 0.0)), Ok(()));
        assert_eq!(check(|p| p.mass_1 = 0.0), Err("mass-1".into()));
        assert_eq!(check(|p| p.length_1 = f64::INFINITY), Err("length-1".into()));
        assert_eq!(check(|p| p.stiffness_1 = -1.0), Err("stiffness-1".into()));
        assert_eq!(check(|p| p.damping_1 = -1.0), Err("damping-1".into()));
        assert_eq!(check(|p| p.mass_2 = -1.0), Err("mass-2".into()));
        assert_eq!(check(|p| p.length_2 = 0.0), Err("length-2".into()));
        assert_eq!(check(|p| p.stiffness_2 = f64::NAN), Err("stiffness-2".into()));
        assert_eq!(check(|p| p.damping_2 = f64::NAN), Err("damping-2".into()));
        assert_eq!(check(|p| p.free_angle_1 = f64::NAN), Err("free-angle-1".into()));
        assert_eq!(check(|p| p.free_angle_2 = f64::NAN), Err("free-angle-2".into()));
        assert_eq!(check(|p| p.angle_1 = f64::NAN), Err("angle-1".into()));
        assert_eq!(check(|p| p.angle_2 = f64::NAN), Err("angle-2".into()));
        assert_eq!(check(|p| p.rate_1 = f64::NAN), Err("rate-1".into()));
        assert_eq!(check(|p| p.rate_2 = f64::NAN), Err("rate-2".into()));
        assert_eq!(check(|p| p.gravity = f64::NAN), Err("gravity".into()));
    }

    #[test]
    fn parameters_survive_a_file() {
        let parameters: DoublePendulum =
            serde_json::from_str(r#"{ "formulation": "minimal", "stiffness-2": 10, "angle-1": 1 }"#).unwrap();
        assert_eq!(parameters.formulation, LinkageFormulation::Minimal);
        assert_eq!((parameters.stiffness_2, parameters.angle_1, parameters.mass_1), (10.0, 1.0, 3.0));
        let text = serde_json::to_string(&parameters).unwrap();
        assert_eq!(serde_json::from_str::<DoublePendulum>(&text).unwrap(), parameters);
        assert!(serde_json::from_str::<DoublePendulum>(r#"{ "mass": 2 }"#).is_err());
    }
}
