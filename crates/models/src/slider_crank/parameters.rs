//! The slider crank as an experiment file names it.

use std::f64::consts::PI;

use mbsbench_problem::{Model, ModelDefinition, OutOfRange, parameters};

use crate::linkage::{LinkageFormulation, LinkageModel};

parameters! {
    /// A crank on a pin at the origin and a rod whose far end slides along the `x` axis, a spring and damper between
    /// that end and the ground.
    ///
    /// The slider starts on the side of `+x`, with the rod's angle between −π/2 and π/2. It has no mass unless a point
    /// mass is given: the paper lists two masses.
    pub struct SliderCrank where rod_is_longer {
        /// The equations: six coordinates with five constraints, or the crank's angle.
        pub formulation: LinkageFormulation = LinkageFormulation::Cartesian,
        /// Mass of the crank.
        pub crank_mass: f64 [above 0.0, unit "kg"] = 3.0,
        /// Length of the crank.
        pub crank_length: f64 [above 0.0, unit "m"] = 0.3,
        /// Mass of the rod.
        pub rod_mass: f64 [above 0.0, unit "kg"] = 0.9,
        /// Length of the rod; longer than the crank.
        pub rod_length: f64 [above 0.0, unit "m"] = 0.6,
        /// Stiffness of the spring between slider and ground.
        pub stiffness: f64 [from 0.0, unit "N/m"] = 100.0,
        /// Damping between slider and ground.
        pub damping: f64 [from 0.0, unit "N s/m"] = 5.0,
        /// Position of the slider at which the spring is free.
        pub free_position: f64 [unit "m"] = 0.9,
        /// Initial angle of the crank from `+x`.
        pub crank_angle: f64 [unit "rad"] = 1.5 * PI,
        /// Initial angular velocity of the crank.
        pub crank_rate: f64 [unit "rad/s"] = 0.0,
        /// Acceleration of gravity.
        pub gravity: f64 [unit "m/s²"] = 9.81,
        /// Point mass fixed to the far end of the rod: the slider's. In the coordinates of the rod's centre it
        /// makes the mass matrix depend on the rod's angle.
        pub point_mass: f64 [from 0.0, unit "kg"] = 0.0,
    }
}

impl SliderCrank {
    fn rod_is_longer(&self) -> Result<(), OutOfRange> {
        longer_than_crank(self.rod_length, self.crank_length)
    }
}

/// Fails unless the crank can turn: a shorter rod would reach a configuration from which it can move in two ways.
pub(crate) fn longer_than_crank(rod_length: f64, crank_length: f64) -> Result<(), OutOfRange> {
    if rod_length > crank_length {
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
