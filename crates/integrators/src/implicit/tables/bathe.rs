//! The ρ_∞-Bathe formula.

use num_dual::DualNum;

use super::{number, with_row_sum};
use crate::Tableau;

impl Tableau {
    /// The ρ_∞-Bathe formula: two implicit stages, order two, `ρ_∞ = rho` in [0, 1].
    ///
    /// It is zhang2022, Eq. 7, with `γ = 1/(2 + √(2(1+ρ_∞)))`, which equals the printed `γ` and is also valid for
    /// `ρ_∞ = 1`.
    pub fn bathe(rho: f64) -> Self {
        let gamma = (((number(rho) + 1.0) * 2.0).sqrt() + 2.0).recip();
        let b_2 = (-gamma * 2.0 + 1.0) / (gamma * 4.0);
        let nodes = vec![number(0.0), gamma * 2.0, number(1.0)];
        let rows = vec![vec![number(0.0)], vec![gamma; 2], with_row_sum(number(1.0), &[b_2, gamma])];
        let source = "G. Noh, K. J. Bathe, Comput. Struct. 212 (2019) 299–310; zhang2022, Eq. 7";
        Self::dirk("ρ_∞-Bathe", source, 2, nodes, rows)
    }
}
