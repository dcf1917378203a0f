//! The squeezer in origins of its links and momenta.

mod equations;
mod node;
mod rotations;

use mbsbench_problem::model::Class;
use mbsbench_problem::{DoubleDouble, Formulated, Model, Observable, Observation, Ode, View};

use super::{Squeezer, SqueezerBodies, SqueezerModel};

pub use equations::SqueezerMomenta;
pub use rotations::Rotations;

/// The squeezer as [`SqueezerBodies`], except that methods which solve implicit equations get [`SqueezerMomenta`].
#[derive(Debug, Clone)]
pub struct SqueezerMomentaModel {
    bodies: SqueezerModel<SqueezerBodies>,
    rotations: Rotations,
}

impl SqueezerMomentaModel {
    /// With rotations described in that way.
    #[must_use]
    pub fn new(squeezer: Squeezer, rotations: Rotations) -> Self {
        Self { bodies: SqueezerModel(SqueezerBodies(squeezer)), rotations }
    }
}

impl Formulated<f64> for SqueezerMomentaModel {
    fn ode(&self) -> Box<dyn Ode<f64> + '_> {
        Box::new(SqueezerMomenta::new(&self.bodies.0, self.rotations))
    }
    fn initial_state(&self) -> Vec<f64> {
        self.bodies.initial_state()
    }
}

impl Formulated<DoubleDouble> for SqueezerMomentaModel {
    fn ode(&self) -> Box<dyn Ode<DoubleDouble> + '_> {
        Box::new(SqueezerMomenta::new(&self.bodies.0, self.rotations))
    }
    fn initial_state(&self) -> Vec<DoubleDouble> {
        self.bodies.initial_state()
    }
}

impl Model for SqueezerMomentaModel {
    fn observables(&self) -> Vec<Observable> {
        self.bodies.observables()
    }

    fn observation(&self) -> Box<dyn Observation + '_> {
        self.bodies.observation()
    }

    fn classes(&self) -> Vec<Class> {
        self.bodies.classes()
    }

    fn views(&self, y: &[f64]) -> Vec<View> {
        self.bodies.views(y)
    }
}
