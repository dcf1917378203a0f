//! RATTLE and SHAKE: the method of Störmer and Verlet with constraints on positions.
//!
//! ```text
//! p½ = p₀ + h/2 (F(q₀, p½) + J₀ᵀ λ)
//! q₁ = q₀ + h/2 (M₀⁻¹ + M₁⁻¹) p½,             0 = Φ(t₁, q₁)
//! p₁ = p½ + h/2 (F(q₁, p½) + J₁ᵀ μ),           0 = dΦ/dt (t₁, q₁, M₁⁻¹ p₁)
//! ```
//!
//! with momenta `p = M(q) v` and `F = D + Ṁ v` (E. Hairer, Ch. Lubich, G. Wanner, Geometric Numerical Integration, section VII.1.4,
//! Eq. 1.26). Where mass matrices are constant and forces do not depend on velocities nothing but the multipliers is implicit, and it is
//! the method of H. C. Andersen.
//!
//! ```text
//! Point    what is known where a step begins or ends
//! Solver   ── λ, the half step and the positions of the end, by Newton's iteration; then μ ──▶ Steps (RATTLE, SHAKE)
//! ```

mod definitions;
mod point;
mod run;
mod solver;

pub use definitions::{Rattle, Shake};
