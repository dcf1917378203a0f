//! Single-step formulas with auxiliary derivatives that have the spectrum of linear multistep formulas.

use nalgebra::{Complex, DMatrix, RowDVector};

/// `r − 1` auxiliary derivatives in place of past steps; zhang2022, Eqs. 4, 9–11 and 18–20.
///
/// The auxiliary derivatives `p¹ … p^{r−1}`, which start at `y′(0)`, connect the derivative `y′ = p⁰` with the state:
///
/// ```text
/// y_k = y_{k−1} + h ((1−γ₀) p^{r−1}_{k−1} + γ₀ p^{r−1}_k)
/// (1−γ_{2i−1}) p^{r−i}_{k−1} + γ_{2i−1} p^{r−i}_k = (1−γ_{2i}) p^{r−i−1}_{k−1} + γ_{2i} p^{r−i−1}_k,   i = 1 … r−1
/// ```
///
/// A step uses the same equations with the unknown auxiliaries eliminated:
///
/// ```text
/// y_k = y_{k−1} + h (b₀ y′_k + b₋₁ y′_{k−1} + Σ_p Re(b_{I,p} p^p_{k−1}))
/// ```
///
/// The auxiliary derivatives of SS3 and SS4 are complex; state and derivative are real. The imaginary parts of the
/// sum cancel if the equations are linear.
#[derive(Debug, Clone, PartialEq)]
pub struct SingleStep {
    /// `γ₀ … γ_{2r−2}`.
    pub gamma: Vec<Complex<f64>>,
    /// `b₀`, the coefficient of the derivative at the end of the step.
    pub b_0: f64,
    /// `b₋₁`, the coefficient of the derivative at the start of the step.
    pub b_minus_1: f64,
    /// `b_{I,1} … b_{I,r−1}`, the coefficients of the auxiliary derivatives at the start of the step.
    pub b_auxiliary: Vec<Complex<f64>>,
    /// The recurrences of `p¹ … p^{r−1}`, in this order.
    pub levels: Vec<Level>,
}

/// `p_k = C p_{k−1} + D l_k + E l_{k−1}` for an auxiliary derivative `p` and the next lower one `l`, which is `y′`
/// for the first; zhang2022, Eqs. 18–20.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// `C = −(1 − γ_odd)/γ_odd`, the coefficient of the auxiliary derivative itself at the previous step.
    pub same: Complex<f64>,
    /// `D = γ_even/γ_odd`, the coefficient of the lower one at the present step.
    pub lower: Complex<f64>,
    /// `E = (1 − γ_even)/γ_odd`, the coefficient of the lower one at the previous step.
    pub lower_before: Complex<f64>,
}

impl SingleStep {
    /// The equivalent of LMS2, with `ρ_∞ = rho` in [0, 1].
    pub fn ss2(rho: f64) -> Self {
        Self::from_roots(rho, &[Complex::new(1.0, 0.0)])
    }

    /// The equivalent of LMS3, with `ρ_∞ = rho` in [0, 1]: the roots of `6s² − 9s + 4`.
    pub fn ss3(rho: f64) -> Self {
        let s = Complex::new(0.75, 15f64.sqrt() / 12.0);
        Self::from_roots(rho, &[s, s.conj()])
    }

    /// The equivalent of LMS4, with `ρ_∞ = rho` in [0, 1]: the roots of `20s³ − 40s² + 29s − 8`, the real one first.
    pub fn ss4(rho: f64) -> Self {
        let real = real_root_of_ss4();
        // the other factor is s² − 2 m s + 8/(20 real); the sum of all roots is two
        let mean = (2.0 - real) / 2.0;
        let s = Complex::new(mean, (0.4 / real - mean * mean).sqrt());
        Self::from_roots(rho, &[Complex::new(real, 0.0), s, s.conj()])
    }

    /// Number of past steps `r` of the multistep formula with the same spectrum.
    pub fn steps(&self) -> usize {
        self.levels.len() + 1
    }

    /// The matrix that maps `(y, p¹/λ, …, p^{r−1}/λ)` from the start to the end of a step for `y′ = λy`, `z = hλ`.
    ///
    /// The sum of the auxiliary derivatives includes its imaginary part, which is zero for real initial values.
    pub fn amplification(&self, z: Complex<f64>) -> DMatrix<Complex<f64>> {
        let r = self.steps();
        let one = Complex::new(1.0, 0.0);
        let unit = |j: usize| RowDVector::from_fn(r, |_, k| if k == j { one } else { Complex::default() });
        let own = one - z * self.b_0;
        let mut matrix = DMatrix::zeros(r, r);
        matrix[(0, 0)] = (z * self.b_minus_1 + 1.0) / own;
        for (j, b) in self.b_auxiliary.iter().enumerate() {
            matrix[(0, j + 1)] = z * b / own;
        }
        // the lowest one is y′/λ = y
        for (p, level) in self.levels.iter().enumerate() {
            let row = unit(p + 1) * level.same + matrix.row(p) * level.lower + unit(p) * level.lower_before;
            matrix.set_row(p + 1, &row);
        }
        matrix
    }

    /// Even `γ` are `1/(1+ρ)`, odd ones `γ_{2i−1} = 1/2 + sᵢ (1−ρ)/(1+ρ)`. The `sᵢ` do not depend on `ρ`: each is
    /// `1/(1−ζ) − 1/2` for a root `ζ ≠ 1` of the first characteristic polynomial of the multistep formula at `ρ = 0`.
    fn from_roots(rho: f64, s: &[Complex<f64>]) -> Self {
        let even = Complex::new(1.0 / (1.0 + rho), 0.0);
        let mut gamma = vec![even];
        for &s in s {
            gamma.push(s * ((1.0 - rho) / (1.0 + rho)) + 0.5);
            gamma.push(even);
        }
        Self::from_gamma(gamma)
    }

    fn from_gamma(gamma: Vec<Complex<f64>>) -> Self {
        let r = gamma.len().div_ceil(2);
        let one = Complex::new(1.0, 0.0);
        // the coefficient of p^{r−i} at the end of the step in the state, from the top down
        let mut share = gamma[0];
        let mut b_auxiliary = vec![one; r - 1];
        let mut levels = Vec::with_capacity(r - 1);
        let mut above = one - gamma[0];
        for i in 1..r {
            let (odd, even) = (gamma[2 * i - 1], gamma[2 * i]);
            let level = Level { same: (odd - one) / odd, lower: even / odd, lower_before: (one - even) / odd };
            b_auxiliary[r - 1 - i] = above + share * level.same;
            above = share * level.lower_before;
            share *= level.lower;
            levels.push(level);
        }
        levels.reverse();
        Self { gamma, b_0: share.re, b_minus_1: above.re, b_auxiliary, levels }
    }
}

/// The real root of `20s³ − 40s² + 29s − 8`, by Newton's method from above, where the cubic is convex.
fn real_root_of_ss4() -> f64 {
    let mut s = 1.0;
    loop {
        let value = ((20.0 * s - 40.0) * s + 29.0) * s - 8.0;
        let next = s - value / ((60.0 * s - 80.0) * s + 29.0);
        if next >= s {
            return s;
        }
        s = next;
    }
}
