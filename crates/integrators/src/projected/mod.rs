//! Explicit formulas for constrained mechanics, with a projection onto the constraints of positions and velocities after each
//! step (E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, section VII.2).
//!
//! ```text
//! ExplicitStepper ── accelerations of index 1 ─┐
//! Projection ─────── Φ = 0, then dΦ/dt = 0 ────┴▶ ProjectedStepper ──▶ drive
//! ```
//!
//! The equations at acceleration level drift off the constraints, for Φ with the square of time. As the manifold of the
//! constraints is invariant and the projection moves a state by no more than the error of the step, the order is that of the
//! formula.

mod definition;
mod projection;
mod stepper;

pub use definition::Dop853Projected;
pub use projection::Projection;
pub use stepper::ProjectedStepper;
