//! What the three mechanisms of negrut2007 (section 3) and the double pendulum of gil2013 (section 2) share: a crank that turns about the origin, a rod pinned to its
//! end, in absolute coordinates with constraints or in as few as the motion has.
//!
//! Angles are counter-clockwise from `+x`, gravity is along `−y`, bodies are slender uniform rods.

mod crank;
mod formulation;
mod model;
mod observables;
mod observation;
mod reduced;

pub(crate) use crank::{FollowingRod, dot};
pub use formulation::LinkageFormulation;
pub use model::LinkageModel;
pub use reduced::{Linkage, ReducedOde};

use mbsbench_problem::Scalar;

/// `m L²/12`, kg m²: inertia of a slender rod about its centre.
pub(crate) fn slender<S: Scalar>(mass: f64, length: f64) -> S {
    S::from(mass) * length * length / 12.0
}
