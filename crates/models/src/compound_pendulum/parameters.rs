//! The pendulum as an experiment file names it.

use mbsbench_problem::{Formulation, Model, ModelDefinition, OutOfRange, parameters};

use super::PendulumModel;

parameters! {
    /// A uniform rod that swings about one of its ends under gravity.
    pub struct Pendulum where surfaces_have_gains {
        /// The equations: angle only, or the rod in the plane with its end held by two constraints.
        pub formulation: Formulation = Formulation::Minimal,
        /// Mass.
        pub mass: f64 [above 0.0, unit "kg"] = 36.0,
        /// Length.
        pub length: f64 [above 0.0, unit "m"] = 1.0,
        /// Acceleration of gravity.
        pub gravity: f64 [unit "m/s²"] = 9.81,
        /// Initial angle from the vertical.
        pub angle: f64 [unit "deg"] = 20.0,
        /// Initial angular velocity.
        pub angular_velocity: f64 [unit "rad/s"] = 1.0,
    }
}

impl Pendulum {
    fn surfaces_have_gains(&self) -> Result<(), OutOfRange> {
        self.formulation.check_surfaces(2)
    }
}

impl ModelDefinition for Pendulum {
    const NAME: &'static str = "pendulum";
    const SUMMARY: &'static str = "compound pendulum, as one equation of motion or as a rod with two constraints";
    const SOURCE: &'static str = "compere2001, section 3.5";

    fn model(&self) -> Box<dyn Model> {
        Box::new(PendulumModel::new(self.clone()))
    }
}
