//! A benchmark model as its author defines it.

use crate::{
    Class, Formulated, Model, ModelDefinition, Observable, Observation, Ode, Parameters, Scalar, View, pass_on,
};

/// A model that is described by its parameters. One implementation, generic over the scalar, makes the parameters a
/// [`Model`] and a [`ModelDefinition`].
///
/// A model that computes something once for all solves, or whose equations depend on the scalar, implements these
/// traits and [`Formulated`] directly. The functions here have the same meaning as theirs.
pub trait BenchmarkModel: Parameters {
    /// [`ModelDefinition::NAME`].
    const NAME: &'static str;
    /// [`ModelDefinition::SUMMARY`].
    const SUMMARY: &'static str;
    /// [`ModelDefinition::SOURCE`].
    const SOURCE: &'static str;

    /// The equations, with scratch memory of their own; called once for each solve.
    fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_>;

    /// The initial state, formed in the scalar's own precision.
    fn initial_state<S: Scalar>(&self) -> Vec<S>;

    /// The observables of the chosen formulation.
    fn observables(&self) -> Vec<Observable>;

    /// Writes the observables of a state into `values`, in the order of [`observables`](Self::observables). A model
    /// whose observation remembers anything between states implements [`observation`](Self::observation) instead.
    fn observe(&self, t: f64, y: &[f64], values: &mut [f64]) {
        BenchmarkModel::observation(self).observe(t, y, values);
    }

    /// A new observation for a solve. By default it [observes](Self::observe) each state independently.
    fn observation(&self) -> Box<dyn Observation + '_> {
        Box::new(|t: f64, y: &[f64], values: &mut [f64]| BenchmarkModel::observe(self, t, y, values))
    }

    /// The class of each component of the state. By default, the components are the observables with a class, in
    /// their order.
    fn classes(&self) -> Vec<Class> {
        self.observables().into_iter().filter_map(|observable| observable.class).collect()
    }

    /// Drawings of a state.
    fn views(&self, _y: &[f64]) -> Vec<View> {
        Vec::new()
    }
}

impl<S: Scalar, M: BenchmarkModel> Formulated<S> for M {
    pass_on! { as BenchmarkModel =>
        fn ode(&self) -> Box<dyn Ode<S> + '_>;
        fn initial_state(&self) -> Vec<S>;
    }
}

impl<M: BenchmarkModel> Model for M {
    pass_on! { as BenchmarkModel =>
        fn observables(&self) -> Vec<Observable>;
        fn observation(&self) -> Box<dyn Observation + '_>;
        fn classes(&self) -> Vec<Class>;
        fn views(&self, y: &[f64]) -> Vec<View>;
    }
}

impl<M: BenchmarkModel> ModelDefinition for M {
    const NAME: &'static str = <M as BenchmarkModel>::NAME;
    const SUMMARY: &'static str = <M as BenchmarkModel>::SUMMARY;
    const SOURCE: &'static str = <M as BenchmarkModel>::SOURCE;

    fn model(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }
}
