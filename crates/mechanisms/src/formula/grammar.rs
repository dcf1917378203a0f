//! The grammar of formulas.

use winnow::ascii::{float, multispace0};
use winnow::combinator::{
    Infix, Prefix, alt, delimited, dispatch, expression, fail, opt, peek, preceded, repeat, separated,
};
use winnow::error::{ContextError, ErrMode};
use winnow::prelude::*;
use winnow::stream::Stateful;
use winnow::token::{any, one_of, take_while};

use super::tree::{Function, Of2, Symbol, Tree};
use super::{DEEPEST, SUM};

type Read<T> = Result<T, ErrMode<ContextError>>;

pub(super) type Input<'i> = Stateful<&'i str, Nesting>;

/// The nesting at the current position.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Nesting {
    depth: usize,
    /// True if reading ended because of too much nesting.
    pub(super) is_too_deep: bool,
}

/// Enters a nesting level.
fn enter(input: &mut Input<'_>) -> Read<()> {
    input.state.depth += 1;
    if input.state.depth <= DEEPEST {
        return Ok(());
    }
    input.state.is_too_deep = true;
    Err(ErrMode::Cut(ContextError::new()))
}

/// Leaves a nesting level and returns what was read.
fn leaving<T>(input: &mut Input<'_>, read: T) -> Read<T> {
    input.state.depth -= 1;
    Ok(read)
}

fn spaced<'i, T>(
    parser: impl Parser<Input<'i>, T, ErrMode<ContextError>>,
) -> impl Parser<Input<'i>, T, ErrMode<ContextError>> {
    delimited(multispace0, parser, multispace0)
}

/// Reads a name such as `t`, `crank.tip.x` or `rod_3.1.angle`: words of letters, digits and `_`, joined by dots; the
/// first begins with a letter or `_`.
fn name<'i>(input: &mut Input<'i>) -> Read<&'i str> {
    let word = || take_while(1.., |c: char| c.is_alphanumeric() || c == '_');
    let first = peek(one_of(|c: char| c.is_alphabetic() || c == '_'));
    (first, word(), repeat::<_, _, (), _, _>(0.., ('.', word()))).take().parse_next(input)
}

fn operand(input: &mut Input<'_>) -> Read<Tree<Symbol>> {
    spaced(alt((delimited('(', inner, ')'), number, named))).parse_next(input)
}

/// Reads a formula in parentheses.
fn inner(input: &mut Input<'_>) -> Read<Tree<Symbol>> {
    enter(input)?;
    let tree = sum.parse_next(input)?;
    leaving(input, tree)
}

fn number(input: &mut Input<'_>) -> Read<Tree<Symbol>> {
    preceded(peek(one_of(('0'..='9', '.'))), float).map(Tree::Number).parse_next(input)
}

fn named(input: &mut Input<'_>) -> Read<Tree<Symbol>> {
    let name = name.parse_next(input)?;
    if opt('[').parse_next(input)?.is_some() {
        let indices = separated(1.., inner, ',').parse_next(input)?;
        return ']'.value(Tree::Variable(Symbol::Element(name.to_owned(), indices))).parse_next(input);
    }
    if opt('(').parse_next(input)?.is_none() {
        return Ok(if name == "pi" { Tree::Pi } else { Tree::Variable(Symbol::Name(name.to_owned())) });
    }
    if name == SUM {
        return series(input);
    }
    let first = inner.parse_next(input)?;
    if let Some(function) = Function::named(name) {
        return ')'.value(Tree::One(function, Box::new(first))).parse_next(input);
    }
    let Some(function) = Of2::named(name) else { return fail.parse_next(input) };
    let second = delimited(',', inner, ')').parse_next(input)?;
    Ok(chain(function, first, second))
}

/// Reads the arguments of a sum over an index, `i, 1, n, x[i]`.
fn series(input: &mut Input<'_>) -> Read<Tree<Symbol>> {
    let index = spaced(name).parse_next(input)?.to_owned();
    let (first, last, term) =
        (preceded(',', inner), preceded(',', inner), delimited(',', inner, ')')).parse_next(input)?;
    Ok(Tree::Variable(Symbol::Sum { index, bounds: Box::new([first, last]), term: Box::new(term) }))
}

fn chain(function: Of2, a: Tree<Symbol>, b: Tree<Symbol>) -> Tree<Symbol> {
    match a {
        Tree::Chain(first, mut rest) => {
            rest.push((function, b));
            Tree::Chain(first, rest)
        }
        first => Tree::Chain(Box::new(first), vec![(function, b)]),
    }
}

/// Reads sums of products of powers: `-a^b` is `-(a^b)`, `a^b^c` is `a^(b^c)`.
pub(super) fn sum(input: &mut Input<'_>) -> Read<Tree<Symbol>> {
    expression(operand)
        .prefix(
            (
                dispatch! { spaced(any);
                    '-' => Prefix(5, |input: &mut Input<'_>, a| leaving(input, Tree::Negative(Box::new(a)))),
                    '+' => Prefix(5, |input: &mut Input<'_>, a| leaving(input, a)),
                    _ => fail,
                },
                enter,
            )
                .map(|(sign, ())| sign),
        )
        .infix(dispatch! { spaced(any);
            '+' => Infix::Left(1, |_: &mut _, a, b| Ok(chain(Of2::Add, a, b))),
            '-' => Infix::Left(1, |_: &mut _, a, b| Ok(chain(Of2::Subtract, a, b))),
            '*' => Infix::Left(3, |_: &mut _, a, b| Ok(chain(Of2::Multiply, a, b))),
            '/' => Infix::Left(3, |_: &mut _, a, b| Ok(chain(Of2::Divide, a, b))),
            '^' => enter.value(Infix::Right(7, |input: &mut Input<'_>, a, b| leaving(input, chain(Of2::Power, a, b)))),
            _ => fail,
        })
        .parse_next(input)
}
