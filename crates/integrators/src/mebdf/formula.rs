//! Coefficients of the formulas.

/// Highest order of the backward differentiation formulas among the stages; the extended formulas have one more.
pub const MAX_ORDER: usize = 7;

/// The formulas of one order `k` at constant step size `h`, in backward differences at the current state `y_n`.
///
/// Two steps of the backward differentiation formula of order `k`,
///
/// ```text
/// ȳ_{n+1} = Σ_{j<k} aⱼ ∇ʲy_n + h b ȳ'_{n+1},     ȳ_{n+2} = Σ_{j<k} aⱼ ∇ʲȳ_{n+1} + h b ȳ'_{n+2},
/// ```
///
/// and the modified extended formula of order `k + 1`, which has the same coefficient of its own rate and therefore the
/// same matrix,
///
/// ```text
/// y_{n+1} = Σ_{j<k} cⱼ ∇ʲy_n + h (β_{n+2} ȳ'_{n+2} + (β_{n+1} − b) ȳ'_{n+1} + b y'_{n+1})
/// ```
///
/// (Cash, Considine, section 2). With the harmonic numbers `H`: `b = 1/H_k` and `aⱼ = 1 − Hⱼ/H_k`. The extended formula
/// is `Σ_{m≤k} w_m ∇ᵐy_{n+1} = h (β_{n+1} y'_{n+1} + β_{n+2} y'_{n+2})` with `w_m = β_{n+1}/m + β_{n+2} H_m`. The
/// difference of order `k + 1` cancels for `β_{n+2} = −β_{n+1}/((k + 1) H_{k+1})`, and `Σ w_m = 1`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Formula {
    /// `k`.
    pub order: usize,
    /// `aⱼ`.
    pub plain: [f64; MAX_ORDER],
    /// `b`.
    pub own: f64,
    /// `cⱼ`.
    pub extended: [f64; MAX_ORDER],
    /// `β_{n+1} − b`.
    pub first: f64,
    /// `β_{n+2}`.
    pub second: f64,
}

/// `H_m = 1 + 1/2 + … + 1/m`.
fn harmonic(m: usize) -> f64 {
    (1..=m).rev().map(|i| 1.0 / i as f64).sum()
}

impl Formula {
    /// Creates the formulas of order `k` from 1 to [`MAX_ORDER`].
    pub fn new(k: usize) -> Self {
        let own = 1.0 / harmonic(k);
        let ratio = -1.0 / ((k + 1) as f64 * harmonic(k + 1));
        // relative to β_{n+1}
        let weight = |m: usize| 1.0 / m as f64 + ratio * harmonic(m);
        let sum = |from: usize| (from..=k).rev().map(weight).sum::<f64>();
        let total = sum(1);
        let of = |coefficient: &dyn Fn(usize) -> f64| std::array::from_fn(|j| if j < k { coefficient(j) } else { 0.0 });
        Self {
            order: k,
            plain: of(&|j| 1.0 - harmonic(j) * own),
            own,
            extended: of(&|j| sum(j + 1) / total),
            first: 1.0 / total - own,
            second: ratio / total,
        }
    }

    /// Reciprocal of the error constant of the backward differentiation formula of order `k` (0 or higher), in units of
    /// `b`: its local error is `∇^{k+1} y` divided by this. One for order 0, as in the code.
    pub fn error_scale(k: usize) -> f64 {
        if k == 0 { 1.0 } else { (k + 1) as f64 * harmonic(k) }
    }
}
