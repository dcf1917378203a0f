//! All methods on the models of the papers and of the benchmark sets: which of them reach an accuracy at the least cost.
//!
//! ```text
//! rankings: ─┐
//! runs.csv ──┼─ rank ──▶ Ranked ─▶ summary.csv, summary.md, report
//! own runs ──┴─ stand ─▶ Standing: where one method stands among all others
//!               Field ─▶ fronts, performance profiles, digits for work: all methods on all models at once ─▶ costs.csv
//! ```

mod costs;
mod curve;
mod field;
mod rank;
mod ranked;
mod standing;
mod summary;
mod traits;
mod unequal;

pub use costs::{ACCURACIES, costs_csv};
pub use curve::{Cost, Point};
pub use field::{Contestant, Field, MOST_RATIO, Profile, Profiled, front};
pub use rank::{Candidate, Place, cheapest};
pub use ranked::{Counts, Ranked, rank};
pub use standing::{Entrant, Rank, Standing, Tally, costs, entrants, errors_and_costs, stand};
pub use summary::{Summary, words};
pub use traits::{SPATIAL, Traits};
pub use unequal::Unequal;

use mbsbench_experiment::Experiment;

/// The folder below `experiments/` that belongs to no paper: its runs are many, and are made on demand only.
pub const COMPARISON: &str = "comparison";

/// Most methods that are named for an accuracy.
pub const NAMED: usize = 3;

/// Whether an experiment compares methods across the papers.
#[must_use]
pub fn is_comparison(experiment: &Experiment) -> bool {
    experiment.paper == COMPARISON
}

/// Whether two rankings are about the same runs, of which they rank different errors.
fn is_about(one: &Standing<'_>, other: &Standing<'_>) -> bool {
    std::ptr::eq(one.plan, other.plan) && one.spec.filter == other.spec.filter
}
