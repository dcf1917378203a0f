//! Formulas of `n` sub-steps and order `n` for any `ρ_∞`.

use mbsbench_problem::{DoubleDouble, Scalar};

use super::mssth::{fifth_order, fourth_order, gamma, third_order};
use super::number;
use crate::Tableau;

impl Tableau {
    /// The formula of `n` implicit stages with one `γ`, order `n` = 3, 4 or 5, stage order two and `R(∞) = ±ρ_∞`, for
    /// `ρ_∞ = rho` in [0, 1]: the smallest `γ` that makes it A-stable.
    ///
    /// The coefficients are derived from these properties, which J. Li, H. Li, R. Zhao, K. Yu (arXiv 2209.13820)
    /// state for their family. Free nodes are our choice, the same for all `ρ_∞`: `c₃ = 0.5` of order three, `c₃ = 0.7`
    /// and `c₄ = 0.58` of order four, `c₃ = 1.1` and `c₄ = 0.7` of order five. The node `2γ` meets none of them for any
    /// `ρ_∞`, entries are below 1.7, and the principal error is near the smallest.
    pub fn substep(n: u32, rho: f64) -> Self {
        let between = |at_zero: f64, at_one: f64| at_zero + (at_one - at_zero) * rho;
        let (sign, near) = match n {
            3 => (-1.0, between(0.435_866_5, 0.333_333_3)),
            4 => (1.0, between(0.572_816_1, 0.394_337_6)),
            5 => (1.0, between(0.278_053_8, 0.246_505_2)),
            _ => panic!("the orders are 3, 4 and 5"),
        };
        let gamma = gamma(n, sign * rho, near);
        let decimal = |hundredths: f64| DoubleDouble::ratio(hundredths, 100.0);
        let (nodes, rows) = match n {
            3 => third_order(gamma, decimal(50.0)),
            4 => fourth_order(gamma, [decimal(70.0), decimal(58.0)]),
            _ => fifth_order(gamma, [decimal(110.0), decimal(70.0), number(between(0.2112, 0.4078))]),
        };
        let source = "derived from the properties stated in arXiv 2209.13820; free nodes are our choice";
        Self::dirk(format!("{n} sub-steps"), source, n, nodes, rows)
    }
}
