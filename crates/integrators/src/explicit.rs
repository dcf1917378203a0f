//! The one engine for explicit Runge–Kutta formulas.

use mbsbench_problem::{Counted, DoubleDouble, Failure, Method, Observer, Scalar, Solution, Task};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::combine::Row;
use crate::control::ControllerSettings;
use crate::{DenseOutput, Formula, Stepper, Tableau, drive};

/// Which formula of a pair advances the solution.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Advance {
    /// That of the higher order (local extrapolation).
    #[default]
    Higher,
    /// That of the lower order, whose error the pair estimates.
    Lower,
}

/// An explicit Runge–Kutta method: a formula, and how its step is controlled.
#[derive(Debug, Clone)]
pub struct ExplicitRungeKutta {
    /// In full precision; a solve rounds it to its scalar.
    formula: Formula<DoubleDouble>,
    control: ControllerSettings,
    dense_output: bool,
}

impl ExplicitRungeKutta {
    /// The method of `tableau`, advancing with the weights `b`.
    #[must_use]
    pub fn new(tableau: &Tableau, control: ControllerSettings) -> Self {
        Self { formula: Formula::new(tableau), control, dense_output: false }
    }

    /// The same, advancing with the formula that `advance` names. A tableau without a second formula has only one.
    #[must_use]
    pub fn advancing(mut self, advance: Advance) -> Self {
        if advance == Advance::Lower {
            self.formula = self.formula.clone().with_lower_order().unwrap_or(self.formula);
        }
        self
    }

    /// The same, with the states that an observer asks for inside a step from the continuous output of the
    /// formula (of its lower order) instead of an extra step.
    #[must_use]
    pub fn with_dense_output(mut self, dense_output: bool) -> Self {
        self.dense_output = dense_output;
        self
    }
}

impl<S: Scalar> Method<S> for ExplicitRungeKutta {
    fn order(&self) -> u32 {
        self.formula.order
    }

    fn adapts(&self) -> bool {
        !self.formula.estimates.is_empty()
    }

    fn solve(&self, problem: Counted<'_, S>, task: &Task<'_, S>, observer: &mut dyn Observer<S>) -> Solution<S> {
        let with_estimate = drive::is_adaptive(task);
        let formula = self.formula.rounded();
        let mut stepper = ExplicitStepper::new(&formula, problem.dimension(), with_estimate);
        if self.dense_output {
            stepper = stepper.with_dense_output(&formula);
        }
        drive::solve(stepper, self.control, problem, task, observer)
    }
}

/// One step of an explicit Runge–Kutta formula.
///
/// All memory is allocated at construction. Last stages that neither the result nor, where asked for, the error
/// estimate needs are not evaluated.
#[derive(Debug, Clone)]
pub struct ExplicitStepper<S> {
    order: u32,
    error_order: u32,
    /// Nodes and rows of the stages that are evaluated, but for one that is the end of the step.
    nodes: Vec<S>,
    rows: Vec<Row<S>>,
    weights: Row<S>,
    estimates: Vec<Row<S>>,
    /// Derivatives at the stages, one after the other.
    stages: Vec<S>,
    /// State at a stage.
    state: Vec<S>,
    zeros: Vec<S>,
    /// The last stage's state is the result and its derivative the next step's first.
    last_is_end: bool,
    /// The first stage holds the derivative at the start of the next step.
    start_known: bool,
    dense: Option<DenseOutput<S>>,
}

impl<S: Scalar> ExplicitStepper<S> {
    /// A stepper for states of `dimension` components; `with_estimate` says that the error will be asked for.
    #[must_use]
    pub fn new(formula: &Formula<S>, dimension: usize, with_estimate: bool) -> Self {
        let last_nonzero = |row: &[S]| row.iter().rposition(|a| *a != S::nought()).map_or(0, |last| last + 1);
        let mut count = last_nonzero(&formula.weights);
        let estimates: &[_] = if with_estimate { &formula.estimates } else { &[] };
        for estimate in estimates {
            count = count.max(last_nonzero(&estimate.difference));
        }
        let last_is_end = count == formula.weights.len() && formula.first_same_as_last();
        // where the last stage is the end, its row are the weights
        let inner = count - usize::from(last_is_end);
        Self {
            order: formula.order,
            error_order: formula.error_order,
            nodes: formula.nodes[..inner].to_vec(),
            rows: formula.rows[..inner].iter().map(|row| Row::new(row, dimension)).collect(),
            weights: Row::new(&formula.weights[..count], dimension),
            estimates: estimates.iter().map(|e| Row::new(&e.difference[..count], dimension)).collect(),
            stages: vec![S::nought(); count * dimension],
            state: vec![S::nought(); dimension],
            zeros: vec![S::nought(); dimension],
            last_is_end,
            start_known: false,
            dense: None,
        }
    }

    /// The same stepper, which gives states inside a step by the continuous output of `formula`, where it has one.
    #[must_use]
    pub fn with_dense_output(mut self, formula: &Formula<S>) -> Self {
        self.dense = DenseOutput::new(formula, self.state.len());
        self
    }

    /// [`step`](Stepper::step) for any dimension.
    fn step_any(
        &mut self,
        problem: &mut Counted<'_, S>,
        t: S,
        h: S,
        start: &[S],
        end: &mut [S],
    ) -> Result<(), Failure> {
        let n = self.state.len();
        problem.begin_step(t, start)?;
        if !self.start_known {
            problem.rhs(t, start, &mut self.stages[..n])?;
            self.start_known = true;
        }
        for i in 1..self.rows.len() {
            let (row, node) = (&self.rows[i], self.nodes[i]);
            let (known, stage) = self.stages.split_at_mut(i * n);
            row.advance(&mut self.state, start, h, known);
            problem.rhs(t + node * h, &self.state, &mut stage[..n])?;
        }
        self.weights.advance(end, start, h, &self.stages);
        if self.last_is_end {
            let last = self.stages.len() - n;
            problem.rhs(t + h, end, &mut self.stages[last..])?;
        }
        Ok(())
    }

    /// The same for states of `D` components.
    fn step_small<const D: usize>(
        &mut self,
        problem: &mut Counted<'_, S>,
        t: S,
        h: S,
        start: &[S],
        end: &mut [S],
    ) -> Result<(), Failure> {
        const FITS: &str = "states have the dimension that the stepper was made for";
        let base: &[S; D] = start.first_chunk().expect(FITS);
        let end: &mut [S; D] = end.first_chunk_mut().expect(FITS);
        let stages: &mut [[S; D]] = self.stages.as_chunks_mut().0;
        problem.begin_step(t, start)?;
        if !self.start_known {
            problem.rhs(t, base, &mut stages[0])?;
            self.start_known = true;
        }
        for (i, (row, node)) in (1..).zip(self.rows[1..].iter().zip(&self.nodes[1..])) {
            let (known, rest) = stages.split_at_mut(i);
            let Some(stage) = rest.first_mut() else { break };
            let state = row.advanced(base, h, known);
            problem.rhs(t + *node * h, &state, stage)?;
        }
        *end = self.weights.advanced(base, h, stages);
        if let (true, Some(last)) = (self.last_is_end, stages.last_mut()) {
            problem.rhs(t + h, end, last)?;
        }
        Ok(())
    }

    /// [`error`](Stepper::error) for states of `D` components.
    fn error_small<const D: usize>(&self, h: S, start: &[S], end: &[S], rel: f64, abs: f64) -> Option<f64> {
        let stages = self.stages.as_chunks::<D>().0;
        let mut squares = [0.0; 2];
        for (square, row) in squares.iter_mut().zip(&self.estimates) {
            *square = weighted_square(&row.sum(stages), start, end, rel, abs);
        }
        self.combined_error(squares, h, D)
    }

    /// The error from the weighted squares of the estimates.
    #[inline]
    fn combined_error(&self, [first, second]: [f64; 2], h: S, dimension: usize) -> Option<f64> {
        let (h, n) = (h.value().abs(), dimension as f64);
        match self.estimates.len() {
            0 => None,
            1 => Some(h * (first / n).sqrt()),
            // Hairer, Nørsett, Wanner, section II.10: err = err₅ · err₅ / √(err₅² + 0.01 err₃²)
            _ => {
                let denominator = first + 0.01 * second;
                let denominator = if denominator <= 0.0 { 1.0 } else { denominator };
                Some(h * first * (1.0 / (denominator * n)).sqrt())
            }
        }
    }

    /// Derivatives at the stages of the step just made, one after the other.
    #[must_use]
    pub fn stages(&self) -> &[S] {
        &self.stages
    }
}

impl<S: Scalar> Stepper<S> for ExplicitStepper<S> {
    fn order(&self) -> u32 {
        self.order
    }

    fn step(&mut self, problem: &mut Counted<'_, S>, t: S, h: S, start: &[S], end: &mut [S]) -> Result<(), Failure> {
        // Double precision only: double-double loops are long enough by themselves.
        match (self.state.len(), size_of::<S>() == size_of::<f64>()) {
            (1, true) => self.step_small::<1>(problem, t, h, start, end),
            (2, true) => self.step_small::<2>(problem, t, h, start, end),
            (4, true) => self.step_small::<4>(problem, t, h, start, end),
            (6, true) => self.step_small::<6>(problem, t, h, start, end),
            _ => self.step_any(problem, t, h, start, end),
        }
    }

    fn state_within(
        &mut self,
        problem: &mut Counted<'_, S>,
        (t, h): (S, S),
        start: &[S],
        t_within: S,
        y: &mut [S],
    ) -> Result<(), Failure> {
        self.restart();
        let Some(mut dense) = self.dense.take() else { return self.step(problem, t, t_within - t, start, y) };
        let result = self.step(problem, t, h, start, y);
        let prepared = result.and_then(|()| dense.prepare(problem, (t, h), start, y, &self.stages));
        dense.state_at((t_within - t) / h, y);
        self.dense = Some(dense);
        prepared
    }

    fn error(&mut self, h: S, start: &[S], end: &[S], rel: f64, abs: f64) -> Option<f64> {
        match (start.len(), size_of::<S>() == size_of::<f64>()) {
            (1, true) => self.error_small::<1>(h, start, end, rel, abs),
            (2, true) => self.error_small::<2>(h, start, end, rel, abs),
            (4, true) => self.error_small::<4>(h, start, end, rel, abs),
            (6, true) => self.error_small::<6>(h, start, end, rel, abs),
            _ => {
                let mut squares = [0.0; 2];
                for (square, row) in squares.iter_mut().zip(&self.estimates) {
                    row.advance(&mut self.state, &self.zeros, S::from(1.0), &self.stages);
                    *square = weighted_square(&self.state, start, end, rel, abs);
                }
                self.combined_error(squares, h, start.len())
            }
        }
    }

    fn error_order(&self) -> Option<u32> {
        (!self.estimates.is_empty()).then_some(self.error_order)
    }

    fn accepted(&mut self, same_end: bool) {
        self.start_known = same_end && self.last_is_end;
        if self.start_known {
            let last = self.stages.len() - self.state.len();
            self.stages.copy_within(last.., 0);
        }
    }

    fn restart(&mut self) {
        self.start_known = false;
    }

    fn start_derivative(&self) -> &[S] {
        &self.stages[..self.state.len()]
    }

    fn evaluate_start(&mut self, problem: &mut Counted<'_, S>, t: S, start: &[S]) -> Result<(), Failure> {
        problem.begin_step(t, start)?;
        problem.rhs(t, start, &mut self.stages[..start.len()])?;
        self.start_known = true;
        Ok(())
    }

    fn evaluations(&self) -> u64 {
        self.nodes.len() as u64 + u64::from(self.last_is_end)
    }
}

/// `Σ (error_i / (abs + rel max(|start_i|, |end_i|)))²`
#[inline(always)]
fn weighted_square<S: Scalar>(error: &[S], start: &[S], end: &[S], rel: f64, abs: f64) -> f64 {
    let mut square = 0.0;
    for ((error, start), end) in error.iter().zip(start).zip(end) {
        let scaled = error.value() / (abs + rel * start.value().abs().max(end.value().abs()));
        square += scaled * scaled;
    }
    square
}
