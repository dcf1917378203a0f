//! Newton's method over one step.

use mbsbench_problem::{Counted, Failure, Mechanics, Run, Terms};

use super::formula::{Correction, Formula, Trial};
use super::settings::NewtonSettings;
use crate::newton::{Keeper, Outcome, Progress, iterate, largest};

/// Iterates `formula`, begun at the present state, over a step of size `h` (s) until a correction is small enough; `watched`
/// says whether the observer wants to see the matrices.
///
/// # Errors
/// [`Failure::AccelerationsDiverged`], [`Failure::NewtonDiverged`] for small corrections that leave the constraints far
/// off, [`Failure::NonFinite`] where the first iterate is not finite, [`Failure::SingularMatrix`],
/// [`Failure::BudgetExhausted`]; all at the start of the step.
pub fn solve(
    settings: &NewtonSettings,
    keeper: &mut Keeper,
    watched: bool,
    run: &mut Run<'_, Counted<'_>>,
    formula: &mut impl Formula,
    h: f64,
    trial: &mut Trial,
) -> Result<(), Failure> {
    let time = run.t;
    let mut step = Step {
        settings,
        keeper,
        watched,
        run,
        formula,
        h,
        trial,
        made: 0,
        correction: Correction::default(),
        coordinate: 0,
    };
    let outcome = iterate(&mut step, settings.max_iterations, Step::iterate, Step::judge)?;
    // Corrections become small, too, where a matrix out of all proportion makes them so.
    if outcome == Outcome::Converged && !step.is_near_constraints() {
        return Err(Failure::NewtonDiverged { time, iterations: step.made });
    }
    outcome.converged(time, step.made, || Failure::AccelerationsDiverged {
        time,
        iterations: step.made,
        coordinate: step.coordinate + 1,
        correction: step.correction.change,
        tolerated: step.tolerated(),
    })
}

/// The iteration for a step.
struct Step<'s, 'r, 'p, F> {
    settings: &'s NewtonSettings,
    keeper: &'s mut Keeper,
    watched: bool,
    run: &'s mut Run<'r, Counted<'p>>,
    formula: &'s mut F,
    h: f64,
    trial: &'s mut Trial,
    /// Iterations that gave something finite.
    made: u64,
    correction: Correction,
    /// Number of the coordinate that the last iteration corrected most, once it has been the last.
    coordinate: usize,
}

impl<F: Formula> Step<'_, '_, '_, F> {
    /// The correction that is small enough: against the accelerations, and for the positions, which huge accelerations
    /// would let go anywhere.
    fn tolerated(&self) -> f64 {
        let by_size = self.settings.tolerance * (1.0 + self.correction.size);
        by_size.min(most_moved(self.trial) / self.correction.by_position)
    }

    /// Whether the constraints of the last iterate asked for no more than the last correction may move a position.
    fn is_near_constraints(&self) -> bool {
        let Terms { constraints, jacobian, .. } = &self.trial.terms;
        largest(constraints) <= most_moved(self.trial) * (1.0 + largest(jacobian.values()))
    }

    /// What corrections cannot be expected to get below; see [`Formula::attainable`]. Positions of few bodies are rounded by less than
    /// [`rounding`], so that one need not ask before the last iteration.
    fn attainable(&mut self, iteration: u32) -> f64 {
        if self.trial.terms.mass.pattern().is_none() && iteration < self.settings.max_iterations {
            return 0.0;
        }
        let Some(attainable) = self.formula.attainable(self.trial) else { return 0.0 };
        self.run.own.linear_solves += 1;
        ROUNDINGS * attainable
    }

    /// Whether a further correction, which would be small enough at the rate seen, would change nothing but rounding: this one was no
    /// larger than that. Of few bodies rounding is far below what is tolerated.
    fn is_last_to_gain(&mut self, Progress { iteration, size: change, last }: Progress) -> bool {
        let is_sparse = self.trial.terms.mass.pattern().is_some();
        is_sparse && change * (change / last) <= self.tolerated() && change <= self.attainable(iteration)
    }

    /// Makes an iteration, and gives the largest change of an acceleration; one that is not finite where the matrix is not.
    fn change(&mut self, iteration: u32) -> Result<f64, Failure> {
        self.run.afford(1)?;
        let forms = self.keeper.forms(iteration == 1, self.h) || self.correction.reform;
        let (mut mechanics, trial) = (self.run.problem.mechanics()?, &mut *self.trial);
        if forms {
            mechanics.linearisation(trial.t, &trial.q, &trial.v, &mut trial.terms, &mut trial.derivatives);
        } else {
            mechanics.terms(trial.t, &trial.q, &trial.v, &mut trial.terms);
        }
        if forms && !self.factorize()? {
            return Ok(f64::NAN);
        }
        self.run.own.newton_iterations += 1;
        self.correction = self.formula.correct(self.trial);
        self.run.own.linear_solves += self.correction.solves;
        Ok(self.correction.change)
    }

    /// Forms the matrix at the iterate and factorizes it; false where it is not finite.
    fn factorize(&mut self) -> Result<bool, Failure> {
        let Self { run, formula, trial, .. } = self;
        let mut exact = None;
        if self.settings.load_derivatives != 1.0 {
            if self.watched && formula.form(trial).is_ok() {
                exact = Some(formula.matrix());
            }
            let derivatives = &mut trial.derivatives;
            for matrix in [&mut derivatives.forces_by_position, &mut derivatives.forces_by_velocity] {
                matrix.values_mut().iter_mut().for_each(|entry| *entry *= self.settings.load_derivatives);
            }
        }
        // What is not finite shows in the factors or in the correction.
        if formula.form(trial).is_err() {
            let finite = trial.terms.are_finite();
            return if finite { Err(singular(run.t, "a block of Newton's matrix")) } else { Ok(false) };
        }
        if self.watched {
            let matrix = formula.matrix();
            run.observer.newton_matrix(trial.t, &matrix);
            if let Some(exact) = exact {
                run.observer.wrong_newton_matrix(trial.t, &matrix, &exact);
            }
        }
        run.own.factorizations += 1;
        if formula.factorize().is_err() {
            let finite = formula.matrix().iter().all(|entry| entry.is_finite());
            return if finite { Err(singular(run.t, "Newton's matrix")) } else { Ok(false) };
        }
        Ok(true)
    }

    fn iterate(&mut self, iteration: u32) -> Result<f64, Failure> {
        let change = self.change(iteration)?;
        if iteration == self.settings.max_iterations || !change.is_finite() {
            self.coordinate = self.formula.most_corrected();
        }
        Ok(change)
    }

    fn judge(&mut self, progress: Progress) -> Option<Outcome> {
        let Progress { iteration, size: change, last } = progress;
        self.made += 1;
        let is_rounding = change * self.correction.by_position <= rounding(self.trial, self.h);
        let stagnates = change > 0.25 * last && (is_rounding || change <= self.attainable(iteration));
        // What an iteration that goes on shrinking by this ratio still changes, if it is more than the last correction.
        let ratio = change / last;
        let remaining = if ratio > 0.5 { change * ratio / (1.0 - ratio).max(0.0) } else { change };
        let is_small = remaining <= self.tolerated();
        if is_small || stagnates || self.is_last_to_gain(progress) {
            return Some(Outcome::Converged);
        }
        self.keeper.judge(progress);
        None
    }
}

/// By how much the last correction may move a position, m or rad, in parts of one and the largest one before the step.
const MOST_MOVED: f64 = 1e-3;

/// The same of a step.
fn most_moved(trial: &Trial) -> f64 {
    MOST_MOVED * (1.0 + trial.size)
}

/// How many times what rounding is expected to be it is taken for.
const ROUNDINGS: f64 = 16.0;

/// How far rounding moves positions, m or rad: below it nothing is left to be gained by further corrections. Of
/// velocities that are out of all proportion it is no excuse.
pub fn rounding(trial: &Trial, h: f64) -> f64 {
    let rounding = ROUNDINGS * f64::EPSILON * (largest(&trial.q) + h * largest(&trial.v));
    rounding.min(most_moved(trial))
}

/// Makes the sizes of what is summed up in each row what rounding may leave of their sum, with signs that follow no pattern.
pub fn rounding_of(sizes: &mut [f64]) {
    for (i, size) in sizes.iter_mut().enumerate() {
        // the fractional part of multiples of the golden section
        let is_up = (i as f64 * 0.618_033_988_749_894_8).fract() < 0.5;
        *size *= if is_up { f64::EPSILON } else { -f64::EPSILON };
    }
}

/// The failure at `time` because of `matrix`.
pub fn singular(time: f64, matrix: &'static str) -> Failure {
    Failure::SingularMatrix { time, matrix }
}
