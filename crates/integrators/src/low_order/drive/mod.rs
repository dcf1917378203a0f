//! A run: start, steps, failures.

use std::ops::ControlFlow;

use mbsbench_problem::dae::Index3;
use mbsbench_problem::linalg::Singular;
use mbsbench_problem::{
    AcceptedStep, Counted, Failure, Method, Observer, Ode, Run, Solution, Stepping, Task, Unsuitable,
};

use super::formula::{Estimate, Formula, Start, Trial};
use super::newton::{self, singular};
use super::settings::{FirstGuess, NewtonSettings};
use super::start::start;
use crate::control::ControllerSettings;
use crate::hermite::show_motion;
use crate::newton::{Keeper, largest};
use crate::sizes::{Controlled, check_equal_steps};
use crate::stepper::finite;

/// Order of the estimated error, which is `O(h³)`.
const ERROR_ORDER: u32 = 3;

/// The PI controller of K. Gustafsson, ACM Trans. Math. Softw. 17 (1991) 533–554. A step at most doubles, because
/// formulas reuse accelerations of the previous step.
const CONTROL: ControllerSettings =
    ControllerSettings { factor_min: 0.2, factor_max: 2.0, ..ControllerSettings::unbounded(0.4 / ERROR_ORDER as f64) };

/// The properties of a formula on which the run itself depends.
pub struct Requirements {
    /// Newton's method.
    pub newton: NewtonSettings,
    /// True if a step needs previous steps of its own size.
    pub multistep: bool,
    /// The time of the algorithmic accelerations at the start, in steps after it; zero if they are the accelerations.
    pub shift: f64,
    /// True if the formula uses the joints of a tree in place of terms.
    pub by_joints: bool,
}

/// Checks that the formulas can be used on `problem`.
///
/// # Errors
/// Returns [`Unsuitable`] with the missing property.
pub fn suits(problem: &mut dyn Ode) -> Result<(), Unsuitable> {
    Unsuitable::unless_plain(problem)?;
    Index3::suits(problem.form().mechanics()?)
}

/// Solves `task` with the formula that `make` returns for the initial motion.
pub fn solve<F: Formula>(
    method: &dyn Method,
    plan: &Requirements,
    make: impl FnOnce(&Start<'_>) -> Result<F, Singular>,
    mut problem: Counted<'_>,
    task: &Task<'_>,
    observer: &mut dyn Observer,
) -> Solution {
    let checked = task.check_for(method, &mut problem);
    if let Err(failure) = checked.and_then(|()| if plan.multistep { check_equal_steps(task) } else { Ok(()) }) {
        return Solution::refused(&problem, task, failure);
    }
    let mut run = Run::new(problem, task, observer);
    run.own.add_flops(0);
    if run.is_done() {
        return run.stop(None);
    }
    let mut controlled = Controlled::new(CONTROL, Some(ERROR_ORDER), task);
    match start(&mut run, make, (plan.shift, plan.by_joints), controlled.as_mut()) {
        Ok((formula, trial)) => {
            let (newton, state, end) = (plan.newton, task.initial.to_vec(), task.initial.to_vec());
            let keeper = Keeper::new(newton.jacobian);
            run.solve(Steps { formula, trial, keeper, newton, controlled, state, end })
        }
        Err(failure) => run.stop(Some(failure)),
    }
}

/// Steps of a formula.
struct Steps<F> {
    formula: F,
    trial: Trial,
    newton: NewtonSettings,
    keeper: Keeper,
    /// None for constant steps.
    controlled: Option<Controlled>,
    state: Vec<f64>,
    end: Vec<f64>,
}

impl<F: Formula> Steps<F> {
    /// Iterates over a step of size `h` (s) that ends at `t_next`.
    fn iterate(&mut self, run: &mut Run<'_, Counted<'_>>, t_next: f64, h: f64) -> Result<(), Failure> {
        let Self { formula, trial, newton, keeper, controlled, state, .. } = self;
        if controlled.is_some() {
            formula.resize(h);
        }
        let time = run.t;
        trial.size = largest(&state[..trial.q.len()]);
        (trial.t, trial.h) = (t_next, h);
        let guess = run.own.steps_accepted > 0 || newton.first_guess == FirstGuess::Consistent;
        let begun = formula.begin(guess, &mut run.problem.mechanics()?, trial);
        begun.map_err(|Singular| singular(time, "mass matrix"))?;
        newton::solve(newton, keeper, run, formula, trial)?;
        finite(time, &trial.q)?;
        finite(time, &trial.v)
    }

    /// True if the iterated step of size `h` (s) is accurate enough; constant steps always are.
    ///
    /// # Errors
    /// Returns the failure in `made` if no smaller step is left to try.
    fn stands(&mut self, run: &mut Run<'_, Counted<'_>>, made: Result<(), Failure>, h: f64) -> Result<bool, Failure> {
        let Some(mut controlled) = self.controlled.take() else { return made.map(|()| true) };
        let error = match &made {
            Ok(()) => self.error(run, controlled.tolerances),
            Err(failure) if is_cured_by_smaller_steps(failure) => f64::INFINITY,
            Err(failure) => return Err(failure.clone()),
        };
        let stands = controlled.accepts(error, h);
        let is_hopeless = !error.is_finite() && controlled.is_hopeless();
        self.controlled = Some(controlled);
        if is_hopeless {
            return Err(made.err().unwrap_or(Failure::NonFinite { time: run.t }));
        }
        Ok(stands)
    }

    /// Keeps the iterated step, which started at `time`.
    fn accept(&mut self, time: f64) -> Result<(), Failure> {
        let Self { formula, trial, end, .. } = self;
        formula.accept(trial).map_err(|Singular| singular(time, "mass matrix"))?;
        let (q, v) = end.split_at_mut(trial.q.len());
        q.copy_from_slice(&trial.q);
        v.copy_from_slice(&trial.v);
        Ok(())
    }

    /// Estimated error of the step just iterated, in the norm of the tolerances: root mean square of
    /// `error_i / (abs + rel · max(|q₀_i|, |q₁_i|))`. NaN if there is no estimate.
    fn error(&mut self, run: &mut Run<'_, Counted<'_>>, (rel, abs): (f64, f64)) -> f64 {
        let Self { formula, trial, state, .. } = self;
        let Some(Estimate { error, solves }) = formula.error(trial) else { return f64::NAN };
        run.own.linear_solves += solves;
        let positions = state.iter().zip(&trial.q);
        let of_one = |(error, (start, end)): (&f64, (&f64, &f64))| error / (abs + rel * start.abs().max(end.abs()));
        let sum: f64 = error.iter().zip(positions).map(of_one).map(|x| x * x).sum();
        (sum / error.len() as f64).sqrt()
    }
}

/// True if smaller steps may avoid this failure.
fn is_cured_by_smaller_steps(failure: &Failure) -> bool {
    use Failure::{AccelerationsDiverged, NewtonDiverged, NonFinite, SingularMatrix};
    matches!(failure, AccelerationsDiverged { .. } | NewtonDiverged { .. } | NonFinite { .. } | SingularMatrix { .. })
}

impl<'p, F: Formula> Stepping<Counted<'p>> for Steps<F> {
    fn attempt(&mut self, run: &mut Run<'_, Counted<'p>>) -> Result<Option<f64>, Failure> {
        let (t_next, h) = Controlled::next(self.controlled.as_ref(), run, &self.state)?;
        let made = self.iterate(run, t_next, h);
        if !self.stands(run, made, h)? {
            return Ok(run.reject());
        }
        self.accept(run.t)?;
        Ok(Some(t_next))
    }

    /// The interpolation inside the step has errors O(h⁴) in positions and O(h³) in velocities, less than the formulas.
    #[inline(always)]
    fn observe(&mut self, _problem: &mut Counted<'p>, step: AcceptedStep<'_>) -> ControlFlow<Failure> {
        show_motion(step, &self.state, &self.end, self.formula.multipliers())
    }

    fn states(&mut self) -> [&mut Vec<f64>; 2] {
        [&mut self.state, &mut self.end]
    }

    fn finish(&mut self, run: &mut Run<'_, Counted<'p>>) {
        run.own.add_flops(self.formula.flops());
    }
}

#[cfg(test)]
mod tests;
