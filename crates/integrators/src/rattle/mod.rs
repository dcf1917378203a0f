//! RATTLE and SHAKE: the Störmer–Verlet method with constraints on positions.
//!
//! ```text
//! p½ = p₀ + h/2 (F(q₀, p½) + J₀ᵀ λ)
//! q₁ = q₀ + h/2 (M₀⁻¹ + M₁⁻¹) p½,             0 = Φ(t₁, q₁)
//! p₁ = p½ + h/2 (F(q₁, p½) + J₁ᵀ μ),           0 = dΦ/dt (t₁, q₁, M₁⁻¹ p₁)
//! ```
//!
//! with momenta `p = M(q) v` and `F = D + Ṁ v` (E. Hairer, Ch. Lubich, G. Wanner, Geometric Numerical Integration,
//! section VII.1.4, Eq. 1.26). If mass matrices are constant and forces do not depend on velocities, only the
//! multipliers are implicit, and the method is that of H. C. Andersen.
//!
//! ```text
//! Point    terms of the equations at the start or end of a step
//! Solver   ── λ, the half step and the positions of the end, by Newton's iteration; then μ ──▶ Steps (RATTLE, SHAKE)
//! ```

mod definitions;
mod point;
mod run;
mod solver;

pub use definitions::{Rattle, Shake};
