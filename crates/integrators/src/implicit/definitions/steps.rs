//! Formulas with one implicit point per step.

use crate::implicit::settings::{Charts, InitialDerivatives, Options, Prediction, Start, with_settings};
use crate::implicit::{Implicit, LinearMultistep, Multistep, SingleStep};
use crate::newton::JacobianUse;

macro_rules! multistep {
    ($(#[$doc:meta])* $type:ident, $formula:ident, $name:literal, $summary:literal) => {
        damped!(
            $(#[$doc])*
            $type {
                /// The first steps: `trapezoidal` or `ladder`.
                pub start: Start = Start::default(),
            }
            $name, "linear-multistep", $summary,
            "zhang2022, Eq. 2; H. Zhang, R. Zhang, P. Masarati, Comput. Mech. 67 (2021) 289–313",
            |formula| Multistep::damped(LinearMultistep::$formula(formula.rho_inf), formula.rho_inf, formula.start)
        );
    };
}

macro_rules! single_step {
    ($(#[$doc:meta])* $type:ident, $formula:ident, $name:literal, $summary:literal) => {
        damped!(
            $(#[$doc])*
            $type {}
            $name, "single-step", $summary,
            "zhang2022, Eqs. 4, 9 to 11 and 18 to 20; H. Zhang, R. Zhang, P. Masarati, Comput. Mech. 67 (2021) 289–313",
            |formula| SingleStep::$formula(formula.rho_inf)
        );
    };
}

multistep!(
    /// LMS2: the linear two-step formula with a chosen spectral radius at infinity; order 2, A-stable.
    ///
    /// A step of a different size than the previous one, such as the last step of a span that is not a multiple of
    /// the step, uses the formula for variable steps.
    Lms2, lms2, "lms2", "Linear two-step method of order 2, spectral radius ρ∞ at infinite frequency (LMS2)"
);
multistep!(
    /// LMS3: the linear three-step formula with a chosen spectral radius at infinity; order 2, A-stable.
    ///
    /// A last step of a different size uses LMS2 for variable steps with the same `rho-inf`. The method is refused
    /// with `rho-inf` = 1, for which it is not zero-stable.
    Lms3, lms3, "lms3", "Linear three-step method of order 2, spectral radius ρ∞ at infinite frequency (LMS3)"
);
multistep!(
    /// LMS4: the linear four-step formula with a chosen spectral radius at infinity; order 2, A-stable.
    ///
    /// A last step of a different size uses LMS2 for variable steps with the same `rho-inf`. The method is refused
    /// with `rho-inf` = 1, for which it is not zero-stable.
    Lms4, lms4, "lms4", "Linear four-step method of order 2, spectral radius ρ∞ at infinite frequency (LMS4)"
);
single_step!(
    /// SS2: LMS2 with one auxiliary derivative in place of the past step; order 2, A-stable.
    Ss2, ss2, "ss2", "Single-step equivalent of LMS2 with one auxiliary derivative (SS2)"
);
single_step!(
    /// SS3: LMS3 with two complex auxiliary derivatives in place of past steps; order 2, A-stable.
    Ss3, ss3, "ss3", "Single-step equivalent of LMS3 with two auxiliary derivatives (SS3)"
);
single_step!(
    /// SS4: LMS4 with three auxiliary derivatives, two of them complex, in place of past steps; order 2, A-stable.
    Ss4, ss4, "ss4", "Single-step equivalent of LMS4 with three auxiliary derivatives (SS4)"
);

formula!(
    /// The trapezoidal rule: order 2, A-stable, without damping. Multipliers of index-3 mechanics alternate and do
    /// not converge.
    Trapezoidal {}
    "trapezoidal", "linear-multistep", "Trapezoidal rule of order 2, without damping", "zhang2022, Eq. 3",
    |_| Multistep::damped(LinearMultistep::trapezoidal(), 1.0, Start::Trapezoidal)
);
