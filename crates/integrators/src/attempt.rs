//! A step being tried: the state it starts from, its result, and the state inside it for an observer.

use mbsbench_problem::{Counted, Failure, Interpolant, Scalar};

use crate::Stepper;
use crate::events::CutStep;

/// The present state and the result of the step that is being tried.
pub struct Attempt<'p, S: Scalar, St> {
    /// The problem.
    pub problem: Counted<'p, S>,
    /// What makes the steps.
    pub stepper: St,
    /// Time of the present state, s.
    pub t: S,
    /// The present state.
    pub y: Vec<S>,
    /// Result of the step tried last.
    pub end: Vec<S>,
    /// The same before projection and switches; only set where there are any.
    pub before: Vec<S>,
    /// Whether results are projected.
    pub projects: bool,
}

impl<'p, S: Scalar, St: Stepper<S>> Attempt<'p, S, St> {
    /// At the start of a solve.
    pub fn new(problem: Counted<'p, S>, stepper: St, t: S, initial: &[S]) -> Self {
        let projects = stepper.projects(&problem);
        Self { problem, stepper, t, y: initial.to_vec(), end: initial.to_vec(), before: initial.to_vec(), projects }
    }

    /// Makes a step of size `h` into `end`, not projected.
    ///
    /// # Errors
    /// Those of the problem, and [`Failure::NonFinite`]; the present state stays.
    #[inline]
    pub fn step(&mut self, h: S) -> Result<(), Failure> {
        self.stepper.step(&mut self.problem, self.t, h, &self.y, &mut self.end)?;
        // All of them: a loop that could end early is slower.
        let is_finite = self.end.iter().fold(true, |finite, x| finite & x.is_finite());
        if is_finite { Ok(()) } else { Err(Failure::NonFinite { time: self.t.value() }) }
    }

    /// Projects the result, which lies at `t_end`, where results are projected.
    ///
    /// # Errors
    /// Those of the problem, and [`Failure::NonFinite`].
    pub fn project(&mut self, t_end: S) -> Result<(), Failure> {
        if !self.projects {
            return Ok(());
        }
        self.before.copy_from_slice(&self.end);
        self.stepper.project(&mut self.problem, t_end, &mut self.end)?;
        if self.end.iter().all(|x| x.is_finite()) { Ok(()) } else { Err(Failure::NonFinite { time: self.t.value() }) }
    }

    /// Makes the result the present state.
    pub fn advance(&mut self, t_end: S) {
        self.t = t_end;
        std::mem::swap(&mut self.y, &mut self.end);
    }
}

/// The state inside an accepted step: a further step from its start, uncounted.
pub struct Within<'w, 'p, S: Scalar, St> {
    /// The problem.
    pub problem: &'w mut Counted<'p, S>,
    /// A stepper of the observer's own.
    pub stepper: &'w mut St,
    /// Whether states are projected.
    pub projects: bool,
    /// Start of the step, s.
    pub t_start: S,
    /// State at the start.
    pub start: &'w [S],
    /// End of the step, s.
    pub t_end: S,
    /// State at the end.
    pub end: &'w [S],
    /// What is left of the step where a switch ended it: the problem is in another configuration by now and
    /// cannot make it again.
    pub cut: Option<&'w CutStep<S>>,
}

impl<S: Scalar, St: Stepper<S>> Interpolant<S> for Within<'_, '_, S, St> {
    fn state_at(&mut self, t: S, y: &mut [S]) -> Result<(), Failure> {
        if t == self.t_start {
            y.copy_from_slice(self.start);
        } else if t == self.t_end {
            y.copy_from_slice(self.end);
        } else if let Some(cut) = self.cut {
            cut.state_at(t, self.t_start, self.start, y);
        } else {
            let (stepper, start, t_start) = (&mut *self.stepper, self.start, self.t_start);
            let (projects, h) = (self.projects, self.t_end - t_start);
            self.problem.uncounted(|problem| {
                stepper.state_within(problem, (t_start, h), start, t, y)?;
                if projects { stepper.project(problem, t, y) } else { Ok(()) }
            })?;
        }
        Ok(())
    }
}
