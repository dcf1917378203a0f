//! The wheelset as an experiment file names it.

use mbsbench_problem::{Model, ModelDefinition, parameters};

use crate::components::ComponentModel;

parameters! {
    /// A wheelset on straight rails with constant velocity, held by springs; conical wheels on rails with circular heads, creep forces
    /// saturated by a hyperbolic tangent.
    pub struct Wheelset {
        /// Mass.
        pub mass: f64 [above 0.0, unit "kg"] = 16.08,
        /// Acceleration of gravity.
        pub gravity: f64 [unit "m/s²"] = 9.81,
        /// Velocity along the track.
        pub speed: f64 [above 0.0, unit "m/s"] = 30.0,
        /// Nominal radius of a wheel.
        pub radius: f64 [above 0.0, unit "m"] = 0.1,
        /// Inertia about the axle.
        pub axial_inertia: f64 [above 0.0, unit "kg m²"] = 0.0605,
        /// Inertia about axes across the axle.
        pub transverse_inertia: f64 [above 0.0, unit "kg m²"] = 0.366,
        /// Coefficient of friction.
        pub friction: f64 [above 0.0, unit "1"] = 0.12,
        /// Half the distance of the springs along the track.
        pub spring_distance: f64 [above 0.0, unit "m"] = 0.19,
        /// Stiffness of the springs across the track.
        pub lateral_stiffness: f64 [from 0.0, unit "N/m"] = 6400.0,
        /// Stiffness of the springs along the track.
        pub longitudinal_stiffness: f64 [from 0.0, unit "N/m"] = 6400.0,
        /// Ratio of the axes of the contact ellipse.
        pub ellipse_ratio: f64 [above 0.0, unit "1"] = 1.353_795_6,
        /// Value of Hertz' function for that.
        pub ellipse_factor: f64 [above 0.0, unit "1"] = 0.711_521_8,
        /// Poisson's ratio.
        pub poisson_ratio: f64 [from 0.0, unit "1"] = 0.28,
        /// Shear modulus.
        pub shear_modulus: f64 [above 0.0, unit "Pa"] = 7.92e10,
        /// Kalker's coefficient of longitudinal creep.
        pub kalker_11: f64 [unit "1"] = 4.727_721_97,
        /// Kalker's coefficient of lateral creep.
        pub kalker_22: f64 [unit "1"] = 4.275_269_87,
        /// Kalker's coefficient of spin.
        pub kalker_23: f64 [unit "1"] = 1.972_035_05,
        /// Cone angle of the wheels.
        pub cone_angle: f64 [above 0.0, unit "rad"] = 0.0262,
        /// Half the distance of the contacts of the centred wheelset.
        pub half_gauge: f64 [above 0.0, unit "m"] = 0.1506,
        /// Radius of a rail's head.
        pub rail_radius: f64 [above 0.0, unit "m"] = 0.06,
    }
}

impl ModelDefinition for Wheelset {
    const NAME: &'static str = "wheelset";
    const SUMMARY: &'static str =
        "wheelset on straight rails: contact points and normal forces among the unknowns, index 2";
    const SOURCE: &'static str =
        "Test Set for IVP Solvers (CWI, Bari), problem wheelset; B. Simeon, C. Führer, P. Rentrop (1991)";

    fn model(&self) -> Box<dyn Model> {
        Box::new(ComponentModel(self.clone()))
    }
}
