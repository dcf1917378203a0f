//! Flexible multibody mechanisms: nodes that move and turn, rigid bodies, beams, joints (zhang2022, sections 5.2 to 5.4).

mod law;
mod parts;

pub use law::{Law, Rise};
pub use parts::{Assembly, Base, Beam, Gravity, Joint, Node, RigidBody, Section, SectionLoad, Side, Strut, Twist};
