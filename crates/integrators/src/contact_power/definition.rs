//! The methods as experiment files name them.

use mbsbench_problem::{Counted, Method, MethodProperties, Observer, Ode, Solution, Task, Unsuitable, parameters};

use super::run::Steps;
use super::stepper::{FixedStepper, Sizes};
use super::{Formula, Predictor};
use crate::control::ControllerSettings;
use crate::drive;

parameters! {
    /// The formula of the steps.
    #[derive(Copy, Default, Eq)]
    pub enum Inner {
        /// See [`StormerVerlet`].
        #[default]
        StormerVerlet,
        /// See [`SemiExplicit`].
        SemiExplicit,
    }
}

method! {
    /// Steps chosen by contact power (modin2005, Algorithm 1).
    ///
    /// The step is `h = ε u`, and `u` follows the control objective `W = 1/(1 + α (max_i |P_i|)^β)` of the contact
    /// powers `P_i` of the bodies (Eq. 8): it solves `R(u) = u/2 (1/W(y_k) + 1/W(y_{k+1})) − 1 = 0` (Eq. 12) up to
    /// `|R| ≤ η`, by doubling and bisection from the prediction `u_k/(1 + R_k)`. Each test of the criterion takes one
    /// evaluation of the right-hand side, at the end of the trial; the next step uses the one of the accepted trial.
    /// A run therefore takes one evaluation more than it has tests. Failed tests count as rejected steps. No error is
    /// estimated and tolerances are ignored; a first or largest step of the task applies. With a constant step the
    /// formula is used alone.
    ///
    /// Powers are in the problem's unit, mostly W; a unit S times smaller corresponds to an α greater by `S^β`. `W`
    /// is evaluated at the end of a step, with the velocities that its forces use: those that [`StormerVerlet`]
    /// predicts.
    ///
    /// Beyond the paper: no `u` exceeds `1 + η`. The last step ends with the span. A trial without finite result
    /// counts as too long, and the run fails with `non-finite` after 30 of them in a step. A force that jumps can
    /// keep the criterion from being met; when the bracket has shrunk to four units of rounding or 60 tests have been
    /// made, the lower end of the bracket is accepted if it is above zero, otherwise the last trial
    /// (`forced_accepts`).
    pub struct ContactPower {
        /// The formula of the steps: `stormer-verlet` (used in the paper for the ball) or `semi-explicit` (for the
        /// bearing).
        pub inner: Inner = Inner::default(),
        /// Parameter γ of `semi-explicit`.
        pub gamma: f64 = 0.75,
        /// ε: the step size at zero contact power, s.
        pub epsilon: f64 [above 0.0] = 0.01,
        /// α: how strongly contact power shortens the step, (unit of power)^(−β).
        pub alpha: f64 [from 0.0] = 100.0,
        /// η: tolerance on the residual of the criterion, above 0 and below 1.
        pub eta: f64 [above 0.0, below 1.0] = 0.1,
        /// β: the exponent of the contact power.
        pub beta: f64 [above 0.0] = 1.0 / 3.0,
        /// The first trial of each step: `i` (integral control, as in the paper) or `pi` (proportional and integral).
        pub predictor: Predictor = Predictor::default(),
        /// Integral gain of `pi`. The default is 0.3.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub integral: Option<f64> = None,
        /// Proportional gain of `pi`. The default is 0.4.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub proportional: Option<f64> = None,
    }
    "contact-power", "contact-power",
    "Explicit method with steps chosen by contact power instead of an error estimate",
    "modin2005, Algorithm 1, Eqs. 8 and 12",
    |settings| *settings
}

impl ContactPower {
    /// Integral and proportional gain of the predictor [`Predictor::Pi`]. The defaults are from K. Gustafsson,
    /// ACM Trans. Math. Softw. 17 (1991) 533–554.
    pub(super) fn gains(&self) -> [f64; 2] {
        [self.integral.unwrap_or(0.3), self.proportional.unwrap_or(0.4)]
    }

    pub(super) fn formula(&self) -> Formula {
        match self.inner {
            Inner::StormerVerlet => Formula::stormer_verlet(),
            Inner::SemiExplicit => Formula::semi_explicit(self.gamma),
        }
    }
}

method! {
    /// The Störmer–Verlet method in velocity form, with constant steps, order 2:
    ///
    /// ```text
    /// q₁ = q₀ + h v₀ + h²/2 a₀,   v₁ = v₀ + h/2 (a₀ + a₁),   a₁ = a(t₁, q₁, v₀ + h a₀)
    /// ```
    ///
    /// One evaluation per step and one at the start. Symplectic and symmetric if forces do not depend on velocities.
    /// Forces that do depend on them use a predicted velocity, and `a₁` is not evaluated again; the order with
    /// damping is still 2. Rotations are updated on their manifold. Stable for `h ω ≤ 2`. Applies to second-order
    /// equations of vectors and to all problems with contact powers.
    pub struct StormerVerlet {}
    "stormer-verlet", "verlet",
    "Störmer–Verlet method of order 2 in velocity form, one evaluation per step",
    "Hairer, Lubich, Wanner, Geometric Numerical Integration, section I.1.4; section 6.1 of modin2005",
    |_| Constant(Formula::stormer_verlet())
}

method! {
    /// The formula that modin2005 uses for the bearing (Eq. 16), with constant steps, order 1 for every γ:
    ///
    /// ```text
    /// v₁ = v₀ + h a₀,   q₁ = q₀ + h v₀ + γ h² a₀
    /// ```
    ///
    /// One evaluation per step. With γ = 1 it is the symplectic Euler method. On `q'' = −ω² q − 2 ζ ω q'` with
    /// `x = h ω` the step has trace `2 − 2 ζ x − γ x²` and determinant `1 − 2 ζ x + (1 − γ) x²`. With the printed γ =
    /// 3/4 it is unstable without damping, however small the step; with damping it is unstable for `x > 8 ζ` or
    /// `x²/2 + 4 ζ x > 4`. Rotations are updated on their manifold.
    pub struct SemiExplicit {
        /// The parameter γ of the position update.
        pub gamma: f64 = 0.75,
    }
    "semi-explicit", "verlet",
    "Explicit method of order 1 with a free coefficient γ, one evaluation per step",
    "modin2005, Eq. 16",
    |settings| Constant(Formula::semi_explicit(settings.gamma))
}

/// A formula with constant steps.
struct Constant(Formula);

impl Method for Constant {
    fn order(&self) -> u32 {
        self.0.order()
    }

    fn suits(&self, problem: &mut dyn Ode) -> Result<(), Unsuitable> {
        Unsuitable::with_mass(problem)?;
        if problem.properties().is_second_order { Ok(()) } else { problem.form().contact_power().map(|_| ()) }
    }

    fn solve(&self, problem: Counted<'_>, task: &Task<'_>, observer: &mut dyn Observer) -> Solution {
        drive::solve(self, problem, task, observer, ControllerSettings::elementary(), |problem| {
            Ok(FixedStepper::new(self.0, Sizes::of(problem)?))
        })
    }
}

/// Algorithm 1.
impl Method for ContactPower {
    /// The order of the formula.
    fn order(&self) -> u32 {
        self.formula().order()
    }

    fn properties(&self) -> MethodProperties {
        MethodProperties { adapts: true, ignores_tolerance: true, ..MethodProperties::default() }
    }

    fn suits(&self, problem: &mut dyn Ode) -> Result<(), Unsuitable> {
        Unsuitable::with_mass(problem)?;
        let needs = "contacts modelled as forces, in equations that do not change between steps";
        Unsuitable::unless_lasting(problem, needs)?;
        problem.form().contact_power().map(|_| ())
    }

    fn solve(&self, problem: Counted<'_>, task: &Task<'_>, observer: &mut dyn Observer) -> Solution {
        if !drive::is_adaptive(task) {
            return Constant(self.formula()).solve(problem, task, observer);
        }
        drive::run(self, problem, task, observer, |problem| Ok(Steps::new(*self, Sizes::of(problem)?, task)))
    }
}
