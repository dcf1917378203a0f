//! A run: start, the grid of steps, the observer, failures.

use std::ops::ControlFlow;

use mbsbench_problem::linalg::{Lu, Singular};
use mbsbench_problem::{
    Counted, CountedMechanics, Derivatives, Failure, Interpolant, Method, Observer, Ode, Solution, Statistics, Step,
    StepControl, Task, Terms, Unsuitable,
};
use nalgebra::DMatrix;

use super::blocks::{put, put_transposed};
use super::formula::{Formula, Start, Trial};
use super::newton::{Cost, Iteration, singular};
use super::settings::{FirstGuess, NewtonSettings};
use crate::grid::Grid;

/// What of a formula the run itself depends on.
pub struct Plan {
    /// Newton's method.
    pub newton: NewtonSettings,
    /// Whether a step needs others of its size before it.
    pub multistep: bool,
    /// Where the algorithmic accelerations of the start belong, in steps after it: zero where they are the accelerations.
    pub shift: f64,
}

impl Plan {
    /// Of a formula whose steps stand for themselves.
    pub fn one_step(newton: NewtonSettings) -> Self {
        Self { newton, multistep: false, shift: 0.0 }
    }

    /// Of a formula that needs equal steps.
    pub fn multistep(newton: NewtonSettings) -> Self {
        Self { multistep: true, ..Self::one_step(newton) }
    }
}

/// Whether the formulas can be used on `problem`.
///
/// # Errors
/// [`Unsuitable`], which says what it lacks.
pub fn suits(problem: &mut dyn Ode) -> Result<(), Unsuitable> {
    let unsuitable = |needs, lacks: &str| Err(Unsuitable { needs, lacks: lacks.to_owned() });
    if problem.locks() || problem.projects() || problem.switches().is_some() || problem.switched().is_some() {
        return unsuitable("plain equations of motion", "has a control, a projection or switches of its own");
    }
    let Some(mechanics) = problem.mechanics() else {
        return unsuitable("a mechanical system with its constraints", "is given as differential equations only");
    };
    if mechanics.nonholonomic() > 0 {
        let lacks = format!("has {} nonholonomic ones", mechanics.nonholonomic());
        return Err(Unsuitable { needs: "holonomic constraints", lacks });
    }
    if !mechanics.has_vector_coordinates() {
        return unsuitable("positions that are vectors, with velocities as their rates", "has others");
    }
    Ok(())
}

/// Solves `task` with the formula that `make` gives for the initial motion.
pub fn solve<F: Formula>(
    method: &dyn Method,
    plan: &Plan,
    make: impl FnOnce(&Start<'_>) -> Result<F, Singular>,
    mut problem: Counted<'_>,
    task: &Task<'_>,
    observer: &mut dyn Observer,
) -> Solution {
    let grid = match check(method, plan, &mut problem, task) {
        Ok(grid) => grid,
        Err(failure) => {
            let (state, statistics) = (task.initial.to_vec(), problem.statistics());
            return Solution { t_reached: task.t_start, state, statistics, failure: Some(failure) };
        }
    };
    observer.start(task.t_start, task.initial);
    let mut run = Run { problem, observer, task, t: task.t_start, state: task.initial.to_vec(), accepted: 0 };
    let iteration = Iteration {
        settings: plan.newton,
        max_rhs_evaluations: task.settings.max_rhs_evaluations,
        watched: run.observer.watches_newton_matrices(),
        cost: Cost::default(),
    };
    let mut iteration = iteration;
    let failure = grid.and_then(|grid| run.all(make, plan, grid, &mut iteration).err());
    let Cost { iterations, factorizations, solves, flops } = iteration.cost;
    let statistics = Statistics {
        steps_accepted: run.accepted,
        newton_iterations: iterations,
        factorizations,
        linear_solves: solves,
        linear_algebra_flops: Some(flops),
        ..run.problem.statistics()
    };
    Solution { t_reached: run.t, state: run.state, statistics, failure }
}

/// What makes the task impossible before the first step; the grid otherwise, if there are steps to be made.
fn check(
    method: &dyn Method,
    plan: &Plan,
    problem: &mut Counted<'_>,
    task: &Task<'_>,
) -> Result<Option<Grid<f64>>, Failure> {
    task.check(problem, false)?;
    problem.suits(method).map_err(|unsuitable| Failure::NotApplicable { reason: unsuitable.to_string() })?;
    let StepControl::Fixed { step } = task.settings.control else { return Ok(None) };
    if task.t_end <= task.t_start {
        return Ok(None);
    }
    let grid = Grid::new(task.settings.clock, task.t_start, task.t_end, step);
    if plan.multistep && !grid.is_even() {
        let span = task.t_end - task.t_start;
        let reason =
            format!("a multistep method keeps its step, and the span of {span} s is no whole number of {step} s");
        return Err(Failure::NotApplicable { reason });
    }
    Ok(Some(grid))
}

/// A run under way.
struct Run<'r, 'p> {
    problem: Counted<'p>,
    observer: &'r mut dyn Observer,
    task: &'r Task<'r>,
    t: f64,
    state: Vec<f64>,
    accepted: u64,
}

impl Run<'_, '_> {
    fn all<F: Formula>(
        &mut self,
        make: impl FnOnce(&Start<'_>) -> Result<F, Singular>,
        plan: &Plan,
        grid: Grid<f64>,
        iteration: &mut Iteration,
    ) -> Result<(), Failure> {
        let first_step = grid.clone().next().map_or(0.0, |(_, h)| h);
        let (mut formula, mut trial) = self.start(make, plan.shift * first_step, iteration)?;
        let made = self.steps(&mut formula, &mut trial, grid, iteration);
        iteration.cost.flops += formula.flops();
        made
    }

    /// All steps, until one fails.
    fn steps<F: Formula>(
        &mut self,
        formula: &mut F,
        trial: &mut Trial,
        grid: Grid<f64>,
        iteration: &mut Iteration,
    ) -> Result<(), Failure> {
        let watched = self.observer.watches();
        let mut end = self.state.clone();
        for (t_next, h) in grid {
            let (time, limit) = (self.t, self.task.settings.max_steps);
            if self.accepted >= limit {
                let counter = "steps_accepted + steps_rejected";
                return Err(Failure::BudgetExhausted { time, counter, limit });
            }
            trial.t = t_next;
            let guess = self.accepted > 0 || iteration.settings.first_guess == FirstGuess::Consistent;
            if let Some(mut mechanics) = self.problem.mechanics() {
                let begun = formula.begin(h, guess, &mut mechanics, trial);
                begun.map_err(|Singular| singular(time, "mass matrix"))?;
            }
            iteration.run(formula, time, h, &mut self.problem, trial, self.observer)?;
            if !trial.q.iter().chain(&trial.v).all(|x| x.is_finite()) {
                return Err(Failure::NonFinite { time });
            }
            formula.accept(trial).map_err(|Singular| singular(time, "mass matrix"))?;
            let (q, v) = end.split_at_mut(trial.q.len());
            q.copy_from_slice(&trial.q);
            v.copy_from_slice(&trial.v);
            self.accepted += 1;
            let seen = if watched {
                show(self.observer, self.accepted, (time, &self.state), (t_next, &end), formula.multipliers())
            } else {
                ControlFlow::Continue(())
            };
            self.t = t_next;
            std::mem::swap(&mut self.state, &mut end);
            if let ControlFlow::Break(failure) = seen {
                return Err(failure);
            }
        }
        Ok(())
    }

    /// The formula at the initial state, with algorithmic accelerations that belong to the time `shift` after it (s).
    fn start<F: Formula>(
        &mut self,
        make: impl FnOnce(&Start<'_>) -> Result<F, Singular>,
        shift: f64,
        iteration: &mut Iteration,
    ) -> Result<(F, Trial), Failure> {
        let time = self.t;
        let (q, v) = self.state.split_at(self.state.len() / 2);
        let n = q.len();
        let mut motion = Motion::new(&mut self.problem, time, q)?;
        let x = motion.solve(&mut self.problem, (time, time), (q, v), iteration)?;
        let terms = motion.terms.clone();
        let (a, lambda) = x.split_at(n);
        let mut algorithmic = a.to_vec();
        if shift != 0.0 {
            // Along the line through the accelerations at the start and as much after it as these are to belong before it,
            // so that nothing before the start is asked for; the state there is good to O(h³).
            let later = shift.abs();
            let v_later: Vec<f64> = (0..n).map(|i| v[i] + later * a[i]).collect();
            let q_later: Vec<f64> = (0..n).map(|i| q[i] + 0.5 * later * (v[i] + v_later[i])).collect();
            let next = motion.solve(&mut self.problem, (time, time + later), (&q_later, &v_later), iteration)?;
            for (algorithmic, &next) in algorithmic.iter_mut().zip(&next) {
                *algorithmic += shift / later * (next - *algorithmic);
            }
        }
        let derivatives = motion.derivatives;
        let start = Start { q, v, a, algorithmic: &algorithmic, lambda, terms: &terms };
        let formula = make(&start).map_err(|Singular| singular(time, "mass matrix"))?;
        Ok((formula, Trial { t: time, q: q.to_vec(), v: v.to_vec(), terms, derivatives }))
    }
}

/// Accelerations and multipliers from the constraints at acceleration level.
struct Motion {
    /// Terms at the state that was solved for last.
    terms: Terms<f64>,
    /// Memory.
    derivatives: Derivatives<f64>,
}

impl Motion {
    fn new(problem: &mut Counted<'_>, t: f64, q: &[f64]) -> Result<Self, Failure> {
        let mut mechanics = mechanics(problem)?;
        let (n, m) = (mechanics.coordinates(), mechanics.holonomic());
        let derivatives = Derivatives::new(n, m, mechanics.structure(t, q));
        Ok(Self { terms: Terms::new(n, m), derivatives })
    }

    /// `(a ; λ)` at a state at the time `t`; failures are told as of `time`.
    fn solve(
        &mut self,
        problem: &mut Counted<'_>,
        (time, t): (f64, f64),
        (q, v): (&[f64], &[f64]),
        iteration: &mut Iteration,
    ) -> Result<Vec<f64>, Failure> {
        let limit = iteration.max_rhs_evaluations;
        if problem.statistics().rhs_evaluations >= limit {
            return Err(Failure::BudgetExhausted { time, counter: "rhs_evaluations", limit });
        }
        let terms = &mut self.terms;
        let (n, m) = (q.len(), terms.constraints.len());
        let mut mechanics = mechanics(problem)?;
        mechanics.terms(t, q, v, terms);
        let mut x = vec![0.0; n + m];
        mechanics.acceleration_bias(t, q, v, &mut x[n..]);
        if !terms.are_finite() || !x.iter().all(|x| x.is_finite()) {
            return Err(Failure::NonFinite { time });
        }
        x[..n].copy_from_slice(&terms.forces);
        x[n..].iter_mut().for_each(|bias| *bias = -*bias);
        let mut matrix = DMatrix::zeros(n + m, n + m);
        put(&mut matrix, (0, 0), 1.0, &terms.mass);
        put_transposed(&mut matrix, (0, n), -1.0, &terms.jacobian);
        put(&mut matrix, (n, 0), 1.0, &terms.jacobian);
        let mut factors = Lu::new(n + m);
        iteration.cost.factorizations += 1;
        iteration.cost.solves += 1;
        factors.factorize(&matrix).map_err(|Singular| singular(time, "[M Jᵀ; J 0]"))?;
        factors.solve(&mut x);
        iteration.cost.flops += factors.factorization_flops() + factors.solve_flops();
        Ok(x)
    }
}

fn mechanics<'c>(problem: &'c mut Counted<'_>) -> Result<CountedMechanics<'c>, Failure> {
    let lost = || Failure::NotApplicable { reason: "the problem has lost its mechanical system".to_owned() };
    problem.mechanics().ok_or_else(lost)
}

/// Shows an accepted step.
#[inline(never)]
fn show(
    observer: &mut dyn Observer,
    index: u64,
    (t_start, start): (f64, &[f64]),
    (t_end, end): (f64, &[f64]),
    multipliers: &[f64],
) -> ControlFlow<Failure> {
    let mut within = Hermite { t_start, start, t_end, end };
    observer.step(&mut Step {
        index,
        t_start,
        start,
        t_end,
        end,
        before_projection: end,
        multipliers,
        switched: &[],
        event_residual: None,
        error_estimate: &[],
        within: &mut within,
    })
}

/// The state inside a step: the cubic through positions and velocities at both ends, and its derivative. Between them
/// it is off by O(h⁴) and O(h³), less than the formulas are; no evaluation is needed.
struct Hermite<'h> {
    t_start: f64,
    start: &'h [f64],
    t_end: f64,
    end: &'h [f64],
}

impl Interpolant for Hermite<'_> {
    fn state_at(&mut self, t: f64, y: &mut [f64]) -> Result<(), Failure> {
        if t == self.t_start {
            y.copy_from_slice(self.start);
            return Ok(());
        }
        if t == self.t_end {
            y.copy_from_slice(self.end);
            return Ok(());
        }
        let h = self.t_end - self.t_start;
        let s = (t - self.t_start) / h;
        let n = y.len() / 2;
        for i in 0..n {
            let (rise, v0, v1) = ((self.end[i] - self.start[i]) / h, self.start[n + i], self.end[n + i]);
            // q = q₀ + h s (v₀ + s (3 rise − 2 v₀ − v₁ + s (v₀ + v₁ − 2 rise)))
            let (square, cube) = (3.0 * rise - 2.0 * v0 - v1, v0 + v1 - 2.0 * rise);
            y[i] = self.start[i] + h * s * (v0 + s * (square + s * cube));
            y[n + i] = v0 + s * (2.0 * square + 3.0 * s * cube);
        }
        Ok(())
    }
}
