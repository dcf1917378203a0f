//! Newton's iterations for one stage.

use mbsbench_problem::{Counted, Failure, Run};

use crate::equations::{Equations, Tolerances};
use crate::newton::{Outcome, Progress, evaluated, iterate};

/// Maximum number of iterations of a stage.
pub(super) const MAX_ITERATIONS: u32 = 5;

/// The condition that ends iterations; `d` is the sum of squares of an increment divided by the weights.
#[derive(Debug, Clone, Copy)]
pub(super) enum Goal {
    /// For a step of the backward differentiation formula: `d min(1, 2 ρ)` is below this bound. The ratio `ρ` of
    /// successive `d` is tracked from step to step. Growing increments count as divergence.
    Plain(f64),
    /// As `Plain`, but not before the second iteration, so that `ρ` is measured from time to time.
    Sampled(f64),
    /// For the extended formula: the same condition with a ratio that is not updated.
    Extended(f64),
}

/// The equations of a stage, `M (y − known) − c f(t, y) = further`, and memory for their solution.
#[derive(Debug, Clone)]
pub(super) struct Stage {
    /// The current approximation of the solution.
    pub y: Vec<f64>,
    /// The formula's combination of earlier states.
    pub known: Vec<f64>,
    /// The formula's combination of earlier rates, times `M`; zero for the plain formulas.
    pub further: Vec<f64>,
    /// `f(t, y)`, or an approximation of it, for the first iteration.
    pub rate: Vec<f64>,
    /// True if `rate` is available.
    pub has_rate: bool,
    difference: Vec<f64>,
    increment: Vec<f64>,
    weights: Vec<f64>,
}

/// Time and step sizes of a stage.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub t: f64,
    /// `c = h b`, s.
    pub c: f64,
    /// `c` for which the matrix was factorized, s.
    pub factorized: f64,
    /// Size of the step, s.
    pub h: f64,
}

impl Stage {
    pub(super) fn new(n: usize) -> Self {
        let zeros = || vec![0.0; n];
        Self {
            y: zeros(),
            known: zeros(),
            further: zeros(),
            rate: zeros(),
            has_rate: false,
            difference: zeros(),
            increment: zeros(),
            weights: zeros(),
        }
    }

    /// Sets the weights at the state `y`.
    pub(super) fn weigh(&mut self, tolerances: &Tolerances, y: &[f64], h: f64) {
        tolerances.weigh(y, h, &mut self.weights);
    }

    /// Sum of squares divided by the weights.
    pub(super) fn sum(&self, x: impl Iterator<Item = f64>) -> f64 {
        x.zip(&self.weights).map(|(x, weight)| (x / weight).powi(2)).sum()
    }

    /// Evaluates `f` at the current guess.
    pub(super) fn evaluate(
        &mut self,
        run: &mut Run<'_, Counted<'_>>,
        equations: &mut dyn Equations,
        t: f64,
    ) -> Result<(), Failure> {
        run.check_budget(1)?;
        equations.rhs(&mut run.problem, t, &self.y, &mut self.rate)?;
        self.has_rate = true;
        Ok(())
    }

    /// Writes `M (y − known)/c`, the formula's rate at the solution times `M`.
    pub(super) fn write_rate(&mut self, equations: &dyn Equations, c: f64, rate: &mut [f64]) {
        for ((difference, y), known) in self.difference.iter_mut().zip(&self.y).zip(&self.known) {
            *difference = (y - known) / c;
        }
        equations.multiply_mass(&self.difference, rate);
    }

    /// Iterates from the current guess; `ratio` is `ρ`.
    pub(super) fn solve(
        &mut self,
        run: &mut Run<'_, Counted<'_>>,
        equations: &mut dyn Equations,
        (place, tolerances): (Place, &Tolerances),
        (goal, ratio): (Goal, &mut f64),
    ) -> Result<Outcome, Failure> {
        // the weights of the extended formula are updated in each iteration
        if !matches!(goal, Goal::Extended(_)) {
            tolerances.weigh(&self.y, place.h, &mut self.weights);
        }
        let Place { t, c, factorized, h } = place;
        let make = |stage: &mut Self, _: u32| -> Result<f64, Failure> {
            if !stage.has_rate && !evaluated(stage.evaluate(run, equations, t))? {
                return Ok(f64::NAN);
            }
            if let Goal::Extended(_) = goal {
                tolerances.weigh(&stage.y, h, &mut stage.weights);
            }
            stage.has_rate = false;
            let Self { y, known, further, rate, difference, increment, .. } = stage;
            for ((difference, y), known) in difference.iter_mut().zip(&*y).zip(&*known) {
                *difference = y - known;
            }
            equations.multiply_mass(difference, increment);
            for ((residual, f), further) in increment.iter_mut().zip(&*rate).zip(&*further) {
                *residual = (*residual - c * f - further) / factorized;
            }
            equations.solve_real(increment);
            run.own.newton_iterations += 1;
            run.own.linear_solves += 1;
            y.iter_mut().zip(&*increment).for_each(|(y, increment)| *y -= increment);
            Ok(stage.sum(stage.increment.iter().copied()))
        };
        let judge = |_: &mut Self, Progress { iteration, size, last }: Progress| {
            let converged = |bound: f64, ratio: f64| size * (2.0 * ratio).min(1.0) < bound;
            match goal {
                Goal::Extended(bound) => converged(bound, *ratio).then_some(Outcome::Converged),
                Goal::Sampled(_) if iteration == 1 => None,
                Goal::Plain(bound) | Goal::Sampled(bound) => {
                    if iteration > 1 && last != 0.0 {
                        *ratio = (0.9 * *ratio).max(size / last);
                    }
                    if converged(bound, *ratio) {
                        return Some(Outcome::Converged);
                    }
                    (iteration > 1 && size > last).then_some(Outcome::Diverged)
                }
            }
        };
        iterate(self, MAX_ITERATIONS, make, judge)
    }
}
