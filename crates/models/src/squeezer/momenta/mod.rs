//! The squeezer in origins of its links and momenta.

mod equations;
mod node;
mod rotations;

use mbsbench_problem::model::Class;
use mbsbench_problem::{ConstrainedFormulation, Formulated, Model, Observable, Observation, Ode, Scalar, View};

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
    pub fn new(squeezer: Squeezer, rotations: Rotations) -> Self {
        Self { bodies: SqueezerModel(SqueezerBodies(squeezer), ConstrainedFormulation::Mechanics), rotations }
    }
}

impl<S: Scalar> Formulated<S> for SqueezerMomentaModel {
    fn ode(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(SqueezerMomenta::new(&self.bodies.0, self.rotations))
    }

    fn initial_state(&self) -> Vec<S> {
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
