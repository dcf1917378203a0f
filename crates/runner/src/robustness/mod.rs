//! How far claims depend on what a paper leaves out: the undetermined parameters of an experiment are sampled over their
//! ranges, each claim is judged at every sample, and what decides is looked for.
//!
//! ```text
//! undetermined: ──sampling──▶ points ──study──▶ verdicts ─┐
//! study: features of the runs ────────────────▶ variables ┴─explain──▶ Finding ──▶ robustness.csv, words, figure
//! ```
//!
//! The language of the block `study:` and the statistics are described in `docs/robustness.md`.

pub mod explain;
pub mod figure;
mod finding;
mod sampling;
pub mod statistics;
mod study;
pub mod words;

pub use finding::Finding;
pub use sampling::is_logarithmic;
pub use study::{LeftOut, Sampled, Study, StudyError};
