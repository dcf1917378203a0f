//! The solver's interface to a single-step pair: "any single-step integrator that can provide x and ẋ at t + h"
//! (compere2001, section 5.2.1).

use mbsbench_problem::{Counted, DoubleDouble, Failure, Scalar, Statistics};

use crate::combine::Row;
use crate::events::State;
use crate::{ExplicitStepper, Formula, Stepper};

/// A single-step pair, which makes trial steps and estimates their errors.
pub trait Pair<S: Scalar>: Clone {
    /// Evaluations of the right-hand side in a step, including one at its end but none at its start. For an implicit
    /// pair, the largest number.
    fn evaluations(&self) -> u64;

    /// Forgets the previous step: the next one starts from another state or in another configuration.
    fn restart(&mut self) {}

    /// Makes the step from `start`, whose derivative is known, to the time of `end`, and writes state and derivative
    /// there.
    fn step(&mut self, problem: &mut Counted<'_, S>, start: &State<S>, end: &mut State<S>) -> Result<(), Failure>;

    /// The difference between the two results of the last step in the maximum norm: δ of (5.8).
    fn difference(&mut self, start: &State<S>, end: &State<S>) -> f64;

    /// Costs that an implicit pair counts itself: Jacobians, factorizations, Newton iterations, linear solves.
    fn costs(&self) -> Statistics {
        Statistics::default()
    }
}

/// An explicit pair that advances with its higher order. If its last stage is not the derivative at the end, that
/// derivative is evaluated in addition, and becomes the first stage of the next step.
#[derive(Debug, Clone)]
pub struct ExplicitPair<S: Scalar> {
    stepper: ExplicitStepper<S>,
    evaluations: u64,
    /// Weights of the lower order. The estimate is the difference of two results rather than `h Σ (b − b̂) k`,
    /// because it is then exactly zero for the tiny steps after an event, as in the published counts.
    lower: Row<S>,
    state: Vec<S>,
}

impl<S: Scalar> ExplicitPair<S> {
    /// The pair of a formula with an error estimate, for states of `dimension` components.
    pub fn new(formula: &Formula<DoubleDouble>, dimension: usize) -> Self {
        let lower = formula.clone().with_lower_order().expect("the pairs of this solver have two formulas");
        let (formula, lower) = (formula.rounded(), lower.rounded::<S>());
        let stepper = ExplicitStepper::new(&formula, dimension, true);
        let extra = u64::from(stepper.end_derivative().is_none());
        Self {
            evaluations: stepper.evaluations() - 1 + extra,
            stepper,
            lower: Row::new(&lower.weights, dimension),
            state: vec![S::zero(); dimension],
        }
    }
}

impl<S: Scalar> Pair<S> for ExplicitPair<S> {
    fn evaluations(&self) -> u64 {
        self.evaluations
    }

    fn step(&mut self, problem: &mut Counted<'_, S>, start: &State<S>, end: &mut State<S>) -> Result<(), Failure> {
        self.stepper.start_with(&start.rate);
        self.stepper.step(problem, start.t, end.h, &start.y, &mut end.y)?;
        match self.stepper.end_derivative() {
            Some(rate) => end.rate.copy_from_slice(rate),
            None => problem.rhs(end.t, &end.y, &mut end.rate)?,
        }
        Ok(())
    }

    fn difference(&mut self, start: &State<S>, end: &State<S>) -> f64 {
        self.lower.advance(&mut self.state, &start.y, end.h, self.stepper.stages());
        let differences = end.y.iter().zip(&self.state).map(|(&high, &low)| (high - low).value().abs());
        differences.fold(0.0, |largest, x| if x > largest || x.is_nan() { x } else { largest })
    }
}
