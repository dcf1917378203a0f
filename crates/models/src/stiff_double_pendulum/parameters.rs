//! The stiff double pendulum as an experiment file names it.

use std::f64::consts::PI;

use mbsbench_problem::{Model, ModelDefinition, OutOfRange, Parameters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::linkage::{LinkageFormulation, LinkageModel};
use crate::range::not_negative;

/// Two slender uniform rods, the first on a pin at the origin, with a stiff torsional spring in the pin between them,
/// released from rest.
///
/// The paper prints the stiffness, 3000 N m/deg, and neither masses, lengths, initial angles nor preload. The defaults
/// are chosen so that its figures 2 and 7 can be had: the spring's mode, 242.76 rad/s at the start, is 1.55 half turns in
/// a step of 0.02 s, midway between the resonances of the local linearisation method at whole numbers of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct StiffDoublePendulum {
    /// The equations: six coordinates with four constraints, or the two angles.
    pub formulation: LinkageFormulation,
    /// Mass of the first rod, kg.
    pub mass_1: f64,
    /// Length of the first rod, m.
    pub length_1: f64,
    /// Mass of the second rod, kg.
    pub mass_2: f64,
    /// Length of the second rod, m.
    pub length_2: f64,
    /// Stiffness of the spring between the rods, N m/rad; 3000 N m/deg by default.
    pub stiffness: f64,
    /// Angle from the first to the second rod at which the spring is free, rad.
    pub free_angle: f64,
    /// Deflection of the spring at the start, rad: the second rod starts at `angle-1 + free-angle + preload`.
    pub preload: f64,
    /// Initial angle of the first rod, rad from `+x`.
    pub angle_1: f64,
    /// Acceleration of gravity, m/s².
    pub gravity: f64,
}

impl Default for StiffDoublePendulum {
    fn default() -> Self {
        Self {
            formulation: LinkageFormulation::Cartesian,
            mass_1: 10.0,
            length_1: 2.0,
            mass_2: 10.0,
            length_2: 2.0,
            stiffness: 3000.0 * 180.0 / PI,
            free_angle: 0.0,
            preload: 0.0,
            angle_1: 0.0,
            gravity: 9.81,
        }
    }
}

impl Parameters for StiffDoublePendulum {
    fn check(&self) -> Result<(), OutOfRange> {
        OutOfRange::unless_positive("mass-1", self.mass_1)?;
        OutOfRange::unless_positive("length-1", self.length_1)?;
        OutOfRange::unless_positive("mass-2", self.mass_2)?;
        OutOfRange::unless_positive("length-2", self.length_2)?;
        not_negative("stiffness", self.stiffness)?;
        OutOfRange::unless_finite("free-angle", self.free_angle)?;
        OutOfRange::unless_finite("preload", self.preload)?;
        OutOfRange::unless_finite("angle-1", self.angle_1)?;
        OutOfRange::unless_finite("gravity", self.gravity)
    }
}

impl ModelDefinition for StiffDoublePendulum {
    const NAME: &'static str = "stiff-double-pendulum";
    const SUMMARY: &'static str =
        "two rods with a stiff undamped torsional spring, four constraints, highly oscillatory";
    const SOURCE: &'static str = "gil2013, section 2, figure 1";

    fn model(&self) -> Box<dyn Model> {
        Box::new(LinkageModel(self.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_checked() {
        let check = |change: fn(&mut StiffDoublePendulum)| {
            let mut parameters = StiffDoublePendulum::default();
            change(&mut parameters);
            parameters.check().map_err(|error| error.field)
        };
        assert_eq!(check(|_| ()), Ok(()));
        assert_eq!(check(|p| p.stiffness = 0.0), Ok(()));
        assert_eq!(check(|p| p.mass_1 = 0.0), Err("mass-1".into()));
        assert_eq!(check(|p| p.length_1 = f64::INFINITY), Err("length-1".into()));
        assert_eq!(check(|p| p.mass_2 = -1.0), Err("mass-2".into()));
        assert_eq!(check(|p| p.length_2 = 0.0), Err("length-2".into()));
        assert_eq!(check(|p| p.stiffness = -1.0), Err("stiffness".into()));
        assert_eq!(check(|p| p.free_angle = f64::NAN), Err("free-angle".into()));
        assert_eq!(check(|p| p.preload = f64::NAN), Err("preload".into()));
        assert_eq!(check(|p| p.angle_1 = f64::NAN), Err("angle-1".into()));
        assert_eq!(check(|p| p.gravity = f64::NAN), Err("gravity".into()));
    }

    #[test]
    fn parameters_survive_a_file() {
        let parameters: StiffDoublePendulum =
            serde_json::from_str(r#"{ "formulation": "minimal", "mass-1": 6, "preload": 0.1 }"#).unwrap();
        assert_eq!(parameters.formulation, LinkageFormulation::Minimal);
        assert_eq!((parameters.mass_1, parameters.preload, parameters.mass_2), (6.0, 0.1, 10.0));
        let text = serde_json::to_string(&parameters).unwrap();
        assert_eq!(serde_json::from_str::<StiffDoublePendulum>(&text).unwrap(), parameters);
        assert!(serde_json::from_str::<StiffDoublePendulum>(r#"{ "damping": 2 }"#).is_err());
    }
}
