//! Tests of the statements of papers against measured results.
//!
//! ```text
//! claims.yaml ─written, reader─▶ Statement ⊃ Check ─┐
//! runs.csv ───────────evidence─▶ numbers ───────────┼─judge──▶ Judgement ─┐
//! experiment files ────grounds─▶ marks ─────────────┼─────────────────────┴─judged──▶ outcome ──record──▶ claims.json
//! reconstruction.csv ────────────▶ Share ───────────┘
//! ```
//!
//! The language is described in `docs/claims.md`.

mod bound;
mod cells;
mod check;
pub mod definition;
mod evidence;
mod expand;
mod given;
mod grounds;
mod judge;
mod judged;
mod ledger;
mod letter;
mod lock;
mod number;
mod paired;
mod printed;
mod reader;
pub mod record;
mod runs;
pub mod schema;
mod share;
pub mod spec;
mod statement;
mod test;
mod verdict;

pub use bound::{BoundFrom, BoundSet};
pub use check::{Check, Kind};
pub use evidence::{Evidence, EvidenceError, Selection};
pub use given::Given;
pub use grounds::Grounds;
pub use judge::judge;
pub use judged::{Judged, JudgedCheck, judge_all};
pub use ledger::Ledger;
pub use letter::{Question, letter, questions};
pub use lock::{Change, Lock};
pub use number::Number;
pub use printed::Printed;
pub use schema::Book;
pub use share::{Counts, Share, Studies};
pub use statement::Statement;
pub use test::Test;
pub use verdict::{Detail, Judgement, Outcome, Reason, Verdict};

use check::Role;
use definition::Definitions;
use evidence::unmade;
use grounds::Ground;
use mbsbench_experiment::Plan;
use number::{difference, finest_of, interpolated, ratio, reduce, sized};
use reader::Reader;
use schema::{FRAME, SCHEMA};
use spec::{
    Agreement, At, Cells, Failure, Identity, Landmark, Measurement, Open, Operand, Order, Ordering, Reduce, Shape,
    TableName, Tolerance, Unit, Weaker,
};
use statement::Holds;

/// Finds the plan of an experiment that is named with or without its paper.
fn plan_of<'p>(plans: &'p [Plan], paper: &str, name: &str) -> Option<&'p Plan> {
    plans.iter().find(|plan| plan.experiment.is_called(name, paper))
}
