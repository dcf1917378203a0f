//! Linear multistep formulas of order two with `r` equal roots at infinite frequency.

use nalgebra::{Complex, DMatrix};

use super::Start;

/// `y_k = Σⱼ αⱼ y_{k−j} + h Σⱼ βⱼ y′_{k−j}` with `j` from 1 to `r` in the first sum and from 0 in the second;
/// zhang2022, Eq. 2.
///
/// The formulas LMS2, LMS3 and LMS4 have order two, are A-stable, and have `σ(ζ) = Σⱼ βⱼ ζ^{r−j} = β₀ (ζ + ρ_∞)^r`:
/// at infinite frequency all roots are at `−ρ_∞`. With `ρ_∞ = 0`, LMS2 is BDF2, while LMS3 and LMS4 are one-sided
/// formulas of order two, not BDF3 and BDF4.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearMultistep {
    /// `α₁ … α_r`.
    pub alpha: Vec<f64>,
    /// `β₀ … β_r`.
    pub beta: Vec<f64>,
}

impl LinearMultistep {
    /// `y_k = y_{k−1} + h/2 (y′_k + y′_{k−1})`, the start of the other formulas; zhang2022, Eq. 3.
    pub fn trapezoidal() -> Self {
        Self { alpha: vec![1.0], beta: vec![0.5, 0.5] }
    }

    /// The two-step formula with `ρ_∞ = rho` in [0, 1].
    pub fn lms2(rho: f64) -> Self {
        let d = 3.0 - rho;
        Self::with_equal_roots(vec![4.0 * (1.0 - rho) / d, (3.0 * rho - 1.0) / d], 2.0 / ((1.0 + rho) * d), rho)
    }

    /// The two-step formula for a step `κ = h_k/h_{k−1}` times the previous one, with `ρ_∞ = rho` in [0, 1].
    ///
    /// Its `β` refer to the present step `h_k`. Order two and the double root at `−ρ_∞` hold for every `κ > 0`;
    /// `κ = 1` gives [`Self::lms2`].
    pub fn lms2_variable(rho: f64, kappa: f64) -> Self {
        let q = (1.0 - rho).powi(2);
        let e = 2.0 * (1.0 + kappa) - q;
        let b = kappa * (q * (2.0 + kappa) + 2.0 * (2.0 * rho - 1.0) * (1.0 + kappa)) / e;
        let d = kappa * kappa * q / (2.0 * e);
        // with the previous step as the unit of time
        let beta = [d / kappa + kappa / 2.0, b / 2.0 + kappa / 2.0 - d * (1.0 + kappa) / kappa, b / 2.0 + d];
        Self { alpha: vec![1.0 - b, b], beta: beta.iter().map(|beta| beta / kappa).collect() }
    }

    /// The three-step formula for a constant step, with `ρ_∞ = rho` in [0, 1].
    ///
    /// With `rho = 1` it has a double root −1 at frequency zero and is not zero-stable. It is then suitable for
    /// [linear analysis](mbsbench_problem::linear), where it is the trapezoidal rule times a factor, but not for
    /// integration.
    pub fn lms3(rho: f64) -> Self {
        let d = polynomial(rho, &[10.0, -5.0, 1.0]);
        let alpha = vec![
            3.0 * polynomial(rho, &[5.0, -9.0, 2.0]) / d,
            -3.0 * polynomial(rho, &[2.0, -9.0, 5.0]) / d,
            polynomial(rho, &[1.0, -5.0, 10.0]) / d,
        ];
        Self::with_equal_roots(alpha, 6.0 / ((1.0 + rho) * d), rho)
    }

    /// The four-step formula for a constant step, with `ρ_∞ = rho` in [0, 1].
    ///
    /// With `rho = 1` it has a triple root −1 at frequency zero; see [`Self::lms3`].
    pub fn lms4(rho: f64) -> Self {
        let d = polynomial(rho, &[35.0, -21.0, 7.0, -1.0]);
        let alpha = vec![
            4.0 * polynomial(rho, &[14.0, -35.0, 13.0, -2.0]) / d,
            -4.0 * (1.0 - rho) * polynomial(rho, &[7.0, -34.0, 7.0]) / d,
            -4.0 * polynomial(rho, &[-2.0, 13.0, -35.0, 14.0]) / d,
            polynomial(rho, &[-1.0, 7.0, -21.0, 35.0]) / d,
        ];
        Self::with_equal_roots(alpha, 20.0 / ((1.0 + rho) * d), rho)
    }

    /// Number of past steps `r`.
    pub fn steps(&self) -> usize {
        self.alpha.len()
    }

    /// The matrix that maps `(y_{k−1}, …, y_{k−r})` to `(y_k, …, y_{k−r+1})` for `y′ = λy`, `z = hλ`.
    pub fn amplification(&self, z: Complex<f64>) -> DMatrix<Complex<f64>> {
        let zero = Complex::new(0.0, 0.0);
        let one = Complex::new(1.0, 0.0);
        let own = one - z * self.beta[0];
        DMatrix::from_fn(self.steps(), self.steps(), |i, j| match i {
            0 => (z * self.beta[j + 1] + self.alpha[j]) / own,
            _ if i == j + 1 => one,
            _ => zero,
        })
    }

    /// The formula with `r` equal roots `−ρ` at infinite frequency: `βⱼ = β₀ C(r, j) ρʲ`.
    pub(super) fn with_equal_roots(alpha: Vec<f64>, beta_0: f64, rho: f64) -> Self {
        let r = alpha.len();
        let mut binomial = 1.0;
        let mut beta = vec![beta_0];
        for j in 1..=r {
            binomial *= (r + 1 - j) as f64 / j as f64;
            beta.push(beta_0 * binomial * rho.powi(j as i32));
        }
        Self { alpha, beta }
    }
}

/// A linear multistep formula with its start.
#[derive(Debug, Clone)]
pub struct Multistep {
    /// The formula.
    pub formula: LinearMultistep,
    /// The formulas for the first `r − 1` steps, in order, which need no more past steps than exist. For a run to have
    /// the order of the formula, the errors of these steps have to be of that order, which is one less than in a
    /// formula used for all steps.
    pub first: Vec<LinearMultistep>,
    /// A step of a different size than the previous one uses the two-step formula of order two for variable steps,
    /// with this spectral radius `ρ_∞` at infinity. A single such step, as at the end of a span, leaves an error
    /// O(h³).
    pub rho_inf: f64,
}

impl Multistep {
    /// The formula with the trapezoidal rule for the first steps, which suffices for formulas up to order three, and
    /// BDF2 for a step of a different size.
    pub fn new(formula: LinearMultistep) -> Self {
        Self::damped(formula, 0.0, Start::Trapezoidal)
    }

    /// The formula with the first steps that belong to the spectral radius `rho_inf` at infinite frequency.
    pub fn damped(formula: LinearMultistep, rho_inf: f64, start: Start) -> Self {
        let first = |step: usize| match (start, step) {
            (Start::Ladder, 2) => LinearMultistep::lms2(rho_inf),
            (Start::Ladder, 3) => LinearMultistep::lms3(rho_inf),
            _ => LinearMultistep::trapezoidal(),
        };
        Self { first: (1..formula.steps()).map(first).collect(), formula, rho_inf }
    }
}

/// Evaluates the polynomial with coefficients in ascending order.
fn polynomial(x: f64, coefficients: &[f64]) -> f64 {
    coefficients.iter().rfold(0.0, |sum, coefficient| sum * x + coefficient)
}
