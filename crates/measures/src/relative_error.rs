//! The relative error of zhang2022, Eq. 26.

use mbsbench_problem::parameters;

use super::error::grid;
use super::samples::slack;
use super::{Ending, Measure, MeasureContext, MeasureDefinition, Observed, ReferenceTrajectory};

parameters! {
    /// The relative error of an observable with respect to the experiment's reference (zhang2022, Eq. 26): the root
    /// of the sum of squares of the errors at the ends of the run's steps, divided by that of the reference's values
    /// there. A second column has the same quotient for the bounds on the reference's own error. Only ends of steps
    /// that lie on the grid of the reference count, so that nothing is interpolated.
    #[derive(Default)]
    pub struct RelativeError in snake_case {
        /// Observable.
        of: String,
        /// First time of the grid, s.
        from: f64,
        /// Distance between the times of the grid, s; the last one is the final time.
        every: f64 [above 0.0],
    }
}

impl MeasureDefinition for RelativeError {
    const NAME: &'static str = "relative_error";
    const SUMMARY: &'static str = "relative error of an observable over the ends of steps (zhang2022, Eq. 26)";

    fn columns(&self) -> Vec<String> {
        vec![format!("relative_error({})", self.of), format!("relative_error_bound({})", self.of)]
    }
    fn reference_times(&self, span: [f64; 2]) -> Vec<f64> {
        let from = if span[0] < span[1] { self.from.clamp(span[0], span[1]) } else { span[0] };
        let later = grid([from, span[1]], Some(self.every));
        std::iter::once(from).filter(|&from| from != span[1]).chain(later).collect()
    }
    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
        let expected = context.reference.and_then(|reference| {
            let column = reference.column(&self.of)?;
            let point = |time: f64| reference.value(time, column).map(|(value, bound)| Point { time, value, bound });
            self.reference_times(context.span).into_iter().map(point).collect()
        });
        let (index, expected) = (context.index(&self.of).unwrap_or_default(), expected.unwrap_or_default());
        let is_certified = context.reference.is_some_and(ReferenceTrajectory::is_certified);
        let sign = (context.span[1] - context.span[0]).signum();
        Box::new(Sums { index, is_certified, expected, next: 0, sign, errors: 0.0, values: 0.0, bounds: 0.0 })
    }
}

/// The reference at a time.
struct Point {
    time: f64,
    value: f64,
    bound: f64,
}

/// Sums of squares over the ends of steps so far.
struct Sums {
    index: usize,
    /// True if the reference has the required digits.
    is_certified: bool,
    expected: Vec<Point>,
    next: usize,
    /// -1 if times decrease.
    sign: f64,
    errors: f64,
    values: f64,
    bounds: f64,
}

impl Sums {
    /// Adds the end of a step at `t` if the grid has that time to within `slack`.
    fn add(&mut self, t: f64, slack: f64, observables: &[f64]) {
        while let Some(point) = self.expected.get(self.next).filter(|point| self.sign * (point.time - t) <= slack) {
            if (point.time - t).abs() <= slack {
                self.errors += (observables[self.index] - point.value).powi(2);
                self.values += point.value.powi(2);
                self.bounds += point.bound.powi(2);
            }
            self.next += 1;
        }
    }
}

impl Measure for Sums {
    fn begin(&mut self, t: f64, observables: &[f64]) {
        self.add(t, 0.0, observables);
    }

    fn step(&mut self, step: &mut Observed<'_>) {
        self.add(step.t_end, slack(step.t_start, step.t_end), step.end);
    }

    fn finish(self: Box<Self>, _ending: &Ending<'_>) -> Vec<Option<f64>> {
        // An error over a part of the grid would look smaller than it is.
        if self.expected.is_empty() || self.next < self.expected.len() || self.values == 0.0 {
            return vec![None, None];
        }
        let bound = if self.is_certified { (self.bounds / self.values).sqrt() } else { f64::INFINITY };
        vec![Some((self.errors / self.values).sqrt()), Some(bound)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound_of;
    use crate::tests::{against, ended};

    fn reference(digits: f64) -> ReferenceTrajectory {
        ReferenceTrajectory {
            observables: vec!["q".to_owned()],
            times: (0..=4).map(f64::from).collect(),
            values: [100.0, 100.0, 6.0, 7.0, 8.0].map(|value| vec![value]).to_vec(),
            bounds: [9.0, 9.0, 0.6, 5.0, 0.8].map(|bound| vec![bound]).to_vec(),
            digits,
            digits_asked: 8.0,
        }
    }

    fn measured(from: f64, digits: f64, steps: &[f64], value: fn(f64) -> f64) -> Vec<Option<f64>> {
        let measure = RelativeError { of: "q".to_owned(), from, every: 1.0 };
        ended(against(&measure, steps, |t| vec![value(t)], Some(&reference(digits))), false)
    }

    /// Eq. 26 by hand: errors 3 and 4 for values 6 and 8; no step ends at 3 s.
    #[test]
    fn matches_known_errors_at_the_ends_of_steps() {
        let value = |t: f64| if t > 2.5 { 12.0 } else { 3.0 };
        assert_eq!(measured(2.0, 9.0, &[0.0, 2.0, 4.0], value), [Some(0.5), Some(0.1)]);
        assert_eq!(measured(2.0, 9.0, &[0.0, 0.5, 2.0, 2.5, 4.0], value), [Some(0.5), Some(0.1)]);
        assert_eq!(measured(0.0, 9.0, &[0.0, 1.0, 2.0, 3.0, 4.0], |_| 0.0)[0], Some(1.0));
        assert_eq!(measured(7.0, 9.0, &[0.0, 4.0], |_| 4.0)[0], Some(0.5), "the end only");
    }

    #[test]
    fn incomplete_grids_and_poor_references_have_no_error() {
        assert_eq!(measured(2.0, 7.9, &[0.0, 2.0, 4.0], |_| 3.0)[1], Some(f64::INFINITY));
        let measure = RelativeError { of: "q".to_owned(), from: 0.0, every: 1.0 };
        let early = |span: &[f64]| ended(against(&measure, span, |_| vec![1.0], Some(&reference(9.0))), false);
        assert!(early(&[0.0, 1.0, 2.0])[0].is_some(), "a shorter run covers its whole grid");
        assert_eq!(early(&[0.0, 3.5]), [None; 2], "no reference at its end");
        assert_eq!(ended(against(&measure, &[0.0, 4.0], |_| vec![1.0], None), false), [None; 2]);
    }

    #[test]
    fn the_error_is_followed_by_its_bound() {
        let names = RelativeError { of: "q".to_owned(), ..RelativeError::default() }.columns();
        assert_eq!(bound_of(&names[0]), Some(names[1].clone()));
        assert_eq!(bound_of(&names[1]), None);
    }
}
