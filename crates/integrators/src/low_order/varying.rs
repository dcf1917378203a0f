//! Variable steps with Newmark's formulas: accelerations shifted to the right time, and the local error.

use mbsbench_problem::linalg::Matrix;

use super::formula::Start;
use super::predictor::{Discretisation, Predictor};

/// Newmark's formulas begin a step of size `h` with accelerations (of Hilber, Hughes and Taylor, or the algorithmic
/// ones of generalized-α) that belong to `t₀ + δ h`, with `δ = 1/2 − γ` (α, or `α_m − α_f`). The previous step, of size
/// `h₋`, leaves them at `t₀ + δ h₋`. Without correction the velocity would have an error `(1 − γ) δ (h₋ − h) h q‴`,
/// which is of first order if steps alternately grow and shrink. The accelerations are therefore shifted by
/// `δ (h − h₋) j`, where `j` is the difference quotient of the accelerations at both ends of the previous step.
///
/// With shifted accelerations, the error of the positions at the end of the step is
///
/// ```text
/// q₁ − q(t₁) = C h³ q‴ + O(h⁴),   C = β + δ/2 − 1/6,   h q‴ = a₁ − a₀ + O(h²)
/// ```
///
/// Only the part along the constraints counts, `P₁ e` with the projection at the end of the step. It fails to detect
/// the error if accelerations change only by reactions at the end, `M (a₁ − a₀) = J₁ᵀ λ₁`. An example is a body under
/// constant forces, released without reaction: the step could grow until Newton's method converges to the other side of
/// the circle. There `q‴` vanishes along the constraints, too, and the remaining error, O(h⁶), arises because the step
/// pushes along `J₁ᵀ` throughout, while the motion was first pushed along `J₀ᵀ`. With `M e = M P₁ e + J₁ᵀ μ`, the
/// magnitude of `P₁ M⁻¹ (J₁ − J₀)ᵀ μ` is therefore added: O(h⁴), a small part of the estimate if `q‴` is not zero. For
/// the released pendulum it is `5 C h²/(3 c_q)` times the error, 0.42 to 1.1 times.
pub struct Varying {
    shift: f64,
    constant: f64,
    /// Size of the last accepted step, s; zero at the start, to which the accelerations then belong.
    h: f64,
    /// Size of the attempted step, s.
    size: f64,
    /// Accelerations, multipliers, and the accelerations for Newmark's formulas, as left by the last accepted step.
    a: Vec<f64>,
    lambda: Vec<f64>,
    formulas: Vec<f64>,
    /// Accelerations at the start of the attempted step.
    start: Vec<f64>,
    /// `j`.
    jerk: Vec<f64>,
    /// `J₀`.
    pub jacobian: Matrix<f64>,
}

impl Varying {
    /// Creates the data at the start of a run with variable steps; none if the formulas have no such accelerations
    /// (BDF).
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

    /// Begins an attempt of size `h`, first or repeated: resets accelerations and multipliers to those at the start,
    /// and shifts the accelerations of Newmark's formulas.
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

    /// Takes the rates from the local error, from which components off the constraints are removed. Accelerations in
    /// the directions of constraint forces carry errors of earlier steps, which a change of step must not amplify.
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

    /// Accepts the step: `predictor` holds its end, and `jacobian` is the constraint Jacobian there.
    pub fn accept(&mut self, predictor: &mut Predictor, a: &[f64], lambda: &[f64], jacobian: &Matrix<f64>) {
        self.h = self.size;
        self.a.copy_from_slice(a);
        self.lambda.copy_from_slice(lambda);
        self.formulas.copy_from_slice(predictor.algorithmic().map_or(a, |algorithmic| algorithmic));
        self.jacobian.values_mut().copy_from_slice(jacobian.values());
    }
}
