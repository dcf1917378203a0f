//! Stiffly accurate Runge–Kutta formulas with an explicit first stage and equal diagonal coefficients.

use mbsbench_problem::{DoubleDouble, Scalar};
use nalgebra::{Complex, DMatrix};

use crate::formula::{Estimate, Formula, rounded, stage_values};

/// An explicit first stage, then `n` implicit ones with one coefficient `γ` on the diagonal, the last at the end of the
/// step; zhang2022, Eqs. 5 and 6.
///
/// ```text
/// y_{k−1+cᵢ} = y_{k−1} + h Σⱼ aᵢⱼ y′_{k−1+cⱼ},   j ≤ i,   aᵢᵢ = γ,   c₁ = 0,   c_s = 1
/// ```
///
/// The first stage is the start of the step, whose derivative is known from the last stage of the step before, and the
/// result is the last stage: its row holds the weights `b`. The constructors work in double-double precision;
/// [`Self::rounded`] gives the doubles that a solve needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Esdirk<S = DoubleDouble> {
    /// What the formula is called, "MSSTC(4)"; empty where it is not known.
    pub name: String,
    /// Order of convergence on ordinary differential equations.
    pub order: u32,
    /// Nodes `c`, one a stage; not monotone for all formulas.
    pub nodes: Vec<S>,
    /// Rows of `a`, with their diagonal entry: row `i`, from 0, has `i + 1` entries.
    pub rows: Vec<Vec<S>>,
    /// A second formula on the same stages, for an error estimate.
    pub embedded: Option<EmbeddedWeights<S>>,
    /// Where the numbers are from; empty where it is not known.
    pub source: &'static str,
}

/// A second formula on the stages of an [`Esdirk`].
#[derive(Debug, Clone, PartialEq)]
pub struct EmbeddedWeights<S> {
    /// Its order.
    pub order: u32,
    /// Its weights `b̂`, one a stage.
    pub weights: Vec<S>,
}

impl Esdirk {
    /// The same numbers, each rounded to the scalar type.
    pub fn rounded<S: Scalar>(&self) -> Esdirk<S> {
        let all = |numbers: &[DoubleDouble]| numbers.iter().map(|&x| rounded(x)).collect::<Vec<S>>();
        Esdirk {
            name: self.name.clone(),
            order: self.order,
            nodes: all(&self.nodes),
            rows: self.rows.iter().map(|row| all(row)).collect(),
            embedded: self
                .embedded
                .as_ref()
                .map(|embedded| EmbeddedWeights { order: embedded.order, weights: all(&embedded.weights) }),
            source: self.source,
        }
    }
}

impl<S: Scalar> Esdirk<S> {
    /// Number of stages `s`, the explicit one included.
    pub fn stages(&self) -> usize {
        self.nodes.len()
    }

    /// Number of implicit stages `n = s − 1`.
    pub fn implicit_stages(&self) -> u32 {
        self.nodes.len() as u32 - 1
    }

    /// The coefficient on the diagonal.
    pub fn gamma(&self) -> S {
        self.rows[1][1]
    }

    /// The weights `b`: the last row.
    pub fn weights(&self) -> &[S] {
        &self.rows[self.rows.len() - 1]
    }

    /// The stability function `R(z)`: a step of `y′ = λy` with `z = hλ` multiplies `y` with it.
    pub fn stability(&self, z: Complex<f64>) -> Complex<f64> {
        *stage_values(&self.rows, z).last().expect("there is a stage")
    }

    /// The same as the matrix that takes `y` from the start to the end of a step, `1 × 1`.
    pub fn amplification(&self, z: Complex<f64>) -> DMatrix<Complex<f64>> {
        DMatrix::from_element(1, 1, self.stability(z))
    }

    /// `R(∞)`, to which `R(z)` tends in all directions: the damping of infinite frequencies, `ρ_∞` up to its sign.
    pub fn stability_at_infinity(&self) -> S {
        let mut values = vec![S::from(1.0)];
        for row in &self.rows[1..] {
            let others = row.iter().zip(&values).fold(S::nought(), |sum, (&a, &value)| sum + a * value);
            values.push(-others / self.gamma());
        }
        values[self.stages() - 1]
    }

    /// The same numbers in the form that the [order conditions](crate::conditions) take.
    pub fn formula(&self) -> Formula<S> {
        let difference = |embedded: &EmbeddedWeights<S>| {
            self.weights().iter().zip(&embedded.weights).map(|(&b, &embedded)| b - embedded).collect()
        };
        let estimate =
            |embedded: &EmbeddedWeights<S>| Estimate { order: embedded.order, difference: difference(embedded) };
        Formula {
            order: self.order,
            nodes: self.nodes.clone(),
            rows: self.rows.clone(),
            weights: self.weights().to_vec(),
            estimates: self.embedded.iter().map(estimate).collect(),
            error_order: self.embedded.as_ref().map_or(0, |embedded| embedded.order + 1),
            dense: None,
        }
    }
}
