//! The set-ups that a paper leaves possible: undetermined parameters and readings of the text are searched for set-ups that meet all that
//! the paper prints about them, checks are judged in those, and what decides is looked for.
//!
//! ```text
//! undetermined: ──space──▶ set-ups ──search──▶ accepted ──bench──▶ verdicts ──explain──▶ Findings ──file──▶ reconstruction.csv, words, figure
//! given: ────────claims::given──▶ tests ───┘
//! ```
//!
//! The block `study:`, the search and the statistics are described in `docs/reconstruction.md`.

mod bench;
mod descent;
pub mod explain;
mod file;
mod finding;
mod random;
#[allow(clippy::module_inception)]
mod reconstruction;
mod scope;
mod search;
mod space;
mod studies;
mod walk;
pub mod words;

pub use bench::ReconstructionError;
pub use finding::{Finding, Findings, Tally};
pub use reconstruction::{Reconstruction, Size, Witness};
pub use scope::{Checks, LeftOut, Scope};
pub use space::{SetUp, Space, is_logarithmic};
pub use studies::{OutdatedStudy, studies};
