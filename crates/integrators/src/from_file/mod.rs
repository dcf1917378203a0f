//! Methods defined in files by their coefficients, which are checked; order and stability are computed from them.

mod generalized_alpha;
mod multistep;
mod runge_kutta;

use mbsbench_problem::parameters::kebab_case;
use mbsbench_problem::{DoubleDouble, Method, MethodDefinition, OutOfRange, parameters};

use crate::Advance;
use crate::control::Control;
use crate::implicit::{Charts, Implicit, InitialDerivatives, Options, Prediction, Rule, Start, with_settings};
use crate::low_order::NewtonSettings;
use crate::newton::JacobianUse;

pub use generalized_alpha::GeneralizedAlphaSet;
pub use multistep::MultistepFormula;
pub use runge_kutta::RungeKutta;

/// The kind of a method, which determines its options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Explicit,
    Implicit,
    Multistep,
    GeneralizedAlpha,
}

impl Kind {
    /// The name of this kind of method in messages.
    fn name(self) -> &'static str {
        match self {
            Self::Explicit => "explicit Runge–Kutta formulas",
            Self::Implicit => "implicit Runge–Kutta formulas",
            Self::Multistep => "multistep formulas",
            Self::GeneralizedAlpha => "generalized-α weights",
        }
    }
}

/// The name of an option, whether it is given, and the kinds of methods that have it.
type OfKinds = (String, bool, &'static [Kind]);

/// Declares the method with the settings of the implicit formulas, all of which are optional.
macro_rules! written {
    ({
        $($(#[$about:meta])*
        $setting:ident: $kind:ty $([$($range:tt)+])? => $option:ident $(, silent $silent:literal)?;)*
    }) => {
        parameters! {
            /// A method defined by its coefficients, of exactly one of three kinds, with the options and defaults of
            /// the built-in methods of that kind. Coefficients are whole numbers, decimals of at most 31 digits, or
            /// quotients like `2197/4104`, and are read without loss of digits.
            pub struct MethodFromFile where one_kind, options_fit {
                /// A Runge–Kutta formula, explicit or diagonally implicit.
                #[serde(skip_serializing_if = "Option::is_none")]
                pub runge_kutta: Option<RungeKutta>,
                /// An implicit linear multistep formula, for any problem that the implicit formulas solve.
                #[serde(skip_serializing_if = "Option::is_none")]
                pub multistep: Option<MultistepFormula>,
                /// Weights of the generalized-α formulas on the index-3 equations of constrained mechanics.
                #[serde(skip_serializing_if = "Option::is_none")]
                pub generalized_alpha: Option<GeneralizedAlphaSet>,
                /// Source of the coefficients.
                #[serde(default, skip_serializing_if = "String::is_empty")]
                pub source: String,
                /// Explicit pairs only: the formula that advances the solution, `higher` (local extrapolation) or
                /// `lower`.
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub advance: Option<Advance>,
                /// Explicit pairs only: the controller of the step size, `elementary`, `dopri5` or `dop853`.
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub control: Option<Control>,
                /// Multistep formulas only: the start of a run, `trapezoidal` or `ladder`.
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub start: Option<Start>,
                $(
                    /// Implicit Runge–Kutta and multistep formulas only:
                    $(#[$about])*
                    #[serde(default, skip_serializing_if = "Option::is_none")]
                    pub $setting: Option<$kind> $([$($range)+])?,
                )*
                /// Generalized-α weights only: Newton's method.
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub newton: Option<NewtonSettings>,
            }
        }

        impl MethodFromFile {
            /// The solver options of an implicit formula.
            fn implicit_options(&self) -> Options {
                let usual = Options::default();
                Options { $($option: self.$setting.unwrap_or(usual.$option)),* }
            }

            /// All options.
            fn options(&self) -> Vec<OfKinds> {
                use Kind::{Explicit, GeneralizedAlpha, Implicit, Multistep};
                vec![
                    ("advance".to_owned(), self.advance.is_some(), &[Explicit]),
                    ("control".to_owned(), self.control.is_some(), &[Explicit]),
                    ("start".to_owned(), self.start.is_some(), &[Multistep]),
                    $((kebab_case(stringify!($setting)), self.$setting.is_some(), &[Implicit, Multistep]),)*
                    ("newton".to_owned(), self.newton.is_some(), &[GeneralizedAlpha]),
                ]
            }
        }

        /// Heun's formula of order two, for a file that names only the method.
        impl Default for MethodFromFile {
            fn default() -> Self {
                Self {
                    runge_kutta: Some(RungeKutta::heun()),
                    multistep: None,
                    generalized_alpha: None,
                    source: "K. Heun, Z. Math. Phys. 45 (1900) 23–38".to_owned(),
                    advance: None,
                    control: None,
                    start: None,
                    $($setting: None,)*
                    newton: None,
                }
            }
        }
    };
}

with_settings!(written! {});

impl MethodFromFile {
    fn one_kind(&self) -> Result<(), OutOfRange> {
        let kinds = [
            ("runge-kutta", self.runge_kutta.is_some()),
            ("multistep", self.multistep.is_some()),
            ("generalized-alpha", self.generalized_alpha.is_some()),
        ];
        let found: Vec<&str> = kinds.iter().filter(|(_, is_there)| *is_there).map(|(name, _)| *name).collect();
        let accepted = "one of `runge-kutta`, `multistep` and `generalized-alpha`";
        match found.as_slice() {
            [_] => Ok(()),
            [] => Err(OutOfRange::clause("", "the method has no coefficients", accepted)),
            [first, second, ..] => {
                Err(OutOfRange::clause(*second, format!("both `{first}` and `{second}` are given"), accepted))
            }
        }
    }

    fn kind(&self) -> Kind {
        match (&self.runge_kutta, &self.multistep) {
            (Some(formula), _) if formula.is_explicit() => Kind::Explicit,
            (Some(_), _) => Kind::Implicit,
            (_, Some(_)) => Kind::Multistep,
            (None, None) => Kind::GeneralizedAlpha,
        }
    }

    /// Checks that the options belong to the kind of the method, and those of pairs to a pair.
    fn options_fit(&self) -> Result<(), OutOfRange> {
        let kind = self.kind();
        let (own, others): (Vec<OfKinds>, Vec<OfKinds>) =
            self.options().into_iter().partition(|(_, _, kinds)| kinds.contains(&kind));
        if let Some((name, ..)) = others.into_iter().find(|&(_, is_given, _)| is_given) {
            let own: Vec<String> = own.iter().map(|(name, ..)| format!("`{name}`")).collect();
            let found = format!("an option that does not apply to {}", kind.name());
            return Err(OutOfRange::new(name, found, own.join(", ")));
        }
        let has_no_pair = self.runge_kutta.as_ref().is_some_and(|formula| formula.embedded.is_empty());
        let of_pair = own.into_iter().find(|&(_, is_given, _)| kind == Kind::Explicit && is_given);
        match of_pair.filter(|_| has_no_pair) {
            Some((name, ..)) => {
                let accepted = "this option with `embedded` weights, or neither";
                Err(OutOfRange::new(name, "given without `embedded` weights", accepted))
            }
            None => Ok(()),
        }
    }

    fn explicit(&self, formula: &RungeKutta) -> impl Method + Method<DoubleDouble> + use<> {
        formula.explicit(self.advance.unwrap_or_default(), self.control.unwrap_or_default())
    }

    fn implicit<R: Rule>(&self, rule: R) -> Box<dyn Method> {
        Box::new(Implicit { rule, options: self.implicit_options() })
    }
}

impl MethodDefinition for MethodFromFile {
    const NAME: &'static str = "tableau";
    const SUMMARY: &'static str = "Method defined by its coefficients, in a file or inline";
    const SOURCE: &'static str = "the file's `source`; see docs/methods.md";
    const FAMILY: &'static str = "tableau";
    const IS_WRITTEN_OUT: bool = true;

    fn method(&self) -> Box<dyn Method> {
        match (&self.runge_kutta, &self.multistep, &self.generalized_alpha) {
            (Some(formula), ..) if formula.is_explicit() => Box::new(self.explicit(formula)),
            (Some(formula), ..) => self.implicit(formula.rule()),
            (_, Some(formula), _) => self.implicit(formula.rule(self.start.unwrap_or_default())),
            (.., Some(set)) => Box::new(set.method(self.newton.unwrap_or_default())),
            (None, None, None) => Self::default().method(),
        }
    }

    fn precise(&self) -> Option<Box<dyn Method<DoubleDouble>>> {
        let formula = self.runge_kutta.as_ref().filter(|formula| formula.is_explicit())?;
        Some(Box::new(self.explicit(formula)))
    }
}
