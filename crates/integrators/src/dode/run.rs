//! The overall algorithm (compere2001, figure 5.6): step sizes, detection, location, restart.

use std::ops::ControlFlow;

use mbsbench_problem::{
    AcceptedStep, Counted, Failure, Further, Method, Observer, Run, Scalar, Solution, StepControl, Stepping, Task,
};

use super::detect::Detector;
use super::locate::Locator;
use super::pair::Pair;
use super::rules::{Detection, Rules};
use crate::drive;
use crate::events::{Chattering, Samples, State};
use crate::stepper::finite;

/// The value that replaces an error estimate of zero, as in the author's own codes.
const LEAST_DIFFERENCE: f64 = 1e-16;

/// Solves `task` with the pair that `make` builds; see [`Method::solve`].
pub fn solve<'p, S: Scalar, P: Pair<S>>(
    method: &dyn Method<S>,
    problem: Counted<'p, S>,
    task: &Task<'_, S>,
    observer: &mut dyn Observer<S>,
    rules: &Rules,
    make: impl FnOnce(&mut Counted<'p, S>) -> Result<P, Failure>,
) -> Solution<S> {
    drive::run(method, problem, task, observer, |problem| {
        if problem.properties().projects || problem.properties().locks || problem.functions_to_locate() > 0 {
            let reason = "`dode` solves plain equations and equations with event functions, but this problem projects \
                          its states or changes its configuration by other rules; use another method";
            return Err(Failure::NotApplicable { reason: reason.to_owned() });
        }
        Ok(Steps::new(rules, (make(problem)?, method.order()), problem, task))
    })
}

/// The available derivative at the start of the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StartRate {
    /// None: the run begins.
    Unknown,
    /// The derivative at the end of the previous step.
    Known,
    /// A derivative in the configuration before an event.
    BeforeEvent,
}

/// The state of the step-size control, for runs with tolerances.
struct Controlled {
    /// Relative and absolute tolerance.
    tolerances: (f64, f64),
    /// The first step, which is also the longest one after an event, s.
    first: f64,
    max_step: f64,
    /// Size of the next attempt, s.
    size: f64,
}

/// Steps with event location.
struct Steps<S: Scalar, P> {
    pair: P,
    /// The order of the pair.
    order: u32,
    /// The pair for the observer's steps.
    shadow: P,
    /// A state inside a step, for an observer or sampled functions.
    inside: State<S>,
    detector: Detector,
    samples: Samples,
    locator: Locator<S>,
    chattering: Chattering,
    /// `None` for constant steps.
    controlled: Option<Controlled>,
    /// The largest step that sampled functions allow, s.
    resolved: f64,
    /// True if events are located at all.
    locating: bool,
    rules: Rules,
    /// True if the next step does not locate events.
    unlocked: bool,
    /// True if the functions at the start of the step have been evaluated.
    begun: bool,
    start_rate: StartRate,
    start: State<S>,
    end: State<S>,
    /// The located state before its jump.
    before: Vec<S>,
    /// The function located in the last step.
    event: Option<usize>,
    occurred: Vec<usize>,
    /// Magnitude of the located function at the end of the step.
    residual: Option<f64>,
}

impl<S: Scalar, P: Pair<S>> Steps<S, P> {
    fn new(rules: &Rules, (pair, order): (P, u32), problem: &mut Counted<'_, S>, task: &Task<'_, S>) -> Self {
        let start = State::new(task.t_start, task.initial);
        let chattering = Chattering::new(task);
        let controlled = match task.settings.control {
            StepControl::Fixed { .. } => None,
            StepControl::Tolerance { rel, abs, initial_step, max_step } => {
                let max_step = max_step.unwrap_or(rules.settings.max_step);
                let first = initial_step.unwrap_or(chattering.window).min(max_step);
                Some(Controlled { tolerances: (rel, abs), first, max_step, size: first })
            }
        };
        Self {
            locating: rules.settings.events && problem.events().is_ok(),
            shadow: pair.clone(),
            inside: start.clone(),
            detector: Detector::new(rules),
            samples: Samples::default(),
            locator: Locator::new(rules, &start),
            chattering,
            controlled,
            resolved: f64::INFINITY,
            rules: *rules,
            unlocked: false,
            begun: false,
            start_rate: StartRate::Unknown,
            end: start.clone(),
            before: task.initial.to_vec(),
            event: None,
            occurred: Vec::new(),
            residual: None,
            start,
            pair,
            order,
        }
    }

    /// Returns end and size of the next step.
    fn next(&mut self, run: &mut Run<'_, Counted<'_, S>, S>) -> Result<(S, S), Failure> {
        let (t, t_end) = (run.t, run.task.t_end);
        let Some(Controlled { size, first, .. }) = &mut self.controlled else { return Ok(run.constant_step()) };
        if self.unlocked {
            *size = size.min(*first);
        }
        let size = size.min(run.problem.step_limit(t, &self.start.y));
        if 0.1 * size <= f64::EPSILON * t.value().abs() || size < f64::MIN_POSITIVE {
            return Err(Failure::StepTooSmall { time: t.value(), step: size });
        }
        let is_last = (t + size - t_end).value() >= 0.0;
        let h = if is_last { t_end - t } else { S::from(size) };
        Ok((if is_last { t_end } else { t + h }, h))
    }

    /// Returns end and size of the step of size `h` to `t_next`, shortened to the largest step of the configuration
    /// and of sampled functions.
    fn limited(&self, t_next: S, h: S) -> (S, S) {
        let is_closed = || self.locating && !self.detector.locked.iter().all(|&side| side);
        let of_contact = self.rules.contact_step.filter(|&limit| limit < h.value() && is_closed());
        let limit = of_contact.unwrap_or(f64::INFINITY).min(self.resolved);
        if limit < h.value() { (self.start.t + limit, S::from(limit)) } else { (t_next, h) }
    }

    /// Samples the functions in the step to `end`, and bounds the next attempt by them. Returns true if the step is
    /// short enough for each function to have at most one zero.
    fn resolves(&mut self, run: &mut Run<'_, Counted<'_, S>, S>) -> Result<bool, Failure> {
        if self.rules.detection != Detection::Sampled || self.end.values.is_empty() {
            return Ok(true);
        }
        run.check_budget(2)?;
        let Self { start, inside, end, detector, samples, .. } = self;
        let sides = |index: usize| -detector.direction(index);
        let (states, tolerance) = (([&*start, end], inside), self.rules.settings.event_tolerance);
        let share = samples.share(&mut run.problem, states, (sides, tolerance), |problem, inside| {
            problem.rhs(inside.t, &inside.y, &mut inside.rate)
        })?;
        self.resolved = share * end.h.value();
        if share < 1.0 && 0.1 * self.resolved <= f64::EPSILON * run.t.value().abs() {
            return Err(Failure::StepTooSmall { time: run.t.value(), step: self.resolved });
        }
        Ok(share >= 1.0)
    }

    /// Judges the step of size `h` in `end`, which may have failed, and chooses the size of the next one. Returns true
    /// if the step is accepted.
    fn judge(
        &mut self,
        run: &mut Run<'_, Counted<'_, S>, S>,
        h: S,
        made: Result<(), Failure>,
    ) -> Result<bool, Failure> {
        let not_finite = Failure::NonFinite { time: run.t.value() };
        let Some(Controlled { tolerances: (rel, abs), max_step, size, .. }) = &mut self.controlled else {
            made?;
            return if self.end.is_finite() { Ok(true) } else { Err(not_finite) };
        };
        let delta = match made {
            Ok(()) => self.pair.difference(&self.start, &self.end),
            // Newton's method converges better with a smaller step.
            Err(Failure::NewtonDiverged { .. }) => f64::INFINITY,
            Err(failure) => return Err(failure),
        };
        if !(delta.is_finite() && self.end.is_finite()) {
            run.reject();
            *size = 0.1 * h.value();
            return if *size <= f64::EPSILON * *max_step { Err(not_finite) } else { Ok(false) };
        }
        let largest = self.start.y.iter().fold(0.0f64, |largest, x| largest.max(x.value().abs()));
        let tau = (*rel * largest).max(*abs);
        let delta = if delta == 0.0 { LEAST_DIFFERENCE } else { delta };
        let exponent = 1.0 / f64::from(self.order + 1);
        let next = max_step.min(0.8 * h.value() * (tau / delta).powf(exponent));
        *size = self.rules.settings.growth.map_or(next, |growth| next.min(growth * h.value()));
        // An unlocked step is accepted whatever its error, because it is already as short as is reasonable.
        let is_good = delta <= tau || self.unlocked;
        if !is_good {
            run.reject();
        }
        Ok(is_good)
    }

    /// Prepares the step from the present state: functions, configuration, derivative. A repeated step reuses them.
    fn begin_step(&mut self, run: &mut Run<'_, Counted<'_, S>, S>, horizon: f64) -> Result<(), Failure> {
        if std::mem::replace(&mut self.begun, true) {
            return Ok(());
        }
        let locked = self.locating && !self.unlocked;
        if let Ok(mut functions) = run.problem.events() {
            if self.locating {
                functions.prepare(self.start.t, &self.start.y, horizon)?;
                self.resize(functions.count());
                self.detector.begin(&mut functions, &mut self.start)?;
            }
            functions.lock(locked.then_some(&self.detector.locked));
        }
        let State { t, y, rate, values, .. } = &mut self.start;
        match self.start_rate {
            StartRate::Known => {}
            StartRate::Unknown => run.problem.rhs(*t, y, rate)?,
            StartRate::BeforeEvent => {
                run.problem.rhs(*t, y, rate)?;
                if self.rules.evaluates_twice {
                    // Evaluated again as the pair's restart: the published counts include both evaluations.
                    run.problem.rhs(*t, y, rate)?;
                }
            }
        }
        self.start_rate = StartRate::Known;
        self.pair.restart();
        if locked && !values.is_empty() {
            self.start.watch_rates(&mut run.problem)?;
        }
        Ok(())
    }

    fn resize(&mut self, count: usize) {
        if count != self.start.values.len() {
            self.start.resize(count);
            self.end.resize(count);
            self.inside.resize(count);
            self.locator.resize(count);
            self.occurred.reserve(count);
        }
    }

    /// Cuts the accepted step to `t_next`, which is in `end`, at the first event if there is one. Returns the time at
    /// which the step ends.
    fn locate(&mut self, run: &mut Run<'_, Counted<'_, S>, S>, t_next: S) -> Result<S, Failure> {
        self.occurred.clear();
        (self.event, self.residual) = (None, None);
        if std::mem::replace(&mut self.unlocked, false) {
            run.own.unlocked_steps += 1;
        } else if self.locating {
            let tools = (&mut run.problem, &mut self.pair);
            let step = (&self.start, &self.end);
            let repeated = run.own.steps_repeated;
            self.event = self.locator.first_event(tools, &mut self.detector, step, &mut run.own)?;
            // Of the step past the event and the step to its estimate, one counts as accepted.
            if run.own.steps_repeated > repeated {
                run.reject();
            }
        }
        let Some(index) = self.event else { return Ok(t_next) };
        run.own.hidden_events += u64::from(self.end.side(index) == self.detector.locked[index]);
        std::mem::swap(&mut self.end, &mut self.locator.trial);
        self.residual = Some(self.end.values[index].value().abs());
        self.happen(run, index)?;
        let reached = self.start.t + self.end.h;
        Ok(if reached < run.task.t_end { reached } else { run.task.t_end })
    }

    /// Handles the event at `end`: notes the functions that changed sides, and applies the jump.
    fn happen(&mut self, run: &mut Run<'_, Counted<'_, S>, S>, index: usize) -> Result<(), Failure> {
        self.before.copy_from_slice(&self.end.y);
        let jumps = self.detector.is_unilateral(index);
        let changes = |&other: &usize| {
            if other == index && jumps { true } else { self.end.side(other) != self.detector.locked[other] }
        };
        self.occurred.extend((0..self.detector.locked.len()).filter(changes));
        match run.problem.events() {
            Ok(mut functions) if jumps => functions.jump(index, self.start.t + self.end.h, &mut self.end.y)?,
            _ => run.problem.count_events(1),
        }
        // A jump puts the function back on its side.
        run.own.sign_changes += (self.occurred.len() - usize::from(jumps)) as u64;
        self.start_rate = StartRate::BeforeEvent;
        finite(run.t, &self.end.y)
    }

    /// Applies the chattering rule after an event at the present state.
    fn restrain(&mut self, index: usize) -> Result<(), Failure> {
        let time = self.start.t.value();
        if !self.chattering.is_exceeded(time, index, self.detector.locked.len()) {
            return Ok(());
        }
        if self.detector.is_unilateral(index) {
            return Err(self.chattering.accumulated(time, index));
        }
        self.chattering.reset(time);
        self.unlocked = true;
        Ok(())
    }
}

impl<'p, S: Scalar, P: Pair<S>> Stepping<Counted<'p, S>, S> for Steps<S, P> {
    fn attempt(&mut self, run: &mut Run<'_, Counted<'p, S>, S>) -> Result<Option<S>, Failure> {
        // The budget does not include trials that locate an event.
        run.check_budget(self.pair.evaluations())?;
        let (t_next, h) = self.next(run)?;
        self.begin_step(run, h.value())?;
        let (t_next, h) = self.limited(t_next, h);
        self.end.place(&self.start, h);
        let made = self.pair.step(&mut run.problem, &self.start, &mut self.end);
        if !self.judge(run, h, made)? {
            return Ok(None);
        }
        if self.locating && !self.unlocked {
            self.end.watch(&mut run.problem)?;
            if !self.resolves(run)? {
                return Ok(run.reject());
            }
        }
        let reached = self.locate(run, t_next)?;
        self.end.t = reached;
        Ok(Some(reached))
    }

    /// Runs with the configuration of the step still in force.
    #[inline(always)]
    fn observe(&mut self, problem: &mut Counted<'p, S>, step: AcceptedStep<'_, S>) -> ControlFlow<Failure> {
        let Self { shadow: pair, inside, start, end, before, occurred, .. } = self;
        let further = Further {
            before_projection: (!occurred.is_empty()).then_some(&before[..]),
            events: occurred,
            event_residual: self.residual,
            ..Further::default()
        };
        step.observe(&start.y, &end.y, further, |t, y| {
            pair.restart();
            inside.place(start, t - start.t);
            problem.uncounted(|problem| pair.step(problem, start, inside))?;
            y.copy_from_slice(&inside.y);
            Ok(())
        })
    }

    fn states(&mut self) -> [&mut Vec<S>; 2] {
        [&mut self.start.y, &mut self.end.y]
    }

    fn advance(&mut self) {
        std::mem::swap(&mut self.start, &mut self.end);
        self.start.h = S::zero();
        self.begun = false;
    }

    fn after_step(&mut self, _run: &mut Run<'_, Counted<'p, S>, S>) -> Result<(), Failure> {
        if let Some(index) = self.event {
            self.restrain(index)?;
            if let Some(Controlled { size, first, .. }) = &mut self.controlled {
                *size = size.min(*first);
            }
        }
        Ok(())
    }

    fn finish(&mut self, run: &mut Run<'_, Counted<'p, S>, S>) {
        if let Ok(mut functions) = run.problem.events() {
            functions.lock(None);
        }
        run.own = run.own.with(&self.pair.costs());
    }
}
