//! A small sphere that rolls on a large fixed one (compere2001, section 3.6).
//!
//! The centre of the small sphere has spherical coordinates `(ρ, α, β)`, its orientation Euler angles
//! `(φ, θ, ψ)`. The nonholonomic constraints are those printed: they equate velocities of the centre with components of
//! the spin in the body's frame, and `β̇` stands without `cos α`, so that this is not the rolling of a real
//! sphere; the published results were made with them.

mod constrained;
mod minimal;
mod model;
mod parameters;

pub use constrained::ConstrainedSpheres;
pub use minimal::MinimalSpheres;
pub use model::SpheresModel;
pub use parameters::RollingSpheres;
