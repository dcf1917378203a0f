//! The interface of a formula to the engine.

use mbsbench_problem::Failure;

use super::history::History;
use super::newton::Solver;

/// A formula whose points have `y = ŷ + c y'`.
pub trait Scheme {
    /// The largest number of past points that a step uses, not counting the one being solved for. At the end of a
    /// step, its start has to be among them.
    fn depth(&self) -> usize;

    /// Number of points that a step adds to the history: the age of its start when it ends.
    fn points(&self) -> usize;

    /// Begins a run at the initial point, the only one in `history`.
    fn begin(&mut self, _history: &History) {}

    /// Makes a step of size `h` (s) from the newest point and adds its end as the newest one. First moves the chart
    /// to the start of the step.
    ///
    /// # Errors
    /// Returns an error if [`Solver::solve`] fails; the history is then invalid.
    fn step(&mut self, solver: &mut Solver<'_, '_>, history: &mut History, h: f64) -> Result<(), Failure>;
}
