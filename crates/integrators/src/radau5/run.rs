//! A run: sizes, factorisations, failures, the observer.

use std::ops::ControlFlow;

use mbsbench_problem::{Counted, Failure, Interpolant, Observer, Solution, Statistics, Step, StepControl, Task};

use super::collocation::Collocation;
use super::controller::{Controller, MAX_ITERATIONS};
use super::equations::Equations;
use super::newton::{Goal, Newton, Outcome, ROUNDING};
use super::tableau::{COMPLEX, REAL};
use crate::grid::Grid;

/// Step to begin with where the task names none, s; that of RADAU5.
const FIRST_STEP: f64 = 1e-6;

/// The Jacobian is kept where iterations converge at this rate or faster.
const KEPT_JACOBIAN: f64 = 1e-3;

/// Size and factors are kept where the next step would grow by no more than this factor.
const KEPT_STEP: f64 = 1.2;

/// Most singular matrices in a row.
const MAX_SINGULAR: u32 = 5;

/// Most iterations of a constant step.
const MAX_ITERATIONS_FIXED: u32 = 30;

/// Solves `task`, which is possible and has a length.
pub(super) fn solve<E: Equations>(
    equations: E,
    newton_tolerance: f64,
    problem: Counted<'_>,
    task: &Task<'_>,
    observer: &mut dyn Observer,
) -> Solution {
    let mut run = Run::new(equations, newton_tolerance, problem, task, observer);
    let failure = run.all().err();
    run.y.truncate(run.equations.state());
    Solution { t_reached: run.t, state: run.y, statistics: run.costs.with(&run.problem.statistics()), failure }
}

/// What the method itself counts.
#[derive(Debug, Clone, Copy, Default)]
struct Costs {
    accepted: u64,
    rejected: u64,
    not_converged: u64,
    factorizations: u64,
    iterations: u64,
    estimates: u64,
}

impl Costs {
    /// With what the problem counted.
    fn with(&self, problem: &Statistics) -> Statistics {
        Statistics {
            steps_accepted: self.accepted,
            steps_rejected: self.rejected,
            convergence_failures: self.not_converged,
            factorizations: self.factorizations,
            newton_iterations: self.iterations,
            linear_solves: self.iterations + self.estimates,
            ..*problem
        }
    }
}

/// What has to be done before the next attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Nothing,
    Factors,
    Jacobian,
}

/// A solve under way.
struct Run<'r, 'p, E> {
    problem: Counted<'p>,
    task: &'r Task<'r>,
    observer: &'r mut dyn Observer,
    watched: bool,
    equations: E,
    newton: Newton,
    goal: Goal,
    /// Tolerances of the weights, relative and absolute.
    tolerances: (f64, f64),
    t: f64,
    y: Vec<f64>,
    end: Vec<f64>,
    /// `f(t, y)`.
    derivative: Vec<f64>,
    /// Size of the present attempt, s.
    h: f64,
    due: Due,
    /// Whether the Jacobian is that of the start of the present step.
    is_current: bool,
    weights: Vec<f64>,
    collocation: Collocation,
    costs: Costs,
}

impl<'r, 'p, E: Equations> Run<'r, 'p, E> {
    fn new(
        equations: E,
        newton_tolerance: f64,
        problem: Counted<'p>,
        task: &'r Task<'r>,
        observer: &'r mut dyn Observer,
    ) -> Self {
        let n = equations.indices().iter().sum();
        let evaluations = task.settings.max_rhs_evaluations;
        let (tolerances, goal) = match task.settings.control {
            StepControl::Tolerance { rel, abs, .. } => {
                let tolerances = of_the_estimate(rel, abs);
                let remaining = stopping(tolerances);
                (tolerances, Goal { remaining, iterations: MAX_ITERATIONS, judged_from: 2, rounding: 0.0, evaluations })
            }
            StepControl::Fixed { .. } => {
                let (iterations, rounding) = (MAX_ITERATIONS_FIXED, 8.0 * f64::EPSILON / newton_tolerance);
                let goal = Goal { remaining: 1.0, iterations, judged_from: 4, rounding, evaluations };
                ((newton_tolerance, newton_tolerance), goal)
            }
        };
        let mut y = task.initial.to_vec();
        y.resize(n, 0.0);
        Self {
            watched: observer.watches(),
            problem,
            task,
            observer,
            equations,
            newton: Newton::new(n),
            goal,
            tolerances,
            t: task.t_start,
            end: y.clone(),
            y,
            derivative: vec![0.0; n],
            h: 0.0,
            due: Due::Jacobian,
            is_current: false,
            weights: vec![0.0; n],
            collocation: Collocation::new(n),
            costs: Costs::default(),
        }
    }

    fn all(&mut self) -> Result<(), Failure> {
        self.afford(1)?;
        self.equations.start(&mut self.problem, self.t, &mut self.y)?;
        self.evaluate()?;
        match self.task.settings.control {
            StepControl::Tolerance { initial_step, max_step, .. } => {
                let span = self.task.t_end - self.task.t_start;
                let max_step = max_step.unwrap_or(span).min(span);
                self.controlled(initial_step.unwrap_or(FIRST_STEP).min(max_step), max_step)
            }
            StepControl::Fixed { step } => {
                let settings = &self.task.settings;
                self.constant(Grid::new(settings.clock, self.task.t_start, self.task.t_end, step))
            }
        }
    }

    fn evaluate(&mut self) -> Result<(), Failure> {
        self.afford(1)?;
        self.equations.rhs(&mut self.problem, self.t, &self.y, &mut self.derivative)
    }

    /// Steps of given sizes.
    fn constant(&mut self, grid: Grid<f64>) -> Result<(), Failure> {
        for (t_next, h) in grid {
            // rounding may leave nothing of the last step
            if h <= 0.0 {
                continue;
            }
            if h != self.h {
                (self.h, self.due) = (h, self.due.max(Due::Factors));
            }
            loop {
                self.spend()?;
                self.prepare()?.map_err(|matrix| Failure::SingularMatrix { time: self.t, matrix })?;
                let outcome = self.iterate()?;
                if outcome == Outcome::Converged {
                    break;
                }
                self.reject_iterations();
                if self.is_current {
                    return Err(self.not_solved(outcome));
                }
                self.due = Due::Jacobian;
            }
            self.accept(t_next)?;
            if self.t < self.task.t_end {
                self.evaluate()?;
            }
            self.due = if self.newton.rate <= KEPT_JACOBIAN { Due::Nothing } else { Due::Jacobian };
        }
        Ok(())
    }

    /// Steps of controlled size, the first one of size `first`.
    fn controlled(&mut self, first: f64, max_step: f64) -> Result<(), Failure> {
        let mut controller = Controller::default();
        let mut is_last = self.clip(first, 1.0001);
        let (mut after_rejection, mut singular) = (false, 0);
        loop {
            self.spend()?;
            if 0.1 * self.h <= self.t.abs() * ROUNDING || self.h < f64::MIN_POSITIVE {
                return Err(Failure::StepTooSmall { time: self.t, step: self.h });
            }
            let outcome = match self.prepare()? {
                Ok(()) => self.iterate()?,
                Err(matrix) => {
                    singular += 1;
                    if singular >= MAX_SINGULAR {
                        return Err(Failure::SingularMatrix { time: self.t, matrix });
                    }
                    Outcome::Diverged
                }
            };
            if outcome != Outcome::Converged {
                self.reject_iterations();
                self.check_finite(outcome, max_step)?;
                let factor = if let Outcome::Slow(factor) = outcome { factor } else { 0.5 };
                self.retry(factor * self.h);
                (after_rejection, is_last) = (true, false);
                continue;
            }
            let error = self.error(after_rejection)?;
            let next = controller.next(self.h, error, self.newton.count);
            if error >= 1.0 || error.is_nan() {
                self.costs.rejected += 1;
                let is_first = self.costs.accepted == 0;
                self.retry(if is_first || !next.is_finite() { 0.1 * self.h } else { next });
                (after_rejection, is_last) = (true, false);
                continue;
            }
            self.accept(if is_last { self.task.t_end } else { self.t + self.h })?;
            if is_last {
                return Ok(());
            }
            self.evaluate()?;
            singular = 0;
            is_last = self.follow(next.min(max_step), std::mem::take(&mut after_rejection));
        }
    }

    /// Takes `h`, or what is left of the span where `stretch` times that reaches its end; says whether it does.
    fn clip(&mut self, h: f64, stretch: f64) -> bool {
        let rest = self.task.t_end - self.t;
        let is_last = stretch * h >= rest;
        self.h = if is_last { rest } else { h };
        is_last
    }

    /// Decides on size and factors of the step that follows an accepted one; says whether it is the last.
    fn follow(&mut self, next: f64, after_rejection: bool) -> bool {
        let before = self.h;
        let next = if after_rejection { next.min(before) } else { next };
        let is_last = self.clip(next, 1.0);
        let converges_fast = self.newton.rate <= KEPT_JACOBIAN;
        self.due = if !converges_fast {
            Due::Jacobian
        } else if !is_last && (1.0..=KEPT_STEP).contains(&(next / before)) {
            self.h = before;
            Due::Nothing
        } else {
            Due::Factors
        };
        is_last
    }

    /// The same step with another size.
    fn retry(&mut self, h: f64) {
        self.h = h;
        self.due = if self.is_current { Due::Factors } else { Due::Jacobian };
    }

    fn reject_iterations(&mut self) {
        self.costs.rejected += 1;
        self.costs.not_converged += 1;
    }

    /// Where nothing finite lies ahead, no small step helps.
    fn check_finite(&self, outcome: Outcome, max_step: f64) -> Result<(), Failure> {
        if outcome == Outcome::NotFinite && self.h <= f64::EPSILON * max_step {
            return Err(self.not_solved(outcome));
        }
        Ok(())
    }

    fn not_solved(&self, outcome: Outcome) -> Failure {
        match outcome {
            Outcome::NotFinite => Failure::NonFinite { time: self.t },
            _ => Failure::NewtonDiverged { time: self.t, iterations: self.newton.count.into() },
        }
    }

    /// Fails where the next attempt would be one too many.
    fn spend(&self) -> Result<(), Failure> {
        let limit = self.task.settings.max_steps;
        if self.costs.accepted + self.costs.rejected >= limit {
            let counter = "steps_accepted + steps_rejected";
            return Err(Failure::BudgetExhausted { time: self.t, counter, limit });
        }
        Ok(())
    }

    /// Fails where so many evaluations would exceed the budget.
    fn afford(&self, evaluations: u64) -> Result<(), Failure> {
        let limit = self.task.settings.max_rhs_evaluations;
        if self.problem.statistics().rhs_evaluations.saturating_add(evaluations) > limit {
            return Err(Failure::BudgetExhausted { time: self.t, counter: "rhs_evaluations", limit });
        }
        Ok(())
    }

    /// Does what is due; the inner error is the name of a singular matrix.
    fn prepare(&mut self) -> Result<Result<(), &'static str>, Failure> {
        if self.due == Due::Jacobian {
            self.afford(self.equations.linearisation_cost())?;
            self.equations.linearise(&mut self.problem, self.t, &self.y, &self.derivative)?;
            self.is_current = true;
        }
        if self.due > Due::Nothing {
            self.costs.factorizations += 1;
            if self.equations.factorise(REAL / self.h, COMPLEX / self.h).is_err() {
                return Ok(Err("γ M − ∂f/∂y of a step"));
            }
            self.due = Due::Nothing;
        }
        Ok(Ok(()))
    }

    fn iterate(&mut self) -> Result<Outcome, Failure> {
        self.weigh();
        let Self { problem, equations, newton, t, h, y, collocation, weights, goal, .. } = self;
        let outcome = newton.run(problem, equations, (*t, *h), y, (collocation, weights), *goal);
        self.costs.iterations += u64::from(newton.count);
        outcome
    }

    /// `abs + rel |y|`, over `h^{k−1}` for an unknown of index `k` (Hairer, Wanner, section VII.7).
    fn weigh(&mut self) {
        let [first, second, _] = self.equations.indices();
        let (rel, abs) = self.tolerances;
        for (i, (weight, y)) in self.weights.iter_mut().zip(&self.y).enumerate() {
            let scale = if i < first {
                1.0
            } else if i < first + second {
                self.h
            } else {
                self.h * self.h
            };
            *weight = ((abs + rel * y.abs()) / scale).max(f64::MIN_POSITIVE);
        }
    }

    /// Estimated error of the step in units of the tolerance.
    fn error(&mut self, after_rejection: bool) -> Result<f64, Failure> {
        let Self { problem, equations, newton, t, h, y, derivative, weights, costs, .. } = self;
        costs.estimates += 1;
        let error = newton.estimate(equations, *h, derivative, weights);
        if error < 1.0 || !(costs.accepted == 0 || after_rejection) {
            return Ok(error);
        }
        let limit = self.task.settings.max_rhs_evaluations;
        if problem.statistics().rhs_evaluations >= limit {
            return Err(Failure::BudgetExhausted { time: *t, counter: "rhs_evaluations", limit });
        }
        costs.estimates += 1;
        match newton.estimate_again(problem, equations, (*t, y), weights) {
            Err(Failure::NonFinite { .. }) => Ok(f64::NAN),
            error => error,
        }
    }

    /// Makes the end of the attempt the state and shows the step.
    fn accept(&mut self, t_end: f64) -> Result<(), Failure> {
        for ((end, &y), &z) in self.end.iter_mut().zip(&self.y).zip(&self.newton.z[2]) {
            *end = y + z;
        }
        self.collocation.take(self.h, &self.newton.z);
        self.costs.accepted += 1;
        self.is_current = false;
        let seen = if self.watched { self.show(t_end) } else { ControlFlow::Continue(()) };
        self.t = t_end;
        std::mem::swap(&mut self.y, &mut self.end);
        match seen {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(failure) => Err(failure),
        }
    }

    fn show(&mut self, t_end: f64) -> ControlFlow<Failure> {
        let state = self.equations.state();
        let multipliers = &self.end[self.end.len() - self.equations.multipliers()..];
        let (start, end) = (&self.y[..state], &self.end[..state]);
        let estimates = matches!(self.task.settings.control, StepControl::Tolerance { .. });
        let mut within = Within { t_start: self.t, start, t_end, end, collocation: &self.collocation };
        self.observer.step(&mut Step {
            index: self.costs.accepted,
            t_start: self.t,
            start,
            t_end,
            end,
            before_projection: end,
            multipliers,
            event_residual: None,
            error_estimate: if estimates { &self.newton.error[..state] } else { &[] },
            switched: &[],
            within: &mut within,
        })
    }
}

/// Tolerances for the estimate, which is of lower order than the formula: `rel' = 0.1 rel^(2/3)` and `abs'` in the same ratio
/// to it (as RADAU5 has it).
fn of_the_estimate(rel: f64, abs: f64) -> (f64, f64) {
    let lower = |tolerance: f64| 0.1 * tolerance.powf(2.0 / 3.0);
    if rel > 0.0 { (lower(rel), lower(rel) * abs / rel) } else { (0.0, lower(abs)) }
}

/// `κ`: iterations end where the remaining error is this part of the tolerance.
fn stopping((rel, abs): (f64, f64)) -> f64 {
    let tolerance = if rel > 0.0 { rel } else { abs };
    (10.0 * ROUNDING / tolerance).max(tolerance.sqrt().min(0.03))
}

/// The state inside a step, from the collocation polynomial.
struct Within<'w> {
    t_start: f64,
    start: &'w [f64],
    t_end: f64,
    end: &'w [f64],
    collocation: &'w Collocation,
}

impl Interpolant for Within<'_> {
    fn state_at(&mut self, t: f64, y: &mut [f64]) -> Result<(), Failure> {
        if t == self.t_start {
            y.copy_from_slice(self.start);
            return Ok(());
        }
        self.collocation.change((t - self.t_end) / self.collocation.step(), y);
        for (y, &end) in y.iter_mut().zip(self.end) {
            *y += end;
        }
        Ok(())
    }
}
