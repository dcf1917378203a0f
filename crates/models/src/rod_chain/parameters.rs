//! The chain as an experiment file names it.

use mbsbench_problem::{Model, ModelDefinition, parameters};

use super::model::ChainModel;

parameters! {
    /// How the equations of the chain are put to a method.
    #[derive(Copy, Default, Eq)]
    pub enum ChainFormulation {
        /// Three coordinates of each rod, with two constraints for each pin.
        #[default]
        Cartesian,
        /// The angles of the rods, without constraints. A right-hand side costs as many operations as a chain has rods.
        Minimal,
    }
}

parameters! {
    /// Equal slender rods, pinned end to end, that hang from a pin at the origin and begin at rest along a straight line.
    pub struct RodChain {
        /// The equations.
        pub formulation: ChainFormulation = ChainFormulation::Cartesian,
        /// Number of rods.
        pub rods: usize [from 1, to 30_000] = 10,
        /// Length of the chain.
        pub length: f64 [above 0.0, unit "m"] = 1.0,
        /// Mass of the chain.
        pub mass: f64 [above 0.0, unit "kg"] = 1.0,
        /// Damping in each pin.
        pub damping: f64 [from 0.0, unit "N m s/rad"] = 0.0,
        /// Angle of all rods at the start from `+x`, counter-clockwise.
        pub angle: f64 [unit "rad"] = 0.0,
        /// Acceleration of gravity along `−y`.
        pub gravity: f64 [unit "m/s²"] = 9.81,
    }
}

impl RodChain {
    /// Mass of a rod, kg.
    pub(super) fn rod_mass(&self) -> f64 {
        self.mass / self.rods as f64
    }

    /// Length of a rod, m.
    pub(super) fn rod_length(&self) -> f64 {
        self.length / self.rods as f64
    }
}

impl ModelDefinition for RodChain {
    const NAME: &'static str = "rod-chain";
    const SUMMARY: &'static str = "rods pinned end to end, as many as wanted, two constraints each";
    const SOURCE: &'static str = "ours: a mechanism that grows";

    fn model(&self) -> Box<dyn Model> {
        Box::new(ChainModel(self.clone()))
    }
}
