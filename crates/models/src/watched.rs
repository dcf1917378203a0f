//! From an equation with an initial state and observables to a model.

use mbsbench_problem::{Class, DoubleDouble, Formulated, Model, Observable, Observation, Ode, Scalar, View};

/// An equation with everything that the runner asks of a model.
pub trait Watched: Send + Sync {
    /// The equation as methods see it, with scratch memory of its own.
    fn equations<S: Scalar>(&self) -> Box<dyn Ode<S> + '_>;

    /// The initial state, formed in the scalar's own precision.
    fn initial<S: Scalar>(&self) -> Vec<S>;

    /// The class of each component of the state.
    fn classes(&self) -> Vec<Class>;

    /// What can be watched.
    fn observables(&self) -> Vec<Observable>;

    /// Writes the observables at `(t, y)`, in their order, into `values`.
    fn observe(&self, t: f64, y: &[f64], values: &mut [f64]);

    /// See [`Model::views`].
    fn views(&self, _y: &[f64]) -> Vec<View> {
        Vec::new()
    }
}

/// A [`Watched`] equation as a [`Model`], in double and in double-double precision.
#[derive(Debug, Clone)]
pub struct WatchedModel<M>(pub M);

impl<M: Watched> Formulated<f64> for WatchedModel<M> {
    fn ode(&self) -> Box<dyn Ode<f64> + '_> {
        self.0.equations()
    }
    fn initial_state(&self) -> Vec<f64> {
        self.0.initial()
    }
}

impl<M: Watched> Formulated<DoubleDouble> for WatchedModel<M> {
    fn ode(&self) -> Box<dyn Ode<DoubleDouble> + '_> {
        self.0.equations()
    }
    fn initial_state(&self) -> Vec<DoubleDouble> {
        self.0.initial()
    }
}

impl<M: Watched> Model for WatchedModel<M> {
    fn observables(&self) -> Vec<Observable> {
        self.0.observables()
    }

    fn observation(&self) -> Box<dyn Observation + '_> {
        Box::new(Watch(&self.0))
    }

    fn classes(&self) -> Vec<Class> {
        self.0.classes()
    }

    fn views(&self, y: &[f64]) -> Vec<View> {
        self.0.views(y)
    }
}

struct Watch<'m, M>(&'m M);

impl<M: Watched> Observation for Watch<'_, M> {
    fn observe(&mut self, t: f64, y: &[f64], values: &mut [f64]) {
        self.0.observe(t, y, values);
    }
}
