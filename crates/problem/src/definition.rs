//! Methods and models that experiment files can name: parameter structs with a few constants.

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use crate::parameters::{Interval, Ranged};
use crate::{DoubleDouble, Method, Model};

/// Parameters as written in an experiment file.
///
/// Field names are kebab-case; unknown fields are errors
/// (`#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]`); the default is the paper's value.
/// `mbsbench list` prints the doc comment and the unit of each field.
pub trait Parameters: DeserializeOwned + Serialize + JsonSchema + Default + Clone + Send + Sync + 'static {
    /// Checks ranges that the types cannot express.
    ///
    /// # Errors
    /// Returns the first field that is out of range; users see its place in the file.
    fn check(&self) -> Result<(), OutOfRange> {
        Ok(())
    }
}

/// Covers all types that [`parameters!`](crate::parameters!) declares with defaults.
impl<T: Ranged + DeserializeOwned + Serialize + JsonSchema + Default + Clone + Send + Sync + 'static> Parameters for T {
    fn check(&self) -> Result<(), OutOfRange> {
        self.check_in(Interval::ALL)
    }
}

/// An error: the value of a parameter cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}; accepted: {accepted}", self.message())]
pub struct OutOfRange {
    /// Path of the field in the file, with dots between the levels: `formulation.sliding-mode.sigma`. Empty if
    /// several fields contradict each other.
    pub field: String,
    /// The fault.
    pub fault: Fault,
    /// A description of accepted values.
    pub accepted: String,
}

/// A fault of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The value found, which is not accepted.
    Value(String),
    /// A clause with a subject of its own.
    Clause(String),
    /// A clause about the name of the field.
    Name(String),
    /// A reference to a name that does not exist.
    Unknown {
        /// The kind of thing to be named: `marker`, `joint`.
        kind: &'static str,
        /// The name found.
        name: String,
        /// Names that exist.
        known: Vec<String>,
    },
}

impl OutOfRange {
    /// An error for a field with a value, and a description of accepted values.
    pub fn new(field: impl Into<String>, found: impl ToString, accepted: impl Into<String>) -> Self {
        Self { field: field.into(), fault: Fault::Value(found.to_string()), accepted: accepted.into() }
    }

    /// Fails with [`new`](Self::new) unless the condition holds.
    ///
    /// # Errors
    /// Returns the field, its value and a description of accepted values.
    pub fn unless(
        holds: bool,
        field: impl Into<String>,
        found: impl ToString,
        accepted: impl Into<String>,
    ) -> Result<(), Self> {
        if holds { Ok(()) } else { Err(Self::new(field, found, accepted)) }
    }

    /// A fault that is described by a clause with a subject of its own: "both markers are of `rod`".
    pub fn clause(field: impl Into<String>, clause: impl Into<String>, accepted: impl Into<String>) -> Self {
        Self { field: field.into(), fault: Fault::Clause(clause.into()), accepted: accepted.into() }
    }

    /// Fails with [`clause`](Self::clause) if the condition holds.
    ///
    /// # Errors
    /// Returns the field, the clause and a description of accepted values.
    pub fn clause_if(
        holds: bool,
        field: impl Into<String>,
        clause: impl Into<String>,
        accepted: impl Into<String>,
    ) -> Result<(), Self> {
        if holds { Err(Self::clause(field, clause, accepted)) } else { Ok(()) }
    }

    /// Describes the fault in a clause: "`mass` is -1", "unknown marker `rod.c`".
    pub fn message(&self) -> String {
        match &self.fault {
            Fault::Value(value) if self.field.is_empty() => value.clone(),
            Fault::Value(value) => format!("`{}` is {value}", self.field),
            Fault::Clause(clause) | Fault::Name(clause) => clause.clone(),
            Fault::Unknown { kind, name, .. } => format!("unknown {kind} `{name}`"),
        }
    }

    /// The same error with the path extended by an outer field.
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
    /// The family, which has the same colour in all figures: `explicit-runge-kutta`, `extrapolation`, …
    const FAMILY: &'static str;
    /// True if the parameters define the method completely, down to its coefficients. They may then be in a separate
    /// file, and a comparison includes the method only if it is named.
    const IS_WRITTEN_OUT: bool = false;

    /// The method in double precision.
    fn method(&self) -> Box<dyn Method>;

    /// The method in double-double precision, for references; none if it is not generic over the scalar.
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
    /// True if the parameters define the model completely. They may then be in a separate file, and tables show
    /// only the model's name, without parameters that differ from defaults.
    const IS_WRITTEN_OUT: bool = false;

    /// The model with these parameters, which [`Parameters::check`] has accepted.
    fn model(&self) -> Box<dyn Model>;
}
