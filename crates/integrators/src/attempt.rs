//! A step being tried: the state it starts from, its result, and the state inside it for an observer.

use mbsbench_problem::{Counted, Failure, Run, Scalar};

use crate::Stepper;
use crate::stepper::finite;

/// The present state and the result of the step that is being tried.
pub struct Attempt<S: Scalar, St> {
    /// The stepper that computes the steps.
    pub stepper: St,
    /// The present state.
    pub y: Vec<S>,
    /// Result of the last attempted step.
    pub end: Vec<S>,
    /// The result before projection and jumps; only set if the problem has any.
    pub before: Vec<S>,
    /// True if results are projected.
    pub projects: bool,
}

impl<S: Scalar, St: Stepper<S>> Attempt<S, St> {
    /// An attempt at the start of a solve.
    pub fn new(problem: &Counted<'_, S>, stepper: St, initial: &[S]) -> Self {
        let projects = stepper.projects(problem);
        Self { stepper, y: initial.to_vec(), end: initial.to_vec(), before: initial.to_vec(), projects }
    }

    /// Computes a step of size `h` into `end`, without projection. The present state does not change.
    ///
    /// # Errors
    /// Returns an error if the problem fails, or [`Failure::NonFinite`] if the result is not finite.
    #[inline]
    pub fn step(&mut self, run: &mut Run<'_, Counted<'_, S>, S>, h: S) -> Result<(), Failure> {
        run.problem.begin_step(run.t, &self.y)?;
        self.stepper.step(&mut run.problem, run.t, h, &self.y, &mut self.end)?;
        finite(run.t, &self.end)
    }

    /// Computes a step with its estimated error; see [`Stepper::step_with_error`]. The present state does not change.
    ///
    /// # Errors
    /// Returns an error if the problem fails.
    #[inline]
    pub fn step_with_error(
        &mut self,
        run: &mut Run<'_, Counted<'_, S>, S>,
        h: S,
        tolerances: &(f64, f64),
    ) -> Result<f64, Failure> {
        run.problem.begin_step(run.t, &self.y)?;
        self.stepper.step_with_error(&mut run.problem, (run.t, h), &self.y, &mut self.end, tolerances)
    }

    /// Projects the result, which lies at `t_end`, if results are projected.
    #[inline]
    pub fn project(&mut self, run: &mut Run<'_, Counted<'_, S>, S>, t_end: S) -> Result<(), Failure> {
        if !self.projects {
            return Ok(());
        }
        self.before.copy_from_slice(&self.end);
        self.stepper.project(&mut run.problem, t_end, &mut self.end)?;
        finite(run.t, &self.end)
    }
}

/// Writes the state at `t` inside the step from `start` into `y`, by an uncounted step of the observer's own stepper.
pub fn state_within<S: Scalar, St: Stepper<S>>(
    problem: &mut Counted<'_, S>,
    stepper: &mut St,
    projects: bool,
    (t_start, t_end): (S, S),
    start: &[S],
    t: S,
    y: &mut [S],
) -> Result<(), Failure> {
    problem.uncounted(|problem| {
        problem.begin_step(t_start, start)?;
        stepper.state_within(problem, (t_start, t_end - t_start), start, t, y)?;
        if projects { stepper.project(problem, t, y) } else { Ok(()) }
    })
}
