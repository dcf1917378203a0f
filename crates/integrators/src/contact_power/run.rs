//! A run of Algorithm 1: trials, failures, the observer.

use std::ops::ControlFlow;

use mbsbench_problem::{AcceptedStep, Counted, Failure, Further, Run, StepControl, Stepping, Task};

use super::objective::residual;
use super::search::{Search, Verdict};
use super::stepper::{FixedStepper, Sizes};
use super::{ContactPower, Formula, Objective};
use crate::attempt::state_within;

/// The largest number of trials of a step without a finite result; the last of them is a billionth of the first.
const MOST_NOT_FINITE: u32 = 30;

/// A state, and the results of one evaluation at it.
#[derive(Debug, Clone)]
struct Point {
    /// `(q ; v)`.
    y: Vec<f64>,
    accelerations: Vec<f64>,
    powers: Vec<f64>,
    /// `1/W`.
    reciprocal: f64,
    /// `R` of the step that ends here; infinite if the step has no finite result.
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
        problem.contact_power()?.accelerations(t, q, v, &mut self.accelerations, &mut self.powers);
        self.reciprocal = objective.reciprocal(&self.powers);
        Ok(())
    }

    fn is_finite(&self) -> bool {
        self.reciprocal.is_finite() && self.y.iter().chain(&self.accelerations).all(|x| x.is_finite())
    }
}

/// The steps of Algorithm 1.
pub(super) struct Steps {
    method: ContactPower,
    formula: Formula,
    /// The stepper for the observer.
    shadow: FixedStepper,
    objective: Objective,
    /// Largest `u` that the task allows.
    largest: f64,
    /// `u` of the previous step.
    u: f64,
    /// `R` of the last step but one; the last one has its `R` in `start`.
    residual_before: f64,
    start: Point,
    /// The end of the present trial.
    trial: Point,
    /// The longest trial that was too short.
    lower: Point,
    displacement: Vec<f64>,
    /// The search for the size of the present step.
    search: Search,
    /// Number of trials of the present step without a finite result.
    not_finite: u32,
}

impl Steps {
    pub(super) fn new(method: ContactPower, sizes: Sizes, task: &Task<'_>) -> Self {
        let (first, longest) = match task.settings.control {
            StepControl::Tolerance { initial_step, max_step, .. } => (initial_step, max_step),
            StepControl::Fixed { .. } => (None, None),
        };
        let (formula, start) = (method.formula(), Point::new(task.initial, sizes));
        Self {
            formula,
            shadow: FixedStepper::new(formula, sizes),
            objective: Objective { alpha: method.alpha, beta: method.beta },
            largest: longest.map_or(f64::INFINITY, |step| step / method.epsilon).min(1.0 + method.eta),
            u: first.map_or(1.0, |step| step / method.epsilon),
            residual_before: 0.0,
            trial: start.clone(),
            lower: start.clone(),
            start,
            displacement: vec![0.0; sizes.velocities],
            search: Search::new(method.eta, 1.0, 1.0),
            not_finite: 0,
            method,
        }
    }

    /// Begins the search for the size of the step from the present state.
    fn begin_search(&mut self, run: &Run<'_, Counted<'_>>) {
        let ContactPower { predictor, epsilon, eta, .. } = self.method;
        let predicted = predictor.next(self.u, self.start.residual, self.residual_before, self.method.gains());
        let rest = (run.task.t_end - run.t) / epsilon;
        self.search = Search::new(eta, predicted, self.largest.min(rest));
        self.not_finite = 0;
    }

    /// Computes the step of `u` into `trial`, with its residual: one evaluation and one test. It counts as rejected
    /// until it is accepted.
    fn try_step(&mut self, run: &mut Run<'_, Counted<'_>>, u: f64) -> Result<(), Failure> {
        run.check_budget(1)?;
        run.own.tests += 1;
        run.reject();
        let (t_next, h) = self.end_of(run, u);
        let Self { formula, start, trial, displacement, .. } = self;
        let problem = &mut run.problem;
        formula.predict(&mut problem.contact_power()?, h, &start.y, &start.accelerations, displacement, &mut trial.y);
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

    /// Returns end and size (s) of a step of `u`. The step ends with the span if only rounding lies between the two
    /// ends.
    fn end_of(&self, run: &Run<'_, Counted<'_>>, u: f64) -> (f64, f64) {
        let (h, t_end) = (self.method.epsilon * u, run.task.t_end);
        let t_next = run.t + h;
        if t_end - t_next <= 4.0 * f64::EPSILON * t_end.abs() { (t_end, t_end - run.t) } else { (t_next, h) }
    }

    /// Returns the lower end of the bracket if there is one, otherwise the last trial.
    fn force(&mut self, run: &mut Run<'_, Counted<'_>>, last: f64) -> Result<f64, Failure> {
        run.own.forced_accepts += 1;
        if self.search.lower > 0.0 {
            std::mem::swap(&mut self.trial, &mut self.lower);
            return Ok(self.search.lower);
        }
        if self.trial.residual == f64::INFINITY { Err(not_finite(run)) } else { Ok(last) }
    }

    /// Accepts the step of `u`, which is in `trial`, and ends the search.
    fn accept(&mut self, run: &mut Run<'_, Counted<'_>>, u: f64) -> Result<Option<f64>, Failure> {
        run.own.tests_per_step = run.own.tests_per_step.max(u64::from(self.search.tests));
        let (t_next, h) = self.end_of(run, u);
        if t_next <= run.t {
            return Err(Failure::StepTooSmall { time: run.t, step: h });
        }
        run.own.steps_rejected -= 1;
        self.u = u;
        Ok(Some(t_next))
    }
}

impl<'p> Stepping<Counted<'p>> for Steps {
    fn begin(&mut self, run: &mut Run<'_, Counted<'p>>) -> Result<(), Failure> {
        run.check_steps()?;
        run.check_budget(1)?;
        self.start.evaluate(&mut run.problem, run.t, self.objective)?;
        self.begin_search(run);
        if self.start.is_finite() { Ok(()) } else { Err(not_finite(run)) }
    }

    fn attempt(&mut self, run: &mut Run<'_, Counted<'p>>) -> Result<Option<f64>, Failure> {
        let u = self.search.u;
        self.try_step(run, u)?;
        self.not_finite += u32::from(self.trial.residual == f64::INFINITY);
        if self.not_finite == MOST_NOT_FINITE {
            return Err(not_finite(run));
        }
        match self.search.judge(self.trial.residual) {
            Verdict::Accepted => return self.accept(run, u),
            Verdict::Again => {}
            Verdict::Raised => std::mem::swap(&mut self.trial, &mut self.lower),
        }
        if self.search.is_exhausted() {
            let u = self.force(run, u)?;
            return self.accept(run, u);
        }
        Ok(None)
    }

    #[inline(always)]
    fn observe(&mut self, problem: &mut Counted<'p>, step: AcceptedStep<'_>) -> ControlFlow<Failure> {
        let Self { shadow, start: Point { y: start, .. }, trial, .. } = self;
        let span = (step.t_start, step.t_end);
        step.observe(start, &trial.y, Further::default(), |t, y| {
            state_within(problem, shadow, false, span, start, t, y)
        })
    }

    fn states(&mut self) -> [&mut Vec<f64>; 2] {
        [&mut self.start.y, &mut self.trial.y]
    }

    fn advance(&mut self) {
        self.residual_before = self.start.residual;
        std::mem::swap(&mut self.start, &mut self.trial);
    }

    fn after_step(&mut self, run: &mut Run<'_, Counted<'p>>) -> Result<(), Failure> {
        self.begin_search(run);
        Ok(())
    }
}

fn not_finite(run: &Run<'_, Counted<'_>>) -> Failure {
    Failure::NonFinite { time: run.t }
}
