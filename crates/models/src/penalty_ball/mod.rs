//! One ball on a penalty spring (modin2005, section 6.1).
//!
//! It is the ball of [`bouncing_balls`](crate::bouncing_balls) as a second-order equation with contact power, for methods
//! that choose their steps by it and locate no events.

mod equations;
mod exact;
mod parameters;

pub use parameters::PenaltyBall;
