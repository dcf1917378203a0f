//! What a paper says, tested against what was measured.
//!
//! ```text
//! claims.yaml ──written, ledger──▶ Statement ⊃ Check ─┐
//! runs.csv ────────────evidence──▶ numbers ───────────┼─judge──▶ Judgement ─┐
//! experiment files ─────grounds──▶ marks ─────────────┼─────────────────────┴─standing──▶ outcome ──record──▶ claims.json, tables
//! reconstruction.csv ──────────────▶ Studied ─────────┘
//! ```
//!
//! The language is described in `docs/claims.md`.

mod cells;
mod check;
pub mod definition;
mod evidence;
mod given;
mod grounds;
mod judge;
mod ledger;
mod letter;
mod lock;
mod paired;
mod printed;
pub mod record;
mod runs;
pub mod schema;
pub mod spec;
mod standing;
mod statement;
mod test;
mod verdict;
mod written;

pub use check::{Check, Kind, Tested};
pub(crate) use evidence::median;
pub use evidence::{Evidence, EvidenceError, Lacking, Number, Recorded, Selection};
pub use given::Given;
pub use grounds::Grounds;
pub use judge::judge;
pub use ledger::{Book, Ledger};
pub use letter::{Question, letter, questions};
pub use lock::{Change, Lock};
pub use printed::Printed;
pub use record::{Judged, JudgedCheck};
pub use standing::{Company, Counts, Share, Standing, Studied, Studies};
pub use statement::Statement;
pub use test::Test;
pub use verdict::{Detail, Judgement, Outcome, Reason, Verdict};
