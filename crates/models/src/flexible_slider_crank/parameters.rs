//! The flexible slider crank as an experiment file names it.

use std::f64::consts::PI;

use mbsbench_problem::{Model, ModelDefinition, OutOfRange, parameters};

use super::MODES;
use crate::linkage::{LinkageFormulation, LinkageModel};
use crate::slider_crank::longer_than_crank;

parameters! {
    /// A rigid crank on a pin at the origin and a rod that bends, whose far end slides along the `x` axis without
    /// spring or mass.
    ///
    /// Bending of the paper's rod has 1665 rad/s and more. The paper does not say which modes it keeps, nor how the rod
    /// is bent at the start. Its area of the cross-section, 5.74e-6 m², would matter for an axial mode only; there is
    /// none here.
    pub struct FlexibleSliderCrank where rod_is_longer, deflection_exists {
        /// The equations: six coordinates and those of the modes with five constraints, or the crank's angle and the
        /// modes.
        pub formulation: LinkageFormulation = LinkageFormulation::Cartesian,
        /// Mass of the crank.
        pub crank_mass: f64 [above 0.0, unit "kg"] = 3.0,
        /// Length of the crank.
        pub crank_length: f64 [above 0.0, unit "m"] = 0.3,
        /// Mass of the rod.
        pub rod_mass: f64 [above 0.0, unit "kg"] = 0.9,
        /// Length of the rod; longer than the crank.
        pub rod_length: f64 [above 0.0, unit "m"] = 0.6,
        /// Number of bending modes, from 0 (a rigid rod) to 8.
        pub modes: usize [to MODES as u32] = 2,
        /// Young's modulus of the rod.
        pub young_modulus: f64 [above 0.0, unit "Pa"] = 200e9,
        /// Second moment of area of the rod's cross-section.
        pub second_moment: f64 [above 0.0, unit "m⁴"] = 2.765e-8,
        /// Damping of each mode as part of its critical damping.
        pub modal_damping: f64 [from 0.0, unit "1"] = 0.0,
        /// How the rod is bent at the start.
        pub deflection: Deflection = Deflection::QuasiStatic,
        /// Initial angle of the crank from `+x`.
        pub crank_angle: f64 [unit "rad"] = 1.5 * PI,
        /// Initial angular velocity of the crank.
        pub crank_rate: f64 [unit "rad/s"] = 1.0,
        /// Acceleration of gravity.
        pub gravity: f64 [unit "m/s²"] = 9.81,
    }
}

parameters! {
    /// How the rod is bent at the start.
    #[derive(Copy, Default, Eq)]
    pub enum Deflection {
        /// Not at all, and its modes at rest: it will vibrate.
        Straight,
        /// So that second and third derivatives of the modal coordinates are zero: the modes follow the slow motion,
        /// and nothing vibrates.
        #[default]
        QuasiStatic,
    }
}

impl FlexibleSliderCrank {
    fn rod_is_longer(&self) -> Result<(), OutOfRange> {
        longer_than_crank(self.rod_length, self.crank_length)
    }

    fn deflection_exists(&self) -> Result<(), OutOfRange> {
        if self.deflection == Deflection::Straight || self.quasi_static::<f64>().is_some() {
            return Ok(());
        }
        let accepted = "straight, since a rod this soft has no quasi-static deflection within its length";
        Err(OutOfRange::new("deflection", "quasi-static", accepted))
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
    use mbsbench_problem::Parameters;

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
