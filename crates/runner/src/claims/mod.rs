//! Claims: what a paper says, tested against what was measured.
//!
//! ```text
//! claims.yaml ──ledger──▶ Claim ─┐
//! runs.csv ──evidence──▶ numbers ┴─judge──▶ Judgement ──record──▶ claims.json, tables
//! ```
//!
//! The language is described in `docs/claims.md`.

mod cells;
mod checks;
mod claim;
mod evidence;
mod judge;
mod ledger;
mod paired;
mod printed;
pub mod record;
pub mod spec;
mod test;
mod verdict;

pub use claim::{Claim, Kind, Tested};
pub use evidence::{Evidence, EvidenceError, Lacking, Number, Recorded, Selection};
pub use judge::judge;
pub use ledger::{Book, Ledger};
pub use printed::Printed;
pub use record::Judged;
pub use test::Test;
pub use verdict::{Detail, Judgement, Verdict};
