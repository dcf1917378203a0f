//! Measures: numbers computed while the method steps, so that memory does not grow with the number of steps.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod averages;
mod benchmark;
mod bounces;
mod changes;
mod comparison;
mod conditioning;
mod costs;
mod counters;
mod curves;
mod digits;
mod drift;
mod error;
mod extrema;
mod extremes;
mod failed;
mod half_plane;
mod inside;
mod landmarks;
mod linear;
mod oscillation;
mod relative_error;
mod sampled;
mod samples;
mod simple;
mod step_map;
mod steps;
pub mod stepwise;
#[cfg(test)]
mod tests;
mod windows;

pub use counters::LinearAlgebraFlops;
pub use error::bound_of;
pub use samples::{Visit, slack};

use mbsbench_problem::model::Class;
use mbsbench_problem::{Failure, Further, Method, Parameters, Statistics};
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A measure that an experiment file can name; its fields are the parameters in the file.
pub trait MeasureDefinition: Parameters {
    /// Name in experiment files, snake_case.
    const NAME: &'static str;
    /// One line for `mbsbench list measures`.
    const SUMMARY: &'static str;

    /// Columns of `runs.csv` that the measure fills.
    fn columns(&self) -> Vec<String> {
        vec![Self::NAME.to_owned()]
    }

    /// Observables of the model that the measure uses; by default those that its parameter `of` names, if it has one.
    fn observables(&self) -> Vec<String> {
        match json!(self)["of"].take() {
            Value::String(name) => vec![name],
            names => serde_json::from_value(names).unwrap_or_default(),
        }
    }

    /// Times (s) at which the measure compares with the experiment's reference; empty if it needs no reference.
    fn reference_times(&self, _span: [f64; 2]) -> Vec<f64> {
        Vec::new()
    }

    /// True if the measure depends on the method and its step alone. If all measures of a run do, nothing is solved.
    fn is_of_method(&self) -> bool {
        false
    }

    /// Starts a measurement for one run.
    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure>;
}

/// A collection of measures: the registry of names that experiment files can use.
pub trait Catalogue: Sized {
    /// Adds a measure.
    #[must_use]
    fn measure<M: MeasureDefinition>(self) -> Self;
}

/// Adds all measures of this crate, including one for each counter.
pub fn add_to<C: Catalogue>(catalogue: C) -> C {
    let of_solutions = catalogue
        .measure::<extremes::EnergyVariation>()
        .measure::<extremes::ConstraintMax>()
        .measure::<extremes::SurfaceMax>()
        .measure::<extremes::VelocityConstraintMax>()
        .measure::<extremes::AdjustmentMax>()
        .measure::<samples::Initial>()
        .measure::<samples::Final>()
        .measure::<extremes::Range>()
        .measure::<extremes::RangeAfterEvents>()
        .measure::<samples::Sample>()
        .measure::<error::MaximumError>()
        .measure::<error::RmsError>()
        .measure::<relative_error::RelativeError>()
        .measure::<digits::Scd>()
        .measure::<digits::Mescd>()
        .measure::<benchmark::BenchmarkError>()
        .measure::<benchmark::ScaledError>()
        .measure::<error::PositionError>()
        .measure::<error::VelocityError>()
        .measure::<error::MultiplierError>()
        .measure::<error::FinalPositionError>()
        .measure::<error::FinalVelocityError>()
        .measure::<error::FinalMultiplierError>()
        .measure::<averages::MaximumMagnitude>()
        .measure::<averages::MeanMagnitude>()
        .measure::<averages::Trend>()
        .measure::<averages::Deviation>()
        .measure::<oscillation::Oscillation>()
        .measure::<windows::Window>()
        .measure::<drift::DriftConstant>()
        .measure::<curves::ShapeDistance>()
        .measure::<conditioning::NewtonCondition>()
        .measure::<conditioning::NewtonContraction>()
        .measure::<landmarks::Crossings>()
        .measure::<extrema::Extrema>()
        .measure::<landmarks::EventTimes>()
        .measure::<landmarks::EventSequence>()
        .measure::<extremes::EventResidual>()
        .measure::<bounces::Bounces>()
        .measure::<inside::ExcessInside>()
        .measure::<failed::Failed>()
        .measure::<steps::StepSizes>()
        .measure::<changes::StepChanges>()
        .measure::<steps::ErrorEstimate>()
        .measure::<steps::LocalError>()
        .measure::<steps::Amplification>()
        .measure::<linear::LinearAnalysis>()
        .measure::<half_plane::HalfPlaneRadius>()
        .measure::<step_map::StepMap>();
    counters::add_to(of_solutions)
        .measure::<counters::AllRhsEvaluations>()
        .measure::<counters::RhsCost>()
        .measure::<costs::JacobianCosts>()
        .measure::<counters::NewtonIterationsPerStage>()
        .measure::<LinearAlgebraFlops>()
        .measure::<counters::TestsPerStep>()
        .measure::<counters::States>()
        .measure::<counters::SwitchingFunctions>()
}

/// The properties of a run that are known before it starts.
pub struct MeasureContext<'c> {
    /// Names of the model's observables, in the order of the values shown to the measure.
    pub observables: &'c [String],
    /// The class of each observable, if it has one.
    pub classes: &'c [Option<Class>],
    /// Initial and final time, s.
    pub span: [f64; 2],
    /// The method.
    pub method: &'c dyn Method,
    /// The step size, s, if it is constant.
    pub step: Option<f64>,
    /// The reference, if the experiment has one.
    pub reference: Option<&'c ReferenceTrajectory>,
}

impl MeasureContext<'_> {
    /// Index of an observable among the values; none if this formulation of the model does not have it.
    pub fn index(&self, name: &str) -> Option<usize> {
        self.observables.iter().position(|observable| observable == name)
    }

    /// Indices of the observables of a class.
    pub fn of_class(&self, class: Class) -> Vec<usize> {
        (0..self.classes.len()).filter(|&index| self.classes[index] == Some(class)).collect()
    }
}

/// Observables of a reference solution at given times, with the bound on their error.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ReferenceTrajectory {
    /// Names of the observables.
    pub observables: Vec<String>,
    /// Times, s, increasing.
    pub times: Vec<f64>,
    /// One row of observables for each time.
    pub values: Vec<Vec<f64>>,
    /// For each time and observable, the disagreement of the two methods that made the reference.
    pub bounds: Vec<Vec<f64>>,
    /// Number of digits to which the two methods' states agree at the worst time.
    pub digits: f64,
    /// Number of digits that the experiment requires.
    pub digits_asked: f64,
}

impl ReferenceTrajectory {
    /// The index of an observable in each row.
    pub fn column(&self, observable: &str) -> Option<usize> {
        self.observables.iter().position(|name| name == observable)
    }

    /// True if the reference has the required digits. Otherwise its bounds must not be used.
    pub fn is_certified(&self) -> bool {
        self.digits >= self.digits_asked
    }

    /// Index of the row for exactly this time, s.
    pub fn row(&self, time: f64) -> Option<usize> {
        let row = self.times.partition_point(|&known| known < time);
        (self.times.get(row) == Some(&time)).then_some(row)
    }

    /// Value and error bound of an observable at exactly this time, s.
    pub fn value(&self, time: f64, column: usize) -> Option<(f64, f64)> {
        self.row(time).map(|row| (self.values[row][column], self.bounds[row][column]))
    }
}

/// An accepted step as a measure sees it: times, observables, and the state before and after projection.
pub struct Observed<'s> {
    /// Time at the start of the step, s.
    pub t_start: f64,
    /// Time at its end, s.
    pub t_end: f64,
    /// Observables at the start.
    pub start: &'s [f64],
    /// Observables at the end.
    pub end: &'s [f64],
    /// State at the end after projection.
    pub state: &'s [f64],
    /// Data that only some methods provide.
    pub further: Further<'s>,
    /// The observables inside the step.
    pub within: &'s mut dyn Within,
}

impl Observed<'_> {
    /// The state at the end as computed by the formula, before projection.
    pub fn before_projection(&self) -> &[f64] {
        self.further.before_projection.unwrap_or(self.state)
    }
}

/// Provides observables at a time inside the step.
pub trait Within {
    /// Writes the observables at `t` (s) into `values`.
    ///
    /// # Errors
    /// Fails if the state there needs an evaluation that fails.
    fn observables_at(&mut self, t: f64, values: &mut [f64]) -> Result<(), Failure>;
}

impl<F: FnMut(f64, &mut [f64]) -> Result<(), Failure>> Within for F {
    fn observables_at(&mut self, t: f64, values: &mut [f64]) -> Result<(), Failure> {
        self(t, values)
    }
}

/// How a run ended.
pub struct Ending<'e> {
    /// Time of the last accepted state, s.
    pub t_reached: f64,
    /// Counters.
    pub statistics: &'e Statistics,
    /// Observables of the last accepted state.
    pub observables: &'e [f64],
    /// The failure that stopped it early, if any.
    pub failure: Option<&'e Failure>,
    /// Number of components of the state.
    pub states: usize,
    /// Number of event functions in use at the start.
    pub functions: usize,
}

/// A measurement in progress. Values that could not be measured are `None` and give empty cells.
pub trait Measure {
    /// True if the measure needs the matrices of Newton's method.
    fn watches_newton_matrices(&self) -> bool {
        false
    }

    /// Takes a matrix that Newton's method is about to factorize, or the same matrix formed with wrong and with exact
    /// derivatives.
    fn newton_matrix(&mut self, _matrix: &DMatrix<f64>, _exact: Option<&DMatrix<f64>>) {}

    /// Takes the observables of the initial state.
    fn begin(&mut self, _t: f64, _observables: &[f64]) {}

    /// Takes an accepted step.
    fn step(&mut self, _step: &mut Observed<'_>) {}

    /// Returns the values for the measure's columns, in their order. For a failed run, counters and running extrema
    /// refer to the time that it reached; all other values are `None`.
    fn finish(self: Box<Self>, ending: &Ending<'_>) -> Vec<Option<f64>>;
}
