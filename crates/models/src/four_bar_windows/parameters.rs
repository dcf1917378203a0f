//! The windows as an experiment file names them.

use mbsbench_problem::{Model, ModelDefinition, parameters};

use super::model::WindowsModel;

parameters! {
    /// How the equations of the windows are put to a method.
    #[derive(Copy, Default, Eq)]
    pub enum WindowsFormulation {
        /// Three coordinates of each rod, with two constraints for each pin.
        #[default]
        Cartesian,
        /// The angle that all uprights have as long as the windows are parallelograms, without constraints.
        Minimal,
    }
}

parameters! {
    /// Equal uniform rods: uprights on ground pins, one length apart, and between the upper ends of neighbours another rod. They begin
    /// upright, with all upper ends moving to the right.
    ///
    /// Where all rods lie on one line the windows need not stay parallelograms: as many constraints as there are windows depend on the
    /// others there, and methods that solve for multipliers meet a singular matrix.
    pub struct FourBarWindows {
        /// The equations.
        pub formulation: WindowsFormulation = WindowsFormulation::Cartesian,
        /// Number of windows.
        pub windows: usize [from 1, to 15_000] = 2,
        /// Length of a rod.
        pub length: f64 [above 0.0, unit "m"] = 1.0,
        /// Mass of a rod.
        pub mass: f64 [above 0.0, unit "kg"] = 1.0,
        /// Velocity of the upper ends at the start.
        pub speed: f64 [unit "m/s"] = 1.0,
        /// Acceleration of gravity along `−y`.
        pub gravity: f64 [unit "m/s²"] = 9.81,
    }
}

impl ModelDefinition for FourBarWindows {
    const NAME: &'static str = "four-bar-windows";
    const SUMMARY: &'static str =
        "a row of four-bar mechanisms side by side, one degree of freedom, as many loops as wanted";
    const SOURCE: &'static str =
        "problem A02 of the library of computational benchmark problems of IFToMM (N-four-bar mechanism)";

    fn model(&self) -> Box<dyn Model> {
        Box::new(WindowsModel(self.clone()))
    }
}
