//! The stiff double pendulum as an experiment file names it.

use std::f64::consts::PI;

use mbsbench_problem::{Model, ModelDefinition, parameters};

use crate::linkage::{LinkageFormulation, LinkageModel};

parameters! {
    /// Two slender uniform rods, the first on a pin at the origin, with a stiff torsional spring in the pin between
    /// them, released from rest.
    ///
    /// The paper prints the stiffness, 3000 N m/deg, and neither masses, lengths, initial angles nor preload. The
    /// defaults are chosen so that its figures 2 and 7 can be had: the spring's mode, 242.76 rad/s at the start, is
    /// 1.55 half turns in a step of 0.02 s, midway between the resonances of the local linearisation method at whole
    /// numbers of them.
    pub struct StiffDoublePendulum {
        /// The equations: six coordinates with four constraints, or the two angles.
        pub formulation: LinkageFormulation = LinkageFormulation::Cartesian,
        /// Mass of the first rod.
        pub mass_1: f64 [above 0.0, unit "kg"] = 10.0,
        /// Length of the first rod.
        pub length_1: f64 [above 0.0, unit "m"] = 2.0,
        /// Mass of the second rod.
        pub mass_2: f64 [above 0.0, unit "kg"] = 10.0,
        /// Length of the second rod.
        pub length_2: f64 [above 0.0, unit "m"] = 2.0,
        /// Stiffness of the spring between the rods; 3000 N m/deg by default.
        pub stiffness: f64 [from 0.0, unit "N m/rad"] = 3000.0 * 180.0 / PI,
        /// Angle from the first to the second rod at which the spring is free.
        pub free_angle: f64 [unit "rad"] = 0.0,
        /// Deflection of the spring at the start: the second rod starts at `angle-1 + free-angle + preload`.
        pub preload: f64 [unit "rad"] = 0.0,
        /// Initial angle of the first rod from `+x`.
        pub angle_1: f64 [unit "rad"] = 0.0,
        /// Acceleration of gravity.
        pub gravity: f64 [unit "m/s²"] = 9.81,
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
