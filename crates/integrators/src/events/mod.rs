//! Location of zeros of event functions.
//!
//! There are two ways to the first event in a step, which share what they work on: a [`State`] with the functions there,
//! and cubics between two of them ([`hermite`](crate::hermite)). [`Locator`] narrows a bracket for all functions together, whatever
//! made the step, in problems whose events have to be located; [`dode`](crate::dode) locates one function after the other by
//! Newton's method, in problems whose configuration can be locked.

mod locator;
mod state;

pub use locator::Locator;
pub use state::State;
