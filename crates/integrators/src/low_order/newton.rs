//! Newton's method over one step.

use mbsbench_problem::{Counted, Failure, Observer};

use super::blocks::largest;
use super::formula::{Formula, Trial};
use super::settings::{JacobianUse, NewtonSettings};

/// What the iterations of a run have cost, beyond what the problem counts itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cost {
    /// Corrections.
    pub iterations: u64,
    /// Factorisations of Newton's matrix.
    pub factorizations: u64,
    /// Solutions with its factors.
    pub solves: u64,
    /// Operations of all linear algebra.
    pub flops: u64,
}

/// How the iterations of a run are made.
pub struct Iteration {
    /// The user's settings.
    pub settings: NewtonSettings,
    /// Most evaluations of the terms in the run.
    pub max_rhs_evaluations: u64,
    /// Whether the observer wants to see the matrices.
    pub watched: bool,
    /// What it cost so far.
    pub cost: Cost,
}

impl Iteration {
    /// Iterates `formula`, begun at `t_start`, until a correction is small enough.
    ///
    /// # Errors
    /// [`Failure::NewtonDiverged`], [`Failure::NonFinite`] where the first iterate is not finite,
    /// [`Failure::SingularMatrix`], [`Failure::BudgetExhausted`]; all at `t_start`.
    pub fn run(
        &mut self,
        formula: &mut impl Formula,
        t_start: f64,
        h: f64,
        problem: &mut Counted<'_>,
        trial: &mut Trial,
        observer: &mut dyn Observer,
    ) -> Result<(), Failure> {
        let (mut last, mut reform) = (f64::INFINITY, false);
        for iteration in 1..=u64::from(self.settings.max_iterations) {
            let limit = self.max_rhs_evaluations;
            if problem.statistics().rhs_evaluations >= limit {
                return Err(Failure::BudgetExhausted { time: t_start, counter: "rhs_evaluations", limit });
            }
            let forms = iteration == 1 || reform || self.settings.jacobian == JacobianUse::Full;
            // A first iterate that is not finite is the problem's; a later one is the iteration's.
            let lost = if iteration == 1 {
                Failure::NonFinite { time: t_start }
            } else {
                Failure::NewtonDiverged { time: t_start, iterations: iteration - 1 }
            };
            evaluate(problem, trial, forms);
            if forms {
                // What is not finite shows in the factors or in the correction.
                if formula.form(trial).is_err() {
                    let finite = trial.terms.are_finite();
                    return Err(if finite { singular(t_start, "a block of Newton's matrix") } else { lost });
                }
                if self.watched {
                    observer.newton_matrix(trial.t, formula.matrix());
                }
                self.cost.factorizations += 1;
                if formula.factorize().is_err() {
                    let finite = formula.matrix().iter().all(|entry| entry.is_finite());
                    return Err(if finite { singular(t_start, "Newton's matrix") } else { lost });
                }
            }
            self.cost.iterations += 1;
            let correction = formula.correct(trial);
            self.cost.solves += correction.solves;
            if !correction.change.is_finite() {
                return Err(lost);
            }
            let rounding = rounding(trial, h);
            let stagnates = correction.change > 0.25 * last && correction.change * correction.by_position <= rounding;
            // What an iteration that goes on shrinking by this ratio still changes, if it is more than the last correction.
            let ratio = correction.change / last;
            let remaining =
                if ratio > 0.5 { correction.change * ratio / (1.0 - ratio).max(0.0) } else { correction.change };
            if remaining <= self.settings.tolerance * (1.0 + correction.size) || stagnates {
                return Ok(());
            }
            (last, reform) = (correction.change, correction.reform);
        }
        Err(Failure::NewtonDiverged { time: t_start, iterations: self.settings.max_iterations.into() })
    }
}

/// How far rounding moves positions, m or rad: below it nothing is left to be gained by further corrections.
pub fn rounding(trial: &Trial, h: f64) -> f64 {
    16.0 * f64::EPSILON * (largest(&trial.q) + h * largest(&trial.v))
}

/// The terms at the iterate, with their derivatives where they are needed.
fn evaluate(problem: &mut Counted<'_>, trial: &mut Trial, derivatives: bool) {
    if let Some(mut mechanics) = problem.mechanics() {
        let Trial { t, q, v, terms, derivatives: matrices } = trial;
        if derivatives {
            mechanics.linearisation(*t, q, v, terms, matrices);
        } else {
            mechanics.terms(*t, q, v, terms);
        }
    }
}

/// The failure at `time` because of `matrix`.
pub fn singular(time: f64, matrix: &'static str) -> Failure {
    Failure::SingularMatrix { time, matrix }
}
