//! Methods that files write out by their coefficients: what is read is checked, order and stability are found from it.

mod generalized_alpha;
mod multistep;
mod runge_kutta;

use mbsbench_problem::{DoubleDouble, Method, MethodDefinition, OutOfRange, parameters};

pub use generalized_alpha::GeneralizedAlphaSet;
pub use multistep::MultistepFormula;
pub use runge_kutta::RungeKutta;

parameters! {
    /// A method by its coefficients, of one of the three kinds. Numbers are whole, decimals of at most 31 digits, or quotients like
    /// `2197/4104`; none of their digits is lost.
    pub struct Written where one_kind {
        /// A Runge–Kutta formula, explicit or with an explicit first stage and equal diagonal entries (ESDIRK).
        #[serde(skip_serializing_if = "Option::is_none")]
        pub runge_kutta: Option<RungeKutta>,
        /// An implicit linear multistep formula, for any problem that the implicit formulas solve.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub multistep: Option<MultistepFormula>,
        /// Weights of the generalized-α formulas on the index-3 equations of constrained mechanics.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub generalized_alpha: Option<GeneralizedAlphaSet>,
        /// Where the coefficients are from.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        pub source: String,
    }
}

/// Heun's formula of order two: where a file names the method alone.
impl Default for Written {
    fn default() -> Self {
        let source = "K. Heun, Z. Math. Phys. 45 (1900) 23–38".to_owned();
        Self { runge_kutta: Some(RungeKutta::heun()), multistep: None, generalized_alpha: None, source }
    }
}

impl Written {
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
            [] => Err(OutOfRange::new("", "without coefficients", accepted)),
            [first, second, ..] => Err(OutOfRange::new(*second, format!("beside `{first}`"), accepted)),
        }
    }
}

impl MethodDefinition for Written {
    const NAME: &'static str = "tableau";
    const SUMMARY: &'static str = "A method by its coefficients, from a file or written in place";
    const SOURCE: &'static str = "the file's `source`; see docs/methods.md";
    const FAMILY: &'static str = "tableau";
    const IS_WRITTEN_OUT: bool = true;

    fn method(&self) -> Box<dyn Method> {
        match (&self.runge_kutta, &self.multistep, &self.generalized_alpha) {
            (Some(formula), ..) => formula.method(),
            (_, Some(formula), _) => Box::new(formula.method()),
            (.., Some(set)) => Box::new(set.method()),
            (None, None, None) => Self::default().method(),
        }
    }

    fn precise(&self) -> Option<Box<dyn Method<DoubleDouble>>> {
        self.runge_kutta.as_ref().and_then(RungeKutta::precise)
    }
}
