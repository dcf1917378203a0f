//! A run: sizes and orders, failures, the observer.

use std::ops::ControlFlow;

use mbsbench_problem::{Counted, Failure, Interpolant, Observer, Solution, Statistics, Step, StepControl, Task};

use super::differences::Differences;
use super::formula::{Formula, MAX_ORDER};
use super::initial::Initial;
use super::newton::{MAX_ITERATIONS, Newton, Outcome};
use crate::linearisation::{IterationMatrix, Linearisation};
use crate::suite;

/// Solves `task`, which has tolerances, with the formulas up to `max_order`.
pub(super) fn solve(
    formula: Formula,
    max_order: usize,
    problem: Counted<'_>,
    task: &Task<'_>,
    observer: &mut dyn Observer,
) -> Solution {
    observer.start(task.t_start, task.initial);
    let mut run = Run::new(formula, max_order, problem, task, observer);
    let failure = if task.t_end > task.t_start { run.all().err() } else { None };
    let Statistics { factorizations, linear_solves, linear_algebra_flops, .. } = run.matrix.costs;
    // With a mass matrix the rates at the start take its singular values, whose operations depend on an iteration.
    let linear_algebra_flops = linear_algebra_flops.filter(|_| run.matrix.mass().is_none());
    let statistics = Statistics {
        steps_accepted: run.accepted,
        steps_rejected: run.rejected,
        newton_iterations: run.newton.iterations,
        factorizations,
        linear_solves,
        linear_algebra_flops,
        ..run.problem.statistics()
    };
    Solution { t_reached: run.t, state: run.y, statistics, failure }
}

/// A solve under way.
struct Run<'r, 'p> {
    problem: Counted<'p>,
    task: &'r Task<'r>,
    observer: &'r mut dyn Observer,
    watched: bool,
    formula: Formula,
    max_order: usize,
    max_step: f64,
    t: f64,
    y: Vec<f64>,
    /// Order.
    k: usize,
    /// Size of the present step, to which the differences belong.
    h: f64,
    /// Whether it ends with the span.
    is_last: bool,
    /// Accepted steps of this size and order, as far as they matter.
    equal_steps: usize,
    differences: Differences,
    linearisation: Linearisation,
    /// Whether the Jacobian is that of the start of the present step.
    is_current: bool,
    matrix: IterationMatrix,
    newton: Newton,
    derivative: Vec<f64>,
    accepted: u64,
    rejected: u64,
}

impl<'r, 'p> Run<'r, 'p> {
    fn new(
        formula: Formula,
        max_order: usize,
        mut problem: Counted<'p>,
        task: &'r Task<'r>,
        observer: &'r mut dyn Observer,
    ) -> Self {
        let n = task.initial.len();
        let StepControl::Tolerance { rel, abs, max_step, .. } = task.settings.control else {
            unreachable!("checked before the run")
        };
        let span = task.t_end - task.t_start;
        Self {
            watched: observer.watches(),
            linearisation: Linearisation::new(&mut problem),
            matrix: IterationMatrix::new(&problem),
            problem,
            task,
            observer,
            formula,
            max_order,
            max_step: max_step.unwrap_or(span).min(span),
            t: task.t_start,
            y: task.initial.to_vec(),
            k: 1,
            h: 0.0,
            is_last: false,
            equal_steps: 0,
            differences: Differences::new(n),
            is_current: false,
            newton: Newton::new(n, (rel, abs)),
            derivative: vec![0.0; n],
            accepted: 0,
            rejected: 0,
        }
    }

    /// From the start to the end.
    fn all(&mut self) -> Result<(), Failure> {
        let (mut h, mut k) = (self.start()?, 1);
        while self.t < self.task.t_end {
            let clipped = self.clip(h);
            if clipped != self.h || k != self.k {
                self.change(clipped, k)?;
            }
            let error = self.step()?;
            self.accept()?;
            (h, k) = self.choose(error);
        }
        Ok(())
    }

    /// Linearises at the start, and gives the first step.
    fn start(&mut self) -> Result<f64, Failure> {
        self.spend(1 + self.linearisation.evaluations())?;
        let Self { problem, linearisation, t, y, derivative, .. } = self;
        problem.rhs(*t, y, derivative)?;
        linearisation.take_jacobian(problem, *t, y, derivative)?;
        linearisation.take_time_derivative(problem, *t, y, derivative)?;
        self.is_current = true;
        let initial = Initial::new(&self.problem, self.t, &self.derivative, &self.linearisation, &mut self.matrix)?;
        let StepControl::Tolerance { rel, abs, initial_step, .. } = self.task.settings.control else {
            unreachable!("checked before the run")
        };
        let h = match initial_step {
            Some(step) => step.min(self.max_step),
            None => {
                let curve = suite::largest(initial.second.iter().copied().zip(self.y.iter().copied()), rel, abs);
                (0.8 * (2.0 / curve).sqrt()).min(self.max_step)
            }
        };
        if !(h > 0.0 && initial.rate.iter().chain(&initial.second).all(|x| x.is_finite())) {
            return Err(Failure::NonFinite { time: self.t });
        }
        self.h = self.clip(h);
        self.differences.start(self.h, &initial.rate);
        self.factorize()?;
        Ok(h)
    }

    /// The smallest step that advances the time with some accuracy.
    fn smallest(&self) -> f64 {
        (16.0 * f64::EPSILON * self.t.abs()).max(f64::MIN_POSITIVE)
    }

    /// A step of about `h` within its bounds; one that leaves little of the span goes to its end.
    fn clip(&mut self, h: f64) -> f64 {
        let h = h.max(self.smallest()).min(self.max_step);
        let rest = self.task.t_end - self.t;
        self.is_last = 1.1 * h >= rest;
        if self.is_last { rest } else { h }
    }

    /// Goes over to another step size and order.
    fn change(&mut self, h: f64, k: usize) -> Result<(), Failure> {
        self.differences.change_size(k, h / self.h);
        (self.h, self.k, self.equal_steps) = (h, k, 0);
        self.factorize()
    }

    /// Shrinks the step after a failure and may lower the order.
    fn shrink(&mut self, h: f64, k: usize) -> Result<(), Failure> {
        let h = h.max(self.smallest());
        self.is_last &= h >= self.h;
        self.change(h, k)
    }

    fn factorize(&mut self) -> Result<(), Failure> {
        self.newton.forget_rate();
        let c = self.h / self.formula.leading(self.k);
        let singular = Failure::SingularMatrix { time: self.t, matrix: "M − c ∂f/∂y of a step" };
        self.matrix.factorize(c, &self.linearisation.jacobian).map_err(|_| singular)
    }

    /// Fails where the next attempt might exceed a budget.
    fn spend(&self, evaluations: u64) -> Result<(), Failure> {
        let settings = &self.task.settings;
        let exhausted = |counter, limit| Err(Failure::BudgetExhausted { time: self.t, counter, limit });
        if self.accepted + self.rejected >= settings.max_steps {
            return exhausted("steps_accepted + steps_rejected", settings.max_steps);
        }
        let spent = self.problem.statistics().rhs_evaluations;
        if spent.saturating_add(evaluations) > settings.max_rhs_evaluations {
            return exhausted("rhs_evaluations", settings.max_rhs_evaluations);
        }
        Ok(())
    }

    fn t_next(&self) -> f64 {
        if self.is_last { self.task.t_end } else { self.t + self.h }
    }

    /// Attempts until one is accurate; gives its error.
    fn step(&mut self) -> Result<f64, Failure> {
        let mut failed_before = false;
        loop {
            self.spend(u64::from(MAX_ITERATIONS))?;
            let (t_next, h, k) = (self.t_next(), self.h, self.k);
            let Self { problem, matrix, formula, y, differences, .. } = self;
            match self.newton.run(problem, matrix, (formula, k), (t_next, h), y, differences)? {
                Outcome::Converged => {}
                outcome => {
                    self.rejected += 1;
                    self.help_iterations(outcome)?;
                    continue;
                }
            }
            let error = self.formula.error_constant(k).abs() * self.newton.norm(self.newton.correction.iter().copied());
            if error <= 1.0 {
                return Ok(error);
            }
            self.rejected += 1;
            if h <= self.smallest() {
                return Err(Failure::StepTooSmall { time: self.t, step: h });
            }
            let (h, k) = if failed_before { (0.5 * h, k) } else { self.after_failure(error) };
            self.shrink(h, k)?;
            failed_before = true;
        }
    }

    /// After iterations without success: a new Jacobian, or a smaller step.
    fn help_iterations(&mut self, outcome: Outcome) -> Result<(), Failure> {
        if !self.is_current {
            self.spend(1 + self.linearisation.evaluations())?;
            let Self { problem, linearisation, t, y, derivative, .. } = self;
            linearisation.renew_jacobian(problem, *t, y, derivative)?;
            self.is_current = true;
            return self.factorize();
        }
        if self.h > self.smallest() {
            return self.shrink(0.3 * self.h, self.k);
        }
        Err(match outcome {
            Outcome::NotFinite => Failure::NonFinite { time: self.t },
            _ => Failure::NewtonDiverged { time: self.t, iterations: u64::from(MAX_ITERATIONS) },
        })
    }

    /// Size and order after the first failed error test of a step.
    fn after_failure(&self, error: f64) -> (f64, usize) {
        let (h, k) = (self.h, self.k);
        let smaller =
            |error: f64, safety: f64, root: usize| h * (1.0 / (safety * error.powf(1.0 / root as f64))).max(0.1);
        let same = smaller(error, 1.2, k + 1);
        if k > 1 {
            let difference = self.differences.of_order(k).iter().zip(&self.newton.correction).map(|(a, b)| a + b);
            let lower = smaller(self.formula.error_constant(k - 1) * self.newton.norm(difference), 1.3, k);
            if lower > same {
                return (lower.min(h), k - 1);
            }
        }
        (same, k)
    }

    /// Size and order of the next step after one of that error; both stay until there are enough steps alike, or where no
    /// order offers a larger step.
    fn choose(&mut self, error: f64) -> (f64, usize) {
        let (h, k) = (self.h, self.k);
        self.equal_steps = (self.equal_steps + 1).min(MAX_ORDER + 2);
        if self.equal_steps < k + 2 {
            return (h, k);
        }
        let larger = |error: f64, safety: f64, root: usize| h / (safety * error.powf(1.0 / root as f64)).max(0.1);
        let error_of = |k: usize| {
            let difference = self.differences.of_order(k + 1).iter().copied();
            self.formula.error_constant(k) * self.newton.norm(difference)
        };
        let mut best = (larger(error, 1.2, k + 1), k);
        if k > 1 {
            let lower = larger(error_of(k - 1), 1.3, k);
            if lower > best.0 {
                best = (lower, k - 1);
            }
        }
        if k < self.max_order {
            let higher = larger(error_of(k + 1), 1.4, k + 2);
            if higher > best.0 {
                best = (higher, k + 1);
            }
        }
        if best.0 > h { best } else { (h, k) }
    }

    /// Makes the end of the attempt the state and shows the step.
    fn accept(&mut self) -> Result<(), Failure> {
        self.accepted += 1;
        self.differences.advance(self.k, &self.newton.correction);
        let t_next = self.t_next();
        let seen = if self.watched { self.show(t_next) } else { ControlFlow::Continue(()) };
        self.t = t_next;
        std::mem::swap(&mut self.y, &mut self.newton.end);
        self.is_current = false;
        match seen {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(failure) => Err(failure),
        }
    }

    fn show(&mut self, t_end: f64) -> ControlFlow<Failure> {
        let Self { t, y, h, k, differences, newton, .. } = self;
        let end = &newton.end;
        let mut within = Polynomial { t_start: *t, start: y, t_end, end, h: *h, k: *k, differences };
        self.observer.step(&mut Step {
            index: self.accepted,
            t_start: *t,
            start: y,
            t_end,
            end,
            before_projection: end,
            multipliers: &[],
            event_residual: None,
            error_estimate: &[],
            switched: &[],
            within: &mut within,
        })
    }
}

/// The state inside a step: the polynomial through the last states; no evaluation is needed.
struct Polynomial<'s> {
    t_start: f64,
    start: &'s [f64],
    t_end: f64,
    end: &'s [f64],
    h: f64,
    k: usize,
    differences: &'s Differences,
}

impl Interpolant for Polynomial<'_> {
    fn state_at(&mut self, t: f64, y: &mut [f64]) -> Result<(), Failure> {
        if t == self.t_start {
            y.copy_from_slice(self.start);
        } else {
            // Exactly the end for t_end, where all products vanish.
            self.differences.interpolate(self.k, (t - self.t_end) / self.h, self.end, y);
        }
        Ok(())
    }
}
