//! The implicit formulas under their names in experiment files.

use mbsbench_problem::OutOfRange;

use super::settings::{Charts, InitialDerivatives, Options, Prediction, Start, with_settings};
use super::{Implicit, LinearMultistep, Multistep, SingleStep};
use crate::newton::JacobianUse;
use crate::{Tableau, tableaux};

/// Defines a method from a formula with its own parameters, the settings common to all implicit formulas, and its
/// rule.
macro_rules! formula {
    ($($formula:tt)*) => { with_settings!(formula_with! { $($formula)* }); };
}

/// The implementation of `formula!`, with the common settings in front.
macro_rules! formula_with {
    (
        {
            $($(#[$about:meta])*
            $setting:ident: $kind:ty $([$($range:tt)+])? => $option:ident $(, silent $silent:literal)?;)*
        }
        $(#[$doc:meta])*
        $type:ident $(where $condition:ident)? { $($fields:tt)* }
        $name:literal, $family:literal, $summary:literal, $source:literal, $rule:expr
    ) => {
        method! {
            $(#[$doc])*
            pub struct $type $(where $condition)? {
                $($fields)*
                $(
                    $(#[$about])*
                    $(#[serde(skip_serializing_if = $silent)])?
                    pub $setting: $kind $([$($range)+])? = Options::default().$option,
                )*
            }
            $name, $family, $summary, $source,
            |settings| {
                let rule: fn(&$type) -> _ = $rule;
                Implicit { rule: rule(settings), options: Options { $($option: settings.$setting),* } }
            }
        }
    };
}

/// Defines a method from a formula that exists for any `rho_inf` from 0 to 1.
macro_rules! damped {
    ($(#[$doc:meta])* $type:ident { $($fields:tt)* } $($definition:tt)*) => {
        formula!(
            $(#[$doc])*
            $type {
                /// ρ∞: the spectral radius at infinite frequency, from 0 (annihilates) to 1 (does not damp).
                pub rho_inf: f64 [from 0.0, to 1.0] = 0.6,
                $($fields)*
            }
            $($definition)*
        );
    };
}

/// Defines a linear multistep method.
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
damped!(
    /// SS2: LMS2 with one auxiliary derivative in place of the past step; order 2, A-stable.
    Ss2 {}
    "ss2", "single-step", "Single-step equivalent of LMS2 with one auxiliary derivative (SS2)",
    "zhang2022, Eqs. 4, 9 to 11 and 18 to 20; H. Zhang, R. Zhang, P. Masarati, Comput. Mech. 67 (2021) 289–313",
    |formula| SingleStep::ss2(formula.rho_inf)
);
damped!(
    /// SS3: LMS3 with two complex auxiliary derivatives in place of past steps; order 2, A-stable.
    Ss3 {}
    "ss3", "single-step", "Single-step equivalent of LMS3 with two auxiliary derivatives (SS3)",
    "zhang2022, Eqs. 4, 9 to 11 and 18 to 20; H. Zhang, R. Zhang, P. Masarati, Comput. Mech. 67 (2021) 289–313",
    |formula| SingleStep::ss3(formula.rho_inf)
);
damped!(
    /// SS4: LMS4 with three auxiliary derivatives, two of them complex, in place of past steps; order 2, A-stable.
    Ss4 {}
    "ss4", "single-step", "Single-step equivalent of LMS4 with three auxiliary derivatives (SS4)",
    "zhang2022, Eqs. 4, 9 to 11 and 18 to 20; H. Zhang, R. Zhang, P. Masarati, Comput. Mech. 67 (2021) 289–313",
    |formula| SingleStep::ss4(formula.rho_inf)
);

formula!(
    /// The trapezoidal rule: order 2, A-stable, without damping. Multipliers of index-3 mechanics alternate and do
    /// not converge.
    Trapezoidal {}
    "trapezoidal", "linear-multistep", "Trapezoidal rule of order 2, without damping", "zhang2022, Eq. 3",
    |_| Multistep::damped(LinearMultistep::trapezoidal(), 1.0, Start::Trapezoidal)
);

damped!(
    /// The ρ∞-Bathe method: a trapezoidal substep and a last stage; order 2, A-stable.
    Bathe {}
    "bathe", "composite",
    "Composite method of two substeps, order 2, spectral radius ρ∞ at infinite frequency (ρ∞-Bathe)",
    "zhang2022, Eq. 7; G. Noh, K. J. Bathe, Comput. Struct. 212 (2019) 299–310",
    |formula| Tableau::bathe(formula.rho_inf)
);
damped!(
    /// MSSTC(3): two trapezoidal substeps and a last stage; order 2, A-stable, low frequencies preserved best.
    Msstc3 {}
    "msstc3", "composite",
    "Composite method of three substeps, order 2, spectral radius ρ∞ at infinite frequency (MSSTC(3))",
    "zhang2022, section 2.3; H. Zhang, R. Zhang, Y. Xing, P. Masarati, Nonlinear Dyn. 102 (2020) 1939–1962",
    |formula| Tableau::msstc(3, formula.rho_inf)
);
damped!(
    /// MSSTC(4): three trapezoidal substeps and a last stage; order 2, A-stable, low frequencies preserved best.
    Msstc4 {}
    "msstc4", "composite",
    "Composite method of four substeps, order 2, spectral radius ρ∞ at infinite frequency (MSSTC(4))",
    "zhang2022, section 2.3; H. Zhang, R. Zhang, Y. Xing, P. Masarati, Nonlinear Dyn. 102 (2020) 1939–1962",
    |formula| Tableau::msstc(4, formula.rho_inf)
);
damped!(
    /// MSSTC(5): four trapezoidal substeps and a last stage; order 2, A-stable, low frequencies preserved best.
    Msstc5 {}
    "msstc5", "composite",
    "Composite method of five substeps, order 2, spectral radius ρ∞ at infinite frequency (MSSTC(5))",
    "zhang2022, section 2.3; H. Zhang, R. Zhang, Y. Xing, P. Masarati, Nonlinear Dyn. 102 (2020) 1939–1962",
    |formula| Tableau::msstc(5, formula.rho_inf)
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
formula!(
    /// ESDIRK3(2)4L\[2\]SA: three implicit stages, order 3, stage order 2, L-stable. Order 2 on index-3
    /// mechanics.
    Esdirk324l2sa {}
    "esdirk324l2sa", "esdirk", "ESDIRK method of three implicit stages, order 3, L-stable (ESDIRK3(2)4L[2]SA)",
    "C. A. Kennedy, M. H. Carpenter, NASA/TM–2016–219173", |_| tableaux::ESDIRK324L2SA.clone()
);
formula!(
    /// ESDIRK3(2)5L\[2\]SA: four implicit stages, order 3, stage order 2, L-stable. Order 2 on index-3
    /// mechanics.
    Esdirk325l2sa {}
    "esdirk325l2sa", "esdirk", "ESDIRK method of four implicit stages, order 3, L-stable (ESDIRK3(2)5L[2]SA)",
    "C. A. Kennedy, M. H. Carpenter, NASA/TM–2016–219173", |_| tableaux::ESDIRK325L2SA.clone()
);
formula!(
    /// ESDIRK4(3)6L\[2\]SA₂: five implicit stages, order 4, stage order 2, L-stable. Order 2 on index-3
    /// mechanics.
    Esdirk436l2sa2 {}
    "esdirk436l2sa2", "esdirk", "ESDIRK method of five implicit stages, order 4, L-stable (ESDIRK4(3)6L[2]SA2)",
    "C. A. Kennedy, M. H. Carpenter, Appl. Numer. Math. 146 (2019) 221–244, table 9",
    |_| tableaux::ESDIRK436L2SA2.clone()
);
formula!(
    /// ESDIRK5(4)7L\[2\]SA₂: six implicit stages, order 5, stage order 2, L-stable. Order 2 on index-3 mechanics.
    Esdirk547l2sa2 {}
    "esdirk547l2sa2", "esdirk", "ESDIRK method of six implicit stages, order 5, L-stable (ESDIRK5(4)7L[2]SA2)",
    "C. A. Kennedy, M. H. Carpenter, Appl. Numer. Math. 146 (2019) 221–244", |_| tableaux::ESDIRK547L2SA2.clone()
);
formula!(
    /// The implicit part of the additive pair ARK4(3)6L\[2\]SA: five implicit stages, order 4, stage order 2, L-stable.
    /// Order 2 on index-3 mechanics.
    Ark436l2saImplicit {}
    "ark436l2sa-implicit", "esdirk",
    "ESDIRK method of five implicit stages, order 4, L-stable (implicit part of ARK4(3)6L[2]SA)",
    "C. A. Kennedy, M. H. Carpenter, Appl. Numer. Math. 44 (2003) 139–181", |_| tableaux::ARK436L2SA_IMPLICIT.clone()
);
formula!(
    /// SDIRK4 of Hairer and Wanner: five implicit stages, order 4, stage order 1, L-stable. Order 1 on index-3
    /// mechanics, whose multipliers do not converge.
    Sdirk4 {}
    "sdirk4", "implicit-runge-kutta",
    "SDIRK method of five implicit stages, order 4, L-stable (SDIRK4 of Hairer and Wanner)",
    "Hairer, Wanner, Solving ODEs II, table IV.6.5", |_| tableaux::SDIRK4.clone()
);

damped!(
    /// Three sub-steps with one effective stiffness matrix, for any ρ∞: order 3, stage order 2, A-stable. On index-3
    /// mechanics q and v have order 2 and λ has order 1.
    Substep3 {}
    "substep3", "sub-step", "Method of three sub-steps, order 3, spectral radius ρ∞ at infinite frequency",
    "J. Li, H. Li, R. Zhao, K. Yu, arXiv 2209.13820; coefficients derived, free nodes our choice",
    |formula| Tableau::substep(3, formula.rho_inf)
);
damped!(
    /// Four sub-steps with one effective stiffness matrix, for any ρ∞: order 4, stage order 2, A-stable. On index-3
    /// mechanics q and v have order 2 and λ has order 1.
    Substep4 {}
    "substep4", "sub-step", "Method of four sub-steps, order 4, spectral radius ρ∞ at infinite frequency",
    "J. Li, H. Li, R. Zhao, K. Yu, arXiv 2209.13820; coefficients derived, free nodes our choice",
    |formula| Tableau::substep(4, formula.rho_inf)
);
damped!(
    /// Five sub-steps with one effective stiffness matrix, for any ρ∞: order 5, stage order 2, A-stable. On index-3
    /// mechanics q and v have order 2 and λ has order 1.
    Substep5 {}
    "substep5", "sub-step", "Method of five sub-steps, order 5, spectral radius ρ∞ at infinite frequency",
    "J. Li, H. Li, R. Zhao, K. Yu, arXiv 2209.13820; coefficients derived, free nodes our choice",
    |formula| Tableau::substep(5, formula.rho_inf)
);

/// Passes all methods of this module to a macro, for tests that apply to each of them.
#[macro_export]
macro_rules! for_each_implicit_method {
    ($macro:ident) => {
        $macro! {
            Trapezoidal Lms2 Lms3 Lms4 Ss2 Ss3 Ss4 Bathe Msstc3 Msstc4 Msstc5 Mssth3 Mssth4 Mssth5
            Esdirk324l2sa Esdirk325l2sa Esdirk436l2sa2 Esdirk547l2sa2 Ark436l2saImplicit Sdirk4
            Substep3 Substep4 Substep5
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use mbsbench_problem::{Method, MethodDefinition};

    #[test]
    fn stage_counts_match_those_used_for_comparison() {
        let stages = |definition: Box<dyn Method>| definition.implicit_stages();
        assert_eq!(stages(Lms4::default().method()), 1);
        assert_eq!(stages(Ss3::default().method()), 1);
        assert_eq!(stages(Bathe::default().method()), 2);
        assert_eq!(stages(Msstc5::default().method()), 5);
        assert_eq!(stages(Mssth4::default().method()), 4);
        assert_eq!(stages(Esdirk324l2sa::default().method()), 3);
        assert_eq!(stages(Esdirk325l2sa::default().method()), 4);
        assert_eq!(stages(Esdirk436l2sa2::default().method()), 5);
        assert_eq!(stages(Sdirk4::default().method()), 5);
    }
}
