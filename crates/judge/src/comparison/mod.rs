//! Comparison of all methods on the models of the papers and of the benchmark sets: the methods that reach an accuracy
//! at the least cost.
//!
//! ```text
//! rankings: ─┐                      ┌─▶ summary.csv, summary.md, report, guide
//! runs.csv ──┼─▶ Curve ──▶ Ranked ──┼─▶ MethodRanks: rank of one method among all others
//! contenders ┘                      └─▶ Profile, fronts, digits per decade of work ──▶ costs.csv
//! ```

mod costs;
mod curve;
mod entrants;
mod profile;
mod ranked;
mod ranks;
mod summary;
mod unequal;

pub use costs::{ACCURACIES, costs_csv};
pub use curve::{APART, Candidate, Cost, Curve, Place, Point, near};
pub use entrants::Contending;
pub use profile::{MOST_RATIO, Profile, Profiled, front};
pub use ranked::{Counts, Ranked, rank};
pub use ranks::{MethodRanks, Rank, Tally};
pub use summary::{Summary, words};
pub use unequal::Unequal;

use mbsbench_experiment::Experiment;

/// The folder below `experiments/` that belongs to no paper. It has many runs, which are computed only on demand.
pub const COMPARISON: &str = "comparison";

/// True if an experiment compares methods across papers.
pub fn is_comparison(experiment: &Experiment) -> bool {
    experiment.paper == COMPARISON
}

/// True if two rankings use the same runs and differ only in the error that they rank.
fn is_about(one: &MethodRanks<'_>, other: &MethodRanks<'_>) -> bool {
    std::ptr::eq(one.plan, other.plan) && one.spec.filter == other.spec.filter
}
