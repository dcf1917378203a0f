//! The implicit formulas under their names in experiment files.

pub use runge_kutta::*;
pub use steps::*;
pub use substeps::*;

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

mod runge_kutta;
mod steps;
mod substeps;

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
