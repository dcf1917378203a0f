//! Linear multistep formulas.

use mbsbench_problem::{Exact, OutOfRange, parameters};

use crate::implicit::{LinearMultistep, Multistep, Start};

/// Maximum number of past steps.
const STEPS: usize = 12;

parameters! {
    /// `y_k = Σⱼ αⱼ y_{k−j} + h Σⱼ βⱼ y′_{k−j}`, with `j` from 1 in the first sum and from 0 in the second. `start`
    /// determines the first steps, so that a run converges with order three at most. A step of another size, at the end
    /// of a span, uses LMS2 for variable steps.
    #[derive(Default)]
    pub struct MultistepFormula where fits, converges {
        /// `α₁ … α_r`, which sum to 1.
        pub alpha: Vec<Exact>,
        /// `β₀ … β_r`, with `β₀` not zero.
        pub beta: Vec<Exact>,
        /// ρ∞, spectral radius at infinite frequency, of the LMS2 and LMS3 steps used at the start (with
        /// `start: ladder`) and for a step of another size. From 0 (the default; LMS2 is then BDF2) to 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub rho_inf: Option<f64> [from 0.0, to 1.0],
    }
}

impl MultistepFormula {
    fn formula(&self) -> LinearMultistep {
        let rounded = |numbers: &[Exact]| numbers.iter().map(Exact::rounded).collect();
        LinearMultistep { alpha: rounded(&self.alpha), beta: rounded(&self.beta) }
    }

    fn fits(&self) -> Result<(), OutOfRange> {
        let (alpha, beta) = (self.alpha.len(), self.beta.len());
        let length = |length: usize| format!("a list of length {length}");
        let accepted = format!("1 to {STEPS} numbers");
        OutOfRange::unless((1..=STEPS).contains(&alpha), "alpha", length(alpha), accepted)?;
        let accepted = format!("{} numbers from β₀ on, one more than in `alpha`", alpha + 1);
        OutOfRange::unless(beta == alpha + 1, "beta", length(beta), accepted)?;
        let accepted = "a number below 1, since the formulas that start the run are not zero-stable with 1";
        OutOfRange::unless(alpha <= 2 || self.rho_inf != Some(1.0), "rho-inf", 1.0, accepted)?;
        let accepted = "a nonzero number, since the formula has to be implicit";
        OutOfRange::unless(self.beta[0].rounded() != 0.0, "beta.0", "zero", accepted)
    }

    fn converges(&self) -> Result<(), OutOfRange> {
        let formula = self.formula();
        let (order, sum) = (formula.order(1), formula.alpha.iter().sum::<f64>());
        let found = format!("the formula has order {order} by the order conditions (`alpha` sums to {sum})");
        OutOfRange::clause_if(order < 1, "alpha", found, "coefficients of at least order 1")?;
        let found = "the formula is not zero-stable: errors grow for every step size";
        let accepted = "roots of ρ in the unit circle, simple if on it";
        OutOfRange::clause_if(!formula.is_zero_stable(), "alpha", found, accepted)
    }

    /// The formula with the method of its first steps.
    pub(super) fn rule(&self, start: Start) -> Multistep {
        Multistep::damped(self.formula(), self.rho_inf.unwrap_or(0.0), start)
    }
}
