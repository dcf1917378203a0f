//! The first trial of the search for a step size.

use mbsbench_problem::parameters;

parameters! {
    /// The first trial of a step, from the previous step and the residuals `r` of the last two steps: a controller
    /// that drives `log(1 + r)` to zero.
    #[derive(Copy, Default, Eq)]
    pub enum Predictor {
        /// Integral control, `u_{k+1} = u_k/(1 + r_k)` (modin2005, Eq. 15).
        #[default]
        I,
        /// Proportional and integral control, `u_{k+1} = u_k (1 + r_k)^(−k_I − k_P) (1 + r_{k−1})^(k_P)`. The paper
        /// suggests such a controller without giving gains.
        Pi,
    }
}

impl Predictor {
    /// Returns the first trial after a step of size `u` with residual `r`, whose predecessor had the residual
    /// `before`. Residuals exceed −1. The gains come from [`Pi`](Self::Pi).
    pub(super) fn next(self, u: f64, r: f64, before: f64, [integral, proportional]: [f64; 2]) -> f64 {
        match self {
            Self::I => u / (1.0 + r),
            Self::Pi => u * (1.0 + r).powf(-integral - proportional) * (1.0 + before).powf(proportional),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact_power::objective::residual;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn both_are_controllers_of_the_logarithm(u in 1e-6..1.1_f64, r in -0.99..0.99_f64, before in -0.99..0.99_f64) {
            let change = |predictor: Predictor| predictor.next(u, r, before, [0.3, 0.4]).ln() - u.ln();
            let (error, last) = (r.ln_1p(), before.ln_1p());
            prop_assert!((change(Predictor::I) + error).abs() < 1e-12, "Equation 15");
            prop_assert!((change(Predictor::Pi) + 0.3 * error + 0.4 * (error - last)).abs() < 1e-12);
        }

        /// Geometric interpretation in section 5.3: the root of the line through (0, −1) and (u, r) is the root of
        /// the residual if W is constant.
        #[test]
        fn the_prediction_is_exact_for_a_constant_objective(u in 1e-6..1.1_f64, w in 1e-6..1.0_f64) {
            let predicted = Predictor::I.next(u, residual(u, [1.0 / w; 2]), 0.0, [0.3, 0.4]);
            prop_assert!((predicted / w - 1.0).abs() < 1e-9);
            prop_assert!(residual(predicted, [1.0 / w; 2]).abs() < 1e-9);
        }
    }
}
