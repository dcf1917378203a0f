//! The steps of a run: step sizes, factorizations, failures.

use std::ops::ControlFlow;

use mbsbench_problem::linalg::Singular;
use mbsbench_problem::{AcceptedStep, Counted, Failure, Further, Run, StepControl, Stepping, Task};

use super::collocation::Collocation;
use super::controller::{Controller, MAX_ITERATIONS};
use super::newton::{Goal, Newton, ROUNDING};
use super::tableau::{COMPLEX, REAL};
use crate::equations::{Equations, Tolerances};
use crate::newton::Outcome;

/// First step if the task gives none, s; as in RADAU5.
const FIRST_STEP: f64 = 1e-6;

/// The Jacobian is kept if iterations converge at this rate or faster.
const KEPT_JACOBIAN: f64 = 1e-3;

/// Size and factors are kept if the next step would grow by no more than this factor.
const KEPT_STEP: f64 = 1.2;

/// Maximum number of consecutive singular matrices.
const MAX_SINGULAR: u32 = 5;

/// Maximum number of iterations in a constant step.
pub(super) const MAX_ITERATIONS_FIXED: u32 = 30;

/// Work to be done before the next attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Nothing,
    Factors,
    Jacobian,
}

/// State of the step-size control.
#[derive(Debug, Clone, Copy, Default)]
struct Controlled {
    controller: Controller,
    max_step: f64,
    /// Size proposed by the last accepted step, s.
    next: f64,
    /// True if the current step ends at the end of the span.
    is_last: bool,
    after_rejection: bool,
    /// Singular matrices since the last accepted step.
    singular: u32,
}

/// Steps of the formula.
pub(super) struct Steps {
    equations: Box<dyn Equations>,
    newton: Newton,
    goal: Goal,
    /// Tolerances of the weights.
    tolerances: Tolerances,
    /// True if the task prescribes the step size.
    constant: bool,
    controlled: Controlled,
    y: Vec<f64>,
    end: Vec<f64>,
    /// `f(t, y)`.
    derivative: Vec<f64>,
    /// Size of the current attempt, s.
    h: f64,
    due: Due,
    /// True if the Jacobian belongs to the start of the current step.
    is_current: bool,
    weights: Vec<f64>,
    collocation: Collocation,
}

impl Steps {
    pub(super) fn new(equations: Box<dyn Equations>, newton_tolerance: f64, task: &Task<'_>) -> Self {
        let indices = equations.indices();
        let n = indices.len();
        let ((rel, abs), goal) = match task.settings.control {
            StepControl::Tolerance { rel, abs, .. } => {
                let tolerances = of_the_estimate(rel, abs);
                let remaining = stopping(tolerances);
                (tolerances, Goal { remaining, iterations: MAX_ITERATIONS, judged_from: 2, rounding: 0.0 })
            }
            StepControl::Fixed { .. } => {
                let (iterations, rounding) = (MAX_ITERATIONS_FIXED, 8.0 * f64::EPSILON / newton_tolerance);
                ((newton_tolerance, newton_tolerance), Goal { remaining: 1.0, iterations, judged_from: 4, rounding })
            }
        };
        let mut y = task.initial.to_vec();
        y.resize(n, 0.0);
        Self {
            equations,
            newton: Newton::new(n),
            goal,
            tolerances: Tolerances { rel, abs, indices },
            constant: matches!(task.settings.control, StepControl::Fixed { .. }),
            controlled: Controlled::default(),
            end: y.clone(),
            y,
            derivative: vec![0.0; n],
            h: 0.0,
            due: Due::Jacobian,
            is_current: false,
            weights: vec![0.0; n],
            collocation: Collocation::new(n),
        }
    }

    fn evaluate(&mut self, run: &mut Run<'_, Counted<'_>>) -> Result<(), Failure> {
        run.check_budget(1)?;
        self.equations.rhs(&mut run.problem, run.t, &self.y, &mut self.derivative)
    }

    /// Sets the size of the next constant step.
    fn take_constant(&mut self, run: &Run<'_, Counted<'_>>) {
        let (_, h) = run.constant_step();
        if self.constant && h != self.h {
            (self.h, self.due) = (h, self.due.max(Due::Factors));
        }
    }

    /// Attempts a step of prescribed size.
    fn attempt_constant(&mut self, run: &mut Run<'_, Counted<'_>>) -> Result<Option<f64>, Failure> {
        self.prepare(run)?.map_err(|matrix| Failure::SingularMatrix { time: run.t, matrix })?;
        let outcome = self.iterate(run)?;
        if outcome == Outcome::Converged {
            self.finish();
            return Ok(Some(run.constant_step().0));
        }
        let rejected = reject_iterations(run);
        if self.is_current {
            return Err(self.not_solved(run, outcome));
        }
        self.due = Due::Jacobian;
        Ok(rejected)
    }

    /// Attempts a step of controlled size.
    fn attempt_controlled(&mut self, run: &mut Run<'_, Counted<'_>>) -> Result<Option<f64>, Failure> {
        let limit = run.problem.step_limit(run.t, &self.y[..run.task.initial.len()]);
        if limit < self.h {
            (self.h, self.controlled.is_last, self.due) = (limit, false, self.due.max(Due::Factors));
        }
        if 0.1 * self.h <= run.t.abs() * ROUNDING || self.h < f64::MIN_POSITIVE {
            return Err(Failure::StepTooSmall { time: run.t, step: self.h });
        }
        let outcome = match self.prepare(run)? {
            Ok(()) => self.iterate(run)?,
            Err(matrix) => {
                self.controlled.singular += 1;
                if self.controlled.singular >= MAX_SINGULAR {
                    return Err(Failure::SingularMatrix { time: run.t, matrix });
                }
                Outcome::Diverged
            }
        };
        if outcome != Outcome::Converged {
            let rejected = reject_iterations(run);
            // If nothing ahead is finite, smaller steps do not help.
            if outcome == Outcome::NotFinite && self.h <= f64::EPSILON * self.controlled.max_step {
                return Err(self.not_solved(run, outcome));
            }
            let factor = if let Outcome::Slow(Some(factor)) = outcome { factor } else { 0.5 };
            self.retry(factor * self.h);
            return Ok(rejected);
        }
        let error = self.error(run, self.controlled.after_rejection)?;
        let next = self.controlled.controller.next(self.h, error, self.newton.count);
        if error >= 1.0 || error.is_nan() {
            let is_first = run.own.steps_accepted == 0;
            self.retry(if is_first || !next.is_finite() { 0.1 * self.h } else { next });
            return Ok(run.reject());
        }
        self.controlled.next = next;
        self.finish();
        Ok(Some(if self.controlled.is_last { run.task.t_end } else { run.t + self.h }))
    }

    /// Sets the step to `h`, or to the rest of the span if `stretch` times `h` reaches its end. Returns true in the
    /// latter case.
    fn clip(&mut self, run: &Run<'_, Counted<'_>>, h: f64, stretch: f64) -> bool {
        let rest = run.task.t_end - run.t;
        let is_last = stretch * h >= rest;
        self.h = if is_last { rest } else { h };
        is_last
    }

    /// Decides on size and factors of the step after an accepted one.
    fn choose(&mut self, run: &Run<'_, Counted<'_>>) {
        let Controlled { max_step, next, after_rejection, .. } = self.controlled;
        let (before, next) = (self.h, next.min(max_step));
        let next = if after_rejection { next.min(before) } else { next };
        let is_last = self.clip(run, next, 1.0);
        let converges_fast = self.newton.rate <= KEPT_JACOBIAN;
        self.due = if !converges_fast {
            Due::Jacobian
        } else if !is_last && (1.0..=KEPT_STEP).contains(&(next / before)) {
            self.h = before;
            Due::Nothing
        } else {
            Due::Factors
        };
        self.controlled = Controlled { is_last, after_rejection: false, singular: 0, ..self.controlled };
    }

    /// Prepares to repeat the step with another size.
    fn retry(&mut self, h: f64) {
        self.h = h;
        self.due = if self.is_current { Due::Factors } else { Due::Jacobian };
        (self.controlled.after_rejection, self.controlled.is_last) = (true, false);
    }

    fn not_solved(&self, run: &Run<'_, Counted<'_>>, outcome: Outcome) -> Failure {
        match outcome {
            Outcome::NotFinite => Failure::NonFinite { time: run.t },
            _ => Failure::NewtonDiverged { time: run.t, iterations: self.newton.count.into() },
        }
    }

    /// Does the work that is due. The inner error is the name of a singular matrix.
    fn prepare(&mut self, run: &mut Run<'_, Counted<'_>>) -> Result<Result<(), &'static str>, Failure> {
        if self.due == Due::Jacobian {
            run.check_budget(self.equations.linearisation_cost())?;
            self.equations.linearise(&mut run.problem, run.t, &self.y, &self.derivative)?;
            self.is_current = true;
        }
        if self.due > Due::Nothing {
            run.own.factorizations += 1;
            if self.factorize().is_err() {
                return Ok(Err("γ M − ∂f/∂y of a step"));
            }
            self.due = Due::Nothing;
        }
        Ok(Ok(()))
    }

    fn factorize(&mut self) -> Result<(), Singular> {
        self.equations.factorize_real(REAL / self.h)?;
        self.equations.factorize_complex(COMPLEX / self.h)
    }

    fn iterate(&mut self, run: &mut Run<'_, Counted<'_>>) -> Result<Outcome, Failure> {
        let Self { equations, newton, h, y, collocation, tolerances, weights, goal, .. } = self;
        tolerances.weigh(y, *h, weights);
        let outcome = newton.run(run, equations.as_mut(), *h, y, (collocation, weights), *goal);
        // Each iteration solves once.
        run.own.newton_iterations += u64::from(newton.count);
        run.own.linear_solves += u64::from(newton.count);
        outcome
    }

    /// Estimated error of the step in units of the tolerance.
    fn error(&mut self, run: &mut Run<'_, Counted<'_>>, after_rejection: bool) -> Result<f64, Failure> {
        let Self { equations, newton, h, y, derivative, weights, .. } = self;
        run.own.linear_solves += 1;
        let error = newton.estimate(equations.as_mut(), *h, derivative, weights);
        if error < 1.0 || !(run.own.steps_accepted == 0 || after_rejection) {
            return Ok(error);
        }
        run.check_budget(1)?;
        run.own.linear_solves += 1;
        match newton.estimate_again(&mut run.problem, equations.as_mut(), (run.t, y), weights) {
            Err(Failure::NonFinite { .. }) => Ok(f64::NAN),
            error => error,
        }
    }

    /// Writes the end of a converged step.
    fn finish(&mut self) {
        for ((end, &y), &z) in self.end.iter_mut().zip(&self.y).zip(&self.newton.z[2]) {
            *end = y + z;
        }
        self.collocation.take(self.h, &self.newton.z);
        self.is_current = false;
    }
}

fn reject_iterations(run: &mut Run<'_, Counted<'_>>) -> Option<f64> {
    run.own.convergence_failures += 1;
    run.reject()
}

impl<'p> Stepping<Counted<'p>> for Steps {
    fn begin(&mut self, run: &mut Run<'_, Counted<'p>>) -> Result<(), Failure> {
        run.check_budget(1)?;
        self.equations.start(&mut run.problem, run.t, &mut self.y)?;
        self.evaluate(run)?;
        if let StepControl::Tolerance { initial_step, max_step, .. } = run.task.settings.control {
            let span = run.task.t_end - run.task.t_start;
            let max_step = max_step.unwrap_or(span).min(span);
            let is_last = self.clip(run, initial_step.unwrap_or(FIRST_STEP).min(max_step), 1.0001);
            self.controlled = Controlled { max_step, is_last, ..Controlled::default() };
        }
        self.take_constant(run);
        Ok(())
    }

    fn attempt(&mut self, run: &mut Run<'_, Counted<'p>>) -> Result<Option<f64>, Failure> {
        if self.constant { self.attempt_constant(run) } else { self.attempt_controlled(run) }
    }

    #[inline(always)]
    fn observe(&mut self, _problem: &mut Counted<'p>, step: AcceptedStep<'_>) -> ControlFlow<Failure> {
        let Self { equations, newton, constant, y, end, collocation, .. } = self;
        let state = equations.state();
        let error_estimate: &[f64] = if *constant { &[] } else { &newton.error[..state] };
        let multipliers = &end[end.len() - equations.multipliers()..];
        let (end, t_end) = (&end[..state], step.t_end);
        step.observe(&y[..state], end, Further { multipliers, error_estimate, ..Further::default() }, |t, y| {
            collocation.change((t - t_end) / collocation.h, y);
            for (y, &end) in y.iter_mut().zip(end) {
                *y += end;
            }
            Ok(())
        })
    }

    fn states(&mut self) -> [&mut Vec<f64>; 2] {
        [&mut self.y, &mut self.end]
    }

    fn after_step(&mut self, run: &mut Run<'_, Counted<'p>>) -> Result<(), Failure> {
        if run.t < run.task.t_end {
            self.evaluate(run)?;
        }
        if self.constant {
            self.due = if self.newton.rate <= KEPT_JACOBIAN { Due::Nothing } else { Due::Jacobian };
            self.take_constant(run);
        } else {
            self.choose(run);
        }
        Ok(())
    }
}

/// Tolerances for the estimate, which has lower order than the formula: `rel' = 0.1 rel^(2/3)`, and `abs'` in the same
/// ratio to it as `abs` to `rel` (as in RADAU5).
fn of_the_estimate(rel: f64, abs: f64) -> (f64, f64) {
    let lower = |tolerance: f64| 0.1 * tolerance.powf(2.0 / 3.0);
    if rel > 0.0 { (lower(rel), lower(rel) * abs / rel) } else { (0.0, lower(abs)) }
}

/// `κ`: iterations end when the remaining error is this fraction of the tolerance.
fn stopping((rel, abs): (f64, f64)) -> f64 {
    let tolerance = if rel > 0.0 { rel } else { abs };
    (10.0 * ROUNDING / tolerance).max(tolerance.sqrt().min(0.03))
}
