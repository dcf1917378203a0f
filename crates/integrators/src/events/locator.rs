//! Location of the first event in a step of any stepper.

use mbsbench_problem::{Counted, Failure, Run, Scalar, Task};

use super::{Chattering, State};
use crate::Stepper;
use crate::attempt::Attempt;
use crate::hermite::{bisect, hermite};
use crate::stepper::finite;

/// The largest number of repeated steps for one event. Bisection alone needs 53 to narrow the bracket to rounding.
const MAX_REPEATS: u64 = 100;

/// Watches the event functions over steps.
///
/// A function is *reached* in a step if it starts outside its tolerance and ends within it, and *passed* if it ends
/// on the other side. A function that starts within its tolerance (because it has just been handled, or the run
/// starts there) does not count as reached for that; its side is the one towards which its rate points. If a step
/// passes a zero, it is repeated. The earliest root of the cubic Hermite interpolants of the passed functions (values
/// and rates at both ends of the bracket) gives the size of the repeated step, until nothing is passed and something
/// is reached. A bracket that two repeats have not halved is bisected.
///
/// With constant steps, two zeros of one function within one step are missed. With error control,
/// a [`Sampler`](super::Sampler) makes steps so short that a function has at most one zero in each.
#[derive(Debug, Clone)]
pub struct Locator<S> {
    order: u32,
    /// The start of the step; its function values are kept from one step to the next.
    start: State<S>,
    /// The last trial that passed nothing.
    low: State<S>,
    /// The earliest trial that passed something; finally the trial that reaches a zero.
    high: State<S>,
    /// The present trial.
    trial: State<S>,
    was_passed: Vec<bool>,
    /// Sides on which the functions start: +1, −1, or 0 if not watched.
    sides: Vec<f64>,
    reached: Vec<usize>,
    chattering: Chattering,
}

impl<S: Scalar> Locator<S> {
    /// A locator for `count` functions in a task, and a method of order `order`.
    pub fn new(count: usize, task: &Task<'_, S>, order: u32) -> Self {
        let mut state = State::new(S::zero(), if count == 0 { &[] } else { task.initial });
        state.resize(count);
        Self {
            order,
            start: state.clone(),
            low: state.clone(),
            high: state.clone(),
            trial: state,
            was_passed: vec![false; count],
            sides: vec![0.0; count],
            reached: Vec::with_capacity(count),
            chattering: Chattering::new(task),
        }
    }

    /// True if the problem has functions whose zeros have to be located.
    pub fn has_functions(&self) -> bool {
        !self.sides.is_empty()
    }

    /// The functions that reached zero at the end of the last step.
    pub fn reached(&self) -> &[usize] {
        &self.reached
    }

    /// Both ends of the last step, before the jump, if an event ended it.
    pub fn cut_step(&self) -> Option<(&State<S>, &State<S>)> {
        (!self.reached.is_empty()).then_some((&self.start, &self.high))
    }

    /// Evaluates the functions at the initial state `y`.
    pub fn begin(&mut self, run: &mut Run<'_, Counted<'_, S>, S>, y: &[S]) -> Result<(), Failure> {
        if self.has_functions() { run.problem.events()?.values(run.t, y, &mut self.start.values) } else { Ok(()) }
    }

    /// In a problem that has functions to locate, cuts the projected step of size `h` in `attempt`, which ends at
    /// `t_next`, at the first event, if there is one, and handles the event. Returns the time at which the step ends,
    /// and keeps the function values for the start of the next step.
    ///
    /// # Errors
    /// Returns an error if the problem fails, or [`Failure::EventNotLocated`].
    #[inline(never)]
    pub fn locate<St: Stepper<S>>(
        &mut self,
        run: &mut Run<'_, Counted<'_, S>, S>,
        attempt: &mut Attempt<S, St>,
        t_next: S,
        h: S,
    ) -> Result<S, Failure> {
        self.reached.clear();
        self.start.t = run.t;
        self.start.y.copy_from_slice(&attempt.y);
        self.start.rate.copy_from_slice(attempt.stepper.start_derivative());
        let mut functions = run.problem.events()?;
        functions.values(t_next, &attempt.end, &mut self.high.values)?;
        let tolerance = functions.tolerance(h.value(), self.order);
        self.take_sides(&mut run.problem, tolerance)?;
        self.was_passed.fill(false);
        let has_passed = self.has_passed_any(&self.high, tolerance);
        if !has_passed {
            self.collect_reached(tolerance);
        }
        if !has_passed && self.reached.is_empty() {
            std::mem::swap(&mut self.start.values, &mut self.high.values);
            return Ok(t_next);
        }
        arrive(&mut self.high, &mut run.problem, (t_next, h), &attempt.end)?;
        if has_passed {
            self.narrow(run, attempt, tolerance)?;
        }
        self.handle(run, attempt)?;
        Ok(self.high.t)
    }

    /// Determines the side on which each watched function starts.
    fn take_sides(&mut self, problem: &mut Counted<'_, S>, tolerance: f64) -> Result<(), Failure> {
        let mut rates_known = false;
        for i in 0..self.sides.len() {
            let value = self.start.values[i].value();
            self.sides[i] = if !problem.events()?.is_watched(i) {
                0.0
            } else if value.abs() > tolerance {
                value.signum()
            } else {
                if !std::mem::replace(&mut rates_known, true) {
                    self.start.watch_rates(problem)?;
                }
                self.start.value_rates[i].value().signum()
            };
        }
        Ok(())
    }

    /// Collects the functions that are zero at the upper end of the bracket and either started outside their
    /// tolerance or were passed by some trial of this step.
    fn collect_reached(&mut self, tolerance: f64) {
        for i in 0..self.sides.len() {
            let may_be_reached = self.was_passed[i] || self.start.values[i].value().abs() > tolerance;
            if self.sides[i] != 0.0 && may_be_reached && self.high.values[i].value().abs() <= tolerance {
                self.reached.push(i);
            }
        }
    }

    /// Repeats the step, whose end is in `high`, with other sizes until it ends at the first event. The result is in
    /// `attempt.end` and `high`, and `reached` is not empty.
    fn narrow<St: Stepper<S>>(
        &mut self,
        run: &mut Run<'_, Counted<'_, S>, S>,
        attempt: &mut Attempt<S, St>,
        tolerance: f64,
    ) -> Result<(), Failure> {
        let t = run.t;
        self.start.watch_rates(&mut run.problem)?;
        self.low.h = S::zero();
        self.low.values.copy_from_slice(&self.start.values);
        self.low.value_rates.copy_from_slice(&self.start.value_rates);
        self.high.watch_rates(&mut run.problem)?;
        let mut length = self.high.h;
        let rounding = 2.0 * f64::EPSILON * t.value().abs().max(length.value());
        let mut slow = 0;
        for _ in 0..MAX_REPEATS {
            for i in 0..self.sides.len() {
                self.was_passed[i] |= self.has_passed(i, &self.high, tolerance);
            }
            // The bracket has shrunk to rounding: its upper end is the event.
            let is_point = length.value() <= rounding;
            let share = if slow >= 2 { S::from(0.5) } else { S::from(self.first_root(tolerance)) };
            let size = if is_point { self.high.h } else { self.low.h + length * share };
            attempt.step(run, size)?;
            attempt.project(run, t + size)?;
            run.own.steps_repeated += 1;
            arrive(&mut self.trial, &mut run.problem, (t + size, size), &attempt.end)?;
            self.trial.watch(&mut run.problem)?;
            std::mem::swap(&mut self.high, &mut self.trial);
            if is_point || !self.has_passed_any(&self.high, tolerance) {
                self.collect_reached(tolerance);
                for i in 0..self.sides.len() {
                    if self.has_passed(i, &self.high, tolerance) {
                        self.reached.push(i);
                    }
                }
                if !self.reached.is_empty() {
                    return Ok(());
                }
                // Neither passed nor reached: the event lies beyond this trial.
                std::mem::swap(&mut self.high, &mut self.trial);
                std::mem::swap(&mut self.low, &mut self.trial);
            }
            let narrower = self.high.h - self.low.h;
            slow = if narrower.value() <= 0.5 * length.value() { 0 } else { slow + 1 };
            length = narrower;
        }
        let index = self.was_passed.iter().position(|&passed| passed).unwrap_or_default();
        Err(Failure::EventNotLocated { time: t.value(), index, repeats: MAX_REPEATS })
    }

    /// The earliest root, as a fraction of the bracket, of the Hermite interpolants of the functions that the upper
    /// end of the bracket has passed.
    fn first_root(&self, tolerance: f64) -> f64 {
        let length = (self.high.h - self.low.h).value();
        let passed = (0..self.sides.len()).filter(|&i| self.has_passed(i, &self.high, tolerance));
        let root = |i: usize| {
            let at = |state: &State<S>| (state.values[i].value(), state.value_rates[i].value() * length);
            let (from, to) = (at(&self.low), at(&self.high));
            bisect(0.0, 1.0, |s| self.sides[i] * hermite(s, from, to) > 0.0)
        };
        passed.map(root).fold(1.0, f64::min)
    }

    fn has_passed(&self, index: usize, at: &State<S>, tolerance: f64) -> bool {
        self.sides[index] * at.values[index].value() < -tolerance
    }

    fn has_passed_any(&self, at: &State<S>, tolerance: f64) -> bool {
        (0..self.sides.len()).any(|index| self.has_passed(index, at, tolerance))
    }

    /// Changes the configuration at the event that ends the step in `attempt`.
    fn handle<St: Stepper<S>>(
        &mut self,
        run: &mut Run<'_, Counted<'_, S>, S>,
        attempt: &mut Attempt<S, St>,
    ) -> Result<(), Failure> {
        let Attempt { end, before, projects, .. } = attempt;
        if !*projects {
            before.copy_from_slice(end);
        }
        let t = self.high.t;
        let mut functions = run.problem.events()?;
        for &index in &self.reached {
            functions.jump(index, t, end)?;
            self.chattering.jump(t.value(), index, self.sides.len())?;
        }
        finite(t, end)?;
        functions.values(t, end, &mut self.start.values)
    }
}

/// Copies the end `y` of a step of size `h` to `t` into `state`, with `f` there in the configuration of the step,
/// which interpolants need. The evaluation is not counted.
fn arrive<S: Scalar>(
    state: &mut State<S>,
    problem: &mut Counted<'_, S>,
    (t, h): (S, S),
    y: &[S],
) -> Result<(), Failure> {
    (state.t, state.h) = (t, h);
    state.y.copy_from_slice(y);
    problem.uncounted(|problem| problem.rhs(t, y, &mut state.rate))
}
