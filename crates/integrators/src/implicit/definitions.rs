//! The implicit formulas as experiment files name them.

pub use runge_kutta::{
    Bathe, Esdirk324l2sa, Esdirk325l2sa, Esdirk436l2sa2, Msstc3, Msstc4, Msstc5, Mssth3, Mssth4, Mssth5,
};
pub use steps::{Lms2, Lms3, Lms4, Ss2, Ss3, Ss4, Trapezoidal};

/// A parameter struct with the settings that all implicit formulas share, and its definition.
macro_rules! definition {
    (
        $(#[$doc:meta])*
        $type:ident $(where $condition:ident)? { $($fields:tt)* }
        $name:literal, $family:literal, $summary:literal, $source:literal
    ) => {
        parameters! {
            $(#[$doc])*
            #[derive(Copy)]
            pub struct $type $(where $condition)? {
                $($fields)*
                /// Newton's iteration at a point ends with an L2 norm of the whole residual of at most this: forces,
                /// moments, rates minus velocities, and constraints divided by `c`, in the units of the model and not
                /// weighted.
                pub newton_tolerance: f64 [above 0.0] = Options::default().tolerance,
                /// Most iterations at a point; the run fails with `newton-diverged` beyond them.
                pub max_iterations: u32 [from 1] = Options::default().iterations,
                /// Derivatives and multipliers at the start: `consistent` or `zero`.
                pub initial_derivatives: InitialDerivatives = InitialDerivatives::default(),
                /// Where local coordinates of rotations are centred: `step`, `stage`, `prediction` or `moving`.
                pub charts: Charts = Charts::default(),
                /// What first guesses are made of: `paper`, `constant` or `second-order`.
                #[serde(skip_serializing_if = "Prediction::is_paper")]
                pub prediction: Prediction = Prediction::default(),
            }
        }

        impl MethodDefinition for $type {
            const NAME: &'static str = $name;
            const SUMMARY: &'static str = $summary;
            const SOURCE: &'static str = $source;
            const FAMILY: &'static str = $family;

            fn method(&self) -> Box<dyn Method> {
                let options = Options {
                    tolerance: self.newton_tolerance,
                    iterations: self.max_iterations,
                    initial: self.initial_derivatives,
                    charts: self.charts,
                    prediction: self.prediction,
                };
                Box::new(Implicit { rule: self.rule(), options })
            }
        }
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
