//! Formulas in files: `-k*x + 0.3*sin(2*pi*t)`, read once and evaluated for any scalar.

mod grammar;
#[cfg(test)]
mod tests;
mod tree;

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use winnow::prelude::*;
use winnow::stream::Stateful;

use grammar::{Nesting, sum};
use tree::functions;
pub(crate) use tree::power;
pub(crate) use tree::tanh;
pub use tree::{Function, Of2, Symbol, Tree};

/// Longest text of a formula, in bytes.
const LONGEST: usize = 4000;

/// Largest number of parts of a formula with all sums written out.
const MOST_PARTS: usize = 1_000_000;

/// Name of the sum over an index.
const SUM: &str = "sum";

/// Largest depth of nested parentheses, calls, signs and powers. Each level takes stack when a formula is
/// read and evaluated.
const DEEPEST: usize = 50;

/// A number, or the text of a formula.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "accepted: a number or a formula")]
pub enum Formula {
    /// A number.
    Number(f64),
    /// The text of a formula.
    Text(String),
}

impl Default for Formula {
    fn default() -> Self {
        Self::Number(0.0)
    }
}

/// Writes the number or the text; a precision limits the number of characters of the text.
impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => match f.precision() {
                Some(most) if text.chars().count() > most => {
                    write!(f, "{}…", text.chars().take(most).collect::<String>())
                }
                _ => f.write_str(text),
            },
        }
    }
}

impl JsonSchema for Formula {
    fn schema_name() -> Cow<'static, str> {
        "Formula".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["number", "string"],
            "description": "A number, or a formula such as `-k*x + 0.3*sin(2*pi*t)`.",
        })
    }
}

/// The reason why a text is not a formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoFormula {
    /// The text cannot be read from this character on, counted from one.
    At(usize),
    /// The text ends before it is complete.
    Unfinished,
    /// A parenthesis is not closed.
    Open,
    /// An angle in degrees; this formula expects radians.
    Degrees(String),
    /// A name without a meaning.
    Unknown(String),
    /// An index of this name, or a bound of a sum over it, is not a whole number.
    NotWhole(String),
    /// The text is too long.
    TooLong,
    /// The formula has too many parts with all sums written out.
    TooManyParts,
    /// The nesting is too deep.
    TooDeep,
}

impl fmt::Display for NoFormula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(column) => write!(f, "cannot be read from character {column} on"),
            Self::Unfinished => f.write_str("is unfinished"),
            Self::Open => f.write_str("has a parenthesis that is not closed"),
            Self::Degrees(radians) => write!(f, "is in degrees; `{radians}` is the same in radians"),
            Self::Unknown(name) => write!(f, "contains the unknown name `{name}`"),
            Self::NotWhole(name) => write!(f, "has an index or a bound for `{name}` that is not a whole number"),
            Self::TooManyParts => write!(f, "has more than {MOST_PARTS} parts with all sums written out"),
            Self::TooLong => write!(f, "has more than {LONGEST} characters"),
            Self::TooDeep => write!(f, "nests more than {DEEPEST} parentheses, calls, signs and powers"),
        }
    }
}

impl Formula {
    /// Reads the text.
    ///
    /// # Errors
    /// Returns an error if the text is not a formula.
    pub fn read(&self) -> Result<Tree<Symbol>, NoFormula> {
        let text = match self {
            Self::Number(number) => return Ok(Tree::Number(*number)),
            Self::Text(text) => text,
        };
        if text.len() > LONGEST {
            return Err(NoFormula::TooLong);
        }
        sum.parse(Stateful { input: text.as_str(), state: Nesting::default() }).map_err(|error| {
            if error.input().state.is_too_deep {
                return NoFormula::TooDeep;
            }
            if let Some(number) = text.trim().strip_suffix("deg").or(text.trim().strip_suffix('°')) {
                return NoFormula::Degrees(format!("{}*pi/180", number.trim()));
            }
            if let Some(name) = unknown_function(text) {
                return NoFormula::Unknown(name.to_owned());
            }
            if text.matches('(').count() > text.matches(')').count() {
                return NoFormula::Open;
            }
            match text.get(error.char_span().start..).filter(|rest| !rest.is_empty()) {
                Some(rest) => NoFormula::At(text[..text.len() - rest.len()].chars().count() + 1),
                None => NoFormula::Unfinished,
            }
        })
    }
}

/// The first name before a parenthesis that is not the name of a function.
fn unknown_function(text: &str) -> Option<&str> {
    let is_in_name = |c: char| c.is_alphanumeric() || c == '_';
    let calls = text.match_indices('(').filter_map(|(at, _)| text[..at].rsplit(|c| !is_in_name(c)).next());
    let mut names = calls.filter(|name| name.starts_with(char::is_alphabetic));
    names.find(|name| Function::named(name).is_none() && Of2::named(name).is_none() && *name != SUM)
}

/// Names with a fixed meaning in formulas: time, numbers, functions, and the variables of actuators and motors.
pub fn own_names() -> impl Iterator<Item = String> {
    ["t", "pi"].into_iter().chain(LINE).chain(TURN).map(str::to_owned).chain(functions()).chain([SUM.to_owned()])
}

/// The [`own_names`] without the variables of actuators and motors.
pub fn common_names() -> impl Iterator<Item = String> {
    own_names().filter(|name| !LINE.iter().chain(&TURN).any(|own| *own == name.as_str()))
}

/// Names, in the formula of an actuator, of the length between its markers and the rate of the length.
pub const LINE: [&str; 2] = ["length", "speed"];

/// Names, in the formula of a motor, of the angle between its markers and the rate of the angle.
pub const TURN: [&str; 2] = ["angle", "rate"];
