//! A time integration method as the harness sees it.

use std::borrow::Cow;

use nalgebra::{Complex, DMatrix};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::parameters::is_default;
use crate::{Counted, Events, Failure, Form, Matrices, Mechanics, Observer, Ode, Properties, Scalar, Statistics, legs};

/// How step sizes are chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StepControl {
    /// Constant step, in seconds.
    Fixed {
        /// Step size, s.
        step: f64,
    },
    /// The local error is kept below `abs + rel · |y|` per component, in the method's own norm.
    Tolerance {
        /// Relative tolerance.
        rel: f64,
        /// Absolute tolerance, in the units of each component.
        abs: f64,
        /// First step, s; by default the method's own estimate.
        initial_step: Option<f64>,
        /// Largest step allowed, s.
        max_step: Option<f64>,
    },
}

/// How a constant-step run counts its steps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Clock {
    /// `N` is the whole number nearest to `span / step`, `t_k = t_0 + k·step`, and the end is hit exactly (the last
    /// step is shorter if the span is not a whole number of steps).
    #[default]
    Exact,
    /// `t = t_0; while t < t_end { step; t += step }` in floating point, as in a program without a step counter. If
    /// the sum of the steps falls just short of the end, one more whole step is made.
    Accumulating,
}

/// Settings of a run. Limits are on counts and never on seconds, so that a result does not depend on the machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// How step sizes are chosen.
    pub control: StepControl,
    /// How constant steps are counted.
    pub clock: Clock,
    /// Largest number of steps, accepted and rejected together.
    pub max_steps: u64,
    /// Largest number of evaluations of the right-hand side.
    pub max_rhs_evaluations: u64,
    /// Kind of memory for the matrices of mechanisms.
    pub matrices: Matrices,
    /// Treatment of a problem that jumps at its events, for a method that does not locate events.
    pub events: Events,
}

impl Settings {
    /// Settings with constant step `step` (s), the exact clock and generous budgets.
    pub fn fixed(step: f64) -> Self {
        Self::new(StepControl::Fixed { step })
    }

    /// Settings with tolerances `rel` and `abs`, the method's own first step and generous budgets.
    pub fn tolerance(rel: f64, abs: f64) -> Self {
        Self::new(StepControl::Tolerance { rel, abs, initial_step: None, max_step: None })
    }

    fn new(control: StepControl) -> Self {
        Self {
            control,
            clock: Clock::Exact,
            max_steps: 100_000_000,
            max_rhs_evaluations: u64::MAX,
            matrices: Matrices::default(),
            events: Events::default(),
        }
    }

    /// Fails if another step, accepted or not, would exceed the budget after `attempted` steps.
    ///
    /// # Errors
    /// Returns [`Failure::BudgetExhausted`] with `time`, s.
    #[inline]
    pub fn check_steps(&self, time: f64, attempted: u64) -> Result<(), Failure> {
        if attempted < self.max_steps {
            return Ok(());
        }
        Err(Failure::BudgetExhausted { time, counter: "steps_accepted + steps_rejected", limit: self.max_steps })
    }

    /// Fails if `further` evaluations of the right-hand side would exceed the budget after `made` evaluations.
    ///
    /// # Errors
    /// Returns [`Failure::BudgetExhausted`] with `time`, s.
    #[inline]
    pub fn check_evaluations(&self, time: f64, made: u64, further: u64) -> Result<(), Failure> {
        if made.saturating_add(further) <= self.max_rhs_evaluations {
            return Ok(());
        }
        Err(Failure::BudgetExhausted { time, counter: "rhs_evaluations", limit: self.max_rhs_evaluations })
    }
}

/// The problem to solve: initial state, span and settings.
#[derive(Debug, Clone)]
pub struct Task<'t, S: Scalar = f64> {
    /// Initial time, s.
    pub t_start: S,
    /// Final time, s. If it is before `t_start`, the problem is solved backwards.
    pub t_end: S,
    /// Initial state.
    pub initial: &'t [S],
    /// Step control and budgets.
    pub settings: Settings,
}

impl<S: Scalar> Task<'_, S> {
    /// Checks that a method can begin the task, given if it can estimate its error and if it locates events. From
    /// then on, the problem stores its matrices as the settings require.
    ///
    /// # Errors
    /// Returns [`Failure::NotApplicable`] with the reason, or [`Failure::StepTooSmall`] if a constant step does not
    /// advance the time.
    pub fn check(&self, problem: &mut Counted<'_, S>, has_estimate: bool, locates_events: bool) -> Result<(), Failure> {
        let not_applicable = |reason: String| Err(Failure::NotApplicable { reason });
        let matrices = self.settings.matrices;
        if !is_default(&matrices) && !problem.keep_matrices(matrices) {
            let reason = "the matrices of this problem can be stored in one way only; use `matrices: automatic`";
            return not_applicable(reason.to_owned());
        }
        let (given, wanted) = (self.initial.len(), problem.dimension());
        if given != wanted {
            return not_applicable(format!("the initial state has {given} components, but the problem has {wanted}"));
        }
        if !locates_events && self.settings.events == Events::Located {
            problem.without_jumps()?;
        }
        let (start, end) = (self.t_start, self.t_end);
        if !(start.is_finite() && end.is_finite() && end >= start) {
            let (start, end) = (start.value(), end.value());
            return not_applicable(format!("the span from {start} to {end} is not finite or does not run forward"));
        }
        let positive = |x: f64| x.is_finite() && x > 0.0;
        match self.settings.control {
            StepControl::Fixed { step } if !positive(step) => {
                not_applicable(format!("the step {step} is not a positive, finite number"))
            }
            StepControl::Fixed { step } if self.is_lost(step) => {
                Err(Failure::StepTooSmall { time: start.value(), step })
            }
            StepControl::Fixed { .. } => Ok(()),
            StepControl::Tolerance { .. } if !has_estimate => {
                not_applicable("the method has no error estimate; use a constant step".to_owned())
            }
            StepControl::Tolerance { rel, abs, initial_step, max_step } => {
                let tolerances_hold = rel >= 0.0 && abs >= 0.0 && rel.is_finite() && abs.is_finite() && rel + abs > 0.0;
                if !tolerances_hold {
                    return not_applicable(format!(
                        "the tolerances {rel} (relative) and {abs} (absolute) are invalid; accepted: finite numbers, \
                         zero or above, not both zero"
                    ));
                }
                for step in [initial_step, max_step].into_iter().flatten() {
                    if !positive(step) {
                        return not_applicable(format!("the step {step} is not a positive, finite number"));
                    }
                }
                Ok(())
            }
        }
    }

    /// True if a constant step is smaller than the spacing of the clock's numbers in the span.
    fn is_lost(&self, step: f64) -> bool {
        let (start, end) = (self.t_start.value(), self.t_end.value());
        let far = start.abs().max(end.abs());
        let ulp = far.next_up() - far;
        // an exact clock has the resolution of its scalar
        let is_double = self.settings.clock == Clock::Accumulating || S::from(far) + 0.25 * ulp == S::from(far);
        end > start && step < ulp && is_double
    }

    /// Checks that `method` can begin the task on `problem`.
    ///
    /// # Errors
    /// Returns [`Failure::NotApplicable`] with the reason, or [`Failure::StepTooSmall`] if a constant step does not
    /// advance the time.
    pub fn check_for(&self, method: &dyn Method<S>, problem: &mut Counted<'_, S>) -> Result<(), Failure> {
        let MethodProperties { adapts, locates_events, .. } = method.properties();
        self.check(problem, adapts, locates_events)?;
        Ok(problem.suits(method)?)
    }

    /// Solves the task: [checks the start](Ode::check_start), lets the method step, and reports the
    /// [cause](Ode::cause) of a failure.
    pub fn solve(&self, method: &dyn Method<S>, ode: &mut dyn Ode<S>, observer: &mut dyn Observer<S>) -> Solution<S> {
        self.solve_with_breaks(&[], method, ode, observer)
    }

    /// Like [`solve`](Self::solve), but the method also stops and starts again at `breaks`, s, besides those of the
    /// [problem](Ode::breaks). If the span runs backwards, the observer sees decreasing times.
    pub fn solve_with_breaks(
        &self,
        breaks: &[f64],
        method: &dyn Method<S>,
        ode: &mut dyn Ode<S>,
        observer: &mut dyn Observer<S>,
    ) -> Solution<S> {
        let has_right_length = self.initial.len() == ode.dimension();
        let checked = if has_right_length { ode.check_start(self.t_start, self.initial) } else { Ok(()) };
        if let Err(failure) = checked {
            return Solution::refused(&Counted::new(ode), self, failure);
        }
        let breaks = [breaks, &ode.breaks()].concat();
        let solution = legs::solve(self, &breaks, method, ode, observer)
            .unwrap_or_else(|failure| Solution::refused(&Counted::new(ode), self, failure));
        Solution { failure: ode.cause(solution.failure), ..solution }
    }
}

/// The result of a solve.
#[derive(Debug, Clone)]
pub struct Solution<S: Scalar = f64> {
    /// Time of the last accepted state, s.
    pub t_reached: S,
    /// The last accepted state.
    pub state: Vec<S>,
    /// Counters of the solve.
    pub statistics: Statistics,
    /// The failure that stopped it early, if any.
    pub failure: Option<Failure>,
}

impl<S: Scalar> Solution<S> {
    /// The solution of a task that ends before its first step.
    pub fn refused(problem: &Counted<'_, S>, task: &Task<'_, S>, failure: Failure) -> Self {
        let (state, statistics) = (task.initial.to_vec(), problem.statistics());
        Self { t_reached: task.t_start, state, statistics, failure: Some(failure) }
    }
}

/// An error: a method cannot be used on a problem.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the method needs {needs}, but the problem {lacks}")]
pub struct Unsuitable {
    /// The method's requirement, for a reader: "vector coordinates".
    pub needs: &'static str,
    /// The corresponding property of the problem: "has 2 nonholonomic constraints".
    pub lacks: Cow<'static, str>,
}

impl From<Unsuitable> for Failure {
    fn from(unsuitable: Unsuitable) -> Self {
        Self::NotApplicable { reason: unsuitable.to_string() }
    }
}

impl Unsuitable {
    /// An error with the given fields.
    pub fn new(needs: &'static str, lacks: impl Into<Cow<'static, str>>) -> Self {
        Self { needs, lacks: lacks.into() }
    }

    /// Fails with [`new`](Self::new) if the condition holds.
    ///
    /// # Errors
    /// Returns an error with the given fields.
    pub fn when(holds: bool, needs: &'static str, lacks: impl Into<Cow<'static, str>>) -> Result<(), Self> {
        if holds { Err(Self::new(needs, lacks)) } else { Ok(()) }
    }

    /// Fails if the problem is more than equations of motion.
    ///
    /// # Errors
    /// Returns [`Unsuitable`], for methods that solve nothing else.
    pub fn unless_plain<S: Scalar>(problem: &mut dyn Ode<S>) -> Result<(), Self> {
        let Properties { locks, projects, .. } = problem.properties();
        let is_more = locks || projects || matches!(problem.form(), Form::Events(_));
        Self::when(is_more, "plain equations of motion", "has a control, a projection or events of its own")
    }

    /// Fails if the problem changes from one step to the next. `needs` names the method's requirement.
    ///
    /// # Errors
    /// Returns [`Unsuitable`], for methods that do not look for such changes.
    pub fn unless_lasting<S: Scalar>(problem: &mut dyn Ode<S>, needs: &'static str) -> Result<(), Self> {
        let Properties { locks, projects, .. } = problem.properties();
        let changes = locks || projects || problem.form().functions_to_locate() > 0;
        Self::when(changes, needs, "changes states or equations from one step to the next")
    }

    /// Fails if the problem [jumps](Form::jumps) at its events.
    ///
    /// # Errors
    /// Returns [`Unsuitable`], for methods that do not locate events.
    pub fn unless_smooth<S: Scalar>(problem: &mut dyn Ode<S>) -> Result<(), Self> {
        let lacks = "jumps at its events, which only a method that locates events can follow";
        Self::when(problem.form().jumps(), "a solution without jumps", lacks)
    }

    /// Fails if the problem has a [mass matrix](Properties::mass).
    ///
    /// # Errors
    /// Returns [`Unsuitable`], for methods that solve `y' = f(t, y)`.
    pub fn with_mass<S: Scalar>(problem: &dyn Ode<S>) -> Result<(), Self> {
        Self::when(problem.properties().mass.is_some(), "equations y' = f(t, y)", "has a mass matrix before y'")
    }

    /// Fails if the mechanics have constraints on velocities that do not follow from constraints on positions.
    ///
    /// # Errors
    /// Returns [`Unsuitable`], for methods that solve for positions.
    pub fn with_nonholonomic<S: Scalar>(mechanics: &dyn Mechanics<S>) -> Result<(), Self> {
        match mechanics.dimensions().nonholonomic {
            0 => Ok(()),
            count => Err(Self::new("holonomic constraints", format!("has {count} nonholonomic ones"))),
        }
    }

    /// Fails if components of the problem have an [index](Properties::indices) above one.
    ///
    /// # Errors
    /// Returns [`Unsuitable`], for methods that start from the rates of all components, or whose errors would have
    /// another order.
    pub fn above_index_one<S: Scalar>(problem: &dyn Ode<S>) -> Result<(), Self> {
        match problem.properties().indices.and_then(|indices| indices.iter().max()) {
            Some(&most) if most > 1 => {
                Err(Self::new("equations of index at most 1", format!("has components of index {most}")))
            }
            _ => Ok(()),
        }
    }

    /// Fails if the problem has no right-hand side.
    ///
    /// # Errors
    /// Returns [`Unsuitable`], for methods that evaluate it.
    pub fn without_rhs<S: Scalar>(problem: &dyn Ode<S>) -> Result<(), Self> {
        let lacks = "is given in implicit form r(t, y, y', λ) = 0 only";
        Self::when(!problem.properties().has_rhs, "a right-hand side y' = f(t, y)", lacks)
    }
}

/// The capabilities of a [`Method`], and its memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MethodProperties {
    /// True if the method can work to a tolerance. All methods can use a constant step, except those that choose
    /// their order together with it; a solve with such a method and a constant step ends before the first step with
    /// [`Failure::NotApplicable`].
    pub adapts: bool,
    /// True if tolerances have no effect: the method [adapts](Self::adapts) its steps by parameters of its own.
    pub ignores_tolerance: bool,
    /// True if the method is compared with others at constant steps although it can work to a tolerance, because it
    /// is published with constant steps. Methods that cannot work to a tolerance always are.
    pub is_for_constant_steps: bool,
    /// True if the method locates the events of problems whose configuration
    /// [follows](crate::EventFunctions::follows_signs) signs, and applies their [jumps](crate::EventFunctions::jump).
    /// Problems that [jump](Form::jumps) refuse other methods.
    pub locates_events: bool,
    /// True if the method counts the operations of its linear algebra
    /// ([`Statistics::linear_algebra_flops`](crate::Statistics::linear_algebra_flops)).
    pub counts_flops: bool,
    /// Number of full matrices, as wide as the state is long, that the method stores at a time, including its
    /// problem's Jacobian and factors. Memory grows with this number. Zero for a method that stores only vectors.
    pub full_matrices: u32,
    /// True if these matrices store all entries even for a sparse
    /// [mechanism](crate::mechanics::Structure::is_sparse).
    pub keeps_all_entries: bool,
}

/// A time integration method for ordinary differential equations.
///
/// A method is immutable: all data of a solve belong to that solve, and two solves of the same task give bitwise the
/// same result.
pub trait Method<S: Scalar = f64>: Send + Sync {
    /// Order of convergence of the state, for smooth problems.
    fn order(&self) -> u32;

    /// Number of implicit stages, for `step_per_stage` (1 for explicit and multistep methods).
    fn implicit_stages(&self) -> u32 {
        1
    }

    /// The capabilities of the method; by default, constant steps only.
    fn properties(&self) -> MethodProperties {
        MethodProperties::default()
    }

    /// Options of the solution of each step's equations, apart from the formula: frames, linear algebra, Newton's
    /// iteration, each with its value, including defaults, so that a comparison can show where methods differ. Names
    /// have the same meaning for all methods: `charts`, `linear-algebra`, `newton-matrix` (when it is formed),
    /// `newton-stop` (when the iteration ends) and `max-iterations`. A method may add options of its own under their
    /// names in experiment files. Empty for a method without such options.
    fn solver_options(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Checks that the method can be used on a problem of this kind; by default, any `y' = f(t, y)`. A solve of an
    /// unsuitable problem ends before its first step with [`Failure::NotApplicable`].
    ///
    /// # Errors
    /// Returns [`Unsuitable`], which names the method's requirement and what the problem lacks.
    fn suits(&self, problem: &mut dyn Ode<S>) -> Result<(), Unsuitable> {
        Unsuitable::with_mass(problem)?;
        Unsuitable::without_rhs(problem)
    }

    /// The matrix that maps the data at the start of a step to the data at its end for the undamped oscillator
    /// `x″ + ω² x = 0`, written as `x′ = iωx` or as the second-order equation itself; `omega_h` is `ωh` with the
    /// whole step `h`, positive.
    ///
    /// The data are the state and, for some methods, past states, scaled derivatives or auxiliary variables, in an
    /// order of the method's own. The eigenvalues are the characteristic roots of the method and do not depend on
    /// that order. None for methods that are not linear on linear problems, or whose matrix is not implemented.
    fn amplification(&self, _omega_h: f64) -> Option<DMatrix<Complex<f64>>> {
        None
    }

    /// The largest magnitude of a characteristic root for the damped oscillator `x″ + 2 ζ ω x′ + ω² x = 0`, with
    /// non-negative `ωh` and ζ. Every point of the left half plane is `λh = ωh (−ζ ± √(ζ² − 1))` for some of these.
    /// None if it is not implemented.
    fn damped_radius(&self, _omega_h: f64, _damping_ratio: f64) -> Option<f64> {
        None
    }

    /// Coefficients and their proved properties, for readers of `mbsbench list`: one line each, indented if it
    /// belongs to the line above. Empty if there is nothing to list.
    fn details(&self) -> Vec<String> {
        Vec::new()
    }

    /// Solves `task` and shows every accepted step to `observer`. Never panics on a diverging run; the error is in
    /// [`Solution::failure`].
    fn solve(&self, problem: Counted<'_, S>, task: &Task<'_, S>, observer: &mut dyn Observer<S>) -> Solution<S>;
}

impl<S: Scalar> dyn Method<S> + '_ {
    /// Checks that a solve of the problem with these settings of events reaches its first step: the method
    /// [suits](Method::suits) the problem and, unless events are ignored, applies its [jumps](Form::jumps).
    ///
    /// # Errors
    /// Returns [`Unsuitable`], which names the method's requirement and what the problem lacks.
    pub fn applies_to(&self, problem: &mut dyn Ode<S>, events: Events) -> Result<(), Unsuitable> {
        self.suits(problem)?;
        if self.properties().locates_events || events == Events::Ignored {
            Ok(())
        } else {
            Unsuitable::unless_smooth(problem)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DoubleDouble;

    fn is_lost<S: Scalar>([start, end]: [f64; 2], step: f64, clock: Clock) -> bool {
        let settings = Settings { clock, ..Settings::fixed(step) };
        Task { t_start: S::from(start), t_end: S::from(end), initial: &[], settings }.is_lost(step)
    }

    #[test]
    fn steps_below_time_resolution_are_refused() {
        // doubles near 1e15 are an eighth apart
        let far = [1e15, 1e15 + 1.0];
        for (step, expected) in [(0.1, true), (0.124, true), (0.125, false), (1.0, false)] {
            for clock in [Clock::Exact, Clock::Accumulating] {
                assert_eq!(is_lost::<f64>(far, step, clock), expected, "{step}");
                assert_eq!(is_lost::<f64>([-far[1], -far[0]], step, clock), expected, "{step}");
            }
            assert!(!is_lost::<DoubleDouble>(far, step, Clock::Exact), "a finer clock");
            assert_eq!(is_lost::<DoubleDouble>(far, step, Clock::Accumulating), expected, "it is one of doubles");
        }
        assert!(!is_lost::<f64>([0.0, 1e-300], 1e-301, Clock::Exact));
        assert!(!is_lost::<f64>([1e15, 1e15], 1e-3, Clock::Exact), "there is no step");
    }
}
