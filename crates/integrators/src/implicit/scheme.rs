//! What a formula gives to the engine.

use mbsbench_problem::Failure;

use super::history::History;
use super::newton::Solver;

/// One step of a formula whose points have `y = ŷ + c y'`.
pub trait Scheme {
    /// Most points that it looks back at, the one under way left out; the start of a step is among them at its end.
    fn depth(&self) -> usize;

    /// How many points a step adds to the history: the start of a step is that old at its end.
    fn points(&self) -> usize;

    /// The run begins at the initial point, the only one in `history`.
    fn begin(&mut self, _history: &History) {}

    /// Makes a step of size `h` (s) from the newest point, and leaves its end as the newest one. Moves the chart to the
    /// start of the step first.
    ///
    /// # Errors
    /// Those of [`Solver::solve`]; the history is then of no more use.
    fn step(&mut self, solver: &mut Solver<'_, '_>, history: &mut History, h: f64) -> Result<(), Failure>;
}
