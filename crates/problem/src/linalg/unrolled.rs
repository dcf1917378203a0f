//! Elimination and substitution for as many unknowns as a constant says: loops that the compiler writes out.
//!
//! The arithmetic is that of the loops for any size, operation for operation, and so are the results to the bit. With eight
//! unknowns factors take 0.08 µs, where nine, in loops for any number, take 0.17 µs (`cargo bench -p mbsbench-problem`).

use super::{Singular, vanishes};
use crate::Scalar;

/// Most unknowns that are written out.
pub(super) const MOST: usize = 8;

/// Right-hand sides that are solved for together.
pub type Block<S> = [S; 8];

/// A square matrix, column by column.
pub(super) type Square<S, const N: usize> = [[S; N]; N];

/// Does something for each number below [`MOST`] that is also below `N`, with the number as a constant.
macro_rules! each {
    ($n:ident: $k:ident $body:block) => { each!(@ $n $k $body 0 1 2 3 4 5 6 7) };
    (rev $n:ident: $k:ident $body:block) => { each!(@ $n $k $body 7 6 5 4 3 2 1 0) };
    (@ $n:ident $k:ident $body:block $($number:literal)*) => {
        $({
            const $k: usize = $number;
            if $k < $n $body
        })*
    };
}

/// Replaces a matrix by its factors; writes the rows of the pivots and the reciprocals of the diagonal.
pub(super) fn factorize<S: Scalar, const N: usize>(
    columns: &mut Square<S, N>,
    pivots: &mut [usize; N],
    inverses: &mut [S; N],
) -> Result<(), Singular> {
    each!(N: K { eliminate::<S, N, K>(columns, &mut pivots[K], &mut inverses[K])?; });
    Ok(())
}

/// Column `K`.
#[inline(always)]
fn eliminate<S: Scalar, const N: usize, const K: usize>(
    columns: &mut Square<S, N>,
    row: &mut usize,
    inverse: &mut S,
) -> Result<(), Singular> {
    let mut largest = -1.0;
    for i in K..N {
        let size = columns[K][i].value().abs();
        largest = if size > largest { size } else { largest };
    }
    if largest <= 0.0 || !largest.is_finite() {
        return Err(Singular);
    }
    let is_largest = |&i: &usize| columns[K][i].value().abs() == largest;
    let pivot = (K..N).find(is_largest).unwrap_or(K);
    *row = pivot;
    if pivot != K {
        columns.iter_mut().for_each(|column| column.swap(K, pivot));
    }
    *inverse = columns[K][K].recip();
    for i in K + 1..N {
        columns[K][i] *= *inverse;
    }
    let multipliers = columns[K];
    for column in &mut columns[K + 1..] {
        let factor = column[K];
        if !vanishes(factor) {
            for i in K + 1..N {
                column[i] -= multipliers[i] * factor;
            }
        }
    }
    Ok(())
}

/// Solves with the factors.
pub(super) fn solve<S: Scalar, const N: usize>(columns: &Square<S, N>, pivots: &[usize; N], x: &mut [S; N]) {
    each!(N: K { x.swap(K, pivots[K]); });
    each!(N: K {
        let known = x[K];
        for i in K + 1..N {
            x[i] -= columns[K][i] * known;
        }
    });
    each!(rev N: K {
        let mut sum = x[K];
        for j in K + 1..N {
            sum -= columns[j][K] * x[j];
        }
        x[K] = sum / columns[K][K];
    });
}

/// The same for a block of right-hand sides, of which each row is given.
pub(super) fn solve_block<S: Scalar, const N: usize>(
    columns: &Square<S, N>,
    pivots: &[usize; N],
    rows: &mut [Block<S>; N],
) {
    each!(N: K { rows.swap(K, pivots[K]); });
    each!(N: K {
        let known = rows[K];
        for i in K + 1..N {
            subtract(&mut rows[i], columns[K][i], &known);
        }
    });
    each!(rev N: K {
        let mut sum = rows[K];
        for j in K + 1..N {
            subtract(&mut sum, columns[j][K], &rows[j]);
        }
        let diagonal = columns[K][K];
        rows[K] = sum.map(|x| x / diagonal);
    });
}

/// `sum += column · factor`.
#[inline(always)]
pub(super) fn add<S: Scalar, const N: usize>(sum: &mut [S; N], column: &[S; N], factor: S) {
    for (sum, &entry) in sum.iter_mut().zip(column) {
        *sum += entry * factor;
    }
}

/// `Σ aᵢ xᵢ`, in this order.
#[inline(always)]
pub(super) fn dot<S: Scalar, const N: usize>(a: &[S; N], x: &[S; N]) -> S {
    a.iter().zip(x).fold(S::nought(), |sum, (&a, &x)| sum + a * x)
}

/// `row −= factor · other`; most matrices here have many zeros.
#[inline(always)]
fn subtract<S: Scalar>(row: &mut Block<S>, factor: S, other: &Block<S>) {
    if !vanishes(factor) {
        for (x, &known) in row.iter_mut().zip(other) {
            *x -= factor * known;
        }
    }
}
