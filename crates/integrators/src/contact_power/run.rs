//! A run of Algorithm 1: trials, failures, the observer.

use std::ops::ControlFlow;

use mbsbench_problem::{Counted, Failure, Observer, Solution, Statistics, Step, StepControl, Task};

use super::objective::residual;
use super::search::{Search, Verdict};
use super::stepper::{FixedStepper, Sizes, second_order};
use super::{ContactPower, Formula, Objective, Predictor};
use crate::attempt::Within;

/// Most trials of a step without a finite result; the last of them is a billionth of the first.
const MOST_NOT_FINITE: u32 = 30;

/// Solves `task`, which has been checked and asks for steps of varying size.
pub(super) fn solve(
    method: &ContactPower,
    formula: Formula,
    sizes: Sizes,
    problem: Counted<'_>,
    task: &Task<'_>,
    observer: &mut dyn Observer,
) -> Solution {
    observer.start(task.t_start, task.initial);
    let mut run = Run::new(method, formula, sizes, problem, task, observer);
    let failure = if task.t_end > task.t_start { run.all().err() } else { None };
    let statistics = Statistics {
        steps_accepted: run.accepted,
        steps_rejected: run.tests - run.accepted,
        tests: run.tests,
        tests_per_step: run.tests_per_step,
        forced_accepts: run.forced_accepts,
        ..run.problem.statistics()
    };
    Solution { t_reached: run.t, state: run.start.y, statistics, failure }
}

/// A state, and what one evaluation there gives.
#[derive(Debug, Clone)]
struct Point {
    /// `(q ; v)`.
    y: Vec<f64>,
    accelerations: Vec<f64>,
    powers: Vec<f64>,
    /// `1/W`.
    reciprocal: f64,
    /// `R` of the step that leads here; infinite where it has no finite result.
    residual: f64,
}

impl Point {
    fn new(y: &[f64], sizes: Sizes) -> Self {
        let (accelerations, powers) = (vec![0.0; sizes.velocities], vec![0.0; sizes.bodies]);
        Self { y: y.to_vec(), accelerations, powers, reciprocal: 1.0, residual: 0.0 }
    }

    /// Evaluates accelerations, powers and objective at `(t, y)`.
    fn evaluate(&mut self, problem: &mut Counted<'_>, t: f64, objective: Objective) -> Result<(), Failure> {
        let (q, v) = self.y.split_at(self.y.len() - self.accelerations.len());
        second_order(problem)?.accelerations(t, q, v, &mut self.accelerations, &mut self.powers)?;
        self.reciprocal = objective.reciprocal(&self.powers);
        Ok(())
    }

    fn is_finite(&self) -> bool {
        self.reciprocal.is_finite() && self.y.iter().chain(&self.accelerations).all(|x| x.is_finite())
    }
}

/// A solve under way.
struct Run<'r, 'p> {
    problem: Counted<'p>,
    formula: Formula,
    /// Makes the observer's steps; none where nobody watches.
    shadow: Option<FixedStepper>,
    task: &'r Task<'r>,
    observer: &'r mut dyn Observer,
    objective: Objective,
    predictor: Predictor,
    gains: [f64; 2],
    epsilon: f64,
    eta: f64,
    /// Largest `u` that the task allows.
    largest: f64,
    t: f64,
    /// `u` of the step before.
    u: f64,
    /// `R` of the step before the last one; that of the last one is the start's.
    residual_before: f64,
    start: Point,
    /// The end of the step that is tried.
    trial: Point,
    /// The longest trial that was too short.
    lower: Point,
    displacement: Vec<f64>,
    accepted: u64,
    tests: u64,
    tests_per_step: u64,
    forced_accepts: u64,
}

impl<'r, 'p> Run<'r, 'p> {
    fn new(
        method: &ContactPower,
        formula: Formula,
        sizes: Sizes,
        problem: Counted<'p>,
        task: &'r Task<'r>,
        observer: &'r mut dyn Observer,
    ) -> Self {
        let (first, longest) = match task.settings.control {
            StepControl::Tolerance { initial_step, max_step, .. } => (initial_step, max_step),
            StepControl::Fixed { .. } => (None, None),
        };
        let start = Point::new(task.initial, sizes);
        Self {
            formula,
            shadow: observer.watches().then(|| FixedStepper::new(formula, sizes)),
            task,
            observer,
            objective: Objective { alpha: method.alpha, beta: method.beta },
            predictor: method.predictor,
            gains: method.gains(),
            epsilon: method.epsilon,
            eta: method.eta,
            largest: longest.map_or(f64::INFINITY, |step| step / method.epsilon).min(1.0 + method.eta),
            t: task.t_start,
            u: first.map_or(1.0, |step| step / method.epsilon),
            residual_before: 0.0,
            trial: start.clone(),
            lower: start.clone(),
            start,
            displacement: vec![0.0; sizes.velocities],
            accepted: 0,
            tests: 0,
            tests_per_step: 0,
            forced_accepts: 0,
            problem,
        }
    }

    /// From the start to the end.
    fn all(&mut self) -> Result<(), Failure> {
        self.spend()?;
        self.start.evaluate(&mut self.problem, self.t, self.objective)?;
        if !self.start.is_finite() {
            return Err(self.not_finite());
        }
        while self.t < self.task.t_end {
            let u = self.find()?;
            self.accept(u)?;
        }
        Ok(())
    }

    /// Trials until one meets the criterion, or none will. Leaves the step in `trial` and gives its `u`.
    fn find(&mut self) -> Result<f64, Failure> {
        let predicted = self.predictor.next(self.u, self.start.residual, self.residual_before, self.gains);
        let rest = (self.task.t_end - self.t) / self.epsilon;
        let mut search = Search::new(self.eta, predicted, self.largest.min(rest));
        let mut not_finite = 0;
        let found = loop {
            let u = search.u();
            self.try_step(u)?;
            not_finite += u32::from(self.trial.residual == f64::INFINITY);
            if not_finite == MOST_NOT_FINITE {
                return Err(self.not_finite());
            }
            match search.judge(self.trial.residual) {
                Verdict::Accepted => break u,
                Verdict::Again => {}
                Verdict::Raised => std::mem::swap(&mut self.trial, &mut self.lower),
            }
            if search.is_exhausted() {
                break self.force(&search, u)?;
            }
        };
        self.tests_per_step = self.tests_per_step.max(u64::from(search.tests()));
        Ok(found)
    }

    /// Accepts the lower end of the bracket where there is one, and the last trial otherwise.
    fn force(&mut self, search: &Search, last: f64) -> Result<f64, Failure> {
        self.forced_accepts += 1;
        if search.lower() > 0.0 {
            std::mem::swap(&mut self.trial, &mut self.lower);
            return Ok(search.lower());
        }
        if self.trial.residual == f64::INFINITY { Err(self.not_finite()) } else { Ok(last) }
    }

    /// Makes the step of `u` into `trial`, with its residual: one evaluation and one test.
    fn try_step(&mut self, u: f64) -> Result<(), Failure> {
        self.spend()?;
        self.tests += 1;
        let (t_next, h) = self.end_of(u);
        let Self { problem, formula, start, trial, displacement, .. } = self;
        formula.predict(&mut second_order(problem)?, h, &start.y, &start.accelerations, displacement, &mut trial.y);
        let evaluated = trial.evaluate(problem, t_next, self.objective);
        let velocities = trial.y.len() - trial.accelerations.len()..;
        formula.correct(h, &start.accelerations, &trial.accelerations, &mut trial.y[velocities]);
        trial.residual = match evaluated {
            Ok(()) if trial.is_finite() => residual(u, [start.reciprocal, trial.reciprocal]),
            Ok(()) | Err(Failure::NonFinite { .. }) => f64::INFINITY,
            Err(failure) => return Err(failure),
        };
        Ok(())
    }

    /// End and size of a step of `u`, s; that of the span where rounding alone lies between.
    fn end_of(&self, u: f64) -> (f64, f64) {
        let (h, t_end) = (self.epsilon * u, self.task.t_end);
        let t_next = self.t + h;
        if t_end - t_next <= 4.0 * f64::EPSILON * t_end.abs() { (t_end, t_end - self.t) } else { (t_next, h) }
    }

    /// Makes the end of the step of `u` the state, and shows it to the observer.
    fn accept(&mut self, u: f64) -> Result<(), Failure> {
        let (t_next, h) = self.end_of(u);
        if t_next <= self.t {
            return Err(Failure::StepTooSmall { time: self.t, step: h });
        }
        self.accepted += 1;
        let seen = if self.shadow.is_some() { self.show(t_next) } else { ControlFlow::Continue(()) };
        (self.t, self.u, self.residual_before) = (t_next, u, self.start.residual);
        std::mem::swap(&mut self.start, &mut self.trial);
        match seen {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(failure) => Err(failure),
        }
    }

    fn not_finite(&self) -> Failure {
        Failure::NonFinite { time: self.t }
    }

    /// Fails where another trial would exceed a budget.
    fn spend(&self) -> Result<(), Failure> {
        let settings = &self.task.settings;
        let exhausted = |counter, limit| Err(Failure::BudgetExhausted { time: self.t, counter, limit });
        if self.tests >= settings.max_steps {
            return exhausted("steps_accepted + steps_rejected", settings.max_steps);
        }
        if self.problem.statistics().rhs_evaluations >= settings.max_rhs_evaluations {
            return exhausted("rhs_evaluations", settings.max_rhs_evaluations);
        }
        Ok(())
    }

    /// Shows the observer the step in `trial`.
    #[inline(never)]
    fn show(&mut self, t_next: f64) -> ControlFlow<Failure> {
        let Some(stepper) = &mut self.shadow else { return ControlFlow::Continue(()) };
        let (start, end): (&[f64], &[f64]) = (&self.start.y, &self.trial.y);
        let problem = &mut self.problem;
        let mut within =
            Within { problem, stepper, projects: false, t_start: self.t, start, t_end: t_next, end, cut: None };
        self.observer.step(&mut Step {
            index: self.accepted,
            t_start: self.t,
            start,
            t_end: t_next,
            end,
            before_projection: end,
            multipliers: &[],
            switched: &[],
            event_residual: None,
            error_estimate: &[],
            within: &mut within,
        })
    }
}
