//! Linear systems over real and complex numbers.

use mbsbench_problem::linalg::Singular;
use nalgebra::{ComplexField, DMatrix, DVector};

/// A square matrix and its factors with partial pivoting, in storage that is kept between factorisations; nalgebra's own
/// decomposition would allocate.
#[derive(Debug, Clone)]
pub(super) struct Factors<T: ComplexField> {
    /// The matrix, to be filled; [`factorise`](Self::factorise) replaces it by its factors.
    pub matrix: DMatrix<T>,
    pivots: Vec<usize>,
    /// Right-hand side on entry to [`solve`](Self::solve), solution on return.
    pub x: DVector<T>,
}

impl<T: ComplexField<RealField = f64> + Copy> Factors<T> {
    /// Memory for `n` unknowns.
    pub(super) fn new(n: usize) -> Self {
        Self { matrix: DMatrix::zeros(n, n), pivots: vec![0; n], x: DVector::zeros(n) }
    }

    /// Factorises the matrix in place.
    ///
    /// # Errors
    /// [`Singular`] where a column has no finite pivot other than zero.
    pub(super) fn factorise(&mut self) -> Result<(), Singular> {
        let n = self.pivots.len();
        let entries = self.matrix.as_mut_slice();
        for (k, pivot) in self.pivots.iter_mut().enumerate() {
            let (left, right) = entries.split_at_mut((k + 1) * n);
            let size;
            (*pivot, size) = largest(&left[k * n..], k);
            if size <= 0.0 || !size.is_finite() {
                return Err(Singular);
            }
            if *pivot != k {
                left.chunks_mut(n).for_each(|column| column.swap(k, *pivot));
                right.chunks_mut(n).for_each(|column| column.swap(k, *pivot));
            }
            let (upper, multipliers) = left[k * n..].split_at_mut(k + 1);
            let inverse = T::one() / upper[k];
            multipliers.iter_mut().for_each(|multiplier| *multiplier *= inverse);
            for column in right.chunks_mut(n) {
                let (upper, lower) = column.split_at_mut(k + 1);
                subtract(lower, upper[k], multipliers);
            }
        }
        Ok(())
    }

    /// Solves with the factors for the right-hand side in `x`.
    pub(super) fn solve(&mut self) {
        let n = self.pivots.len();
        let (entries, x) = (self.matrix.as_slice(), self.x.as_mut_slice());
        for (k, &pivot) in self.pivots.iter().enumerate() {
            x.swap(k, pivot);
        }
        for (k, column) in entries.chunks(n.max(1)).enumerate() {
            let (known, rest) = x.split_at_mut(k + 1);
            subtract(rest, known[k], &column[k + 1..]);
        }
        for (k, column) in entries.chunks(n.max(1)).enumerate().rev() {
            let (rest, known) = x.split_at_mut(k);
            known[0] /= column[k];
            subtract(rest, known[0], column);
        }
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

/// `y −= a x`, for as many components as there are; the matrices here have many zeros.
#[inline(always)]
fn subtract<T: ComplexField<RealField = f64> + Copy>(y: &mut [T], a: T, x: &[T]) {
    if a != T::zero() {
        for (y, &x) in y.iter_mut().zip(x) {
            *y -= a * x;
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
