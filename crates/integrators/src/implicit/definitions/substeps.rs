//! Dissipation-controlled multi-sub-step methods.

use crate::Tableau;
use crate::implicit::Implicit;
use crate::implicit::settings::{Charts, InitialDerivatives, Options, Prediction, with_settings};
use crate::newton::JacobianUse;

/// Defines a method of `n` sub-steps.
macro_rules! substep {
    ($(#[$doc:meta])* $type:ident, $n:literal, $name:literal, $summary:literal) => {
        damped!(
            $(#[$doc])*
            $type {}
            $name, "sub-step", $summary,
            "J. Li, H. Li, R. Zhao, K. Yu, arXiv 2209.13820; coefficients derived, free nodes our choice",
            |formula| Tableau::substep($n, formula.rho_inf)
        );
    };
}

substep!(
    /// Three sub-steps with one effective stiffness matrix, for any ρ∞: order 3, stage order 2, A-stable. On index-3
    /// mechanics q and v have order 2 and λ has order 1.
    Substep3, 3, "substep3", "Method of three sub-steps, order 3, spectral radius ρ∞ at infinite frequency"
);
substep!(
    /// Four sub-steps with one effective stiffness matrix, for any ρ∞: order 4, stage order 2, A-stable. On index-3
    /// mechanics q and v have order 2 and λ has order 1.
    Substep4, 4, "substep4", "Method of four sub-steps, order 4, spectral radius ρ∞ at infinite frequency"
);
substep!(
    /// Five sub-steps with one effective stiffness matrix, for any ρ∞: order 5, stage order 2, A-stable. On index-3
    /// mechanics q and v have order 2 and λ has order 1.
    Substep5, 5, "substep5", "Method of five sub-steps, order 5, spectral radius ρ∞ at infinite frequency"
);
