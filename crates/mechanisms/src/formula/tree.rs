//! Parsed formulas.

use mbsbench_problem::Scalar;
use mbsbench_problem::parameters::spelling;

use super::{MOST_PARTS, NoFormula};

/// Functions of one argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

/// A variable as it is written.
#[derive(Debug, Clone, PartialEq)]
pub enum Symbol {
    /// A name: `t`, `crank.tip.x`.
    Name(String),
    /// An element of a vector, by its indices: `x[i+1]`.
    Element(String, Vec<Tree<Symbol>>),
    /// A sum over an index from a first to a last value, `sum(i, 1, n, x[i])`; zero if the last is below the first.
    Sum {
        /// Name of the index.
        index: String,
        /// First and last value.
        bounds: Box<[Tree<Symbol>; 2]>,
        /// The terms.
        term: Box<Tree<Symbol>>,
    },
}

/// Meanings of names while a formula is resolved.
struct Names<'m, V> {
    meaning: &'m mut dyn FnMut(&str) -> Option<Tree<V>>,
    /// Values of the indices of enclosing sums.
    indices: Vec<(&'m str, i64)>,
    /// Number of parts that the formula may still have.
    left: usize,
}

impl Tree<Symbol> {
    /// Replaces names by their meanings and writes sums out. The name of an element has its indices as numbers,
    /// `x[3]` or `d[2,3]`.
    ///
    /// # Errors
    /// Fails with the first name that has no meaning, or if an index is not a whole number.
    pub fn resolve<V>(&self, meaning: &mut dyn FnMut(&str) -> Option<Tree<V>>) -> Result<Tree<V>, NoFormula> {
        self.resolve_in(&mut Names { meaning, indices: Vec::new(), left: MOST_PARTS })
    }

    fn resolve_in<'m, V>(&'m self, names: &mut Names<'m, V>) -> Result<Tree<V>, NoFormula> {
        names.left = names.left.checked_sub(1).ok_or(NoFormula::TooManyParts)?;
        Ok(match self {
            Self::Number(number) => Tree::Number(*number),
            Self::Pi => Tree::Pi,
            Self::Variable(Symbol::Name(name)) => names.meaning_of(name)?,
            Self::Variable(Symbol::Element(name, indices)) => {
                let values = indices.iter().map(|index| Ok(index.whole(name, names)?.to_string()));
                let values = values.collect::<Result<Vec<_>, _>>()?;
                names.meaning_of(&format!("{name}[{}]", values.join(",")))?
            }
            Self::Variable(Symbol::Sum { index, bounds, term }) => {
                let [first, last] = [bounds[0].whole(index, names)?, bounds[1].whole(index, names)?];
                let mut terms = Vec::new();
                for value in first..=last {
                    names.indices.push((index, value));
                    terms.push((Of2::Add, term.resolve_in(names)?));
                    names.indices.pop();
                }
                if terms.is_empty() {
                    return Ok(Tree::Number(0.0));
                }
                let (_, first) = terms.remove(0);
                Tree::Chain(Box::new(first), terms)
            }
            Self::Negative(a) => Tree::Negative(Box::new(a.resolve_in(names)?)),
            Self::One(function, a) => Tree::One(*function, Box::new(a.resolve_in(names)?)),
            Self::Chain(first, rest) => {
                let first = Box::new(first.resolve_in(names)?);
                let rest = rest.iter().map(|(function, b)| Ok((*function, b.resolve_in(names)?)));
                Tree::Chain(first, rest.collect::<Result<_, _>>()?)
            }
        })
    }

    /// The value of an index, or of a bound of a sum over it.
    fn whole<'m, V>(&'m self, name: &str, names: &mut Names<'m, V>) -> Result<i64, NoFormula> {
        let value = self.resolve_in(names)?.constant().filter(|value| value.fract() == 0.0 && value.abs() < 1e9);
        value.map(|value| value as i64).ok_or_else(|| NoFormula::NotWhole(name.to_owned()))
    }
}

impl<V> Names<'_, V> {
    fn meaning_of(&mut self, name: &str) -> Result<Tree<V>, NoFormula> {
        let index = self.indices.iter().rev().find(|(index, _)| *index == name);
        let meaning = index.map(|&(_, value)| Tree::Number(value as f64)).or_else(|| (self.meaning)(name));
        meaning.ok_or_else(|| NoFormula::Unknown(name.to_owned()))
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
                    let exponent = if *function == Of2::Power { b.constant() } else { None };
                    a = match exponent {
                        Some(exponent) => power(a, exponent),
                        None => function.of(a, b.evaluate(value)),
                    };
                }
                a
            }
        }
    }

    /// The value of a tree without variables. A power with such an exponent also has derivatives for bases of
    /// zero and below.
    pub(crate) fn constant(&self) -> Option<f64> {
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

/// `a` to the power of a constant exponent.
pub(crate) fn power<S: Scalar>(a: S, exponent: f64) -> S {
    if exponent.fract() == 0.0 && exponent.abs() < 1e6 {
        a.powi(exponent as i32)
    } else if exponent > 0.0 && a.re() == 0.0 {
        // `powf` computes its derivatives as quotients, which are NaN at zero; an infinite one is left out
        a * 0.0
    } else {
        a.powf(exponent)
    }
}

impl Function {
    pub(crate) fn of<S: Scalar>(self, x: S) -> S {
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
            // a quotient computes the derivative, which is NaN at zero even if `x` is constant there
            Self::Sqrt if x.re() == 0.0 => x * 0.0,
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

    pub(crate) fn of<S: Scalar>(self, a: S, b: S) -> S {
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::Divide => a / b,
            // the logarithm of such a base has no derivative, but an exponent that changes leaves no power either
            Self::Power if a.re() <= 0.0 => power(a, b.re()),
            Self::Power => a.powd(b),
            Self::Min if b.re() < a.re() => b,
            Self::Max if b.re() > a.re() => b,
            Self::Min | Self::Max => a,
            Self::Atan2 => a.atan2(b),
        }
    }
}
