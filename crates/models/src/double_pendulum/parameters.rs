//! The double pendulum as an experiment file names it.

use std::f64::consts::{PI, TAU};

use mbsbench_problem::{Model, ModelDefinition, parameters};

use crate::linkage::{LinkageFormulation, LinkageModel};

parameters! {
    /// Two slender rods, the first on a pin at the origin, with torsional springs and dampers in both pins.
    ///
    /// The damper of the second pin makes a mode that decays within 2.4e-5 s. The paper prints θ₂(0) = 0 and no free
    /// angles: taken as relative to the first rod, and as springs that are free where the rods hang straight.
    pub struct DoublePendulum {
        /// The equations: six coordinates with four constraints, or the two angles.
        pub formulation: LinkageFormulation = LinkageFormulation::Cartesian,
        /// Mass of the first rod.
        pub mass_1: f64 [above 0.0, unit "kg"] = 3.0,
        /// Length of the first rod.
        pub length_1: f64 [above 0.0, unit "m"] = 1.0,
        /// Stiffness of the spring between ground and first rod.
        pub stiffness_1: f64 [from 0.0, unit "N m/rad"] = 400.0,
        /// Damping between ground and first rod.
        pub damping_1: f64 [from 0.0, unit "N m s/rad"] = 15.0,
        /// Mass of the second rod.
        pub mass_2: f64 [above 0.0, unit "kg"] = 0.3,
        /// Length of the second rod.
        pub length_2: f64 [above 0.0, unit "m"] = 1.5,
        /// Stiffness of the spring between the rods.
        pub stiffness_2: f64 [from 0.0, unit "N m/rad"] = 3e5,
        /// Damping between the rods.
        pub damping_2: f64 [from 0.0, unit "N m s/rad"] = 5e3,
        /// Angle of the first rod at which its spring is free from `+x`.
        pub free_angle_1: f64 [unit "rad"] = 1.5 * PI,
        /// Angle between the rods at which their spring is free.
        pub free_angle_2: f64 [unit "rad"] = 0.0,
        /// Initial angle of the first rod from `+x`.
        pub angle_1: f64 [unit "rad"] = TAU,
        /// Initial angle of the second rod relative to the first.
        pub angle_2: f64 [unit "rad"] = 0.0,
        /// Initial angular velocity of the first rod.
        pub rate_1: f64 [unit "rad/s"] = 0.0,
        /// Initial angular velocity of the second rod against the ground.
        pub rate_2: f64 [unit "rad/s"] = 10.0,
        /// Acceleration of gravity.
        pub gravity: f64 [unit "m/s²"] = 9.81,
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
