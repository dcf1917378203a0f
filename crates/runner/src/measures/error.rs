//! Errors against a certified reference.

use mbsbench_problem::model::Class;
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
        grid(span, self.every)
    }

    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
        compare(context, context.index(&self.of).into_iter().collect(), grid(context.span, self.every))
    }
}

/// The column with the bound on the reference's own error that belongs to a column of errors, `error(theta)` or
/// `position_error`; none where the column holds no errors against a reference.
#[must_use]
pub fn bound_of(column: &str) -> Option<String> {
    match column.strip_prefix("error(") {
        Some(observable) => Some(format!("error_bound({observable}")),
        None => column.ends_with("_error").then(|| format!("{column}_bound")),
    }
}

/// The times `every` seconds after the start, and the end; the end only where there is no `every`.
fn grid(span: [f64; 2], every: Option<f64>) -> Vec<f64> {
    let Some(every) = every else { return vec![span[1]] };
    // A grid point a rounding before the end is the end.
    let inner = ((span[1] - span[0]) / every - 1e-9).floor().max(0.0) as usize;
    (1..=inner).map(|k| span[0] + k as f64 * every).chain([span[1]]).collect()
}

/// Measures the observables `indices`, all of one unit, against the reference.
fn compare(context: &MeasureContext<'_>, indices: Vec<usize>, times: Vec<f64>) -> Box<dyn Measure> {
    let expected = |&index: &usize| Expected::new(context.reference?, &context.observables[index], &times);
    let expected: Option<Vec<Expected>> = indices.iter().map(expected).collect();
    Box::new(Compare {
        expected: expected.filter(|expected| !expected.is_empty()),
        count: times.len(),
        visit: Visit::new(times, context.observables.len()),
        indices,
        visited: 0,
        largest: 0.0,
    })
}

macro_rules! class_errors {
    ($($name:ident $class:ident $column:literal $bound:literal $what:literal;)*) => {$(
        #[doc = concat!("Largest error of the ", $what, " that the model counts as such, against the experiment's reference, ")]
        /// with the bound on the reference's own error at the same places. Angles and lengths are taken together, in rad
        /// and m, as the papers do.
        #[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            /// Distance of the grid's times, s, from the start of the span; only the final time where not given.
            #[serde(default)]
            every: Option<f64>,
        }

        impl Parameters for $name {
            fn check(&self) -> Result<(), OutOfRange> {
                self.every.map_or(Ok(()), |every| OutOfRange::unless_positive("every", every))
            }
        }

        impl MeasureDefinition for $name {
            const NAME: &'static str = $column;
            const SUMMARY: &'static str = concat!("largest error of the ", $what, " against the reference");

            fn columns(&self) -> Vec<String> {
                vec![$column.to_owned(), $bound.to_owned()]
            }
            fn reference_times(&self, span: [f64; 2]) -> Vec<f64> {
                grid(span, self.every)
            }
            fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
                compare(context, context.of_class(Class::$class), grid(context.span, self.every))
            }
        }
    )*};
}

class_errors! {
    PositionError Position "position_error" "position_error_bound" "positions";
    VelocityError Velocity "velocity_error" "velocity_error_bound" "velocities";
    MultiplierError Multiplier "multiplier_error" "multiplier_error_bound" "multipliers";
}

/// The reference's values of one observable at the times of the grid.
struct Expected {
    values: Vec<f64>,
    bound: f64,
}

impl Expected {
    fn new(reference: &ReferenceTrajectory, observable: &str, times: &[f64]) -> Option<Self> {
        let column = reference.observables.iter().position(|name| name == observable)?;
        let rows: Vec<usize> =
            times.iter().map(|t| reference.times.iter().position(|time| time == t)).collect::<Option<_>>()?;
        let bound = rows.iter().map(|&row| reference.bounds[row][column]).fold(0.0, f64::max);
        Some(Self {
            values: rows.iter().map(|&row| reference.values[row][column]).collect(),
            // Nothing rests on a reference with fewer digits than asked.
            bound: if reference.digits < reference.digits_asked { f64::INFINITY } else { bound },
        })
    }
}

struct Compare {
    indices: Vec<usize>,
    visit: Visit,
    /// One for each index; none where there is no reference for all of them.
    expected: Option<Vec<Expected>>,
    count: usize,
    visited: usize,
    largest: f64,
}

impl Measure for Compare {
    fn step(&mut self, step: &mut Observed<'_>) {
        let Some(expected) = &self.expected else { return };
        let (indices, largest, visited) = (&self.indices, &mut self.largest, &mut self.visited);
        self.visit.step(step, |k, observables| {
            for (&index, expected) in indices.iter().zip(expected) {
                let error = (observables[index] - expected.values[k]).abs();
                // `max` would drop a NaN.
                *largest = if error.is_nan() || largest.is_nan() { f64::NAN } else { largest.max(error) };
            }
            *visited += 1;
        });
    }

    fn finish(self: Box<Self>, _ending: &Ending<'_>) -> Vec<Option<f64>> {
        match &self.expected {
            // An error over part of the grid would look better than it is.
            Some(expected) if self.visited == self.count => {
                vec![Some(self.largest), Some(expected.iter().map(|each| each.bound).fold(0.0, f64::max))]
            }
            _ => vec![None, None],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_with_fewer_digits_than_asked_bounds_nothing() {
        let reference = |digits| ReferenceTrajectory {
            observables: vec!["x".to_owned()],
            times: vec![2.0],
            values: vec![vec![1.0]],
            bounds: vec![vec![1e-9]],
            digits,
            digits_asked: 8.0,
        };
        let bound = |digits| Expected::new(&reference(digits), "x", &[2.0]).unwrap().bound;
        assert_eq!((bound(9.0), bound(7.9)), (1e-9, f64::INFINITY));
        assert!(Expected::new(&reference(9.0), "x", &[1.0]).is_none(), "no reference at that time");
    }

    #[test]
    fn every_error_has_its_bound_beside_it() {
        let error = |of: &str| MaximumError { of: of.to_owned(), every: None }.columns();
        let columns = [error("theta"), error("ring_error"), PositionError::default().columns()];
        let classes = [VelocityError::default().columns(), MultiplierError::default().columns()];
        for pair in columns.iter().chain(&classes) {
            assert_eq!(bound_of(&pair[0]).as_ref(), Some(&pair[1]));
            assert_eq!(bound_of(&pair[1]), None, "a bound has no bound");
        }
        assert_eq!(bound_of("energy_variation"), None);
    }
}
