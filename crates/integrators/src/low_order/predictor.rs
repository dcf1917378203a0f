//! The end of a step as a linear function of an acceleration, for all step formulas.

use nalgebra::{Complex, DMatrix, Matrix3};

use super::formula::Start;
use crate::details::{GROWTH, ROUNDING, imaginary_axis, property, yes};
use crate::implicit::LinearMultistep;
use mbsbench_problem::linear::spectral_radius;

/// The `ωh` that represents infinity: beyond it, rounding changes the spectral radius more than the frequency does.
const AT_INFINITY: f64 = 1e6;

/// A discretisation of `q' = v`, `v' = a`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Discretisation {
    /// Newmark's formulas (negrut2007, Eqs. 1 and 2).
    Newmark {
        /// β.
        beta: f64,
        /// γ.
        gamma: f64,
    },
    /// Newmark's formulas with algorithmic accelerations in place of the accelerations.
    GeneralizedAlpha(GeneralizedAlphaWeights),
    /// Second-order BDF for both equations (negrut2007, Eqs. 8 and 9); first-order BDF in the first step.
    Bdf,
}

/// Weights of the generalized-α formulas,
///
/// ```text
/// q₁ = q₀ + h v₀ + h² ((1/2 − β) ā₀ + β ā₁),   v₁ = v₀ + h ((1 − γ) ā₀ + γ ā₁)
/// (1 − α_m) ā₁ + α_m ā₀ = (1 − α_f) a₁ + α_f a₀
/// ```
///
/// with algorithmic accelerations `ā`, which approximate the accelerations at `t + (α_m − α_f) h`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GeneralizedAlphaWeights {
    /// α_m.
    pub alpha_m: f64,
    /// α_f.
    pub alpha_f: f64,
    /// β.
    pub beta: f64,
    /// γ.
    pub gamma: f64,
}

impl GeneralizedAlphaWeights {
    /// Weights of second order with the spectral radius `rho` at infinity (J. Chung, G. M. Hulbert, J. Appl. Mech. 60
    /// (1993) 371–375).
    pub fn with_spectral_radius(rho: f64) -> Self {
        let (alpha_m, alpha_f) = ((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0));
        let gamma = 0.5 - alpha_m + alpha_f;
        Self { alpha_m, alpha_f, beta: 0.25 * (gamma + 0.5) * (gamma + 0.5), gamma }
    }

    /// `α_m − α_f`.
    pub fn shift(&self) -> f64 {
        self.alpha_m - self.alpha_f
    }

    /// Order of positions and velocities: two if `γ = 1/2 − α_m + α_f`, otherwise one.
    pub fn order(&self) -> u32 {
        if (self.gamma - 0.5 + self.shift()).abs() <= ROUNDING { 2 } else { 1 }
    }

    /// Coefficients, order, stability; see [`Method::details`](mbsbench_problem::Method::details).
    pub fn details(&self) -> Vec<String> {
        let Self { alpha_m, alpha_f, beta, gamma } = *self;
        let radius = |omega_h: f64| spectral_radius(&self.amplification(omega_h));
        // the root at infinity has multiplicity three, so that rounding errors enter with the power 1/3
        let is_stable = imaginary_axis().all(|z| radius(z.im) <= 1.0 + GROWTH.cbrt());
        vec![
            property("order", if self.order() == 2 { "2, as gamma = 1/2 - alpha_m + alpha_f" } else { "1" }),
            property("A-stable", yes(is_stable)),
            property("at infinity", format!("spectral radius {:.3}", radius(AT_INFINITY))),
            "coefficients".to_owned(),
            format!("  alpha_m = {alpha_m}"),
            format!("  alpha_f = {alpha_f}"),
            format!("  beta = {beta}"),
            format!("  gamma = {gamma}"),
        ]
    }

    /// `(1 − α_f)/(1 − α_m)`, the factor of `a₁` in `ā₁`.
    pub(crate) fn share(&self) -> f64 {
        (1.0 - self.alpha_f) / (1.0 - self.alpha_m)
    }

    /// The terms of `ā₁` without `a₁`.
    pub(crate) fn rest(&self, a: f64, algorithmic: f64) -> f64 {
        (self.alpha_f * a - self.alpha_m * algorithmic) / (1.0 - self.alpha_m)
    }

    /// The matrix that maps `(x, h v, h² ā)` to the end of a step of `x″ + ω² x = 0`, with `w = ωh` and `h² a = −w² x`.
    fn amplification(&self, w: f64) -> DMatrix<Complex<f64>> {
        let Self { beta, gamma, .. } = *self;
        let square = w * w;
        let end = Matrix3::new(1.0, 0.0, -beta, 0.0, 1.0, -gamma, self.share() * square, 0.0, 1.0);
        let last = [self.rest(-square, 0.0), 0.0, self.rest(0.0, 1.0)];
        let start = Matrix3::new(1.0, 1.0, 0.5 - beta, 0.0, 1.0, 1.0 - gamma, last[0], last[1], last[2]);
        real(&end, &start)
    }
}

/// The amplification matrix of Newmark's formulas with the Hilber–Hughes–Taylor weights, for the damped oscillator.
fn hht((beta, gamma): (f64, f64), alpha: f64, omega_h: f64, damping_ratio: f64) -> DMatrix<Complex<f64>> {
    let (square, damping) = (omega_h * omega_h, 2.0 * damping_ratio * omega_h);
    let of_end = 1.0 + alpha;
    let end = Matrix3::new(1.0, 0.0, -beta, 0.0, 1.0, -gamma, of_end * square, of_end * damping, 1.0);
    let start = Matrix3::new(1.0, 1.0, 0.5 - beta, 0.0, 1.0, 1.0 - gamma, alpha * square, alpha * damping, 0.0);
    real(&end, &start)
}

/// `end⁻¹ start`.
fn real(end: &Matrix3<f64>, start: &Matrix3<f64>) -> DMatrix<Complex<f64>> {
    let matrix = end.lu().solve(start).expect("the determinant is one plus a positive multiple of ω²h²");
    DMatrix::from_fn(3, 3, |i, j| Complex::new(matrix[(i, j)], 0.0))
}

impl Discretisation {
    /// The Hilber–Hughes–Taylor formulas: `β = (1 − α)²/4`, `γ = 1/2 − α`.
    pub fn hht(alpha: f64) -> Self {
        Self::Newmark { beta: 0.25 * (1.0 - alpha) * (1.0 - alpha), gamma: 0.5 - alpha }
    }

    /// The [amplification matrix](mbsbench_problem::Method::amplification) without constraints, with the equations of
    /// motion `M a = (1+α) f₁ − α f₀`: for BDF2 that of `x′ = iωx`, otherwise the matrix that maps `(x, h v, h² a)` to
    /// the end of the step. In the latter, with `w = ωh`,
    ///
    /// ```text
    /// h² a₁ = −(1+α) w² x₁ + α w² x₀,   x₁ = x₀ + h v₀ + h² ((1/2 − β) a₀ + β a₁),   v₁ = v₀ + h ((1−γ) a₀ + γ a₁)
    /// ```
    pub fn amplification(self, alpha: f64, omega_h: f64) -> DMatrix<Complex<f64>> {
        match self {
            Self::Newmark { beta, gamma } => hht((beta, gamma), alpha, omega_h, 0.0),
            Self::GeneralizedAlpha(weights) => weights.amplification(omega_h),
            Self::Bdf => LinearMultistep::lms2(0.0).amplification(Complex::new(0.0, omega_h)),
        }
    }

    /// Largest magnitude of a root with damping, `f = −2 ζ ω v − ω² x`; see
    /// [`Method::damped_radius`](mbsbench_problem::Method::damped_radius). None for the generalized-α formulas.
    pub fn damped_radius(self, alpha: f64, omega_h: f64, damping_ratio: f64) -> Option<f64> {
        match self {
            Self::Newmark { beta, gamma } => Some(spectral_radius(&hht((beta, gamma), alpha, omega_h, damping_ratio))),
            Self::GeneralizedAlpha(_) => None,
            Self::Bdf => {
                let root = Complex::new(damping_ratio * damping_ratio - 1.0, 0.0).sqrt();
                let radius = |z: Complex<f64>| spectral_radius(&LinearMultistep::lms2(0.0).amplification(z * omega_h));
                // the smaller of two real roots without cancellation: their product is one
                let fast = -(root + damping_ratio);
                Some(radius(fast).max(radius(fast.inv())))
            }
        }
    }
}

/// `q₁ = q̂ + c_q a`, `v₁ = v̂ + c_v a`, and the data from previous steps.
#[derive(Debug, Clone)]
pub struct Predictor {
    discretisation: Discretisation,
    /// Step size, s.
    pub h: f64,
    /// q̂.
    pub q: Vec<f64>,
    /// v̂.
    pub v: Vec<f64>,
    /// c_q, s².
    pub by_position: f64,
    /// c_v, s.
    pub by_velocity: f64,
    /// The state at the start of the step.
    pub start: [Vec<f64>; 2],
    before: [Vec<f64>; 2],
    /// Algorithmic and true accelerations at the start of the step, for the generalized-α formulas.
    accelerations: [Vec<f64>; 2],
    steps: u64,
}

impl Predictor {
    /// Creates a predictor at the initial state with `algorithmic` and true accelerations `a`.
    pub fn new(discretisation: Discretisation, start: &Start<'_>) -> Self {
        let Start { q, v, a, algorithmic, .. } = *start;
        let state = [q.to_vec(), v.to_vec()];
        Self {
            discretisation,
            h: 0.0,
            q: q.to_vec(),
            v: v.to_vec(),
            by_position: 0.0,
            by_velocity: 0.0,
            before: state.clone(),
            start: state,
            accelerations: [algorithmic.to_vec(), a.to_vec()],
            steps: 0,
        }
    }

    /// Predicts for a step of size `h` from the acceleration `a` at its start, which only Newmark's formulas use: BDF
    /// needs none, and the generalized-α formulas have kept theirs.
    pub fn predict(&mut self, h: f64, a: &[f64]) {
        self.h = h;
        let [q, v] = &self.start;
        match self.discretisation {
            Discretisation::Newmark { beta, gamma } => {
                (self.by_position, self.by_velocity) = (beta * h * h, gamma * h);
                let (to_q, to_v) = (h * h * (0.5 - beta), h * (1.0 - gamma));
                for i in 0..q.len() {
                    self.q[i] = q[i] + h * v[i] + to_q * a[i];
                    self.v[i] = v[i] + to_v * a[i];
                }
            }
            Discretisation::GeneralizedAlpha(weights) => {
                let (beta, gamma, share) = (weights.beta, weights.gamma, weights.share());
                (self.by_position, self.by_velocity) = (beta * share * h * h, gamma * share * h);
                let [algorithmic, a] = &self.accelerations;
                for i in 0..q.len() {
                    let (before, rest) = (algorithmic[i], weights.rest(a[i], algorithmic[i]));
                    self.q[i] = q[i] + h * v[i] + h * h * ((0.5 - beta) * before + beta * rest);
                    self.v[i] = v[i] + h * ((1.0 - gamma) * before + gamma * rest);
                }
            }
            Discretisation::Bdf => {
                let [q_before, v_before] = &self.before;
                let (new, old, c) = if self.steps == 0 { (1.0, 0.0, h) } else { (4.0 / 3.0, 1.0 / 3.0, h * 2.0 / 3.0) };
                (self.by_position, self.by_velocity) = (c * c, c);
                for i in 0..q.len() {
                    self.v[i] = new * v[i] - old * v_before[i];
                    self.q[i] = new * q[i] - old * q_before[i] + c * self.v[i];
                }
            }
        }
    }

    /// Writes the end of the step for the acceleration `a` of the positions and `a + e` of the velocities.
    pub fn end(&self, a: &[f64], e: Option<&[f64]>, q: &mut [f64], v: &mut [f64]) {
        for i in 0..a.len() {
            q[i] = self.q[i] + self.by_position * a[i];
            v[i] = self.v[i] + self.by_velocity * (a[i] + e.map_or(0.0, |e| e[i]));
        }
    }

    /// The algorithmic accelerations at the start of the step, for the generalized-α formulas.
    pub fn algorithmic(&mut self) -> Option<&mut [f64]> {
        let has_them = matches!(self.discretisation, Discretisation::GeneralizedAlpha(_));
        has_them.then_some(&mut self.accelerations[0])
    }

    /// Keeps the acceleration at the end of the step, if the formulas need it; call [`accept`](Self::accept)
    /// afterwards.
    pub fn keep(&mut self, end: &[f64]) {
        let Discretisation::GeneralizedAlpha(weights) = self.discretisation else { return };
        let [algorithmic, a] = &mut self.accelerations;
        for ((algorithmic, a), &end) in algorithmic.iter_mut().zip(a).zip(end) {
            *algorithmic = weights.share() * end + weights.rest(*a, *algorithmic);
            *a = end;
        }
    }

    /// Makes the end of the step the start of the next.
    pub fn accept(&mut self, q: &[f64], v: &[f64]) {
        std::mem::swap(&mut self.before, &mut self.start);
        self.start[0].copy_from_slice(q);
        self.start[1].copy_from_slice(v);
        self.steps += 1;
    }
}
