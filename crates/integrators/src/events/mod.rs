//! Location of zeros of event functions.
//!
//! There are two ways to the first event in a step, which share what they work on: a [`State`] with the functions there,
//! and cubics between two of them ([`hermite`](crate::hermite)). [`Locator`] narrows a bracket for all functions together, whatever
//! made the step, in problems whose events have to be located; [`dode`](crate::dode) locates one function after the other by
//! Newton's method, in problems whose configuration can be locked.

mod locator;
mod state;

use mbsbench_problem::{Counted, CountedEvents, Failure, Scalar};

pub use locator::Locator;
pub use state::State;

/// The event functions of a problem that has been seen to have some.
fn functions<'c, S: Scalar>(problem: &'c mut Counted<'_, S>) -> Result<CountedEvents<'c, S>, Failure> {
    let lost = || Failure::NotApplicable { reason: "the problem has lost its event functions".to_owned() };
    problem.events().ok_or_else(lost)
}
