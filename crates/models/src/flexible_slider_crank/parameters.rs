//! The flexible slider crank as an experiment file names it.

use std::f64::consts::PI;

use mbsbench_problem::{Model, ModelDefinition, OutOfRange, Parameters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MODES;
use crate::linkage::{LinkageFormulation, LinkageModel};
use crate::range::not_negative;
use crate::slider_crank::longer_than_crank;

/// A rigid crank on a pin at the origin and a rod that bends, whose far end slides along the `x` axis without spring or
/// mass.
///
/// Bending of the paper's rod has 1665 rad/s and more. The paper does not say which modes it keeps, nor how the rod is
/// bent at the start. Its area of the cross-section, 5.74e-6 m², would matter for an axial mode only; there is none here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct FlexibleSliderCrank {
    /// The equations: six coordinates and those of the modes with five constraints, or the crank's angle and the modes.
    pub formulation: LinkageFormulation,
    /// Mass of the crank, kg.
    pub crank_mass: f64,
    /// Length of the crank, m.
    pub crank_length: f64,
    /// Mass of the rod, kg.
    pub rod_mass: f64,
    /// Length of the rod, m; longer than the crank.
    pub rod_length: f64,
    /// Number of bending modes, from 0 (a rigid rod) to 8.
    pub modes: usize,
    /// Young's modulus of the rod, Pa.
    pub young_modulus: f64,
    /// Second moment of area of the rod's cross-section, m⁴.
    pub second_moment: f64,
    /// Damping of each mode as part of its critical damping.
    pub modal_damping: f64,
    /// How the rod is bent at the start.
    pub deflection: Deflection,
    /// Initial angle of the crank, rad from `+x`.
    pub crank_angle: f64,
    /// Initial angular velocity of the crank, rad/s.
    pub crank_rate: f64,
    /// Acceleration of gravity, m/s².
    pub gravity: f64,
}

/// How the rod is bent at the start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Deflection {
    /// Not at all, and its modes at rest: it will vibrate.
    Straight,
    /// So that second and third derivatives of the modal coordinates are zero: the modes follow the slow motion, and
    /// nothing vibrates.
    #[default]
    QuasiStatic,
}

impl Default for FlexibleSliderCrank {
    fn default() -> Self {
        Self {
            formulation: LinkageFormulation::Cartesian,
            crank_mass: 3.0,
            crank_length: 0.3,
            rod_mass: 0.9,
            rod_length: 0.6,
            modes: 2,
            young_modulus: 200e9,
            second_moment: 2.765e-8,
            modal_damping: 0.0,
            deflection: Deflection::QuasiStatic,
            crank_angle: 1.5 * PI,
            crank_rate: 1.0,
            gravity: 9.81,
        }
    }
}

impl Parameters for FlexibleSliderCrank {
    fn check(&self) -> Result<(), OutOfRange> {
        OutOfRange::unless_positive("crank-mass", self.crank_mass)?;
        OutOfRange::unless_positive("crank-length", self.crank_length)?;
        OutOfRange::unless_positive("rod-mass", self.rod_mass)?;
        longer_than_crank(self.rod_length, self.crank_length)?;
        if self.modes > MODES {
            return Err(OutOfRange::new("modes", self.modes, "a number from 0 to 8"));
        }
        OutOfRange::unless_positive("young-modulus", self.young_modulus)?;
        OutOfRange::unless_positive("second-moment", self.second_moment)?;
        not_negative("modal-damping", self.modal_damping)?;
        OutOfRange::unless_finite("crank-angle", self.crank_angle)?;
        OutOfRange::unless_finite("crank-rate", self.crank_rate)?;
        OutOfRange::unless_finite("gravity", self.gravity)?;
        if self.deflection == Deflection::QuasiStatic && self.quasi_static::<f64>().is_none() {
            let accepted = "straight, since a rod this soft has no quasi-static deflection within its length";
            return Err(OutOfRange::new("deflection", "quasi-static", accepted));
        }
        Ok(())
    }
}

impl ModelDefinition for FlexibleSliderCrank {
    const NAME: &'static str = "flexible-slider-crank";
    const SUMMARY: &'static str = "slider crank with a rod that bends, floating frame of reference, five constraints";
    const SOURCE: &'static str = "negrut2007, section 3c";

    fn model(&self) -> Box<dyn Model> {
        Box::new(LinkageModel(self.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_checked() {
        let check = |change: fn(&mut FlexibleSliderCrank)| {
            let mut parameters = FlexibleSliderCrank::default();
            change(&mut parameters);
            parameters.check().map_err(|error| error.field)
        };
        assert_eq!(check(|_| ()), Ok(()));
        assert_eq!(check(|p| p.modes = 0), Ok(()));
        assert_eq!(check(|p| p.modes = 8), Ok(()));
        assert_eq!(check(|p| p.modes = 9), Err("modes".into()));
        assert_eq!(check(|p| p.crank_mass = 0.0), Err("crank-mass".into()));
        assert_eq!(check(|p| p.crank_length = 0.0), Err("crank-length".into()));
        assert_eq!(check(|p| p.rod_mass = f64::NAN), Err("rod-mass".into()));
        assert_eq!(check(|p| p.rod_length = 0.1), Err("rod-length".into()));
        assert_eq!(check(|p| p.young_modulus = 0.0), Err("young-modulus".into()));
        assert_eq!(check(|p| p.second_moment = -1.0), Err("second-moment".into()));
        assert_eq!(check(|p| p.modal_damping = -0.1), Err("modal-damping".into()));
        assert_eq!(check(|p| p.crank_angle = f64::NAN), Err("crank-angle".into()));
        assert_eq!(check(|p| p.crank_rate = f64::NAN), Err("crank-rate".into()));
        assert_eq!(check(|p| p.gravity = f64::NAN), Err("gravity".into()));
    }

    #[test]
    fn a_rod_that_flings_itself_out_has_no_quasi_static_deflection() {
        // The softest rods satisfy the equations with deflections of twice their length.
        for young_modulus in [1e3, 1e5, 1e6] {
            let soft = FlexibleSliderCrank { young_modulus, crank_rate: 30.0, crank_angle: 0.5, ..Default::default() };
            assert_eq!(soft.check().unwrap_err().field, "deflection");
            assert_eq!(FlexibleSliderCrank { deflection: Deflection::Straight, ..soft }.check(), Ok(()));
        }
    }
}
