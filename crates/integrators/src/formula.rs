//! A Runge–Kutta formula as numbers of one scalar type, for steppers and order conditions.

use mbsbench_problem::{DoubleDouble, Scalar};
use nalgebra::Complex;

/// The numbers of a formula, rounded once per solve.
#[derive(Debug, Clone, PartialEq)]
pub struct Formula<S> {
    /// Order of the formula with `weights`.
    pub order: u32,
    /// Nodes `c`, one per stage.
    pub nodes: Vec<S>,
    /// Rows of `a`; row `i` has `i` entries, or one more, on the diagonal, if the stage is implicit.
    pub rows: Vec<Vec<S>>,
    /// Weights `b`, one per stage.
    pub weights: Vec<S>,
    /// Error estimates.
    pub estimates: Vec<Estimate<S>>,
    /// The error estimate is `O(h^error_order)`.
    pub error_order: u32,
    /// Continuous output.
    pub dense: Option<Continuous<S>>,
}

/// The difference between the formula and an embedded one.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate<S> {
    /// Order of the embedded formula.
    pub order: u32,
    /// `b − b̂`, one per stage.
    pub difference: Vec<S>,
}

/// Continuous output in the nested form of Hairer, Nørsett and Wanner:
///
/// ```text
/// u(θ) = y₀ + θ (r₁ + (1−θ) (r₂ + θ (r₃ + (1−θ) (r₄ + θ (r₅ + (1−θ) (r₆ + θ r₇))))))
/// r₁ = y₁ − y₀,   r₂ = h k₁ − r₁,   r₃ = r₁ − h k_end − r₂,   r₄₊ₘ = h Σ dₘⱼ kⱼ
/// ```
///
/// where `k_end = f(t₁, y₁)`. Without rows `d` it is the cubic Hermite interpolant.
#[derive(Debug, Clone, PartialEq)]
pub struct Continuous<S> {
    /// Order of the interpolant (its error over a step is `O(h^{order+1})`).
    pub order: u32,
    /// Index, from 0, of the stage `f(t₁, y₁)`.
    pub end_stage: usize,
    /// Nodes of the stages that only the interpolant needs.
    pub extra_nodes: Vec<S>,
    /// Rows of `a` for the extra stages.
    pub extra_rows: Vec<Vec<S>>,
    /// The rows `d`, over all stages.
    pub rows: Vec<Vec<S>>,
}

impl<S: Scalar> Formula<S> {
    /// The stability function `R(z) = 1 + z bᵀ(I − zA)⁻¹1`: a step of `y′ = λy` with `z = hλ` multiplies `y` by it.
    pub fn stability(&self, z: Complex<f64>) -> Complex<f64> {
        let values = stage_values(&self.rows, z);
        let sum: Complex<f64> = values.iter().zip(&self.weights).map(|(value, b)| value * b.value()).sum();
        z * sum + 1.0
    }

    /// The pair with its two formulas exchanged: it advances with the first embedded formula. Continuous output,
    /// which belongs to the original formula, and further estimates are dropped. `None` if there is no embedded
    /// formula.
    pub fn with_lower_order(mut self) -> Option<Self> {
        self.estimates.truncate(1);
        let estimate = self.estimates.first_mut()?;
        for (weight, difference) in self.weights.iter_mut().zip(&mut estimate.difference) {
            *weight -= *difference;
            *difference = -*difference;
        }
        std::mem::swap(&mut self.order, &mut estimate.order);
        self.dense = None;
        Some(self)
    }

    /// True if the last stage is `f(t₁, y₁)` (first same as last).
    pub fn first_same_as_last(&self) -> bool {
        let (Some(row), Some(last)) = (self.rows.last(), self.weights.last()) else { return false };
        *last == S::zero() && self.weights.starts_with(row) && self.nodes.last().is_some_and(|c| *c == S::from(1.0))
    }
}

impl Formula<DoubleDouble> {
    /// The same formula with numbers rounded to the scalar type.
    pub fn rounded<S: Scalar>(&self) -> Formula<S> {
        let all = |numbers: &[DoubleDouble]| numbers.iter().map(|&x| rounded(x)).collect::<Vec<S>>();
        let rows = |rows: &[Vec<DoubleDouble>]| rows.iter().map(|row| all(row)).collect::<Vec<_>>();
        let estimate = |e: &Estimate<DoubleDouble>| Estimate { order: e.order, difference: all(&e.difference) };
        let continuous = |dense: &Continuous<DoubleDouble>| Continuous {
            order: dense.order,
            end_stage: dense.end_stage,
            extra_nodes: all(&dense.extra_nodes),
            extra_rows: rows(&dense.extra_rows),
            rows: rows(&dense.rows),
        };
        Formula {
            order: self.order,
            nodes: all(&self.nodes),
            rows: rows(&self.rows),
            weights: all(&self.weights),
            estimates: self.estimates.iter().map(estimate).collect(),
            error_order: self.error_order,
            dense: self.dense.as_ref().map(continuous),
        }
    }
}

/// The stages on `y′ = λy` from `y = 1`, with `z = hλ`; rows may include their diagonal entry.
pub(crate) fn stage_values<S: Scalar>(rows: &[Vec<S>], z: Complex<f64>) -> Vec<Complex<f64>> {
    let mut values: Vec<Complex<f64>> = Vec::with_capacity(rows.len());
    for row in rows {
        let sum: Complex<f64> = row.iter().zip(&values).map(|(a, value)| value * a.value()).sum();
        let own = row.get(values.len()).map_or(0.0, |a| a.value());
        values.push((z * sum + 1.0) / (Complex::new(1.0, 0.0) - z * own));
    }
    values
}

pub(crate) fn rounded<S: Scalar>(x: DoubleDouble) -> S {
    let (hi, lo) = x.parts();
    S::from(hi) + lo
}
