//! Linear systems over real and complex numbers.

use mbsbench_problem::linalg::Singular;
use nalgebra::{ComplexField, DMatrix, DVector};

/// Rows that are worked on together.
const BLOCK: usize = 4;

/// A square matrix and its factors with partial pivoting, in storage that is kept between factorisations; nalgebra's own
/// decomposition would allocate.
///
/// The factors stand in columns of whole blocks of rows, filled up with zeros: those of the lower factor have them down to the
/// diagonal too, which is one, and those of the upper factor from the diagonal on, which is kept apart.
#[derive(Debug, Clone)]
pub(super) struct Factors<T: ComplexField> {
    /// The matrix, to be filled.
    pub matrix: DMatrix<T>,
    pivots: Vec<usize>,
    lower: Vec<[T; BLOCK]>,
    upper: Vec<[T; BLOCK]>,
    diagonal: Vec<T>,
    /// Unknowns of a solution under way.
    known: Vec<[T; BLOCK]>,
    /// Right-hand side on entry to [`solve`](Self::solve), solution on return.
    pub x: DVector<T>,
}

impl<T: ComplexField<RealField = f64> + Copy> Factors<T> {
    /// Memory for `n` unknowns.
    pub(super) fn new(n: usize) -> Self {
        let zeros = |columns: usize| vec![[T::zero(); BLOCK]; columns * n.div_ceil(BLOCK)];
        Self {
            matrix: DMatrix::zeros(n, n),
            pivots: vec![0; n],
            lower: zeros(n),
            upper: zeros(n),
            diagonal: vec![T::zero(); n],
            known: zeros(1),
            x: DVector::zeros(n),
        }
    }

    /// Factorises the matrix.
    ///
    /// # Errors
    /// [`Singular`] where a column has no finite pivot other than zero.
    pub(super) fn factorise(&mut self) -> Result<(), Singular> {
        let (n, blocks) = (self.pivots.len(), self.known.len());
        for (column, entries) in self.upper.chunks_mut(blocks.max(1)).zip(self.matrix.as_slice().chunks(n.max(1))) {
            column.as_flattened_mut()[..n].copy_from_slice(entries);
        }
        for k in 0..n {
            let (left, right) = self.upper.split_at_mut((k + 1) * blocks);
            let column = left[k * blocks..].as_flattened_mut();
            let (pivot, size) = largest(&column[..n], k);
            if size <= 0.0 || !size.is_finite() {
                return Err(Singular);
            }
            let (before, rest) = self.lower.split_at_mut(k * blocks);
            if pivot != k {
                column.swap(k, pivot);
                for column in before.chunks_mut(blocks).chain(right.chunks_mut(blocks)) {
                    column.as_flattened_mut().swap(k, pivot);
                }
            }
            (self.pivots[k], self.diagonal[k]) = (pivot, column[k]);
            let inverse = T::one() / column[k];
            let multipliers = &mut rest[..blocks];
            multipliers.as_flattened_mut()[..=k].fill(T::zero());
            for (multiplier, entry) in multipliers.as_flattened_mut()[k + 1..].iter_mut().zip(&column[k + 1..]) {
                *multiplier = *entry * inverse;
            }
            column[k..].fill(T::zero());
            let first = (k + 1) / BLOCK;
            for column in right.chunks_mut(blocks) {
                let factor = column.as_flattened()[k];
                subtract(&mut column[first..], factor, &multipliers[first..]);
            }
        }
        Ok(())
    }

    /// Solves with the factors for the right-hand side in `x`.
    pub(super) fn solve(&mut self) {
        let (n, blocks) = (self.pivots.len(), self.known.len());
        let Self { lower, upper, known, x, .. } = self;
        known.as_flattened_mut()[..n].copy_from_slice(x.as_slice());
        for (k, &pivot) in self.pivots.iter().enumerate() {
            known.as_flattened_mut().swap(k, pivot);
        }
        for (k, column) in lower.chunks(blocks.max(1)).enumerate() {
            let (value, first) = (known.as_flattened()[k], (k + 1) / BLOCK);
            subtract(&mut known[first..], value, &column[first..]);
        }
        for (k, column) in upper.chunks(blocks.max(1)).enumerate().rev() {
            let value = known.as_flattened()[k] / self.diagonal[k];
            known.as_flattened_mut()[k] = value;
            subtract(known, value, &column[..k.div_ceil(BLOCK)]);
        }
        x.as_mut_slice().copy_from_slice(&known.as_flattened()[..n]);
    }
}

/// Row, from `k` on, of the largest entry of a column, and its size.
fn largest<T: ComplexField<RealField = f64> + Copy>(column: &[T], k: usize) -> (usize, f64) {
    let mut largest = (k, column[k].norm1());
    for (i, entry) in column.iter().enumerate().skip(k + 1) {
        let size = entry.norm1();
        if size > largest.1 {
            largest = (i, size);
        }
    }
    largest
}

/// `y −= a x`, for as many blocks as there are of both; the matrices here have many zeros.
#[inline(always)]
fn subtract<T: ComplexField<RealField = f64> + Copy>(y: &mut [[T; BLOCK]], a: T, x: &[[T; BLOCK]]) {
    if a != T::zero() {
        for (y, x) in y.iter_mut().zip(x) {
            for row in 0..BLOCK {
                y[row] -= a * x[row];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Complex;

    #[test]
    fn complex_systems_are_solved_with_pivoting() {
        let n = 7;
        let matrix = DMatrix::from_fn(n, n, |i, j| {
            if i == j {
                Complex::new(0.0, 0.0)
            } else {
                Complex::new((i * j) as f64 % 5.0 - 1.5, (i + 2 * j) as f64 % 3.0)
            }
        });
        let exact = DVector::from_fn(n, |i, _| Complex::new(i as f64 - 2.0, 0.5 * i as f64));
        let mut factors = Factors::new(n);
        for _ in 0..2 {
            factors.matrix.copy_from(&matrix);
            factors.factorise().unwrap();
            factors.x = &matrix * &exact;
            factors.solve();
            let error = (&factors.x - &exact).camax();
            assert!(error < 1e-13, "{error:e}");
        }
    }

    #[test]
    fn singular_matrices_are_told() {
        for entries in [[1.0, 2.0, 2.0, 4.0], [0.0, 0.0, 1.0, 1.0], [f64::NAN, 1.0, 1.0, 1.0]] {
            let mut factors = Factors::<f64>::new(2);
            factors.matrix.copy_from_slice(&entries);
            assert_eq!(factors.factorise(), Err(Singular));
        }
    }
}
