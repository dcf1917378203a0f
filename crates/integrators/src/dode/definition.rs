//! The solver as experiment files name it.

use mbsbench_problem::{Counted, DoubleDouble, Method, MethodProperties, Observer, Scalar, Solution, Task, parameters};

use super::pair::ExplicitPair;
use super::rules::{Detection, Rules};
use super::run;
use super::sdirk::Sdirk4;
use crate::{Formula, tableaux};

parameters! {
    /// The single-step pair of the solver.
    #[derive(Copy, Default, Eq)]
    pub enum PairName {
        /// Dormand–Prince 5(4), the dissertation's choice.
        #[default]
        Dopri5,
        /// Bogacki–Shampine 3(2).
        Bs32,
        /// Fehlberg 4(5).
        Rk5,
        /// Fehlberg 7(8).
        Rk8,
        /// SDIRK4 of Hairer and Wanner, for stiff problems.
        Sdirk4,
    }

    /// The rules by which zeros of event functions are detected.
    #[derive(Copy, Default, Eq)]
    pub enum EventRules {
        /// The functions are sampled inside each step, and bound its size.
        #[default]
        Sampled,
        /// Only both ends of a step are examined, as in the dissertation.
        Compere2001,
    }

    /// The side of a zero on which events are located (consistent event location, sections 5.1.4 and 5.1.5).
    #[derive(Copy, Default, Eq)]
    pub enum Cel {
        /// Bilateral events just past the zero, unilateral ones never past it.
        #[default]
        ByKind,
        /// All events just past the zero (5.4). A unilateral function then changes sides, and its event recurs.
        Plus,
        /// No event past the zero (5.5). A bilateral function then keeps its side, and its event recurs.
        Minus,
        /// At the zero without offset, on either side of it depending on rounding. An event located before the zero
        /// recurs (discontinuity sticking, figures 4.1 and 5.4).
        Off,
    }

    /// The error-prone functions that are examined by the rules of the dissertation. A function is error-prone if its
    /// slopes at the ends of the step differ in sign and its extremum points towards zero. Section 5.2.1 includes such
    /// functions "regardless of whether they contain a root or not".
    #[derive(Copy, Default, Eq)]
    pub enum ErrorProne {
        /// All error-prone functions, even if the interval test excludes a root of the interpolant.
        #[default]
        All,
        /// Error-prone functions whose interpolants may have a root by the interval test.
        NotExcluded,
        /// None.
        Ignored,
    }

    /// Locates events that are close together as one (section 5.2.3). Bilateral events only.
    #[derive(Copy)]
    pub struct RegionOfConcurrency {
        /// ε_c: events at most this long after the first one may share its time, s.
        pub duration: f64 [above 0.0],
        /// ε_ROC: the largest distance past zero that a function may have by then, in its own unit.
        pub amplitude: f64 [above 0.0],
    }
}

impl PairName {
    /// The formula of an explicit pair.
    fn formula(self) -> Option<&'static Formula<DoubleDouble>> {
        match self {
            Self::Dopri5 => Some(&tableaux::DOPRI5.formula),
            Self::Bs32 => Some(&tableaux::BS32.formula),
            Self::Rk5 => Some(&tableaux::RK5.formula),
            Self::Rk8 => Some(&tableaux::RK8.formula),
            Self::Sdirk4 => None,
        }
    }
}

impl EventRules {
    /// True for the rules that have no name in the keys of runs, because they were the only ones.
    fn is_published(&self) -> bool {
        *self == Self::Compere2001
    }
}

method! {
    /// Detect–locate–restart solver for discontinuous equations.
    ///
    /// The configuration `L` is locked over a step (5.3). If an event function has changed sides after a step that
    /// passes its error test, the step is repeated up to an estimate of the first zero, and then, as the function
    /// evaluation of Newton's method, up to the root of `ĝ = g ∓ ε_g sgn(ġ)`, `ε_g = ε_d + ε_m/2` (5.4, 5.5). If
    /// another function has crossed earlier, that one is located instead (case II, a catch).
    ///
    /// Functions are sampled at two points inside each step, with the state of the cubic Hermite interpolant of the
    /// step and one evaluation of the right-hand side, to find how far they may be from their own cubic interpolants
    /// over the step. A step is repeated with a smaller size if a function may be off by more than a twentieth of its
    /// magnitude, unless it is far from zero. It is repeated up to a minimum of a function's magnitude if the function
    /// may have passed zero there. So each function has at most one zero in a step, of whatever size.
    ///
    /// With `rules: compere2001`, functions do not bound steps. Their cubic interpolants between both ends of a step
    /// indicate which of them may have crossed zero twice; a root that is then not found is dropped (case III, a failed
    /// location). Functions that are faster than the solution cross zero unnoticed, at any tolerance.
    ///
    /// The step size is `h_new = min(h_max, 0.8 h (τ/δ)^(1/(p+1)))`, with `δ = ‖x_p − x_{p−1}‖_∞` and
    /// `τ = max(rel ‖x‖_∞, abs)` at the start of the step (5.7, 5.8, where rel = abs = tol); `δ = 0` counts as 1e-16.
    /// The first step is `h₀ = 10⁻⁵ (t_f − t₀)` unless the task sets one; after an event it is `min(h₀, h_new)`. With
    /// a constant step, events are located and the remainder of the step leads to its grid point.
    ///
    /// With `s` evaluations per step (3, 6, 6, 13 for the pairs bs32, dopri5, rk5, rk8), the cost is
    /// `Nrhs = s (Nacc + Nrej + Nit) + 1 + 2 Nev` with `rules: compere2001`. The step to the first estimate counts as
    /// accepted, the step past the event as rejected. After an event the right-hand side is evaluated once in the new
    /// configuration and once more as the restart of the pair, as in the published counts. Sampled steps have no
    /// second evaluation after an event, and two more in each step that passes its error test.
    ///
    /// `sdirk4` needs more evaluations, depending on its Newton iterations and Jacobians.
    ///
    /// Chattering: within h₀ (10⁻⁵ of the span with a constant step), each of the `n` functions may be located eight
    /// times, and all of them together `8 (n + 1)` times. Beyond that, the next step has at most the size h₀, follows
    /// the signs at every stage and locates nothing (`unlocked_steps`). Jumps cannot be skipped: if a unilateral
    /// function is located that often, its jumps accumulate and the run ends.
    pub struct Dode {
        /// The single-step pair: `dopri5`, `bs32`, `rk5` (Fehlberg 4(5)) or `rk8` (Fehlberg 7(8)), each with local
        /// extrapolation, or `sdirk4` (Hairer and Wanner, order 4(3)).
        pub pair: PairName = PairName::default(),
        /// Locate events. If false, the same pair and step control follow the signs at every state (the "smooth
        /// solver").
        pub events: bool = true,
        /// The rules of detection: `sampled` or `compere2001`.
        #[serde(skip_serializing_if = "EventRules::is_published")]
        pub rules: EventRules = EventRules::default(),
        /// ε_d: an event is located when its offset function is at most this far from zero, in the function's unit.
        pub event_tolerance: f64 [above 0.0] = 1e-10,
        /// The side of zero on which events are located: `by-kind`, `plus`, `minus` or `off`.
        pub cel: Cel = Cel::default(),
        /// The error-prone functions that `compere2001` examines: `all`, `not-excluded` or `ignored`.
        pub error_prone: ErrorProne = ErrorProne::default(),
        /// Region of concurrency. Off by default.
        pub region_of_concurrency: Option<RegionOfConcurrency> = None,
        /// h_max: the largest step, s, unless the task sets one.
        pub max_step: f64 [above 0.0] = 0.1,
        /// Largest ratio of a step to the previous one. Unlimited by default, as in (5.7).
        pub growth: Option<f64> [above 1.0] = None,
    }
    "dode", "explicit-runge-kutta",
    "Detect–locate–restart solver for discontinuous equations, with a choice of five Runge–Kutta pairs",
    "compere2001, chapters 4 and 5, (5.1)–(5.8)",
    |settings| *settings, precise
}

impl<S: Scalar> Method<S> for Dode {
    fn order(&self) -> u32 {
        self.pair.formula().map_or(4, |formula| formula.order)
    }

    fn properties(&self) -> MethodProperties {
        MethodProperties { adapts: true, locates_events: self.events, ..MethodProperties::default() }
    }

    fn solve(&self, problem: Counted<'_, S>, task: &Task<'_, S>, observer: &mut dyn Observer<S>) -> Solution<S> {
        let (n, is_published) = (problem.dimension(), self.rules.is_published());
        let detection = if is_published { Detection::Interpolants } else { Detection::Sampled };
        let rules = &Rules { settings: *self, detection, contact_step: None, evaluates_twice: is_published };
        match self.pair.formula() {
            Some(formula) => run::solve(self, problem, task, observer, rules, |_| Ok(ExplicitPair::new(formula, n))),
            None => run::solve(self, problem, task, observer, rules, |_| Ok(Sdirk4::new(n))),
        }
    }
}
