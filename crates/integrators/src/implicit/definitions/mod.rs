//! The implicit formulas as experiment files name them.

pub use runge_kutta::{
    Bathe, Esdirk324l2sa, Esdirk325l2sa, Esdirk436l2sa2, Msstc3, Msstc4, Msstc5, Mssth3, Mssth4, Mssth5,
};
pub use steps::{Lms2, Lms3, Lms4, Ss2, Ss3, Ss4, Trapezoidal};

/// A formula with its own parameters and the settings that all implicit formulas share, and the rule of its steps.
macro_rules! formula {
    (
        $(#[$doc:meta])*
        $type:ident $(where $condition:ident)? { $($fields:tt)* }
        $name:literal, $family:literal, $summary:literal, $source:literal, $rule:expr
    ) => {
        parameters! {
            $(#[$doc])*
            #[derive(Copy)]
            pub struct $type $(where $condition)? {
                $($fields)*
                /// Newton's iteration at a point ends with an L2 norm of the whole residual of at most this: forces,
                /// moments, rates minus velocities, and constraints divided by `c`, in the units of the model and not
                /// weighted.
                pub newton_tolerance: f64 [above 0.0, to 1.0] = Options::default().tolerance,
                /// Most iterations at a point; the run fails with `newton-diverged` beyond them.
                pub max_iterations: u32 [from 1] = Options::default().iterations,
                /// Derivatives and multipliers at the start: `consistent` or `zero`.
                pub initial_derivatives: InitialDerivatives = InitialDerivatives::default(),
                /// Where local coordinates of rotations are centred: `step`, `stage`, `prediction` or `moving`.
                pub charts: Charts = Charts::default(),
                /// What first guesses are made of: `paper`, `constant` or `second-order`.
                #[serde(skip_serializing_if = "Prediction::is_paper")]
                pub prediction: Prediction = Prediction::default(),
                /// When Newton's matrix is formed and factorized: `full`, `modified` or `kept`.
                #[serde(skip_serializing_if = "JacobianUse::is_full")]
                pub jacobian: JacobianUse = JacobianUse::default(),
            }
        }

        definition!($type, $name, $family, $summary, $source, |settings| {
            let rule: fn(&$type) -> _ = $rule;
            let options = Options {
                tolerance: settings.newton_tolerance,
                iterations: settings.max_iterations,
                initial: settings.initial_derivatives,
                charts: settings.charts,
                prediction: settings.prediction,
                jacobian: settings.jacobian,
            };
            Implicit { rule: rule(settings), options }
        });
    };
}

/// A formula with any `rho_inf` from 0 to 1, which its rule is made of.
macro_rules! damped {
    ($(#[$doc:meta])* $type:ident { $($fields:tt)* } $($definition:tt)*) => {
        formula!(
            $(#[$doc])*
            $type {
                /// ρ∞, spectral radius at infinite frequency, from 0 (annihilates) to 1 (does not damp).
                pub rho_inf: f64 [from 0.0, to 1.0] = 0.6,
                $($fields)*
            }
            $($definition)*
        );
    };
}

mod runge_kutta;
mod steps;

#[cfg(test)]
mod tests {
    use super::*;
    use mbsbench_problem::{Method, MethodDefinition};

    #[test]
    fn stages_are_those_by_which_steps_are_compared() {
        let stages = |definition: Box<dyn Method>| definition.implicit_stages();
        assert_eq!(stages(Lms4::default().method()), 1);
        assert_eq!(stages(Ss3::default().method()), 1);
        assert_eq!(stages(Bathe::default().method()), 2);
        assert_eq!(stages(Msstc5::default().method()), 5);
        assert_eq!(stages(Mssth4::default().method()), 4);
        assert_eq!(stages(Esdirk324l2sa::default().method()), 3);
        assert_eq!(stages(Esdirk325l2sa::default().method()), 4);
        assert_eq!(stages(Esdirk436l2sa2::default().method()), 5);
    }
}
