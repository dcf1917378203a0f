//! What makes a method or a model nameable in an experiment file: a parameter struct with a few constants.

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use crate::parameters::{Interval, Ranged};
use crate::{DoubleDouble, Method, Model};

/// Parameters as they stand in an experiment file.
///
/// Field names are kebab-case there; unknown fields are errors (`#[serde(rename_all = "kebab-case",
/// deny_unknown_fields, default)]`); the default is the paper's value. The doc comment of each field, with its
/// unit, is what `mbsbench list` prints.
pub trait Parameters: DeserializeOwned + Serialize + JsonSchema + Default + Clone + Send + Sync + 'static {
    /// Checks ranges that the types cannot express.
    ///
    /// # Errors
    /// The first field that is out of range; the reader is shown its place in the file.
    fn check(&self) -> Result<(), OutOfRange> {
        Ok(())
    }
}

/// What [`parameters!`](crate::parameters!) declares, where it has defaults.
impl<T: Ranged + DeserializeOwned + Serialize + JsonSchema + Default + Clone + Send + Sync + 'static> Parameters for T {
    fn check(&self) -> Result<(), OutOfRange> {
        self.check_in(Interval::ALL)
    }
}

/// A parameter has a value that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}; accepted: {accepted}", self.message())]
pub struct OutOfRange {
    /// Path of the field as in the file, dots between the levels: `formulation.sliding-mode.sigma`; empty if several
    /// fields contradict each other.
    pub field: String,
    /// What is wrong with it.
    pub fault: Fault,
    /// What would be accepted.
    pub accepted: String,
}

/// What is wrong with a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The value found.
    Value(String),
    /// A clause with its own subject.
    Clause(String),
    /// A clause about the name of the field.
    Name(String),
    /// A name that nothing has.
    Unknown {
        /// What it should name: `marker`, `joint`.
        kind: &'static str,
        /// The name found.
        name: String,
        /// The names that could have been meant.
        known: Vec<String>,
    },
}

impl OutOfRange {
    /// Field, value and what would be accepted.
    pub fn new(field: impl Into<String>, found: impl ToString, accepted: impl Into<String>) -> Self {
        Self { field: field.into(), fault: Fault::Value(found.to_string()), accepted: accepted.into() }
    }

    /// Fails with [`new`](Self::new) unless the condition holds.
    ///
    /// # Errors
    /// The field, its value and what would be accepted.
    pub fn unless(holds: bool, field: &str, found: impl ToString, accepted: impl Into<String>) -> Result<(), Self> {
        if holds { Ok(()) } else { Err(Self::new(field, found, accepted)) }
    }

    /// A field with a fault that the clause says, subject first: "both markers are of `rod`".
    pub fn clause(field: impl Into<String>, clause: impl Into<String>, accepted: impl Into<String>) -> Self {
        Self { field: field.into(), fault: Fault::Clause(clause.into()), accepted: accepted.into() }
    }

    /// What was found, as a clause: "`mass` is -1", "unknown marker `rod.c`".
    pub fn message(&self) -> String {
        match &self.fault {
            Fault::Value(value) if self.field.is_empty() => value.clone(),
            Fault::Value(value) => format!("`{}` is {value}", self.field),
            Fault::Clause(clause) | Fault::Name(clause) => clause.clone(),
            Fault::Unknown { kind, name, .. } => format!("unknown {kind} `{name}`"),
        }
    }

    /// The same error for a field one level further out.
    #[must_use]
    pub fn within(mut self, outer: &str) -> Self {
        self.field = if self.field.is_empty() { outer.to_owned() } else { format!("{outer}.{}", self.field) };
        self
    }
}

/// A time integration method that an experiment file can name.
pub trait MethodDefinition: Parameters {
    /// Name in experiment files, kebab-case.
    const NAME: &'static str;
    /// One line for `mbsbench list methods`.
    const SUMMARY: &'static str;
    /// Paper and equation, or textbook and page.
    const SOURCE: &'static str;
    /// The family, which has one colour in all figures: `explicit-runge-kutta`, `extrapolation`, …
    const FAMILY: &'static str;
    /// Whether its parameters are all there is of it, its coefficients. They may stand in a file of their own then, and it is compared
    /// where somebody names them.
    const IS_WRITTEN_OUT: bool = false;

    /// The method in double precision.
    fn method(&self) -> Box<dyn Method>;

    /// The method in double-double precision, for references; none where it is not generic.
    fn precise(&self) -> Option<Box<dyn Method<DoubleDouble>>> {
        None
    }
}

/// A benchmark model that an experiment file can name.
pub trait ModelDefinition: Parameters {
    /// Name in experiment files, kebab-case.
    const NAME: &'static str;
    /// One line for `mbsbench list models`.
    const SUMMARY: &'static str;
    /// Paper and section.
    const SOURCE: &'static str;
    /// Whether its parameters are all there is of it. They may stand in a file of their own then, and tables call it by its name
    /// without what differs from defaults.
    const IS_WRITTEN_OUT: bool = false;

    /// The model with these parameters, which [`Parameters::check`] has accepted.
    fn model(&self) -> Box<dyn Model>;
}
