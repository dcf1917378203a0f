//! Simplified Newton iterations for the three stages of a step.

use mbsbench_problem::{Counted, Failure, Run};

use super::collocation::Collocation;
use super::tableau::{COMPLEX, ERROR, FROM_STAGES, NODES, REAL, TO_STAGES};
use crate::equations::Equations;
use crate::newton::{Outcome, Progress, evaluated, iterate};

/// The convergence criterion of the iterations.
#[derive(Debug, Clone, Copy)]
pub(super) struct Goal {
    /// `κ`: the largest estimated remaining error in units of the weights.
    pub remaining: f64,
    /// Maximum number of iterations.
    pub iterations: u32,
    /// First iteration in which divergence ends the iterations; the first ratio of two increments reflects the first
    /// guess.
    pub judged_from: u32,
    /// Size of an increment, in units of the weights, that may be due to rounding alone.
    pub rounding: f64,
}

/// Solves `M zᵢ = h Σⱼ aᵢⱼ f(t + cⱼ h, y + zⱼ)`.
///
/// In the transformed stages `W = (T⁻¹ ⊗ 1) Z` an iteration is (Hairer, Wanner, Eq. IV.8.13)
///
/// ```text
/// (γ M − J) Δw₁ = (T⁻¹ F)₁ − γ M w₁,                      γ = γ̂/h
/// (α M − J) (Δw₂ + i Δw₃) = (T⁻¹ F)₂,₃ − α M (w₂ + i w₃),  α = (α̂ + iβ̂)/h
/// ```
#[derive(Debug, Clone)]
pub(super) struct Newton {
    /// `zᵢ`.
    pub z: [Vec<f64>; 3],
    /// `wᵢ`.
    w: [Vec<f64>; 3],
    /// Right-hand sides of the stages, then increments of `w`.
    increments: [Vec<f64>; 3],
    /// Number of iterations in the last step.
    pub count: u32,
    /// Convergence rate in the last step; a default if there were fewer than two iterations.
    pub rate: f64,
    /// `η = Θ/(1 − Θ)`, the estimated remaining error relative to the last increment.
    remaining: f64,
    state: Vec<f64>,
    products: [Vec<f64>; 3],
    /// Estimated error of the step.
    pub error: Vec<f64>,
    /// `M Σ eᵢ zᵢ/h`.
    combined: Vec<f64>,
}

/// Default convergence rate if it is not known.
const UNKNOWN_RATE: f64 = 1e-3;

/// Rounding unit, as in RADAU5.
pub(super) const ROUNDING: f64 = 1e-16;

impl Newton {
    pub(super) fn new(n: usize) -> Self {
        let zeros = || vec![0.0; n];
        let three = || [zeros(), zeros(), zeros()];
        Self {
            z: three(),
            w: three(),
            increments: three(),
            count: 0,
            rate: UNKNOWN_RATE,
            remaining: 1.0,
            state: zeros(),
            products: three(),
            error: zeros(),
            combined: zeros(),
        }
    }

    /// Iterates for the step of size `h` from the current state `y`, with the factors in `equations`.
    pub(super) fn run(
        &mut self,
        run: &mut Run<'_, Counted<'_>>,
        equations: &mut dyn Equations,
        h: f64,
        y: &[f64],
        (before, weights): (&Collocation, &[f64]),
        goal: Goal,
    ) -> Result<Outcome, Failure> {
        self.guess(h, before);
        self.remaining = self.remaining.max(ROUNDING).powf(0.8);
        (self.rate, self.count) = (UNKNOWN_RATE, 0);
        let make = |newton: &mut Self, _: u32| -> Result<f64, Failure> {
            run.check_budget(3)?;
            if !evaluated(newton.evaluate(&mut run.problem, equations, (run.t, h), y))? {
                return Ok(f64::NAN);
            }
            newton.correct(equations, h);
            newton.count += 1;
            let size = newton.size(weights);
            newton.advance();
            Ok(size)
        };
        let mut last_ratio = f64::NAN;
        // converged, or further iterations are useless (Eqs. IV.8.10 and IV.8.11)
        let judge = |newton: &mut Self, Progress { iteration, size, last }: Progress| {
            if 1 < iteration && iteration < goal.iterations {
                let ratio = size / last.max(ROUNDING);
                newton.rate = if iteration == 2 { ratio } else { (ratio * last_ratio).sqrt() };
                last_ratio = ratio;
                if newton.rate < 0.99 {
                    newton.remaining = newton.rate / (1.0 - newton.rate);
                }
                if iteration >= goal.judged_from {
                    if newton.rate >= 0.99 {
                        return Some(Outcome::Diverged);
                    }
                    let rest = goal.iterations - 1 - iteration;
                    let expected = newton.remaining * size * newton.rate.powi(rest as i32) / goal.remaining;
                    if expected >= 1.0 {
                        let shrink = 0.8 * expected.clamp(1e-4, 20.0).powf(-1.0 / f64::from(4 + rest));
                        return Some(Outcome::Slow(Some(shrink)));
                    }
                }
            }
            (newton.remaining * size <= goal.remaining || size <= goal.rounding).then_some(Outcome::Converged)
        };
        iterate(self, goal.iterations, make, judge)
    }

    /// Extrapolates the collocation polynomial of the previous step; zero without one.
    fn guess(&mut self, h: f64, before: &Collocation) {
        if before.h > 0.0 {
            for (z, node) in self.z.iter_mut().zip(NODES) {
                before.change(node * h / before.h, z);
            }
        } else {
            self.z.iter_mut().for_each(|z| z.fill(0.0));
        }
        transform(&FROM_STAGES, &self.z, &mut self.w);
    }

    /// Computes `T⁻¹ F` in `increments`.
    fn evaluate(
        &mut self,
        problem: &mut Counted<'_>,
        equations: &mut dyn Equations,
        (t, h): (f64, f64),
        y: &[f64],
    ) -> Result<(), Failure> {
        for ((z, node), f) in self.z.iter().zip(NODES).zip(&mut self.products) {
            for ((state, &y), &z) in self.state.iter_mut().zip(y).zip(z) {
                *state = y + z;
            }
            // the last stage is exactly at the end of the step
            equations.rhs(problem, if node == 1.0 { t + h } else { t + node * h }, &self.state, f)?;
        }
        transform(&FROM_STAGES, &self.products, &mut self.increments);
        Ok(())
    }

    /// Solves for the increments from their right-hand sides.
    fn correct(&mut self, equations: &mut dyn Equations, h: f64) {
        let Self { w, increments: [first, second, third], products, .. } = self;
        for (w, product) in w.iter().zip(products.iter_mut()) {
            equations.multiply_mass(w, product);
        }
        let (gamma, alpha) = (REAL / h, COMPLEX / h);
        let [real, re, im] = products;
        first.iter_mut().zip(real).for_each(|(first, real)| *first -= gamma * *real);
        for ((second, third), (re, im)) in second.iter_mut().zip(third.iter_mut()).zip(re.iter().zip(im.iter())) {
            *second -= alpha.re * re - alpha.im * im;
            *third -= alpha.im * re + alpha.re * im;
        }
        equations.solve_real(first);
        equations.solve_complex(second, third);
    }

    /// The norm of the increments.
    fn size(&self, weights: &[f64]) -> f64 {
        let sum: f64 = self.increments.iter().map(|increment| sum_of_squares(increment, weights)).sum();
        (sum / (3 * weights.len()) as f64).sqrt()
    }

    /// Adds the increments.
    fn advance(&mut self) {
        for (w, increment) in self.w.iter_mut().zip(&self.increments) {
            for (w, &increment) in w.iter_mut().zip(increment) {
                *w += increment;
            }
        }
        transform(&TO_STAGES, &self.w, &mut self.z);
    }

    /// Estimates the error of the step from `y`, where `f` is the right-hand side, in units of the weights: the norm of
    /// `(γ M − J)⁻¹ (f + M Σ eᵢ zᵢ/h)` (Eq. IV.8.19).
    pub(super) fn estimate(&mut self, equations: &mut dyn Equations, h: f64, f: &[f64], weights: &[f64]) -> f64 {
        let [first, second, third] = &self.z;
        for (((sum, first), second), third) in self.state.iter_mut().zip(first).zip(second).zip(third) {
            *sum = (ERROR[0] * first + ERROR[1] * second + ERROR[2] * third) / h;
        }
        equations.multiply_mass(&self.state, &mut self.combined);
        self.error_of(equations, f, weights)
    }

    /// Repeats the estimate with `f` evaluated at `y` plus the previous estimate, which removes the contribution of
    /// stiff components (Eq. IV.8.20).
    pub(super) fn estimate_again(
        &mut self,
        problem: &mut Counted<'_>,
        equations: &mut dyn Equations,
        (t, y): (f64, &[f64]),
        weights: &[f64],
    ) -> Result<f64, Failure> {
        for ((state, &y), &error) in self.state.iter_mut().zip(y).zip(&self.error) {
            *state = y + error;
        }
        let mut f = std::mem::take(&mut self.products[0]);
        let evaluated = equations.rhs(problem, t, &self.state, &mut f);
        let error = self.error_of(equations, &f, weights);
        self.products[0] = f;
        evaluated.map(|()| error)
    }

    fn error_of(&mut self, equations: &mut dyn Equations, f: &[f64], weights: &[f64]) -> f64 {
        for ((error, &f), &combined) in self.error.iter_mut().zip(f).zip(&self.combined) {
            *error = f + combined;
        }
        equations.solve_real(&mut self.error);
        let norm = (sum_of_squares(&self.error, weights) / weights.len() as f64).sqrt();
        // f64::max would turn NaN into a small estimate
        if norm < LEAST_ERROR { LEAST_ERROR } else { norm }
    }
}

/// Smallest estimate; smaller ones are replaced by it.
const LEAST_ERROR: f64 = 1e-10;

fn sum_of_squares(x: &[f64], weights: &[f64]) -> f64 {
    x.iter().zip(weights).map(|(x, weight)| (x / weight).powi(2)).sum()
}

/// `to = (matrix ⊗ 1) from`.
fn transform(matrix: &[[f64; 3]; 3], from: &[Vec<f64>; 3], to: &mut [Vec<f64>; 3]) {
    let [first, second, third] = from;
    for (row, to) in matrix.iter().zip(to) {
        for (((to, first), second), third) in to.iter_mut().zip(first).zip(second).zip(third) {
            *to = row[0] * first + row[1] * second + row[2] * third;
        }
    }
}
