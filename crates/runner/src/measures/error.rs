//! Errors against a certified reference.

use mbsbench_problem::{OutOfRange, Parameters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::samples::Visit;
use super::{Ending, Measure, MeasureContext, MeasureDefinition, Observed, ReferenceTrajectory};

/// Largest error of an observable against the experiment's reference over a grid of times, with the bound on
/// the reference's own error at the same places.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MaximumError {
    /// Observable.
    of: String,
    /// Distance of the grid's times, s, from the start of the span; only the final time where not given.
    #[serde(default)]
    every: Option<f64>,
}

impl Parameters for MaximumError {
    fn check(&self) -> Result<(), OutOfRange> {
        self.every.map_or(Ok(()), |every| OutOfRange::unless_positive("every", every))
    }
}

impl MeasureDefinition for MaximumError {
    const NAME: &'static str = "error";
    const SUMMARY: &'static str = "largest error of an observable against the reference over a grid of times";

    fn columns(&self) -> Vec<String> {
        vec![format!("error({})", self.of), format!("error_bound({})", self.of)]
    }
    fn observables(&self) -> Vec<String> {
        vec![self.of.clone()]
    }

    fn reference_times(&self, span: [f64; 2]) -> Vec<f64> {
        let Some(every) = self.every else { return vec![span[1]] };
        // A grid point a rounding before the end is the end.
        let inner = ((span[1] - span[0]) / every - 1e-9).floor().max(0.0) as usize;
        (1..=inner).map(|k| span[0] + k as f64 * every).chain([span[1]]).collect()
    }

    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
        let times = self.reference_times(context.span);
        let expected = context.reference.and_then(|reference| Expected::new(reference, &self.of, &times));
        Box::new(Compare {
            index: context.index(&self.of),
            visit: Visit::new(times, context.observables.len()),
            expected,
            visited: 0,
            largest: 0.0,
        })
    }
}

struct Expected {
    values: Vec<f64>,
    bound: f64,
}

impl Expected {
    fn new(reference: &ReferenceTrajectory, observable: &str, times: &[f64]) -> Option<Self> {
        let column = reference.observables.iter().position(|name| name == observable)?;
        let rows: Vec<usize> =
            times.iter().map(|t| reference.times.iter().position(|time| time == t)).collect::<Option<_>>()?;
        Some(Self {
            values: rows.iter().map(|&row| reference.values[row][column]).collect(),
            bound: rows.iter().map(|&row| reference.bounds[row][column]).fold(0.0, f64::max),
        })
    }
}

struct Compare {
    index: Option<usize>,
    visit: Visit,
    expected: Option<Expected>,
    visited: usize,
    largest: f64,
}

impl Measure for Compare {
    fn step(&mut self, step: &mut Observed<'_>) {
        let (Some(index), Some(expected)) = (self.index, &self.expected) else { return };
        let (largest, visited) = (&mut self.largest, &mut self.visited);
        self.visit.step(step, |k, observables| {
            let error = (observables[index] - expected.values[k]).abs();
            // `max` would drop a NaN.
            *largest = if error.is_nan() || largest.is_nan() { f64::NAN } else { largest.max(error) };
            *visited += 1;
        });
    }

    fn finish(self: Box<Self>, _ending: &Ending<'_>) -> Vec<Option<f64>> {
        match (self.index, &self.expected) {
            // An error over part of the grid would look better than it is.
            (Some(_), Some(expected)) if self.visited == expected.values.len() => {
                vec![Some(self.largest), Some(expected.bound)]
            }
            _ => vec![None, None],
        }
    }
}
