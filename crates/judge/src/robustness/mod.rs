//! How far verdicts depend on what a paper leaves out: the undetermined parameters of an experiment are sampled over their
//! ranges, other readings are gone through one by one, each check is judged on every one, and what decides is looked for.
//!
//! ```text
//! undetermined: ──sampling──▶ points, readings ──study──▶ verdicts ─┐
//! study: scope, features of the runs ───────────────────▶ variables ┴─explain──▶ Finding ──▶ robustness.csv, words, figure
//! ```
//!
//! The language of the block `study:` and the statistics are described in `docs/robustness.md`.

pub mod explain;
mod finding;
mod sampling;
mod scope;
pub mod statistics;
mod studies;
mod study;
pub mod words;

pub use finding::Finding;
pub use sampling::is_logarithmic;
pub use scope::{LeftOut, Scope};
pub use statistics::wilson;
pub use studies::{OutdatedStudy, studies};
pub use study::{Sampled, Study, StudyError};
