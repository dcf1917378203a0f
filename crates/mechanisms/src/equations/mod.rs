//! Models given by formulas: `y' = f(t, y)` or `M y' = f(t, y)`, with events.
//!
//! ```text
//! Equations ── compile ─▶ EquationsModel: tapes of right-hand sides, events, observables ── ode ─▶ Ode
//!  (as in file)           (elements of vectors, numbers for names)
//! ```

mod compile;
mod definition;
mod ode;
mod start;
mod tape;

pub use compile::EquationsModel;
pub use definition::{Direction, Equations, Event, State};
