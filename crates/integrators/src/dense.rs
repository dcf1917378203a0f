//! Continuous output of an explicit Runge–Kutta formula: the state inside a step from its stages.

use mbsbench_problem::{Counted, Failure, Scalar};

use crate::Formula;
use crate::combine::Row;

/// Evaluates the continuous output of a step; see [`Continuous`](crate::formula::Continuous) for the formula.
#[derive(Debug, Clone)]
pub struct DenseOutput<S> {
    dimension: usize,
    /// Number of stages of the formula itself.
    own_stages: usize,
    end_stage: usize,
    extra_nodes: Vec<S>,
    extra_rows: Vec<Row<S>>,
    rows: Vec<Row<S>>,
    /// Derivatives at all stages.
    stages: Vec<S>,
    state: Vec<S>,
    zeros: Vec<S>,
    /// The coefficients r₁, r₂, … of the last prepared step, one state after the other.
    coefficients: Vec<S>,
    start: Vec<S>,
}

impl<S: Scalar> DenseOutput<S> {
    /// The continuous output of `formula` for states of `dimension` components; `None` if the formula has none.
    pub fn new(formula: &Formula<S>, dimension: usize) -> Option<Self> {
        let dense = formula.dense.as_ref()?;
        let own_stages = formula.nodes.len();
        let terms = |rows: &[Vec<S>]| rows.iter().map(|row| Row::new(row, dimension)).collect();
        let zeros = |count: usize| vec![S::zero(); count * dimension];
        Some(Self {
            dimension,
            own_stages,
            end_stage: dense.end_stage,
            extra_nodes: dense.extra_nodes.clone(),
            extra_rows: terms(&dense.extra_rows),
            rows: terms(&dense.rows),
            stages: zeros(own_stages + dense.extra_nodes.len()),
            state: zeros(1),
            zeros: zeros(1),
            coefficients: zeros(3 + dense.rows.len()),
            start: zeros(1),
        })
    }

    /// Prepares the step of size `h` from `start` at `t` to `end`. `stages` are its derivatives; if those of the
    /// formula's last stages are missing, they are evaluated along with the extra stages of the interpolant.
    pub fn prepare(
        &mut self,
        problem: &mut Counted<'_, S>,
        (t, h): (S, S),
        start: &[S],
        end: &[S],
        stages: &[S],
    ) -> Result<(), Failure> {
        let n = self.dimension;
        self.stages[..stages.len()].copy_from_slice(stages);
        if self.end_stage < self.own_stages {
            problem.rhs(t + h, end, &mut self.stages[self.end_stage * n..][..n])?;
        }
        for (m, (&node, row)) in self.extra_nodes.iter().zip(&self.extra_rows).enumerate() {
            let (known, stage) = self.stages.split_at_mut((self.own_stages + m) * n);
            row.advance(&mut self.state, start, h, known);
            problem.rhs(t + node * h, &self.state, &mut stage[..n])?;
        }
        self.start.copy_from_slice(start);
        let (first, rest) = self.coefficients.split_at_mut(3 * n);
        for i in 0..n {
            let rise = end[i] - start[i];
            let second = h * self.stages[i] - rise;
            first[i] = rise;
            first[n + i] = second;
            first[2 * n + i] = rise - h * self.stages[self.end_stage * n + i] - second;
        }
        for (row, coefficients) in self.rows.iter().zip(rest.chunks_exact_mut(n)) {
            row.advance(coefficients, &self.zeros, h, &self.stages);
        }
        Ok(())
    }

    /// Writes the state at the fraction `theta` of the prepared step into `y`.
    pub fn state_at(&self, theta: S, y: &mut [S]) {
        let rest = -theta + 1.0;
        for (i, y) in y.iter_mut().enumerate() {
            let nested = self.coefficients.chunks_exact(self.dimension).enumerate().rev();
            let polynomial = nested.fold(S::zero(), |sum, (m, r)| (r[i] + sum) * if m % 2 == 0 { theta } else { rest });
            *y = self.start[i] + polynomial;
        }
    }
}
