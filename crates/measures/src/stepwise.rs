//! Properties of steps that can be drawn like the observables of a model.

use mbsbench_problem::{Model, Observable, Step};

/// Number of properties.
pub const COUNT: usize = 5;

/// The model's observables, followed by the properties of steps.
pub fn drawable(model: &dyn Model) -> Vec<Observable> {
    let mut observables = model.observables();
    observables.extend([
        Observable::new("step_size", "s", "size of the current step"),
        Observable::new("error_estimate", "1", "2-norm of the method's local error estimate for the current step"),
        Observable::new("error_estimate_rate", "1/s", "2-norm of the method's local error estimate over the step size"),
        Observable::new("step_number", "1", "number of steps so far; within a step, with the completed fraction"),
        Observable::new("step_change", "1", "ratio of the step size to the previous one; 1 for the first step"),
    ]);
    observables
}

/// The properties of a step in their order, at the fraction `part` of the step, from 0 at its start to 1 at its end;
/// NaN if the method estimates no errors. `before` is the size of the step before, s.
pub fn properties(step: &Step<'_>, part: f64, before: Option<f64>) -> [f64; COUNT] {
    let size = (step.t_end - step.t_start).abs();
    let error = estimated_error(step.further.error_estimate).unwrap_or(f64::NAN);
    [size, error, error / size, step.index as f64 - 1.0 + part, size / before.unwrap_or(size)]
}

/// The 2-norm of a method's estimate of the local error; none if there is no estimate.
pub fn estimated_error(components: &[f64]) -> Option<f64> {
    let square: f64 = components.iter().map(|error| error * error).sum();
    (!components.is_empty()).then(|| square.sqrt())
}
