//! The loop around single steps: sizes, acceptance, projection, events, budgets, observation.

use std::ops::ControlFlow;

use mbsbench_problem::{Counted, Failure, Observer, Scalar, Solution, Statistics, Step, StepControl, Task};

use crate::Stepper;
use crate::attempt::{Attempt, Within};
use crate::control::{Controller, ControllerSettings, Verdict, first_step};
use crate::events::Locator;
use crate::grid::Grid;

/// Whether the task asks for an error-controlled step.
#[must_use]
pub fn is_adaptive<S: Scalar>(task: &Task<'_, S>) -> bool {
    matches!(task.settings.control, StepControl::Tolerance { .. })
}

/// Solves `task` with `stepper`; see [`Method::solve`](mbsbench_problem::Method::solve).
pub fn solve<S: Scalar, St: Stepper<S>>(
    stepper: St,
    control: ControllerSettings,
    problem: Counted<'_, S>,
    task: &Task<'_, S>,
    observer: &mut dyn Observer<S>,
) -> Solution<S> {
    let has_estimate = stepper.error_order().is_some();
    let checked =
        if stepper.knows_mass() { task.check(&problem, has_estimate) } else { check(has_estimate, &problem, task) };
    if let Err(failure) = checked {
        let state = task.initial.to_vec();
        return Solution { t_reached: task.t_start, state, statistics: problem.statistics(), failure: Some(failure) };
    }
    observer.start(task.t_start, task.initial);
    let mut run = Run::new(stepper, problem, task, observer);
    let failure = if task.t_end > task.t_start { run.all(control).err() } else { None };
    let counted = run.attempt.problem.statistics();
    let own = run.attempt.stepper.costs();
    Solution {
        t_reached: run.attempt.t,
        state: run.attempt.y,
        statistics: Statistics {
            steps_accepted: run.accepted,
            steps_rejected: run.rejected,
            steps_repeated: run.repeated,
            factorizations: own.factorizations,
            newton_iterations: own.newton_iterations,
            linear_solves: own.linear_solves,
            matrix_exponentials: own.matrix_exponentials,
            matrix_products: own.matrix_products,
            matrix_squarings: own.matrix_squarings,
            linear_algebra_flops: own.linear_algebra_flops,
            ..counted
        },
        failure,
    }
}

/// What makes a task impossible before the first step, for a method that takes `y' = f` only.
///
/// # Errors
/// [`Failure::NotApplicable`], which says why.
pub(crate) fn check<S: Scalar>(
    has_estimate: bool,
    problem: &Counted<'_, S>,
    task: &Task<'_, S>,
) -> Result<(), Failure> {
    if problem.mass().is_some() {
        let reason = "the method solves y' = f(t, y), and the problem has a mass matrix before y'".to_owned();
        return Err(Failure::NotApplicable { reason });
    }
    task.check(problem, has_estimate)
}

/// A solve under way.
struct Run<'r, 'p, S: Scalar, St> {
    attempt: Attempt<'p, S, St>,
    /// Makes the observer's steps, so that they leave no trace in the stepper; none where nobody watches.
    shadow: Option<St>,
    locator: Locator<S>,
    task: &'r Task<'r, S>,
    observer: &'r mut dyn Observer<S>,
    /// Whether the next step starts from the state and in the configuration that the formula ended with.
    same_end: bool,
    accepted: u64,
    rejected: u64,
    repeated: u64,
}

impl<'r, 'p, S: Scalar, St: Stepper<S>> Run<'r, 'p, S, St> {
    fn new(stepper: St, mut problem: Counted<'p, S>, task: &'r Task<'r, S>, observer: &'r mut dyn Observer<S>) -> Self {
        let locator = Locator::new(problem.switch_count(), task.initial.len(), stepper.order());
        Self {
            same_end: !stepper.projects(&problem) && !problem.locks() && !locator.has_switches(),
            shadow: observer.watches().then(|| stepper.clone()),
            attempt: Attempt::new(problem, stepper, task.t_start, task.initial),
            locator,
            task,
            observer,
            accepted: 0,
            rejected: 0,
            repeated: 0,
        }
    }

    /// From the start to the end.
    fn all(&mut self, control: ControllerSettings) -> Result<(), Failure> {
        self.locator.begin(&mut self.attempt)?;
        match self.task.settings.control {
            StepControl::Fixed { step } => {
                for (t_next, h) in Grid::new(self.task.settings.clock, self.task.t_start, self.task.t_end, step) {
                    self.to(t_next, h)?;
                }
                Ok(())
            }
            StepControl::Tolerance { rel, abs, initial_step, max_step } => {
                let span = (self.task.t_end - self.task.t_start).value();
                self.adaptive(control, (rel, abs), initial_step, max_step.unwrap_or(span).min(span))
            }
        }
    }

    /// One constant step to `t_next`. Where an event cuts it, what is left of it is made up in a further step, so
    /// that the grid is kept.
    fn to(&mut self, t_next: S, mut h: S) -> Result<(), Failure> {
        loop {
            self.spend()?;
            self.attempt.step(h)?;
            self.finish(t_next, h)?;
            h = t_next - self.attempt.t;
            // What rounding left of the step is no step.
            if h.value() <= 4.0 * f64::EPSILON * t_next.value().abs() {
                return Ok(());
            }
        }
    }

    /// Steps of controlled size to the end of the span.
    fn adaptive(
        &mut self,
        control: ControllerSettings,
        tolerances: (f64, f64),
        initial_step: Option<f64>,
        max_step: f64,
    ) -> Result<(), Failure> {
        let order = self.attempt.stepper.error_order().expect("checked before the first step");
        let mut controller = Controller::new(control, order, max_step);
        let mut size = match initial_step {
            Some(step) => step.min(max_step),
            None => self.choose_first_step(tolerances, max_step)?,
        };
        let (rel, abs) = tolerances;
        let t_end = self.task.t_end;
        while self.attempt.t < t_end {
            self.spend()?;
            let t = self.attempt.t;
            if 0.1 * size <= f64::EPSILON * t.value().abs() || size < f64::MIN_POSITIVE {
                return Err(self.too_small(size));
            }
            let is_last = (t + control.stretch * size - t_end).value() > 0.0;
            let h = if is_last { t_end - t } else { S::from(size) };
            let t_next = if is_last { t_end } else { t + h };
            let error = match self.attempt.step(h) {
                Ok(()) => {
                    let Attempt { stepper, y, end, .. } = &mut self.attempt;
                    stepper.error(h, y, end, rel, abs).unwrap_or(f64::NAN)
                }
                Err(Failure::NonFinite { .. }) => f64::INFINITY,
                Err(failure) => return Err(failure),
            };
            match controller.judge(error, h.value()) {
                Verdict::Accepted(next) => {
                    self.finish(t_next, h)?;
                    size = next;
                }
                Verdict::Rejected(smaller) => {
                    self.rejected += 1;
                    size = smaller;
                    // Where nothing finite lies ahead, no small step helps.
                    if !error.is_finite() && size <= f64::EPSILON * max_step {
                        return Err(Failure::NonFinite { time: t.value() });
                    }
                }
            }
        }
        Ok(())
    }

    fn choose_first_step(&mut self, tolerances: (f64, f64), max_step: f64) -> Result<f64, Failure> {
        self.spend()?;
        let Attempt { problem, stepper, t, y, end, before, .. } = &mut self.attempt;
        stepper.evaluate_start(problem, *t, y)?;
        let size = match stepper.first_step(y, tolerances, max_step) {
            Some(size) => size,
            None => first_step(problem, stepper, *t, y, (before, end), tolerances, max_step)?,
        };
        if size.is_finite() && size > 0.0 { Ok(size) } else { Err(Failure::NonFinite { time: t.value() }) }
    }

    fn too_small(&self, step: f64) -> Failure {
        Failure::StepTooSmall { time: self.attempt.t.value(), step }
    }

    /// Fails where the next step might exceed a budget.
    fn spend(&self) -> Result<(), Failure> {
        let settings = &self.task.settings;
        let exhausted = |counter, limit| Err(Failure::BudgetExhausted { time: self.attempt.t.value(), counter, limit });
        if self.accepted + self.rejected >= settings.max_steps {
            return exhausted("steps_accepted + steps_rejected", settings.max_steps);
        }
        let spent = self.attempt.problem.statistics().rhs_evaluations;
        if spent.saturating_add(self.attempt.stepper.evaluations()) > settings.max_rhs_evaluations {
            return exhausted("rhs_evaluations", settings.max_rhs_evaluations);
        }
        Ok(())
    }

    /// The step of size `h` just made is good: projects it, cuts it at the first event, makes its end the state,
    /// and shows it to the observer.
    #[inline(always)]
    fn finish(&mut self, t_next: S, h: S) -> Result<(), Failure> {
        if self.attempt.projects {
            self.attempt.project(t_next)?;
        }
        let reached = self.locator.locate(&mut self.attempt, t_next, h, &mut self.repeated)?;
        self.accepted += 1;
        self.attempt.stepper.accepted(self.same_end);
        let seen = if self.shadow.is_some() { self.show(reached) } else { ControlFlow::Continue(()) };
        self.attempt.advance(reached);
        match seen {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(failure) => Err(failure),
        }
    }

    /// Shows the observer the step that ends at `reached`. Kept apart, so that a run that nobody watches stays short.
    #[inline(never)]
    fn show(&mut self, reached: S) -> ControlFlow<Failure> {
        let Some(stepper) = &mut self.shadow else { return ControlFlow::Continue(()) };
        let Attempt { problem, stepper: tried, t, y, end, before, projects } = &mut self.attempt;
        let before: &[S] = if *projects || !self.locator.switched().is_empty() { before } else { end };
        let mut within = Within {
            problem,
            stepper,
            projects: *projects,
            t_start: *t,
            start: y,
            t_end: reached,
            end,
            cut: self.locator.cut_step(),
        };
        self.observer.step(&mut Step {
            index: self.accepted,
            t_start: *t,
            start: y,
            t_end: reached,
            end,
            before_projection: before,
            multipliers: &[],
            event_residual: None,
            error_estimate: tried.error_estimate(),
            switched: self.locator.switched(),
            within: &mut within,
        })
    }
}
