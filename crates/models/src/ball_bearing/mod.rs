//! A ball bearing of rigid bodies in space (for modin2005, section 6.2).
//!
//! The bearing of the paper belongs to a commercial program and is not published. This one has as many states as the
//! paper's table implies, and contacts of the same kind: Hertzian with damping and regularised friction, between
//! balls and races and between balls and the pockets of a cage that is guided by the balls alone.

mod bearing;
mod contacts;
mod equations;
mod geometry;
pub mod hertz;
mod initial;
mod model;
mod rotation;

pub use bearing::{BallBearing, Bearing, CAGE, ContactLaw, Groove, INNER, OUTER, Pockets, Variant};
pub use contacts::Contact;
pub use equations::Power;
pub use initial::{Equilibrium, Rolling};
pub use model::BearingModel;
