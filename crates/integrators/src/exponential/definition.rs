//! The method as experiment files name it.

use mbsbench_problem::{
    Counted, EventFunctions, Method, MethodProperties, Observer, Ode, Solution, StepControl, Task, Unsuitable,
    parameters,
};

use super::LlmStepper;
use crate::control::ControllerSettings;
use crate::definition::is_default;
use crate::dode::{self, Detection, Dode, Rules};
use crate::drive;
use crate::newton::{EXACT, options};

/// First step with error control where the task names none, s.
const FIRST_STEP: f64 = 0.02;

parameters! {
    /// How the next step follows from the error `r` of the present one.
    #[derive(Copy, Default, Eq)]
    pub enum LlmController {
        /// `h* = 0.9 h (tol/r)^(1/k)`, after acceptance and after rejection (gil2013, Eq. 38).
        #[default]
        Elementary,
        /// `h* = 0.9 h (tol/r)^(0.3/k) (r_old/r)^(0.4/k)` after acceptance (gil2013, Eq. 40).
        Pi,
    }
}

parameters! {
    /// What the size of an estimated local error is.
    #[derive(Copy, Default, Eq)]
    pub enum LlmNorm {
        /// The 2-norm of the state.
        #[default]
        Euclidean,
        /// Its largest component.
        Largest,
    }
}

impl LlmNorm {
    pub(super) fn of(self, x: &[f64]) -> f64 {
        match self {
            Self::Euclidean => x.iter().map(|x| x * x).sum::<f64>().sqrt(),
            Self::Largest => x.iter().fold(0.0, |largest, x| x.abs().max(largest)),
        }
    }
}

method! {
    /// The local linearisation method: the exact solution of the equations linearised at the start of each step,
    ///
    /// ```text
    /// y_{n+1} = y_n + ∫₀ʰ e^{J(h−s)} (f + f_t s) ds,   J = ∂f/∂y, f_t = ∂f/∂t at (t_n, y_n)
    /// ```
    ///
    /// which is the top right block of `exp(h [J f_t f; 0 0 1; 0 0 0])` (gil2013, Eqs. 1–6), without the middle row and
    /// column for an autonomous problem. Order 2 in positions and velocities, exact for linear equations with constant
    /// coefficients and a right-hand side linear in time, A-stable. One evaluation of `f` and `J` and one exponential a
    /// step.
    ///
    /// With error control, a second exponential gives the local error `l` (Eqs. 30–34) from one more evaluation of `f`;
    /// a step is accepted where `r = ‖l‖` or `‖l‖/h` is at most the tolerance. Exponent `k` is 3 or 2. The first step
    /// is 0.02 s where the task names none. No bound on growth; a step shrinks at most a thousandfold at once. The
    /// estimate is that of a remainder that grows quadratically over the step: not to be trusted where `h` is no longer
    /// small against the periods of what the nonlinear terms excite.
    ///
    /// Discontinuous equations keep their configuration over a step. Where a function has changed sides at the end of
    /// one, the earliest such zero is located by safeguarded Newton iteration, with the method's own solution as
    /// function of the step size and its derivative for the rate (gil2013, Eqs. 17 and 18); just past it, by at most
    /// the tolerance, the next step starts in the new configuration. Two zeros of a function within one step go unseen:
    /// while a contact is closed a step should be shorter than half a period of what it makes oscillate. With error
    /// control, steps of such equations are bound by the largest component of the local error, per step.
    ///
    /// From 16 unknowns on the exponential is not formed where its product with one vector by Taylor's series takes less
    /// (A. H. Al-Mohy, N. J. Higham, SIAM J. Sci. Comput. 33 (2011) 488–511): where `h J` is not too large for that.
    pub struct Llm {
        /// tol: bound on the error in the norm of the state, in the mixed units of its components (per second with
        /// `per-unit-step`), with error control. Where not given, that of the task, `abs + rel · ‖y‖`.
        pub tol: Option<f64> [above 0.0] = None,
        /// Whether the error per unit step is controlled (EPUS) or the error per step (EPS).
        pub per_unit_step: bool = true,
        /// The norm of the state and of its error, which gil2013 does not name: `euclidean` or `largest`.
        #[serde(skip_serializing_if = "is_default")]
        pub norm: LlmNorm = LlmNorm::default(),
        /// The step-size controller: `elementary` or `pi`.
        pub controller: LlmController = LlmController::default(),
        /// Whether local errors are estimated with constant steps, too, for an observer.
        pub estimate: bool = false,
        /// Whether events of discontinuous equations are located; without, the right-hand side follows the signs at the
        /// start of each step.
        pub events: bool = true,
        /// An event is located where its function is at most so far from zero, in the function's unit.
        pub event_tolerance: f64 [above 0.0] = 1e-13,
        /// Largest step, s, that starts with an event function below zero: in models of contact, while one is
        /// closed.
        pub contact_step: Option<f64> [above 0.0] = None,
        /// Whether matrices are balanced before their exponential is formed: fewer squarings and less rounding where
        /// positions and velocities differ in size. The paper does not say; MATLAB's `expm` does not. From 16 unknowns on
        /// only for steps long enough to form an exponential for.
        pub balance: bool = false,
    }
    "llm", "exponential",
    "Local linearisation method, order 2, exact for linear equations",
    "gil2013, Eqs. 1–6 and 26–40",
    |settings| *settings
}

impl Llm {
    /// How events are located.
    fn rules(&self, task: &Task<'_>) -> Rules {
        let (event_tolerance, max_step) = (self.event_tolerance, task.t_end - task.t_start);
        Rules {
            settings: Dode { event_tolerance, max_step, ..Dode::default() },
            detection: Detection::Signs,
            contact_step: self.contact_step,
            evaluates_twice: false,
        }
    }
}

impl Method for Llm {
    fn order(&self) -> u32 {
        2
    }

    fn properties(&self) -> MethodProperties {
        MethodProperties {
            adapts: true,
            locates_events: self.events,
            counts_flops: true,
            full_matrices: 33,
            keeps_all_entries: true,
            ..MethodProperties::default()
        }
    }

    fn solver_options(&self) -> Vec<(String, String)> {
        options([("jacobians", EXACT.to_owned())])
    }

    fn suits(&self, problem: &mut dyn Ode) -> Result<(), Unsuitable> {
        Unsuitable::with_mass(problem)?;
        if problem.properties().has_jacobian {
            return Ok(());
        }
        Err(Unsuitable::new("the Jacobian of the right-hand side", "gives only the values of its own"))
    }

    fn solve(&self, mut problem: Counted<'_>, task: &Task<'_>, observer: &mut dyn Observer) -> Solution {
        let mut task = task.clone();
        if let StepControl::Tolerance { initial_step, .. } = &mut task.settings.control {
            initial_step.get_or_insert(FIRST_STEP);
        }
        let estimates = self.estimate || drive::is_adaptive(&task);
        let make = |problem: &mut Counted<'_>| {
            Ok(LlmStepper::new(*self, estimates, problem.dimension(), problem.properties().is_autonomous))
        };
        if self.events && problem.events().is_ok_and(|functions| functions.follows_signs()) {
            return dode::solve(self, problem, &task, observer, &self.rules(&task), make);
        }
        let control = match self.controller {
            LlmController::Elementary => ControllerSettings::unbounded(0.0),
            LlmController::Pi => ControllerSettings::unbounded(0.4 / if self.per_unit_step { 2.0 } else { 3.0 }),
        };
        drive::solve(self, problem, &task, observer, control, make)
    }
}
