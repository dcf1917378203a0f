//! Tests of numbers, and the margins that numbers leave.

use std::fmt;

use mbsbench_numbers::decimal;

use super::{Printed, Tolerance, Weaker};

/// A test of one number.
#[derive(Debug, Clone, PartialEq)]
pub enum Test {
    /// The number has to be near the published one.
    Near {
        /// The published number.
        published: Printed,
        /// The required accuracy.
        tolerance: Tolerance,
    },
    /// The number has to lie within bounds, ends included; at least one of them is given.
    Within {
        /// Lower bound.
        above: Option<f64>,
        /// Upper bound.
        below: Option<f64>,
    },
}

/// The margin of a number that is infinitely far from passing.
const FARTHEST: f64 = -1e12;

impl Test {
    /// The share of the tolerance that `number` leaves: 1 if it is exact, 0 at the limit, negative beyond.
    pub fn margin(&self, number: f64) -> f64 {
        let margin = match self {
            Self::Near { published, tolerance } => 1.0 - used(published, *tolerance, number),
            &Self::Within { above: Some(low), below: Some(high) } => {
                (number - low).min(high - number) / (0.5 * (high - low))
            }
            &Self::Within { above: None, below: Some(high) } => room(number, high),
            &Self::Within { above: Some(low), below: None } => room(-number, -low),
            Self::Within { above: None, below: None } => f64::NEG_INFINITY,
        };
        // NaN never passes. Measured in factors, zero is infinitely far from any bound, but JSON has no infinities.
        if margin.is_nan() { f64::NEG_INFINITY } else { margin.clamp(FARTHEST, 1.0) }
    }

    /// Returns the side of `no_effect` on which the passing numbers lie: 1 above, −1 below, `None` if `no_effect`
    /// itself passes.
    pub fn side_of(&self, no_effect: f64) -> Option<f64> {
        if self.holds(no_effect) {
            return None;
        }
        let is_above = match self {
            Self::Near { published, .. } => published.value > no_effect,
            Self::Within { above, .. } => above.is_some_and(|low| low > no_effect),
        };
        Some(if is_above { 1.0 } else { -1.0 })
    }

    /// True if `number` passes.
    pub fn holds(&self, number: f64) -> bool {
        self.margin(number) >= 0.0
    }

    /// Returns the weaker test that belongs to this one.
    pub fn weakened(&self, weaker: &Weaker) -> Self {
        match self {
            Self::Near { published, .. } => {
                let tolerance = match (weaker.relative, weaker.absolute, weaker.factor) {
                    (Some(part), ..) => Tolerance::Relative(part),
                    (_, Some(distance), _) => Tolerance::Absolute(distance),
                    (.., factor) => Tolerance::Factor(factor.unwrap_or(1.0)),
                };
                Self::Near { published: published.clone(), tolerance }
            }
            Self::Within { .. } => Self::Within { above: weaker.above, below: weaker.below },
        }
    }
}

/// The share of the tolerance used by the distance from the published number.
fn used(published: &Printed, tolerance: Tolerance, number: f64) -> f64 {
    let distance = (number - published.value).abs();
    match tolerance {
        Tolerance::Printed => published.part_of_half_place(number),
        Tolerance::Relative(part) => distance / (part * published.value.abs()),
        Tolerance::Absolute(allowed) => distance / allowed,
        Tolerance::Factor(factor) => {
            let ratio = number / published.value;
            if ratio > 0.0 { ratio.ln().abs() / factor.ln() } else { f64::INFINITY }
        }
    }
}

/// The margin below `high`, relative to `high`.
fn room(number: f64, high: f64) -> f64 {
    if high > 0.0 {
        1.0 - number / high
    } else if high < 0.0 && number < 0.0 {
        // Measured in factors: twice the distance from zero leaves a margin of one half.
        if number <= high { 1.0 - high / number } else { number / high - 1.0 }
    } else if number <= high {
        1.0
    } else {
        f64::NEG_INFINITY
    }
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Near { tolerance: Tolerance::Printed, .. } => f.write_str("to the printed digits"),
            Self::Near { tolerance: Tolerance::Relative(part), .. } => write!(f, "within {} %", decimal(part * 100.0)),
            Self::Near { tolerance: Tolerance::Absolute(allowed), .. } => write!(f, "within ±{}", decimal(*allowed)),
            Self::Near { tolerance: Tolerance::Factor(factor), .. } => {
                write!(f, "within a factor of {}", decimal(*factor))
            }
            Self::Within { above: Some(low), below: Some(high) } => {
                write!(f, "from {} to {}", decimal(*low), decimal(*high))
            }
            Self::Within { above: None, below: Some(high) } => write!(f, "at most {}", decimal(*high)),
            Self::Within { above: Some(low), below: None } => write!(f, "at least {}", decimal(*low)),
            Self::Within { above: None, below: None } => f.write_str("no bound"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(text: &str, tolerance: Tolerance) -> Test {
        Test::Near { published: Printed::parse(text).unwrap(), tolerance }
    }

    fn within(above: Option<f64>, below: Option<f64>) -> Test {
        Test::Within { above, below }
    }

    #[test]
    fn margins_are_one_at_best_and_zero_at_the_limit() {
        for (test, best, limit, beyond) in [
            (near("1.4", Tolerance::Printed), 1.4, 1.45, 1.46),
            (near("-2", Tolerance::Relative(0.5)), -2.0, -3.0, -3.1),
            (near("0", Tolerance::Absolute(0.5)), 0.0, -0.5, -0.6),
            (near("1e-13", Tolerance::Factor(3.0)), 1e-13, 3e-13, 3.1e-13),
            (within(None, Some(2.0)), -1.0, 2.0, 2.1),
            (within(Some(-1.0), Some(3.0)), 1.0, -1.0, 3.1),
            (within(None, Some(0.0)), -1.0, 0.0, 1e-300),
        ] {
            assert_eq!(test.margin(best), 1.0, "{test:?}");
            assert!(test.holds(limit) && test.margin(limit) < 1.0 + 1e-12, "{test:?}");
            assert!(!test.holds(beyond), "{test:?}");
        }
    }

    #[test]
    fn a_direction_compares_with_no_effect() {
        assert_eq!(near("1.4", Tolerance::Absolute(0.1)).side_of(1.0), Some(1.0));
        assert_eq!(near("0.6", Tolerance::Printed).side_of(1.0), Some(-1.0));
        assert_eq!(near("1.1", Tolerance::Absolute(0.2)).side_of(1.0), None);
        assert_eq!(within(None, Some(0.5)).side_of(1.0), Some(-1.0));
        assert_eq!(within(Some(2.0), Some(3.0)).side_of(1.0), Some(1.0));
        assert_eq!(within(Some(0.2), Some(2.0)).side_of(1.0), None);
    }

    #[test]
    fn lower_bounds_are_judged_by_factors() {
        let test = within(Some(2.0), None);
        assert_eq!(test.margin(4.0), 0.5);
        assert_eq!(test.margin(2.0), 0.0);
        assert_eq!(test.margin(1.0), -0.5);
        assert!(!test.holds(0.0) && !test.holds(-3.0));
    }

    #[test]
    fn nan_and_zero_satisfy_no_test() {
        assert!(!near("1", Tolerance::Factor(3.0)).holds(-1.0));
        for test in [near("1", Tolerance::Printed), within(None, Some(1.0)), within(Some(0.0), Some(1.0))] {
            assert!(!test.holds(f64::NAN));
        }
        assert!(!within(None, Some(1.0)).holds(f64::INFINITY));
    }
}
