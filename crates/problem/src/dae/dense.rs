//! Newton's matrix of a problem without structure.

use nalgebra::DMatrix;

use crate::Scalar;
use crate::linalg::{Lu, Singular};

/// A dense matrix with its factors, in storage that is kept.
#[derive(Debug, Clone)]
pub struct DenseSystem<S = f64> {
    /// The matrix; to be filled before [`factorise`](Self::factorise).
    pub matrix: DMatrix<S>,
    factors: Lu<S>,
}

impl<S: Scalar> DenseSystem<S> {
    /// Memory for `size` unknowns, matrix zero.
    #[must_use]
    pub fn new(size: usize) -> Self {
        Self { matrix: DMatrix::from_element(size, size, S::nought()), factors: Lu::new(size) }
    }

    /// Factorises the matrix.
    ///
    /// # Errors
    /// [`Singular`].
    pub fn factorise(&mut self) -> Result<(), Singular> {
        self.factors.factorize(&self.matrix)
    }

    /// Solves with the factors, in place.
    pub fn solve(&self, x: &mut [S]) {
        self.factors.solve_by_columns(x);
    }
}
