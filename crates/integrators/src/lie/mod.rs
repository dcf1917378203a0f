//! Methods on Lie groups: constrained mechanics whose positions may be rotations or of any other kind.
//!
//! The generalized-α method is
//!
//! ```text
//! M(q₁) a₁ = D(t₁, q₁, v₁) + J₁ᵀ λ₁,   0 = Φ(t₁, q₁),   q₁ = q₀ ∘ exp(h Δ)
//! h Δ = h v₀ + h² ((1/2 − β) ā₀ + β ā₁),   v₁ = v₀ + h ((1 − γ) ā₀ + γ ā₁)
//! (1 − α_m) ā₁ + α_m ā₀ = (1 − α_f) a₁ + α_f a₀
//! ```
//!
//! (O. Brüls, A. Cardona, J. Comput. Nonlinear Dyn. 5 (2010) 031002; M. Arnold, O. Brüls, A. Cardona, Numer. Math. 129
//! (2015) 149–179.) `q ∘ exp` is the problem's retraction
//! ([`Mechanics::retract`](mbsbench_problem::Mechanics::retract)). For vectors it is the sum, and the method reduces to
//! `generalized-alpha`. Newton's matrix contains derivatives along the displacement. They include the tangent operator
//! of the group and are computed by dual numbers through the retraction. The other methods differ in the displacement
//! and the velocities only, `h Δ = δ̂ + c_q a₁` and `v₁ = v̂ + c_v a₁`.

mod definitions;
mod solver;
mod steps;

use definitions::Rule;
pub use definitions::{Bliedf, HalfImplicitEuler, LieGeneralizedAlpha};
