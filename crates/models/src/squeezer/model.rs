//! The squeezer as the runner sees it.

use mbsbench_problem::model::Class;
use mbsbench_problem::{
    ConstrainedFormulation, Formulated, MechanicalModel, Model, Observable, Observation, Ode, Scalar, View,
};

use super::observation::{observables, observation};
use super::{Points, Squeezer, SqueezerFormulation};

/// The squeezer in one of its formulations.
pub trait SqueezerEquations: MechanicalModel + Clone {
    /// The data.
    fn squeezer(&self) -> &Squeezer;

    /// The equations with constraints in that form.
    fn ode<S: Scalar>(&self, form: ConstrainedFormulation) -> Box<dyn Ode<S> + '_> {
        form.ode(self)
    }

    /// The coordinates that belong to the angles `(β, Θ, γ, Φ, δ, Ω, ε)`, which close the loops.
    fn coordinates_at<S: Scalar>(&self, angles: &[S; 7]) -> Vec<S>;

    /// The angles `(β, Θ, γ, Φ, δ, Ω, ε)`, rad.
    fn angles<S: Scalar>(&self, q: &[S]) -> [S; 7];

    /// Their rates, rad/s.
    fn angle_rates<S: Scalar>(&self, v: &[S]) -> [S; 7];

    /// The points that move, m.
    fn points<S: Scalar>(&self, q: &[S]) -> Points<S>;

    /// The state `(q ; v)` at the start, at rest.
    fn initial<S: Scalar>(&self) -> Vec<S> {
        let mut state = self.coordinates_at(&self.squeezer().start_angles::<S>());
        state.resize(2 * self.dimensions().coordinates, S::nought());
        state
    }
}

/// The squeezer with parameters and formulation chosen: `y = (q ; v)`, index 3 for a method that asks for the mechanics,
/// acceleration level (index 1, not stabilised) for one that takes the right-hand side; or with accelerations and multipliers.
#[derive(Debug, Clone)]
pub struct SqueezerModel<M>(pub M);

impl<M: SqueezerEquations> SqueezerModel<M> {
    fn form(&self) -> ConstrainedFormulation {
        match self.0.squeezer().formulation {
            SqueezerFormulation::Index3 => ConstrainedFormulation::Index3,
            SqueezerFormulation::Index2 => ConstrainedFormulation::Index2,
            SqueezerFormulation::Index1 => ConstrainedFormulation::Index1,
            _ => ConstrainedFormulation::Mechanics,
        }
    }
}

impl<S: Scalar, M: SqueezerEquations> Formulated<S> for SqueezerModel<M> {
    fn ode(&self) -> Box<dyn Ode<S> + '_> {
        self.0.ode(self.form())
    }

    fn initial_state(&self) -> Vec<S> {
        self.form().initial_state(&self.0, self.0.initial())
    }
}

impl<M: SqueezerEquations> Model for SqueezerModel<M> {
    fn observables(&self) -> Vec<Observable> {
        observables(self.0.dimensions().holonomic)
    }

    fn observation(&self) -> Box<dyn Observation + '_> {
        observation(&self.0)
    }

    fn classes(&self) -> Vec<Class> {
        self.form().classes(&self.0)
    }

    /// `plane`, the mechanism in its plane of motion.
    fn views(&self, y: &[f64]) -> Vec<View> {
        vec![self.0.squeezer().view(&self.0.points(&y[..self.0.dimensions().coordinates]))]
    }
}
