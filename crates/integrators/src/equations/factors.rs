//! Linear systems over real and complex numbers.

use std::ops::Range;

use mbsbench_problem::linalg::Singular;

use super::blocks::{Columns, Number, ROWS, entry, put, subtract, swap, written_out};

/// A square matrix and its factors with partial pivoting, in memory that is kept between factorizations.
///
/// nalgebra's decomposition would allocate, and the compiler does not vectorise its complex numbers, which have real
/// and imaginary part side by side. With loops like those of [`Lu`](mbsbench_problem::linalg::Lu), a solution of
/// Andrews' squeezer took 1.27 times as many instructions (`scripts/instructions.sh` has a bound). The elimination
/// therefore works on [blocks](super::blocks) of rows. The two factors are stored separately, each with zeros in
/// place of the other one, so that only whole blocks are processed.
#[derive(Debug, Clone)]
pub(super) struct Factors<T: Number> {
    /// The matrix, to be filled; [`factorize`](Self::factorize) replaces it by the upper factor without its diagonal.
    pub matrix: Columns<T>,
    /// The lower factor without its unit diagonal. Each column has its rows in the order of its own elimination.
    lower: Columns<T>,
    /// The row that each elimination exchanged with the diagonal's row, counted from the first row of the diagonal's
    /// block.
    pivots: Vec<usize>,
    /// The upper factor's diagonal.
    diagonal: Vec<T>,
    /// Right-hand side on entry to [`solve`](Self::solve), solution on return.
    pub x: Vec<T::Block>,
}

impl<T: Number> Factors<T> {
    /// Memory for `n` unknowns.
    pub(super) fn new(n: usize) -> Self {
        Self {
            matrix: Columns::new(n, n),
            lower: Columns::new(n, n),
            pivots: vec![0; n],
            diagonal: vec![T::zero(); n],
            x: vec![T::block(&[0.0; ROWS]); n.div_ceil(ROWS)],
        }
    }

    /// Number of unknowns.
    pub(super) fn len(&self) -> usize {
        self.pivots.len()
    }

    /// The columns whose diagonal lies in a block of rows.
    fn columns(&self, block: usize) -> Range<usize> {
        ROWS * block..self.len().min(ROWS * (block + 1))
    }

    /// Factorizes the matrix in place.
    ///
    /// # Errors
    /// Returns [`Singular`] if a column has no finite nonzero pivot.
    pub(super) fn factorize(&mut self) -> Result<(), Singular> {
        let height = self.matrix.height;
        for first in 0..height {
            written_out!(height - first; REST => for k in self.columns(first) {
                self.eliminate(k, first, REST)?;
            });
        }
        Ok(())
    }

    /// Eliminates column `k` in the `rest` blocks of rows from `first` on.
    #[inline(always)]
    fn eliminate(&mut self, k: usize, first: usize, rest: usize) -> Result<(), Singular> {
        let diagonal = k % ROWS;
        let (column, right) = self.matrix.parts_mut(k, first);
        let column = &mut column[..rest];
        let pivot = pivot::<T>(column, diagonal)?;
        swap::<T>(column, diagonal, pivot);
        let largest = T::of(&column[0], diagonal);
        let multipliers = &mut self.lower.part_mut(k, first)[..rest];
        divide(column, diagonal, T::one() / largest, multipliers);
        (self.pivots[k], self.diagonal[k]) = (pivot, largest);
        for column in right {
            let column = &mut column[first..][..rest];
            swap::<T>(column, diagonal, pivot);
            let factor = T::of(&column[0], diagonal);
            // many factors are zero in these matrices
            if factor != T::zero() {
                subtract(column, factor, multipliers);
            }
        }
        Ok(())
    }

    /// Solves with the factors for the right-hand side in `vector`, in place.
    pub(super) fn solve_vector(&mut self, vector: &mut T::Vector<'_>) {
        for i in 0..self.len() {
            put(&mut self.x, i, T::component(vector, i));
        }
        self.solve();
        for i in 0..self.len() {
            entry::<T>(&self.x, i).put_component(vector, i);
        }
    }

    /// Solves with the factors for the right-hand side in `x`.
    pub(super) fn solve(&mut self) {
        let height = self.matrix.height;
        for first in 0..height {
            written_out!(height - first; REST => for k in self.columns(first) {
                let x = &mut self.x[first..][..REST];
                swap::<T>(x, k % ROWS, self.pivots[k]);
                let known = T::of(&x[0], k % ROWS);
                subtract(x, known, &self.lower.part(k, first)[..REST]);
            });
        }
        for first in (0..height).rev() {
            written_out!(first + 1; BLOCKS => for k in self.columns(first).rev() {
                let x = &mut self.x[..BLOCKS];
                let known = T::of(&x[first], k % ROWS) / self.diagonal[k];
                known.put(&mut x[first], k % ROWS);
                subtract(x, known, &self.matrix.part(k, 0)[..BLOCKS]);
            });
        }
    }
}

/// The row of the largest entry of a column, from row `diagonal` of its first block on.
#[inline(always)]
fn pivot<T: Number>(column: &[T::Block], diagonal: usize) -> Result<usize, Singular> {
    let (start, rest) = column.split_first().ok_or(Singular)?;
    // for each of the four rows of a block, the largest entry over all blocks, and its block
    let mut largest = f64::only(&T::sizes(start), |row| row >= diagonal);
    let mut blocks = [0; ROWS];
    for (below, block) in rest.iter().enumerate() {
        let sizes = T::sizes(block);
        blocks = std::array::from_fn(|row| if sizes[row] > largest[row] { below + 1 } else { blocks[row] });
        largest = std::array::from_fn(|row| if sizes[row] > largest[row] { sizes[row] } else { largest[row] });
    }
    let mut row = 0;
    for other in 1..ROWS {
        if largest[other] > largest[row] {
            row = other;
        }
    }
    if 0.0 < largest[row] && largest[row] <= f64::MAX { Ok(ROWS * blocks[row] + row) } else { Err(Singular) }
}

/// Writes the entries of a column below row `diagonal` of its first block, times `inverse`, to `multipliers`. In its
/// first block the column keeps only the entries above that row.
#[inline(always)]
fn divide<T: Number>(column: &mut [T::Block], diagonal: usize, inverse: T, multipliers: &mut [T::Block]) {
    for (multiplier, block) in multipliers.iter_mut().zip(&*column) {
        *multiplier = inverse.times(block);
    }
    multipliers[0] = T::only(&multipliers[0], |row| row > diagonal);
    column[0] = T::only(&column[0], |row| row < diagonal);
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Complex, DMatrix, DVector};
    use proptest::prelude::*;

    /// The largest number of unknowns of the samples, a few more than are unrolled.
    const MOST: usize = 19;

    fn factors<T: Number>(matrix: &DMatrix<T>) -> Result<Factors<T>, Singular> {
        let mut factors = Factors::new(matrix.nrows());
        for (column, entries) in factors.matrix.iter_mut().zip(matrix.column_iter()) {
            entries.iter().enumerate().for_each(|(i, &entry)| put(column, i, entry));
        }
        factors.factorize()?;
        Ok(factors)
    }

    /// The norm of the difference from nalgebra's solution, relative to a bound on the rounding.
    fn deviation<T: Number>(matrix: &DMatrix<T>, right: &DVector<T>) -> f64 {
        let Some(inverse) = matrix.clone().try_inverse() else { return 0.0 };
        let expected = matrix.clone().lu().solve(right).unwrap();
        let mut factors = factors(matrix).unwrap();
        right.iter().enumerate().for_each(|(i, &right)| put(&mut factors.x, i, right));
        factors.solve();
        let difference = DVector::from_fn(right.len(), |i, _| entry::<T>(&factors.x, i) - expected[i]);
        difference.norm() / (f64::EPSILON * inverse.norm() * matrix.norm() * expected.norm()).max(f64::MIN_POSITIVE)
    }

    /// Numbers of which a third are zero.
    fn numbers(count: usize) -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(prop_oneof![1 => Just(0.0), 2 => -1.0..1.0], count)
    }

    proptest! {
        #[test]
        fn solutions_match_nalgebra(
            n in 1..=MOST,
            entries in numbers(2 * MOST * MOST),
            right in prop::collection::vec(-1.0..1.0, 2 * MOST),
        ) {
            let entry = |at: usize| Complex::new(entries[at], entries[MOST * MOST + at]);
            let matrix = DMatrix::from_fn(n, n, |i, j| entry(n * i + j));
            let right = DVector::from_fn(n, |i, _| Complex::new(right[i], right[MOST + i]));
            let complex = deviation(&matrix, &right);
            prop_assert!(complex < 10.0, "{complex}");
            let real = deviation(&matrix.map(|entry| entry.re), &right.map(|entry| entry.re));
            prop_assert!(real < 10.0, "{real}");
        }
    }

    /// A matrix with a zero diagonal is regular only with row exchanges. A row or a column of zeros makes it
    /// singular.
    #[test]
    fn singular_matrices_are_reported() {
        for n in 2..=MOST {
            let cyclic = DMatrix::from_fn(n, n, |i, j| if (i + 1) % n == j { 2.0 } else { 0.0 });
            let full = DMatrix::from_fn(n, n, |i, j| if i == j { 0.0 } else { (i + 2 * j) as f64 });
            assert!(factors(&cyclic).is_ok());
            for k in [0, n / 2, n - 1] {
                let mut without_row = full.clone();
                without_row.row_mut(k).fill(0.0);
                let mut without_column = full.clone();
                without_column.column_mut(k).fill(0.0);
                let mut infinite = cyclic.clone();
                infinite[(k, k)] = f64::INFINITY;
                let mut undefined = cyclic.clone();
                undefined.column_mut(k).fill(f64::NAN);
                for matrix in [without_row, without_column, infinite, undefined] {
                    assert_eq!(factors(&matrix).err(), Some(Singular), "{matrix}");
                    let turned = matrix.map(|entry| Complex::new(0.0, entry));
                    assert_eq!(factors(&turned).err(), Some(Singular), "{turned}");
                }
            }
        }
    }
}
