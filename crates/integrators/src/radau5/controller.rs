//! The size of the next step.

/// Maximum number of Newton iterations in a step of controlled size.
pub(super) const MAX_ITERATIONS: u32 = 7;

/// Safety factor of a step whose iteration converges at once.
const SAFETY: f64 = 0.9;
/// Largest factor by which a step shrinks.
const LARGEST_DECREASE: f64 = 5.0;
/// Largest factor by which a step grows.
const LARGEST_INCREASE: f64 = 8.0;
/// Smallest error of a previous step in the predictive law.
const LEAST_ERROR: f64 = 1e-2;

/// The controllers of Hairer and Wanner, section IV.8: with errors of order four,
///
/// ```text
/// h_new = safety h err^(−1/4),                                    safety = 0.9 (2 k + 1)/(2 k + iterations)
/// h_new = 0.9 h err^(−1/4) · (h/h_old) (err_old/err)^(1/4)        (K. Gustafsson)
/// ```
///
/// with at most `k` iterations. The smaller of the two is used after an accepted step.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Controller {
    /// Size and error of the last accepted step.
    previous: Option<(f64, f64)>,
}

impl Controller {
    /// Size of the step after one of size `h` with the error `error` in units of its tolerance.
    pub(super) fn next(&mut self, h: f64, error: f64, iterations: u32) -> f64 {
        let most = f64::from(2 * MAX_ITERATIONS);
        let safety = SAFETY * ((most + 1.0) / (most + f64::from(iterations))).min(1.0);
        let bounded = |quotient: f64| quotient.clamp(1.0 / LARGEST_INCREASE, LARGEST_DECREASE);
        let mut quotient = bounded(error.powf(0.25) / safety);
        if error < 1.0 {
            if let Some((h_before, error_before)) = self.previous {
                let predicted = h_before / h * (error * error / error_before).powf(0.25) / SAFETY;
                quotient = quotient.max(bounded(predicted));
            }
            self.previous = Some((h, error.max(LEAST_ERROR)));
        }
        h / quotient
    }
}
