//! Mechanisms in joint coordinates: the coordinates that a tree of joints leaves free, and constraints for cut loops.
//!
//! ```text
//! compile ─ candidates ─▶ tree ──▶ kinematics (frames, columns, twists) ──┬─▶ articulated ─▶ ode     (no constraints)
//!                                       │                                 └─▶ composite ─▶ AccelerationLevel  (other)
//!                                       └─▶ absolute coordinates ─▶ actions, relations, observables
//! ```
//!
//! `branches` has the derivatives of the accelerations of a tree, with which implicit methods solve their systems joint
//! by joint.

mod articulated;
mod branches;
mod coordinates;
mod kinematics;
mod state;
mod tree;

pub use articulated::{Articulated, TreeOde};
pub use coordinates::JointSpace;
pub use kinematics::{Kinematics, Moved};
pub(crate) use state::angle_about;
pub use tree::{Candidate, Coupling, Freedom, Link, Step, Tree};
