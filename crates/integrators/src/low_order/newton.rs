//! Newton's method over one step.

use mbsbench_problem::{Counted, Failure, Run};

use super::formula::{Correction, Formula, Trial};
use super::settings::NewtonSettings;
use crate::newton::{Keeper, Outcome, Progress, iterate, largest, most_moved};

/// Iterates `formula`, begun at the current state, over a step until a correction is small enough. The observer
/// receives the matrices if it watches them.
///
/// # Errors
/// Returns [`Failure::AccelerationsDiverged`], [`Failure::NewtonDiverged`] if small corrections leave the constraints
/// violated, [`Failure::NonFinite`] if the first iterate is not finite, [`Failure::SingularMatrix`], or
/// [`Failure::BudgetExhausted`]; all at the start of the step.
pub fn solve(
    settings: &NewtonSettings,
    keeper: &mut Keeper,
    run: &mut Run<'_, Counted<'_>>,
    formula: &mut impl Formula,
    trial: &mut Trial,
) -> Result<(), Failure> {
    let time = run.t;
    let correction = Correction::default();
    let mut step = Step { settings, keeper, run, formula, trial, made: 0, correction, coordinate: 0 };
    let outcome = iterate(&mut step, settings.max_iterations, Step::iterate, Step::judge)?;
    // A wildly wrong matrix can also make corrections small.
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

/// The iteration of one step.
struct Step<'s, 'r, 'p, F> {
    settings: &'s NewtonSettings,
    keeper: &'s mut Keeper,
    run: &'s mut Run<'r, Counted<'p>>,
    formula: &'s mut F,
    trial: &'s mut Trial,
    /// Iterations with a finite result.
    made: u64,
    correction: Correction,
    /// Index of the coordinate that the last iteration corrected most, set after that iteration.
    coordinate: usize,
}

impl<F: Formula> Step<'_, '_, '_, F> {
    /// The largest correction that counts as converged. It is relative to the accelerations, and also limited by the
    /// resulting change of positions, which huge accelerations would leave unbounded.
    fn tolerated(&self) -> f64 {
        let by_size = self.settings.tolerance * (1.0 + self.correction.size);
        by_size.min(most_moved(self.trial.size) / self.correction.by_position)
    }

    /// True if the constraints of the last iterate require no larger change of a position than the last correction may
    /// make.
    fn is_near_constraints(&self) -> bool {
        let jacobian = &self.trial.terms.jacobian;
        self.formula.violation(self.trial) <= most_moved(self.trial.size) * (1.0 + largest(jacobian.values()))
    }

    /// The size below which corrections cannot be expected to decrease; see [`Formula::attainable`]. Rounding errors of
    /// positions of few bodies are below [`rounding`], so that it is needed only in the last iteration.
    fn attainable(&mut self, iteration: u32) -> f64 {
        if self.trial.terms.mass.pattern().is_none() && iteration < self.settings.max_iterations {
            return 0.0;
        }
        let Some(attainable) = self.formula.attainable(self.trial) else { return 0.0 };
        self.run.own.linear_solves += 1;
        ROUNDINGS * attainable
    }

    /// True if a further correction would be small enough at the observed rate but would change nothing beyond
    /// rounding, because this one is already at rounding level. For few bodies, rounding is far below the tolerance.
    fn is_last_to_gain(&mut self, Progress { iteration, size: change, last }: Progress) -> bool {
        let is_sparse = self.trial.terms.mass.pattern().is_some();
        is_sparse && change * (change / last) <= self.tolerated() && change <= self.attainable(iteration)
    }

    /// Makes one iteration and returns the largest change of an acceleration; not finite if the matrix is not.
    fn change(&mut self, iteration: u32) -> Result<f64, Failure> {
        self.run.check_budget(1)?;
        let forms = self.keeper.forms(iteration == 1, self.trial.h) || self.correction.reform;
        let (mut mechanics, trial) = (self.run.problem.mechanics()?, &mut *self.trial);
        self.formula.evaluate(&mut mechanics, trial, forms);
        if forms && !self.factorize()? {
            return Ok(f64::NAN);
        }
        self.run.own.newton_iterations += 1;
        self.correction = self.formula.correct(self.trial);
        self.run.own.linear_solves += self.correction.solves;
        Ok(self.correction.change)
    }

    /// Forms the matrix at the iterate and factorizes it. Returns false if the matrix is not finite.
    fn factorize(&mut self) -> Result<bool, Failure> {
        let Self { run, formula, trial, .. } = self;
        let (watched, mut exact) = (run.observer.watches_newton_matrices(), None);
        if self.settings.load_derivatives != 1.0 {
            if watched && formula.form(trial).is_ok() {
                exact = Some(formula.matrix());
            }
            let derivatives = &mut trial.derivatives;
            for matrix in [&mut derivatives.forces_by_position, &mut derivatives.forces_by_velocity] {
                matrix.values_mut().iter_mut().for_each(|entry| *entry *= self.settings.load_derivatives);
            }
        }
        // Values that are not finite appear in the factors or in the correction.
        if formula.form(trial).is_err() {
            let finite = trial.terms.are_finite();
            return if finite { Err(singular(run.t, "a block of Newton's matrix")) } else { Ok(false) };
        }
        if watched {
            let matrix = formula.matrix();
            run.observer.newton_matrix(trial.t, &matrix);
            if let Some(exact) = exact {
                run.observer.wrong_newton_matrix(trial.t, &matrix, &exact);
            }
        }
        run.own.factorizations += 1;
        if formula.factorize().is_err() {
            return if formula.is_finite() { Err(singular(run.t, "Newton's matrix")) } else { Ok(false) };
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
        let is_rounding = change * self.correction.by_position <= rounding(self.trial);
        let stagnates = change > 0.25 * last && (is_rounding || change <= self.attainable(iteration));
        // The remaining change if the iteration keeps shrinking by this ratio, if that exceeds the last correction.
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

/// Safety factor on expected rounding errors.
pub const ROUNDINGS: f64 = 16.0;

/// The change of positions by rounding, m or rad, below which further corrections gain nothing. It is limited, so that
/// excessive velocities do not count as rounding.
pub fn rounding(trial: &Trial) -> f64 {
    let rounding = ROUNDINGS * f64::EPSILON * (largest(&trial.q) + trial.h * largest(&trial.v));
    rounding.min(most_moved(trial.size))
}

/// Replaces the magnitudes of the summands of each row by the rounding error of their sum, with signs without a
/// pattern.
pub fn rounding_of(sizes: &mut [f64]) {
    for (i, size) in sizes.iter_mut().enumerate() {
        // the fractional part of multiples of the golden ratio
        let is_up = (i as f64 * 0.618_033_988_749_894_8).fract() < 0.5;
        *size *= if is_up { f64::EPSILON } else { -f64::EPSILON };
    }
}

/// The failure at `time` because of `matrix`.
pub fn singular(time: f64, matrix: &'static str) -> Failure {
    Failure::SingularMatrix { time, matrix }
}
