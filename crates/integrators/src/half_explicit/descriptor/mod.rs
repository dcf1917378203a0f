//! Half-explicit steps for equations `M y' = f(t, y)` of index 2.
//!
//! Unknowns are differential (`u`, the nonzero columns of `M`) or algebraic, of index 1 (`w`) or of index 2 (`z`). An
//! algebraic row that contains a `z` holds at each stage; the other algebraic rows are constraints and hold at the
//! next point:
//!
//! ```text
//! Uᵢ₊₁ = u + h Σⱼ aᵢ₊₁ⱼ M⁻¹ f(tⱼ, Uⱼ, Wⱼ, Zⱼ),   0 = k(tᵢ, Uᵢ, Wᵢ, Zᵢ),   0 = g(tᵢ₊₁, Uᵢ₊₁, Wᵢ₊₁)
//! ```
//!
//! (V. Brasey, E. Hairer, SIAM J. Numer. Anal. 30 (1993) 538–552, with `w` as a function of `u`.) `Zᵢ` and `Wᵢ₊₁` are
//! found together by Newton's method, whose matrix is kept while the iteration converges well. If `z` enters
//! linearly, as in mechanics, the second iteration finds no remaining error. In a method with an explicit first
//! stage, `Z₁` is taken from the previous step, and only `W₂` is solved for.

mod parts;
mod stage;

use mbsbench_problem::linalg::System;
use mbsbench_problem::{Counted, Failure, Scalar, Statistics};
use nalgebra::DMatrix;

use super::tables::{Coefficients, Table};
use crate::Stepper;
pub use parts::Parts;
use stage::{MOST_ITERATIONS, Stage, Times};

/// A stepper for the formula of a [`Table`].
#[derive(Debug, Clone)]
pub struct DescriptorStepper<S: Scalar> {
    table: &'static Table,
    coefficients: Coefficients<S>,
    stage: Stage<S>,
    /// `u'` of each stage, one after the other.
    rates: Vec<S>,
    /// The estimated error, and `y'` at the start, whose algebraic components are zero.
    estimate: Vec<S>,
    derivative: Vec<S>,
}

impl<S: Scalar> DescriptorStepper<S> {
    /// A stepper for a problem, whose rows are classified by its Jacobian at the start.
    ///
    /// # Errors
    /// Returns an error if the problem is not suitable or its Jacobian fails, or [`Failure::SingularMatrix`] if the
    /// mass of the differential unknowns is singular.
    pub fn new(table: &'static Table, problem: &mut Counted<'_, S>, t: S, start: &[S]) -> Result<Self, Failure> {
        let coefficients = Coefficients::of(table);
        let stage = Stage::new(problem, t, start, table.explicit_start)?;
        let zeros = |n| vec![S::zero(); n];
        Ok(Self {
            table,
            rates: zeros(stage.parts.rank() * coefficients.rows.len()),
            estimate: zeros(if coefficients.difference.is_empty() { 0 } else { start.len() }),
            derivative: zeros(start.len()),
            coefficients,
            stage,
        })
    }
}

impl<S: Scalar> Stepper<S> for DescriptorStepper<S> {
    fn step(&mut self, problem: &mut Counted<'_, S>, t: S, h: S, start: &[S], end: &mut [S]) -> Result<(), Failure> {
        let Self { table, coefficients: Coefficients { rows, nodes, .. }, stage, rates, .. } = self;
        let rank = stage.parts.rank();
        stage.begin(problem, t, start)?;
        for (i, row) in rows.iter().enumerate() {
            let times = Times { start: t, stage: t + nodes[i] * h, next: t + nodes[i + 1] * h };
            let (before, rest) = rates.split_at_mut(i * rank);
            stage.lead(start, h, row, before);
            let is_explicit = i == 0 && table.explicit_start;
            stage.solve(problem, times, (i, is_explicit), h * row[i])?;
            rest[..rank].copy_from_slice(&stage.rate);
            if i == table.end {
                end.copy_from_slice(&stage.next);
            }
            if i + 1 < rows.len() {
                stage.advance();
            }
        }
        for &j in &stage.parts.index_two {
            end[j] = stage.point[j];
        }
        Ok(())
    }

    fn error(&mut self, h: S, start: &[S], end: &[S], rel: f64, abs: f64) -> Option<f64> {
        let Self { coefficients, stage, rates, estimate, .. } = self;
        let rates = (stage.parts.differential.iter().copied(), &rates[..]);
        coefficients.error(h, (start, end), (rel, abs), rates, estimate)
    }

    fn error_estimate(&self) -> &[S] {
        &self.estimate
    }

    fn error_order(&self) -> Option<u32> {
        self.table.embedded.as_ref().map(|embedded| embedded.order + 1)
    }

    fn start_derivative(&self) -> &[S] {
        &self.derivative
    }

    fn evaluate_start(&mut self, problem: &mut Counted<'_, S>, t: S, start: &[S]) -> Result<(), Failure> {
        let Self { stage, derivative, .. } = self;
        stage.begin(problem, t, start)?;
        stage.evaluate_rate();
        for (&j, &rate) in stage.parts.differential.iter().zip(&stage.rate) {
            derivative[j] = rate;
        }
        Ok(())
    }

    /// Returns a hundredth of the time in which the differential unknowns change by their own size.
    fn first_step(&self, start: &[S], (rel, abs): (f64, f64), max_step: f64) -> Option<f64> {
        let (mut size, mut rate) = (0.0, 0.0);
        for &j in &self.stage.parts.differential {
            let scale = abs + rel * start[j].value().abs();
            size += (start[j].value() / scale).powi(2);
            rate += (self.derivative[j].value() / scale).powi(2);
        }
        let guess: f64 = if size <= 1e-10 || rate <= 1e-10 { 1e-6 } else { 0.01 * (size / rate).sqrt() };
        Some(guess.min(max_step))
    }

    fn evaluations(&self) -> u64 {
        1 + 2 * u64::from(MOST_ITERATIONS) * self.coefficients.rows.len() as u64
    }

    fn costs(&self) -> Statistics {
        let flops = self.stage.flops();
        Statistics { linear_algebra_flops: Some(flops), ..self.stage.costs }
    }
}

/// The block of `mass` for the differential unknowns, factorized; `None` if it is the identity.
fn factorized<S: Scalar>(mass: &DMatrix<S>, parts: &Parts, time: f64) -> Result<Option<System<S>>, Failure> {
    let mut system = System::new(parts.rank());
    parts::copy(mass, &parts.rates, &parts.differential, &mut system.matrix);
    let identity = DMatrix::from_fn(parts.rank(), parts.rank(), |i, j| S::from(f64::from(u8::from(i == j))));
    if system.matrix == identity {
        return Ok(None);
    }
    system.factorize().map_err(|_| Failure::SingularMatrix { time, matrix: "mass matrix" })?;
    Ok(Some(system))
}
