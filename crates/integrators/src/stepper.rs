//! The seam between methods and what drives them: one step of a given size.

use mbsbench_problem::{Counted, Failure, Scalar, Statistics};

/// Makes single steps. Everything about step sizes, acceptance, projection and events is decided elsewhere.
///
/// A stepper remembers the derivative at the start of its present step: a step repeated from the same start
/// (rejected, or cut at an event) does not evaluate it again. The driver says when that memory ends.
pub trait Stepper<S: Scalar>: Clone {
    /// Makes the step from `start` at time `t` to `t + h` and writes its result into `end`. The problem has
    /// [begun the step](Counted::begin_step).
    ///
    /// # Errors
    /// Those of the problem. `start` is untouched, and the step can be repeated with another size.
    fn step(&mut self, problem: &mut Counted<'_, S>, t: S, h: S, start: &[S], end: &mut [S]) -> Result<(), Failure>;

    /// Writes the state at `t_within` inside the step of size `h` from `start` at `t` into `y`: by a shorter step
    /// from the same start, or by continuous output where the stepper was made for that. Disturbs what the
    /// stepper remembers; for an observer's own stepper.
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

    /// Estimated error of the step just made in the norm of the tolerances, at most one where it is acceptable:
    /// root mean square of `error_i / (abs + rel · max(|start_i|, |end_i|))`. None where there is no estimate.
    fn error(&mut self, _h: S, _start: &[S], _end: &[S], _rel: f64, _abs: f64) -> Option<f64> {
        None
    }

    /// Makes the step and estimates its error in the norm of the tolerances `(rel, abs)`: infinite where the result is not finite,
    /// not a number where there is no estimate.
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

    /// The estimated local error of each component of the step just made; empty where there is no estimate, or none that is
    /// kept by component.
    fn error_estimate(&self) -> &[S] {
        &[]
    }

    /// Multipliers of the constraints at the end of the step just made; empty where the method has none.
    fn multipliers(&self) -> &[S] {
        &[]
    }

    /// The order with which [`error`](Self::error) decreases: `O(h^error_order)`; none where there is no estimate.
    fn error_order(&self) -> Option<u32> {
        None
    }

    /// The step just made is accepted. `same_end` says that the next one starts from exactly the state that the
    /// formula gave, in the same configuration, so that a derivative there may be taken over.
    fn accepted(&mut self, _same_end: bool) {
        self.restart();
    }

    /// Whether the result of an accepted step is [projected](Self::project).
    fn projects(&self, problem: &Counted<'_, S>) -> bool {
        problem.properties().projects
    }

    /// Moves the result of an accepted step at `t`, or a state inside one, onto the solution's manifold: as the problem does,
    /// where the method has no projection of its own.
    fn project(&mut self, problem: &mut Counted<'_, S>, t: S, y: &mut [S]) -> Result<(), Failure> {
        problem.project(t, y)
    }

    /// Nothing may be taken over from earlier steps.
    fn restart(&mut self) {}

    /// The derivative at the start of the step just made.
    fn start_derivative(&self) -> &[S];

    /// Evaluates the derivative at the start, unless it is known: before any step, for the choice of the first step
    /// size. The first step takes it over.
    fn evaluate_start(&mut self, problem: &mut Counted<'_, S>, t: S, start: &[S]) -> Result<(), Failure>;

    /// The first step (s) that the method itself chooses for these tolerances (relative, absolute), after
    /// [`evaluate_start`](Self::evaluate_start); none where it leaves the choice to the [driver](crate::drive).
    fn first_step(&self, _start: &[S], _tolerances: (f64, f64), _max_step: f64) -> Option<f64> {
        None
    }

    /// Most evaluations of the right-hand side that a step needs.
    fn evaluations(&self) -> u64;

    /// Counters of what the stepper itself did so far: factorizations, iterations, linear solves and matrix exponentials.
    fn costs(&self) -> Statistics {
        Statistics::default()
    }
}

/// Fails where a component of a state that follows the time `time` (s) is not finite.
#[inline(always)]
pub(crate) fn finite<S: Scalar>(time: S, state: &[S]) -> Result<(), Failure> {
    if is_finite(state) { Ok(()) } else { Err(Failure::NonFinite { time: time.value() }) }
}

/// Whether all components are finite.
#[inline(always)]
pub(crate) fn is_finite<S: Scalar>(state: &[S]) -> bool {
    // All of them: a loop that could end early is slower.
    state.iter().fold(true, |finite, x| finite & x.is_finite())
}
