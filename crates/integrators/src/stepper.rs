//! The interface between methods and drivers: one step of a given size.

use mbsbench_problem::{Counted, Failure, Scalar, Statistics};

/// Makes single steps. Step sizes, acceptance, projection and events are decided elsewhere.
///
/// A stepper remembers the derivative at the start of its current step: a step repeated from the same start (after
/// rejection, or cut at an event) does not evaluate it again. The driver tells it when to forget the derivative.
pub trait Stepper<S: Scalar>: Clone {
    /// Makes the step from `start` at time `t` to `t + h` and writes its result into `end`. The problem has [begun the
    /// step](Counted::begin_step).
    ///
    /// # Errors
    /// Returns the failures of the problem. `start` is unchanged, and the step can be repeated with another size.
    fn step(&mut self, problem: &mut Counted<'_, S>, t: S, h: S, start: &[S], end: &mut [S]) -> Result<(), Failure>;

    /// Writes the state at `t_within`, inside the step of size `h` from `start` at `t`, into `y`. It comes from a
    /// shorter step from the same start, or from continuous output if the stepper has it. This changes the stepper's
    /// memory, so an observer uses a stepper of its own.
    fn state_within(
        &mut self,
        problem: &mut Counted<'_, S>,
        (t, h): (S, S),
        start: &[S],
        t_within: S,
        y: &mut [S],
    ) -> Result<(), Failure> {
        let _ = h;
        self.restart();
        self.step(problem, t, t_within - t, start, y)
    }

    /// True if steps are often so long that the cubic through both ends does not show the states inside.
    fn has_long_steps(&self) -> bool {
        false
    }

    /// Estimated error of the step just made, in the norm of the tolerances; acceptable up to one. By default the root
    /// mean square of `error_i / (abs + rel · max(|start_i|, |end_i|))`. None if there is no estimate.
    fn error(&mut self, _h: S, _start: &[S], _end: &[S], _rel: f64, _abs: f64) -> Option<f64> {
        None
    }

    /// Makes the step and estimates its error in the norm of the tolerances `(rel, abs)`: infinite if the result is not
    /// finite, NaN if there is no estimate.
    #[inline]
    fn step_with_error(
        &mut self,
        problem: &mut Counted<'_, S>,
        (t, h): (S, S),
        start: &[S],
        end: &mut [S],
        &(rel, abs): &(f64, f64),
    ) -> Result<f64, Failure> {
        self.step(problem, t, h, start, end)?;
        if !is_finite(end) {
            return Ok(f64::INFINITY);
        }
        Ok(self.error(h, start, end, rel, abs).unwrap_or(f64::NAN))
    }

    /// The estimated local error of each component of the step just made; empty if there is no estimate, or none for
    /// each component.
    fn error_estimate(&self) -> &[S] {
        &[]
    }

    /// Multipliers of the constraints at the end of the step just made; empty if the method computes none.
    fn multipliers(&self) -> &[S] {
        &[]
    }

    /// The order of [`error`](Self::error), which is `O(h^error_order)`; none if there is no estimate.
    fn error_order(&self) -> Option<u32> {
        None
    }

    /// Called when the step just made is accepted. `same_end` is true if the next step starts from exactly the state
    /// that the formula gave, in the same configuration, so that a derivative there can be reused.
    fn accepted(&mut self, _same_end: bool) {
        self.restart();
    }

    /// True if the result of an accepted step is [projected](Self::project).
    fn projects(&self, problem: &Counted<'_, S>) -> bool {
        problem.properties().projects
    }

    /// Projects the result of an accepted step at `t`, or a state inside one, onto the solution's manifold: by the
    /// problem's projection, unless the method has its own.
    fn project(&mut self, problem: &mut Counted<'_, S>, t: S, y: &mut [S]) -> Result<(), Failure> {
        problem.project(t, y)
    }

    /// Forgets everything from earlier steps.
    fn restart(&mut self) {}

    /// The derivative at the start of the step just made.
    fn start_derivative(&self) -> &[S];

    /// Evaluates the derivative at the start, unless it is known. Called before any step, to choose the first step
    /// size; the first step reuses the derivative.
    fn evaluate_start(&mut self, problem: &mut Counted<'_, S>, t: S, start: &[S]) -> Result<(), Failure>;

    /// The first step (s) that the method itself chooses for these tolerances (relative, absolute), after
    /// [`evaluate_start`](Self::evaluate_start); none if it leaves the choice to the [driver](crate::drive).
    fn first_step(&self, _start: &[S], _tolerances: (f64, f64), _max_step: f64) -> Option<f64> {
        None
    }

    /// Maximum number of evaluations of the right-hand side in a step.
    fn evaluations(&self) -> u64;

    /// Counters of the stepper so far: factorizations, iterations, linear solves and matrix exponentials.
    fn costs(&self) -> Statistics {
        Statistics::default()
    }
}

/// Fails if a component of a state after the time `time` (s) is not finite.
#[inline(always)]
pub fn finite<S: Scalar>(time: S, state: &[S]) -> Result<(), Failure> {
    if is_finite(state) { Ok(()) } else { Err(Failure::NonFinite { time: time.value() }) }
}

/// True if all components are finite.
#[inline(always)]
pub(crate) fn is_finite<S: Scalar>(state: &[S]) -> bool {
    // Tests every component: a loop that could end early is slower.
    state.iter().fold(true, |finite, x| finite & x.is_finite())
}
