//! Independent balls over a floor (compere2001, section 5.3.3).
//!
//! Heights that differ by a nanometre make groups of events 0.226 ns apart: what a region of concurrency is for.

mod equations;
pub mod exact;
mod parameters;

pub use equations::Balls;
pub use parameters::{BouncingBalls, Contact, Restitution, SpringDamper};
