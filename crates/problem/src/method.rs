//! A time integration method as the runner sees it.

use std::borrow::Cow;

use nalgebra::{Complex, DMatrix};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Counted, Events, Failure, Form, Matrices, Mechanics, Observer, Ode, Properties, Scalar, Statistics};

/// How the size of a step is decided.
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
        /// Step to begin with, s; the method's own estimate where none is given.
        initial_step: Option<f64>,
        /// Largest step allowed, s.
        max_step: Option<f64>,
    },
}

/// How a constant-step run counts its steps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Clock {
    /// `N` is the nearest whole number to `span / step`, `t_k = t_0 + k·step`, and the end is hit exactly
    /// (the last step is shorter where the span is no whole number of steps).
    #[default]
    Exact,
    /// `t = t_0; while t < t_end { step; t += step }` in floating point, as a program without a step counter
    /// does it: where the sum of the steps falls just short of the end, one more whole step is made.
    Accumulating,
}

/// Limits on counts, and the clock; never on seconds, so that a result does not depend on the machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// How the step is decided.
    pub control: StepControl,
    /// How constant steps are counted.
    pub clock: Clock,
    /// Most steps, accepted and rejected together.
    pub max_steps: u64,
    /// Most evaluations of the right-hand side.
    pub max_rhs_evaluations: u64,
    /// What memory matrices of mechanisms are kept in.
    pub matrices: Matrices,
    /// Whether a method that does not locate events may solve a problem that jumps at them.
    pub events: Events,
}

impl Settings {
    /// Constant step `step` (s), exact clock, generous budgets.
    pub fn fixed(step: f64) -> Self {
        Self::new(StepControl::Fixed { step })
    }

    /// Tolerances `rel` and `abs`, the method's own first step, generous budgets.
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

    /// Fails where another step would be one too many, accepted or not, after so many.
    ///
    /// # Errors
    /// [`Failure::BudgetExhausted`] at `time`, s.
    #[inline]
    pub fn afford_step(&self, time: f64, attempted: u64) -> Result<(), Failure> {
        if attempted < self.max_steps {
            return Ok(());
        }
        Err(Failure::BudgetExhausted { time, counter: "steps_accepted + steps_rejected", limit: self.max_steps })
    }

    /// Fails where `further` evaluations of the right-hand side would be too many, after so many.
    ///
    /// # Errors
    /// [`Failure::BudgetExhausted`] at `time`, s.
    #[inline]
    pub fn afford_evaluations(&self, time: f64, made: u64, further: u64) -> Result<(), Failure> {
        if made.saturating_add(further) <= self.max_rhs_evaluations {
            return Ok(());
        }
        Err(Failure::BudgetExhausted { time, counter: "rhs_evaluations", limit: self.max_rhs_evaluations })
    }
}

/// What is to be solved: from where, to when, how.
#[derive(Debug, Clone)]
pub struct Task<'t, S: Scalar = f64> {
    /// Initial time, s.
    pub t_start: S,
    /// Final time, s; not before `t_start`.
    pub t_end: S,
    /// Initial state.
    pub initial: &'t [S],
    /// Step control and budgets.
    pub settings: Settings,
}

impl<S: Scalar> Task<'_, S> {
    /// What makes the task impossible before the first step, for a method that can estimate its error or not, and
    /// locates events or not. The problem keeps its matrices as the settings say from here on.
    ///
    /// # Errors
    /// [`Failure::NotApplicable`], which says why; [`Failure::StepTooSmall`] for a constant step that does not move the
    /// time.
    pub fn check(&self, problem: &mut Counted<'_, S>, has_estimate: bool, locates_events: bool) -> Result<(), Failure> {
        let not_applicable = |reason: String| Err(Failure::NotApplicable { reason });
        let matrices = self.settings.matrices;
        if !matrices.is_automatic() && !problem.keep_matrices(matrices) {
            return not_applicable("the matrices of this problem are kept in one way only".to_owned());
        }
        let (given, wanted) = (self.initial.len(), problem.dimension());
        if given != wanted {
            return not_applicable(format!("the initial state has {given} components, the problem {wanted}"));
        }
        if !locates_events && self.settings.events == Events::Located {
            problem.without_jumps()?;
        }
        let (start, end) = (self.t_start, self.t_end);
        if !(start.is_finite() && end.is_finite() && end >= start) {
            return not_applicable(format!("the span from {} to {} does not run forward", start.value(), end.value()));
        }
        let positive = |x: f64| x.is_finite() && x > 0.0;
        match self.settings.control {
            StepControl::Fixed { step } if !positive(step) => {
                not_applicable(format!("the step {step} is not positive"))
            }
            StepControl::Fixed { step } if self.is_lost(step) => {
                Err(Failure::StepTooSmall { time: start.value(), step })
            }
            StepControl::Fixed { .. } => Ok(()),
            StepControl::Tolerance { .. } if !has_estimate => {
                not_applicable("the method has no error estimate; give it a constant step".to_owned())
            }
            StepControl::Tolerance { rel, abs, initial_step, max_step } => {
                let tolerances_hold = rel >= 0.0 && abs >= 0.0 && rel.is_finite() && abs.is_finite() && rel + abs > 0.0;
                if !tolerances_hold {
                    return not_applicable(format!("the tolerances {rel} and {abs} are not usable"));
                }
                for step in [initial_step, max_step].into_iter().flatten() {
                    if !positive(step) {
                        return not_applicable(format!("the step {step} is not positive"));
                    }
                }
                Ok(())
            }
        }
    }

    /// Whether a constant step is below the distance of the numbers that the clock has for times of the span.
    fn is_lost(&self, step: f64) -> bool {
        let (start, end) = (self.t_start.value(), self.t_end.value());
        let far = start.abs().max(end.abs());
        let ulp = far.next_up() - far;
        // an exact clock is as fine as its scalar
        let is_double = self.settings.clock == Clock::Accumulating || S::from(far) + 0.25 * ulp == S::from(far);
        end > start && step < ulp && is_double
    }

    /// What makes the task impossible before the first step, for `method` on `problem`.
    ///
    /// # Errors
    /// [`Failure::NotApplicable`], which says why.
    pub fn check_for(&self, method: &dyn Method<S>, problem: &mut Counted<'_, S>) -> Result<(), Failure> {
        let MethodProperties { adapts, locates_events, .. } = method.properties();
        self.check(problem, adapts, locates_events)?;
        Ok(problem.suits(method)?)
    }

    /// Solves the task: [checks the start](Ode::check_start), lets the method step, and gives the [cause](Ode::cause) of a failure.
    pub fn solve(&self, method: &dyn Method<S>, ode: &mut dyn Ode<S>, observer: &mut dyn Observer<S>) -> Solution<S> {
        let has_right_length = self.initial.len() == ode.dimension();
        let checked = if has_right_length { ode.check_start(self.t_start, self.initial) } else { Ok(()) };
        if let Err(failure) = checked {
            return Solution::refused(&Counted::new(ode), self, failure);
        }
        let solution = method.solve(Counted::new(ode), self, observer);
        Solution { failure: ode.cause(solution.failure), ..solution }
    }
}

/// How a solve ended.
#[derive(Debug, Clone)]
pub struct Solution<S: Scalar = f64> {
    /// Time of the last accepted state, s.
    pub t_reached: S,
    /// The last accepted state.
    pub state: Vec<S>,
    /// What it cost.
    pub statistics: Statistics,
    /// Why it stopped early, if it did.
    pub failure: Option<Failure>,
}

impl<S: Scalar> Solution<S> {
    /// That of a task which ends before its first step.
    pub fn refused(problem: &Counted<'_, S>, task: &Task<'_, S>, failure: Failure) -> Self {
        let (state, statistics) = (task.initial.to_vec(), problem.statistics());
        Self { t_reached: task.t_start, state, statistics, failure: Some(failure) }
    }
}

/// A method cannot be used on a problem.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the method needs {needs}, and the problem {lacks}")]
pub struct Unsuitable {
    /// What the method needs, for a reader: "vector coordinates".
    pub needs: &'static str,
    /// What the problem is or has instead: "has 2 nonholonomic constraints".
    pub lacks: Cow<'static, str>,
}

impl From<Unsuitable> for Failure {
    fn from(unsuitable: Unsuitable) -> Self {
        Self::NotApplicable { reason: unsuitable.to_string() }
    }
}

impl Unsuitable {
    /// That a problem lacks something: see the fields.
    pub fn new(needs: &'static str, lacks: impl Into<Cow<'static, str>>) -> Self {
        Self { needs, lacks: lacks.into() }
    }

    /// Fails where the problem is more than equations of motion.
    ///
    /// # Errors
    /// [`Unsuitable`], for a method that solves nothing else.
    pub fn unless_plain<S: Scalar>(problem: &mut dyn Ode<S>) -> Result<(), Self> {
        let Properties { locks, projects, .. } = problem.properties();
        if locks || projects || matches!(problem.form(), Form::Events(_)) {
            let lacks = "has a control, a projection or events of its own";
            return Err(Self::new("plain equations of motion", lacks));
        }
        Ok(())
    }

    /// Fails where the problem changes from one step to the next, for a method that `needs` something else.
    ///
    /// # Errors
    /// [`Unsuitable`], for a method that does not look for such changes.
    pub fn unless_lasting<S: Scalar>(problem: &mut dyn Ode<S>, needs: &'static str) -> Result<(), Self> {
        let Properties { locks, projects, .. } = problem.properties();
        if locks || projects || problem.form().functions_to_locate() > 0 {
            return Err(Self::new(needs, "changes states or equations from one step to the next"));
        }
        Ok(())
    }

    /// Fails if the problem [jumps](Form::jumps) at its events.
    ///
    /// # Errors
    /// [`Unsuitable`], for a method that does not locate events.
    pub fn unless_smooth<S: Scalar>(problem: &mut dyn Ode<S>) -> Result<(), Self> {
        if problem.form().jumps() {
            let lacks = "jumps at its events, which only a method that locates events can follow";
            return Err(Self::new("a solution without jumps", lacks));
        }
        Ok(())
    }

    /// Fails where the problem has a [mass matrix](Properties::mass).
    ///
    /// # Errors
    /// [`Unsuitable`], for a method that solves `y' = f(t, y)`.
    pub fn with_mass<S: Scalar>(problem: &dyn Ode<S>) -> Result<(), Self> {
        if problem.properties().mass.is_none() {
            return Ok(());
        }
        Err(Self::new("equations y' = f(t, y)", "has a mass matrix before y'"))
    }

    /// Fails where the mechanics have constraints on velocities that do not follow from those on positions.
    ///
    /// # Errors
    /// [`Unsuitable`], for a method that solves on positions.
    pub fn with_nonholonomic<S: Scalar>(mechanics: &dyn Mechanics<S>) -> Result<(), Self> {
        match mechanics.dimensions().nonholonomic {
            0 => Ok(()),
            count => Err(Self::new("holonomic constraints", format!("has {count} nonholonomic ones"))),
        }
    }

    /// Fails where components of the problem have an [index](Properties::indices) above one.
    ///
    /// # Errors
    /// [`Unsuitable`], for a method whose errors would be of another order there, or that starts from rates of all components.
    pub fn above_index_one<S: Scalar>(problem: &dyn Ode<S>) -> Result<(), Self> {
        match problem.properties().indices.and_then(|indices| indices.iter().max()) {
            Some(&most) if most > 1 => {
                Err(Self::new("equations of index 1 at most", format!("has components of index {most}")))
            }
            _ => Ok(()),
        }
    }

    /// Fails where the problem has no right-hand side.
    ///
    /// # Errors
    /// [`Unsuitable`], for a method that evaluates it.
    pub fn without_rhs<S: Scalar>(problem: &dyn Ode<S>) -> Result<(), Self> {
        if problem.properties().has_rhs {
            return Ok(());
        }
        Err(Self::new("a right-hand side y' = f(t, y)", "is given in implicit form r(t, y, y', λ) = 0 only"))
    }
}

/// What a [`Method`] can do, and what it keeps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MethodProperties {
    /// True if the method can work to a tolerance. All can work with a constant step, but for those that choose their
    /// order with it; a solve with such a method and a constant step ends before its first one, with
    /// [`Failure::NotApplicable`].
    pub adapts: bool,
    /// True if a tolerance changes nothing: the method [adapts](Self::adapts) its steps by parameters of its own.
    pub ignores_tolerance: bool,
    /// True if it is compared with others at constant steps although it can work to a tolerance, since it is published
    /// with constant steps. Methods that cannot work to a tolerance always are.
    pub is_for_constant_steps: bool,
    /// True if the method locates the events of problems whose configuration
    /// [follows](crate::EventFunctions::follows_signs) signs, and applies their [jumps](crate::EventFunctions::jump).
    /// Others are refused by problems that [jump](Form::jumps).
    pub locates_events: bool,
    /// True if the method counts the operations of its linear algebra
    /// ([`Statistics::linear_algebra_flops`](crate::Statistics::linear_algebra_flops)).
    pub counts_flops: bool,
    /// How many full matrices as wide as the state is long the method keeps at a time, its problem's Jacobian and
    /// factors among them: what its memory grows with. Zero for a method that keeps vectors.
    pub full_matrices: u32,
    /// True if these matrices have all entries even where those of a
    /// [mechanism](crate::mechanics::Structure::is_sparse) have a pattern.
    pub keeps_all_entries: bool,
}

/// A time integration method for ordinary differential equations.
///
/// A method is immutable: all that a solve needs lives in that solve, and two solves of the same task give
/// bitwise the same result.
pub trait Method<S: Scalar = f64>: Send + Sync {
    /// Order of convergence of the state, for smooth problems.
    fn order(&self) -> u32;

    /// Number of implicit stages, for `step_per_stage` (1 for explicit and multistep methods).
    fn implicit_stages(&self) -> u32 {
        1
    }

    /// What it can do; unless it says otherwise, constant steps.
    fn properties(&self) -> MethodProperties {
        MethodProperties::default()
    }

    /// How the equations of its steps are solved, apart from its formula: frames, linear algebra, Newton's iteration,
    /// each with its value, defaults included, so that a comparison can tell in which of them methods differ. Methods
    /// that share a name mean the same by it: `charts`, `linear-algebra`, `newton-matrix` (when it is formed),
    /// `newton-stop` (when its iteration ends) and `max-iterations` of all methods, beside options of their own by
    /// their names in experiment files. Empty for a method without such options.
    fn solver_options(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Whether the method can be used on a problem of this kind: `y' = f(t, y)`, where a method does not say
    /// otherwise. A solve of one that does not suit ends before its first step, with [`Failure::NotApplicable`].
    ///
    /// # Errors
    /// [`Unsuitable`], which says what the method needs and the problem lacks.
    fn suits(&self, problem: &mut dyn Ode<S>) -> Result<(), Unsuitable> {
        Unsuitable::with_mass(problem)?;
        Unsuitable::without_rhs(problem)
    }

    /// The matrix that takes what a step starts from to what it leaves for the undamped oscillator `x″ + ω² x = 0`, written
    /// as `x′ = iωx` or as the equation of second order that it is; `omega_h` is `ωh` with the whole step `h`, positive.
    ///
    /// What a step starts from is the state, and for some methods past states, scaled derivatives or auxiliary variables,
    /// in an order of the method's own: the eigenvalues are the characteristic roots of the method, and do not depend on it.
    /// None for methods that are not linear on linear problems, or whose matrix is not written down.
    fn amplification(&self, _omega_h: f64) -> Option<DMatrix<Complex<f64>>> {
        None
    }

    /// Largest magnitude of a characteristic root for the damped oscillator `x″ + 2 ζ ω x′ + ω² x = 0`, with `ωh` and ζ not
    /// negative: all points of the left half plane are `λh = ωh (−ζ ± √(ζ² − 1))`. None where it is not written down.
    fn damped_radius(&self, _omega_h: f64, _damping_ratio: f64) -> Option<f64> {
        None
    }

    /// Coefficients and what they are proved to hold, for a reader of `mbsbench list`: one line each, indented where it
    /// belongs to the one above. Empty where there is nothing to list.
    fn details(&self) -> Vec<String> {
        Vec::new()
    }

    /// Solves `task`, shows every accepted step to `observer`, and never panics on a diverging run: what went
    /// wrong is in [`Solution::failure`].
    fn solve(&self, problem: Counted<'_, S>, task: &Task<'_, S>, observer: &mut dyn Observer<S>) -> Solution<S>;
}

impl<S: Scalar> dyn Method<S> + '_ {
    /// Whether a solve of the problem with these settings of events gets to its first step: the method
    /// [suits](Method::suits) it and, unless events are ignored, applies its [jumps](Form::jumps).
    ///
    /// # Errors
    /// [`Unsuitable`], which says what the method needs and the problem lacks.
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
    fn steps_below_the_distance_of_two_times_are_lost() {
        // doubles at 1e15 are an eighth apart
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
