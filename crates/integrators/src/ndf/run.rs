//! The steps of a run: step sizes, orders, failures.

use std::ops::ControlFlow;

use mbsbench_problem::{AcceptedStep, Counted, Failure, Further, Run, Stepping, Task};

use super::differences::Differences;
use super::formula::{Formula, MAX_ORDER};
use super::initial::Initial;
use super::newton::{MAX_ITERATIONS, Newton};
use crate::linearisation::{IterationMatrix, Linearisation};
use crate::newton::Outcome;
use crate::sizes::Tolerances;
use crate::suite;

/// Steps of the formulas.
pub(super) struct Steps {
    formula: Formula,
    max_order: usize,
    tolerances: Tolerances,
    max_step: f64,
    y: Vec<f64>,
    /// Order.
    k: usize,
    /// Size of the current step, to which the differences belong.
    h: f64,
    /// True if the step ends with the span.
    is_last: bool,
    /// True if an attempt at the step has failed its error test.
    failed_before: bool,
    /// Error of the last accepted step.
    error: f64,
    /// Accepted steps of this size and order, up to the number that matters.
    equal_steps: usize,
    differences: Differences,
    linearisation: Linearisation,
    /// True if the Jacobian belongs to the start of the current step.
    is_current: bool,
    matrix: IterationMatrix,
    newton: Newton,
    derivative: Vec<f64>,
}

impl Steps {
    pub(super) fn new(
        formula: Formula,
        max_order: usize,
        tolerances: Tolerances,
        problem: &mut Counted<'_>,
        task: &Task<'_>,
    ) -> Self {
        let n = task.initial.len();
        let span = task.t_end - task.t_start;
        let linearisation = Linearisation::new(problem);
        Self {
            matrix: IterationMatrix::new(problem, &linearisation),
            linearisation,
            formula,
            max_order,
            tolerances,
            max_step: tolerances.max_step.unwrap_or(span).min(span),
            y: task.initial.to_vec(),
            k: 1,
            h: 0.0,
            is_last: false,
            failed_before: false,
            error: 0.0,
            equal_steps: 0,
            differences: Differences::new(n),
            is_current: false,
            newton: Newton::new(n, (tolerances.rel, tolerances.abs)),
            derivative: vec![0.0; n],
        }
    }

    /// The smallest step that advances the time accurately enough.
    fn smallest(&self, run: &Run<'_, Counted<'_>>) -> f64 {
        (16.0 * f64::EPSILON * run.t.abs()).max(f64::MIN_POSITIVE)
    }

    /// Limits a step `h` to its bounds; a step that would leave little of the span is stretched to its end.
    fn clip(&mut self, run: &Run<'_, Counted<'_>>, h: f64) -> f64 {
        let h = h.max(self.smallest(run)).min(self.max_step);
        let rest = run.task.t_end - run.t;
        self.is_last = 1.1 * h >= rest;
        if self.is_last { rest } else { h }
    }

    /// Changes step size and order.
    fn change(&mut self, run: &Run<'_, Counted<'_>>, h: f64, k: usize) -> Result<(), Failure> {
        self.differences.change_size(k, h / self.h);
        (self.h, self.k, self.equal_steps) = (h, k, 0);
        self.factorize(run)
    }

    /// Shrinks the step after a failure; may lower the order.
    fn shrink(&mut self, run: &Run<'_, Counted<'_>>, h: f64, k: usize) -> Result<(), Failure> {
        let h = h.max(self.smallest(run));
        self.is_last &= h >= self.h;
        self.change(run, h, k)
    }

    fn factorize(&mut self, run: &Run<'_, Counted<'_>>) -> Result<(), Failure> {
        self.newton.rate = None;
        let c = self.h / self.formula.leading(self.k);
        let singular = Failure::SingularMatrix { time: run.t, matrix: "M − c ∂f/∂y of a step" };
        self.matrix.factorize(c, &self.linearisation).map_err(|_| singular)
    }

    fn t_next(&self, run: &Run<'_, Counted<'_>>) -> f64 {
        if self.is_last { run.task.t_end } else { run.t + self.h }
    }

    /// After iterations that failed: takes a new Jacobian, or else a smaller step.
    fn help_iterations(&mut self, run: &mut Run<'_, Counted<'_>>, outcome: Outcome) -> Result<(), Failure> {
        if !self.is_current {
            run.check_steps()?;
            run.check_budget(1 + self.linearisation.evaluations())?;
            let Self { linearisation, y, derivative, .. } = self;
            if linearisation.evaluations() > 0 {
                run.problem.rhs(run.t, y, derivative)?;
            }
            linearisation.take_jacobian(&mut run.problem, run.t, y, derivative)?;
            self.is_current = true;
            return self.factorize(run);
        }
        if self.h > self.smallest(run) {
            return self.shrink(run, 0.3 * self.h, self.k);
        }
        Err(match outcome {
            Outcome::NotFinite => Failure::NonFinite { time: run.t },
            _ => Failure::NewtonDiverged { time: run.t, iterations: u64::from(MAX_ITERATIONS) },
        })
    }

    /// Chooses size and order after the first failed error test of a step.
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

    /// Chooses size and order of the step after one with that error. Both are kept until there are enough equal steps,
    /// or if no order offers a larger step.
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
}

impl<'p> Stepping<Counted<'p>> for Steps {
    /// Linearises at the start and chooses the first step.
    fn begin(&mut self, run: &mut Run<'_, Counted<'p>>) -> Result<(), Failure> {
        run.check_steps()?;
        run.check_budget(1 + self.linearisation.evaluations())?;
        let Self { linearisation, y, derivative, .. } = self;
        let (problem, t) = (&mut run.problem, run.t);
        problem.rhs(t, y, derivative)?;
        linearisation.take_jacobian(problem, t, y, derivative)?;
        linearisation.take_time_derivative(problem, t, y, derivative)?;
        self.is_current = true;
        let initial = Initial::new(problem, t, &self.derivative, &self.linearisation, &mut self.matrix)?;
        let h = match self.tolerances.initial_step {
            Some(step) => step.min(self.max_step),
            None => {
                let Tolerances { rel, abs, .. } = self.tolerances;
                let curve = suite::largest(initial.second.iter().copied().zip(self.y.iter().copied()), rel, abs);
                (0.8 * (2.0 / curve).sqrt()).min(self.max_step)
            }
        };
        if !(h > 0.0 && initial.rate.iter().chain(&initial.second).all(|x| x.is_finite())) {
            return Err(Failure::NonFinite { time: t });
        }
        self.h = self.clip(run, h);
        self.differences.start(self.h, &initial.rate);
        self.factorize(run)
    }

    fn attempt(&mut self, run: &mut Run<'_, Counted<'p>>) -> Result<Option<f64>, Failure> {
        run.check_budget(u64::from(MAX_ITERATIONS))?;
        let limit = run.problem.step_limit(run.t, &self.y);
        if limit < self.h {
            self.shrink(run, limit, self.k)?;
        }
        let (t_next, h, k) = (self.t_next(run), self.h, self.k);
        let Self { matrix, formula, y, differences, .. } = self;
        match self.newton.run(&mut run.problem, matrix, (formula, k), (t_next, h), y, differences)? {
            Outcome::Converged => {}
            outcome => {
                let rejected = run.reject();
                self.help_iterations(run, outcome)?;
                return Ok(rejected);
            }
        }
        let error = self.formula.error_constant(k).abs() * self.newton.norm(self.newton.correction.iter().copied());
        if error <= 1.0 {
            self.error = error;
            self.differences.advance(k, &self.newton.correction);
            return Ok(Some(t_next));
        }
        let rejected = run.reject();
        if h <= self.smallest(run) {
            return Err(Failure::StepTooSmall { time: run.t, step: h });
        }
        let (h, k) = if self.failed_before { (0.5 * h, k) } else { self.after_failure(error) };
        self.shrink(run, h, k)?;
        self.failed_before = true;
        Ok(rejected)
    }

    /// States inside a step come from the polynomial through the last states, without an evaluation.
    #[inline(always)]
    fn observe(&mut self, _problem: &mut Counted<'p>, step: AcceptedStep<'_>) -> ControlFlow<Failure> {
        let Self { y, h, k, differences, newton, .. } = self;
        let (end, t_end) = (&newton.end, step.t_end);
        step.observe(y, end, Further::default(), |t, y| {
            differences.interpolate(*k, (t - t_end) / *h, end, y);
            Ok(())
        })
    }

    fn states(&mut self) -> [&mut Vec<f64>; 2] {
        [&mut self.y, &mut self.newton.end]
    }

    fn after_step(&mut self, run: &mut Run<'_, Counted<'p>>) -> Result<(), Failure> {
        (self.is_current, self.failed_before) = (false, false);
        let (h, k) = self.choose(self.error);
        if run.t >= run.task.t_end {
            return Ok(());
        }
        let h = self.clip(run, h);
        if h != self.h || k != self.k { self.change(run, h, k) } else { Ok(()) }
    }

    fn finish(&mut self, run: &mut Run<'_, Counted<'p>>) {
        let mut costs = self.matrix.costs;
        // With a mass matrix, the initial rates use its singular values, whose operations depend on an iteration.
        costs.linear_algebra_flops = costs.linear_algebra_flops.filter(|_| self.matrix.mass.is_none());
        run.own = run.own.with(&costs);
        run.own.newton_iterations += self.newton.iterations;
    }
}
