//! The implicit formulas as experiment files name them.

use mbsbench_problem::OutOfRange;

pub use runge_kutta::{
    Bathe, Esdirk324l2sa, Esdirk325l2sa, Esdirk436l2sa2, Msstc3, Msstc4, Msstc5, Mssth3, Mssth4, Mssth5,
};
pub use steps::{Lms2, Lms3, Lms4, Ss2, Ss3, Ss4, Trapezoidal};

/// A parameter struct with the settings that all implicit formulas share, and its definition.
macro_rules! definition {
    (
        $(#[$doc:meta])*
        $type:ident { $($(#[$field_doc:meta])* $field:ident: $field_type:ty = $default:expr,)* }
        $name:literal, $family:literal, $summary:literal, $source:literal
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
        pub struct $type {
            $($(#[$field_doc])* pub $field: $field_type,)*
            /// Newton's iteration at a point ends with an L2 norm of the whole residual of at most this: forces, moments,
            /// rates minus velocities, and constraints divided by `c`, in the units of the model and not weighted.
            pub newton_tolerance: f64,
            /// Most iterations at a point; the run fails with `newton-diverged` beyond them.
            #[schemars(range(min = 1))]
            pub max_iterations: u32,
            /// Derivatives and multipliers at the start: `consistent` or `zero`.
            pub initial_derivatives: InitialDerivatives,
            /// Where local coordinates of rotations are centred: `step`, `stage`, `prediction` or `moving`.
            pub charts: Charts,
            /// What first guesses are made of: `paper`, `constant` or `second-order`.
            #[serde(skip_serializing_if = "Prediction::is_paper")]
            pub prediction: Prediction,
        }

        impl Default for $type {
            fn default() -> Self {
                Self {
                    $($field: $default,)*
                    newton_tolerance: Options::default().tolerance,
                    max_iterations: Options::default().iterations,
                    initial_derivatives: InitialDerivatives::default(),
                    charts: Charts::default(),
                    prediction: Prediction::default(),
                }
            }
        }

        impl Parameters for $type {
            fn check(&self) -> Result<(), OutOfRange> {
                self.check_formula()?;
                OutOfRange::unless_positive("newton-tolerance", self.newton_tolerance)?;
                at_least_one(self.max_iterations)
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

fn check_rho(rho: f64) -> Result<(), OutOfRange> {
    if (0.0..=1.0).contains(&rho) { Ok(()) } else { Err(OutOfRange::new("rho", rho, "a number from 0 to 1")) }
}

fn at_least_one(max_iterations: u32) -> Result<(), OutOfRange> {
    if max_iterations > 0 {
        return Ok(());
    }
    Err(OutOfRange::new("max-iterations", max_iterations, "a whole number above zero"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mbsbench_problem::{Method, MethodDefinition, Parameters};

    /// The field that is out of range, if one is.
    fn field<P: Parameters>(parameters: &P) -> Option<String> {
        parameters.check().err().map(|error| error.field)
    }

    #[test]
    fn ranges_are_checked() {
        let out = |name: &str| Some(name.to_owned());
        for (rho, expected) in [(0.0, None), (0.37, None), (1.0, None), (1.01, out("rho")), (f64::NAN, out("rho"))] {
            assert_eq!(field(&Lms3 { rho, ..Lms3::default() }), expected);
            assert_eq!(field(&Ss4 { rho, ..Ss4::default() }), expected);
            assert_eq!(field(&Msstc5 { rho, ..Msstc5::default() }), expected);
        }
        for (rho, expected) in [(0.0, None), (0.6, None), (1.0, None), (0.5, out("rho"))] {
            assert_eq!(field(&Mssth4 { rho, ..Mssth4::default() }), expected);
        }
        let exact = Bathe { newton_tolerance: 0.0, ..Bathe::default() };
        assert_eq!(field(&exact), out("newton-tolerance"));
        assert_eq!(field(&Trapezoidal { max_iterations: 0, ..Trapezoidal::default() }), out("max-iterations"));
    }

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
