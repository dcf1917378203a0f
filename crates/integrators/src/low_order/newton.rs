//! Newton's method over one step.

use mbsbench_problem::{Counted, Failure, Run};

use super::blocks::largest;
use super::formula::{Formula, Trial};
use super::settings::{JacobianUse, NewtonSettings};

/// How the iterations of a run are made.
pub struct Iteration {
    /// The user's settings.
    pub settings: NewtonSettings,
    /// Whether the observer wants to see the matrices.
    pub watched: bool,
}

impl Iteration {
    /// Iterates `formula`, begun at the present state, until a correction is small enough.
    ///
    /// # Errors
    /// [`Failure::NewtonDiverged`], [`Failure::NonFinite`] where the first iterate is not finite,
    /// [`Failure::SingularMatrix`], [`Failure::BudgetExhausted`]; all at the start of the step.
    pub fn run(
        &self,
        run: &mut Run<'_, Counted<'_>>,
        formula: &mut impl Formula,
        h: f64,
        trial: &mut Trial,
    ) -> Result<(), Failure> {
        let t_start = run.t;
        let (mut last, mut reform) = (f64::INFINITY, false);
        for iteration in 1..=u64::from(self.settings.max_iterations) {
            run.afford(1)?;
            let forms = iteration == 1 || reform || self.settings.jacobian == JacobianUse::Full;
            // A first iterate that is not finite is the problem's; a later one is the iteration's.
            let lost = if iteration == 1 {
                Failure::NonFinite { time: t_start }
            } else {
                Failure::NewtonDiverged { time: t_start, iterations: iteration - 1 }
            };
            evaluate(&mut run.problem, trial, forms);
            if forms {
                if self.settings.load_derivatives != 1.0 {
                    let derivatives = &mut trial.derivatives;
                    for matrix in [&mut derivatives.forces_by_position, &mut derivatives.forces_by_velocity] {
                        *matrix *= self.settings.load_derivatives;
                    }
                }
                // What is not finite shows in the factors or in the correction.
                if formula.form(trial).is_err() {
                    let finite = trial.terms.are_finite();
                    return Err(if finite { singular(t_start, "a block of Newton's matrix") } else { lost });
                }
                if self.watched {
                    run.observer.newton_matrix(trial.t, formula.matrix());
                }
                run.own.factorizations += 1;
                if formula.factorize().is_err() {
                    let finite = formula.matrix().iter().all(|entry| entry.is_finite());
                    return Err(if finite { singular(t_start, "Newton's matrix") } else { lost });
                }
            }
            run.own.newton_iterations += 1;
            let correction = formula.correct(trial);
            run.own.linear_solves += correction.solves;
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
