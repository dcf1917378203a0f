//! The linearly implicit Euler method for real-time simulation under its name in experiment files.

use super::{OnGroup, Rule};

method! {
    /// The linearly implicit Euler method of constrained mechanics for real-time simulation, with constant steps, after
    /// M. Arnold, B. Burgermeister, A. Eichberger, Multibody Syst. Dyn. 17 (2007) 99–117: one matrix is formed and
    /// factorized in each step, and nothing is iterated.
    ///
    /// ```text
    /// (M − h ∂D/∂v − h² ∂D/∂q) a₁ = D(t₁, q*, v₀) + Jᵀ λ₁,   J v₁ + Φ_t = 0,   v₁ = v₀ + h a₁,   q₁ = q₀ + h v₁ + δ
    /// (M − h ∂D/∂v − h² ∂D/∂q) δ = Jᵀ μ,   J δ = −Φ(t₁, q₀ + h v₁)
    /// ```
    ///
    /// M, J and the derivatives are those at `q* = q₀ + h v₀`. The constraints are imposed on velocities; the
    /// correction δ of the positions, a second solve with the same factors, keeps them from drifting. On Lie groups `+`
    /// is the retraction. The equations are written from the properties that the paper describes.
    ///
    /// Order of q, v and λ: 1. Constraints are violated by O(h³) in positions and O(h²) in velocities. Without
    /// constraints, linear problems are solved as by the implicit Euler method. Nonholonomic constraints are refused.
    ///
    ///
    /// Counters: one evaluation, Jacobian and factorization and two linear solves per step.
    pub struct HalfImplicitEuler {}
    "half-implicit-euler", "linearly-implicit",
    "Linearly implicit Euler method for constrained mechanics in real time, without iterations",
    "M. Arnold, B. Burgermeister, A. Eichberger, Multibody Syst. Dyn. 17 (2007) 99–117",
    |_| OnGroup { rule: Rule::LinearlyImplicit, newton: (0.0, 0) }
}
