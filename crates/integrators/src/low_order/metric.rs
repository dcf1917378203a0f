//! The matrix that measures accelerations: mass matrix or identity.

use mbsbench_problem::linalg::{Lu, Singular, add_product};
use nalgebra::DMatrix;

use super::blocks::solve_columns;

/// A symmetric, usually diagonal matrix with its inverse.
pub struct Metric {
    matrix: DMatrix<f64>,
    factors: Lu<f64>,
    /// Inverse of the diagonal, if the matrix is diagonal.
    inverses: Vec<f64>,
    shape: Shape,
}

#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Identity,
    Diagonal,
    Full,
}

impl Metric {
    /// The identity.
    pub fn identity(n: usize) -> Self {
        let matrix = DMatrix::identity(n, n);
        Self { matrix, factors: Lu::new(n), inverses: vec![1.0; n], shape: Shape::Identity }
    }

    /// The matrix.
    pub fn matrix(&self) -> &DMatrix<f64> {
        &self.matrix
    }

    /// The matrix, mutable. Products see changes at once, solves only after [`factorize`](Self::factorize).
    pub fn matrix_mut(&mut self) -> &mut DMatrix<f64> {
        self.shape = Shape::Full;
        &mut self.matrix
    }

    /// Detects whether the matrix is diagonal, which makes products cheap.
    pub fn recognise(&mut self) {
        let n = self.inverses.len();
        let mut entries = self.matrix.as_slice().iter().enumerate().filter(|&(_, &x)| x != 0.0);
        // diagonal entries are n + 1 apart
        self.shape = if entries.all(|(i, _)| i % (n + 1) == 0) { Shape::Diagonal } else { Shape::Full };
    }

    /// Prepares for [`solve`](Self::solve).
    ///
    /// # Errors
    /// Returns [`Singular`] if the matrix is singular.
    pub fn factorize(&mut self) -> Result<(), Singular> {
        self.recognise();
        if self.shape == Shape::Full {
            return self.factors.factorize(&self.matrix);
        }
        let diagonal = self.matrix.as_slice().iter().step_by(self.inverses.len() + 1);
        for (inverse, &entry) in self.inverses.iter_mut().zip(diagonal) {
            *inverse = entry.recip();
        }
        if self.inverses.iter().all(|x| x.is_finite()) { Ok(()) } else { Err(Singular) }
    }

    /// Operations of the last [`factorize`](Self::factorize).
    pub fn factorization_flops(&self) -> u64 {
        match self.shape {
            Shape::Full => self.factors.factorization_flops(),
            Shape::Identity | Shape::Diagonal => self.inverses.len() as u64,
        }
    }

    /// Operations of [`solve`](Self::solve).
    pub fn solve_flops(&self) -> u64 {
        match self.shape {
            Shape::Identity => 0,
            Shape::Diagonal => self.inverses.len() as u64,
            Shape::Full => self.factors.solve_flops(),
        }
    }

    /// `y += factor · M x`.
    pub fn add_product(&self, factor: f64, x: &[f64], y: &mut [f64]) {
        if self.shape == Shape::Full {
            return add_product(factor, &self.matrix, x, y);
        }
        let diagonal = self.matrix.as_slice().iter().step_by(x.len() + 1);
        for ((y, &x), &entry) in y.iter_mut().zip(x).zip(diagonal) {
            *y += entry * (x * factor);
        }
    }

    /// Computes `x = M⁻¹ x`.
    pub fn solve(&self, x: &mut [f64]) {
        match self.shape {
            Shape::Identity => {}
            Shape::Diagonal => x.iter_mut().zip(&self.inverses).for_each(|(x, inverse)| *x *= inverse),
            Shape::Full => self.factors.solve_by_columns(x),
        }
    }

    /// Solves for every column.
    pub fn solve_columns(&self, columns: &mut DMatrix<f64>) {
        match self.shape {
            Shape::Identity => {}
            Shape::Diagonal => columns.as_mut_slice().chunks_mut(self.inverses.len()).for_each(|x| self.solve(x)),
            Shape::Full => {
                solve_columns(&self.factors, columns);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks `M⁻¹ M x = x` for a matrix of the given shape.
    fn check(matrix: &DMatrix<f64>, shape: Shape) {
        let mut metric = Metric::identity(3);
        metric.matrix_mut().copy_from(matrix);
        metric.factorize().unwrap();
        assert!(metric.shape == shape);
        let x = [1.0, -2.0, 4.0];
        let mut y = [0.0; 3];
        metric.add_product(2.0, &x, &mut y);
        let mut columns = DMatrix::from_column_slice(3, 1, &y);
        metric.solve(&mut y);
        metric.solve_columns(&mut columns);
        assert_eq!(y, [2.0, -4.0, 8.0]);
        assert_eq!(columns.as_slice(), y);
    }

    #[test]
    fn multiplication_and_solve_are_inverse() {
        check(&DMatrix::from_diagonal_element(3, 3, 1.0), Shape::Diagonal);
        check(&DMatrix::from_row_slice(3, 3, &[2.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.5]), Shape::Diagonal);
        check(&DMatrix::from_row_slice(3, 3, &[2.0, 1.0, 0.0, 1.0, 4.0, 0.0, 0.0, 0.0, 0.5]), Shape::Full);
    }

    #[test]
    fn singular_matrices_are_reported() {
        for entries in [[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0], [f64::NAN, 0.0, 0.0, 1.0]] {
            let mut metric = Metric::identity(2);
            metric.matrix_mut().copy_from_slice(&entries);
            assert_eq!(metric.factorize(), Err(Singular));
        }
    }
}
