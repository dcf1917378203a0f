//! Numbers with uncertainties: arithmetic, reductions, and interpolation between points.

use mbsbench_runs::pairs::median;

use super::{Operand, Reduce};

/// A number with its uncertainty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number {
    /// Its value.
    pub value: f64,
    /// Bound on the error caused by its reference; zero if it has no reference.
    pub uncertainty: f64,
}

impl Number {
    /// A number without uncertainty.
    pub(super) fn exact(value: f64) -> Self {
        Self { value, uncertainty: 0.0 }
    }

    /// True if the magnitude is at least ten times the uncertainty.
    pub(super) fn is_certain(&self) -> bool {
        self.uncertainty <= 0.1 * self.value.abs()
    }
}

/// The ratio of two numbers.
pub(super) fn ratio(of: Number, to: Number) -> Number {
    let value = of.value / to.value;
    let part = |number: Number| number.uncertainty / number.value.abs();
    Number { value, uncertainty: value.abs() * (part(of) + part(to)) }
}

/// The difference of two numbers.
pub(super) fn difference(of: Number, to: Number) -> Number {
    Number { value: of.value - to.value, uncertainty: of.uncertainty + to.uncertainty }
}

/// The number, or its magnitude if the operand asks for it.
pub(super) fn sized(number: Number, of: &Operand) -> Number {
    if of.magnitude { Number { value: number.value.abs(), ..number } } else { number }
}

/// Reduces several numbers to one, with the largest uncertainty that they can cause; `None` if there are no numbers.
pub(super) fn reduce(numbers: &[Number], reduce: Reduce) -> Option<Number> {
    let values = || numbers.iter().map(|number| number.value);
    let max = || values().fold(f64::NEG_INFINITY, f64::max);
    let min = || values().fold(f64::INFINITY, f64::min);
    let largest = numbers.iter().map(|number| number.uncertainty).fold(0.0, f64::max);
    let count = numbers.len() as f64;
    if numbers.is_empty() {
        return None;
    }
    // NaN must be handled first, because `max` and `min` ignore it.
    if values().any(f64::is_nan) {
        return Some(Number::exact(f64::NAN));
    }
    let (value, uncertainty) = match reduce {
        Reduce::Only => (numbers[0].value, numbers[0].uncertainty),
        Reduce::Max => (max(), largest),
        Reduce::Min => (min(), largest),
        Reduce::Mean => (values().sum::<f64>() / count, largest),
        Reduce::Median => (median(&values().collect::<Vec<_>>()).value, largest),
        Reduce::Sum => (values().sum(), largest * count),
        Reduce::Range => (max() - min(), 2.0 * largest),
    };
    Some(Number { value, uncertainty })
}

/// Interpolates the ordinate at `x` between positive points, linearly in both logarithms; `None` outside their range.
pub(super) fn interpolated(points: &[[f64; 2]], x: f64) -> Option<f64> {
    let mut points: Vec<[f64; 2]> =
        points.iter().copied().filter(|point| point.iter().all(|&value| value > 0.0)).collect();
    points.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let pair = points.windows(2).find(|pair| pair[0][0] <= x && x <= pair[1][0])?;
    let [[x0, y0], [x1, y1]] = [pair[0], pair[1]];
    let part = if x1 > x0 { (x / x0).ln() / (x1 / x0).ln() } else { 0.0 };
    Some(y0 * (y1 / y0).powf(part))
}

/// Returns the `count` points with the smallest abscissas among the points whose number exceeds `rounding` and is at
/// least ten times its uncertainty.
pub(super) fn finest_of(mut points: Vec<(f64, Number)>, count: usize, rounding: f64) -> Vec<(f64, Number)> {
    points.retain(|(_, number)| number.is_certain() && number.value > rounding);
    points.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    points.truncate(count);
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reduced(values: &[f64], how: Reduce) -> f64 {
        let numbers: Vec<Number> = values.iter().map(|&value| Number { value, uncertainty: 0.5 }).collect();
        reduce(&numbers, how).unwrap().value
    }

    #[test]
    fn reductions_compute_what_they_are_named_for() {
        let values = [3.0, -1.0, 2.0, 8.0];
        let all = [Reduce::Max, Reduce::Min, Reduce::Mean, Reduce::Median, Reduce::Sum, Reduce::Range];
        assert_eq!(all.map(|how| reduced(&values, how)), [8.0, -1.0, 3.0, 2.5, 12.0, 9.0]);
        assert_eq!(reduced(&values[..3], Reduce::Median), 2.0);
        assert_eq!(reduced(&[7.0], Reduce::Only), 7.0);
        assert!(reduce(&[], Reduce::Max).is_none());
    }

    #[test]
    fn nan_is_not_hidden_by_other_numbers() {
        for how in [Reduce::Max, Reduce::Min, Reduce::Median, Reduce::Sum] {
            assert!(reduced(&[1.0, f64::NAN, 2.0], how).is_nan());
        }
    }

    #[test]
    fn numbers_are_interpolated_but_not_extrapolated() {
        let points = [[100.0, 1.0], [1.0, 100.0], [10.0, 10.0], [-1.0, 5.0]];
        assert!((interpolated(&points, 31.622_776_601_683_8).unwrap() - 3.162_277_66).abs() < 1e-8);
        assert_eq!(interpolated(&points, 10.0), Some(10.0));
        assert_eq!(interpolated(&points, 0.5), None);
        assert_eq!(interpolated(&points, 200.0), None);
    }

    #[test]
    fn sums_add_their_uncertainties() {
        let numbers = [Number { value: 1.0, uncertainty: 0.5 }; 4];
        let uncertainty = |how| reduce(&numbers, how).unwrap().uncertainty;
        assert_eq!([Reduce::Max, Reduce::Sum, Reduce::Range].map(uncertainty), [0.5, 2.0, 1.0]);
    }

    #[test]
    fn orders_use_the_finest_errors_above_rounding() {
        let point = |h: f64, value: f64, uncertainty: f64| (h, Number { value, uncertainty });
        let points = vec![point(0.8, 9.0, 0.0), point(0.1, 1e-2, 1e-3), point(0.4, 0.16, 1e-3), point(0.2, 0.04, 1e-3)];
        let steps = |points: &[(f64, Number)], count, above| -> Vec<f64> {
            finest_of(points.to_vec(), count, above).iter().map(|point| point.0).collect()
        };
        assert_eq!(steps(&points, 3, 0.0), [0.1, 0.2, 0.4]);
        assert_eq!(steps(&points, 3, 0.01), [0.2, 0.4, 0.8], "a number at rounding has no digits");
        assert_eq!(steps(&points, 4, 0.01).len(), 3);
        let uncertain = vec![point(0.1, 1e-2, 1.1e-3), point(0.2, 0.04, 1e-3), point(0.4, 0.16, 1e-3)];
        assert_eq!(steps(&uncertain, 3, 0.0), [0.2, 0.4], "one is within ten times the bound");
    }
}
