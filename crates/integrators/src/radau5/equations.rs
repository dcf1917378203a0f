//! What the stages ask of a problem.

use mbsbench_problem::linalg::Singular;
use mbsbench_problem::{Counted, Failure};
use nalgebra::Complex;

/// Equations `M y' = f(t, y)` with a constant `M`, with their linear algebra.
pub(super) trait Equations {
    /// The index of each unknown, 1 (or none), 2 or 3.
    fn indices(&self) -> Vec<u8>;

    /// Number of unknowns that are the state of the problem; they come first.
    fn state(&self) -> usize;

    /// Number of unknowns that are multipliers; they come last.
    fn multipliers(&self) -> usize;

    /// Writes unknowns that satisfy the algebraic equations at the start: `y` holds the state.
    ///
    /// # Errors
    /// Those of the problem, or that there are none.
    fn start(&mut self, problem: &mut Counted<'_>, t: f64, y: &mut [f64]) -> Result<(), Failure>;

    /// Writes `f(t, y)`.
    ///
    /// # Errors
    /// Those of the problem.
    fn rhs(&mut self, problem: &mut Counted<'_>, t: f64, y: &[f64], f: &mut [f64]) -> Result<(), Failure>;

    /// Forms `J = ∂f/∂y` at `(t, y)`, where `f` is `f(t, y)`.
    ///
    /// # Errors
    /// Those of the problem.
    fn linearise(&mut self, problem: &mut Counted<'_>, t: f64, y: &[f64], f: &[f64]) -> Result<(), Failure>;

    /// Evaluations of the right-hand side that forming `J` costs.
    fn linearisation_cost(&self) -> u64;

    /// Factorizes `real M − J` and `complex M − J`.
    ///
    /// # Errors
    /// [`Singular`].
    fn factorize(&mut self, real: f64, complex: Complex<f64>) -> Result<(), Singular>;

    /// Writes `M x`.
    fn multiply_mass(&self, x: &[f64], product: &mut [f64]);

    /// Solves with the factors of `real M − J`, in place.
    fn solve_real(&mut self, x: &mut [f64]);

    /// Solves with the factors of `complex M − J` for the right-hand side `re + i im`, in place.
    fn solve_complex(&mut self, re: &mut [f64], im: &mut [f64]);
}
