//! Andrews' squeezer (zhang2022, section 5.1): seven links in the plane, pinned together and to the ground at three
//! points, driven by a constant torque against a spring.
//!
//! ```text
//! O-F    crank, with the torque             A-G, A-H   arms about A
//! E-F    its rod                            G-E, H-E   links from the arms to E
//! E-B-D  plate about B, with a spring from D to the ground at C
//! ```
//!
//! The mechanism has one degree of freedom and three loops, which all close at E. Its links are in the local frames
//! of zhang2022, Table 2: the origin is the first point of a link's name, and the second point lies on the `x` axis
//! (on the `y` axis for E-B-D). In the seven angles, with the same data, it is Andrews' squeezing mechanism of
//! Schiehlen (ed.), Multibody Systems Handbook (1990), of Hairer and Wanner, Solving Ordinary Differential Equations
//! II, section VII.7, and of the test set for IVP solvers (Bari); the latter starts it with crank and rod in line.

mod angles;
mod assembly;
mod bodies;
mod closed_form;
mod elimination;
mod links;
mod model;
mod momenta;
mod parameters;

pub use angles::SqueezerAngles;
pub use assembly::Points;
pub use bodies::SqueezerBodies;
pub use links::{Link, Plate};
pub use model::{SqueezerEquations, SqueezerModel};
pub use momenta::{Rotations, SqueezerMomenta};
pub use parameters::{Squeezer, SqueezerFormulation, SqueezerStart};
