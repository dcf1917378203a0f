//! Factors of sparse matrices, by faer.

use std::sync::Arc;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::perm::PermRef;
use faer::sparse::linalg::colamd;
use faer::sparse::linalg::lu::simplicial::{self, SimplicialLu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::traits::ComplexField;
use faer::traits::ext::ComplexFieldExt;
use faer::{Conj, MatMut, Par};

use super::{Pattern, Singular};

/// LU factors of a matrix with a [`Pattern`], real or complex, with partial pivoting.
///
/// An ordering of the columns that keeps the factors sparse (COLAMD) follows from the pattern and is found once. Memory is kept between
/// factorizations; it grows in the first one, and in a later one whose pivots make the factors fuller.
pub struct SparseLu<T> {
    pattern: Arc<Pattern>,
    /// Columns in the order of elimination, and the order of each; the same of rows, as the pivots were last.
    columns: [Vec<usize>; 2],
    rows: [Vec<usize>; 2],
    factors: SimplicialLu<usize, T>,
    memory: MemBuffer,
    flops: u64,
}

impl<T: ComplexField> SparseLu<T> {
    /// Memory for a square matrix with that pattern.
    ///
    /// # Panics
    /// Where the matrix is not square, or memory ends.
    #[must_use]
    pub fn new(pattern: Arc<Pattern>) -> Self {
        let n = pattern.rows();
        assert_eq!(n, pattern.columns(), "a square matrix");
        let mut columns = [vec![0; n], vec![0; n]];
        let [forward, inverse] = &mut columns;
        let mut memory = MemBuffer::new(colamd::order_scratch::<usize>(n, n, pattern.entries()));
        let ordered =
            colamd::order(forward, inverse, view(&pattern), colamd::Control::default(), MemStack::new(&mut memory));
        ordered.expect("memory for an ordering");
        let factorization = simplicial::factorize_simplicial_numeric_lu_scratch::<usize, T>(n, n);
        let solve = simplicial::solve_in_place_scratch::<usize, T>(n, 1, Par::Seq);
        let rows = columns.clone();
        let memory = MemBuffer::new(factorization.or(solve));
        Self { pattern, columns, rows, factors: SimplicialLu::new(), memory, flops: 0 }
    }

    /// Factorizes the matrix with these entries.
    ///
    /// # Errors
    /// [`Singular`] where a column has no finite pivot other than zero.
    pub fn factorize(&mut self, values: &[T]) -> Result<(), Singular> {
        let Self { pattern, columns: [forward, inverse], rows: [pivots, places], factors, memory, .. } = self;
        let n = pattern.rows();
        let order = PermRef::new_checked(forward, inverse, n);
        let (matrix, stack) = (SparseColMatRef::new(view(pattern), values), MemStack::new(memory));
        simplicial::factorize_simplicial_numeric_lu(pivots, places, factors, matrix, order, stack)
            .map_err(|_| Singular)?;
        let upper = factors.u_factor_unsorted();
        // the diagonal comes last in each column of U and first in each of L
        let is_usable = |pivot: &T| pivot.is_finite() && *pivot != faer::traits::math_utils::zero();
        if !(0..n).all(|j| upper.val_of_col(j).last().is_some_and(is_usable)) {
            return Err(Singular);
        }
        let starts = factors.l_factor_unsorted().symbolic().col_ptr();
        let below = |k: usize| (starts[k + 1] - starts[k] - 1) as u64;
        let right: u64 = upper.symbolic().row_idx()[..upper.symbolic().col_ptr()[n]].iter().map(|&k| below(k)).sum();
        let multipliers: u64 = (0..n).map(below).sum();
        self.flops = multipliers + 2 * (right - multipliers);
        Ok(())
    }

    /// Operations of the last factorization: divisions by pivots, products and sums.
    #[must_use]
    pub fn factorization_flops(&self) -> u64 {
        self.flops
    }

    /// Operations of one solve with the factors.
    #[must_use]
    pub fn solve_flops(&self) -> u64 {
        let entries: usize = [self.factors.l_factor_unsorted(), self.factors.u_factor_unsorted()]
            .map(|factor| factor.symbolic().col_ptr().last().copied().unwrap_or(0))
            .iter()
            .sum();
        (2 * entries).saturating_sub(3 * self.pattern.rows()) as u64
    }

    /// Solves with the factors of the last factorization that was not singular, in place.
    pub fn solve(&mut self, x: &mut [T]) {
        let Self { columns: [forward, inverse], rows: [pivots, places], factors, memory, .. } = self;
        let n = x.len();
        let (rows, columns) = (PermRef::new_checked(pivots, places, n), PermRef::new_checked(forward, inverse, n));
        let x = MatMut::from_column_major_slice_mut(x, n, 1);
        factors.solve_in_place_with_conj(rows, columns, Conj::No, x, Par::Seq, MemStack::new(memory));
    }
}

fn view(pattern: &Pattern) -> SymbolicSparseColMatRef<'_, usize> {
    SymbolicSparseColMatRef::new_checked(pattern.rows(), pattern.columns(), pattern.starts(), None, pattern.row_of())
}

impl<T: ComplexField> Clone for SparseLu<T> {
    /// Memory for the same pattern, without factors.
    fn clone(&self) -> Self {
        Self::new(self.pattern.clone())
    }
}

impl<T> std::fmt::Debug for SparseLu<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SparseLu").field("entries", &self.pattern.entries()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Complex;
    use proptest::prelude::*;

    /// A matrix of `n` unknowns with two bands and some entries elsewhere, and a zero on most of the diagonal.
    fn sample(n: usize, numbers: &[f64]) -> (Arc<Pattern>, Vec<f64>) {
        let entries = (0..n).flat_map(|i| [(i, (i + 1) % n), ((i + 3) % n, i), (i, (7 * i + 2) % n), (0, 0)]);
        let pattern = Pattern::new((n, n), entries);
        let values = numbers[..pattern.entries()].to_vec();
        (Arc::new(pattern), values)
    }

    proptest! {
        /// Backward error, of real and complex matrices; factors are made twice in the same memory.
        #[test]
        fn residuals_are_of_the_size_of_rounding(
            n in 4..40usize,
            numbers in prop::collection::vec(-1.0..1.0f64, 160),
            right in prop::collection::vec(-1.0..1.0f64, 40),
        ) {
            let (pattern, values) = sample(n, &numbers);
            let mut lu = SparseLu::new(pattern.clone());
            lu.factorize(&values.iter().map(|x| x + 3.0).collect::<Vec<f64>>()).unwrap();
            lu.factorize(&values).unwrap();
            let mut x = right[..n].to_vec();
            lu.solve(&mut x);
            let mut residual: Vec<f64> = right[..n].iter().map(|b| -b).collect();
            pattern.iter().zip(&values).for_each(|((i, j), a)| residual[i] += a * x[j]);
            let norm = |x: &[f64]| x.iter().fold(0.0f64, |most, x| most.max(x.abs()));
            prop_assert!(norm(&residual) <= 1e-13 * (4.0 * norm(&values) * norm(&x) + norm(&right[..n])));

            let turned: Vec<Complex<f64>> =
                values.iter().zip(&numbers[1..]).map(|(&a, &b)| Complex::new(a, b)).collect();
            let mut lu = SparseLu::new(pattern.clone());
            lu.factorize(&turned).unwrap();
            let mut x: Vec<Complex<f64>> = right[..n].iter().map(|&b| Complex::new(0.0, b)).collect();
            lu.solve(&mut x);
            let mut residual: Vec<Complex<f64>> = right[..n].iter().map(|&b| Complex::new(0.0, -b)).collect();
            pattern.iter().zip(&turned).for_each(|((i, j), a)| residual[i] += a * x[j]);
            let norm = |x: &[Complex<f64>]| x.iter().fold(0.0f64, |most, x| most.max(x.norm()));
            prop_assert!(norm(&residual) <= 1e-13 * (4.0 * norm(&turned) * norm(&x) + 1.0));
        }
    }

    #[test]
    fn singular_matrices_are_told() {
        let pattern = Arc::new(Pattern::new((3, 3), [(0, 0), (1, 0), (0, 1), (1, 1), (2, 2)]));
        let mut lu = SparseLu::new(pattern.clone());
        assert_eq!(lu.factorize(&[1.0, 2.0, 2.0, 4.0, 1.0]), Err(Singular));
        assert_eq!(lu.factorize(&[1.0, 2.0, 3.0, 4.0, f64::NAN]), Err(Singular));
        assert_eq!(lu.factorize(&[1.0, 2.0, 3.0, 4.0, f64::INFINITY]), Err(Singular));
        assert_eq!(lu.factorize(&[0.0, 2.0, 3.0, 0.0, 1.0]), Ok(()));
        let mut x = [6.0, 2.0, 5.0];
        lu.solve(&mut x);
        assert_eq!(x, [1.0, 2.0, 5.0]);
        let without_row = Arc::new(Pattern::new((2, 2), [(0, 0), (0, 1)]));
        assert_eq!(SparseLu::new(without_row).factorize(&[1.0, 1.0]), Err(Singular));
    }

    /// Of a matrix without zeros, in whichever order its columns come.
    #[test]
    fn operations_are_counted() {
        let n = 9;
        let pattern = Arc::new(Pattern::full(n, n));
        let values: Vec<f64> = pattern.iter().map(|(i, j)| if i == j { 9.0 } else { 1.0 }).collect();
        let mut lu = SparseLu::new(pattern);
        lu.factorize(&values).unwrap();
        let n = n as u64;
        assert_eq!(lu.factorization_flops(), n * (n - 1) / 2 + n * (n - 1) * (2 * n - 1) / 3);
        assert_eq!(lu.solve_flops(), 2 * n * n - n);
    }
}
