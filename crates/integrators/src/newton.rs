//! Newton's iteration: the one loop of all implicit methods.
//!
//! What is iterated and when it is good enough is each formula's own: published codes differ in nothing as much as in that. The
//! loop, what is done with numbers that are none, and the ways in which iterations end are common.

use mbsbench_problem::Failure;

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

/// An iteration towards the solution of the equations of a step or a stage, with what it needs at hand.
pub trait Iteration {
    /// Makes iteration number `iteration`, from 1, and gives the size of what [`judge`](Self::judge) judges by; one that is
    /// not finite ends the iterations.
    ///
    /// # Errors
    /// Those of the problem, budgets, singular matrices.
    fn iterate(&mut self, iteration: u32) -> Result<f64, Failure>;

    /// Whether the iterations end here.
    fn judge(&mut self, progress: Progress) -> Option<Outcome>;

    /// Iterates at most `most` times.
    ///
    /// # Errors
    /// Those of [`iterate`](Self::iterate).
    #[inline]
    fn solve(&mut self, most: u32) -> Result<Outcome, Failure> {
        let mut last = f64::INFINITY;
        for iteration in 1..=most {
            let size = self.iterate(iteration)?;
            if !size.is_finite() {
                return Ok(Outcome::NotFinite);
            }
            if let Some(outcome) = self.judge(Progress { iteration, size, last }) {
                return Ok(outcome);
            }
            last = size;
        }
        Ok(Outcome::Diverged)
    }
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

    /// `x ↦ x/2` from 1 with one evaluation at which the problem has none.
    struct Halving {
        size: f64,
        lost_at: u32,
        close: f64,
    }

    impl Iteration for Halving {
        fn iterate(&mut self, iteration: u32) -> Result<f64, Failure> {
            self.size *= 0.5;
            Ok(if iteration == self.lost_at { f64::NAN } else { self.size })
        }

        fn judge(&mut self, Progress { iteration, size, last }: Progress) -> Option<Outcome> {
            assert_eq!((size, last.is_infinite()), (0.5f64.powi(iteration as i32), iteration == 1));
            assert!(iteration == 1 || size == 0.5 * last);
            (size <= self.close).then_some(Outcome::Converged)
        }
    }

    #[test]
    fn iterations_end_as_judged_or_by_their_number_or_where_nothing_is_finite() {
        let solve = |lost_at, close, most| Halving { size: 1.0, lost_at, close }.solve(most);
        assert_eq!(solve(0, 0.125, 3), Ok(Outcome::Converged));
        assert_eq!(solve(0, 0.124, 3), Ok(Outcome::Diverged));
        assert_eq!(solve(3, 0.125, 3), Ok(Outcome::NotFinite));
        assert_eq!(solve(4, 0.125, 3), Ok(Outcome::Converged));
        assert_eq!(evaluated(Err(Failure::NonFinite { time: 1.0 })), Ok(false));
        let singular = Failure::SingularMatrix { time: 1.0, matrix: "M" };
        assert_eq!(evaluated(Err(singular.clone())), Err(singular));
    }
}
