//! Newton's method for the equations of a step, with a matrix kept over steps.

use mbsbench_problem::{Counted, Failure};

use super::differences::Differences;
use super::formula::Formula;
use crate::linearisation::IterationMatrix;
use crate::newton::{Outcome, Progress, evaluated, iterate};
use crate::suite;

/// Maximum number of iterations in a step.
pub(super) const MAX_ITERATIONS: u32 = 4;

/// Solves
///
/// ```text
/// (M − c J) Δ = c f(t_{n+1}, y) − M (ψ + d),   y = y⁽⁰⁾ + d,   c = h/((1 − κ) γ_k)
/// ```
///
/// for the difference `d = ∇^{k+1} y_{n+1}` (Shampine, Reichelt, section 2.3). Iterations end when the remaining error,
/// estimated from the convergence rate, is half the tolerance, or 0.05 times the tolerance if the rate is an older one.
/// They are too slow if four iterations cannot achieve that.
#[derive(Debug, Clone)]
pub(super) struct Newton {
    /// The tolerances, relative and absolute.
    tolerances: (f64, f64),
    /// Convergence rate with the current matrix; none before it is known.
    pub rate: Option<f64>,
    /// `d`.
    pub correction: Vec<f64>,
    /// `y_{n+1}`.
    pub end: Vec<f64>,
    /// `y⁽⁰⁾`.
    prediction: Vec<f64>,
    psi: Vec<f64>,
    /// `max(rel |y_n|, rel |y⁽⁰⁾|, abs)`.
    weights: Vec<f64>,
    /// `ψ + d`, `M (ψ + d)`, and the right-hand side that becomes `Δ`.
    difference: Vec<f64>,
    product: Vec<f64>,
    increment: Vec<f64>,
    /// Iterations of the run.
    pub iterations: u64,
}

impl Newton {
    pub(super) fn new(n: usize, tolerances: (f64, f64)) -> Self {
        let zeros = || vec![0.0; n];
        Self {
            tolerances,
            rate: None,
            correction: zeros(),
            end: zeros(),
            prediction: zeros(),
            psi: zeros(),
            weights: zeros(),
            difference: zeros(),
            product: zeros(),
            increment: zeros(),
            iterations: 0,
        }
    }

    /// The largest component of `x` divided by its tolerance.
    pub(super) fn norm(&self, x: impl Iterator<Item = f64>) -> f64 {
        suite::largest(x.zip(self.weights.iter().copied()), 1.0, 0.0)
    }

    /// Iterates for the step of order `k` and size `h` from `start` to `t_end`. Computes `y_{n+1}` and
    /// `∇^{k+1} y_{n+1}`.
    pub(super) fn run(
        &mut self,
        problem: &mut Counted<'_>,
        matrix: &mut IterationMatrix,
        (formula, k): (&Formula, usize),
        (t_end, h): (f64, f64),
        start: &[f64],
        differences: &Differences,
    ) -> Result<Outcome, Failure> {
        self.begin((formula, k), start, differences);
        let rounding = 100.0 * f64::EPSILON * self.norm(self.end.iter().copied());
        let c = h / formula.leading(k);
        let make = |newton: &mut Self, _: u32| -> Result<f64, Failure> {
            let finite = evaluated(problem.rhs(t_end, &newton.end, &mut newton.increment))?;
            Ok(if finite { newton.correct(matrix, c) } else { f64::NAN })
        };
        let judge = |newton: &mut Self, Progress { iteration, size, last }: Progress| {
            if size <= rounding {
                return Some(Outcome::Converged);
            }
            if iteration == 1 {
                let rate = newton.rate?;
                return (size * rate / (1.0 - rate) <= 0.05).then_some(Outcome::Converged);
            }
            if size > 0.9 * last {
                return Some(Outcome::Slow(None));
            }
            let rate = (0.9 * newton.rate.unwrap_or(0.0)).max(size / last);
            newton.rate = Some(rate);
            let remaining = size * rate / (1.0 - rate);
            if remaining <= 0.5 {
                return Some(Outcome::Converged);
            }
            let rest = (MAX_ITERATIONS - iteration) as i32;
            (0.5 < remaining * rate.powi(rest)).then_some(Outcome::Slow(None))
        };
        iterate(self, MAX_ITERATIONS, make, judge)
    }

    /// Sets the prediction as the first iterate.
    fn begin(&mut self, (formula, k): (&Formula, usize), start: &[f64], differences: &Differences) {
        differences.predict(k, start, &mut self.prediction);
        differences.combine(Formula::gamma, k, formula.leading(k), &mut self.psi);
        self.end.copy_from_slice(&self.prediction);
        self.correction.fill(0.0);
        let (rel, abs) = self.tolerances;
        for (weight, (&start, &end)) in self.weights.iter_mut().zip(start.iter().zip(&self.prediction)) {
            *weight = (rel * start.abs().max(end.abs())).max(abs);
        }
    }

    /// Solves for the correction from the right-hand side in `increment`, adds it, and returns its size.
    fn correct(&mut self, matrix: &mut IterationMatrix, c: f64) -> f64 {
        for (sum, (&psi, &correction)) in self.difference.iter_mut().zip(self.psi.iter().zip(&self.correction)) {
            *sum = psi + correction;
        }
        matrix.multiply_mass(&self.difference, &mut self.product);
        for (increment, &product) in self.increment.iter_mut().zip(&self.product) {
            *increment = c * *increment - product;
        }
        matrix.solve(&mut self.increment);
        self.iterations += 1;
        for (correction, &increment) in self.correction.iter_mut().zip(&self.increment) {
            *correction += increment;
        }
        for (end, (&prediction, &correction)) in self.end.iter_mut().zip(self.prediction.iter().zip(&self.correction)) {
            *end = prediction + correction;
        }
        self.norm(self.increment.iter().copied())
    }
}
