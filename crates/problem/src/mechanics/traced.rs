//! Numbers that remember from which arguments they were computed.
//!
//! One evaluation of a function with them shows on which arguments each result depends, and in which pairs of
//! arguments it has second derivatives, whatever the values are. The cost is proportional to the number of existing
//! derivatives, not to one evaluation for each argument or pair. They also record if the course of the evaluation
//! depends on a value, since it may then be different elsewhere.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Rem, Sub};

use num_dual::DualNum;
use num_traits::{FromPrimitive, One};

use crate::number::impl_number;

/// The arguments from which a number was computed.
#[derive(Debug, Clone, Default, PartialEq)]
struct Origin {
    /// Arguments in which it has first derivatives, in ascending order.
    first: Vec<u32>,
    /// Pairs `i ≤ j` of arguments in which it has second derivatives, in ascending order.
    second: Vec<(u32, u32)>,
}

/// Origins of the numbers of one evaluation; the first one belongs to constants.
#[derive(Default)]
struct Memory {
    origins: Vec<Origin>,
    /// True if second derivatives are recorded.
    second: bool,
    branched: bool,
}

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::default();
}

/// A value with its origin.
#[derive(Clone, Copy)]
pub(super) struct Traced {
    value: f64,
    origin: u32,
}

/// The result of an evaluation with traced numbers.
pub(super) struct Trace {
    /// For each result, the arguments in which it has first derivatives.
    pub(super) first: Vec<Vec<usize>>,
    /// For each result, the pairs `i ≤ j` of arguments in which it has second derivatives; empty if they were not
    /// requested.
    pub(super) second: Vec<Vec<(usize, usize)>>,
    /// True if a value that depends on an argument was compared or read during the evaluation.
    pub(super) branched: bool,
}

impl Trace {
    /// The trace of the same results if their first arguments are the results of `inner`, a function of `n` arguments;
    /// the other arguments follow those.
    pub(super) fn along(&self, inner: &Self, n: usize) -> Self {
        let replaced = |k: usize| inner.first.get(k).map_or_else(|| vec![k - inner.first.len() + n], Clone::clone);
        let first = self.first.iter().map(|of| sorted(of.iter().flat_map(|&k| replaced(k))));
        let second = self.second.iter().zip(&self.first).map(|(pairs, of)| {
            let own = of.iter().filter_map(|&k| inner.second.get(k)).flatten().copied();
            let of_pairs = pairs.iter().flat_map(|&(k, l)| {
                let others = replaced(l);
                replaced(k).into_iter().flat_map(move |i| others.clone().into_iter().map(move |j| (i.min(j), i.max(j))))
            });
            sorted(own.chain(of_pairs))
        });
        Self { first: first.collect(), second: second.collect(), branched: self.branched }
    }
}

/// Evaluates a function of `arguments`, which receives them as traced numbers and returns its results.
pub(super) fn trace(arguments: &[f64], second: bool, evaluate: &mut dyn FnMut(&[Traced]) -> Vec<Traced>) -> Trace {
    let origins = std::iter::once(Origin::default())
        .chain((0..arguments.len() as u32).map(|i| Origin { first: vec![i], second: Vec::new() }))
        .collect();
    MEMORY.replace(Memory { origins, second, branched: false });
    let arguments: Vec<Traced> = arguments.iter().zip(1..).map(|(&value, origin)| Traced { value, origin }).collect();
    let results = evaluate(&arguments);
    let Memory { origins, branched, .. } = MEMORY.take();
    let of = |result: &Traced| &origins[result.origin as usize];
    let index = |&i: &u32| i as usize;
    Trace {
        first: results.iter().map(|result| of(result).first.iter().map(index).collect()).collect(),
        second: results
            .iter()
            .map(|result| of(result).second.iter().map(|(i, j)| (index(i), index(j))).collect())
            .collect(),
        branched,
    }
}

/// The items in ascending order, each one once.
fn sorted<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort_unstable();
    items.dedup();
    items
}

/// The union of two ascending lists.
fn union<T: Ord + Copy>(left: &[T], right: &[T]) -> Vec<T> {
    let (mut left, mut right) = (left.iter().copied().peekable(), right.iter().copied().peekable());
    let mut union = Vec::with_capacity(left.len() + right.len());
    while let (Some(&l), Some(&r)) = (left.peek(), right.peek()) {
        if l <= r {
            left.next();
        }
        if r <= l {
            right.next();
        }
        union.push(l.min(r));
    }
    union.extend(left.chain(right));
    union
}

/// The pairs with one member from each list.
fn pairs(left: &[u32], right: &[u32]) -> Vec<(u32, u32)> {
    sorted(left.iter().flat_map(|&i| right.iter().map(move |&j| (i.min(j), i.max(j)))))
}

/// The pairs of arguments in which a result of two operands has second derivatives besides those of the operands.
#[derive(Clone, Copy, PartialEq)]
enum Curvature {
    /// None.
    Linear,
    /// Pairs of an argument of the first operand and one of the second.
    Bilinear,
    /// Pairs as in `Bilinear`, and pairs of arguments of the second operand.
    Quotient,
    /// All pairs.
    Full,
}

impl Traced {
    /// The constant zero.
    pub(super) const ZERO: Self = Self { value: 0.0, origin: 0 };

    /// A constant, which has no origin.
    fn constant(value: f64) -> Self {
        Self { value, origin: 0 }
    }

    /// The result of combining two numbers.
    fn with(self, other: Self, value: f64, curvature: Curvature) -> Self {
        let origin = MEMORY.with_borrow_mut(|memory| {
            let (left, right) = (self.origin, other.origin);
            let is_linear = curvature == Curvature::Linear || !memory.second;
            if right == 0 && (is_linear || curvature != Curvature::Full) || left == right && is_linear {
                return left;
            }
            if left == 0 && (is_linear || curvature == Curvature::Bilinear) {
                return right;
            }
            let (left, right) = (&memory.origins[left as usize], &memory.origins[right as usize]);
            let first = union(&left.first, &right.first);
            let of_both = union(&left.second, &right.second);
            let second = match curvature {
                _ if is_linear => of_both,
                Curvature::Bilinear => union(&of_both, &pairs(&left.first, &right.first)),
                Curvature::Quotient => union(&of_both, &pairs(&first, &right.first)),
                Curvature::Linear | Curvature::Full => pairs(&first, &first),
            };
            memory.origins.push(Origin { first, second });
            (memory.origins.len() - 1) as u32
        });
        Self { value, origin }
    }

    /// The result of a function of this number with a second derivative.
    fn curved(self, value: f64) -> Self {
        self.with(self, value, Curvature::Full)
    }

    /// The result of multiplying this number by a constant, or adding one.
    fn moved(self, value: f64) -> Self {
        Self { value, ..self }
    }

    /// The value, on which the course of an evaluation may depend.
    fn read(&self) -> f64 {
        if self.origin != 0 {
            MEMORY.with_borrow_mut(|memory| memory.branched = true);
        }
        self.value
    }
}

impl fmt::Debug for Traced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.read())
    }
}

impl fmt::Display for Traced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.read())
    }
}

impl From<f64> for Traced {
    fn from(value: f64) -> Self {
        Self::constant(value)
    }
}

impl PartialEq for Traced {
    fn eq(&self, other: &Self) -> bool {
        self.read() == other.read()
    }
}

impl PartialEq<f64> for Traced {
    fn eq(&self, other: &f64) -> bool {
        self.read() == *other
    }
}

impl PartialOrd for Traced {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.read().partial_cmp(&other.read())
    }
}

impl PartialOrd<f64> for Traced {
    fn partial_cmp(&self, other: &f64) -> Option<Ordering> {
        self.read().partial_cmp(other)
    }
}

macro_rules! operators {
    ($($op:ident $method:ident $both:expr;)*) => {$(
        impl $op for Traced {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                self.with(other, $op::$method(self.value, other.value), $both)
            }
        }
        impl $op<f64> for Traced {
            type Output = Self;
            fn $method(self, other: f64) -> Self {
                self.with(Self::constant(other), $op::$method(self.value, other), Curvature::Linear)
            }
        }
    )*};
}
operators! {
    Add add Curvature::Linear;
    Sub sub Curvature::Linear;
    Mul mul Curvature::Bilinear;
    Div div Curvature::Quotient;
    Rem rem Curvature::Full;
}

// a magnitude is linear on both sides of zero
impl_number!(Traced, Traced::read, |x: &Traced| x.moved(x.value.abs()));

impl Neg for Traced {
    type Output = Self;
    fn neg(self) -> Self {
        self.moved(-self.value)
    }
}

impl FromPrimitive for Traced {
    fn from_i64(n: i64) -> Option<Self> {
        f64::from_i64(n).map(Self::from)
    }
    fn from_u64(n: u64) -> Option<Self> {
        f64::from_u64(n).map(Self::from)
    }
    fn from_f64(x: f64) -> Option<Self> {
        Some(Self::from(x))
    }
}

macro_rules! curved {
    ($($name:ident),*) => {$(
        fn $name(&self) -> Self { self.curved(DualNum::$name(&self.value)) }
    )*};
}

impl DualNum for Traced {
    type Primitive = f64;
    /// Non-zero, so that code which skips zeros without derivatives does not skip these.
    const NDERIV: usize = 2;
    type InnerDual = Self;

    fn from_re(re: Self) -> Self {
        re
    }
    fn scale(self, factor: &Self) -> Self {
        self * *factor
    }
    fn powi(&self, n: i32) -> Self {
        match n {
            0 => Self::one(),
            1 => *self,
            _ => self.curved(DualNum::powi(&self.value, n)),
        }
    }
    fn powf(&self, n: f64) -> Self {
        self.curved(DualNum::powf(&self.value, n))
    }
    fn log(&self, base: f64) -> Self {
        self.curved(DualNum::log(&self.value, base))
    }
    fn sin_cos(&self) -> (Self, Self) {
        let (sin, cos) = self.value.sin_cos();
        (self.curved(sin), self.curved(cos))
    }
    fn atan2(&self, other: Self) -> Self {
        self.with(other, self.value.atan2(other.value), Curvature::Full)
    }
    curved!(recip, sqrt, cbrt, exp, exp2, exp_m1, ln, log2, log10, ln_1p, sin, cos, tan, asin, acos, atan);
    curved!(sinh, cosh, tanh, asinh, acosh, atanh, sph_j0, sph_j1, sph_j2);
}

#[cfg(test)]
mod tests {
    use num_dual::DualStruct;
    use num_traits::Signed;

    use super::*;

    fn of(second: bool, mut function: impl FnMut(&[Traced]) -> Vec<Traced>) -> Trace {
        trace(&[0.5, -1.5, 2.5, 3.5], second, &mut function)
    }

    #[test]
    fn all_operations_propagate_dependence() {
        let trace = of(true, |x| {
            let mut sum = x[0] - x[2] * 3.0 + 1.0;
            sum += x[3];
            let two = Traced::from(2.0);
            vec![sum, x[0] * x[1] + x[2], x[1] / x[3], two, -x[2], x[0].powi(2) * x[1], x[2].atan2(x[0]), two / x[1]]
        });
        let all = |i, j| vec![(i, i), (i, j), (j, j)];
        let expected = [
            (vec![0, 2, 3], vec![]),
            (vec![0, 1, 2], vec![(0, 1)]),
            (vec![1, 3], vec![(1, 3), (3, 3)]),
            (vec![], vec![]),
            (vec![2], vec![]),
            (vec![0, 1], vec![(0, 0), (0, 1)]),
            (vec![0, 2], all(0, 2)),
            (vec![1], vec![(1, 1)]),
        ];
        assert_eq!(trace.first.into_iter().zip(trace.second).collect::<Vec<_>>(), expected);
        assert!(!trace.branched);
    }

    #[test]
    fn values_that_are_read_are_noticed() {
        assert!(of(false, |x| vec![if x[0] > 0.0 { x[1] } else { x[2] }]).branched);
        assert!(of(false, |x| vec![if x[0] < x[1] { x[1] } else { x[2] }]).branched);
        assert!(of(false, |x| vec![x[1] * x[0].re()]).branched);
        assert!(of(false, |x| vec![x[1] * x[0].signum()]).branched);
        assert!(!of(false, |x| vec![if Traced::from(1.0) > 0.0 { x[1].abs() } else { x[2] }]).branched);
    }

    #[test]
    fn the_square_of_a_number_is_curved() {
        assert_eq!(of(true, |x| vec![x[1] * x[1]]).second, [[(1, 1)]]);
        assert!(of(true, |x| vec![x[1] + x[1]]).second[0].is_empty());
    }
}
