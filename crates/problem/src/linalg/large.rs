//! What faer does: factors of large matrices, and products.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use nalgebra::DMatrix;

/// Unknowns from which on faer's factorization is the faster one, also where nine in ten entries are zero, which it does
/// not look for: with 100 of them it takes 28 µs where [`Lu`](super::Lu) by itself takes 27 µs, and 30 µs where that takes 52 µs
/// without zeros (`cargo bench -p mbsbench-problem`). Its products allocate, and free, a buffer of some kilobytes each.
pub(super) const LEAST: usize = 100;

/// Memory of faer's factorization.
pub(super) struct Large {
    rows: Vec<usize>,
    places: Vec<usize>,
    buffer: MemBuffer,
}

impl Large {
    pub(super) fn new(n: usize) -> Self {
        let buffer = MemBuffer::new(lu_in_place_scratch::<usize, f64>(n, n, Par::Seq, Default::default()));
        Self { rows: vec![0; n], places: vec![0; n], buffer }
    }

    /// Replaces the matrix by its factors and writes the row that each elimination exchanges with that of the diagonal.
    /// A pivot of a singular matrix is zero or not finite.
    pub(super) fn factorize(&mut self, matrix: &mut DMatrix<f64>, pivots: &mut [usize]) {
        let Self { rows, places, buffer } = self;
        let (n, stack) = (pivots.len(), MemStack::new(buffer));
        let matrix = MatMut::from_column_major_slice_mut(matrix.as_mut_slice(), n, n);
        lu_in_place(matrix, rows, places, Par::Seq, stack, Default::default());
        // rows[k] is where the k-th row of the factors was at first; here it becomes where it is after k exchanges
        for (k, pivot) in pivots.iter_mut().enumerate() {
            *pivot = rows[k];
            let moved = places[k];
            (rows[moved], places[rows[k]]) = (rows[k], moved);
        }
    }
}

impl Clone for Large {
    fn clone(&self) -> Self {
        Self::new(self.rows.len())
    }
}

impl std::fmt::Debug for Large {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Large").field("unknowns", &self.rows.len()).finish_non_exhaustive()
    }
}

/// `c = a b`.
pub fn product(a: &DMatrix<f64>, b: &DMatrix<f64>, c: &mut DMatrix<f64>) {
    let (rows, columns) = c.shape();
    let result = MatMut::from_column_major_slice_mut(c.as_mut_slice(), rows, columns);
    matmul(result, Accum::Replace, view(a), view(b), 1.0, Par::Seq);
}

fn view(matrix: &DMatrix<f64>) -> MatRef<'_, f64> {
    MatRef::from_column_major_slice(matrix.as_slice(), matrix.nrows(), matrix.ncols())
}
