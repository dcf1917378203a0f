//! The wheelset of the test set for IVP solvers: a rigid pair of wheels on straight rails, with creep forces.
//!
//! `y = (x, y, z, θ, φ, their rates, β', ψ_R, ξ_R, ψ_L, ξ_L, λ₁, λ₂)`: displacements across the track, upwards and along, yaw, roll, the
//! deviation of the spin from rolling, where on each wheel the contact is, and normal forces over 10⁴ N. The contact points are
//! algebraic unknowns of index 1, the normal forces of index 2, since constraints are those on velocities.

mod contact;
mod equations;
mod parameters;

pub use parameters::Wheelset;
