//! Location of zeros of event functions around a step, whatever made the step.

use mbsbench_problem::{Counted, CountedEvents, EventFunctions, Failure, Run, Scalar};

use crate::Stepper;
use crate::attempt::Attempt;
use crate::hermite::{CutStep, hermite};

/// Most repeated steps for one event. Bisection alone halves the bracket to rounding in 53.
const MAX_REPEATS: u64 = 100;

/// Watches the event functions over steps.
///
/// A function is *reached* in a step when it ends within its tolerance having started outside, and *passed* when
/// it ends on the other side. A function that starts within its tolerance (it has just been handled, or the run
/// starts there) is not reported for that; its side is the one towards which its rate points. In a step
/// that passes a zero, the earliest root of the cubic Hermite interpolants of the passed functions
/// (values and rates at both ends of the bracket) gives the size of the repeated step, until
/// nothing is passed and something is reached. A bracket that two repeats have not halved is bisected.
///
/// Two zeros of one function within one step go unseen.
#[derive(Debug, Clone)]
pub struct Locator<S> {
    order: u32,
    /// Values at the start of the step.
    start: Vec<S>,
    /// Rates there.
    start_rates: Vec<S>,
    /// The last trial that passed nothing.
    low: Bound<S>,
    /// The earliest trial that passed something.
    high: Bound<S>,
    /// The trial under way.
    trial: Bound<S>,
    was_passed: Vec<bool>,
    /// Sides on which the functions start: +1, −1; 0 where not watched.
    sides: Vec<f64>,
    reached: Vec<usize>,
    cut: CutStep<S>,
}

/// One end of a bracket.
#[derive(Debug, Clone)]
struct Bound<S> {
    /// Size of the step that leads there, s.
    h: S,
    values: Vec<S>,
    rates: Vec<S>,
}

impl<S: Scalar> Locator<S> {
    /// For `count` functions of a state of `dimension` components, and a method of order `order`.
    #[must_use]
    pub fn new(count: usize, dimension: usize, order: u32) -> Self {
        let zeros = |n| vec![S::nought(); n];
        let bound = || Bound { h: S::nought(), values: zeros(count), rates: zeros(count) };
        let states = if count == 0 { 0 } else { dimension };
        Self {
            order,
            start: zeros(count),
            start_rates: zeros(count),
            low: bound(),
            high: bound(),
            trial: bound(),
            was_passed: vec![false; count],
            sides: vec![0.0; count],
            reached: Vec::with_capacity(count),
            cut: CutStep::new(states),
        }
    }

    /// Whether the problem has functions whose zeros are to be located.
    #[must_use]
    pub fn has_functions(&self) -> bool {
        !self.start.is_empty()
    }

    /// Functions that reached zero at the end of the step located last.
    #[must_use]
    pub fn reached(&self) -> &[usize] {
        &self.reached
    }

    /// The step located last as an interpolant, where an event ended it.
    #[must_use]
    pub fn cut_step(&self) -> Option<&CutStep<S>> {
        (!self.reached.is_empty()).then_some(&self.cut)
    }

    /// Evaluates the functions at the initial state.
    ///
    /// # Errors
    /// Those of the problem.
    pub fn begin<St: Stepper<S>>(
        &mut self,
        run: &mut Run<'_, Counted<'_, S>, S>,
        attempt: &Attempt<S, St>,
    ) -> Result<(), Failure> {
        if self.has_functions() {
            functions(&mut run.problem)?.values(run.t, &attempt.y, &mut self.start)
        } else {
            Ok(())
        }
    }

    /// Cuts the projected step of size `h` in `attempt`, which ends at `t_next`, at the first event, if there is
    /// one, and handles the event there. Gives the time at which the step ends, and leaves the values for the
    /// start of the next one.
    ///
    /// # Errors
    /// Those of the problem; [`Failure::EventNotLocated`].
    #[inline]
    pub fn locate<St: Stepper<S>>(
        &mut self,
        run: &mut Run<'_, Counted<'_, S>, S>,
        attempt: &mut Attempt<S, St>,
        t_next: S,
        h: S,
    ) -> Result<S, Failure> {
        if self.has_functions() { self.search(run, attempt, t_next, h) } else { Ok(t_next) }
    }

    /// The same for a problem that has functions to locate.
    #[inline(never)]
    fn search<St: Stepper<S>>(
        &mut self,
        run: &mut Run<'_, Counted<'_, S>, S>,
        attempt: &mut Attempt<S, St>,
        t_next: S,
        h: S,
    ) -> Result<S, Failure> {
        self.reached.clear();
        let mut functions = functions(&mut run.problem)?;
        functions.values(t_next, &attempt.end, &mut self.high.values)?;
        let tolerance = functions.tolerance(h.value(), self.order);
        self.take_sides(functions, run.t, attempt, tolerance)?;
        self.was_passed.fill(false);
        let t_reached = if (0..self.sides.len()).any(|i| self.has_passed(i, &self.high, tolerance)) {
            self.narrow(run, attempt, t_next, h, tolerance)?
        } else {
            self.collect_reached(tolerance);
            t_next
        };
        if self.reached.is_empty() {
            std::mem::swap(&mut self.start, &mut self.high.values);
        } else {
            self.handle(run, attempt, t_reached)?;
        }
        Ok(t_reached)
    }

    /// Notes on which side each watched function starts.
    fn take_sides<St: Stepper<S>>(
        &mut self,
        mut functions: CountedEvents<'_, S>,
        t: S,
        attempt: &Attempt<S, St>,
        tolerance: f64,
    ) -> Result<(), Failure> {
        let mut rates_known = false;
        for i in 0..self.start.len() {
            let value = self.start[i].value();
            self.sides[i] = if !functions.is_watched(i) {
                0.0
            } else if value.abs() > tolerance {
                value.signum()
            } else {
                if !rates_known {
                    functions.rates(t, &attempt.y, attempt.stepper.start_derivative(), &mut self.start_rates)?;
                    rates_known = true;
                }
                self.start_rates[i].value().signum()
            };
        }
        Ok(())
    }

    /// Notes the functions that are zero at the upper end of the bracket: those that started outside their
    /// tolerance, and those that some trial of this step has passed.
    fn collect_reached(&mut self, tolerance: f64) {
        for i in 0..self.sides.len() {
            let may_be_reached = self.was_passed[i] || self.start[i].value().abs() > tolerance;
            if self.sides[i] != 0.0 && may_be_reached && self.high.values[i].value().abs() <= tolerance {
                self.reached.push(i);
            }
        }
    }

    /// Repeats the step with other sizes until it ends at the first event. On return `attempt.end` is the state
    /// there and `self.reached` is not empty.
    fn narrow<St: Stepper<S>>(
        &mut self,
        run: &mut Run<'_, Counted<'_, S>, S>,
        attempt: &mut Attempt<S, St>,
        t_next: S,
        h: S,
        tolerance: f64,
    ) -> Result<S, Failure> {
        let t = run.t;
        let start_rate = attempt.stepper.start_derivative();
        functions(&mut run.problem)?.rates(t, &attempt.y, start_rate, &mut self.low.rates)?;
        self.low.h = S::nought();
        self.low.values.copy_from_slice(&self.start);
        write_rates(&mut run.problem, t_next, &attempt.end, &mut self.cut.end_rate, &mut self.high.rates)?;
        self.high.h = h;
        let rounding = 2.0 * f64::EPSILON * t.value().abs().max(h.value());
        let mut length = h;
        let mut slow = 0;
        for _ in 0..MAX_REPEATS {
            for i in 0..self.sides.len() {
                self.was_passed[i] |= self.has_passed(i, &self.high, tolerance);
            }
            // A bracket of the size of rounding: its upper end is the event.
            let is_point = length.value() <= rounding;
            let share = if slow >= 2 { S::from(0.5) } else { S::from(self.first_root(tolerance)) };
            let size = if is_point { self.high.h } else { self.low.h + length * share };
            attempt.step(run, size)?;
            attempt.project(run, t + size)?;
            run.own.steps_repeated += 1;
            self.trial.h = size;
            functions(&mut run.problem)?.values(t + size, &attempt.end, &mut self.trial.values)?;
            let has_passed = (0..self.sides.len()).any(|i| self.has_passed(i, &self.trial, tolerance));
            if has_passed && !is_point {
                write_rates(&mut run.problem, t + size, &attempt.end, &mut self.cut.end_rate, &mut self.trial.rates)?;
                std::mem::swap(&mut self.high, &mut self.trial);
            } else {
                std::mem::swap(&mut self.high, &mut self.trial);
                self.collect_reached(tolerance);
                if is_point {
                    for i in 0..self.sides.len() {
                        if self.has_passed(i, &self.high, tolerance) {
                            self.reached.push(i);
                        }
                    }
                }
                if !self.reached.is_empty() {
                    return Ok(t + size);
                }
                // Neither passed nor reached: the event lies behind.
                std::mem::swap(&mut self.high, &mut self.trial);
                write_rates(&mut run.problem, t + size, &attempt.end, &mut self.cut.end_rate, &mut self.trial.rates)?;
                std::mem::swap(&mut self.low, &mut self.trial);
            }
            let narrower = self.high.h - self.low.h;
            slow = if narrower.value() <= 0.5 * length.value() { 0 } else { slow + 1 };
            length = narrower;
        }
        let index = self.was_passed.iter().position(|&passed| passed).unwrap_or_default();
        Err(Failure::EventNotLocated { time: t.value(), index, repeats: MAX_REPEATS })
    }

    /// The earliest root, as a share of the bracket, of the Hermite interpolants of the functions that its upper
    /// end has passed.
    fn first_root(&self, tolerance: f64) -> f64 {
        let length = (self.high.h - self.low.h).value();
        let mut first = 1.0f64;
        for i in (0..self.sides.len()).filter(|&i| self.has_passed(i, &self.high, tolerance)) {
            let from = (self.low.values[i].value(), self.low.rates[i].value() * length);
            let to = (self.high.values[i].value(), self.high.rates[i].value() * length);
            let (mut lower, mut upper) = (0.0, 1.0);
            while upper - lower > f64::EPSILON * upper {
                let middle = 0.5 * (lower + upper);
                if self.sides[i] * hermite(middle, from, to) > 0.0 {
                    lower = middle;
                } else {
                    upper = middle;
                }
            }
            first = first.min(upper);
        }
        first
    }

    fn has_passed(&self, index: usize, bound: &Bound<S>, tolerance: f64) -> bool {
        self.sides[index] * bound.values[index].value() < -tolerance
    }

    /// Changes configuration at the event that the step in `attempt` now ends with.
    fn handle<St: Stepper<S>>(
        &mut self,
        run: &mut Run<'_, Counted<'_, S>, S>,
        attempt: &mut Attempt<S, St>,
        t: S,
    ) -> Result<(), Failure> {
        let Attempt { stepper, end, before, projects, .. } = attempt;
        let problem = &mut run.problem;
        if !*projects {
            before.copy_from_slice(end);
        }
        // What the observer may ask for, while the configuration of the step still holds.
        self.cut.h = t - run.t;
        self.cut.start_rate.copy_from_slice(stepper.start_derivative());
        self.cut.end.copy_from_slice(end);
        problem.uncounted(|problem| problem.rhs(t, end, &mut self.cut.end_rate))?;
        let mut functions = functions(problem)?;
        for &index in &self.reached {
            functions.jump(index, t, end)?;
        }
        if end.iter().any(|x| !x.is_finite()) {
            return Err(Failure::NonFinite { time: t.value() });
        }
        functions.values(t, end, &mut self.start)
    }
}

/// The event functions of a problem that has been seen to have some.
pub(crate) fn functions<'c, S: Scalar>(problem: &'c mut Counted<'_, S>) -> Result<CountedEvents<'c, S>, Failure> {
    let lost = || Failure::NotApplicable { reason: "the problem has lost its event functions".to_owned() };
    problem.events().ok_or_else(lost)
}

/// Writes the rates of the functions at `(t, y)`, and `f` there into `dydt`, which is not counted.
fn write_rates<S: Scalar>(
    problem: &mut Counted<'_, S>,
    t: S,
    y: &[S],
    dydt: &mut [S],
    rates: &mut [S],
) -> Result<(), Failure> {
    problem.uncounted(|problem| problem.rhs(t, y, dydt))?;
    functions(problem)?.rates(t, y, dydt, rates)
}
