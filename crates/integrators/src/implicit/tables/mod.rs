//! The diagonally implicit formulas with parameters, each with its source.

mod bathe;
mod msstc;
mod mssth;
mod substep;

use mbsbench_problem::DoubleDouble;
use mbsbench_problem::linalg::Lu;
use nalgebra::DMatrix;

/// The simple zero of a function near `start`, by Newton's method.
fn newton(start: f64, value_and_slope: impl Fn(DoubleDouble) -> (DoubleDouble, DoubleDouble)) -> DoubleDouble {
    // starting with at least six digits, each iteration doubles their number
    (0..5).fold(DoubleDouble::from(start), |x, _| {
        let (value, slope) = value_and_slope(x);
        x - value / slope
    })
}

/// Solves `A x = b` for `x`; `a` is stored by rows.
fn solved<const N: usize>(a: [[DoubleDouble; N]; N], mut b: [DoubleDouble; N]) -> [DoubleDouble; N] {
    let mut factors = Lu::new(N);
    factors
        .factorize(&DMatrix::from_fn(N, N, |i, j| a[i][j]))
        .expect("distinct nodes make the conditions independent; a test reads all tables");
    factors.solve(&mut b);
    b
}

/// A row whose first entry `a_{i1}` makes the row sum equal to its node; `rest` are the other entries.
fn with_row_sum(node: DoubleDouble, rest: &[DoubleDouble]) -> Vec<DoubleDouble> {
    let mut row = vec![node - rest.iter().sum::<DoubleDouble>()];
    row.extend(rest);
    row
}

/// The row of the third stage, which two conditions determine: `Σⱼ a₃ⱼ = c` and `Σⱼ a₃ⱼ cⱼ = c²/2` with `c₂ = 2γ`.
fn third_stage(gamma: DoubleDouble, node: DoubleDouble) -> Vec<DoubleDouble> {
    with_row_sum(node, &[node * (node - gamma * 2.0) / (gamma * 4.0), gamma])
}

/// The integer or short decimal `x`, without rounding.
fn number(x: f64) -> DoubleDouble {
    DoubleDouble::from(x)
}

/// `Σᵢ cᵢ xⁱ`.
fn polynomial(coefficients: &[DoubleDouble], x: DoubleDouble) -> DoubleDouble {
    coefficients.iter().rfold(DoubleDouble::from(0.0), |sum, &coefficient| sum * x + coefficient)
}

/// `Σᵢ i cᵢ xⁱ⁻¹`.
fn slope(coefficients: &[DoubleDouble], x: DoubleDouble) -> DoubleDouble {
    let terms = coefficients.iter().enumerate().skip(1);
    terms.rfold(DoubleDouble::from(0.0), |sum, (i, &coefficient)| sum * x + coefficient * i as f64)
}
