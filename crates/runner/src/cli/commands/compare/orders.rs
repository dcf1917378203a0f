//! The observed order of convergence.

use mbsbench_judge::statistics::exponent;

/// An error at a step, with the bound on the error of its reference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ErrorAt {
    pub(super) step: f64,
    pub(super) error: f64,
    pub(super) bound: f64,
}

/// The slope of errors over steps in logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Order {
    /// The order.
    pub(super) slope: f64,
    /// The coarsest and the finest step of the fit, s.
    pub(super) steps: [f64; 2],
    /// The largest deviation of a slope between two neighbouring steps from the order.
    pub(super) spread: f64,
}

/// Errors below this are rounding errors of quantities of order one.
const ROUNDING: f64 = 1e-13;
/// Number of steps to which an order is fitted.
const STEPS: usize = 4;
/// Largest deviation of the slope between two neighbouring steps from the fitted slope. Beyond it, errors do not follow
/// a power of the step.
const AGREEING: f64 = 0.25;

/// Returns the order at the four finest consecutive steps over which errors follow a power of the step. At coarser
/// steps other powers contribute; at finer ones rounding errors, or the residual of Newton's iteration. Returns `None`
/// if there are no four such steps.
pub(super) fn order(errors: &[ErrorAt]) -> Option<Order> {
    let tells = |at: &ErrorAt| at.error.is_finite() && at.error > (10.0 * at.bound).max(ROUNDING);
    let used: Vec<ErrorAt> = errors.iter().copied().filter(tells).collect();
    used.windows(STEPS).rev().filter_map(fitted).find(|order| order.spread <= AGREEING && order.slope > AGREEING)
}

/// Fits the slope by least squares, with the largest deviation of slopes between neighbours.
fn fitted(errors: &[ErrorAt]) -> Option<Order> {
    let points: Vec<[f64; 2]> = errors.iter().map(|at| [at.step, at.error]).collect();
    let slope = exponent(&points)?;
    let local = points.windows(2).filter_map(exponent);
    let spread = local.map(|each| (each - slope).abs()).fold(0.0, f64::max);
    Some(Order { slope, steps: [errors[0].step, errors[errors.len() - 1].step], spread })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(of: impl Fn(f64) -> f64) -> Vec<ErrorAt> {
        (4..12).map(|k| f64::from(1 << k).recip()).map(|step| ErrorAt { step, error: of(step), bound: 0.0 }).collect()
    }

    #[test]
    fn the_order_is_taken_from_the_finest_steps() {
        let found = order(&errors(|h| 3.0 * h.powi(4))).unwrap();
        assert!((found.slope - 4.0).abs() < 1e-10 && found.spread < 1e-10, "{found:?}");
        // a term of order two that is small at coarse steps
        let found = order(&errors(|h| h.powi(4) + 1e-2 * h.powi(2))).unwrap();
        assert!((found.slope - 2.0).abs() < 0.01 && found.steps[1] == 2f64.powi(-11), "{found:?}");
    }

    #[test]
    fn rounding_and_newton_residuals_are_ignored() {
        let found = order(&errors(|h| h.powi(4) + 1e-10)).unwrap();
        assert!((found.slope - 4.0).abs() < 0.1, "{found:?}");
        let found = order(&errors(|h| h.powi(3).max(2e-8))).unwrap();
        assert!((found.slope - 3.0).abs() < 1e-10, "{found:?}");
        assert_eq!(order(&errors(|h| 1e-13 * h)), None, "nothing but rounding");
        assert_eq!(order(&errors(|h| h * (2.0 + h.ln().sin() * 1.5))), None, "no power of the step");
        assert_eq!(order(&errors(|_| 1e-3)), None, "what does not converge has no order");
        let hidden: Vec<ErrorAt> = errors(|h| h * h).into_iter().map(|at| ErrorAt { bound: 1.0, ..at }).collect();
        assert_eq!(order(&hidden), None, "the reference decides");
    }
}
