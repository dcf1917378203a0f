//! Flexible multibody mechanisms: nodes that translate and rotate, rigid bodies, beams, joints (zhang2022,
//! sections 5.2 to 5.4).
//!
//! The equations are differential-algebraic, on ℝ³ × SO(3) for each node, and are solved in charts that move with the
//! solution.
//!
//! The module has three mechanisms: a four-bar mechanism that would lock if it were rigid ([`FlexibleFourBar`]), a
//! beam that buckles sideways ([`LateralBuckling`]), and a shaft that runs through its critical speed
//! ([`RotatingShaft`]). A clamped beam serves for statics ([`TipLoadedBeam`]).

mod bar;
mod beam;
mod buckling;
mod cantilever;
mod coupling;
mod equations;
mod four_bar;
mod layout;
mod mechanism;
mod model;
mod motion;
mod parts;
mod shaft;
mod so3;
mod system;

pub use bar::CrossSection;
pub use buckling::LateralBuckling;
pub use cantilever::TipLoadedBeam;
pub use four_bar::{FlexibleFourBar, Lumps};
pub use shaft::{Disk, RotatingShaft};

use mechanism::{Energy, Flexible, Snapshot};
use parts::{Assembly, Beam, DeadLoad, Gravity, Joint, Law, Node, RigidBody, Section, Side, Strut, Twist, Wrench};

#[cfg(test)]
mod tests;
