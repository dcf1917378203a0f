//! Location of zeros of event functions.
//!
//! Two algorithms find the first event in a step. They share [`State`], which contains the event functions,
//! [`Samples`] of them inside a step, and cubics between two states ([`hermite`](crate::hermite)). [`Locator`] narrows
//! one bracket for all functions together, with any stepper, in problems whose events have to be located.
//! [`dode`](crate::dode) locates one function after the other by Newton's method, in problems whose configuration can
//! be locked.

mod chattering;
mod locator;
mod samples;
mod state;

pub use chattering::Chattering;
pub use locator::Locator;
pub use samples::{Sampler, Samples};
pub use state::State;
