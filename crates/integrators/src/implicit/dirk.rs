//! Stiffly accurate Runge–Kutta formulas with an explicit first stage and equal diagonal coefficients.

use mbsbench_problem::{DoubleDouble, Scalar};
use nalgebra::{Complex, DMatrix};

use crate::formula::{Estimate, Formula, stage_values};

/// An explicit first stage, then `n` implicit ones with one coefficient `γ` on the diagonal, the last at the end of the
/// step; zhang2022, Eqs. 5 and 6.
///
/// ```text
/// y_{k−1+cᵢ} = y_{k−1} + h Σⱼ aᵢⱼ y′_{k−1+cⱼ},   j ≤ i,   aᵢᵢ = γ,   c₁ = 0,   c_s = 1
/// ```
///
/// The first stage is the start of the step, whose derivative is known from the last stage of the previous step. The
/// result is the last stage, so its row contains the weights `b`. The constructors work in double-double precision;
/// [`Self::rounded`] gives the doubles that a solve needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Esdirk<S = DoubleDouble> {
    /// Name of the formula, such as "MSSTC(4)"; empty if unknown.
    pub name: String,
    /// Source of the coefficients; empty if unknown.
    pub source: &'static str,
    /// Order, nodes (not monotone for all formulas), rows with their diagonal entry, and weights, with those of a
    /// second formula for an error estimate if there is one.
    pub formula: Formula<S>,
}

impl Esdirk {
    /// A formula of the given order, from its nodes and rows; row `i`, from 0, has `i + 1` entries.
    pub fn new(
        name: impl Into<String>,
        source: &'static str,
        order: u32,
        nodes: Vec<DoubleDouble>,
        rows: Vec<Vec<DoubleDouble>>,
    ) -> Self {
        let weights = rows[rows.len() - 1].clone();
        let formula = Formula { order, nodes, rows, weights, estimates: Vec::new(), error_order: 0, dense: None };
        Self { name: name.into(), source, formula }
    }

    /// The formula with a second formula of the given order on the same stages.
    #[must_use]
    pub(super) fn with_embedded(mut self, order: u32, weights: &[DoubleDouble]) -> Self {
        let difference = self.formula.weights.iter().zip(weights).map(|(&b, &embedded)| b - embedded).collect();
        self.formula.estimates = vec![Estimate { order, difference }];
        self.formula.error_order = order + 1;
        self
    }

    /// The same formula with numbers rounded to the scalar type.
    pub fn rounded<S: Scalar>(&self) -> Esdirk<S> {
        Esdirk { name: self.name.clone(), source: self.source, formula: self.formula.rounded() }
    }
}

impl<S: Scalar> Esdirk<S> {
    /// Number of stages `s`, including the explicit one.
    pub fn stages(&self) -> usize {
        self.formula.nodes.len()
    }

    /// Number of implicit stages `n = s − 1`.
    pub fn implicit_stages(&self) -> u32 {
        self.formula.nodes.len() as u32 - 1
    }

    /// The coefficient on the diagonal.
    pub fn gamma(&self) -> S {
        self.formula.rows[1][1]
    }

    /// The weights `b`: the last row.
    pub fn weights(&self) -> &[S] {
        &self.formula.weights
    }

    /// The stability function `R(z)`: a step of `y′ = λy` with `z = hλ` multiplies `y` by it.
    pub fn stability(&self, z: Complex<f64>) -> Complex<f64> {
        *stage_values(&self.formula.rows, z).last().expect("there is a stage")
    }

    /// The stability function as the `1 × 1` matrix that maps `y` at the start of a step to `y` at its end.
    pub fn amplification(&self, z: Complex<f64>) -> DMatrix<Complex<f64>> {
        DMatrix::from_element(1, 1, self.stability(z))
    }

    /// `R(∞)`, the limit of `R(z)` in all directions: the damping of infinite frequencies, `ρ_∞` up to its sign.
    pub fn stability_at_infinity(&self) -> S {
        let mut values = vec![S::from(1.0)];
        for row in &self.formula.rows[1..] {
            let others = row.iter().zip(&values).fold(S::zero(), |sum, (&a, &value)| sum + a * value);
            values.push(-others / self.gamma());
        }
        values[self.stages() - 1]
    }
}
