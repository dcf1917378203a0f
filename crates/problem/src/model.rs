//! A benchmark model as the harness sees it: with parameters and formulation chosen, ready to be solved and observed.

use crate::{DoubleDouble, Failure, Ode, Scalar, View};

/// The equations of a model in one scalar; `impl<S: Scalar> Formulated<S>` provides them in all scalars.
pub trait Formulated<S: Scalar = f64> {
    /// The equations, with scratch memory of their own; called once for each solve.
    fn ode(&self) -> Box<dyn Ode<S> + '_>;

    /// The initial state, formed in the scalar's own precision.
    fn initial_state(&self) -> Vec<S>;
}

/// The class of a component of a state; errors are measured for each class separately.
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
    /// Name in experiment files, words joined by underscores: `theta`, `energy`.
    pub name: String,
    /// Unit as printed on an axis: `rad/s`, `J`; `1` if it has none.
    pub unit: &'static str,
    /// A description, for `mbsbench list`.
    pub about: &'static str,
    /// The class of the component that it is, if it is one; errors by class use all observables of a class.
    pub class: Option<Class>,
}

impl Observable {
    /// An observable with the given name, unit and description.
    pub fn new(name: impl Into<String>, unit: &'static str, about: &'static str) -> Self {
        Self { name: name.into(), unit, about, class: None }
    }

    /// The same observable, as a component of the given class.
    #[must_use]
    pub fn of_class(self, class: Class) -> Self {
        Self { class: Some(class), ..self }
    }
}

/// Computes all observables of a model, with scratch memory of its own.
pub trait Observation {
    /// Writes the observables, in the order of [`Model::observables`], into `values`.
    fn observe(&mut self, t: f64, y: &[f64], values: &mut [f64]);

    /// A failure that follows from the observed state, whatever the method: the state cannot be one of the model, or
    /// a function that computes observables failed. Each failure is reported once.
    fn failure(&mut self) -> Option<Failure> {
        None
    }

    /// Adds the gap of every two bodies that may touch, m, negative if they overlap, to `gaps`; nothing for a model
    /// without contacts, or one that does not know them.
    fn gaps(&mut self, _y: &[f64], _gaps: &mut Vec<f64>) {}

    /// Writes the multipliers λ that a method has computed over those that [`observe`](Self::observe) computed from
    /// the state. Called after it, with as many multipliers as the model has constraints.
    fn observe_multipliers(&mut self, _multipliers: &[f64], _values: &mut [f64]) {}
}

/// A function of `(t, y)` that writes the values, for observables that need nothing from earlier states.
impl<F: FnMut(f64, &[f64], &mut [f64])> Observation for F {
    fn observe(&mut self, t: f64, y: &[f64], values: &mut [f64]) {
        self(t, y, values);
    }
}

/// A model with parameters and formulation chosen.
///
/// A model implements [`Formulated`] once, generic over the scalar, and this trait.
///
/// Measures look for these names: `energy` (J); `constraint`, the largest magnitude among the constraints `Γ, Φ`
/// (compere2001: Φ); `surface`, the largest magnitude among the sliding surfaces `S`.
pub trait Model: Formulated<f64> + Formulated<DoubleDouble> + Send + Sync {
    /// The observables of this formulation.
    fn observables(&self) -> Vec<Observable>;

    /// A new observation for a solve.
    fn observation(&self) -> Box<dyn Observation + '_>;

    /// The class of each component of the state.
    fn classes(&self) -> Vec<Class>;

    /// Drawings of the model at a state; empty for a model without drawings.
    fn views(&self, _y: &[f64]) -> Vec<View> {
        Vec::new()
    }
}
