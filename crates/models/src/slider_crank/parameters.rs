//! The slider crank as an experiment file names it.

use std::f64::consts::PI;

use mbsbench_problem::{Model, ModelDefinition, OutOfRange, Parameters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::linkage::{LinkageFormulation, LinkageModel};
use crate::range::not_negative;

/// A crank on a pin at the origin and a rod whose far end slides along the `x` axis, a spring and damper between that
/// end and the ground.
///
/// The slider starts on the side of `+x`, with the rod's angle between −π/2 and π/2. It has no mass unless a point mass is
/// given: the paper lists two masses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct SliderCrank {
    /// The equations: six coordinates with five constraints, or the crank's angle.
    pub formulation: LinkageFormulation,
    /// Mass of the crank, kg.
    pub crank_mass: f64,
    /// Length of the crank, m.
    pub crank_length: f64,
    /// Mass of the rod, kg.
    pub rod_mass: f64,
    /// Length of the rod, m; longer than the crank.
    pub rod_length: f64,
    /// Stiffness of the spring between slider and ground, N/m.
    pub stiffness: f64,
    /// Damping between slider and ground, N s/m.
    pub damping: f64,
    /// Position of the slider at which the spring is free, m.
    pub free_position: f64,
    /// Initial angle of the crank, rad from `+x`.
    pub crank_angle: f64,
    /// Initial angular velocity of the crank, rad/s.
    pub crank_rate: f64,
    /// Acceleration of gravity, m/s².
    pub gravity: f64,
    /// Point mass fixed to the far end of the rod, kg: the slider's. In the coordinates of the rod's centre it makes the
    /// mass matrix depend on the rod's angle.
    pub point_mass: f64,
}

impl Default for SliderCrank {
    fn default() -> Self {
        Self {
            formulation: LinkageFormulation::Cartesian,
            crank_mass: 3.0,
            crank_length: 0.3,
            rod_mass: 0.9,
            rod_length: 0.6,
            stiffness: 100.0,
            damping: 5.0,
            free_position: 0.9,
            crank_angle: 1.5 * PI,
            crank_rate: 0.0,
            gravity: 9.81,
            point_mass: 0.0,
        }
    }
}

impl Parameters for SliderCrank {
    fn check(&self) -> Result<(), OutOfRange> {
        OutOfRange::unless_positive("crank-mass", self.crank_mass)?;
        OutOfRange::unless_positive("crank-length", self.crank_length)?;
        OutOfRange::unless_positive("rod-mass", self.rod_mass)?;
        longer_than_crank(self.rod_length, self.crank_length)?;
        not_negative("stiffness", self.stiffness)?;
        not_negative("damping", self.damping)?;
        OutOfRange::unless_finite("free-position", self.free_position)?;
        OutOfRange::unless_finite("crank-angle", self.crank_angle)?;
        OutOfRange::unless_finite("crank-rate", self.crank_rate)?;
        OutOfRange::unless_finite("gravity", self.gravity)?;
        not_negative("point-mass", self.point_mass)
    }
}

/// Fails unless the crank can turn: a shorter rod would reach a configuration from which it can move in two ways.
pub(crate) fn longer_than_crank(rod_length: f64, crank_length: f64) -> Result<(), OutOfRange> {
    if rod_length.is_finite() && rod_length > crank_length {
        return Ok(());
    }
    Err(OutOfRange::new("rod-length", rod_length, "a finite number above crank-length"))
}

impl ModelDefinition for SliderCrank {
    const NAME: &'static str = "slider-crank";
    const SUMMARY: &'static str = "rigid slider crank with spring and damper, five constraints";
    const SOURCE: &'static str = "negrut2007, section 3b";

    fn model(&self) -> Box<dyn Model> {
        Box::new(LinkageModel(self.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_checked() {
        let check = |change: fn(&mut SliderCrank)| {
            let mut parameters = SliderCrank::default();
            change(&mut parameters);
            parameters.check().map_err(|error| error.field)
        };
        assert_eq!(check(|_| ()), Ok(()));
        assert_eq!(check(|p| (p.stiffness, p.damping, p.point_mass) = (0.0, 0.0, 1.0)), Ok(()));
        assert_eq!(check(|p| p.crank_mass = 0.0), Err("crank-mass".into()));
        assert_eq!(check(|p| p.crank_length = 0.0), Err("crank-length".into()));
        assert_eq!(check(|p| p.rod_mass = f64::NAN), Err("rod-mass".into()));
        assert_eq!(check(|p| p.rod_length = p.crank_length), Err("rod-length".into()));
        assert_eq!(check(|p| p.rod_length = f64::INFINITY), Err("rod-length".into()));
        assert_eq!(check(|p| p.stiffness = -1.0), Err("stiffness".into()));
        assert_eq!(check(|p| p.damping = -1.0), Err("damping".into()));
        assert_eq!(check(|p| p.free_position = f64::NAN), Err("free-position".into()));
        assert_eq!(check(|p| p.crank_angle = f64::NAN), Err("crank-angle".into()));
        assert_eq!(check(|p| p.crank_rate = f64::NAN), Err("crank-rate".into()));
        assert_eq!(check(|p| p.gravity = f64::NAN), Err("gravity".into()));
        assert_eq!(check(|p| p.point_mass = -1.0), Err("point-mass".into()));
    }
}
