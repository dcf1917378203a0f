//! The detect–locate–restart solver for discontinuous equations of M. Compere's dissertation (compere2001, chapters 4
//! and 5), for any single-step pair.
//!
//! ```text
//! Pair (one trial step) ─▶ Steps ◀─ Detector (set Nr from samples of g) ◀─▶ Locator (Newton, try–catch)
//! ```

mod definition;
mod detect;
mod locate;
mod pair;
mod rules;
mod run;
mod sdirk;

pub use definition::{Cel, Dode, ErrorProne, EventRules, PairName, RegionOfConcurrency};
pub(crate) use pair::Pair;
pub(crate) use rules::{Detection, Rules};
pub(crate) use run::solve;
