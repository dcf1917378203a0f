//! The loop of every method: one step after another, budgets, counters, and who watches.
//!
//! A method implements [`Stepping`], which says how a step is attempted and what follows one that has been accepted.
//! The [`Run`] has everything else: the problem, the task, the observer, the time that has been reached, what has been
//! counted, and the [`Solution`] in the end.

use std::ops::ControlFlow;

use crate::{Counts, Failure, Interpolant, Observer, Scalar, Solution, Statistics, Step, Task};

/// How a method makes its steps; [`Run::solve`] is the loop around them.
///
/// `P` is the form in which the method takes its problem, mostly [`Counted`](crate::Counted).
pub trait Stepping<P, S: Scalar = f64> {
    /// Prepares the first step.
    ///
    /// # Errors
    /// Those of the problem, or that there is no first step.
    fn begin(&mut self, _run: &mut Run<'_, P, S>) -> Result<(), Failure> {
        Ok(())
    }

    /// Whether the last step has been made: the final time is reached, where a method does not say otherwise.
    fn is_done(&self, run: &Run<'_, P, S>) -> bool {
        run.t >= run.task.t_end
    }

    /// Attempts a step from the present state, and gives the time at which it ends, s, where it is good. None where it
    /// has been [rejected](Run::reject) and is to be attempted again in another way.
    ///
    /// # Errors
    /// Those of the problem, and that no other way is left.
    fn attempt(&mut self, run: &mut Run<'_, P, S>) -> Result<Option<S>, Failure>;

    /// Shows the step just accepted, whose start is still the present state, to the observer. Not called where nobody
    /// watches.
    fn show(&mut self, problem: &mut P, made: Made<'_, S>) -> ControlFlow<Failure>;

    /// Makes the end of the step just accepted the present state.
    fn advance(&mut self);

    /// What follows the step just accepted, at the present state.
    ///
    /// # Errors
    /// Those of the problem, or that there is no further step.
    fn follow(&mut self, _run: &mut Run<'_, P, S>) -> Result<(), Failure> {
        Ok(())
    }

    /// What is left to be done and counted when the run has ended, early or not.
    fn end(&mut self, _run: &mut Run<'_, P, S>) {}

    /// The present state.
    fn state(&self) -> &[S];
}

/// A solve under way.
pub struct Run<'r, P, S: Scalar = f64> {
    /// The problem.
    pub problem: P,
    /// What is to be solved.
    pub task: &'r Task<'r, S>,
    /// Who watches.
    pub observer: &'r mut dyn Observer<S>,
    /// Time of the present state, s.
    pub t: S,
    /// What the method itself counts; the problem's own counters are added in the end.
    pub own: Statistics,
    watched: bool,
}

impl<'r, P: Counts, S: Scalar> Run<'r, P, S> {
    /// A run at its start, which the observer is shown.
    pub fn new(problem: P, task: &'r Task<'r, S>, observer: &'r mut dyn Observer<S>) -> Self {
        observer.start(task.t_start, task.initial);
        let (t, own) = (task.t_start, Statistics::default());
        Self { problem, task, watched: observer.watches(), observer, t, own }
    }

    /// Whether the observer wants to see the steps.
    #[must_use]
    pub fn is_watched(&self) -> bool {
        self.watched
    }

    /// Counts a rejected step, and gives what an [attempt](Stepping::attempt) gives then.
    pub fn reject(&mut self) -> Option<S> {
        self.own.steps_rejected += 1;
        None
    }

    /// Fails where the next attempt would be one too many. The loop asks before each.
    ///
    /// # Errors
    /// [`Failure::BudgetExhausted`].
    #[inline]
    pub fn afford_step(&self) -> Result<(), Failure> {
        self.task.settings.afford_step(self.t.value(), self.own.steps_accepted + self.own.steps_rejected)
    }

    /// Fails where so many further evaluations of the right-hand side might exceed the budget.
    ///
    /// # Errors
    /// [`Failure::BudgetExhausted`].
    #[inline]
    pub fn afford(&self, evaluations: u64) -> Result<(), Failure> {
        let made = self.problem.statistics().rhs_evaluations;
        self.task.settings.afford_evaluations(self.t.value(), made, evaluations)
    }

    /// The solution where there is no step to be made, or no first one.
    pub fn stop(self, failure: Option<Failure>) -> Solution<S> {
        let (statistics, state) = (self.problem.statistics().with(&self.own), self.task.initial.to_vec());
        Solution { t_reached: self.t, state, statistics, failure }
    }

    /// Brings the problem into another form, and makes the steps of a method on that.
    pub fn solve_as<Q: Counts, M: Stepping<Q, S>>(
        self,
        make: impl FnOnce(P) -> Result<(Q, M), Failure>,
    ) -> Solution<S> {
        let Self { problem, task, observer, t, own, watched } = self;
        match make(problem) {
            Ok((problem, method)) => Run { problem, task, observer, t, own, watched }.solve(method),
            Err(failure) => {
                Solution { t_reached: t, state: task.initial.to_vec(), statistics: own, failure: Some(failure) }
            }
        }
    }

    /// Makes the steps of `method` to the end of the span, or until one fails.
    pub fn solve<M: Stepping<P, S>>(mut self, mut method: M) -> Solution<S> {
        let failure = if self.task.t_end > self.task.t_start { self.steps(&mut method).err() } else { None };
        method.end(&mut self);
        let statistics = self.problem.statistics().with(&self.own);
        Solution { t_reached: self.t, state: method.state().to_vec(), statistics, failure }
    }

    fn steps<M: Stepping<P, S>>(&mut self, method: &mut M) -> Result<(), Failure> {
        method.begin(self)?;
        while !method.is_done(self) {
            self.afford_step()?;
            let Some(t_end) = method.attempt(self)? else { continue };
            self.own.steps_accepted += 1;
            let seen = if self.watched { self.show(method, t_end) } else { ControlFlow::Continue(()) };
            method.advance();
            self.t = t_end;
            if let ControlFlow::Break(failure) = seen {
                return Err(failure);
            }
            method.follow(self)?;
        }
        Ok(())
    }

    /// Kept apart, so that a run that nobody watches stays short.
    #[inline(never)]
    fn show<M: Stepping<P, S>>(&mut self, method: &mut M, t_end: S) -> ControlFlow<Failure> {
        let Self { problem, observer, t, own, .. } = self;
        method.show(problem, Made { observer: &mut **observer, index: own.steps_accepted, t_start: *t, t_end })
    }
}

/// A step that has been made, for its observer.
pub struct Made<'m, S: Scalar = f64> {
    observer: &'m mut dyn Observer<S>,
    index: u64,
    /// Time at the start of the step, s.
    pub t_start: S,
    /// Time at its end, s.
    pub t_end: S,
}

/// What only some methods tell of a step; see the fields of [`Step`].
#[derive(Debug, Clone, Copy)]
pub struct Further<'f, S = f64> {
    /// State before projection; none where it is the end of the step.
    pub before_projection: Option<&'f [S]>,
    /// Multipliers λ.
    pub multipliers: &'f [S],
    /// Functions that reached zero.
    pub switched: &'f [usize],
    /// Magnitude of the function that was located.
    pub event_residual: Option<f64>,
    /// Estimated local error.
    pub error_estimate: &'f [S],
}

impl<S> Default for Further<'_, S> {
    fn default() -> Self {
        Self { before_projection: None, multipliers: &[], switched: &[], event_residual: None, error_estimate: &[] }
    }
}

impl<S: Scalar> Made<'_, S> {
    /// Shows the step from `start` to `end`; `inside` writes the state at a time between them, as
    /// [`Interpolant::state_at`] does.
    pub fn show(
        self,
        start: &[S],
        end: &[S],
        further: Further<'_, S>,
        inside: impl FnMut(S, &mut [S]) -> Result<(), Failure>,
    ) -> ControlFlow<Failure> {
        let Self { observer, index, t_start, t_end } = self;
        let Further { before_projection, multipliers, switched, event_residual, error_estimate } = further;
        let before_projection = before_projection.unwrap_or(end);
        let within = &mut Within { t_start, start, t_end, end, inside };
        observer.step(&mut Step {
            index,
            t_start,
            start,
            t_end,
            end,
            before_projection,
            multipliers,
            switched,
            event_residual,
            error_estimate,
            within,
        })
    }
}

/// The state in a step, with both ends as they are.
struct Within<'w, S, I> {
    t_start: S,
    start: &'w [S],
    t_end: S,
    end: &'w [S],
    inside: I,
}

impl<S: Scalar, I: FnMut(S, &mut [S]) -> Result<(), Failure>> Interpolant<S> for Within<'_, S, I> {
    fn state_at(&mut self, t: S, y: &mut [S]) -> Result<(), Failure> {
        if t == self.t_start {
            y.copy_from_slice(self.start);
        } else if t == self.t_end {
            y.copy_from_slice(self.end);
        } else {
            (self.inside)(t, y)?;
        }
        Ok(())
    }
}
