//! The solver as experiment files name it.

use mbsbench_problem::{Counted, Method, MethodProperties, Observer, Scalar, Solution, Task, parameters};

use super::pair::ExplicitPair;
use super::rules::{Detection, Rules};
use super::run;
use super::sdirk::Sdirk4;
use crate::{Formula, Tableau, tableaux};

parameters! {
    /// A pair that the solver can step with.
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
}

impl PairName {
    /// The tableau of an explicit pair.
    fn tableau(self) -> Option<&'static Tableau> {
        match self {
            Self::Dopri5 => Some(&tableaux::DOPRI5),
            Self::Bs32 => Some(&tableaux::BOGACKI_SHAMPINE_32),
            Self::Rk5 => Some(&tableaux::FEHLBERG_45),
            Self::Rk8 => Some(&tableaux::FEHLBERG_78),
            Self::Sdirk4 => None,
        }
    }
}

parameters! {
    /// On which side of a zero events are located (consistent event location, sections 5.1.4 and 5.1.5).
    #[derive(Copy, Default, Eq)]
    pub enum Cel {
        /// Bilateral events just past it, unilateral ones never past it.
        #[default]
        ByKind,
        /// All events just past it (5.4). A unilateral function then changes sides, and its event comes again.
        Plus,
        /// No event past it (5.5). A bilateral function then keeps its side, and its event comes again.
        Minus,
        /// At the zero itself, without offset: on either side of it, as rounding has it. An event located before it
        /// comes again (discontinuity sticking, figures 4.1 and 5.4).
        Off,
    }
}

parameters! {
    /// Which error-prone functions are looked at: those whose slopes at the ends of the step differ in sign and whose
    /// extremum points at zero. Section 5.2.1 includes them "regardless of whether they contain a root or not".
    #[derive(Copy, Default, Eq)]
    pub enum ErrorProne {
        /// All, also those whose interpolant the interval test excludes.
        #[default]
        All,
        /// Those whose interpolant the interval test does not exclude.
        NotExcluded,
        /// None.
        Ignored,
    }
}

parameters! {
    /// Events that are close together are located as one (section 5.2.3). Bilateral events only.
    #[derive(Copy)]
    pub struct RegionOfConcurrency {
        /// ε_c: events at most so long after the first one may share its time, s.
        pub duration: f64 [above 0.0],
        /// ε_ROC: so far past zero a function may be by then, in its own unit.
        pub amplitude: f64 [above 0.0],
    }
}

method! {
    /// Detect–locate–restart solver for discontinuous equations.
    ///
    /// The configuration `L` is held over a step (5.3). After a step that passes its error test, cubic Hermite
    /// interpolants of the event functions say which of them may have crossed zero; the step is repeated up to
    /// the first estimate, and then, as function evaluation of Newton's method, up to the root of `ĝ = g ∓ ε_g sgn(ġ)`,
    /// `ε_g = ε_d + ε_m/2` (5.4, 5.5). If another function has crossed earlier, that one is located instead (case II, a
    /// catch); a root that is not found is dropped (case III, a failed location).
    ///
    /// Step: `h_new = min(h_max, 0.8 h (τ/δ)^(1/(p+1)))`, `δ = ‖x_p − x_{p−1}‖_∞`, `τ = max(rel ‖x‖_∞, abs)` at the
    /// start of the step (5.7, 5.8, where rel = abs = tol), `δ = 0` taken as 1e-16; first step `h₀ = 10⁻⁵ (t_f − t₀)`
    /// where the task names none; after an event `min(h₀, h_new)`. With a constant step events are located, and the
    /// step is made up to its grid point.
    ///
    /// Cost with `s` evaluations a step (3, 6, 6, 13 for the pairs bs32, dopri5, rk5, rk8): `Nrhs = s (Nacc + Nrej +
    /// Nit) + 1 + 2 Nev`. The step to the first estimate is booked as the accepted one, the step past the event as
    /// rejected; after an event the right-hand side is evaluated once in the new configuration and once more as the
    /// restart of the pair, as the published counts do.
    ///
    /// `sdirk4` needs more evaluations, as many as its Newton iterations and Jacobians take.
    ///
    /// Chattering: where, within h₀ (10⁻⁵ of the span with a constant step), one function is located more than eight
    /// times, or all together more than eight times their number (and one), the next step is of size h₀ at most,
    /// follows the signs at every stage and locates nothing (`unlocked_steps`). Jumps cannot be skipped: a unilateral
    /// function that is located so often ends the run, its jumps accumulate.
    pub struct Dode {
        /// The pair: `dopri5`, `bs32`, `rk5` (Fehlberg 4(5)), `rk8` (Fehlberg 7(8)), each with local extrapolation, or
        /// `sdirk4` (Hairer and Wanner, order 4(3)).
        pub pair: PairName = PairName::default(),
        /// Whether events are located; without, the same pair and step control follow the signs at every state (the
        /// "smooth solver").
        pub events: bool = true,
        /// ε_d: an event is located where its offset function is at most so far from zero, in the function's unit.
        pub event_tolerance: f64 [above 0.0] = 1e-10,
        /// On which side of zero: `by-kind`, `plus`, `minus`, `off`.
        pub cel: Cel = Cel::default(),
        /// Which error-prone functions are looked at: `all`, `not-excluded`, `ignored`.
        pub error_prone: ErrorProne = ErrorProne::default(),
        /// Region of concurrency; off where not given.
        pub region_of_concurrency: Option<RegionOfConcurrency> = None,
        /// h_max: largest step, s, where the task names none.
        pub max_step: f64 [above 0.0] = 0.1,
        /// Largest factor by which a step may exceed the one before; no limit where not given, as in (5.7).
        pub growth: Option<f64> [above 1.0] = None,
    }
    "dode", "explicit-runge-kutta",
    "Detect–locate–restart solver for discontinuous equations, with any of five pairs",
    "compere2001, chapters 4 and 5, (5.1)–(5.8)",
    |settings| *settings, precise
}

impl<S: Scalar> Method<S> for Dode {
    fn order(&self) -> u32 {
        self.pair.tableau().map_or(4, |tableau| tableau.order)
    }

    fn properties(&self) -> MethodProperties {
        MethodProperties { adapts: true, locates_events: self.events, ..MethodProperties::default() }
    }

    fn solve(&self, problem: Counted<'_, S>, task: &Task<'_, S>, observer: &mut dyn Observer<S>) -> Solution<S> {
        let (detection, n) = (Detection::Interpolants, problem.dimension());
        let rules = &Rules { settings: *self, detection, contact_step: None, evaluates_twice: true };
        match self.pair.tableau().map(Formula::new) {
            Some(formula) => run::solve(self, problem, task, observer, rules, |_| Ok(ExplicitPair::new(&formula, n))),
            None => run::solve(self, problem, task, observer, rules, |_| Ok(Sdirk4::new(n))),
        }
    }
}
