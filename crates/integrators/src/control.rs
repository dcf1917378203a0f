//! Error-controlled step size: the controllers of Hairer, Nørsett and Wanner.

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
    /// Share of β by which the exponent of the present error is less than `1/k`.
    pub share: f64,
    /// Safety factor.
    pub safety: f64,
    /// Smallest factor between two steps.
    pub factor_min: f64,
    /// Largest factor between two steps.
    pub factor_max: f64,
    /// What changes where a step was rejected.
    pub rejection: Rejection,
    /// A step that would end so close to the end of the span, with its size times this factor, goes to the end.
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

/// What the law does around rejections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rejection {
    /// No growth right after one (Hairer, Nørsett, Wanner). The first step counts as if an error of 1e-4 were before it.
    NoGrowth,
    /// Nothing: a step may grow right after one. A rejected step shrinks by the elementary law, and the first step has no
    /// error before it.
    Plain,
    /// The second rejection of a step and further ones halve it, and the step keeps its size once it is accepted (ode45).
    Halving,
    /// Every rejection shrinks the step by the law, and it keeps its size once it is accepted (ode23s).
    Keeping,
}

impl ControllerSettings {
    /// The elementary controller, factors between 1/5 and 5.
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

    /// The controllers of gil2013, Eqs. 38 (`beta` zero) and 40: `α = 1/k − 3 β/4`, that is `k_P = β` and `k_I = 3 β/4`
    /// for `β = 0.4/k`, the constants of K. Gustafsson, ACM Trans. Math. Softw. 17 (1991) 533–554. The paper bounds no
    /// factor; those here only keep an error of zero or infinity from ending the run.
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

/// What the controller says of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    /// The step stands; the next one has this size, s.
    Accepted(f64),
    /// The step is to be repeated with this size, s.
    Rejected(f64),
}

/// The controller's state.
#[derive(Debug, Clone)]
pub struct Controller {
    settings: ControllerSettings,
    alpha: f64,
    /// Exponent of the error after a rejection.
    alpha_rejected: f64,
    /// Largest quotient of a step and the next one.
    largest: f64,
    /// Smallest quotient.
    smallest: f64,
    max_step: f64,
    /// Logarithm of the error of the step accepted last; not a number where there is none.
    previous_logarithm: f64,
    after_rejection: bool,
}

/// Logarithm of 1e-4: errors below are counted as that, lest a lucky step make the next one too small.
const LOWEST: f64 = -9.210_340_371_976_184;

impl Controller {
    /// A controller for an estimate of order `error_order` (error `O(h^error_order)`) and steps up to `max_step` (s).
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

    /// Judges a step of size `h` (s) with estimated error `error`. An error that is not finite is a rejection
    /// with the smallest factor.
    #[inline]
    pub fn judge(&mut self, error: f64, h: f64) -> Verdict {
        let ControllerSettings { beta, safety, factor_min, .. } = self.settings;
        if !error.is_finite() {
            self.after_rejection = true;
            return Verdict::Rejected(h * factor_min);
        }
        // errᵅ and errᵅ err_old⁻ᵝ as exponentials of the logarithms: half the cost of two powers
        let logarithm = error.ln();
        if error > 1.0 {
            let again = std::mem::replace(&mut self.after_rejection, true);
            if again && self.settings.rejection == Rejection::Halving {
                return Verdict::Rejected(0.5 * h);
            }
            return Verdict::Rejected(h / self.largest.min((self.alpha_rejected * logarithm).exp() / safety));
        }
        if self.previous_logarithm.is_nan() {
            self.previous_logarithm = if logarithm > LOWEST { logarithm } else { LOWEST };
        }
        let damped = (self.alpha * logarithm - beta * self.previous_logarithm).exp();
        // Comparisons, since nothing here is not a number and `f64::min` would take seven instructions to heed that.
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
        Verdict::Accepted(next)
    }
}
