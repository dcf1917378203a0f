//! The steps of a run: stages, acceptance, reuse of matrices.

use std::ops::ControlFlow;

use mbsbench_problem::{AcceptedStep, Counted, Failure, Further, Run, Stepping, Task};

use super::control::{PATIENCE, Sizes, Sums, after_failure, choice};
use super::formula::Formula;
use super::history::History;
use super::stage::{Goal, MAX_ITERATIONS, Place, Stage};
use super::{Mebdf, Rates};
use crate::equations::{Equations, Tolerances};
use crate::newton::{Outcome, evaluated};
use crate::sizes;

/// The matrix is recomputed if `h b` has changed by more than this fraction since the last time.
const KEPT_CHANGE: f64 = 0.2;

/// Steps after which any change of size, however small, requires a new matrix.
const KEPT_STEPS: usize = 5;

/// Steps after a matrix that was recomputed because of a failure, during which the size shrinks only if it has to.
const CALM_STEPS: i32 = 20;

/// Initial value of `ρ`.
const UNKNOWN_RATIO: f64 = 0.1;

/// Number of size choices between two samples of the convergence rate.
const SAMPLED_EACH: u32 = 4;

/// Failures of the error test after which the order becomes one, and after which the step is given up.
const FAILURES_TO_RESTART: u32 = 3;
const MAX_FAILURES: u32 = 7;

/// Reasons to repeat a step.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Trouble {
    /// Iterations of one of the first two stages failed.
    Iterations(Outcome),
    /// Iterations of the third stage failed.
    Extended(Outcome),
    /// The matrix is singular.
    Singular,
    /// The stages of both formulas are too far apart.
    Apart,
    /// The error is too large.
    Error,
}

/// An early end of a step's stages.
enum Stop {
    /// The step has to be repeated.
    Trouble(Trouble),
    /// The run ends.
    Failure(Failure),
}

impl From<Trouble> for Stop {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(trouble)
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

/// The last two steps of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Ending {
    /// A whole step, whose second stage is at the end of the span.
    Whole,
    /// The first stage alone: the others would need rates beyond the end.
    FirstStage,
}

/// Steps of the formulas.
pub(super) struct Steps {
    equations: Box<dyn Equations>,
    tolerances: Tolerances,
    max_order: usize,
    takes_rates: bool,
    sizes: Sizes,
    formula: Formula,
    /// State and differences at the start of the step, and at its end.
    known: History,
    updated: History,
    /// `∇^{k+1}` at the step before the one after which size and order are chosen.
    highest: Vec<f64>,
    /// Steps until size and order may change.
    countdown: usize,
    stage: Stage,
    /// True if the rate of the first guess was evaluated at the guess and not taken from a formula.
    is_evaluated: bool,
    /// `ȳ_{n+1}`, and `M ȳ'_{n+1}`.
    first: Vec<f64>,
    first_rate: Vec<f64>,
    /// `ȳ_{n+2}`, and `M ȳ'_{n+2}`.
    second: Vec<f64>,
    second_rate: Vec<f64>,
    /// True if size or order have changed since, so that they cannot be the guess for the next step.
    has_changed: bool,
    /// `h b` for which the matrix was formed, s; zero at first.
    factorized: f64,
    is_due: bool,
    /// True if a failure occurred since the last matrix, so that the size is kept for a while after the next matrix.
    had_trouble: bool,
    steps_with_matrix: usize,
    steps_in_calm: i32,
    /// `ρ` of the first and second stage.
    ratios: [f64; 2],
    /// Number of choices since the last sample, and whether the next first stage is a sample.
    choices: u32,
    samples: bool,
    /// True if the stages were too far apart since the last choice.
    were_apart: bool,
    /// Consecutive failures of the error test.
    failures: u32,
    /// The place of the step among the two equal steps that lead to the end of the span, if it is one of them.
    ends: Option<Ending>,
    /// Order of the last first stage.
    last_order: usize,
    /// The state of the run, and its next one.
    y: Vec<f64>,
    end: Vec<f64>,
}

impl Steps {
    pub(super) fn new(
        method: &Mebdf,
        sizes::Tolerances { rel, abs, initial_step, max_step }: sizes::Tolerances,
        equations: Box<dyn Equations>,
        task: &Task<'_>,
    ) -> Self {
        let span = task.t_end - task.t_start;
        let most = max_step.unwrap_or(10.0 * span);
        let first = initial_step.unwrap_or(if rel > 0.0 { rel } else { abs }).min(most).min(span);
        let indices = equations.indices();
        let n = indices.len();
        let zeros = || vec![0.0; n];
        let mut y = task.initial.to_vec();
        y.resize(n, 0.0);
        Self {
            equations,
            tolerances: Tolerances { rel, abs, indices },
            max_order: method.max_order,
            takes_rates: method.rates == Rates::Taken,
            sizes: Sizes::new(first, most, rel.max(abs)),
            formula: Formula::new(1),
            known: History::new(n),
            updated: History::new(n),
            highest: zeros(),
            countdown: 3,
            stage: Stage::new(n),
            is_evaluated: false,
            first: zeros(),
            first_rate: zeros(),
            second: zeros(),
            second_rate: zeros(),
            has_changed: true,
            factorized: 0.0,
            is_due: true,
            had_trouble: true,
            steps_with_matrix: 0,
            steps_in_calm: -1,
            ratios: [UNKNOWN_RATIO; 2],
            choices: 0,
            samples: false,
            were_apart: false,
            failures: 0,
            ends: None,
            last_order: 1,
            end: y.clone(),
            y,
        }
    }

    fn components(&self) -> usize {
        self.y.len()
    }

    /// `h b`, s.
    fn c(&self) -> f64 {
        self.sizes.h * self.formula.own
    }

    fn place(&self, t: f64) -> Place {
        Place { t, c: self.c(), factorized: self.factorized, h: self.sizes.h }
    }

    /// Bound for the iterations, of which each stage uses a fraction.
    fn bound(&self) -> f64 {
        let k = self.formula.order;
        let scale = 0.5 * Formula::error_scale(k) / k as f64;
        0.5 * scale * scale * self.components() as f64
    }

    /// Sets the order.
    fn take_order(&mut self, k: usize) {
        if k != self.formula.order {
            self.formula = Formula::new(k);
        }
    }

    /// Prepares to repeat the step with about `ratio` times its size.
    fn rescale(&mut self, ratio: f64) {
        let k = self.formula.order;
        let ratio = self.sizes.scale(ratio);
        self.known.rescale(k, ratio);
        self.has_changed = true;
        if self.steps_with_matrix > KEPT_STEPS {
            (self.had_trouble, self.is_due) = (true, true);
        }
        self.countdown = k + 2;
    }

    /// Keeps a step and the next one, both of which it computes, within the remaining `rest` (s) of the span. If they
    /// do not fit, the rest becomes two steps of half its size, the second one by the backward differentiation formula
    /// alone.
    fn keep_within(&mut self, rest: f64) {
        if self.ends == Some(Ending::FirstStage) {
            return;
        }
        self.ends = None;
        if 2.0 * self.sizes.h > rest {
            self.shorten(0.5 * rest);
            self.ends = Some(Ending::Whole);
        }
    }

    /// Sets the smaller size `h`, s.
    fn shorten(&mut self, h: f64) {
        let (k, ratio) = (self.formula.order, self.sizes.shorten(h));
        self.known.rescale(k, ratio);
        (self.has_changed, self.countdown) = (true, k + 2);
    }

    /// Linearises at the guess of the first stage and factorizes.
    fn form_matrix(&mut self, run: &mut Run<'_, Counted<'_>>, t: f64) -> Result<(), Stop> {
        if !self.is_evaluated && self.equations.linearises_by_differences() {
            self.evaluate_guess(run, t)?;
            if !self.is_evaluated {
                return Err(Trouble::Iterations(Outcome::NotFinite).into());
            }
        }
        run.check_budget(self.equations.linearisation_cost())?;
        self.equations.linearise(&mut run.problem, t, &self.stage.y, &self.stage.rate)?;
        run.own.factorizations += 1;
        if self.had_trouble {
            self.steps_in_calm = -1;
        }
        (self.is_due, self.had_trouble, self.steps_with_matrix) = (false, false, 0);
        self.factorized = self.c();
        self.equations.factorize_real(1.0 / self.factorized).map_err(|_| Trouble::Singular.into())
    }

    /// Guesses the first stage: the second stage of the last step, or a prediction if size or order have changed since.
    fn guess(&mut self) {
        if self.has_changed {
            self.known.predict(self.formula.order, &mut self.stage.y);
        } else {
            self.stage.y.copy_from_slice(&self.second);
        }
        (self.stage.has_rate, self.is_evaluated) = (false, false);
    }

    fn evaluate_guess(&mut self, run: &mut Run<'_, Counted<'_>>, t: f64) -> Result<(), Failure> {
        self.is_evaluated = evaluated(self.stage.evaluate(run, self.equations.as_mut(), t))?;
        Ok(())
    }

    /// Solves the first stage, `ȳ_{n+1}`, with a new matrix if one is due or if the old one does not converge.
    fn take_first(&mut self, run: &mut Run<'_, Counted<'_>>, t: f64) -> Result<(), Stop> {
        self.guess();
        if self.takes_rates && !self.has_changed {
            self.stage.rate.copy_from_slice(&self.second_rate);
            self.stage.has_rate = true;
        } else {
            self.evaluate_guess(run, t)?;
        }
        let k = self.formula.order;
        self.known.combine(&self.formula.plain[..k], &mut self.stage.known);
        self.stage.further.fill(0.0);
        loop {
            let is_new = self.is_due;
            if is_new {
                self.form_matrix(run, t)?;
            }
            let bound = self.bound() / self.last_order as f64;
            let goal = if self.samples { Goal::Sampled(bound) } else { Goal::Plain(bound) };
            let place = self.place(t);
            let Self { stage, equations, tolerances, ratios: [ratio, _], .. } = self;
            match stage.solve(run, equations.as_mut(), (place, tolerances), (goal, ratio))? {
                Outcome::Converged => return Ok(()),
                outcome if is_new => return Err(Trouble::Iterations(outcome).into()),
                _ => {
                    // retry with a new matrix, from the same guess
                    run.own.convergence_failures += 1;
                    (self.is_due, self.had_trouble) = (true, true);
                    self.guess();
                    self.evaluate_guess(run, t)?;
                }
            }
        }
    }

    /// Tests the error of the first stage, `∇^{k+1} ȳ_{n+1}`.
    fn test(&mut self) -> Result<(), Trouble> {
        let k = self.formula.order;
        self.updated.follow(&self.known, &self.first, k);
        self.stage.weigh(&self.tolerances, &self.first, self.sizes.h);
        let (new, old) = (self.updated.of_order(k), self.known.of_order(k));
        let sum = self.stage.sum(new.iter().zip(old).map(|(new, old)| new - old));
        let scale = Formula::error_scale(k);
        // the opposite comparison would accept NaN
        if sum <= scale * scale * self.components() as f64 { Ok(()) } else { Err(Trouble::Error) }
    }

    /// Solves the second stage, `ȳ_{n+2}`.
    fn take_second(&mut self, run: &mut Run<'_, Counted<'_>>, t: f64) -> Result<(), Stop> {
        let k = self.formula.order;
        self.updated.combine(&self.formula.plain[..k], &mut self.stage.known);
        self.updated.predict(k, &mut self.stage.y);
        self.stage.has_rate = false;
        let goal = Goal::Plain(self.bound() / k as f64);
        let place = self.place(t);
        let Self { stage, equations, tolerances, ratios: [_, ratio], .. } = self;
        let outcome = stage.solve(run, equations.as_mut(), (place, tolerances), (goal, ratio))?;
        if outcome == Outcome::Converged { Ok(()) } else { Err(Trouble::Iterations(outcome).into()) }
    }

    /// Solves the third stage, `y_{n+1}` of the extended formula, starting from the first stage.
    fn take_third(&mut self, run: &mut Run<'_, Counted<'_>>, t: f64) -> Result<(), Stop> {
        let (k, h, bound) = (self.formula.order, self.sizes.h, self.bound());
        let place = self.place(t);
        let Self { stage, formula, known, equations, tolerances, ratios: [ratio, _], .. } = self;
        known.combine(&formula.extended[..k], &mut stage.known);
        let rates = self.first_rate.iter().zip(&self.second_rate);
        for (further, (first, second)) in stage.further.iter_mut().zip(rates) {
            *further = h * (formula.first * first + formula.second * second);
        }
        stage.y.copy_from_slice(&self.first);
        stage.has_rate = self.takes_rates;
        if self.takes_rates {
            stage.rate.copy_from_slice(&self.first_rate);
        }
        let outcome = stage.solve(run, equations.as_mut(), (place, tolerances), (Goal::Extended(bound), ratio))?;
        if outcome != Outcome::Converged {
            return Err(Trouble::Extended(outcome).into());
        }
        let apart = stage.sum(stage.y.iter().zip(&self.first).map(|(y, first)| y - first));
        if apart <= 4.0 * self.y.len() as f64 { Ok(()) } else { Err(Trouble::Apart.into()) }
    }

    /// Solves all stages of a step to `t`; in the last step, only those within the span.
    fn stages(&mut self, run: &mut Run<'_, Counted<'_>>, t: f64) -> Result<(), Stop> {
        self.take_first(run, t)?;
        let (c, k) = (self.c(), self.formula.order);
        self.last_order = k;
        self.first.copy_from_slice(&self.stage.y);
        self.stage.write_rate(self.equations.as_ref(), c, &mut self.first_rate);
        self.test()?;
        self.failures = 0;
        if self.ends == Some(Ending::FirstStage) {
            self.updated.follow(&self.known, &self.first, k + 1);
            return Ok(());
        }
        let ahead = (t + self.sizes.h).min(run.task.t_end);
        self.take_second(run, ahead)?;
        self.second.copy_from_slice(&self.stage.y);
        self.stage.write_rate(self.equations.as_ref(), c, &mut self.second_rate);
        self.take_third(run, t)?;
        self.updated.follow(&self.known, &self.stage.y, k + 1);
        Ok(())
    }

    /// Prepares to repeat a step after `trouble`.
    fn help(&mut self, run: &Run<'_, Counted<'_>>, trouble: Trouble) -> Result<(), Failure> {
        self.ends = None;
        self.sizes.growth = 2.0;
        self.were_apart |= trouble == Trouble::Apart;
        self.failures += u32::from(trouble == Trouble::Error);
        if self.sizes.is_least() {
            if !self.sizes.cut() {
                return Err(self.given_up(run, trouble));
            }
            self.rescale(0.1);
            return Ok(());
        }
        match trouble {
            Trouble::Error => {
                if self.failures >= MAX_FAILURES {
                    return Err(self.given_up(run, trouble));
                }
                if self.failures >= FAILURES_TO_RESTART {
                    self.restart();
                } else {
                    let (k, n) = (self.formula.order, self.components());
                    let (ratio, order) = after_failure(k, n, self.sums(), self.failures);
                    self.take_order(order);
                    self.rescale(ratio);
                }
            }
            Trouble::Iterations(_) => {
                let ratio = self.sizes.reconsidered(0.5);
                self.rescale(ratio);
            }
            Trouble::Extended(_) | Trouble::Singular | Trouble::Apart => self.rescale(0.5),
        }
        Ok(())
    }

    /// Restarts at order one, because differences of higher order are useless here.
    fn restart(&mut self) {
        let ratio = self.sizes.reconsidered(0.1);
        self.take_order(1);
        self.rescale(ratio);
        (self.is_due, self.had_trouble) = (true, true);
        self.countdown = PATIENCE;
    }

    fn given_up(&self, run: &Run<'_, Counted<'_>>, trouble: Trouble) -> Failure {
        let time = run.t;
        match trouble {
            Trouble::Iterations(Outcome::NotFinite) | Trouble::Extended(Outcome::NotFinite) => {
                Failure::NonFinite { time }
            }
            Trouble::Iterations(_) | Trouble::Extended(_) => {
                Failure::NewtonDiverged { time, iterations: MAX_ITERATIONS.into() }
            }
            Trouble::Singular => Failure::SingularMatrix { time, matrix: "M/(h b) − ∂f/∂y of a step" },
            Trouble::Apart | Trouble::Error => Failure::StepTooSmall { time, step: self.sizes.h },
        }
    }

    /// Sums of squares of the differences at the end of the step, divided by the weights of its last stage.
    fn sums(&self) -> Sums {
        let k = self.formula.order;
        let sum = |j: usize| self.stage.sum(self.updated.of_order(j).iter().copied());
        let (new, old) = (self.updated.of_order(k), self.known.of_order(k));
        Sums {
            two_lower: sum(k - 1),
            lower: sum(k),
            same: self.stage.sum(new.iter().zip(old).map(|(new, old)| new - old)),
            higher: None,
        }
    }

    /// Chooses size and order after an accepted step.
    fn choose(&mut self) {
        let (k, n) = (self.formula.order, self.components());
        self.samples = false;
        self.choices += 1;
        if self.choices == SAMPLED_EACH {
            (self.samples, self.choices) = (true, 0);
        }
        self.stage.weigh(&self.tolerances, self.updated.of_order(0), self.sizes.h);
        let change = self.updated.of_order(k + 1).iter().zip(&self.highest).map(|(new, old)| new - old);
        let higher = (k < self.max_order).then(|| self.stage.sum(change));
        let same = self.stage.sum(self.updated.of_order(k + 1).iter().copied());
        let choice = choice(k, n, Sums { same, higher, ..self.sums() }, std::mem::take(&mut self.were_apart));
        let is_small = choice.ratio > 1.0 && choice.ratio < 1.1;
        let ratio = choice.ratio.min(self.sizes.growth);
        let ratio = if is_small { ratio } else { self.sizes.reconsidered(ratio) };
        if is_small || self.steps_in_calm <= CALM_STEPS && ratio < 1.1 {
            self.countdown = PATIENCE;
            return;
        }
        let has_index_three = self.tolerances.indices.contains(&3);
        let order = if has_index_three && k <= 2 && choice.may_rise { k + 1 } else { choice.order };
        self.take_order(order);
        let ratio = self.sizes.scale(ratio);
        self.updated.rescale(order, ratio);
        self.has_changed = true;
        self.is_due |= self.steps_with_matrix > KEPT_STEPS;
        self.countdown = order + 2;
    }
}

impl<'p> Stepping<Counted<'p>> for Steps {
    fn begin(&mut self, run: &mut Run<'_, Counted<'p>>) -> Result<(), Failure> {
        run.check_budget(2)?;
        let Self { equations, y, stage, .. } = self;
        equations.start(&mut run.problem, run.t, y)?;
        stage.y.copy_from_slice(y);
        stage.evaluate(run, equations.as_mut(), run.t)?;
        equations.write_start_rates(&stage.rate, &mut self.first_rate);
        let h = self.sizes.h;
        self.known.start(y, self.first_rate.iter().map(|rate| h * rate));
        Ok(())
    }

    fn attempt(&mut self, run: &mut Run<'_, Counted<'p>>) -> Result<Option<f64>, Failure> {
        let limit = run.problem.step_limit(run.t, &self.y[..run.task.initial.len()]);
        if limit < self.sizes.h {
            self.ends = None;
            self.shorten(limit);
        }
        self.keep_within(run.task.t_end - run.t);
        let h = self.sizes.h;
        if run.t + h == run.t {
            return Err(Failure::StepTooSmall { time: run.t, step: h });
        }
        let t = if self.ends == Some(Ending::FirstStage) { run.task.t_end } else { run.t + h };
        self.is_due |= (self.c() / self.factorized - 1.0).abs() > KEPT_CHANGE || self.factorized == 0.0;
        let trouble = match self.stages(run, t) {
            Ok(()) => {
                self.end.copy_from_slice(self.updated.of_order(0));
                return Ok(Some(t));
            }
            Err(Stop::Failure(failure)) => return Err(failure),
            Err(Stop::Trouble(trouble)) => trouble,
        };
        if matches!(trouble, Trouble::Iterations(_) | Trouble::Extended(_)) {
            run.own.convergence_failures += 1;
        }
        let rejected = run.reject();
        self.help(run, trouble)?;
        Ok(rejected)
    }

    #[inline(always)]
    fn observe(&mut self, _problem: &mut Counted<'p>, step: AcceptedStep<'_>) -> ControlFlow<Failure> {
        let Self { equations, y, end, updated: history, formula, sizes: Sizes { h, .. }, .. } = self;
        let state = equations.state();
        let multipliers = &end[end.len() - equations.multipliers()..];
        let t_made = step.t_end;
        step.observe(&y[..state], &end[..state], Further { multipliers, ..Further::default() }, |t, y| {
            history.interpolate(formula.order + 1, (t - t_made) / *h, y);
            Ok(())
        })
    }

    fn states(&mut self) -> [&mut Vec<f64>; 2] {
        [&mut self.y, &mut self.end]
    }

    fn after_step(&mut self, run: &mut Run<'_, Counted<'p>>) -> Result<(), Failure> {
        let k = self.formula.order;
        if self.countdown == 2 && k < self.max_order {
            self.highest.copy_from_slice(self.updated.of_order(k + 1));
        }
        self.countdown -= 1;
        self.has_changed = false;
        if self.ends == Some(Ending::Whole) {
            self.ends = Some(Ending::FirstStage);
        } else if self.countdown == 0 && run.t < run.task.t_end {
            self.choose();
        }
        self.known.take(&self.updated, self.formula.order);
        self.steps_with_matrix += 1;
        self.steps_in_calm = self.steps_in_calm.saturating_add(1);
        self.had_trouble = false;
        Ok(())
    }
}
