//! What a formula gives to the engine.

use mbsbench_problem::{CountedDae, Failure};

use super::history::History;
use super::newton::Solver;

/// One step of a formula with points `y = ŷ + c y'`.
pub trait Scheme {
    /// Most points that it remembers, the one under way left out: at least the start and the end of a step.
    fn depth(&self) -> usize;

    /// How many of the newest points the next step builds on.
    fn live(&self) -> usize;

    /// What it remembers beside points begins, at the initial point, which is the only one in `history`.
    fn begin(&mut self, _history: &History) {}

    /// Re-expresses what it remembers beside points, which belongs to `y` in chart `from`, in chart `to`.
    fn transport(&mut self, _dae: &CountedDae<'_>, _y: &[f64], _from: &[f64], _to: &[f64]) {}

    /// Makes a step of size `h` (s) from the newest point, and leaves its end as the newest one.
    ///
    /// # Errors
    /// Those of [`Solver::solve`]; the history is then of no more use.
    fn step(&mut self, solver: &mut Solver<'_, '_>, history: &mut History, h: f64) -> Result<(), Failure>;

    /// How many points [`step`](Self::step) adds: the start of a step is that old at its end.
    fn points(&self) -> usize;
}
