//! Linear algebra: small systems over any scalar, larger ones in double precision.
//!
//! Matrices are nalgebra's, but its decompositions require a real field, which dual numbers and double-doubles are
//! not, and they allocate; therefore elimination is written here. Libraries of linear algebra choose their loops, and
//! with them the order of sums, by the processor; here each sum has one order, so that its bits are the same
//! everywhere. Nothing is allocated after construction, or after the first factorization of a sparse matrix.
//!
//! ```text
//! System  matrix ─▶ Lu ── unrolled   up to eight unknowns, in double precision
//!           │       └──── loops      any scalar
//! Saddle  [A −b Jᵀ; J 0] ─▶ System
//!           └─▶ Blocks ─▶ SparseLu   real or complex, for matrices with a Pattern
//! Banded    chains of elements
//! ```
//!
//! Models and mechanics write into a [`Matrix`], which stores all entries or those of a [`Pattern`].

/// Evaluates an expression with the number of unknowns as a constant, so that the compiler unrolls its loops, for up
/// to [`unrolled::MOST`] unknowns in double precision; otherwise evaluates the other expression.
macro_rules! unrolled {
    ($scalar:ident, $n:expr; $constant:ident => $work:expr; else $other:expr) => {
        match $n {
            _ if const { !is_double::<$scalar>() } => $other,
            1 => unrolled!(@ 1 $constant $work),
            2 => unrolled!(@ 2 $constant $work),
            3 => unrolled!(@ 3 $constant $work),
            4 => unrolled!(@ 4 $constant $work),
            5 => unrolled!(@ 5 $constant $work),
            6 => unrolled!(@ 6 $constant $work),
            7 => unrolled!(@ 7 $constant $work),
            $crate::linalg::unrolled::MOST => unrolled!(@ 8 $constant $work),
            _ => $other,
        }
    };
    (@ $number:literal $constant:ident $work:expr) => {{
        const $constant: usize = $number;
        $work
    }};
}

mod banded;
mod blocks;
pub mod flops;
mod lu;
mod matrix;
mod product;
pub(crate) mod saddle;
mod sparse_lu;
mod system;
mod unrolled;

use nalgebra::DMatrix;

use crate::Scalar;
use crate::scalar::is_double;

pub use banded::Banded;
pub use blocks::{Blocks, Element, Place};
pub use lu::{Lu, Singular};
pub(crate) use matrix::groups;
pub use matrix::{Accumulate, Entries, Matrix, Pattern, Sparse};
pub use product::product;
pub use saddle::{Saddle, SparseSaddle};
pub use sparse_lu::SparseLu;
pub use system::System;
pub use unrolled::Block;

/// An invariant: memory has the size given at construction.
const FITS: &str = "as many unknowns as there is storage for";

/// True if a number is zero and the scalar has no derivatives, which could be non-zero. The matrices here have many
/// zeros.
fn vanishes<S: Scalar>(x: S) -> bool {
    S::NDERIV == 0 && x == S::zero()
}

/// `y = A x`.
pub fn multiply<S: Scalar>(a: &DMatrix<S>, x: &[S], y: &mut [S]) {
    y.fill(S::zero());
    add_columns(a, x, y);
}

/// `y += A x`, column by column.
pub fn add_columns<S: Scalar>(a: &DMatrix<S>, x: &[S], y: &mut [S]) {
    add_combined(a, x.iter().copied(), y);
}

/// `y += factor A x`; `A` may be larger than the vectors.
pub fn add_product<S: Scalar>(factor: S, a: &DMatrix<S>, x: &[S], y: &mut [S]) {
    add_combined(a, x.iter().map(|&x| x * factor), y);
}

/// Adds the columns of a matrix, each multiplied by its factor.
#[inline(always)]
fn add_combined<S: Scalar>(a: &DMatrix<S>, factors: impl Iterator<Item = S>, y: &mut [S]) {
    if y.len() == a.nrows() {
        unrolled!(S, y.len(); N => {
            let y: &mut [S; N] = y.first_chunk_mut().expect(FITS);
            for (column, factor) in a.as_slice().as_chunks().0.iter().zip(factors) {
                unrolled::add(y, column, factor);
            }
            return;
        }; else ());
    }
    for (column, factor) in a.as_slice().chunks(a.nrows().max(1)).zip(factors) {
        for (y, &a) in y.iter_mut().zip(column) {
            *y += a * factor;
        }
    }
}

/// `y += factor Aᵀ x`.
pub fn add_transposed_product<S: Scalar>(factor: S, a: &DMatrix<S>, x: &[S], y: &mut [S]) {
    if x.is_empty() {
        return;
    }
    if x.len() == a.nrows() {
        unrolled!(S, x.len(); N => {
            let x: &[S; N] = x.first_chunk().expect(FITS);
            for (y, column) in y.iter_mut().zip(a.as_slice().as_chunks().0) {
                *y += unrolled::dot(column, x) * factor;
            }
            return;
        }; else ());
    }
    for (y, column) in y.iter_mut().zip(a.as_slice().chunks(a.nrows())) {
        let product = column.iter().zip(x).fold(S::zero(), |sum, (&a, &x)| sum + a * x);
        *y += product * factor;
    }
}

/// `y = Aᵀ x`.
pub fn multiply_transposed<S: Scalar>(a: &DMatrix<S>, x: &[S], y: &mut [S]) {
    y.fill(S::zero());
    for (y, column) in y.iter_mut().zip(a.as_slice().chunks(x.len().max(1))) {
        *y = column.iter().zip(x).fold(S::zero(), |sum, (&a, &x)| sum + a * x);
    }
}
