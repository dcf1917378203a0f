//! Single steps one after another: sizes, acceptance, projection, events.

use std::ops::ControlFlow;

use mbsbench_problem::{Counted, Failure, Further, Made, Observer, Run, Scalar, Solution, StepControl, Stepping, Task};

use crate::Stepper;
use crate::attempt::{Attempt, state_within};
use crate::control::{Controller, ControllerSettings, Verdict, first_step};
use crate::events::Locator;

/// Whether the task asks for an error-controlled step.
#[must_use]
pub fn is_adaptive<S: Scalar>(task: &Task<'_, S>) -> bool {
    matches!(task.settings.control, StepControl::Tolerance { .. })
}

/// Solves `task` with `stepper`; see [`Method::solve`](mbsbench_problem::Method::solve).
pub fn solve<S: Scalar, St: Stepper<S>>(
    stepper: St,
    control: ControllerSettings,
    mut problem: Counted<'_, S>,
    task: &Task<'_, S>,
    observer: &mut dyn Observer<S>,
) -> Solution<S> {
    let has_estimate = stepper.error_order().is_some();
    let checked = if stepper.knows_mass() {
        task.check(&mut problem, has_estimate)
    } else {
        check(has_estimate, &mut problem, task)
    };
    if let Err(failure) = checked {
        return Solution::refused(&problem, task, failure);
    }
    let mut run = Run::new(problem, task, observer);
    let locator = Locator::new(run.problem.functions_to_locate(), task.initial, stepper.order());
    let steps = Steps {
        same_end: !stepper.projects(&run.problem) && !run.problem.locks() && !locator.has_functions(),
        shadow: run.is_watched().then(|| stepper.clone()),
        controlled: Controlled::new(control, stepper.error_order(), task),
        attempt: Attempt::new(&run.problem, stepper, task.initial),
        locator,
    };
    run.solve(steps)
}

/// What makes a task impossible before the first step, for a method that takes `y' = f` only.
///
/// # Errors
/// [`Failure::NotApplicable`], which says why.
pub(crate) fn check<S: Scalar>(
    has_estimate: bool,
    problem: &mut Counted<'_, S>,
    task: &Task<'_, S>,
) -> Result<(), Failure> {
    if problem.mass().is_some() {
        let reason = "the method solves y' = f(t, y), and the problem has a mass matrix before y'".to_owned();
        return Err(Failure::NotApplicable { reason });
    }
    task.check(problem, has_estimate)
}

/// Steps of a [`Stepper`].
struct Steps<S: Scalar, St> {
    attempt: Attempt<S, St>,
    /// Makes the observer's steps, so that they leave no trace in the stepper; none where nobody watches.
    shadow: Option<St>,
    locator: Locator<S>,
    /// Whether the next step starts from the state and in the configuration that the formula ended with.
    same_end: bool,
    /// None for constant steps.
    controlled: Option<Controlled>,
}

/// What decides on the size of steps that work to tolerances.
struct Controlled {
    controller: Controller,
    /// Relative and absolute.
    tolerances: (f64, f64),
    max_step: f64,
    /// See [`ControllerSettings::stretch`].
    stretch: f64,
    /// Size of the next attempt, s; none before the first one is chosen.
    size: Option<f64>,
}

impl Controlled {
    /// None for constant steps.
    fn new<S: Scalar>(control: ControllerSettings, error_order: Option<u32>, task: &Task<'_, S>) -> Option<Self> {
        let StepControl::Tolerance { rel, abs, initial_step, max_step } = task.settings.control else { return None };
        let span = (task.t_end - task.t_start).value();
        let max_step = max_step.unwrap_or(span).min(span);
        let order = error_order.expect("checked before the first step");
        let (controller, stretch) = (Controller::new(control, order, max_step), control.stretch);
        let size = initial_step.map(|step| step.min(max_step));
        Some(Self { controller, tolerances: (rel, abs), max_step, stretch, size })
    }

    /// End and size of the next step.
    #[inline]
    fn next<S: Scalar>(&self, t: S, t_end: S) -> Result<(S, S), Failure> {
        let size = self.size.unwrap_or(self.max_step);
        if 0.1 * size <= f64::EPSILON * t.value().abs() || size < f64::MIN_POSITIVE {
            return Err(Failure::StepTooSmall { time: t.value(), step: size });
        }
        let is_last = (t + self.stretch * size - t_end).value() > 0.0;
        let h = if is_last { t_end - t } else { S::from(size) };
        Ok((if is_last { t_end } else { t + h }, h))
    }
}

impl<'p, S: Scalar, St: Stepper<S>> Stepping<Counted<'p, S>, S> for Steps<S, St> {
    fn begin(&mut self, run: &mut Run<'_, Counted<'p, S>, S>) -> Result<(), Failure> {
        self.locator.begin(run, &self.attempt)?;
        if let Some(Controlled { size: size @ None, tolerances, max_step, .. }) = &mut self.controlled {
            *size = Some(choose_first_step(run, &mut self.attempt, *tolerances, *max_step)?);
        }
        Ok(())
    }

    /// Where the step is good, it is projected and cut at the first event.
    #[inline]
    fn attempt(&mut self, run: &mut Run<'_, Counted<'p, S>, S>) -> Result<Option<S>, Failure> {
        let Self { attempt, locator, controlled, same_end, .. } = self;
        run.afford(attempt.stepper.evaluations())?;
        let (t_next, h) = match controlled {
            None => run.constant_step(),
            Some(controlled) => controlled.next(run.t, run.task.t_end)?,
        };
        let made = attempt.step(run, h);
        if let Some(Controlled { controller, tolerances: (rel, abs), max_step, size, .. }) = controlled {
            let error = match made {
                Ok(()) => attempt.stepper.error(h, &attempt.y, &attempt.end, *rel, *abs).unwrap_or(f64::NAN),
                Err(Failure::NonFinite { .. }) => f64::INFINITY,
                Err(failure) => return Err(failure),
            };
            match controller.judge(error, h.value()) {
                Verdict::Accepted(next) => *size = Some(next),
                Verdict::Rejected(smaller) => {
                    let rejected = run.reject();
                    *size = Some(smaller);
                    // Where nothing finite lies ahead, no small step helps.
                    if !error.is_finite() && smaller <= f64::EPSILON * *max_step {
                        return Err(Failure::NonFinite { time: run.t.value() });
                    }
                    return Ok(rejected);
                }
            }
        } else {
            made?;
        }
        attempt.project(run, t_next)?;
        let reached = locator.locate(run, attempt, t_next, h)?;
        attempt.stepper.accepted(*same_end);
        Ok(Some(reached))
    }

    #[inline(always)]
    fn show(&mut self, problem: &mut Counted<'p, S>, made: Made<'_, S>) -> ControlFlow<Failure> {
        let Self { attempt: Attempt { stepper: tried, y, end, before, projects }, shadow, locator, .. } = self;
        let Some(stepper) = shadow else { return ControlFlow::Continue(()) };
        let cut = locator.cut_step();
        let further = Further {
            before_projection: (*projects || cut.is_some()).then_some(&before[..]),
            error_estimate: tried.error_estimate(),
            events: locator.reached(),
            ..Further::default()
        };
        let (t_start, t_end) = (made.t_start, made.t_end);
        made.show(y, end, further, |t, state| match cut {
            // The problem is in another configuration by now and cannot make the step again.
            Some((start, end)) => {
                start.between(end, t, state);
                Ok(())
            }
            None => state_within(problem, stepper, *projects, (t_start, t_end), y, t, state),
        })
    }

    fn advance(&mut self) {
        self.attempt.advance();
    }

    fn end(&mut self, run: &mut Run<'_, Counted<'p, S>, S>) {
        run.own = run.own.with(&self.attempt.stepper.costs());
    }

    fn state(&self) -> &[S] {
        &self.attempt.y
    }
}

fn choose_first_step<S: Scalar, St: Stepper<S>>(
    run: &mut Run<'_, Counted<'_, S>, S>,
    Attempt { stepper, y, end, before, .. }: &mut Attempt<S, St>,
    tolerances: (f64, f64),
    max_step: f64,
) -> Result<f64, Failure> {
    run.afford_step()?;
    run.afford(stepper.evaluations())?;
    let (problem, t) = (&mut run.problem, run.t);
    stepper.evaluate_start(problem, t, y)?;
    let size = match stepper.first_step(y, tolerances, max_step) {
        Some(size) => size,
        None => first_step(problem, stepper, t, y, (before, end), tolerances, max_step)?,
    };
    if size.is_finite() && size > 0.0 { Ok(size) } else { Err(Failure::NonFinite { time: t.value() }) }
}
