//! Andrews' squeezer (zhang2022, section 5.1): seven links in the plane, pinned together and to the ground in three points,
//! driven by a constant torque against a spring.
//!
//! ```text
//!            C                O, A, B, C   fixed to the ground
//!           /                 O-F          the crank, on which the torque acts
//!     B    / spring           E-F          its rod
//!      ╲‾‾D                   E-B-D        the plate that the spring pulls
//!       ╲╱                    A-G-E, A-H-E two arms of two links each
//!  A-G-──E────F-O
//!   ╲-H-╱
//! ```
//!
//! The mechanism has one degree of freedom and three loops, all of which close in E. Its links are in the local frames of
//! zhang2022, Table 2: the origin is in the first point of a link's name, and the second point lies on the `x` axis (on the
//! `y` axis for E-B-D). The same mechanism with the same data, in the seven angles, is the problem "Andrews' squeezing mechanism"
//! of Schiehlen (ed.), Multibody Systems Handbook (1990), of Hairer and Wanner, Solving Ordinary Differential Equations
//! II, section VII.7, and of the test set for IVP solvers of Bari; they let it start with crank and rod in line.

mod angles;
mod assembly;
mod bodies;
mod drawing;
mod links;
mod model;
mod observation;
mod parameters;

pub use angles::SqueezerAngles;
pub use assembly::Points;
pub use bodies::SqueezerBodies;
pub use links::{Link, Plate};
pub use model::{SqueezerEquations, SqueezerModel};
pub use parameters::{Squeezer, SqueezerFormulation, SqueezerStart};
