//! The detect–locate–restart solver for discontinuous equations of M. Compere's dissertation (compere2001, chapters 4
//! and 5), for any single-step pair.
//!
//! ```text
//! Pair (one trial step) ─▶ Run ◀─ Detector (set Nr from cubic interpolants of g) ◀─▶ Locator (Newton, try–catch)
//! ```

mod chattering;
mod cubic;
mod definition;
mod detect;
mod locate;
mod pair;
mod run;
mod state;

pub use cubic::Cubic;
pub use definition::{Cel, Dode, PairName, RegionOfConcurrency};
