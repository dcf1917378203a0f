//! A stepper whose results are projected.

use mbsbench_problem::{Counted, Failure, Scalar, Statistics};

use super::Projection;
use crate::{ExplicitStepper, Stepper};

/// An explicit step, and the projection of its result where it is accepted.
#[derive(Debug, Clone)]
pub struct ProjectedStepper<S: Scalar> {
    formula: ExplicitStepper<S>,
    projection: Projection<S>,
}

impl<S: Scalar> ProjectedStepper<S> {
    /// Steps of `formula` with results that `projection` moves.
    #[must_use]
    pub fn new(formula: ExplicitStepper<S>, projection: Projection<S>) -> Self {
        Self { formula, projection }
    }
}

impl<S: Scalar> Stepper<S> for ProjectedStepper<S> {
    fn order(&self) -> u32 {
        self.formula.order()
    }

    fn step(&mut self, problem: &mut Counted<'_, S>, t: S, h: S, start: &[S], end: &mut [S]) -> Result<(), Failure> {
        self.formula.step(problem, t, h, start, end)
    }

    fn error(&mut self, h: S, start: &[S], end: &[S], rel: f64, abs: f64) -> Option<f64> {
        self.formula.error(h, start, end, rel, abs)
    }

    fn error_order(&self) -> Option<u32> {
        self.formula.error_order()
    }

    fn accepted(&mut self, same_end: bool) {
        self.formula.accepted(same_end);
    }

    fn projects(&self, _problem: &Counted<'_, S>) -> bool {
        true
    }

    fn project(&mut self, problem: &mut Counted<'_, S>, t: S, y: &mut [S]) -> Result<(), Failure> {
        problem.count_projection();
        self.projection.project(&mut problem.mechanics()?, t, y)
    }

    fn restart(&mut self) {
        self.formula.restart();
    }

    fn start_derivative(&self) -> &[S] {
        self.formula.start_derivative()
    }

    fn evaluate_start(&mut self, problem: &mut Counted<'_, S>, t: S, start: &[S]) -> Result<(), Failure> {
        self.formula.evaluate_start(problem, t, start)
    }

    fn evaluations(&self) -> u64 {
        self.formula.evaluations()
    }

    fn costs(&self) -> Statistics {
        self.projection.costs()
    }
}
