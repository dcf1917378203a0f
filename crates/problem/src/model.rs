//! A benchmark model as the runner sees it: parameters and formulation chosen, ready to be solved and watched.

use crate::{DoubleDouble, Failure, Ode, Scalar, View};

/// The equations of a model in one scalar; `impl<S: Scalar> Formulated<S>` has them in all.
pub trait Formulated<S: Scalar = f64> {
    /// The equations, with scratch memory of their own; one for each solve.
    fn ode(&self) -> Box<dyn Ode<S> + '_>;

    /// The initial state, formed in the scalar's own precision.
    fn initial_state(&self) -> Vec<S>;
}

/// What a component of a state is; errors are measured for each class by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// Position coordinate.
    Position,
    /// Velocity coordinate.
    Velocity,
    /// Lagrange multiplier.
    Multiplier,
}

/// A quantity that can be computed from a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observable {
    /// Name in experiment files, `kebab_case` words joined by underscores: `theta`, `energy`.
    pub name: String,
    /// Unit as printed on an axis: `rad/s`, `J`; `1` where it has none.
    pub unit: &'static str,
    /// What it is, for `mbsbench list`.
    pub about: &'static str,
    /// The class of components that it belongs to, where it is one: errors by class are taken over these.
    pub class: Option<Class>,
}

impl Observable {
    /// An observable of that name, unit and meaning.
    pub fn new(name: impl Into<String>, unit: &'static str, about: &'static str) -> Self {
        Self { name: name.into(), unit, about, class: None }
    }

    /// The same, as a component of the class.
    #[must_use]
    pub fn of_class(self, class: Class) -> Self {
        Self { class: Some(class), ..self }
    }
}

/// Computes all observables of a model, with scratch memory of its own.
pub trait Observation {
    /// Writes the observables, in the order of [`Model::observables`], into `values`.
    fn observe(&mut self, t: f64, y: &[f64], values: &mut [f64]);

    /// Why the run fails with what was observed, whatever the method: the state cannot be one of the model, or a function that
    /// computes observables failed. Each failure is reported once.
    fn failure(&mut self) -> Option<Failure> {
        None
    }

    /// Writes the multipliers λ that a method has found for itself over those that [`observe`](Self::observe)
    /// computed from the state; called after it, with as many as the model has constraints.
    fn observe_multipliers(&mut self, _multipliers: &[f64], _values: &mut [f64]) {}
}

/// A function of `(t, y)` that writes the values; for what needs nothing kept from one state to the next.
impl<F: FnMut(f64, &[f64], &mut [f64])> Observation for F {
    fn observe(&mut self, t: f64, y: &[f64], values: &mut [f64]) {
        self(t, y, values);
    }
}

/// A model with parameters and formulation chosen.
///
/// A model implements [`Formulated`] once, generic over the scalar, and this.
///
///
/// Names that measures look for: `energy` (J); `constraint`, the largest magnitude among the constraints
/// `Γ, Φ` (compere2001: Φ); `surface`, the largest among the sliding surfaces `S`.
pub trait Model: Formulated<f64> + Formulated<DoubleDouble> + Send + Sync {
    /// What can be watched in this formulation.
    fn observables(&self) -> Vec<Observable>;

    /// A fresh observation; one for each solve.
    fn observation(&self) -> Box<dyn Observation + '_>;

    /// The class of each component of the state.
    fn classes(&self) -> Vec<Class>;

    /// What can be drawn of it at a state; nothing, for a model without a picture.
    fn views(&self, _y: &[f64]) -> Vec<View> {
        Vec::new()
    }
}
