//! SDIRK4, the stiff pair of Hairer and Wanner, which the dissertation names among its integrators.

use mbsbench_problem::linalg::Lu;
use mbsbench_problem::{Counted, Failure, Scalar, Statistics};
use nalgebra::DMatrix;

use super::pair::Pair;
use crate::Formula;
use crate::events::State;
use crate::newton::{Outcome, Progress, iterate};
use crate::tableaux::SDIRK4;

/// Diagonal of the tableau.
const GAMMA: f64 = 0.25;
/// The largest number of iterations of a stage.
const MOST_ITERATIONS: u32 = 20;
/// A stage is solved when its last correction is at most this, relative to the larger of one and the state. Steps
/// serve as function evaluations in the location of events, so the remaining error has to be far below its tolerance.
const CLOSE: f64 = 1e-12;

/// SDIRK4: five stages, order 4(3), L-stable, stiffly accurate (Hairer, Wanner, Solving Ordinary Differential
/// Equations II, section IV.6, table 6.5).
///
/// Simplified Newton iteration in the stages, with a Jacobian by forward differences, formed once for each start of a
/// step and factorized for each step size. The error estimate is the plain difference of the two results.
#[derive(Debug, Clone)]
pub struct Sdirk4<S> {
    formula: Formula<S>,
    /// Weights of order three.
    lower: Vec<S>,
    /// Derivatives at the stages.
    stages: [Vec<S>; 5],
    base: Vec<S>,
    state: Vec<S>,
    correction: Vec<S>,
    jacobian: DMatrix<S>,
    matrix: DMatrix<S>,
    factors: Lu<S>,
    /// True if the Jacobian belongs to the present start.
    is_current: bool,
    costs: Statistics,
}

impl<S: Scalar> Sdirk4<S> {
    /// A pair for states of `n` components.
    pub fn new(n: usize) -> Self {
        let zeros = || vec![S::zero(); n];
        let square = DMatrix::from_element(n, n, S::zero());
        let lower = SDIRK4.formula.clone().with_lower_order().expect("there are embedded weights");
        Self {
            formula: SDIRK4.formula.rounded(),
            lower: lower.rounded().weights,
            stages: std::array::from_fn(|_| zeros()),
            base: zeros(),
            state: zeros(),
            correction: zeros(),
            jacobian: square.clone(),
            matrix: square,
            factors: Lu::new(n),
            is_current: false,
            costs: Statistics::default(),
        }
    }

    /// Forms the Jacobian at the start if necessary, and factorizes `1 − γ h J`.
    fn prepare(&mut self, problem: &mut Counted<'_, S>, start: &State<S>, h: S) -> Result<(), Failure> {
        if !self.is_current {
            self.state.copy_from_slice(&start.y);
            for column in 0..self.state.len() {
                let size = start.y[column].value().abs().max(1e-5) * f64::EPSILON.sqrt();
                self.state[column] += size;
                problem.rhs(start.t, &self.state, &mut self.correction)?;
                self.state[column] = start.y[column];
                for (row, (&moved, &rate)) in self.correction.iter().zip(&start.rate).enumerate() {
                    self.jacobian[(row, column)] = (moved - rate) / size;
                }
            }
            self.costs.jacobian_evaluations += 1;
            self.is_current = true;
        }
        let scale = -(h * GAMMA);
        self.matrix.zip_apply(&self.jacobian, |entry, derivative| *entry = derivative * scale);
        for i in 0..self.state.len() {
            self.matrix[(i, i)] += 1.0;
        }
        self.costs.factorizations += 1;
        let singular = |_| Failure::SingularMatrix { time: start.t.value(), matrix: "1 - γ h J" };
        self.factors.factorize(&self.matrix).map_err(singular)
    }

    /// Solves `Y = base + γ h f(t, Y)`; `state` holds Y and initially the guess.
    fn solve_stage(&mut self, problem: &mut Counted<'_, S>, t: S, h: S, stage: usize) -> Result<(), Failure> {
        let make = |pair: &mut Self, _: u32| -> Result<f64, Failure> {
            let Self { stages, base, state, correction, factors, costs, .. } = pair;
            let rates = &mut stages[stage];
            problem.rhs(t, state, rates)?;
            for (i, correction) in correction.iter_mut().enumerate() {
                *correction = base[i] + rates[i] * h * GAMMA - state[i];
            }
            factors.solve(correction);
            costs.newton_iterations += 1;
            costs.linear_solves += 1;
            let mut change = 0.0f64;
            for (state, correction) in state.iter_mut().zip(correction) {
                *state += *correction;
                change = if correction.is_finite() { change.max(correction.value().abs()) } else { f64::INFINITY };
            }
            Ok(change)
        };
        let judge = |pair: &mut Self, Progress { size: change, .. }: Progress| {
            let size = pair.state.iter().fold(1.0f64, |size, x| size.max(x.value().abs()));
            (change <= CLOSE * size).then_some(Outcome::Converged)
        };
        if iterate(self, MOST_ITERATIONS, make, judge)? != Outcome::Converged {
            return Err(Failure::NewtonDiverged { time: t.value(), iterations: MOST_ITERATIONS.into() });
        }
        // The derivative of the solution, from the stage's own equation.
        for (i, rate) in self.stages[stage].iter_mut().enumerate() {
            *rate = (self.state[i] - self.base[i]) / (h * GAMMA);
        }
        Ok(())
    }
}

impl<S: Scalar> Pair<S> for Sdirk4<S> {
    fn evaluations(&self) -> u64 {
        5 * u64::from(MOST_ITERATIONS) + 1 + self.state.len() as u64
    }

    fn restart(&mut self) {
        self.is_current = false;
    }

    fn step(&mut self, problem: &mut Counted<'_, S>, start: &State<S>, end: &mut State<S>) -> Result<(), Failure> {
        let h = end.h;
        if h == S::zero() {
            end.y.copy_from_slice(&start.y);
            return problem.rhs(end.t, &end.y, &mut end.rate);
        }
        self.prepare(problem, start, h)?;
        for stage in 0..self.stages.len() {
            let row = &self.formula.rows[stage][..stage];
            for i in 0..self.base.len() {
                let sum = row.iter().zip(&self.stages).map(|(&a, k)| k[i] * a);
                self.base[i] = start.y[i] + h * sum.fold(S::zero(), |sum, term| sum + term);
                let last = if stage == 0 { start.rate[i] } else { self.stages[stage - 1][i] };
                self.state[i] = self.base[i] + last * h * GAMMA;
            }
            self.solve_stage(problem, start.t + h * self.formula.nodes[stage].value(), h, stage)?;
        }
        end.y.copy_from_slice(&self.state);
        problem.rhs(end.t, &end.y, &mut end.rate)
    }

    fn difference(&mut self, start: &State<S>, end: &State<S>) -> f64 {
        let mut largest = 0.0f64;
        for (i, &high) in end.y.iter().enumerate() {
            let sum = self.lower.iter().zip(&self.stages).map(|(&b, k)| k[i] * b);
            let low = start.y[i] + end.h * sum.fold(S::zero(), |sum, term| sum + term);
            let difference = (high - low).value().abs();
            largest = if difference > largest || difference.is_nan() { difference } else { largest };
        }
        largest
    }

    fn costs(&self) -> Statistics {
        self.costs
    }
}
