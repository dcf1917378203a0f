//! Scalar iterations: fixed points and bisection.

/// Solves `x = map(x)` by fixed-point iteration from `start`. The iteration ends when the `distance` between two
/// iterates is zero, no longer decreases, or is not a number.
#[inline]
pub(crate) fn fixed_point<X>(start: X, map: impl Fn(&X) -> X, distance: impl Fn(&X, &X) -> f64) -> X {
    let (mut x, mut last) = (start, f64::INFINITY);
    loop {
        let next = map(&x);
        let change = distance(&x, &next);
        x = next;
        if change == 0.0 || change >= last || !change.is_finite() {
            return x;
        }
        last = change;
    }
}

/// Returns the two neighbouring numbers between which `is_low` changes, given `low`, for which it is true, and
/// `high`, for which it is false.
pub(crate) fn bisect(mut low: f64, mut high: f64, is_low: impl Fn(f64) -> bool) -> [f64; 2] {
    let mut middle = 0.5 * (low + high);
    while low < middle && middle < high {
        if is_low(middle) {
            low = middle
        } else {
            high = middle
        }
        middle = 0.5 * (low + high);
    }
    [low, high]
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use mbsbench_problem::{DoubleDouble, Scalar};
    use num_dual::DualNum;

    use super::*;

    /// The fixed point, and the number of evaluations.
    fn found(start: f64, map: impl Fn(f64) -> f64) -> (f64, u32) {
        let count = Cell::new(0);
        let counted = |&x: &f64| {
            count.set(count.get() + 1);
            map(x)
        };
        (fixed_point(start, counted, |a, b| (a - b).abs()), count.get())
    }

    /// The fixed-point iteration for Kepler's equation `E = M + e sin E` contracts by at most `e` per step, so that
    /// 2e-16 is reached within log 2e-16 / log e steps.
    #[test]
    fn a_contraction_is_followed_to_the_last_bit() {
        let (anomaly, count) = found(0.7, |x| 0.7 + 0.2 * x.sin());
        assert!((anomaly - 0.2 * anomaly.sin() - 0.7).abs() <= f64::EPSILON, "{anomaly}");
        assert!(count <= 25, "{count}");
        let precise = |&x: &DoubleDouble| x * x + 0.125;
        let root = fixed_point(DoubleDouble::from(0.0), precise, |&a, &b| (a - b).value().abs());
        // x = (1 − √(1/2))/2
        let error = root - (DoubleDouble::from(1.0) - DoubleDouble::from(0.5).sqrt()) * 0.5;
        assert!(error.value().abs() < 1e-31, "{error:?}");
    }

    #[test]
    fn non_contracting_iterations_end() {
        assert_eq!(found(1.0, |x| 2.0 * x), (4.0, 2), "the second change is the larger");
        assert_eq!(found(1.0, |x| -x), (1.0, 2), "the second is as large");
        let (lost, count) = found(1.0, |_| f64::NAN);
        assert!(lost.is_nan() && count == 1);
        assert_eq!(found(3.0, |x| x), (3.0, 1));
    }
}
