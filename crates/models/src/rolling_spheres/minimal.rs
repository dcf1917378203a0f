//! The rolling sphere in as few coordinates and velocities as its constraints leave.

use mbsbench_problem::{OdeModel, Scalar};

/// `y = (α, β, φ, θ, ψ ; φ̇, θ̇, ψ̇)` with `ρ = R + r` and, from the nonholonomic constraints with `k = r/(R + r)`,
///
/// ```text
/// α̇ = k (φ̇ sin θ cos ψ − θ̇ sin ψ),   β̇ = k (φ̇ sin θ sin ψ + θ̇ cos ψ)
/// ```
///
/// Own derivation: the equations of motion are multiplied from the left by the transpose of `∂v/∂(φ̇, θ̇, ψ̇)`, which
/// takes the multipliers out. The equation of `ψ` gives `ψ̈ = φ̇ θ̇ sin θ − φ̈ cos θ`; the other two are linear in
/// `p = φ̈ sin θ` and `θ̈`. Divided by `m r²`, with `C = cos² α`, `α̈ = k (p cos ψ − θ̈ sin ψ) + b_α` and
/// `β̈ = k (p sin ψ + θ̈ cos ψ) + b_β`:
///
/// ```text
/// [ cos²ψ + C sin²ψ + 2/5    (C − 1) sin ψ cos ψ    ] [p ]     [ (g_α cos ψ + g_β sin ψ)/k + 2/5 (φ̇ θ̇ cos θ − θ̇ ψ̇) ]
/// [ (C − 1) sin ψ cos ψ      sin²ψ + C cos²ψ + 2/5  ] [θ̈] = − [ (g_β cos ψ − g_α sin ψ)/k + 2/5 φ̇ ψ̇ sin θ          ]
/// g_α = b_α + β̇² sin α cos α,   g_β = C b_β − 2 α̇ β̇ sin α cos α
/// ```
///
/// Singular, as the Euler angles are, where `sin θ = 0`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MinimalSpheres {
    /// Radius `R` of the fixed sphere, m.
    pub outer_radius: f64,
    /// Radius `r` of the rolling sphere, m.
    pub inner_radius: f64,
}

impl MinimalSpheres {
    fn distance<S: Scalar>(&self) -> S {
        S::from(self.outer_radius) + self.inner_radius
    }

    /// Writes `(q ; v)` of the constrained formulation.
    pub fn expand<S: Scalar>(&self, y: &[S], full: &mut [S]) {
        full[0] = self.distance();
        full[1..6].copy_from_slice(&y[..5]);
        full[6] = S::nought();
        (full[7], full[8]) = self.centre_rates(y);
        full[9..].copy_from_slice(&y[5..]);
    }

    /// `(α̇, β̇)`, rad/s.
    fn centre_rates<S: Scalar>(&self, y: &[S]) -> (S, S) {
        let ratio = S::from(self.inner_radius) / self.distance::<S>();
        let sin_theta = y[3].sin();
        let (sin_psi, cos_psi) = y[4].sin_cos();
        let (phi_rate, theta_rate) = (y[5], y[6]);
        (
            ratio * (phi_rate * sin_theta * cos_psi - theta_rate * sin_psi),
            ratio * (phi_rate * sin_theta * sin_psi + theta_rate * cos_psi),
        )
    }
}

impl OdeModel for MinimalSpheres {
    fn dimension(&self) -> usize {
        8
    }

    fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
        let ratio = S::from(self.inner_radius) / self.distance::<S>();
        let (sin_alpha, cos_alpha) = y[0].sin_cos();
        let (sin_theta, cos_theta) = y[3].sin_cos();
        let (sin_psi, cos_psi) = y[4].sin_cos();
        let (phi_rate, theta_rate, psi_rate) = (y[5], y[6], y[7]);
        let (alpha_rate, beta_rate) = self.centre_rates(y);
        dydt[0] = alpha_rate;
        dydt[1] = beta_rate;
        dydt[2..5].copy_from_slice(&y[5..8]);

        // What α̈ and β̈ are at φ̈ = θ̈ = 0.
        let nutation = phi_rate * theta_rate * cos_theta;
        let spin = phi_rate * psi_rate * sin_theta;
        let bias_alpha = ratio * (nutation * cos_psi - spin * sin_psi - theta_rate * psi_rate * cos_psi);
        let bias_beta = ratio * (nutation * sin_psi + spin * cos_psi - theta_rate * psi_rate * sin_psi);
        let square = cos_alpha * cos_alpha;
        let product = sin_alpha * cos_alpha;
        let g_alpha = bias_alpha + beta_rate * beta_rate * product;
        let g_beta = square * bias_beta - alpha_rate * beta_rate * product * 2.0;

        let inertia = S::ratio(2.0, 5.0);
        let m11 = cos_psi * cos_psi + square * sin_psi * sin_psi + inertia;
        let m12 = (square - 1.0) * sin_psi * cos_psi;
        let m22 = sin_psi * sin_psi + square * cos_psi * cos_psi + inertia;
        let f1 = -((g_alpha * cos_psi + g_beta * sin_psi) / ratio + inertia * (nutation - theta_rate * psi_rate));
        let f2 = -((g_beta * cos_psi - g_alpha * sin_psi) / ratio + inertia * spin);
        let determinant = m11 * m22 - m12 * m12;
        let phi_second = (f1 * m22 - f2 * m12) / (determinant * sin_theta);
        dydt[5] = phi_second;
        dydt[6] = (f2 * m11 - f1 * m12) / determinant;
        dydt[7] = phi_rate * theta_rate * sin_theta - phi_second * cos_theta;
    }
}
