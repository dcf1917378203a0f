//! The loop of every method: steps, budgets, counters and the observer.
//!
//! A method implements [`Stepping`], which defines how a step is attempted and what follows an accepted one. The
//! [`Run`] has everything else: the problem, the task, the observer, the time reached, the counters and, in the end,
//! the [`Solution`].

use std::ops::ControlFlow;

use crate::grid::{Grid, rest};
use crate::{Counts, Failure, Further, Observer, Scalar, Solution, Statistics, Step, Task};

/// The steps of a method; [`Run::solve`] is the loop around them.
///
/// `P` is the form in which the method receives its problem, mostly [`Counted`](crate::Counted).
pub trait Stepping<P, S: Scalar = f64> {
    /// Prepares the first step.
    fn begin(&mut self, _run: &mut Run<'_, P, S>) -> Result<(), Failure> {
        Ok(())
    }

    /// Attempts a step from the present state, and returns the time at which it ends, s, if it is accepted. Returns
    /// `None` if it has been [rejected](Run::reject) and must be attempted again in another way.
    fn attempt(&mut self, run: &mut Run<'_, P, S>) -> Result<Option<S>, Failure>;

    /// Shows the step just accepted, whose start is still the present state, to the observer. Not called if the
    /// observer ignores the steps. The loop calls it from a single place outside its body, so that this function may
    /// be inlined there.
    fn observe(&mut self, problem: &mut P, step: AcceptedStep<'_, S>) -> ControlFlow<Failure>;

    /// The present state, and the end of the step just accepted. Both begin with the state of the problem; further
    /// unknowns of the method may follow.
    fn states(&mut self) -> [&mut Vec<S>; 2];

    /// Makes the end of the step just accepted the present state.
    fn advance(&mut self) {
        let [present, end] = self.states();
        std::mem::swap(present, end);
    }

    /// Called after an accepted step, at the present state.
    fn after_step(&mut self, _run: &mut Run<'_, P, S>) -> Result<(), Failure> {
        Ok(())
    }

    /// Called when the run has ended, early or not, for final work and counts.
    fn finish(&mut self, _run: &mut Run<'_, P, S>) {}
}

/// A solve in progress.
pub struct Run<'r, P, S: Scalar = f64> {
    /// The problem.
    pub problem: P,
    /// The task.
    pub task: &'r Task<'r, S>,
    /// The observer.
    pub observer: &'r mut dyn Observer<S>,
    /// Time of the present state, s.
    pub t: S,
    /// The method's own counters; the problem's counters are added at the end.
    pub own: Statistics,
    watched: bool,
    /// The ends of constant steps; none if the task has tolerances.
    grid: Option<Grid<S>>,
    /// End and size of the present constant step, s.
    constant: (S, S),
    /// True if the last step has been made.
    done: bool,
}

impl<'r, P: Counts, S: Scalar> Run<'r, P, S> {
    /// A run at its start; the observer is shown the initial state.
    pub fn new(problem: P, task: &'r Task<'r, S>, observer: &'r mut dyn Observer<S>) -> Self {
        observer.start(task.t_start, task.initial);
        let (t, own) = (task.t_start, Statistics::default());
        let mut grid = Grid::of(task);
        let first = grid.as_mut().and_then(Iterator::next);
        let (constant, done) =
            (first.unwrap_or((t, S::zero())), task.t_end <= t || (grid.is_some() && first.is_none()));
        Self { problem, task, watched: observer.watches(), observer, t, own, grid, constant, done }
    }

    /// True if the observer needs the steps.
    pub fn is_watched(&self) -> bool {
        self.watched
    }

    /// True if the last step has been made.
    #[inline]
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// End and size of the present step, s, for a task with constant steps that is not yet done. If a step has ended
    /// early, at an event, a further step makes up the rest, so that the grid is kept.
    #[inline]
    pub fn constant_step(&self) -> (S, S) {
        self.constant
    }

    /// Counts a rejected step, and returns the result that an [attempt](Stepping::attempt) then has to return.
    pub fn reject(&mut self) -> Option<S> {
        self.own.steps_rejected += 1;
        None
    }

    /// Fails if the next attempt would exceed the budget. The loop calls it before each attempt.
    ///
    /// # Errors
    /// Returns [`Failure::BudgetExhausted`].
    #[inline]
    pub fn check_steps(&self) -> Result<(), Failure> {
        self.task.settings.check_steps(self.t.value(), self.own.steps_accepted + self.own.steps_rejected)
    }

    /// Fails if this number of further evaluations of the right-hand side might exceed the budget.
    ///
    /// # Errors
    /// Returns [`Failure::BudgetExhausted`].
    #[inline]
    pub fn check_budget(&self, evaluations: u64) -> Result<(), Failure> {
        let made = self.problem.statistics().rhs_evaluations;
        self.task.settings.check_evaluations(self.t.value(), made, evaluations)
    }

    /// The solution if there is no step to be made, or if `failure` prevents the first one.
    pub fn stop(self, failure: Option<Failure>) -> Solution<S> {
        let (statistics, state) = (self.problem.statistics().with(&self.own), self.task.initial.to_vec());
        Solution { t_reached: self.t, state, statistics, failure }
    }

    /// Converts the problem into another form, and makes the steps of a method on that form. If the conversion fails,
    /// the problem's counters are lost.
    pub fn solve_as<Q: Counts, M: Stepping<Q, S>>(
        self,
        make: impl FnOnce(P) -> Result<(Q, M), Failure>,
    ) -> Solution<S> {
        let Self { problem, task, observer, t, own, watched, grid, constant, done } = self;
        match make(problem) {
            Ok((problem, method)) => {
                Run { problem, task, observer, t, own, watched, grid, constant, done }.solve(method)
            }
            Err(failure) => {
                Solution { t_reached: t, state: task.initial.to_vec(), statistics: own, failure: Some(failure) }
            }
        }
    }

    /// Makes the steps of `method` to the end of the span, or until one fails.
    pub fn solve<M: Stepping<P, S>>(mut self, mut method: M) -> Solution<S> {
        let failure = if self.done { None } else { self.steps(&mut method).err() };
        method.finish(&mut self);
        let statistics = self.problem.statistics().with(&self.own);
        let [present, _] = method.states();
        let state = present[..self.task.initial.len()].to_vec();
        Solution { t_reached: self.t, state, statistics, failure }
    }

    fn steps<M: Stepping<P, S>>(&mut self, method: &mut M) -> Result<(), Failure> {
        method.begin(self)?;
        self.observer.ready();
        while !self.done {
            self.check_steps()?;
            let Some(t_end) = method.attempt(self)? else { continue };
            self.own.steps_accepted += 1;
            let seen = if self.watched { self.observe(method, t_end) } else { ControlFlow::Continue(()) };
            method.advance();
            self.t = t_end;
            self.pass();
            if let ControlFlow::Break(failure) = seen {
                return Err(failure);
            }
            method.after_step(self)?;
        }
        Ok(())
    }

    /// Proceeds to the step that follows the one just made.
    #[inline]
    fn pass(&mut self) {
        let Some(grid) = &mut self.grid else {
            self.done = self.t >= self.task.t_end;
            return;
        };
        let (end, _) = self.constant;
        let left = if self.t == end { None } else { rest(end, self.t) };
        match left.or_else(|| grid.next()) {
            Some(next) => self.constant = next,
            None => self.done = true,
        }
    }

    /// A separate function, so that a run without observer stays short.
    #[inline(never)]
    fn observe<M: Stepping<P, S>>(&mut self, method: &mut M, t_end: S) -> ControlFlow<Failure> {
        let Self { problem, observer, t, own, .. } = self;
        method
            .observe(problem, AcceptedStep { observer: &mut **observer, index: own.steps_accepted, t_start: *t, t_end })
    }
}

/// An accepted step, to be shown to the observer.
pub struct AcceptedStep<'m, S: Scalar = f64> {
    observer: &'m mut dyn Observer<S>,
    index: u64,
    /// Time at the start of the step, s.
    pub t_start: S,
    /// Time at its end, s.
    pub t_end: S,
}

impl<S: Scalar> AcceptedStep<'_, S> {
    /// Shows the step from `start` to `end`; `inside` writes the state at a time between them, like
    /// [`Interpolant::state_at`](crate::Interpolant::state_at).
    #[inline(always)]
    pub fn observe(
        self,
        start: &[S],
        end: &[S],
        further: Further<'_, S>,
        mut inside: impl FnMut(S, &mut [S]) -> Result<(), Failure>,
    ) -> ControlFlow<Failure> {
        let Self { observer, index, t_start, t_end } = self;
        let within = &mut |t: S, y: &mut [S]| {
            // Both ends are copied unchanged.
            if t == t_start {
                y.copy_from_slice(start);
            } else if t == t_end {
                y.copy_from_slice(end);
            } else {
                inside(t, y)?;
            }
            Ok(())
        };
        observer.step(&mut Step { index, t_start, start, t_end, end, further, within })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AsOde, Counted, OdeModel, Settings, Silent};

    struct Decay;
    impl OdeModel for Decay {
        fn dimension(&self) -> usize {
            1
        }
        fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
            dydt[0] = -y[0];
        }
    }

    /// Euler's method with steps of a quarter; every other attempt is rejected.
    struct Euler {
        y: Vec<f64>,
        end: Vec<f64>,
        attempts: u64,
    }

    impl<'p> Stepping<Counted<'p>> for Euler {
        fn attempt(&mut self, run: &mut Run<'_, Counted<'p>>) -> Result<Option<f64>, Failure> {
            run.check_budget(1)?;
            run.problem.rhs(run.t, &self.y, &mut self.end)?;
            self.attempts += 1;
            if self.attempts.is_multiple_of(2) {
                return Ok(run.reject());
            }
            self.end[0] = self.y[0] + 0.25 * self.end[0];
            Ok(Some(run.t + 0.25))
        }

        fn observe(&mut self, _problem: &mut Counted<'p>, step: AcceptedStep<'_>) -> ControlFlow<Failure> {
            let middle = 0.5 * (self.y[0] + self.end[0]);
            step.observe(&self.y, &self.end, Further::default(), |_, y| {
                y[0] = middle;
                Ok(())
            })
        }

        fn states(&mut self) -> [&mut Vec<f64>; 2] {
            [&mut self.y, &mut self.end]
        }

        fn finish(&mut self, run: &mut Run<'_, Counted<'p>>) {
            run.own.linear_solves += 7;
        }
    }

    fn solve(settings: Settings, observer: &mut dyn Observer) -> Solution {
        let task = Task { t_start: 0.0, t_end: 1.0, initial: &[1.0], settings };
        let mut ode = AsOde(&Decay);
        Run::new(Counted::new(&mut ode), &task, observer).solve(Euler { y: vec![1.0], end: vec![1.0], attempts: 0 })
    }

    #[test]
    fn step_counts_include_those_of_the_problem() {
        let Solution { t_reached, state, statistics, failure } = solve(Settings::fixed(0.25), &mut Silent);
        assert_eq!((t_reached, state, failure), (1.0, vec![0.75f64.powi(4)], None));
        let Statistics { steps_accepted, steps_rejected, rhs_evaluations, linear_solves, .. } = statistics;
        assert_eq!((steps_accepted, steps_rejected, rhs_evaluations, linear_solves), (4, 3, 7, 7));
    }

    #[test]
    fn budgets_end_a_run_at_the_last_accepted_state() {
        let few_steps = Settings { max_steps: 3, ..Settings::fixed(0.25) };
        let few_evaluations = Settings { max_rhs_evaluations: 3, ..Settings::fixed(0.25) };
        for settings in [few_steps, few_evaluations] {
            let Solution { t_reached, state, statistics, failure } = solve(settings, &mut Silent);
            assert_eq!((t_reached, state), (0.5, vec![0.75 * 0.75]));
            assert_eq!((statistics.steps_accepted, statistics.steps_rejected, statistics.rhs_evaluations), (2, 1, 3));
            assert!(matches!(failure, Some(Failure::BudgetExhausted { time: 0.5, limit: 3, .. })), "{failure:?}");
        }
    }

    /// Records what it is shown, and ends the run after two steps.
    #[derive(Default)]
    struct Twice(Vec<(u64, f64, f64)>);
    impl Observer for Twice {
        fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
            let mut y = [0.0];
            for (t, expected) in [(step.t_start, step.start[0]), (step.t_end, step.end[0])] {
                step.within.state_at(t, &mut y).unwrap();
                assert_eq!(y[0], expected, "an end is as it is");
            }
            step.within.state_at(0.5 * (step.t_start + step.t_end), &mut y).unwrap();
            self.0.push((step.index, step.t_end, y[0]));
            if step.index < 2 {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(Failure::NonFinite { time: 7.0 })
            }
        }
    }

    #[test]
    fn observers_see_each_accepted_step_and_may_end_the_run() {
        let mut twice = Twice::default();
        let solution = solve(Settings::fixed(0.25), &mut twice);
        assert_eq!(twice.0, [(1, 0.25, 0.875), (2, 0.5, 0.65625)]);
        assert_eq!((solution.t_reached, solution.failure), (0.5, Some(Failure::NonFinite { time: 7.0 })));
        assert_eq!(solution.state, [0.5625]);
    }
}
