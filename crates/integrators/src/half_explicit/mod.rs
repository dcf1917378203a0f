//! Half-explicit Runge–Kutta methods for constrained mechanics with constraints on velocities (index 2).
//!
//! ```text
//! Qᵢ₊₁ = q + h Σⱼ aᵢ₊₁ⱼ H(Qⱼ) Vⱼ,   Vᵢ₊₁ = v + h Σⱼ aᵢ₊₁ⱼ Aⱼ
//! M(Qᵢ) Aᵢ = D(tᵢ, Qᵢ, Vᵢ) + J(tᵢ, Qᵢ)ᵀ Λᵢ,   0 = dΦ/dt (tᵢ₊₁, Qᵢ₊₁, Vᵢ₊₁)
//! ```
//!
//! (V. Brasey, E. Hairer, SIAM J. Numer. Anal. 30 (1993) 538–552; Hairer, Wanner, Solving Ordinary Differential
//! Equations II, section VII.6.) The multipliers of a stage are determined by the velocity constraints at the next
//! point, so that each stage needs one linear system and no iteration. Constraints on positions are not imposed; they
//! hold to the error of the method.
//!
//! In a method with an explicit first stage (M. Arnold, BIT 38 (1998) 415–438), that stage uses the last multipliers
//! of the previous step, and the velocities of the second point need not satisfy their constraints. A point beyond
//! the end of the step gives the multipliers at the end. In this way a formula for differential equations keeps its
//! order, which it would otherwise lose.
//!
//! `HalfExplicitStepper` integrates mechanics, `DescriptorStepper` equations `M y' = f(t, y)` of index 2.

mod definitions;
mod descriptor;
mod stepper;
mod tables;

pub use definitions::{Hedop5, Hem4};
pub use stepper::HalfExplicitStepper;
pub use tables::{HEDOP5, HEM4, Table};

#[cfg(test)]
mod tests;
