//! Formulas in files: `-k*x + 0.3*sin(2*pi*t)`, read once and evaluated for any scalar.

mod grammar;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;

use mbsbench_problem::Scalar;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use winnow::prelude::*;
use winnow::stream::Stateful;

use grammar::{Nesting, sum};

/// Longest text of a formula, in bytes.
const LONGEST: usize = 4000;

/// Most parentheses, calls, signs and powers in one another. Reading and evaluating a formula take stack for each of
/// them.
const DEEPEST: usize = 50;

/// A number, or a formula that says how it is computed.
#[derive(Debug, Clone, PartialEq)]
pub enum Formula {
    /// A number.
    Number(f64),
    /// A formula as it is written.
    Text(String),
}

impl Default for Formula {
    fn default() -> Self {
        Self::Number(0.0)
    }
}

impl From<f64> for Formula {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

/// The number or the text; with a precision, no more than so many characters of the text.
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

impl Serialize for Formula {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => serializer.serialize_f64(*number),
            Self::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for Formula {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FormulaVisitor;
        impl Visitor<'_> for FormulaVisitor {
            type Value = Formula;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number or a formula")
            }
            fn visit_u64<E>(self, value: u64) -> Result<Formula, E> {
                Ok(Formula::Number(value as f64))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Formula, E> {
                Ok(Formula::Number(value as f64))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Formula, E> {
                Ok(Formula::Number(value))
            }
            fn visit_str<E>(self, value: &str) -> Result<Formula, E> {
                Ok(Formula::Text(value.to_owned()))
            }
        }
        deserializer.deserialize_any(FormulaVisitor)
    }
}

impl JsonSchema for Formula {
    fn schema_name() -> Cow<'static, str> {
        "Formula".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["number", "string"], "description": "A number, or a formula: `-k*x + 0.3*sin(2*pi*t)`." })
    }
}

/// Functions of one argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are what they are called")]
pub enum Function {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Ln,
    Sqrt,
    Abs,
    Sign,
}

/// Their names in formulas.
const FUNCTIONS: [(&str, Function); 14] = [
    ("sin", Function::Sin),
    ("cos", Function::Cos),
    ("tan", Function::Tan),
    ("asin", Function::Asin),
    ("acos", Function::Acos),
    ("atan", Function::Atan),
    ("sinh", Function::Sinh),
    ("cosh", Function::Cosh),
    ("tanh", Function::Tanh),
    ("exp", Function::Exp),
    ("ln", Function::Ln),
    ("sqrt", Function::Sqrt),
    ("abs", Function::Abs),
    ("sign", Function::Sign),
];

/// Those of two arguments.
const OF_TWO: [(&str, Of2); 3] = [("min", Of2::Min), ("max", Of2::Max), ("atan2", Of2::Atan2)];

/// Functions and operations of two arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are what they are called")]
pub enum Of2 {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Min,
    Max,
    Atan2,
}

/// A formula that has been read, with variables of some kind.
#[derive(Debug, Clone, PartialEq)]
pub enum Tree<V> {
    /// A number.
    Number(f64),
    /// Half the circumference of the unit circle.
    Pi,
    /// A variable.
    Variable(V),
    /// The opposite.
    Negative(Box<Tree<V>>),
    /// A function of one argument.
    One(Function, Box<Tree<V>>),
    /// An operand, and what is done with it from left to right: `a - b*c + d` adds two to the first. However long a sum
    /// is, it is one level deep.
    Chain(Box<Tree<V>>, Vec<(Of2, Tree<V>)>),
}

/// Why a text is not a formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoFormula {
    /// It cannot be read from this character on, counted from one.
    At(usize),
    /// It ends before it is complete.
    Unfinished,
    /// A parenthesis is not closed.
    Open,
    /// It is an angle in degrees, which this formula has in radians.
    Degrees(String),
    /// A name without a meaning.
    Unknown(String),
    /// More text than is read.
    TooLong,
    /// More nesting than is read.
    TooDeep,
}

impl fmt::Display for NoFormula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(column) => write!(f, "cannot be read from its character {column} on"),
            Self::Unfinished => f.write_str("is unfinished"),
            Self::Open => f.write_str("has a parenthesis that is not closed"),
            Self::Degrees(radians) => write!(f, "is in degrees; `{radians}` is the same in radians"),
            Self::Unknown(name) => write!(f, "contains the unknown name `{name}`"),
            Self::TooLong => write!(f, "has more than {LONGEST} characters"),
            Self::TooDeep => write!(f, "nests more than {DEEPEST} parentheses, calls, signs and powers"),
        }
    }
}

impl Formula {
    /// What the text says.
    ///
    /// # Errors
    /// Where it makes no sense.
    pub fn read(&self) -> Result<Tree<String>, NoFormula> {
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

/// The first name before a parenthesis that is not one of a function.
fn unknown_function(text: &str) -> Option<&str> {
    let is_in_name = |c: char| c.is_alphanumeric() || c == '_';
    let calls = text.match_indices('(').filter_map(|(at, _)| text[..at].rsplit(|c| !is_in_name(c)).next());
    let is_known = |name: &str| {
        FUNCTIONS.iter().any(|(known, _)| *known == name) || OF_TWO.iter().any(|(known, _)| *known == name)
    };
    let mut names = calls.filter(|name| name.starts_with(char::is_alphabetic));
    names.find(|name| !is_known(name))
}

/// Names that formulas know by themselves: time, numbers, functions, and what an actuator or a motor knows of its
/// markers.
pub fn own_names() -> impl Iterator<Item = &'static str> {
    let functions = FUNCTIONS.iter().map(|(name, _)| *name).chain(OF_TWO.iter().map(|(name, _)| *name));
    ["t", "pi"].into_iter().chain(LINE).chain(TURN).chain(functions)
}

/// What the formula of an actuator calls the length between its markers and the rate of the length.
pub const LINE: [&str; 2] = ["length", "speed"];

/// What the formula of a motor calls the angle between its markers and the rate of the angle.
pub const TURN: [&str; 2] = ["angle", "rate"];

impl Tree<String> {
    /// The same with what the names stand for.
    ///
    /// # Errors
    /// The first name that stands for nothing.
    pub fn resolve<V>(&self, meaning: &mut impl FnMut(&str) -> Option<Tree<V>>) -> Result<Tree<V>, NoFormula> {
        Ok(match self {
            Self::Number(number) => Tree::Number(*number),
            Self::Pi => Tree::Pi,
            Self::Variable(name) => meaning(name).ok_or_else(|| NoFormula::Unknown(name.clone()))?,
            Self::Negative(a) => Tree::Negative(Box::new(a.resolve(meaning)?)),
            Self::One(function, a) => Tree::One(*function, Box::new(a.resolve(meaning)?)),
            Self::Chain(first, rest) => {
                let first = Box::new(first.resolve(meaning)?);
                let rest = rest.iter().map(|(function, b)| Ok((*function, b.resolve(meaning)?)));
                Tree::Chain(first, rest.collect::<Result<_, _>>()?)
            }
        })
    }
}

impl<V> Tree<V> {
    /// Its value, with those of the variables.
    pub fn evaluate<S: Scalar>(&self, value: &mut impl FnMut(&V) -> S) -> S {
        match self {
            Self::Number(number) => S::from(*number),
            Self::Pi => S::pi(),
            Self::Variable(variable) => value(variable),
            Self::Negative(a) => -a.evaluate(value),
            Self::One(function, a) => function.of(a.evaluate(value)),
            Self::Chain(first, rest) => {
                let mut a = first.evaluate(value);
                for (function, b) in rest {
                    let power = if *function == Of2::Power { b.constant() } else { None };
                    a = match power {
                        Some(power) if power.fract() == 0.0 && power.abs() < 1e6 => a.powi(power as i32),
                        // the derivatives of `powf` are those of a quotient, which is not a number at zero
                        Some(power) if power > 1.0 && a.re() == 0.0 => a * 0.0,
                        Some(power) => a.powf(power),
                        None => function.of(a, b.evaluate(value)),
                    };
                }
                a
            }
        }
    }

    /// The number that a tree without variables is. A power with such an exponent has derivatives for bases of zero and
    /// below, too.
    fn constant(&self) -> Option<f64> {
        (!self.any(&mut |_| true)).then(|| self.evaluate(&mut |_| f64::NAN))
    }

    /// Whether a variable is such that.
    pub fn any(&self, is: &mut impl FnMut(&V) -> bool) -> bool {
        match self {
            Self::Number(_) | Self::Pi => false,
            Self::Variable(variable) => is(variable),
            Self::Negative(a) | Self::One(_, a) => a.any(is),
            Self::Chain(first, rest) => first.any(is) || rest.iter().any(|(_, part)| part.any(is)),
        }
    }
}

impl Function {
    fn of<S: Scalar>(self, x: S) -> S {
        match self {
            Self::Sin => x.sin(),
            Self::Cos => x.cos(),
            Self::Tan => x.tan(),
            Self::Asin => x.asin(),
            Self::Acos => x.acos(),
            Self::Atan => x.atan(),
            Self::Sinh => x.sinh(),
            Self::Cosh => x.cosh(),
            Self::Tanh => tanh(x),
            Self::Exp => x.exp(),
            Self::Ln => x.ln(),
            Self::Sqrt => x.sqrt(),
            Self::Abs if x.re() < 0.0 => -x,
            Self::Abs => x,
            Self::Sign => S::from(if x.re() < 0.0 {
                -1.0
            } else if x.re() > 0.0 {
                1.0
            } else {
                0.0
            }),
        }
    }
}

/// The hyperbolic tangent, with derivatives for all arguments: that of dual numbers is a quotient, of which both parts overflow.
pub(crate) fn tanh<S: Scalar>(x: S) -> S {
    if x.re().abs() < 1.0 {
        return x.tanh();
    }
    let (sign, size) = if x.re() < 0.0 { (-1.0, -x) } else { (1.0, x) };
    let small = (size * -2.0).exp();
    (-small + 1.0) / (small + 1.0) * sign
}

impl Of2 {
    fn of<S: Scalar>(self, a: S, b: S) -> S {
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::Divide => a / b,
            Self::Power => a.powd(b),
            Self::Min => {
                if b.re() < a.re() {
                    b
                } else {
                    a
                }
            }
            Self::Max => {
                if b.re() > a.re() {
                    b
                } else {
                    a
                }
            }
            Self::Atan2 => a.atan2(b),
        }
    }
}
