//! Formulas in files: `-k*x + 0.3*sin(2*pi*t)`, read once and evaluated for any scalar.

use std::borrow::Cow;
use std::fmt;

use mbsbench_problem::Scalar;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use winnow::ascii::{float, multispace0};
use winnow::combinator::{Infix, Prefix, alt, delimited, dispatch, expression, fail, opt, peek, preceded, repeat};
use winnow::error::{ContextError, ErrMode};
use winnow::prelude::*;
use winnow::token::{any, one_of, take_while};

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

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => f.write_str(text),
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
    /// A function of two.
    Two(Of2, Box<[Tree<V>; 2]>),
}

/// Why a text is no formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoFormula {
    /// It ends to make sense at this character, counted from one.
    At(usize),
    /// A name that stands for nothing.
    Unknown(String),
    /// More text, or more brackets in brackets, than is read.
    TooLong,
}

impl fmt::Display for NoFormula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(column) => write!(f, "which ends to make sense at its character {column}"),
            Self::Unknown(name) => write!(f, "in which `{name}` is not known"),
            Self::TooLong => f.write_str("which has more than 4000 characters or 50 brackets in one another"),
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
        let depth = text.chars().scan(0usize, |depth, c| {
            *depth = if c == '(' {
                *depth + 1
            } else if c == ')' {
                depth.saturating_sub(1)
            } else {
                *depth
            };
            Some(*depth)
        });
        if text.len() > 4000 || depth.max() > Some(50) {
            return Err(NoFormula::TooLong);
        }
        sum.parse(text)
            .map_err(|error| NoFormula::At(text[..error.char_span().start.min(text.len())].chars().count() + 1))
    }
}

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
            Self::Two(function, of) => {
                let [a, b] = &**of;
                Tree::Two(*function, Box::new([a.resolve(meaning)?, b.resolve(meaning)?]))
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
            Self::Two(function, of) => {
                let [a, b] = &**of;
                let a = a.evaluate(value);
                match (function, b.constant()) {
                    (Of2::Power, Some(power)) if power.fract() == 0.0 && power.abs() < 1e6 => a.powi(power as i32),
                    (Of2::Power, Some(power)) => a.powf(power),
                    _ => function.of(a, b.evaluate(value)),
                }
            }
        }
    }

    /// The number that it is at all times.
    fn constant(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Negative(a) => a.constant().map(|number| -number),
            _ => None,
        }
    }

    /// Whether a variable is such that.
    pub fn any(&self, is: &mut impl FnMut(&V) -> bool) -> bool {
        match self {
            Self::Number(_) | Self::Pi => false,
            Self::Variable(variable) => is(variable),
            Self::Negative(a) | Self::One(_, a) => a.any(is),
            Self::Two(_, of) => of.iter().any(|part| part.any(is)),
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

type Read<T> = Result<T, ErrMode<ContextError>>;

fn spaced<'i, T>(
    parser: impl Parser<&'i str, T, ErrMode<ContextError>>,
) -> impl Parser<&'i str, T, ErrMode<ContextError>> {
    delimited(multispace0, parser, multispace0)
}

/// `t`, `crank.tip.x`, `rod_3.1.angle`: words of letters, digits and `_`, with dots between; a letter or `_` first.
fn name<'i>(input: &mut &'i str) -> Read<&'i str> {
    let word = || take_while(1.., |c: char| c.is_alphanumeric() || c == '_');
    let first = peek(one_of(|c: char| c.is_alphabetic() || c == '_'));
    (first, word(), repeat::<_, _, (), _, _>(0.., ('.', word()))).take().parse_next(input)
}

fn operand(input: &mut &str) -> Read<Tree<String>> {
    spaced(alt((delimited('(', sum, ')'), number, named))).parse_next(input)
}

fn number(input: &mut &str) -> Read<Tree<String>> {
    preceded(peek(one_of(('0'..='9', '.'))), float).map(Tree::Number).parse_next(input)
}

fn named(input: &mut &str) -> Read<Tree<String>> {
    let name = name.parse_next(input)?;
    if opt('(').parse_next(input)?.is_none() {
        return Ok(if name == "pi" { Tree::Pi } else { Tree::Variable(name.to_owned()) });
    }
    let first = sum.parse_next(input)?;
    if let Some(&(_, function)) = FUNCTIONS.iter().find(|(known, _)| *known == name) {
        return ')'.value(Tree::One(function, Box::new(first))).parse_next(input);
    }
    let Some(&(_, function)) = OF_TWO.iter().find(|(known, _)| *known == name) else { return fail.parse_next(input) };
    let second = delimited(',', sum, ')').parse_next(input)?;
    Ok(Tree::Two(function, Box::new([first, second])))
}

fn two(function: Of2, a: Tree<String>, b: Tree<String>) -> Read<Tree<String>> {
    Ok(Tree::Two(function, Box::new([a, b])))
}

/// Sums of products of powers: `-a^b` is `-(a^b)`, `a^b^c` is `a^(b^c)`.
fn sum(input: &mut &str) -> Read<Tree<String>> {
    expression(operand)
        .prefix(dispatch! { spaced(any);
            '-' => Prefix(5, |_: &mut _, a| Ok(Tree::Negative(Box::new(a)))),
            '+' => Prefix(5, |_: &mut _, a| Ok(a)),
            _ => fail,
        })
        .infix(dispatch! { spaced(any);
            '+' => Infix::Left(1, |_: &mut _, a, b| two(Of2::Add, a, b)),
            '-' => Infix::Left(1, |_: &mut _, a, b| two(Of2::Subtract, a, b)),
            '*' => Infix::Left(3, |_: &mut _, a, b| two(Of2::Multiply, a, b)),
            '/' => Infix::Left(3, |_: &mut _, a, b| two(Of2::Divide, a, b)),
            '^' => Infix::Right(7, |_: &mut _, a, b| two(Of2::Power, a, b)),
            _ => fail,
        })
        .parse_next(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> f64 {
        let known = |name: &str| ["x", "crank.tip.x", "rod_3.angle"].contains(&name).then_some(Tree::Variable(()));
        let tree = Formula::Text(text.to_owned()).read().and_then(|tree| tree.resolve(&mut { known }));
        tree.unwrap_or_else(|error| panic!("{text}: {error}")).evaluate(&mut |()| 3.0)
    }

    #[test]
    fn powers_bind_before_signs_and_signs_before_products() {
        assert_eq!(value("-x^2"), -9.0);
        assert_eq!(value("2^-1"), 0.5);
        assert_eq!(value("2^3^2"), 512.0);
        assert_eq!(value("1 - 2 - 3"), -4.0);
        assert_eq!(value("2*-3 + 8/4/2"), -5.0);
        assert_eq!(value("( 1+ x )*2"), 8.0);
        assert_eq!(value("sin(pi/2) + atan2( 0, 1 ) + max(x, 2)*1e-1"), 1.0 + 0.3);
        assert_eq!(value("crank.tip.x*rod_3.angle"), 9.0);
        assert_eq!(value("abs(-x) + sign(-x) + sqrt(4^0.5*2)"), 4.0);
        assert_eq!(value("x-1"), 2.0);
    }

    #[test]
    fn what_makes_no_sense_is_refused_where_it_ends_to() {
        let refused = |text: &str| {
            let tree = Formula::Text(text.to_owned()).read();
            tree.and_then(|tree| tree.resolve(&mut |_| None::<Tree<()>>)).unwrap_err()
        };
        assert_eq!(refused("1 + y"), NoFormula::Unknown("y".to_owned()));
        assert_eq!(refused(""), NoFormula::At(1));
        for text in ["1 +", "2x", "sin(", "sin(1, 2)", "max(1)", "foo(1)", "1 $ 2", "(1", "1)", "..", "x.", "é("] {
            assert!(matches!(refused(text), NoFormula::At(_)), "{text}: {:?}", refused(text));
        }
        assert_eq!(refused("1 $ 2"), NoFormula::At(3));
        assert_eq!(refused(&"(".repeat(60)), NoFormula::TooLong);
    }

    #[test]
    fn the_hyperbolic_tangent_has_derivatives_far_out() {
        use num_dual::Dual64;
        for x in [-1e4, -30.0, -1.5, -0.99, 0.0, 0.3, 1.0, 2.0, 800.0] {
            let found = tanh(Dual64::new(x, 1.0));
            assert!((found.re - x.tanh()).abs() < 1e-15, "{x}: {found}");
            assert!((found.eps - (1.0 - x.tanh().powi(2))).abs() < 1e-15, "{x}: {found}");
        }
    }

    #[test]
    fn derivatives_are_those_of_the_formula() {
        use num_dual::Dual64;
        let tree = Formula::Text("x^3 + x^2.5 + 2^x + min(x, 9)".to_owned()).read().unwrap();
        let tree = tree.resolve(&mut |_| Some(Tree::Variable(()))).unwrap();
        let found = tree.evaluate(&mut |()| Dual64::new(3.0, 1.0)).eps;
        let exact = 27.0 + 2.5 * 3.0f64.powf(1.5) + 8.0 * 2.0f64.ln() + 1.0;
        assert!((found - exact).abs() < 1e-13, "{found} {exact}");
    }
}
