//! A matrix with its factors.

use nalgebra::DMatrix;

use super::{Lu, Singular};
use crate::Scalar;

/// A square matrix with its factors, in memory that is reused when the matrix changes.
#[derive(Debug, Clone)]
pub struct System<S = f64> {
    /// The matrix, to be filled before [`factorize`](Self::factorize).
    pub matrix: DMatrix<S>,
    /// Its factors.
    pub factors: Lu<S>,
    /// Number of operations so far, by [`flops`](super::flops).
    pub flops: u64,
}

impl<S: Scalar> System<S> {
    /// Memory for `size` unknowns; the matrix is zero.
    pub fn new(size: usize) -> Self {
        Self { matrix: DMatrix::from_element(size, size, S::zero()), factors: Lu::new(size), flops: 0 }
    }

    /// Factorizes the matrix.
    ///
    /// # Errors
    /// Fails with [`Singular`] if the matrix is singular.
    pub fn factorize(&mut self) -> Result<(), Singular> {
        let factorized = self.factors.factorize(&self.matrix);
        self.flops += self.factors.factorization_flops();
        factorized
    }

    /// Solves with the factors, in place.
    pub fn solve(&mut self, x: &mut [S]) {
        self.factors.solve_by_columns(x);
        self.flops += self.factors.solve_flops();
    }

    /// Writes the matrix of a mechanical system with constraints on positions into the upper left corner,
    ///
    /// ```text
    /// ( Σ fᵢ Aᵢ   −b Jᵀ )
    /// ( J           0   )
    /// ```
    ///
    /// with the factors `fᵢ` and the `n × n` blocks `Aᵢ`, most often mass, damping and stiffness. The zeros are not
    /// written.
    pub fn put_saddle(&mut self, blocks: [(S, &DMatrix<S>); 3], b: S, jacobian: &DMatrix<S>) {
        let [(f, first), (g, second), (h, third)] = blocks;
        let (n, stride) = (jacobian.ncols(), self.matrix.nrows());
        let (left, right) = self.matrix.as_mut_slice().split_at_mut(n * stride);
        for (j, column) in left.chunks_mut(stride.max(1)).enumerate() {
            let terms = columns(first, j).iter().zip(columns(second, j)).zip(columns(third, j));
            for (entry, ((&a, &b), &c)) in column.iter_mut().zip(terms) {
                *entry = a * f + b * g + c * h;
            }
            let beside = right.iter_mut().skip(j).step_by(stride);
            for ((below, beside), &derivative) in column[n..].iter_mut().zip(beside).zip(columns(jacobian, j)) {
                (*below, *beside) = (derivative, -(derivative * b));
            }
        }
    }
}

/// Column `j` of a matrix.
fn columns<S>(matrix: &DMatrix<S>, j: usize) -> &[S] {
    &matrix.as_slice()[j * matrix.nrows()..][..matrix.nrows()]
}
