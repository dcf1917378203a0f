//! Equations `M y' = f(t, y)` whose unknowns have an index, for implicit methods of high order.
//!
//! ```text
//! Equations ── FirstOrder      M y' = f(t, y), with M constant or the identity
//!     └─────── IndexThree      (q, v, w, λ) of constrained mechanics
//!                 ├─ Factors   of real and complex matrices, on Columns in blocks of rows
//!                 └─ SparseCondensed   for mechanisms with many bodies
//! ```

mod blocks;
mod condensed;
mod factors;
mod first_order;
mod index3;
mod tolerances;

use mbsbench_problem::linalg::Singular;
use mbsbench_problem::{Counted, Failure, Ode, Unsuitable, dae};
use nalgebra::Complex;

use first_order::FirstOrder;
use index3::IndexThree;
pub(crate) use tolerances::Tolerances;

/// The matrices that a method factorizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Eigenvalues {
    /// `γ M − J` with a real `γ`.
    Real,
    /// `γ M − J` with a real `γ`, and one with a complex `γ`.
    RealAndComplex,
}

/// Checks that the equations of `problem` have one of these forms, for a method that needs one smooth solution over
/// several steps.
///
/// # Errors
/// Returns the reason if they have none.
pub(crate) fn suit(problem: &mut dyn Ode) -> Result<(), Unsuitable> {
    if problem.form().index3().is_some() {
        return dae::suits(problem);
    }
    Unsuitable::unless_lasting(problem, "a solution that stays smooth over several steps")?;
    Unsuitable::without_rhs(problem)
}

/// The equations of `problem`, in index-3 form if it is constrained mechanics.
pub(crate) fn of(problem: &mut Counted<'_>, eigenvalues: Eigenvalues) -> Box<dyn Equations> {
    match problem.has_index3().then(|| IndexThree::new(problem, eigenvalues)) {
        Some(Ok(mechanics)) => Box::new(mechanics),
        _ => Box::new(FirstOrder::new(problem, eigenvalues)),
    }
}

/// Equations `M y' = f(t, y)` with a constant `M`, and their linear algebra.
pub(crate) trait Equations {
    /// The index of each unknown, 1 (or none), 2 or 3.
    fn indices(&self) -> Vec<u8>;

    /// Number of unknowns in the state of the problem; they come first.
    fn state(&self) -> usize;

    /// Number of multipliers; they come last.
    fn multipliers(&self) -> usize;

    /// Completes the state in `y` with unknowns that satisfy the algebraic equations at the start.
    fn start(&mut self, problem: &mut Counted<'_>, t: f64, y: &mut [f64]) -> Result<(), Failure>;

    /// Writes `f(t, y)`.
    fn rhs(&mut self, problem: &mut Counted<'_>, t: f64, y: &[f64], f: &mut [f64]) -> Result<(), Failure>;

    /// Forms `J = ∂f/∂y` at `(t, y)`. The argument `f` is `f(t, y)`.
    fn linearise(&mut self, problem: &mut Counted<'_>, t: f64, y: &[f64], f: &[f64]) -> Result<(), Failure>;

    /// Writes the rates at the start: the least-squares solution `y'` of `M y' = f` of smallest norm.
    fn write_start_rates(&self, f: &[f64], rates: &mut [f64]);

    /// True if forming `J` needs `f`.
    fn linearises_by_differences(&self) -> bool;

    /// Number of evaluations of the right-hand side for forming `J`.
    fn linearisation_cost(&self) -> u64;

    /// Factorizes `real M − J`.
    ///
    /// # Errors
    /// Returns [`Singular`] if the matrix cannot be factorized.
    fn factorize_real(&mut self, real: f64) -> Result<(), Singular>;

    /// Factorizes `complex M − J`, for a method with [both](Eigenvalues::RealAndComplex) eigenvalues.
    ///
    /// # Errors
    /// Returns [`Singular`] if the matrix cannot be factorized.
    fn factorize_complex(&mut self, complex: Complex<f64>) -> Result<(), Singular>;

    /// Writes the product `M x`.
    fn multiply_mass(&self, x: &[f64], product: &mut [f64]);

    /// Solves with the factors of `real M − J`, in place.
    fn solve_real(&mut self, x: &mut [f64]);

    /// Solves with the factors of `complex M − J` for the right-hand side `re + i im`, in place.
    fn solve_complex(&mut self, re: &mut [f64], im: &mut [f64]);
}
