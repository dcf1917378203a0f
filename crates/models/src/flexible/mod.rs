//! Flexible multibody mechanisms: nodes that move and turn, rigid bodies, beams, joints (zhang2022, sections 5.2 to 5.4).
//!
//! An [`Assembly`] is a list of parts; [`Flexible`] is one that has been checked. Its [equations](FlexibleEquations) are
//! differential-algebraic, on ℝ³ × SO(3) for each node, and are solved in charts that move along.
//!
//! Three mechanisms are made of it: a four-bar mechanism that would lock if it were rigid ([`FlexibleFourBar`]), a beam that
//! buckles sideways ([`LateralBuckling`]), a shaft that runs through its critical speed ([`RotatingShaft`]). A clamped beam is there for
//! its statics ([`TipLoadedBeam`]).

mod bar;
mod beam;
mod buckling;
mod cantilever;
mod check;
mod coupling;
mod equations;
mod four_bar;
mod inertia;
mod law;
mod layout;
mod mechanism;
mod model;
mod motion;
mod parts;
mod refused;
mod shaft;
mod so3;
mod system;
#[cfg(test)]
mod testing;

pub use bar::CrossSection;
pub use buckling::LateralBuckling;
pub use cantilever::TipLoadedBeam;
pub use equations::FlexibleEquations;
pub use four_bar::{FlexibleFourBar, Lumps};
pub use law::{Law, Rise};
pub use mechanism::{Energy, Flexible};
pub use parts::{
    Assembly, Base, Beam, DeadLoad, Gravity, Joint, Node, RigidBody, Section, SectionLoad, Side, Strut, Twist,
};
pub use refused::{Part, Refused};
pub use shaft::{Disk, RotatingShaft};

#[cfg(test)]
mod tests;
