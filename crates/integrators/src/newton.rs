//! Newton's iteration: the one loop of all implicit methods.
//!
//! Each formula defines its own iteration and convergence test, because published codes differ most in these. The loop,
//! the treatment of values that are not finite, and the outcomes are common.

use mbsbench_problem::parameters::spelling;
use mbsbench_problem::{Failure, Scalar, parameters};

parameters! {
    /// When Newton's matrix is formed and factorized.
    #[derive(Copy, Default, Eq)]
    pub enum JacobianUse {
        /// In every iteration: Newton's method.
        #[default]
        Full,
        /// In the first iteration of a step or stage; it is kept for the remaining iterations.
        Modified,
        /// If there is none for the current step size, or if iterations gain less than a digit each; otherwise it is
        /// kept from stage to stage and from step to step.
        Kept,
    }
}

/// Value of the option `linear-algebra` in [`Method::solver_options`](mbsbench_problem::Method::solver_options):
/// dependent unknowns are eliminated, and systems of many bodies are sparse.
pub(crate) const STRUCTURED: &str = "structured";
/// Value of the option `jacobians`: exact if the problem provides them.
pub(crate) const EXACT: &str = "exact";
/// A list of named options.
pub(crate) fn options<const N: usize>(named: [(&str, String); N]) -> Vec<(String, String)> {
    named.map(|(name, value)| (name.to_owned(), value)).to_vec()
}

/// The options of a code with exact Jacobians that keeps its matrix over steps.
pub(crate) fn keeping(stop: String, most: String) -> Vec<(String, String)> {
    options([
        ("linear-algebra", STRUCTURED.to_owned()),
        ("jacobians", EXACT.to_owned()),
        ("newton-matrix", "kept".to_owned()),
        ("newton-stop", stop),
        ("max-iterations", most),
    ])
}

/// The description of a convergence test on corrections of accelerations.
pub(crate) fn of_accelerations(tolerance: f64) -> String {
    format!("correction of accelerations ≤ {} (1 + size)", spelling(&tolerance))
}

/// Decides when Newton's matrix is formed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Keeper {
    usage: JacobianUse,
    /// The factor of the rates in the unknowns for which the matrix was formed, s.
    formed_for: Option<f64>,
    /// Size of the second-to-last iteration, if the last two iterations used this matrix.
    earlier: Option<f64>,
    /// True if iterations with the matrix gain too little.
    slow: bool,
}

impl Keeper {
    /// Largest mean ratio of successive sizes over two iterations for which a matrix is kept. Ratios of single
    /// iterations vary: large ones follow small ones if forces follow constraints.
    const SLOWEST: f64 = 0.1;

    pub(crate) fn new(usage: JacobianUse) -> Self {
        Self { usage, formed_for: None, earlier: None, slow: false }
    }

    /// Returns true if the matrix has to be formed for an iteration with the factor `c` (s); `is_first` marks the first
    /// iteration of a step or stage.
    pub(crate) fn forms(&mut self, is_first: bool, c: f64) -> bool {
        let forms = match self.usage {
            JacobianUse::Full => true,
            JacobianUse::Modified => is_first,
            // steps that differ only by rounding of times share a matrix
            JacobianUse::Kept => self.slow || self.formed_for.is_none_or(|of| (c - of).abs() > 1e-6 * of.abs()),
        };
        if forms {
            *self = Self { formed_for: Some(c), ..Self::new(self.usage) };
        }
        forms
    }

    /// Records the gain of an iteration, unless it is the last one, which may be at rounding level.
    pub(crate) fn judge(&mut self, Progress { size, last, .. }: Progress) {
        if last.is_finite() {
            let largest = self.earlier.map_or(Self::SLOWEST * last, |earlier| Self::SLOWEST.powi(2) * earlier);
            self.slow = size > largest;
        }
        self.earlier = Some(last).filter(|last| last.is_finite());
    }
}

/// The outcome of iterations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// The solution is accurate enough.
    Converged,
    /// Too many iterations would be needed; a step smaller by this factor, if known, is expected to converge.
    Slow(Option<f64>),
    /// The iterations diverged, or there were too many.
    Diverged,
    /// An iterate, or a value computed from it, is not finite.
    NotFinite,
}

impl Outcome {
    /// Fails unless the iteration has converged. If no iteration was `made`, values that are not finite are the
    /// problem's failure at `time` (s); otherwise the iteration has `diverged`.
    pub(crate) fn converged(self, time: f64, made: u64, diverged: impl FnOnce() -> Failure) -> Result<(), Failure> {
        match self {
            Self::Converged => Ok(()),
            Self::NotFinite if made == 0 => Err(Failure::NonFinite { time }),
            _ => Err(diverged()),
        }
    }
}

/// The largest magnitude; NaN if a value is NaN.
pub(crate) fn largest<S: Scalar>(values: &[S]) -> f64 {
    let sizes = values.iter().map(|x| x.value().abs());
    sizes.fold(0.0, |largest, size| if size > largest || size.is_nan() { size } else { largest })
}

/// Largest change of a position by the last correction of a step, for positions of this size, m or rad. Relative to
/// huge accelerations or velocities, corrections are small that are larger than the whole mechanism.
pub(crate) fn most_moved(size: f64) -> f64 {
    1e-3 * (1.0 + size)
}

/// The index of the largest magnitude.
pub(crate) fn place_of_largest(values: &[f64]) -> usize {
    let largest = largest(values);
    values.iter().position(|x| x.abs() == largest || x.is_nan()).unwrap_or(0)
}

/// The state of an iteration when it is judged.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Number of the iteration, from 1.
    pub iteration: u32,
    /// Size of its correction, or of the residual, in the norm of the method.
    pub size: f64,
    /// Size of the previous iteration; infinite in the first.
    pub last: f64,
}

/// Iterates at most `most` times towards the solution of the equations of a step or stage. `make` makes the iteration
/// with the given number, from 1, and returns its size, from which `judge` decides on the outcome. A size that is not
/// finite ends the iterations.
///
/// # Errors
/// Returns the errors of `make`: failures of the problem, budgets, singular matrices.
#[inline]
pub fn iterate<T>(
    state: &mut T,
    most: u32,
    mut make: impl FnMut(&mut T, u32) -> Result<f64, Failure>,
    mut judge: impl FnMut(&mut T, Progress) -> Option<Outcome>,
) -> Result<Outcome, Failure> {
    let mut last = f64::INFINITY;
    for iteration in 1..=most {
        let size = make(state, iteration)?;
        if !size.is_finite() {
            return Ok(Outcome::NotFinite);
        }
        if let Some(outcome) = judge(state, Progress { iteration, size, last }) {
            return Ok(outcome);
        }
        last = size;
    }
    Ok(Outcome::Diverged)
}

/// Converts right-hand sides that are not finite into `false`.
///
/// # Errors
/// Returns every failure except [`Failure::NonFinite`].
#[inline]
pub fn evaluated(result: Result<(), Failure>) -> Result<bool, Failure> {
    match result {
        Ok(()) => Ok(true),
        Err(Failure::NonFinite { .. }) => Ok(false),
        Err(failure) => Err(failure),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newton_stops_on_convergence_budget_or_nan() {
        // `x ↦ x/2` from 1, with one iteration whose size is NaN
        let solve = |lost_at, close, most| {
            let make = |x: &mut f64, iteration| -> Result<f64, Failure> {
                *x *= 0.5;
                Ok(if iteration == lost_at { f64::NAN } else { *x })
            };
            let judge = |_: &mut f64, Progress { iteration, size, last }: Progress| {
                assert_eq!((size, last.is_infinite()), (0.5f64.powi(iteration as i32), iteration == 1));
                assert!(iteration == 1 || size == 0.5 * last);
                (size <= close).then_some(Outcome::Converged)
            };
            iterate(&mut 1.0, most, make, judge)
        };
        assert_eq!(solve(0, 0.125, 3), Ok(Outcome::Converged));
        assert_eq!(solve(0, 0.124, 3), Ok(Outcome::Diverged));
        assert_eq!(solve(3, 0.125, 3), Ok(Outcome::NotFinite));
        assert_eq!(solve(4, 0.125, 3), Ok(Outcome::Converged));
        assert_eq!(evaluated(Err(Failure::NonFinite { time: 1.0 })), Ok(false));
        let singular = Failure::SingularMatrix { time: 1.0, matrix: "M" };
        assert_eq!(evaluated(Err(singular.clone())), Err(singular));
    }
}
