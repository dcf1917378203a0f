//! Comparison of observables with the reference at given times, independent of where steps end.

use super::samples::Visit;
use super::{Ending, Measure, MeasureContext, Observed, ReferenceTrajectory};

/// How the errors of all observables at all times are reduced to one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Norm {
    /// The largest error.
    Largest,
    /// The root of the mean over the times of the sums of squares.
    RootMeanSquare,
}

impl Norm {
    fn add(self, sum: &mut f64, error: f64) {
        match self {
            // `max` would drop a NaN.
            Self::Largest if error.is_nan() || sum.is_nan() => *sum = f64::NAN,
            Self::Largest => *sum = sum.max(error.abs()),
            Self::RootMeanSquare => *sum += error.powi(2),
        }
    }

    fn of(self, sum: f64, times: usize) -> f64 {
        match self {
            Self::Largest => sum,
            Self::RootMeanSquare => (sum / times as f64).sqrt(),
        }
    }
}

/// The reference's value and error bound for an observable at a time, and the weight of an error.
struct Point {
    value: f64,
    bound: f64,
    weight: f64,
}

/// Measures the observables `indices` against the reference. The two columns are the norm of the errors and the norm
/// of the bounds on the reference's own error. `weight` takes the number of the observable and the reference's value.
pub(super) fn compare(
    context: &MeasureContext<'_>,
    indices: Option<Vec<usize>>,
    times: Vec<f64>,
    weight: impl Fn(usize, f64) -> f64,
    norm: Norm,
) -> Box<dyn Measure> {
    let indices = indices.filter(|indices| !indices.is_empty());
    let expected = indices.as_deref().zip(context.reference).and_then(|(indices, reference)| {
        let names = indices.iter().map(|&index| context.observables[index].as_str());
        points(reference, names, &times, weight)
    });
    let mut bound = 0.0;
    for point in expected.iter().flatten().flatten() {
        norm.add(&mut bound, point.bound * point.weight);
    }
    let is_certified = context.reference.is_some_and(ReferenceTrajectory::is_certified);
    let bound = if is_certified { norm.of(bound, times.len()) } else { f64::INFINITY };
    let visit = Visit::new(times, context.observables.len(), context.span);
    Box::new(Comparison { indices: indices.unwrap_or_default(), expected, norm, bound, visit, visited: 0, sum: 0.0 })
}

/// Observables of a reference at each of the given times; none if the reference lacks one of them.
fn points<'n>(
    reference: &ReferenceTrajectory,
    observables: impl Iterator<Item = &'n str>,
    times: &[f64],
    weight: impl Fn(usize, f64) -> f64,
) -> Option<Vec<Vec<Point>>> {
    let columns = observables.map(|name| reference.column(name)).collect::<Option<Vec<_>>>()?;
    let at = |&time: &f64| {
        let point = |(j, &column): (usize, &usize)| {
            let (value, bound) = reference.value(time, column)?;
            Some(Point { value, bound, weight: weight(j, value) })
        };
        columns.iter().enumerate().map(point).collect()
    };
    times.iter().map(at).collect()
}

struct Comparison {
    indices: Vec<usize>,
    /// Reference points of all observables for each time; none if the reference does not have them.
    expected: Option<Vec<Vec<Point>>>,
    norm: Norm,
    bound: f64,
    visit: Visit,
    visited: usize,
    sum: f64,
}

impl Comparison {
    fn visit(&mut self, walk: impl FnOnce(&mut Visit, &mut dyn FnMut(usize, &[f64]))) {
        let Some(expected) = &self.expected else { return };
        walk(&mut self.visit, &mut |k, observables| {
            for (&index, point) in self.indices.iter().zip(&expected[k]) {
                self.norm.add(&mut self.sum, (observables[index] - point.value) * point.weight);
            }
            self.visited += 1;
        });
    }
}

impl Measure for Comparison {
    fn begin(&mut self, t: f64, observables: &[f64]) {
        self.visit(|visit, show| visit.begin(t, observables, show));
    }

    fn step(&mut self, step: &mut Observed<'_>) {
        self.visit(|visit, show| visit.step(step, show));
    }

    fn finish(self: Box<Self>, _ending: &Ending<'_>) -> Vec<Option<f64>> {
        match &self.expected {
            // An error over a part of the times would look smaller than it is.
            Some(expected) if self.visited == expected.len() => {
                vec![Some(self.norm.of(self.sum, expected.len())), Some(self.bound)]
            }
            _ => vec![None, None],
        }
    }
}
