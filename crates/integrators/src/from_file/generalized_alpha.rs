//! Weights of the generalized-α formulas.

use mbsbench_problem::linear::spectral_radius;
use mbsbench_problem::{Exact, Method, OutOfRange, parameters};

use crate::low_order::{Discretisation, GeneralizedAlphaWeights, NewtonSettings, generalized_alpha};

parameters! {
    /// Weights of the formulas
    ///
    /// ```text
    /// q₁ = q₀ + h v₀ + h² ((1/2 − β) ā₀ + β ā₁),   v₁ = v₀ + h ((1 − γ) ā₀ + γ ā₁)
    /// (1 − α_m) ā₁ + α_m ā₀ = (1 − α_f) a₁ + α_f a₀
    /// ```
    ///
    /// with the equations of motion and the constraints at the end of the step, as in `generalized-alpha`.
    #[derive(Default)]
    pub struct GeneralizedAlphaSet where can_be_solved {
        /// α_m, below 1.
        pub alpha_m: Exact,
        /// α_f, below 1.
        pub alpha_f: Exact,
        /// β, above 0.
        pub beta: Exact,
        /// γ.
        pub gamma: Exact,
    }
}

impl GeneralizedAlphaSet {
    fn weights(&self) -> GeneralizedAlphaWeights {
        let [alpha_m, alpha_f, beta, gamma] =
            [&self.alpha_m, &self.alpha_f, &self.beta, &self.gamma].map(Exact::rounded);
        GeneralizedAlphaWeights { alpha_m, alpha_f, beta, gamma }
    }

    fn can_be_solved(&self) -> Result<(), OutOfRange> {
        let GeneralizedAlphaWeights { alpha_m, alpha_f, beta, .. } = self.weights();
        for (name, value) in [("alpha-m", alpha_m), ("alpha-f", alpha_f)] {
            OutOfRange::unless(value < 1.0, name, value, "a number below 1")?;
        }
        OutOfRange::unless(beta > 0.0, "beta", beta, "a number above zero")?;
        let step = 0.1;
        let radius = spectral_radius(&Discretisation::GeneralizedAlpha(self.weights()).amplification(0.0, step));
        let grows = "the method is unstable: an oscillation grows by";
        let found = format!("{grows} {:.2e} in a step of {step} radians", radius - 1.0);
        OutOfRange::clause_if(radius > 1.0 + 1e-9, "gamma", found, "weights that are stable for small steps")
    }

    /// The method with these weights.
    pub(super) fn method(&self, newton: NewtonSettings) -> impl Method + use<> {
        generalized_alpha(self.weights(), newton)
    }
}
