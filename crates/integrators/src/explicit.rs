//! The one engine for explicit Runge–Kutta formulas.

use mbsbench_problem::{Counted, Failure, Method, Observer, Scalar, Solution, Task};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::combine::{self, Term};
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

/// An explicit Runge–Kutta method: a tableau, and how its step is controlled.
#[derive(Debug, Clone)]
pub struct ExplicitRungeKutta {
    tableau: &'static Tableau,
    advance: Advance,
    control: ControllerSettings,
    dense_output: bool,
}

impl ExplicitRungeKutta {
    /// The method of `tableau`, advancing with the weights `b`.
    #[must_use]
    pub fn new(tableau: &'static Tableau, control: ControllerSettings) -> Self {
        Self { tableau, advance: Advance::Higher, control, dense_output: false }
    }

    /// The same, advancing with the formula that `advance` names. A tableau without a second formula has only one.
    #[must_use]
    pub fn advancing(mut self, advance: Advance) -> Self {
        self.advance = advance;
        self
    }

    /// The same, with the states that an observer asks for inside a step from the continuous output of the
    /// formula (of its lower order) instead of an extra step.
    #[must_use]
    pub fn with_dense_output(mut self, dense_output: bool) -> Self {
        self.dense_output = dense_output;
        self
    }

    /// The numbers of the formula that advances.
    fn formula<S: Scalar>(&self) -> Formula<S> {
        let formula = Formula::new(self.tableau);
        match self.advance {
            Advance::Higher => formula,
            Advance::Lower => formula.clone().with_lower_order().unwrap_or(formula),
        }
    }
}

impl<S: Scalar> Method<S> for ExplicitRungeKutta {
    fn order(&self) -> u32 {
        match (self.advance, self.tableau.embedded) {
            (Advance::Lower, [embedded, ..]) => embedded.order,
            _ => self.tableau.order,
        }
    }

    fn adapts(&self) -> bool {
        !self.tableau.embedded.is_empty()
    }

    fn solve(&self, problem: Counted<'_, S>, task: &Task<'_, S>, observer: &mut dyn Observer<S>) -> Solution<S> {
        let with_estimate = drive::is_adaptive(task);
        let formula = self.formula();
        let mut stepper = ExplicitStepper::new(&formula, problem.dimension(), with_estimate);
        if self.dense_output {
            stepper = stepper.with_dense_output(&formula);
        }
        drive::solve(stepper, self.control, problem, task, observer)
    }
}

/// One step of an explicit Runge–Kutta formula.
///
/// All memory is allocated at construction. Stages that neither the result nor, where asked for, the error
/// estimate needs are not evaluated.
#[derive(Debug, Clone)]
pub struct ExplicitStepper<S> {
    order: u32,
    error_order: u32,
    /// Nodes of the stages that are evaluated.
    nodes: Vec<S>,
    rows: Vec<Vec<Term<S>>>,
    weights: Vec<Term<S>>,
    estimates: Vec<Vec<Term<S>>>,
    /// Derivatives at the stages, one after the other.
    stages: Vec<S>,
    /// State at a stage.
    state: Vec<S>,
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
        Self {
            order: formula.order,
            error_order: formula.error_order,
            nodes: formula.nodes[..count].to_vec(),
            rows: formula.rows[..count].iter().map(|row| combine::terms(row, dimension)).collect(),
            weights: combine::terms(&formula.weights[..count], dimension),
            estimates: estimates.iter().map(|e| combine::terms(&e.difference[..count], dimension)).collect(),
            stages: vec![S::nought(); count * dimension],
            state: vec![S::nought(); dimension],
            last_is_end: count == formula.weights.len() && formula.first_same_as_last(),
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
        let n = self.state.len();
        problem.begin_step(t, start)?;
        if !self.start_known {
            problem.rhs(t, start, &mut self.stages[..n])?;
            self.start_known = true;
        }
        let inner = self.nodes.len() - usize::from(self.last_is_end);
        for i in 1..inner {
            let (known, stage) = self.stages.split_at_mut(i * n);
            combine::advance(&mut self.state, start, h, &self.rows[i], known);
            problem.rhs(t + self.nodes[i] * h, &self.state, &mut stage[..n])?;
        }
        combine::advance(end, start, h, &self.weights, &self.stages);
        if self.last_is_end {
            problem.rhs(t + h, end, &mut self.stages[inner * n..])?;
        }
        Ok(())
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
        let n = start.len();
        let scale = |i: usize| abs + rel * start[i].value().abs().max(end[i].value().abs());
        let square = |terms: &[Term<S>]| {
            let mut square = 0.0;
            for i in 0..n {
                let error = combine::sum::<S, 1>(terms, &self.stages, i)[0].value() / scale(i);
                square += error * error;
            }
            square
        };
        let h = h.value().abs();
        match self.estimates.as_slice() {
            [] => None,
            [only] => Some(h * (square(only) / n as f64).sqrt()),
            // Hairer, Nørsett, Wanner, section II.10: err = err₅ · err₅ / √(err₅² + 0.01 err₃²)
            [fifth, third, ..] => {
                let fifth = square(fifth);
                let denominator = fifth + 0.01 * square(third);
                let denominator = if denominator <= 0.0 { 1.0 } else { denominator };
                Some(h * fifth * (1.0 / (denominator * n as f64)).sqrt())
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
        self.nodes.len() as u64
    }
}
