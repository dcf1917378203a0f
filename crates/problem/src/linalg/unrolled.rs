//! Elimination and substitution with the number of unknowns as a constant, so that the compiler unrolls the loops.
//!
//! The arithmetic is the same as in the general loops, operation by operation, so results are bitwise equal. With eight
//! unknowns a factorization takes 0.08 µs; with nine, in general loops, it takes 0.17 µs
//! (`cargo bench -p mbsbench-problem`).

use std::any::Any;

use super::{FITS, Singular, vanishes};
use crate::Scalar;
use crate::scalar::is_double;

/// Largest number of unknowns with unrolled loops.
pub(super) const MOST: usize = 8;

/// The values of an unknown in several right-hand sides that are solved for together.
pub type Block<S> = [S; 8];

/// A square matrix, column by column.
type Square<const N: usize> = [[f64; N]; N];

/// Repeats a block for each number below [`MOST`] that is also below `N`, with the number as a constant.
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
///
/// This function and the next two take doubles and any number of unknowns up to [`MOST`], so that they are compiled
/// once and not in each crate that calls them.
pub(super) fn factorize(columns: &mut [f64], pivots: &mut [usize], inverses: &mut [f64]) -> Result<(), Singular> {
    unrolled!(f64, pivots.len(); N => {
        let columns = columns.as_chunks_mut().0.first_chunk_mut().expect(FITS);
        factorize_square::<N>(columns, pivots, inverses)
    }; else Ok(()))
}

/// Solves with the factors.
pub(super) fn solve(columns: &[f64], pivots: &[usize], x: &mut [f64]) {
    unrolled!(f64, pivots.len(); N => {
        let columns = columns.as_chunks().0.first_chunk().expect(FITS);
        solve_square::<N>(columns, pivots.first_chunk().expect(FITS), x.first_chunk_mut().expect(FITS));
    }; else ())
}

/// Solves for a block of right-hand sides, given by rows.
pub(super) fn solve_block(columns: &[f64], pivots: &[usize], rows: &mut [Block<f64>]) {
    unrolled!(f64, pivots.len(); N => {
        let columns = columns.as_chunks().0.first_chunk().expect(FITS);
        solve_square_block::<N>(columns, pivots.first_chunk().expect(FITS), rows.first_chunk_mut().expect(FITS));
    }; else ())
}

/// Returns a short slice as one of another type if both types are the same.
pub(super) fn cast<A: 'static, B: 'static>(numbers: &mut [A]) -> Option<&mut [B]> {
    unrolled!(f64, numbers.len(); N => {
        let numbers: &mut [A; N] = numbers.first_chunk_mut()?;
        (numbers as &mut dyn Any).downcast_mut::<[B; N]>().map(<[B; N]>::as_mut_slice)
    }; else None)
}

fn factorize_square<const N: usize>(
    columns: &mut Square<N>,
    pivots: &mut [usize],
    inverses: &mut [f64],
) -> Result<(), Singular> {
    each!(N: K { eliminate::<N, K>(columns, &mut pivots[K], &mut inverses[K])?; });
    Ok(())
}

/// Eliminates column `K`.
#[inline(always)]
fn eliminate<const N: usize, const K: usize>(
    columns: &mut Square<N>,
    row: &mut usize,
    inverse: &mut f64,
) -> Result<(), Singular> {
    let mut largest = -1.0;
    for i in K..N {
        let size = columns[K][i].abs();
        largest = if size > largest { size } else { largest };
    }
    if largest <= 0.0 || !largest.is_finite() {
        return Err(Singular);
    }
    let is_largest = |&i: &usize| columns[K][i].abs() == largest;
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

fn solve_square<const N: usize>(columns: &Square<N>, pivots: &[usize; N], x: &mut [f64; N]) {
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

fn solve_square_block<const N: usize>(columns: &Square<N>, pivots: &[usize; N], rows: &mut [Block<f64>; N]) {
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

/// `Σ aᵢ xᵢ`, summed in this order.
#[inline(always)]
pub(super) fn dot<S: Scalar, const N: usize>(a: &[S; N], x: &[S; N]) -> S {
    a.iter().zip(x).fold(S::zero(), |sum, (&a, &x)| sum + a * x)
}

/// `row −= factor · other`; skipped if the factor vanishes, since most matrices here have many zeros.
#[inline(always)]
fn subtract(row: &mut Block<f64>, factor: f64, other: &Block<f64>) {
    if !vanishes(factor) {
        for (x, &known) in row.iter_mut().zip(other) {
            *x -= factor * known;
        }
    }
}
