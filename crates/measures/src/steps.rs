//! Step sizes, and the local errors that a method estimates.

use mbsbench_problem::{OutOfRange, parameters};

use super::simple::{one_for_each, over_steps};
use super::{Measure, MeasureContext, MeasureDefinition, Observed};
use crate::stepwise::estimated_error;

parameters! {
    /// The smallest, largest and median step size, and the share of steps at which sizes turn from growing to
    /// shrinking or back. The last step of a run is left out, since the end of the span cuts it.
    pub struct StepSizes {}
}

impl MeasureDefinition for StepSizes {
    const NAME: &'static str = "step_sizes";
    const SUMMARY: &'static str = "smallest, largest and median step (s) except the last, and share of steps at which \
                                   sizes turn from growing to shrinking or back";

    fn columns(&self) -> Vec<String> {
        ["min(step_size)", "max(step_size)", "median(step_size)", "reversals"].map(str::to_owned).to_vec()
    }
    fn start(&self, _context: &MeasureContext<'_>) -> Box<dyn Measure> {
        let size = |sizes: &mut Vec<f64>, step: &mut Observed<'_>| sizes.push((step.t_end - step.t_start).abs());
        over_steps(Vec::new(), size, |mut sizes, ending| {
            if ending.failure.is_none() && sizes.len() > 1 {
                sizes.pop();
            }
            let reversals = share_of_reversals(&sizes);
            sizes.sort_unstable_by(f64::total_cmp);
            let middle = sizes.len() / 2;
            let median = match sizes.as_slice() {
                [] => None,
                sizes if sizes.len() % 2 == 1 => Some(sizes[middle]),
                sizes => Some(0.5 * (sizes[middle - 1] + sizes[middle])),
            };
            vec![sizes.first().copied(), sizes.last().copied(), median, reversals]
        })
    }
}

/// The share of steps, among those with two before them, at which the sizes change direction. Differences within
/// rounding do not count.
fn share_of_reversals(sizes: &[f64]) -> Option<f64> {
    let direction = |pair: &[f64]| {
        let change = pair[1] - pair[0];
        if change.abs() <= 1e-9 * pair[0].abs() { 0.0 } else { change.signum() }
    };
    let directions: Vec<f64> = sizes.windows(2).map(direction).collect();
    let turns = directions.windows(2).filter(|pair| pair[0] * pair[1] < 0.0).count();
    (directions.len() > 1).then(|| turns as f64 / (directions.len() - 1) as f64)
}

parameters! {
    /// The largest 2-norm of the local errors that a method estimates for its accepted steps, optionally divided by
    /// the step size. Empty if the method has no estimate.
    pub struct ErrorEstimate in snake_case {
        /// True if the estimate is divided by the step size (error per unit step).
        per_unit_step: bool = false,
    }
}

impl MeasureDefinition for ErrorEstimate {
    const NAME: &'static str = "error_estimate";
    const SUMMARY: &'static str = "largest 2-norm of a method's local error estimates over accepted steps";

    fn columns(&self) -> Vec<String> {
        vec!["max(error_estimate)".to_owned()]
    }
    fn start(&self, _context: &MeasureContext<'_>) -> Box<dyn Measure> {
        let per_unit_step = self.per_unit_step;
        let look = move |largest: &mut Option<f64>, step: &mut Observed<'_>| {
            if let Some(error) = estimated_error(step.further.error_estimate) {
                let error = if per_unit_step { error / (step.t_end - step.t_start).abs() } else { error };
                *largest = Some(largest.map_or(error, |largest| largest.max(error)));
            }
        };
        over_steps(None, look, |largest, _| vec![largest])
    }
}

parameters! {
    /// The error of the first step, which starts on the exact solution: the closed form minus the method's result, so
    /// that adding it corrects the result. Further columns have the method's estimate of it, and the ratio of the two.
    #[derive(Default)]
    pub struct LocalError in snake_case where each_has_a_closed_form {
        /// Observables equal to the components of the state, in the order of the state from the first component on.
        of: Vec<String>,
        /// Observables with the closed forms of these components, in the same order. The name `t` stands for the time
        /// at the end of the step.
        exact: Vec<String>,
    }
}

impl LocalError {
    fn each_has_a_closed_form(&self) -> Result<(), OutOfRange> {
        one_for_each("exact", &self.exact, &self.of)
    }
}

/// The name that stands for the time at the end of the step.
const TIME: &str = "t";

impl MeasureDefinition for LocalError {
    const NAME: &'static str = "local_error";
    const SUMMARY: &'static str =
        "error of the first step relative to the closed form, the method's estimate of it, and their ratio (2-norms)";

    fn columns(&self) -> Vec<String> {
        let of = |name: &'static str| self.of.iter().map(move |observable| format!("{name}({observable})"));
        let norms = ["local_error", "local_error_estimate", "estimate_ratio"].map(str::to_owned);
        norms.into_iter().chain(of("local_error")).chain(of("local_error_estimate")).collect()
    }
    fn observables(&self) -> Vec<String> {
        self.of.iter().chain(self.exact.iter().filter(|name| *name != TIME)).cloned().collect()
    }
    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
        let index = |name: &String| context.index(name);
        let exact = |name: &String| if name == TIME { Exact::Time } else { Exact::At(index(name)) };
        let components: Vec<_> = self.of.iter().map(index).zip(self.exact.iter().map(exact)).collect();
        let count = components.len();
        let look = move |first: &mut Option<(Vec<Option<f64>>, Vec<f64>)>, step: &mut Observed<'_>| {
            let value = |index: &Option<usize>| index.map_or(f64::NAN, |index| step.end[index]);
            let exact = |exact: &Exact| match exact {
                Exact::Time => step.t_end,
                Exact::At(index) => value(index),
            };
            first.get_or_insert_with(|| {
                let errors = components.iter().map(|(y, x)| Some(exact(x) - value(y))).collect();
                (errors, step.further.error_estimate.to_vec())
            });
        };
        over_steps(None, look, move |first, _| {
            let (errors, estimates) = first.unwrap_or_else(|| (vec![None; count], Vec::new()));
            let estimates: Vec<_> = (0..count).map(|k| estimates.get(k).copied()).collect();
            let (error, estimate) = (norm(&errors), norm(&estimates));
            let ratio = estimate.zip(error).map(|(estimate, error)| estimate / error);
            [error, estimate, ratio].into_iter().chain(errors).chain(estimates).collect()
        })
    }
}

/// The source of a component's closed form.
enum Exact {
    /// The time.
    Time,
    /// An observable.
    At(Option<usize>),
}

/// The 2-norm; none if a component is missing.
fn norm(components: &[Option<f64>]) -> Option<f64> {
    let squares: Option<f64> = components.iter().map(|x| x.map(|x| x * x)).sum();
    squares.map(f64::sqrt)
}

parameters! {
    /// The largest factor by which a step lengthens the vector of the given observables. For a linear test equation
    /// with a normal matrix, this is the largest magnitude of the stability function over the steps.
    #[derive(Default)]
    pub struct Amplification in snake_case {
        /// Observables that form the vector.
        of: Vec<String>,
    }
}

impl MeasureDefinition for Amplification {
    const NAME: &'static str = "amplification";
    const SUMMARY: &'static str = "largest factor by which a step lengthens a vector of observables (2-norm)";

    fn columns(&self) -> Vec<String> {
        vec!["amplification_max".to_owned()]
    }
    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
        let indices: Vec<usize> = self.of.iter().filter_map(|name| context.index(name)).collect();
        let look = move |largest: &mut Option<f64>, step: &mut Observed<'_>| {
            let length = |values: &[f64]| indices.iter().fold(0.0f64, |length, &index| length.hypot(values[index]));
            let factor = length(step.end) / length(step.start);
            // `max` would drop a NaN.
            if largest.is_none_or(|largest| factor > largest || factor.is_nan()) {
                *largest = Some(factor);
            }
        };
        over_steps(None, look, |largest, _| vec![largest])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_go_up_and_down_are_counted() {
        assert_eq!(share_of_reversals(&[1.0, 2.0]), None);
        assert_eq!(share_of_reversals(&[1.0, 2.0, 3.0, 4.0]), Some(0.0));
        assert_eq!(share_of_reversals(&[1.0, 2.0, 1.0, 2.0]), Some(1.0));
        // up, up, down, level, down
        assert_eq!(share_of_reversals(&[1.0, 2.0, 3.0, 2.0, 2.0, 1.0]), Some(0.25));
    }

    #[test]
    fn every_component_has_its_closed_form() {
        use mbsbench_problem::Parameters;
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let measure = |exact: &[&str]| LocalError { of: names(&["x1", "x2"]), exact: names(exact) };
        assert_eq!(measure(&["exact_1", "t"]).check(), Ok(()));
        assert_eq!(measure(&["exact_1"]).check().unwrap_err().field, "exact");
    }

    #[test]
    fn a_missing_component_has_no_norm() {
        assert_eq!(norm(&[Some(3.0), Some(4.0)]), Some(5.0));
        assert_eq!(norm(&[Some(3.0), None]), None);
    }
}
