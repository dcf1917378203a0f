//! What Newmark's formulas need where steps differ in size: accelerations that belong to where the step has them, and the local
//! error.

use mbsbench_problem::linalg::Matrix;

use super::formula::Start;
use super::predictor::{Discretisation, Predictor};

/// The accelerations with which Newmark's formulas begin a step of size `h`, those of Hilber, Hughes and Taylor or the algorithmic ones
/// of generalized-α, are to belong to `t₀ + δ h`, with `δ = 1/2 − γ` (α, or `α_m − α_f`). The step before, of size `h₋`, leaves them
/// at `t₀ + δ h₋`. The velocity would then be off by `(1 − γ) δ (h₋ − h) h q‴`: with steps that grow and shrink in turn, first order.
/// They are moved by `δ (h − h₋) j`, where `j` is the quotient of differences of the accelerations at both ends of the step before.
///
/// With accelerations where they belong the positions at the end of the step are off by
///
/// ```text
/// q₁ − q(t₁) = C h³ q‴ + O(h⁴),   C = β + δ/2 − 1/6,   h q‴ = a₁ − a₀ + O(h²)
/// ```
///
/// Of this the part along the constraints counts, `P₁ e` with the projection where the step ends. It says nothing where reactions at
/// the end are all that changes the accelerations, `M (a₁ − a₀) = J₁ᵀ λ₁`: of a body on which constant forces act, released with no
/// reaction, up to a step so large that Newton's method ends on another side of the circle. There `q‴` is zero along the constraints as
/// well, and what is left of the error, O(h⁶), is that the step has pushed along `J₁ᵀ` throughout, where the motion was pushed along
/// `J₀ᵀ` first. So with `M e = M P₁ e + J₁ᵀ μ` the magnitude of `P₁ M⁻¹ (J₁ − J₀)ᵀ μ` is added: O(h⁴), a small part of the estimate
/// wherever `q‴` is not zero. Of the released pendulum it is `5 C h²/(3 c_q)` of the error: 0.42 to 1.1 of it.
pub struct Varying {
    shift: f64,
    constant: f64,
    /// Size of the step accepted last, s; zero at the start, where accelerations belong to it.
    h: f64,
    /// Size of the step that is attempted, s.
    size: f64,
    /// Accelerations, multipliers, and the accelerations for Newmark's formulas, as the last accepted step left them.
    a: Vec<f64>,
    lambda: Vec<f64>,
    formulas: Vec<f64>,
    /// Accelerations at the start of the step that is attempted.
    start: Vec<f64>,
    /// `j`.
    jerk: Vec<f64>,
    /// `J₀`.
    jacobian: Matrix<f64>,
}

impl Varying {
    /// At the start of a run whose steps vary; none for others, and for formulas that have no such accelerations.
    pub fn new(discretisation: Discretisation, start: &Start<'_>) -> Option<Self> {
        let (beta, gamma) = match discretisation {
            Discretisation::Newmark { beta, gamma } => (beta, gamma),
            Discretisation::GeneralizedAlpha(weights) => (weights.beta, weights.gamma),
            Discretisation::Bdf => return None,
        };
        let shift = 0.5 - gamma;
        Some(Self {
            shift,
            constant: beta + 0.5 * shift - 1.0 / 6.0,
            h: 0.0,
            size: 0.0,
            a: start.a.to_vec(),
            lambda: start.lambda.to_vec(),
            formulas: start.a.to_vec(),
            start: start.a.to_vec(),
            jerk: start.jerk?.to_vec(),
            jacobian: start.terms.jacobian.clone(),
        })
    }

    /// Begins an attempt of size `h`, the first of its step or another: accelerations and multipliers as at the start, those of
    /// Newmark's formulas where they belong.
    pub fn begin(&mut self, h: f64, predictor: &mut Predictor, a: &mut [f64], lambda: &mut [f64]) {
        a.copy_from_slice(&self.a);
        lambda.copy_from_slice(&self.lambda);
        let by = self.shift * (h - self.h);
        let moved = predictor.algorithmic().unwrap_or(&mut *a);
        for ((moved, &left), &jerk) in moved.iter_mut().zip(&self.formulas).zip(&self.jerk) {
            *moved = left + by * jerk;
        }
        self.start.copy_from_slice(a);
        self.size = h;
    }

    /// Takes the rates from the local error, in which nothing is left that would leave the constraints: accelerations along these carry
    /// what earlier steps left, which a change of the step must not amplify.
    pub fn take_rates(&mut self, error: &[f64]) {
        let factor = 1.0 / (self.constant * self.size.powi(3));
        for (jerk, &error) in self.jerk.iter_mut().zip(error) {
            *jerk = factor * error;
        }
    }

    /// Writes `C h² (a₁ − a₀)` from the accelerations `a` at the end.
    pub fn error(&self, a: &[f64], error: &mut [f64]) {
        let factor = self.constant * self.size * self.size;
        for ((error, &end), &start) in error.iter_mut().zip(a).zip(&self.start) {
            *error = factor * (end - start);
        }
    }

    /// The Jacobian of the constraints at the start of the step.
    pub fn jacobian(&self) -> &Matrix<f64> {
        &self.jacobian
    }

    /// The step has been accepted and `predictor` keeps its end, with this Jacobian of the constraints.
    pub fn accept(&mut self, predictor: &mut Predictor, a: &[f64], lambda: &[f64], jacobian: &Matrix<f64>) {
        self.h = self.size;
        self.a.copy_from_slice(a);
        self.lambda.copy_from_slice(lambda);
        self.formulas.copy_from_slice(predictor.algorithmic().map_or(a, |algorithmic| algorithmic));
        self.jacobian.values_mut().copy_from_slice(jacobian.values());
    }
}
