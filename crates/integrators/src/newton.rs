//! Newton's iteration: the one loop of all implicit methods.
//!
//! What is iterated and when it is good enough is each formula's own: published codes differ in nothing as much as in that. The
//! loop, what is done with numbers that are none, and the ways in which iterations end are common.

use mbsbench_problem::parameters::spelling;
use mbsbench_problem::{Failure, Scalar, parameters};

parameters! {
    /// When Newton's matrix is formed and factorized.
    #[derive(Copy, Default, Eq)]
    pub enum JacobianUse {
        /// In every iteration: Newton's method.
        #[default]
        Full,
        /// In the first iteration of a step or of a stage; it is then kept for the rest of them.
        Modified,
        /// Where there is none for this size of the step, and where iterations do not gain a digit each; it is then kept, from
        /// stage to stage and from step to step.
        Kept,
    }
}

/// How linear systems are solved, among [`Method::solver_options`](mbsbench_problem::Method::solver_options): unknowns
/// that others determine are eliminated, and the systems of many bodies are sparse.
pub(crate) const STRUCTURED: &str = "structured";
/// The same, with all entries, whatever the number of bodies.
pub(crate) const DENSE: &str = "dense";
/// Jacobians that are exact as far as the problem gives them.
pub(crate) const EXACT: &str = "exact";
/// Options by their names.
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

/// Iterations end with a correction of accelerations.
pub(crate) fn of_accelerations(tolerance: f64) -> String {
    format!("correction of accelerations ≤ {} (1 + size)", spelling(&tolerance))
}

/// Decides when Newton's matrix is formed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Keeper {
    usage: JacobianUse,
    /// What the matrix was formed for: the factor of the rates in the unknowns, s.
    formed_for: Option<f64>,
    /// Size of the iteration before the last one, where both had this matrix.
    earlier: Option<f64>,
    /// Whether iterations gain too little with it.
    slow: bool,
}

impl Keeper {
    /// Largest mean ratio of a size to the one before, in two iterations, with which a matrix is kept on. Of single ones there are
    /// large ones after small ones, where forces follow constraints.
    const SLOWEST: f64 = 0.1;

    pub(crate) fn new(usage: JacobianUse) -> Self {
        Self { usage, formed_for: None, earlier: None, slow: false }
    }

    /// Whether the matrix is to be formed for an iteration, the first one of its step or stage or another, with the factor `c`, s.
    pub(crate) fn forms(&mut self, is_first: bool, c: f64) -> bool {
        let forms = match self.usage {
            JacobianUse::Full => true,
            JacobianUse::Modified => is_first,
            // steps that are equal but for the rounding of times share a matrix
            JacobianUse::Kept => self.slow || self.formed_for.is_none_or(|of| (c - of).abs() > 1e-6 * of.abs()),
        };
        if forms {
            *self = Self { formed_for: Some(c), ..Self::new(self.usage) };
        }
        forms
    }

    /// Takes note of how much an iteration gained that has to go on: the last one may be at rounding.
    pub(crate) fn judge(&mut self, Progress { size, last, .. }: Progress) {
        if last.is_finite() {
            let largest = self.earlier.map_or(Self::SLOWEST * last, |earlier| Self::SLOWEST.powi(2) * earlier);
            self.slow = size > largest;
        }
        self.earlier = Some(last).filter(|last| last.is_finite());
    }
}

/// How iterations ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// The solution is there.
    Converged,
    /// They would take too many; a step smaller by this factor is expected to do, where one is known.
    Slow(Option<f64>),
    /// They diverge, or have been too many.
    Diverged,
    /// An iterate, or what was evaluated there, is not finite.
    NotFinite,
}

impl Outcome {
    /// Fails unless the iteration has converged. A first iterate that is not finite is the problem's, at `time` (s)
    /// with none `made`; a later one is the iteration's, which has `diverged`.
    pub(crate) fn converged(self, time: f64, made: u64, diverged: impl FnOnce() -> Failure) -> Result<(), Failure> {
        match self {
            Self::Converged => Ok(()),
            Self::NotFinite if made == 0 => Err(Failure::NonFinite { time }),
            _ => Err(diverged()),
        }
    }
}

/// Largest magnitude; NaN where there is one.
pub(crate) fn largest<S: Scalar>(values: &[S]) -> f64 {
    let sizes = values.iter().map(|x| x.value().abs());
    sizes.fold(0.0, |largest, size| if size > largest || size.is_nan() { size } else { largest })
}

/// Where that magnitude is.
pub(crate) fn place_of_largest(values: &[f64]) -> usize {
    let largest = largest(values);
    values.iter().position(|x| x.abs() == largest || x.is_nan()).unwrap_or(0)
}

/// How far iterations have come.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Number of the iteration, from 1.
    pub iteration: u32,
    /// Size of its correction, or of the residual, in the norm of the method.
    pub size: f64,
    /// The same of the one before; infinite in the first.
    pub last: f64,
}

/// Iterates at most `most` times towards the solution of the equations of a step or a stage. `make` makes an iteration by its number, from
/// 1, and gives the size of what `judge` judges by; one that is not finite ends the iterations.
///
/// # Errors
/// Errors of `make`: failures of the problem, budgets, singular matrices.
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

/// Right-hand sides that are not finite as a size that is not; other failures as they are.
///
/// # Errors
/// All but [`Failure::NonFinite`].
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
    fn iterations_end_as_judged_or_by_their_number_or_where_nothing_is_finite() {
        // `x ↦ x/2` from 1 with one evaluation at which the problem has none
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
