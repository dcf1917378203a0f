//! A uniform rod that swings about one of its ends (compere2001, section 3.5).
//!
//! The angle θ is measured from the direction of gravity, along which the axis `X` points.

mod constrained;
pub mod exact;
mod minimal;
mod model;
mod parameters;

pub use constrained::ConstrainedRod;
pub use minimal::MinimalRod;
pub use model::PendulumModel;
pub use parameters::Pendulum;
