//! Linear systems over real and complex numbers.

use mbsbench_problem::linalg::Singular;
use nalgebra::linalg::{gauss_step, gauss_step_swap};
use nalgebra::{ComplexField, DMatrix, DVector};

/// A square matrix and its factors with partial pivoting, in storage that is kept between factorisations; the elimination is
/// nalgebra's, whose own decomposition would allocate.
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
        let Self { matrix, pivots, .. } = self;
        for (k, pivot) in pivots.iter_mut().enumerate() {
            *pivot = k + matrix.view_range(k.., k).icamax();
            let diagonal = matrix[(*pivot, k)];
            let size = diagonal.norm1();
            if size <= 0.0 || !size.is_finite() {
                return Err(Singular);
            }
            if *pivot == k {
                gauss_step(matrix, diagonal, k);
            } else {
                matrix.columns_range_mut(..k).swap_rows(k, *pivot);
                gauss_step_swap(matrix, diagonal, k, *pivot);
            }
        }
        Ok(())
    }

    /// Solves with the factors for the right-hand side in `x`.
    pub(super) fn solve(&mut self) {
        for (k, &pivot) in self.pivots.iter().enumerate() {
            self.x.swap_rows(k, pivot);
        }
        // neither fails: factorise has found no zero on the diagonal
        self.matrix.solve_lower_triangular_with_diag_mut(&mut self.x, T::one());
        self.matrix.solve_upper_triangular_mut(&mut self.x);
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
