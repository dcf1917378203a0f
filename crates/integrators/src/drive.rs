//! The loop over single steps: step sizes, acceptance, projection, events.

use std::ops::ControlFlow;

use mbsbench_problem::{
    AcceptedStep, Counted, Failure, Further, Method, Observer, Run, Scalar, Solution, StepControl, Stepping, Task,
};

use crate::Stepper;
use crate::attempt::{Attempt, state_within};
use crate::control::ControllerSettings;
use crate::events::{Locator, Sampler};
use crate::sizes::Controlled;

/// True if the task asks for error control.
pub fn is_adaptive<S: Scalar>(task: &Task<'_, S>) -> bool {
    matches!(task.settings.control, StepControl::Tolerance { .. })
}

/// Solves `task` with the steps that `make` builds; see [`Method::solve`]. The solution is a refusal if the task is
/// not valid, the problem does not [suit](Method::suits) the method, or `make` fails.
pub fn run<'p, S: Scalar, M: Stepping<Counted<'p, S>, S>>(
    method: &dyn Method<S>,
    mut problem: Counted<'p, S>,
    task: &Task<'_, S>,
    observer: &mut dyn Observer<S>,
    make: impl FnOnce(&mut Counted<'p, S>) -> Result<M, Failure>,
) -> Solution<S> {
    match task.check_for(method, &mut problem).and_then(|()| make(&mut problem)) {
        Ok(steps) => Run::new(problem, task, observer).solve(steps),
        Err(failure) => Solution::refused(&problem, task, failure),
    }
}

/// Solves `task` with the stepper that `make` builds; step sizes follow `control`.
pub fn solve<'p, S: Scalar, St: Stepper<S>>(
    method: &dyn Method<S>,
    problem: Counted<'p, S>,
    task: &Task<'_, S>,
    observer: &mut dyn Observer<S>,
    control: ControllerSettings,
    make: impl FnOnce(&mut Counted<'p, S>) -> Result<St, Failure>,
) -> Solution<S> {
    let watched = observer.watches();
    run(method, problem, task, observer, |problem| {
        let stepper = make(problem)?;
        let locator = Locator::new(problem.functions_to_locate(), task, method.order());
        Ok(Steps {
            same_end: !stepper.projects(problem) && !problem.properties().locks && !locator.has_functions(),
            shadow: watched.then(|| stepper.clone()),
            inner: (method.order() > 5 || stepper.has_long_steps()).then(|| stepper.clone()),
            sampler: Sampler::new(problem.functions_to_locate(), task.initial, method.order()),
            controlled: Controlled::new(control, stepper.error_order(), task),
            attempt: Attempt::new(problem, stepper, task.initial),
            locator,
        })
    })
}

/// Steps of a [`Stepper`].
struct Steps<S: Scalar, St> {
    attempt: Attempt<S, St>,
    /// The stepper for the observer's steps, so that they do not affect `attempt`; `None` without an observer.
    shadow: Option<St>,
    locator: Locator<S>,
    sampler: Sampler<S>,
    /// The stepper for states inside a step at which event functions are sampled; `None` if cubics do.
    inner: Option<St>,
    /// True if the next step starts from the state that the formula gave, in the same configuration.
    same_end: bool,
    /// `None` for constant steps.
    controlled: Option<Controlled>,
}

impl<'p, S: Scalar, St: Stepper<S>> Stepping<Counted<'p, S>, S> for Steps<S, St> {
    fn begin(&mut self, run: &mut Run<'_, Counted<'p, S>, S>) -> Result<(), Failure> {
        self.locator.begin(run, &self.attempt.y)?;
        if let Some(Controlled { size: size @ None, tolerances, max_step, .. }) = &mut self.controlled {
            *size = Some(first_step(run, &mut self.attempt, *tolerances, *max_step)?);
        }
        Ok(())
    }

    /// Attempts a step; an accepted step is projected and cut at the first event.
    #[inline]
    fn attempt(&mut self, run: &mut Run<'_, Counted<'p, S>, S>) -> Result<Option<S>, Failure> {
        let Self { attempt, locator, sampler, inner, controlled, same_end, .. } = self;
        run.check_budget(attempt.stepper.evaluations())?;
        let (t_next, h) = Controlled::next(controlled.as_ref(), run, &attempt.y)?;
        if let Some(controlled) = controlled {
            let error = match attempt.step_with_error(run, h, &controlled.tolerances) {
                Err(Failure::NonFinite { .. } | Failure::StageDiverged { .. }) => f64::INFINITY,
                error => error?,
            };
            if !controlled.accepts(error, h.value()) {
                let rejected = run.reject();
                // If nothing finite lies ahead, a smaller step does not help.
                if !error.is_finite() && controlled.is_hopeless() {
                    return Err(Failure::NonFinite { time: run.t.value() });
                }
                return Ok(rejected);
            }
        } else {
            attempt.step(run, h)?;
        }
        attempt.project(run, t_next)?;
        if let Some(controlled) = controlled.as_mut().filter(|_| sampler.has_functions()) {
            let (start, end) = ((run.t, &attempt.y[..]), (t_next, &attempt.end[..]));
            let share = sampler.share(&mut run.problem, [start, end], |problem, inside| {
                let Some(stepper) = inner else { return Ok(()) };
                problem.begin_step(start.0, start.1)?;
                stepper.state_within(problem, (start.0, h), start.1, inside.t, &mut inside.y)?;
                problem.rhs(inside.t, &inside.y, &mut inside.rate)
            })?;
            controlled.limit(share * h.value());
            if share < 1.0 {
                return Ok(run.reject());
            }
        }
        let reached = if locator.has_functions() { locator.locate(run, attempt, t_next, h)? } else { t_next };
        attempt.stepper.accepted(*same_end);
        Ok(Some(reached))
    }

    #[inline(always)]
    fn observe(&mut self, problem: &mut Counted<'p, S>, step: AcceptedStep<'_, S>) -> ControlFlow<Failure> {
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
        let (t_start, t_end) = (step.t_start, step.t_end);
        step.observe(y, end, further, |t, state| match cut {
            // The problem is already in another configuration and cannot repeat the step.
            Some((start, end)) => {
                start.between(end, t, state);
                Ok(())
            }
            None => state_within(problem, stepper, *projects, (t_start, t_end), y, t, state),
        })
    }

    fn states(&mut self) -> [&mut Vec<S>; 2] {
        [&mut self.attempt.y, &mut self.attempt.end]
    }

    fn finish(&mut self, run: &mut Run<'_, Counted<'p, S>, S>) {
        run.own = run.own.with(&self.attempt.stepper.costs());
    }
}

/// Returns the first step: the stepper's own choice, or that of Hairer, Nørsett, Wanner, section II.4, with one
/// further evaluation of the right-hand side. `end` and `before` serve as scratch memory.
fn first_step<S: Scalar, St: Stepper<S>>(
    run: &mut Run<'_, Counted<'_, S>, S>,
    Attempt { stepper, y, end: other, before: state, .. }: &mut Attempt<S, St>,
    tolerances: (f64, f64),
    max_step: f64,
) -> Result<f64, Failure> {
    run.check_steps()?;
    run.check_budget(stepper.evaluations())?;
    let (problem, t, (rel, abs)) = (&mut run.problem, run.t, tolerances);
    problem.begin_step(t, y)?;
    stepper.evaluate_start(problem, t, y)?;
    let own = stepper.first_step(y, tolerances, max_step);
    let size = if let Some(size) = own {
        size
    } else {
        let derivative = stepper.start_derivative();
        let scale = |i: usize| abs + rel * y[i].value().abs();
        let sum = |x: &dyn Fn(usize) -> f64| (0..y.len()).map(|i| (x(i) / scale(i)).powi(2)).sum::<f64>();
        let d0 = sum(&|i| y[i].value());
        let d1 = sum(&|i| derivative[i].value());
        let guess = if d0 <= 1e-10 || d1 <= 1e-10 { 1e-6 } else { 0.01 * (d0 / d1).sqrt() };
        let guess = guess.min(max_step);
        for (i, x) in state.iter_mut().enumerate() {
            *x = y[i] + derivative[i] * guess;
        }
        problem.rhs(t + guess, state, other)?;
        let d2 = sum(&|i| (other[i] - derivative[i]).value()).sqrt() / guess;
        let largest = d1.sqrt().max(d2.abs());
        let order = f64::from(stepper.error_order().expect("checked before the first step"));
        let fine = if largest <= 1e-15 { (guess * 1e-3).max(1e-6) } else { (0.01 / largest).powf(1.0 / order) };
        (100.0 * guess).min(fine).min(max_step)
    };
    if size.is_finite() && size > 0.0 { Ok(size) } else { Err(Failure::NonFinite { time: t.value() }) }
}
