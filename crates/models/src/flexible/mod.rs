//! Flexible multibody mechanisms: nodes that move and turn, rigid bodies, beams, joints (zhang2022, sections 5.2 to 5.4).
//!
//! An [`Assembly`] is a list of parts; [`Flexible`] is one that has been checked. Its [equations](FlexibleEquations) are
//! differential-algebraic, on ℝ³ × SO(3) for each node, and are solved in charts that move along.

mod banded;
mod beam;
mod check;
mod coupling;
mod equations;
#[expect(clippy::module_inception, reason = "it is what the folder is about")]
mod flexible;
mod inertia;
mod law;
mod layout;
mod motion;
mod parts;
mod refused;
mod so3;
mod system;

pub use equations::FlexibleEquations;
pub use flexible::{Energy, Flexible};
pub use law::{Law, Rise};
pub use parts::{Assembly, Base, Beam, Gravity, Joint, Node, RigidBody, Section, SectionLoad, Side, Strut, Twist};
pub use refused::{Part, Refused};

#[cfg(test)]
mod tests;
