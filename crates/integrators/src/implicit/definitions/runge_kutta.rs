//! Diagonally implicit Runge–Kutta formulas.

use mbsbench_problem::OutOfRange;

use crate::implicit::Implicit;
use crate::implicit::settings::{Charts, InitialDerivatives, Options, Prediction, with_settings};
use crate::newton::JacobianUse;
use crate::{Tableau, tableaux};

/// Defines a method with composite steps.
macro_rules! composite {
    ($(#[$doc:meta])* $type:ident, $rule:expr, $name:literal, $summary:literal, $source:literal) => {
        damped!($(#[$doc])* $type {} $name, "composite", $summary, $source, $rule);
    };
}

/// Defines a method from a formula whose coefficients are known for a few values of `rho_inf`.
macro_rules! tabulated {
    ($(#[$doc:meta])* $type:ident, $n:literal, $name:literal, $summary:literal) => {
        formula!(
            $(#[$doc])*
            $type where rho_inf_is_tabulated {
                /// ρ∞: the spectral radius at infinite frequency: 0, 0.6 or 1.
                pub rho_inf: f64 = 0.0,
            }
            $name, "esdirk", $summary, "zhang2022, appendix; nodes from the authors' program",
            |formula| Tableau::mssth($n, formula.rho_inf).expect("`check` accepts known values only")
        );

        impl $type {
            fn rho_inf_is_tabulated(&self) -> Result<(), OutOfRange> {
                let known = Tableau::mssth($n, self.rho_inf).map(|_| ());
                known.ok_or_else(|| OutOfRange::new("rho-inf", self.rho_inf, "0, 0.6 or 1"))
            }
        }
    };
}

/// Defines a method from a formula without parameters.
macro_rules! fixed {
    (
        $(#[$doc:meta])* $type:ident, $tableau:ident, $name:literal, $family:literal, $summary:literal, $source:literal
    ) => {
        formula!($(#[$doc])* $type {} $name, $family, $summary, $source, |_| tableaux::$tableau.clone());
    };
}

composite!(
    /// The ρ∞-Bathe method: a trapezoidal substep and a last stage; order 2, A-stable.
    Bathe, |formula| Tableau::bathe(formula.rho_inf), "bathe",
    "Composite method of two substeps, order 2, spectral radius ρ∞ at infinite frequency (ρ∞-Bathe)",
    "zhang2022, Eq. 7; G. Noh, K. J. Bathe, Comput. Struct. 212 (2019) 299–310"
);
composite!(
    /// MSSTC(3): two trapezoidal substeps and a last stage; order 2, A-stable, low frequencies preserved best.
    Msstc3, |formula| Tableau::msstc(3, formula.rho_inf), "msstc3",
    "Composite method of three substeps, order 2, spectral radius ρ∞ at infinite frequency (MSSTC(3))",
    "zhang2022, section 2.3; H. Zhang, R. Zhang, Y. Xing, P. Masarati, Nonlinear Dyn. 102 (2020) 1939–1962"
);
composite!(
    /// MSSTC(4): three trapezoidal substeps and a last stage; order 2, A-stable, low frequencies preserved best.
    Msstc4, |formula| Tableau::msstc(4, formula.rho_inf), "msstc4",
    "Composite method of four substeps, order 2, spectral radius ρ∞ at infinite frequency (MSSTC(4))",
    "zhang2022, section 2.3; H. Zhang, R. Zhang, Y. Xing, P. Masarati, Nonlinear Dyn. 102 (2020) 1939–1962"
);
composite!(
    /// MSSTC(5): four trapezoidal substeps and a last stage; order 2, A-stable, low frequencies preserved best.
    Msstc5, |formula| Tableau::msstc(5, formula.rho_inf), "msstc5",
    "Composite method of five substeps, order 2, spectral radius ρ∞ at infinite frequency (MSSTC(5))",
    "zhang2022, section 2.3; H. Zhang, R. Zhang, Y. Xing, P. Masarati, Nonlinear Dyn. 102 (2020) 1939–1962"
);
tabulated!(
    /// MSSTH(3), modified: three implicit stages, order 3, stage order 2, A-stable. Order 2 on index-3 mechanics.
    Mssth3, 3, "mssth3",
    "ESDIRK method of three implicit stages, order 3, spectral radius ρ∞ at infinite frequency (MSSTH(3))"
);
tabulated!(
    /// MSSTH(4), modified: four implicit stages, order 4, stage order 2, A-stable. Order 2 on index-3 mechanics.
    Mssth4, 4, "mssth4",
    "ESDIRK method of four implicit stages, order 4, spectral radius ρ∞ at infinite frequency (MSSTH(4))"
);
tabulated!(
    /// MSSTH(5), modified: five implicit stages, order 5, stage order 2, A-stable. Order 2 on index-3 mechanics.
    Mssth5, 5, "mssth5",
    "ESDIRK method of five implicit stages, order 5, spectral radius ρ∞ at infinite frequency (MSSTH(5))"
);
fixed!(
    /// ESDIRK3(2)4L\[2\]SA: three implicit stages, order 3, stage order 2, L-stable. Order 2 on index-3
    /// mechanics.
    Esdirk324l2sa, ESDIRK324L2SA, "esdirk324l2sa", "esdirk",
    "ESDIRK method of three implicit stages, order 3, L-stable (ESDIRK3(2)4L[2]SA)",
    "C. A. Kennedy, M. H. Carpenter, NASA/TM–2016–219173"
);
fixed!(
    /// ESDIRK3(2)5L\[2\]SA: four implicit stages, order 3, stage order 2, L-stable. Order 2 on index-3
    /// mechanics.
    Esdirk325l2sa, ESDIRK325L2SA, "esdirk325l2sa", "esdirk",
    "ESDIRK method of four implicit stages, order 3, L-stable (ESDIRK3(2)5L[2]SA)",
    "C. A. Kennedy, M. H. Carpenter, NASA/TM–2016–219173"
);
fixed!(
    /// ESDIRK4(3)6L\[2\]SA₂: five implicit stages, order 4, stage order 2, L-stable. Order 2 on index-3
    /// mechanics.
    Esdirk436l2sa2, ESDIRK436L2SA2, "esdirk436l2sa2", "esdirk",
    "ESDIRK method of five implicit stages, order 4, L-stable (ESDIRK4(3)6L[2]SA2)",
    "C. A. Kennedy, M. H. Carpenter, Appl. Numer. Math. 146 (2019) 221–244, table 9"
);
fixed!(
    /// ESDIRK5(4)7L\[2\]SA₂: six implicit stages, order 5, stage order 2, L-stable. Order 2 on index-3 mechanics.
    Esdirk547l2sa2, ESDIRK547L2SA2, "esdirk547l2sa2", "esdirk",
    "ESDIRK method of six implicit stages, order 5, L-stable (ESDIRK5(4)7L[2]SA2)",
    "C. A. Kennedy, M. H. Carpenter, Appl. Numer. Math. 146 (2019) 221–244"
);
fixed!(
    /// The implicit part of the additive pair ARK4(3)6L\[2\]SA: five implicit stages, order 4, stage order 2, L-stable.
    /// Order 2 on index-3 mechanics.
    Ark436l2saImplicit, ARK436L2SA_IMPLICIT, "ark436l2sa-implicit", "esdirk",
    "ESDIRK method of five implicit stages, order 4, L-stable (implicit part of ARK4(3)6L[2]SA)",
    "C. A. Kennedy, M. H. Carpenter, Appl. Numer. Math. 44 (2003) 139–181"
);
fixed!(
    /// SDIRK4 of Hairer and Wanner: five implicit stages, order 4, stage order 1, L-stable. Order 1 on index-3
    /// mechanics, whose multipliers do not converge.
    Sdirk4, SDIRK4, "sdirk4", "implicit-runge-kutta",
    "SDIRK method of five implicit stages, order 4, L-stable (SDIRK4 of Hairer and Wanner)",
    "Hairer, Wanner, Solving ODEs II, table IV.6.5"
);
