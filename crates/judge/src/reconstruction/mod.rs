//! Reconstruction of the set-ups that a paper allows. Undetermined parameters and readings of the text are searched for
//! set-ups that meet everything the paper prints about them. Checks are judged in these set-ups, and the results are
//! searched for the parameters that decide each verdict.
//!
//! ```text
//! undetermined: ──space──▶ set-ups ──search──▶ accepted ──bench──▶ verdicts ──explain──▶ Findings
//! given: ────────claims::given──▶ tests ───┘
//!
//! Findings ──file──▶ reconstruction.csv
//!          ──words─▶ terminal, report
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
