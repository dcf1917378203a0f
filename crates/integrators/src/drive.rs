//! Single steps one after another: sizes, acceptance, projection, events.

use std::ops::ControlFlow;

use mbsbench_problem::{Counted, Failure, Further, Made, Observer, Run, Scalar, Solution, StepControl, Stepping, Task};

use crate::Stepper;
use crate::attempt::{Attempt, state_within};
use crate::control::{ControllerSettings, first_step};
use crate::events::Locator;
use crate::sizes::Controlled;

/// Whether the task asks for an error-controlled step.
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
        task.check(&mut problem, has_estimate, false)
    } else {
        check(has_estimate, &mut problem, task)
    };
    if let Err(failure) = checked {
        return Solution::refused(&problem, task, failure);
    }
    let mut run = Run::new(problem, task, observer);
    let locator = Locator::new(run.problem.functions_to_locate(), task.initial, stepper.order());
    let steps = Steps {
        same_end: !stepper.projects(&run.problem) && !run.problem.properties().locks && !locator.has_functions(),
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
    if problem.properties().mass.is_some() {
        let reason = "the method solves y' = f(t, y), and the problem has a mass matrix before y'".to_owned();
        return Err(Failure::NotApplicable { reason });
    }
    task.check(problem, has_estimate, false)
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
        if let Some(controlled) = controlled {
            let error = match attempt.step_with_error(run, h, &controlled.tolerances) {
                Err(Failure::NonFinite { .. } | Failure::StageDiverged { .. }) => f64::INFINITY,
                error => error?,
            };
            if !controlled.accepts(error, h.value()) {
                let rejected = run.reject();
                // Where nothing finite lies ahead, no small step helps.
                if !error.is_finite() && controlled.is_hopeless() {
                    return Err(Failure::NonFinite { time: run.t.value() });
                }
                return Ok(rejected);
            }
        } else {
            attempt.step(run, h)?;
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
            multipliers: tried.multipliers(),
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
