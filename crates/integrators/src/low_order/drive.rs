//! A run: start, steps, failures.

use std::ops::ControlFlow;
use std::sync::Arc;

use mbsbench_problem::dae::Index3;
use mbsbench_problem::grid::Grid;
use mbsbench_problem::linalg::{Saddle, Singular};
use mbsbench_problem::{
    Counted, Derivatives, Failure, Made, Method, Observer, Ode, Run, Solution, StepControl, Stepping, Structure, Task,
    Terms, Unsuitable,
};

use super::formula::{Formula, Start, Trial};
use super::newton::{self, singular};
use super::settings::{FirstGuess, NewtonSettings};
use crate::hermite::show_motion;
use crate::newton::Keeper;

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
    Unsuitable::unless_plain(problem)?;
    Index3::suits(problem.form().mechanics()?)
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
    if let Err(failure) = check(method, plan, &mut problem, task) {
        return Solution::refused(&problem, task, failure);
    }
    let mut run = Run::new(problem, task, observer);
    run.own.add_flops(0);
    if run.is_done() {
        return run.stop(None);
    }
    let (_, h) = run.constant_step();
    match start(&mut run, make, plan.shift * h) {
        Ok((formula, trial)) => {
            let (newton, watched) = (plan.newton, run.observer.watches_newton_matrices());
            let (state, end) = (task.initial.to_vec(), task.initial.to_vec());
            run.solve(Steps { formula, trial, keeper: Keeper::new(newton.jacobian), newton, watched, state, end })
        }
        Err(failure) => run.stop(Some(failure)),
    }
}

/// What makes the task impossible before the first step.
fn check(method: &dyn Method, plan: &Plan, problem: &mut Counted<'_>, task: &Task<'_>) -> Result<(), Failure> {
    task.check_for(method, problem)?;
    let (StepControl::Fixed { step }, Some(grid)) = (task.settings.control, Grid::of(task)) else {
        return Err(Failure::NotApplicable { reason: "the method takes constant steps only".to_owned() });
    };
    let span = task.t_end - task.t_start;
    if plan.multistep && span > 0.0 && !grid.is_even() {
        let reason =
            format!("a multistep method keeps its step, and the span of {span} s is no whole number of {step} s");
        return Err(Failure::NotApplicable { reason });
    }
    Ok(())
}

/// Steps of a formula.
struct Steps<F> {
    formula: F,
    trial: Trial,
    newton: NewtonSettings,
    keeper: Keeper,
    /// Whether the observer wants to see the matrices of Newton's method.
    watched: bool,
    state: Vec<f64>,
    end: Vec<f64>,
}

impl<'p, F: Formula> Stepping<Counted<'p>> for Steps<F> {
    fn attempt(&mut self, run: &mut Run<'_, Counted<'p>>) -> Result<Option<f64>, Failure> {
        let Self { formula, trial, newton, keeper, watched, end, .. } = self;
        let (t_next, h) = run.constant_step();
        let time = run.t;
        let of_mass = |Singular| singular(time, "mass matrix");
        trial.t = t_next;
        let guess = run.own.steps_accepted > 0 || newton.first_guess == FirstGuess::Consistent;
        formula.begin(h, guess, &mut run.problem.mechanics()?, trial).map_err(of_mass)?;
        newton::solve(newton, keeper, *watched, run, formula, h, trial)?;
        if !trial.q.iter().chain(&trial.v).all(|x| x.is_finite()) {
            return Err(Failure::NonFinite { time });
        }
        formula.accept(trial).map_err(of_mass)?;
        let (q, v) = end.split_at_mut(trial.q.len());
        q.copy_from_slice(&trial.q);
        v.copy_from_slice(&trial.v);
        Ok(Some(t_next))
    }

    /// Between the ends it is off by O(h⁴) and O(h³), less than the formulas are.
    #[inline(always)]
    fn show(&mut self, _problem: &mut Counted<'p>, made: Made<'_>) -> ControlFlow<Failure> {
        show_motion(made, &self.state, &self.end, self.formula.multipliers())
    }

    fn advance(&mut self) {
        std::mem::swap(&mut self.state, &mut self.end);
    }

    fn end(&mut self, run: &mut Run<'_, Counted<'p>>) {
        run.own.add_flops(self.formula.flops());
    }

    fn state(&self) -> &[f64] {
        &self.state
    }
}

/// The formula at the initial state, with algorithmic accelerations that belong to the time `shift` after it (s).
fn start<F: Formula>(
    run: &mut Run<'_, Counted<'_>>,
    make: impl FnOnce(&Start<'_>) -> Result<F, Singular>,
    shift: f64,
) -> Result<(F, Trial), Failure> {
    let time = run.t;
    let (q, v) = run.task.initial.split_at(run.task.initial.len() / 2);
    let n = q.len();
    let mut motion = Motion::new(&mut run.problem, F::TAKES_SPARSE)?;
    let x = motion.solve(run, time, (q, v))?;
    let terms = motion.terms.clone();
    let (a, lambda) = x.split_at(n);
    let mut algorithmic = a.to_vec();
    if shift != 0.0 {
        // Along the line through the accelerations at the start and as much after it as these are to belong before it,
        // so that nothing before the start is asked for; the state there is good to O(h³).
        let later = shift.abs();
        let v_later: Vec<f64> = (0..n).map(|i| v[i] + later * a[i]).collect();
        let q_later: Vec<f64> = (0..n).map(|i| q[i] + 0.5 * later * (v[i] + v_later[i])).collect();
        let next = motion.solve(run, time + later, (&q_later, &v_later))?;
        for (algorithmic, &next) in algorithmic.iter_mut().zip(&next) {
            *algorithmic += shift / later * (next - *algorithmic);
        }
    }
    let Motion { structure, derivatives, .. } = motion;
    let start = Start { q, v, a, algorithmic: &algorithmic, lambda, terms: &terms, structure: &structure };
    let formula = make(&start).map_err(|Singular| singular(time, "mass matrix"))?;
    Ok((formula, Trial { t: time, q: q.to_vec(), v: v.to_vec(), terms, derivatives }))
}

/// Accelerations and multipliers from the constraints at acceleration level.
struct Motion {
    structure: Arc<Structure>,
    /// Terms at the state that was solved for last.
    terms: Terms<f64>,
    system: Saddle,
    /// Memory.
    derivatives: Derivatives<f64>,
}

impl Motion {
    fn new(problem: &mut Counted<'_>, takes_sparse: bool) -> Result<Self, Failure> {
        let structure = problem.mechanics()?.structure();
        let sparse = takes_sparse && structure.is_sparse();
        let (terms, derivatives) = (Terms::of(&structure, sparse), Derivatives::of(&structure, sparse));
        Ok(Self { terms, derivatives, system: Saddle::new(&structure, sparse), structure })
    }

    /// `(a ; λ)` at a state at the time `t`.
    fn solve(&mut self, run: &mut Run<'_, Counted<'_>>, t: f64, (q, v): (&[f64], &[f64])) -> Result<Vec<f64>, Failure> {
        run.afford(1)?;
        let time = run.t;
        let Self { terms, system, .. } = self;
        let (n, m) = (q.len(), terms.constraints.len());
        let mut mechanics = run.problem.mechanics()?;
        mechanics.terms(t, q, v, terms);
        let mut x = vec![0.0; n + m];
        mechanics.acceleration_bias(t, q, v, &mut x[n..]);
        if !terms.are_finite() || !x.iter().all(|x| x.is_finite()) {
            return Err(Failure::NonFinite { time });
        }
        x[..n].copy_from_slice(&terms.forces);
        x[n..].iter_mut().for_each(|bias| *bias = -*bias);
        system.put([1.0, 0.0, 0.0].map(|factor| (factor, &terms.mass)), 1.0, &terms.jacobian);
        run.own.factorizations += 1;
        run.own.linear_solves += 1;
        let before = system.flops();
        system.factorize().map_err(|Singular| singular(time, "[M Jᵀ; J 0]"))?;
        system.solve_by_rows(&mut x);
        run.own.add_flops(system.flops() - before);
        Ok(x)
    }
}
