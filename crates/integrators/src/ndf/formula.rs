//! Coefficients of the formulas.

/// Highest order.
pub const MAX_ORDER: usize = 5;

/// `γ_k = 1 + 1/2 + … + 1/k`.
const GAMMA: [f64; MAX_ORDER] = [1.0, 3.0 / 2.0, 11.0 / 6.0, 25.0 / 12.0, 137.0 / 60.0];
/// `κ_k` (Shampine, Reichelt, table 1).
const KAPPA: [f64; MAX_ORDER] = [-0.185, -1.0 / 9.0, -0.0823, -0.0415, 0.0];

/// The numerical differentiation formulas of orders 1 to 5 at constant step size,
///
/// ```text
/// Σ_{m=1}^k ∇ᵐy_{n+1}/m − κ_k γ_k (y_{n+1} − y⁽⁰⁾_{n+1}) = h y'_{n+1},   y⁽⁰⁾_{n+1} = Σ_{m=0}^k ∇ᵐy_n
/// ```
///
/// (L. F. Shampine, M. W. Reichelt, SIAM J. Sci. Comput. 18 (1997) 1–22, Eq. 3); `y − y⁽⁰⁾` is the difference
/// `∇^{k+1} y_{n+1}`. Orders 1 and 2 are A-stable; the others are A(α)-stable with α = 80°, 66° and 51°. With `κ = 0`
/// they are the backward differentiation formulas.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Formula {
    kappa: [f64; MAX_ORDER],
}

impl Formula {
    /// The NDFs with the published `κ`.
    pub const fn ndf() -> Self {
        Self { kappa: KAPPA }
    }

    /// The BDFs.
    pub const fn bdf() -> Self {
        Self { kappa: [0.0; MAX_ORDER] }
    }

    /// `γ_k`, for `k` from 1 to [`MAX_ORDER`].
    pub fn gamma(k: usize) -> f64 {
        GAMMA[k - 1]
    }

    /// `(1 − κ_k) γ_k`, the coefficient of `y_{n+1}`: the equations of a step are solved with `M − h/((1 − κ) γ) J`.
    pub fn leading(&self, k: usize) -> f64 {
        (1.0 - self.kappa[k - 1]) * GAMMA[k - 1]
    }

    /// `κ_k γ_k + 1/(k + 1)`: the local error of order `k` is this times `∇^{k+1} y_{n+1}` to leading order (Eq. 4).
    pub fn error_constant(&self, k: usize) -> f64 {
        self.kappa[k - 1] * GAMMA[k - 1] + 1.0 / (k + 1) as f64
    }
}
