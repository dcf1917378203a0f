//! The method as a pair, for event location within its steps.

use mbsbench_problem::{Counted, Failure, Statistics};

use super::LlmStepper;
use crate::Stepper;
use crate::dode::Pair;
use crate::events::State;

/// Steps of the local linearisation method with the derivative at their end, which the rates of the event
/// functions need (gil2013, Eq. 18).
impl Pair<f64> for LlmStepper {
    fn evaluations(&self) -> u64 {
        Stepper::evaluations(self) + 1
    }

    fn restart(&mut self) {
        Stepper::restart(self);
    }

    fn step(&mut self, problem: &mut Counted<'_>, start: &State<f64>, end: &mut State<f64>) -> Result<(), Failure> {
        Stepper::step(self, problem, start.t, end.h, &start.y, &mut end.y)?;
        problem.rhs(end.t, &end.y, &mut end.rate)
    }

    /// The largest component of the estimated local error.
    fn difference(&mut self, _start: &State<f64>, _end: &State<f64>) -> f64 {
        let estimate = self.error_estimate();
        if estimate.is_empty() { f64::INFINITY } else { estimate.iter().fold(0.0, |largest, x| x.abs().max(largest)) }
    }

    fn costs(&self) -> Statistics {
        Stepper::costs(self)
    }
}
