//! Stiffly accurate diagonally implicit Runge–Kutta formulas.
//!
//! ```text
//! y_{k−1+cᵢ} = y_{k−1} + h Σⱼ aᵢⱼ y′_{k−1+cⱼ},   j ≤ i,   aᵢᵢ > 0,   c_s = 1
//! ```
//!
//! The first stage may be explicit, `a₁₁ = 0` (ESDIRK; zhang2022, Eqs. 5 and 6): it is then the start of the step,
//! whose derivative is known from the last stage of the previous step. The result is the last stage, so its row
//! contains the weights `b`. Constructors work in double-double precision; [`Tableau::rounded`] gives the doubles that
//! a solve needs.

use mbsbench_problem::{DoubleDouble, Scalar};
use nalgebra::{Complex, DMatrix};

use crate::Tableau;
use crate::formula::{Formula, stage_values};

impl Tableau {
    /// A diagonally implicit formula of the given order, from its nodes and rows; row `i`, from 0, has `i + 1` entries.
    pub(super) fn dirk(
        name: impl Into<String>,
        source: &str,
        order: u32,
        nodes: Vec<DoubleDouble>,
        rows: Vec<Vec<DoubleDouble>>,
    ) -> Self {
        let weights = rows[rows.len() - 1].clone();
        let formula = Formula { order, nodes, rows, weights, estimates: Vec::new(), error_order: 0, dense: None };
        Self { name: name.into(), source: source.to_owned(), formula }
    }
}

impl<S: Scalar> Tableau<S> {
    /// Number of stages `s`, including an explicit first one.
    pub fn stages(&self) -> usize {
        self.formula.nodes.len()
    }

    /// Number of implicit stages.
    pub fn implicit_stages(&self) -> u32 {
        self.stages() as u32 - u32::from(self.starts_explicitly())
    }

    /// True if the first stage is the start of the step.
    pub(super) fn starts_explicitly(&self) -> bool {
        self.formula.rows[0][0] == S::zero()
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
        let mut values: Vec<S> = Vec::new();
        for (i, row) in self.formula.rows.iter().enumerate() {
            let others = row.iter().zip(&values).fold(S::zero(), |sum, (&a, &value)| sum + a * value);
            values.push(if row[i] == S::zero() { S::from(1.0) } else { -others / row[i] });
        }
        values[self.stages() - 1]
    }
}
