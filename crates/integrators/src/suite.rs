//! Common parts of the codes of the MATLAB ODE suite: the norm of errors, the largest and the first step.

use mbsbench_problem::{Scalar, StepControl, Task};

/// The largest `|x_i| / max(rel |y_i|, abs)` of pairs `(x_i, y_i)`; NaN if one is NaN.
pub(crate) fn largest(shares: impl Iterator<Item = (f64, f64)>, rel: f64, abs: f64) -> f64 {
    // The smallest positive number replaces zero: a component without size and tolerance must have no error.
    let shares = shares.map(|(x, y)| x.abs() / (rel * y.abs()).max(abs).max(f64::MIN_POSITIVE));
    shares.fold(0.0, |largest, share| if share > largest || share.is_nan() { share } else { largest })
}

/// The task with a tenth of the span as largest step, if it has a tolerance and gives no other largest step.
pub(crate) fn with_largest_step<'t, S: Scalar>(task: &Task<'t, S>) -> Task<'t, S> {
    let mut task = task.clone();
    if let StepControl::Tolerance { max_step, .. } = &mut task.settings.control {
        let tenth = 0.1 * (task.t_end - task.t_start).value();
        if tenth > 0.0 {
            max_step.get_or_insert(tenth);
        }
    }
    task
}

/// The first step of a one-step code whose error is `O(h^order)`: `0.8 rel^(1/order) / ‖y'/max(|y|, abs/rel)‖_∞`, at
/// most the largest step. `rates` are pairs of `y'` and `y`. None without a relative tolerance, on which the rule is
/// based.
pub(crate) fn first_step(
    rates: impl Iterator<Item = (f64, f64)>,
    (rel, abs): (f64, f64),
    order: u32,
    max_step: f64,
) -> Option<f64> {
    if rel <= 0.0 {
        return None;
    }
    let rate = largest(rates, rel, abs) * rel / (0.8 * rel.powf(1.0 / f64::from(order)));
    Some(if max_step * rate > 1.0 { 1.0 / rate } else { max_step })
}
