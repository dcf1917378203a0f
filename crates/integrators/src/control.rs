//! Error-controlled step sizes: the controllers of Hairer, Nørsett and Wanner.

use mbsbench_problem::parameters;

/// Constants of the step-size controller
///
/// ```text
/// h_new = h · clamp(safety · err⁻ᵅ · err_oldᵝ, factor_min, factor_max),   α = 1/k − share · β
/// ```
///
/// with `k` the order of the error estimate. Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I,
/// section II.4 (β = 0) and Solving Ordinary Differential Equations II, section IV.2 (PI, β > 0).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ControllerSettings {
    /// Exponent of the previous error; zero for the elementary controller.
    pub beta: f64,
    /// The exponent of the present error is `1/k` less this fraction of β.
    pub share: f64,
    /// Safety factor.
    pub safety: f64,
    /// Smallest ratio of a step to the previous one.
    pub factor_min: f64,
    /// Largest ratio of a step to the previous one.
    pub factor_max: f64,
    /// Special rules for rejected steps.
    pub rejection: Rejection,
    /// If the step size times this factor reaches the end of the span, the step is stretched to it.
    pub stretch: f64,
}

parameters! {
    /// The controller of the step size of an explicit pair.
    #[derive(Copy, Default, Eq)]
    pub enum Control {
        /// The elementary controller, with factors from 1/5 to 5.
        #[default]
        Elementary,
        /// The PI controller of the code DOPRI5.
        Dopri5,
        /// The controller of the code DOP853.
        Dop853,
    }
}

impl From<Control> for ControllerSettings {
    fn from(control: Control) -> Self {
        match control {
            Control::Elementary => Self::elementary(),
            Control::Dopri5 => Self::dopri5(),
            Control::Dop853 => Self::dop853(),
        }
    }
}

/// The rules of a controller after rejected steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rejection {
    /// The step does not grow right after a rejection (Hairer, Nørsett, Wanner). The error before the first step
    /// counts as 1e-4.
    NoGrowth,
    /// No special rule: a step may grow right after a rejection. A rejected step shrinks by the elementary law, and
    /// the first step has no previous error.
    Plain,
    /// The second and each further rejection of a step halve it. The step keeps its size after it is accepted
    /// (ode45).
    Halving,
    /// Every rejection shrinks the step by the controller's law. The step keeps its size after it is accepted
    /// (ode23s).
    Keeping,
}

impl ControllerSettings {
    /// The elementary controller, with factors between 1/5 and 5.
    pub const fn elementary() -> Self {
        Self {
            beta: 0.0,
            share: 0.0,
            safety: 0.9,
            factor_min: 0.2,
            factor_max: 5.0,
            rejection: Rejection::NoGrowth,
            stretch: 1.01,
        }
    }

    /// The PI controller of the code DOPRI5.
    pub const fn dopri5() -> Self {
        Self { beta: 0.04, share: 0.75, factor_max: 10.0, ..Self::elementary() }
    }

    /// The controllers of gil2013, Eqs. 38 (`beta` zero) and 40: `α = 1/k − 3 β/4`, that is `k_P = β` and
    /// `k_I = 3 β/4` for `β = 0.4/k`, the constants of K. Gustafsson, ACM Trans. Math. Softw. 17 (1991) 533–554. The
    /// paper does not bound the factors; the bounds here only keep an error of zero or infinity from ending the run.
    pub const fn unbounded(beta: f64) -> Self {
        let (factor_min, factor_max) = (1e-3, 1e6);
        Self { beta, share: 0.75, factor_min, factor_max, rejection: Rejection::Plain, ..Self::elementary() }
    }

    /// The controller of MATLAB's ode45 (Shampine, Reichelt, SIAM J. Sci. Comput. 18 (1997) 1–22).
    pub const fn ode45() -> Self {
        Self { safety: 0.8, factor_min: 0.1, rejection: Rejection::Halving, stretch: 1.1, ..Self::elementary() }
    }

    /// The controller of MATLAB's ode23s (same paper).
    pub const fn ode23s() -> Self {
        Self { rejection: Rejection::Keeping, ..Self::ode45() }
    }

    /// The controller of the code DOP853.
    pub const fn dop853() -> Self {
        Self { share: 0.2, factor_min: 0.333, factor_max: 6.0, ..Self::elementary() }
    }
}

/// The state of a controller.
#[derive(Debug, Clone)]
pub struct Controller {
    settings: ControllerSettings,
    alpha: f64,
    /// Exponent of the error after a rejection.
    alpha_rejected: f64,
    /// Largest ratio of a step to the next one.
    largest: f64,
    /// Smallest ratio of a step to the next one.
    smallest: f64,
    max_step: f64,
    /// Logarithm of the error of the last accepted step; NaN if there is none.
    previous_logarithm: f64,
    after_rejection: bool,
}

/// Logarithm of 1e-4. Smaller errors count as 1e-4, so that a step with an accidentally small error does not make the
/// next one too small.
const LOWEST: f64 = -9.210_340_371_976_184;

impl Controller {
    /// A controller for an estimate of order `error_order` (error `O(h^error_order)`) and steps of at most `max_step`
    /// (s).
    pub fn new(settings: ControllerSettings, error_order: u32, max_step: f64) -> Self {
        let elementary = 1.0 / f64::from(error_order);
        let alpha = elementary - settings.share * settings.beta;
        let (alpha_rejected, previous_logarithm) =
            if settings.rejection == Rejection::Plain { (elementary, f64::NAN) } else { (alpha, LOWEST) };
        let (largest, smallest) = (1.0 / settings.factor_min, 1.0 / settings.factor_max);
        Self {
            settings,
            alpha,
            alpha_rejected,
            largest,
            smallest,
            max_step,
            previous_logarithm,
            after_rejection: false,
        }
    }

    /// Judges a step of size `h` (s) with estimated error `error`: whether it is accepted, and the size of the next
    /// step or attempt. An error that is not finite rejects the step with the smallest factor.
    #[inline]
    pub fn judge(&mut self, error: f64, h: f64) -> (bool, f64) {
        let ControllerSettings { beta, safety, factor_min, .. } = self.settings;
        if !error.is_finite() {
            self.after_rejection = true;
            return (false, h * factor_min);
        }
        // errᵅ and errᵅ err_old⁻ᵝ are computed as exponentials of logarithms: half the cost of two powers
        let logarithm = error.ln();
        if error > 1.0 {
            let again = std::mem::replace(&mut self.after_rejection, true);
            if again && self.settings.rejection == Rejection::Halving {
                return (false, 0.5 * h);
            }
            return (false, h / self.largest.min((self.alpha_rejected * logarithm).exp() / safety));
        }
        if self.previous_logarithm.is_nan() {
            self.previous_logarithm = if logarithm > LOWEST { logarithm } else { LOWEST };
        }
        let damped = (self.alpha * logarithm - beta * self.previous_logarithm).exp();
        // These are comparisons because no operand is NaN; `f64::min` would take seven instructions to handle NaN.
        let quotient = damped / safety;
        let quotient = if quotient > self.smallest { quotient } else { self.smallest };
        let quotient = if quotient < self.largest { quotient } else { self.largest };
        let mut next = h / quotient;
        if next > self.max_step {
            next = self.max_step;
        }
        self.previous_logarithm = if logarithm > LOWEST { logarithm } else { LOWEST };
        if self.after_rejection {
            next = match self.settings.rejection {
                Rejection::NoGrowth => next.min(h),
                Rejection::Plain => next,
                Rejection::Halving | Rejection::Keeping => h,
            };
        }
        self.after_rejection = false;
        (true, next)
    }
}
