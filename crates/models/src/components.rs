//! What models have in common that are watched by the components of their state.

use mbsbench_problem::model::Class;
use mbsbench_problem::{Formulated, Model, Observable, Observation, Ode, OdeModel, Scalar, View};

/// Equations that are watched by the components of their state.
pub(crate) trait Components: OdeModel {
    /// The components, in order: names, units, meanings, classes.
    fn components(&self) -> Vec<Observable>;

    /// The state at time zero, formed in the scalar's own precision.
    fn initial<S: Scalar>(&self) -> Vec<S>;

    /// The equations.
    fn equations<S: Scalar>(&self) -> Box<dyn Ode<S> + '_>;

    /// What is watched besides.
    fn further(&self) -> Vec<Observable> {
        Vec::new()
    }

    /// Writes what is watched besides.
    fn observe(&self, _t: f64, _y: &[f64], _values: &mut [f64]) {}

    /// What is seen of it, if it has a picture.
    fn view(&self, _y: &[f64]) -> Option<View> {
        None
    }
}

/// Such equations with parameters chosen.
#[derive(Debug, Clone)]
pub(crate) struct ComponentModel<M>(pub M);

impl<S: Scalar, M: Components> Formulated<S> for ComponentModel<M> {
    fn ode(&self) -> Box<dyn Ode<S> + '_> {
        self.0.equations()
    }

    fn initial_state(&self) -> Vec<S> {
        self.0.initial()
    }
}

impl<M: Components> Model for ComponentModel<M> {
    fn observables(&self) -> Vec<Observable> {
        [self.0.components(), self.0.further()].concat()
    }

    fn observation(&self) -> Box<dyn Observation + '_> {
        Box::new(|t: f64, y: &[f64], values: &mut [f64]| {
            let (components, further) = values.split_at_mut(y.len());
            components.copy_from_slice(y);
            self.0.observe(t, y, further);
        })
    }

    fn classes(&self) -> Vec<Class> {
        let class = |component: &Observable| component.class.expect("components have classes");
        self.0.components().iter().map(class).collect()
    }

    fn views(&self, y: &[f64]) -> Vec<View> {
        self.0.view(y).into_iter().collect()
    }
}
