//! What is measured in a run, as it goes, so that memory does not grow with the number of steps.

use mbsbench_problem::{Failure, Parameters, Statistics};

/// A measure that an experiment file can name.
pub trait MeasureDefinition: Parameters {
    /// Name in experiment files, `snake_case`.
    const NAME: &'static str;
    /// One line for `mbsbench list measures`.
    const SUMMARY: &'static str;

    /// The columns of `runs.csv` it fills, in order; its name where it fills one.
    fn columns(&self) -> Vec<String> {
        vec![Self::NAME.to_owned()]
    }

    /// The observables of the model that it needs.
    fn observables(&self) -> Vec<String> {
        Vec::new()
    }

    /// A fresh measurement; one for each run.
    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure>;
}

/// What a measure may know of the run before it starts.
#[derive(Debug, Clone, Copy)]
pub struct MeasureContext<'c> {
    /// The observables of the model, in the order of the values that [`Measure`] is shown.
    pub observables: &'c [String],
    /// Start and end of the run, s.
    pub span: [f64; 2],
    /// The constant step, s; none in an error-controlled run.
    pub step: Option<f64>,
}

impl MeasureContext<'_> {
    /// The index of an observable among the values; experiment files that name another one are refused.
    #[must_use]
    pub fn index(&self, observable: &str) -> Option<usize> {
        self.observables.iter().position(|name| name == observable)
    }
}

/// A measurement under way.
pub trait Measure {
    /// The initial values of all observables.
    fn start(&mut self, _t: f64, _values: &[f64]) {}

    /// An accepted step.
    fn step(&mut self, _step: &mut Observed<'_>) {}

    /// One value for each column; none where there is nothing to tell (a landmark that never came, a final value
    /// of a run that failed).
    fn finish(self: Box<Self>, end: &Ending<'_>) -> Vec<Option<f64>>;
}

/// An accepted step in terms of observables.
pub struct Observed<'s> {
    /// Number of the step, from 1.
    pub index: u64,
    /// Time at the start of the step, s.
    pub t_start: f64,
    /// Observables at the start.
    pub start: &'s [f64],
    /// Time at the end, s.
    pub t_end: f64,
    /// Observables at the end: after projection, after a switch.
    pub end: &'s [f64],
    /// State that the formula gave, before projection.
    pub before_projection: &'s [f64],
    /// State at the end, after projection.
    pub state: &'s [f64],
    /// Functions that reached zero at the end of this step.
    pub switched: &'s [usize],
    /// Observables inside the step.
    pub within: &'s mut dyn Within,
}

/// Observables inside a step.
pub trait Within {
    /// The observables at `t` (s), between the step's start and end.
    ///
    /// # Errors
    /// A [`Failure`] where it needs an evaluation that fails.
    fn at(&mut self, t: f64) -> Result<&[f64], Failure>;
}

/// How a run ended.
#[derive(Debug, Clone, Copy)]
pub struct Ending<'e> {
    /// Time reached, s.
    pub t_reached: f64,
    /// The last accepted state.
    pub state: &'e [f64],
    /// Observables of that state.
    pub values: &'e [f64],
    /// What the run cost.
    pub statistics: Statistics,
    /// Why it stopped early, if it did.
    pub failure: Option<&'e Failure>,
    /// The reference solution at the final time, where the experiment has one.
    pub reference: Option<Reference<'e>>,
}

/// A reference solution at the final time.
#[derive(Debug, Clone, Copy)]
pub struct Reference<'r> {
    /// The state.
    pub state: &'r [f64],
    /// Its observables.
    pub values: &'r [f64],
    /// Bound of the error of each component of the state.
    pub bound: &'r [f64],
}
