//! Parsed formulas.

use mbsbench_problem::Scalar;
use mbsbench_problem::parameters::spelling;

use super::NoFormula;

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

const FUNCTIONS: [Function; 14] = {
    use Function::*;
    [Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Exp, Ln, Sqrt, Abs, Sign]
};

/// Functions of two arguments that have names.
const OF_TWO: [Of2; 3] = [Of2::Min, Of2::Max, Of2::Atan2];

/// The names of all functions.
pub fn functions() -> impl Iterator<Item = String> {
    FUNCTIONS.iter().map(spelling).chain(OF_TWO.iter().map(spelling))
}

impl Function {
    /// Returns the function with a name.
    pub fn named(name: &str) -> Option<Self> {
        FUNCTIONS.into_iter().find(|function| spelling(function) == name)
    }
}

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

/// A parsed formula, with variables of type `V`.
#[derive(Debug, Clone, PartialEq)]
pub enum Tree<V> {
    /// A number.
    Number(f64),
    /// The number π.
    Pi,
    /// A variable.
    Variable(V),
    /// Negation.
    Negative(Box<Tree<V>>),
    /// A function of one argument.
    One(Function, Box<Tree<V>>),
    /// An operand, and operations applied to it from left to right: `a - b*c + d` applies two to `a`. A sum of any
    /// length is one level deep.
    Chain(Box<Tree<V>>, Vec<(Of2, Tree<V>)>),
}

impl Tree<String> {
    /// Replaces names by their meanings.
    ///
    /// # Errors
    /// Fails with the first name that has no meaning.
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
    /// Evaluates the formula with the given values of variables.
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
                        // `powf` computes its derivatives as quotients, which are NaN at zero
                        Some(power) if power > 1.0 && a.re() == 0.0 => a * 0.0,
                        Some(power) => a.powf(power),
                        None => function.of(a, b.evaluate(value)),
                    };
                }
                a
            }
        }
    }

    /// The value of a tree without variables. A power with such an exponent also has derivatives for bases of
    /// zero and below.
    fn constant(&self) -> Option<f64> {
        (!self.any(&mut |_| true)).then(|| self.evaluate(&mut |_| f64::NAN))
    }

    /// True if the condition `is` holds for any variable.
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
            Self::Sign if x.re() < 0.0 => S::from(-1.0),
            Self::Sign => S::from(if x.re() > 0.0 { 1.0 } else { 0.0 }),
        }
    }
}

/// The hyperbolic tangent with finite derivatives for all arguments: dual numbers compute a quotient, both parts of
/// which overflow.
pub(crate) fn tanh<S: Scalar>(x: S) -> S {
    if x.re().abs() < 1.0 {
        return x.tanh();
    }
    let (sign, size) = if x.re() < 0.0 { (-1.0, -x) } else { (1.0, x) };
    let small = (size * -2.0).exp();
    (-small + 1.0) / (small + 1.0) * sign
}

impl Of2 {
    /// Returns the function with a name.
    pub fn named(name: &str) -> Option<Self> {
        OF_TWO.into_iter().find(|function| spelling(function) == name)
    }

    fn of<S: Scalar>(self, a: S, b: S) -> S {
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::Divide => a / b,
            Self::Power => a.powd(b),
            Self::Min if b.re() < a.re() => b,
            Self::Max if b.re() > a.re() => b,
            Self::Min | Self::Max => a,
            Self::Atan2 => a.atan2(b),
        }
    }
}
