//! The overall algorithm (compere2001, figure 5.6): step sizes, detection, location, restart, observation.

use std::ops::ControlFlow;

use mbsbench_problem::{
    Counted, Failure, Interpolant, Observer, Scalar, Solution, Statistics, Step, StepControl, Task,
};

use super::chattering::{Chattering, MOST};
use super::detect::Detector;
use super::locate::Locator;
use super::pair::Pair;
use super::rules::Rules;
use super::state::State;
use crate::grid::Grid;

/// The first step, and the window of the chattering rule, as a share of the span (section 5.3).
const FIRST_SHARE: f64 = 1e-5;
/// What a vanishing error estimate counts as, as in the author's own codes.
const LEAST_DIFFERENCE: f64 = 1e-16;

/// Solves `task`; see [`Method::solve`](mbsbench_problem::Method::solve).
pub fn solve<S: Scalar, P: Pair<S>>(
    rules: &Rules,
    pair: P,
    mut problem: Counted<'_, S>,
    task: &Task<'_, S>,
    observer: &mut dyn Observer<S>,
) -> Solution<S> {
    if let Err(failure) = check(&mut problem, task) {
        let state = task.initial.to_vec();
        return Solution { t_reached: task.t_start, state, statistics: problem.statistics(), failure: Some(failure) };
    }
    observer.start(task.t_start, task.initial);
    let mut run = Run::new(rules, pair, problem, task, observer);
    let failure = if task.t_end > task.t_start { run.all(rules.max_step).err() } else { None };
    run.problem.lock_switched(None);
    let counted = run.problem.statistics();
    let costs = run.pair.costs();
    let statistics = Statistics {
        jacobian_evaluations: counted.jacobian_evaluations + costs.jacobian_evaluations,
        factorizations: costs.factorizations,
        newton_iterations: costs.newton_iterations,
        linear_solves: costs.linear_solves,
        matrix_exponentials: costs.matrix_exponentials,
        matrix_products: costs.matrix_products,
        matrix_squarings: costs.matrix_squarings,
        linear_algebra_flops: costs.linear_algebra_flops,
        rhs_evaluations: counted.rhs_evaluations,
        switch_evaluations: counted.switch_evaluations,
        events: counted.events,
        ..run.statistics
    };
    Solution { t_reached: run.start.t, state: run.start.y, statistics, failure }
}

/// What makes a task impossible before the first step.
fn check<S: Scalar>(problem: &mut Counted<'_, S>, task: &Task<'_, S>) -> Result<(), Failure> {
    task.check(problem, true)?;
    let has_switches = problem.switch_count() > 0;
    if problem.projects() || problem.locks() || has_switches {
        let reason = "dode takes problems as they are written, or with discontinuity functions; this one projects its \
                      states, or changes configuration by other rules: take a method of the common driver";
        return Err(Failure::NotApplicable { reason: reason.to_owned() });
    }
    Ok(())
}

/// What is known of the derivative at the start of the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StartRate {
    /// Nothing: the run begins.
    Unknown,
    /// It is that at the end of the step before.
    Known,
    /// It belongs to the configuration before an event.
    BeforeEvent,
}

/// A solve under way.
struct Run<'r, 'p, S: Scalar, P> {
    problem: Counted<'p, S>,
    pair: P,
    /// Makes the observer's steps.
    shadow: P,
    shadow_state: State<S>,
    detector: Detector,
    locator: Locator<S>,
    chattering: Chattering,
    task: &'r Task<'r, S>,
    observer: &'r mut dyn Observer<S>,
    watched: bool,
    /// Whether events are located at all.
    locating: bool,
    /// Largest step with a function below zero, s.
    contact_step: Option<f64>,
    /// Whether the right-hand side is evaluated twice after an event.
    evaluates_twice: bool,
    /// Whether the next step is to be made without locating any.
    unlocked: bool,
    /// Whether the functions at the start of the step are known.
    begun: bool,
    start_rate: StartRate,
    start: State<S>,
    end: State<S>,
    /// The located state before its jump.
    before: Vec<S>,
    switched: Vec<usize>,
    /// Magnitude of the located function at the end of the step.
    residual: Option<f64>,
    statistics: Statistics,
}

impl<'r, 'p, S: Scalar, P: Pair<S>> Run<'r, 'p, S, P> {
    fn new(
        rules: &Rules,
        pair: P,
        mut problem: Counted<'p, S>,
        task: &'r Task<'r, S>,
        observer: &'r mut dyn Observer<S>,
    ) -> Self {
        let start = State::new(task.t_start, task.initial);
        Self {
            locating: rules.events && problem.is_switched(),
            shadow: pair.clone(),
            shadow_state: start.clone(),
            detector: Detector::new(rules),
            locator: Locator::new(rules, &start),
            chattering: Chattering::new(FIRST_SHARE * (task.t_end - task.t_start).value()),
            contact_step: rules.contact_step,
            evaluates_twice: rules.evaluates_twice,
            watched: observer.watches(),
            unlocked: false,
            begun: false,
            start_rate: StartRate::Unknown,
            end: start.clone(),
            before: task.initial.to_vec(),
            switched: Vec::new(),
            residual: None,
            statistics: Statistics::default(),
            start,
            problem,
            pair,
            task,
            observer,
        }
    }

    /// From the start to the end.
    fn all(&mut self, own_max_step: f64) -> Result<(), Failure> {
        match self.task.settings.control {
            StepControl::Fixed { step } => {
                for (t_next, h) in Grid::new(self.task.settings.clock, self.task.t_start, self.task.t_end, step) {
                    self.to(t_next, h)?;
                }
                Ok(())
            }
            StepControl::Tolerance { rel, abs, initial_step, max_step } => {
                let max_step = max_step.unwrap_or(own_max_step);
                let first = initial_step.unwrap_or(self.chattering.window()).min(max_step);
                self.adaptive((rel, abs), first, max_step)
            }
        }
    }

    /// One constant step to `t_next`, and where events cut it, what is left of it.
    fn to(&mut self, t_next: S, mut h: S) -> Result<(), Failure> {
        loop {
            self.spend()?;
            self.begin(h.value())?;
            let (t_reached, h_made) = self.limited(t_next, h);
            self.pair.step(&mut self.problem, &self.start, h_made, &mut self.end)?;
            if !self.end.is_finite() {
                return Err(self.not_finite());
            }
            self.finish(t_reached)?;
            h = t_next - self.start.t;
            // What rounding left of the step is no step.
            if h.value() <= 4.0 * f64::EPSILON * t_next.value().abs() {
                return Ok(());
            }
        }
    }

    /// End and size of the step of size `h` to `t_next`, cut to what the configuration allows.
    fn limited(&self, t_next: S, h: S) -> (S, S) {
        let is_closed = || self.locating && !self.detector.locked.iter().all(|&side| side);
        match self.contact_step {
            Some(limit) if limit < h.value() && is_closed() => (self.start.t + limit, S::from(limit)),
            _ => (t_next, h),
        }
    }

    /// Steps of controlled size to the end of the span.
    fn adaptive(&mut self, (rel, abs): (f64, f64), first: f64, max_step: f64) -> Result<(), Failure> {
        let exponent = 1.0 / f64::from(self.pair.order() + 1);
        let t_end = self.task.t_end;
        let mut size = first;
        while self.start.t < t_end {
            self.spend()?;
            if self.unlocked {
                size = size.min(first);
            }
            let t = self.start.t;
            if 0.1 * size <= f64::EPSILON * t.value().abs() || size < f64::MIN_POSITIVE {
                return Err(Failure::StepTooSmall { time: t.value(), step: size });
            }
            let is_last = (t + size - t_end).value() >= 0.0;
            let h = if is_last { t_end - t } else { S::from(size) };
            let t_next = if is_last { t_end } else { t + h };
            self.begin(h.value())?;
            let (t_next, h) = self.limited(t_next, h);
            let delta = match self.pair.step(&mut self.problem, &self.start, h, &mut self.end) {
                Ok(()) => self.pair.difference(h, &self.start, &self.end),
                // a smaller step converges better
                Err(Failure::NewtonDiverged { .. }) => f64::INFINITY,
                Err(failure) => return Err(failure),
            };
            if !(delta.is_finite() && self.end.is_finite()) {
                self.statistics.steps_rejected += 1;
                size = 0.1 * h.value();
                if size <= f64::EPSILON * max_step {
                    return Err(self.not_finite());
                }
                continue;
            }
            let largest = self.start.y.iter().fold(0.0f64, |largest, x| largest.max(x.value().abs()));
            let tau = (rel * largest).max(abs);
            let delta = if delta == 0.0 { LEAST_DIFFERENCE } else { delta };
            let next = max_step.min(0.8 * h.value() * (tau / delta).powf(exponent));
            // An unlocked step is made whatever its error: it is as short as a step can reasonably be.
            if delta > tau && !self.unlocked {
                self.statistics.steps_rejected += 1;
                size = next;
            } else {
                size = if self.finish(t_next)? { next.min(first) } else { next };
            }
        }
        Ok(())
    }

    /// Prepares the step from the present state: functions, configuration, derivative. A repeated step has them.
    fn begin(&mut self, horizon: f64) -> Result<(), Failure> {
        if std::mem::replace(&mut self.begun, true) {
            return Ok(());
        }
        let State { t, y, .. } = &self.start;
        if self.locating {
            let count = self.problem.prepare_switched(*t, y, horizon)?;
            self.resize(count);
            self.detector.begin(&mut self.problem, &mut self.start)?;
        }
        let locked = self.locating && !self.unlocked;
        self.problem.lock_switched(locked.then_some(self.detector.locked.as_slice()));
        let State { t, y, rate, values, value_rates, .. } = &mut self.start;
        match self.start_rate {
            StartRate::Known => {}
            StartRate::Unknown => self.problem.rhs(*t, y, rate)?,
            StartRate::BeforeEvent => {
                self.problem.rhs(*t, y, rate)?;
                if self.evaluates_twice {
                    // Again as the pair's restart: the published counts have both.
                    self.problem.rhs(*t, y, rate)?;
                }
            }
        }
        self.start_rate = StartRate::Known;
        self.pair.restart();
        if locked && !values.is_empty() {
            self.problem.switched_rates(*t, y, rate, value_rates)?;
        }
        Ok(())
    }

    fn resize(&mut self, count: usize) {
        if count != self.start.values.len() {
            self.start.resize(count);
            self.end.resize(count);
            self.locator.resize(count);
            self.switched.reserve(count);
        }
    }

    /// The step in `end` has passed its error test: cuts it at the first event, if there is one, makes its end the
    /// state, and shows it to the observer. Gives whether there was an event.
    fn finish(&mut self, t_next: S) -> Result<bool, Failure> {
        self.switched.clear();
        let was_unlocked = std::mem::replace(&mut self.unlocked, false);
        self.statistics.unlocked_steps += u64::from(was_unlocked);
        let mut event = None;
        if self.locating && !was_unlocked {
            self.end.watch(&mut self.problem)?;
            let tools = (&mut self.problem, &mut self.pair);
            let step = (&self.start, &self.end);
            let repeated = self.statistics.steps_repeated;
            event = self.locator.first_event(tools, &mut self.detector, step, &mut self.statistics)?;
            // Of the step past the event and the one to its estimate, one is the accepted step.
            let was_searched = self.statistics.steps_repeated > repeated;
            self.statistics.steps_rejected += u64::from(was_searched);
        }
        self.residual = None;
        let reached = match event {
            None => t_next,
            Some(index) => {
                self.statistics.hidden_events += u64::from(self.end.side(index) == self.detector.locked[index]);
                std::mem::swap(&mut self.end, &mut self.locator.trial);
                self.residual = Some(self.end.values[index].value().abs());
                self.happen(index)?;
                let reached = self.start.t + self.end.h;
                if reached < self.task.t_end { reached } else { self.task.t_end }
            }
        };
        self.statistics.steps_accepted += 1;
        let seen = if self.watched { self.show(reached) } else { ControlFlow::Continue(()) };
        std::mem::swap(&mut self.start, &mut self.end);
        self.start.t = reached;
        self.start.h = S::nought();
        self.begun = false;
        if let ControlFlow::Break(failure) = seen {
            return Err(failure);
        }
        if let Some(index) = event {
            self.restrain(index)?;
        }
        Ok(event.is_some())
    }

    /// The event at `end`: which functions changed sides, and the jump.
    fn happen(&mut self, index: usize) -> Result<(), Failure> {
        self.before.copy_from_slice(&self.end.y);
        let jumps = self.detector.is_unilateral(index);
        let changes = |&other: &usize| {
            if other == index && jumps { true } else { self.end.side(other) != self.detector.locked[other] }
        };
        self.switched.extend((0..self.detector.locked.len()).filter(changes));
        if jumps {
            let t = self.start.t + self.end.h;
            self.problem.jump(index, t, &mut self.end.y)?;
        }
        self.problem.count_events(1);
        // After a jump the function is on the side it was on.
        self.statistics.sign_changes += (self.switched.len() - usize::from(jumps)) as u64;
        self.start_rate = StartRate::BeforeEvent;
        if self.end.y.iter().all(|x| x.is_finite()) { Ok(()) } else { Err(self.not_finite()) }
    }

    /// Applies the chattering rule after an event at the present state.
    fn restrain(&mut self, index: usize) -> Result<(), Failure> {
        let time = self.start.t.value();
        if !self.chattering.is_exceeded(time, index, self.detector.locked.len()) {
            return Ok(());
        }
        if self.detector.is_unilateral(index) {
            let window = self.chattering.window();
            return Err(Failure::EventsAccumulate { time, index, events: u64::from(MOST), window });
        }
        self.chattering.reset(time);
        self.unlocked = true;
        Ok(())
    }

    fn not_finite(&self) -> Failure {
        Failure::NonFinite { time: self.start.t.value() }
    }

    /// Fails where the next step might exceed a budget; trials to locate an event are not foreseen.
    fn spend(&self) -> Result<(), Failure> {
        let settings = &self.task.settings;
        let exhausted = |counter, limit| Err(Failure::BudgetExhausted { time: self.start.t.value(), counter, limit });
        if self.statistics.steps_accepted + self.statistics.steps_rejected >= settings.max_steps {
            return exhausted("steps_accepted + steps_rejected", settings.max_steps);
        }
        let spent = self.problem.statistics().rhs_evaluations;
        if spent.saturating_add(self.pair.evaluations()) > settings.max_rhs_evaluations {
            return exhausted("rhs_evaluations", settings.max_rhs_evaluations);
        }
        Ok(())
    }

    /// Shows the observer the step that ends at `reached`, with the configuration of the step still in force.
    fn show(&mut self, reached: S) -> ControlFlow<Failure> {
        let end = &self.end.y;
        let before: &[S] = if self.switched.is_empty() { end } else { &self.before };
        let mut within = Inside {
            problem: &mut self.problem,
            pair: &mut self.shadow,
            start: &self.start,
            inside: &mut self.shadow_state,
            t_end: reached,
            end,
        };
        self.observer.step(&mut Step {
            index: self.statistics.steps_accepted,
            t_start: self.start.t,
            start: &self.start.y,
            t_end: reached,
            end,
            before_projection: before,
            multipliers: &[],
            event_residual: self.residual,
            error_estimate: &[],
            switched: &self.switched,
            within: &mut within,
        })
    }
}

/// The state inside an accepted step: a further step from its start, uncounted.
struct Inside<'w, 'p, S: Scalar, P> {
    problem: &'w mut Counted<'p, S>,
    pair: &'w mut P,
    start: &'w State<S>,
    inside: &'w mut State<S>,
    t_end: S,
    end: &'w [S],
}

impl<S: Scalar, P: Pair<S>> Interpolant<S> for Inside<'_, '_, S, P> {
    fn state_at(&mut self, t: S, y: &mut [S]) -> Result<(), Failure> {
        if t == self.t_end {
            y.copy_from_slice(self.end);
        } else if t == self.start.t {
            y.copy_from_slice(&self.start.y);
        } else {
            let (pair, start, inside) = (&mut *self.pair, self.start, &mut *self.inside);
            pair.restart();
            self.problem.uncounted(|problem| pair.step(problem, start, t - start.t, inside))?;
            y.copy_from_slice(&inside.y);
        }
        Ok(())
    }
}
