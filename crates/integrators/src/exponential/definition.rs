//! The method as experiment files name it.

use mbsbench_problem::parameters::is_default;
use mbsbench_problem::{
    Counted, Method, MethodProperties, Observer, Ode, Solution, StepControl, Task, Unsuitable, parameters,
};

use super::LlmStepper;
use crate::control::ControllerSettings;
use crate::dode::{self, Detection, Dode, Rules};
use crate::drive;
use crate::newton::{EXACT, options};

/// First step with error control unless the task sets one, s.
const FIRST_STEP: f64 = 0.02;

parameters! {
    /// The law by which the next step follows from the error `r` of the present one.
    #[derive(Copy, Default, Eq)]
    pub enum LlmController {
        /// `h* = 0.9 h (tol/r)^(1/k)`, after acceptance and after rejection (gil2013, Eq. 38).
        #[default]
        Elementary,
        /// `h* = 0.9 h (tol/r)^(0.3/k) (r_old/r)^(0.4/k)` after acceptance (gil2013, Eq. 40).
        Pi,
    }

    /// The norm of an estimated local error.
    #[derive(Copy, Default, Eq)]
    pub enum LlmNorm {
        /// The 2-norm of the state.
        #[default]
        Euclidean,
        /// The largest component of the state.
        Largest,
    }

    /// The rules by which zeros of event functions are detected.
    #[derive(Copy, Default, Eq)]
    pub enum LlmRules {
        /// The functions are sampled inside each step, and bound its size, as in [`Dode`].
        #[default]
        Sampled,
        /// A function has changed sides at the end of a step (gil2013, Eq. 17).
        Gil2013,
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
    /// which is the top right block of `exp(h [J f_t f; 0 0 1; 0 0 0])` (gil2013, Eqs. 1–6), without the middle row
    /// and column for an autonomous problem. Order 2 in positions and velocities, exact for linear equations with
    /// constant coefficients and a right-hand side linear in time, A-stable. Each step takes one evaluation of `f`
    /// and `J` and one exponential.
    ///
    /// With error control, a second exponential gives the local error `l` (Eqs. 30–34) from one more evaluation of
    /// `f`; a step is accepted if `r = ‖l‖` or `‖l‖/h` is at most the tolerance. The exponent `k` is 3 or 2. The
    /// first step is 0.02 s unless the task sets one. Growth is unlimited; a rejection shrinks a step at most a
    /// thousandfold. The estimate assumes a remainder that grows quadratically over the step. It is not reliable if
    /// `h` is not small compared with the periods that the nonlinear terms excite.
    ///
    /// Discontinuous equations keep their configuration over a step. If a function has changed sides at the end of a
    /// step, the earliest such zero is located by a safeguarded Newton iteration, which uses the method's own
    /// solution as a function of the step size and its derivative as the rate (gil2013, Eqs. 17 and 18). The next
    /// step starts just past the zero, by at most the tolerance, in the new configuration. Functions are sampled inside
    /// each step, and a step in which one might have two zeros is shortened, even if steps are constant; the rest of
    /// the step leads to its grid point. With `rules: gil2013`, two zeros of a function within one step are missed:
    /// while a contact is closed, a step should be shorter than half a period of the oscillation that it causes. With
    /// error control, steps of such equations are controlled by the largest
    /// component of the local error, per step.
    ///
    /// From 16 unknowns on, the exponential is not formed if its product with one vector by Taylor series costs less
    /// (A. H. Al-Mohy, N. J. Higham, SIAM J. Sci. Comput. 33 (2011) 488–511), which is the case unless `h J` is too
    /// large.
    pub struct Llm {
        /// tol: with error control, the bound on the norm of the error, in the mixed units of the state's components
        /// (per second with `per-unit-step`). The default is the task's tolerance, `abs + rel · ‖y‖`.
        pub tol: Option<f64> [above 0.0] = None,
        /// Control the error per unit step (EPUS). If false, control the error per step (EPS).
        pub per_unit_step: bool = true,
        /// The norm of the state and of its error, which gil2013 does not specify: `euclidean` or `largest`.
        #[serde(skip_serializing_if = "is_default")]
        pub norm: LlmNorm = LlmNorm::default(),
        /// The step-size controller: `elementary` or `pi`.
        pub controller: LlmController = LlmController::default(),
        /// Estimate local errors for an observer even with constant steps.
        pub estimate: bool = false,
        /// Locate the events of discontinuous equations. If false, the right-hand side follows the signs at the start
        /// of each step.
        pub events: bool = true,
        /// The rules of detection: `sampled` or `gil2013`.
        #[serde(skip_serializing_if = "is_default")]
        pub rules: LlmRules = LlmRules::default(),
        /// An event is located when its function is at most this far from zero, in the function's unit.
        pub event_tolerance: f64 [above 0.0] = 1e-13,
        /// Largest step, s, while an event function is below zero at the start: in models of contact, while a contact
        /// is closed.
        pub contact_step: Option<f64> [above 0.0] = None,
        /// Balance matrices before their exponential is formed, which saves squarings and rounding if positions and
        /// velocities differ in size. The paper does not mention balancing; MATLAB's `expm` does not balance. From 16
        /// unknowns on, this affects only steps long enough for the exponential to be formed.
        pub balance: bool = false,
    }
    "llm", "exponential",
    "Local linearisation method of order 2, exact for linear equations",
    "gil2013, Eqs. 1–6 and 26–40",
    |settings| *settings
}

impl Llm {
    /// The rules for locating events.
    fn rules(&self, task: &Task<'_>) -> Rules {
        let (event_tolerance, max_step) = (self.event_tolerance, task.t_end - task.t_start);
        Rules {
            settings: Dode { event_tolerance, max_step, ..Dode::default() },
            detection: match self.rules {
                LlmRules::Sampled => Detection::Sampled,
                LlmRules::Gil2013 => Detection::Signs,
            },
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
        Err(Unsuitable::new("the Jacobian of the right-hand side", "does not provide it"))
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
