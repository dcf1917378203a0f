//! An explicit Runge–Kutta tableau as data: exact numbers in the layout of the printed table.

use mbsbench_problem::{DoubleDouble, Scalar};

/// A coefficient as its source prints it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// An exact quotient of two whole numbers, each below 2⁵³ in magnitude.
    Ratio(i64, i64),
    /// A decimal with more digits than a double holds, `[-]d.ddd[e±x]`.
    Decimal(&'static str),
}

/// The quotient `numerator / denominator`.
pub const fn ratio(numerator: i64, denominator: i64) -> Number {
    Number::Ratio(numerator, denominator)
}

/// A decimal with the printed digits.
pub const fn decimal(digits: &'static str) -> Number {
    Number::Decimal(digits)
}

/// An entry that is zero.
pub const ZERO: Number = Number::Ratio(0, 1);

impl Number {
    /// The number in the scalar's own precision: correctly rounded in double, all printed digits in
    /// double-double.
    pub fn value<S: Scalar>(self) -> S {
        match self {
            Self::Ratio(numerator, denominator) => S::ratio(numerator as f64, denominator as f64),
            Self::Decimal(digits) => {
                let hi: f64 = digits.parse().expect("a decimal in a tableau is a number; a test reads them all");
                let lo = (DoubleDouble::from_decimal(digits) - hi).value();
                S::from(hi) + lo
            }
        }
    }
}

/// The form in which the second formula of a pair is printed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Companion {
    /// Its own weights `b̂`.
    Weights(&'static [Number]),
    /// The differences `b − b̂`, which the error estimate needs.
    Difference(&'static [Number]),
}

/// A second formula on the same stages, for an error estimate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Embedded {
    /// Order of the second formula.
    pub order: u32,
    /// Weights of the second formula.
    pub companion: Companion,
}

/// Continuous output in the nested form of Hairer, Nørsett and Wanner:
///
/// ```text
/// u(θ) = y₀ + θ (r₁ + (1−θ) (r₂ + θ (r₃ + (1−θ) (r₄ + θ (r₅ + (1−θ) (r₆ + θ r₇))))))
/// r₁ = y₁ − y₀,   r₂ = h k₁ − r₁,   r₃ = r₁ − h k_end − r₂,   r₄₊ₘ = h Σ dₘⱼ kⱼ
/// ```
///
/// where `k_end = f(t₁, y₁)`. Without rows `d` it is the cubic Hermite interpolant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dense {
    /// Order of the interpolant (its error over a step is `O(h^{order+1})`).
    pub order: u32,
    /// Index (from 0) of the stage that is `f(t₁, y₁)`.
    pub end_stage: usize,
    /// Nodes of the stages that only the interpolant needs.
    pub extra_nodes: &'static [Number],
    /// Rows of the tableau for these stages.
    pub extra_rows: &'static [&'static [Number]],
    /// The rows `d`, over all stages.
    pub rows: &'static [&'static [Number]],
}

/// An explicit Runge–Kutta formula, or a pair of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tableau {
    /// Name of the formula.
    pub name: &'static str,
    /// Order of the formula with the weights `b`.
    pub order: u32,
    /// Nodes `c`.
    pub nodes: &'static [Number],
    /// Rows of `a`: row `i` has `i` entries, so the first is empty.
    pub rows: &'static [&'static [Number]],
    /// Weights `b`.
    pub weights: &'static [Number],
    /// Second formulas; empty if there is no error estimate.
    pub embedded: &'static [Embedded],
    /// The error estimate behaves as `h^error_order`.
    pub error_order: u32,
    /// Continuous output.
    pub dense: Option<Dense>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_keep_all_their_digits() {
        // 1/3 to 30 digits differs from 1/3 by 3.3e-31
        let third: DoubleDouble = decimal("3.33333333333333333333333333333e-1").value();
        let error = (third - DoubleDouble::ratio(1.0, 3.0)).value();
        assert!(error.abs() < 4e-30 && error != 0.0, "{error:e}");
        assert_eq!(decimal("-2.5e2").value::<f64>(), -250.0);
        assert_eq!(decimal("5.26001519587677318785587544488e-2").value::<f64>(), 0.052_600_151_958_767_73);
    }
}
