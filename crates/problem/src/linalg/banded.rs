//! Systems whose coefficients lie in a band about the diagonal.

use nalgebra::Matrix6;

use super::Singular;
use crate::Scalar;

/// A square matrix with `half` diagonals on either side of the main one, and its LU factors with partial pivoting, in
/// memory that is reused. Row exchanges fill up to `half` further diagonals above.
///
/// For 33 nodes of a beam, a factorization takes 19 µs and a solve 5 µs; faer's sparse factorization alone takes 73
/// µs, even with its symbolic part kept (`cargo bench -p mbsbench-problem`).
#[derive(Debug, Clone)]
pub struct Banded<S> {
    half: usize,
    /// Entries row by row, each from column `i − half` to column `i + 2 half`, followed by zeros up to a multiple of
    /// [`LANES`].
    entries: Vec<S>,
    /// Multipliers of the elimination, `half` for each column.
    multipliers: Vec<S>,
    pivots: Vec<usize>,
    /// Column behind the last non-zero entry of each row, so that entries which row exchanges have not filled, or
    /// where the matrix ends before its band, cost nothing.
    ends: Vec<usize>,
    /// Reciprocals of the diagonal.
    inverses: Vec<S>,
}

/// Number of entries that are eliminated at a time. The last group of a row may extend beyond its last non-zero
/// entry.
const LANES: usize = 4;

impl<S: Scalar> Banded<S> {
    /// Memory for `size` unknowns.
    pub fn new(size: usize, half: usize) -> Self {
        let zeros = |count| vec![S::zero(); count];
        Self {
            half,
            entries: zeros(size * (3 * half + LANES)),
            multipliers: zeros(size * half),
            pivots: vec![0; size],
            ends: vec![0; size],
            inverses: zeros(size),
        }
    }

    /// Number of entries stored for a row.
    fn width(&self) -> usize {
        3 * self.half + LANES
    }

    /// Makes the matrix zero.
    pub fn clear(&mut self) {
        self.entries.fill(S::zero());
    }

    /// Entry in row `i`, column `j`, both within the band.
    #[inline]
    pub fn entry(&mut self, i: usize, j: usize) -> &mut S {
        debug_assert!(i.abs_diff(j) <= self.half, "({i}, {j}) is outside of the band");
        let width = self.width();
        &mut self.entries[i * width + j + self.half - i]
    }

    /// Adds `factor · block`, whose first entry is in row `i`, column `j`.
    #[inline]
    pub fn add(&mut self, i: usize, j: usize, factor: S, block: &Matrix6<S>) {
        let width = self.width();
        for (k, row) in block.row_iter().enumerate() {
            let start = (i + k) * width + j + self.half - i - k;
            let entries = &mut self.entries[start..start + 6];
            entries.iter_mut().zip(row.iter()).for_each(|(entry, &added)| *entry += added * factor);
        }
    }

    /// Finds the end of each row. For scalars with derivatives, this is the end of the band, since a zero value may
    /// have non-zero derivatives.
    fn find_ends(&mut self) {
        let (size, half, width) = (self.pivots.len(), self.half, self.width());
        for (i, (end, row)) in self.ends.iter_mut().zip(self.entries.chunks_exact(width)).enumerate() {
            let right = &row[half..=2 * half];
            let is_entry = |entry: &S| S::NDERIV > 0 || entry.value() != 0.0;
            *end = (i + 1 + right.iter().rposition(is_entry).unwrap_or(0)).min(size);
        }
    }

    /// Replaces the matrix by its factors.
    ///
    /// # Errors
    /// Fails with [`Singular`] if a column has no finite non-zero pivot.
    pub fn factorize(&mut self) -> Result<(), Singular> {
        self.find_ends();
        let (size, half, width) = (self.pivots.len(), self.half, self.width());
        // distance from an entry to the one below it
        let below = width - 1;
        for k in 0..size {
            let (diagonal, last) = (k * width + half, (k + half).min(size - 1));
            let (mut pivot, mut largest) = (k, -1.0);
            for (i, entry) in (k..=last).zip(self.entries[diagonal..].iter().step_by(below)) {
                let magnitude = entry.value().abs();
                if magnitude > largest || magnitude.is_nan() {
                    (pivot, largest) = (i, magnitude);
                }
                if magnitude.is_nan() {
                    break;
                }
            }
            if largest <= 0.0 || !largest.is_finite() {
                return Err(Singular);
            }
            self.pivots[k] = pivot;
            if pivot != k {
                let length = self.ends[k].max(self.ends[pivot]) - k;
                let (row, others) = self.entries[diagonal..].split_at_mut((pivot - k) * below);
                row[..length].swap_with_slice(&mut others[..length]);
                self.ends.swap(k, pivot);
            }
            let end = self.ends[k];
            // right of column k, in groups of four
            let fours = (end - k - 1).div_ceil(LANES);
            let rows = &mut self.entries[diagonal..];
            let (row, others) = rows.split_at_mut(below.min(rows.len()));
            let (pivotal, right) = row[..1 + LANES * fours].split_first().ok_or(Singular)?;
            let right = right.as_chunks::<LANES>().0;
            let inverse = pivotal.recip();
            self.inverses[k] = inverse;
            let multipliers = &mut self.multipliers[k * half..][..last - k];
            let ends = &mut self.ends[k + 1..];
            for ((multiplier, row), its_end) in multipliers.iter_mut().zip(others.chunks_mut(below)).zip(ends) {
                let Some((first, row)) = row.split_first_mut() else { continue };
                let factor = *first * inverse;
                *multiplier = factor;
                // far from the diagonal most entries are zero; a zero can be skipped only if the scalar has no
                // derivatives
                if S::NDERIV == 0 && factor.value() == 0.0 {
                    continue;
                }
                for (entries, pivotal) in row.as_chunks_mut::<LANES>().0.iter_mut().zip(right) {
                    for (entry, &pivotal) in entries.iter_mut().zip(pivotal) {
                        *entry -= factor * pivotal;
                    }
                }
                *its_end = (*its_end).max(end);
            }
        }
        Ok(())
    }

    /// Solves with the factors, in place.
    pub fn solve(&self, x: &mut [S]) {
        let (size, half, width) = (self.pivots.len(), self.half, self.width());
        for k in 0..size {
            x.swap(k, self.pivots[k]);
            let known = x[k];
            let multipliers = &self.multipliers[k * half..][..half.min(size - 1 - k)];
            for (x, &multiplier) in x[k + 1..].iter_mut().zip(multipliers) {
                *x -= multiplier * known;
            }
        }
        for k in (0..size).rev() {
            let right = &self.entries[k * width + half + 1..][..self.ends[k] - k - 1];
            let sum = right.iter().zip(&x[k + 1..]).fold(x[k], |sum, (&entry, &x)| sum - entry * x);
            x[k] = sum * self.inverses[k];
        }
    }
}

#[cfg(test)]
mod tests {
    use approx::assert_relative_eq;
    use nalgebra::{DMatrix, DVector};
    use proptest::prelude::*;

    use super::*;

    /// A matrix within a band, filled from a list of numbers, repeated as needed.
    fn filled(size: usize, half: usize, numbers: &[f64]) -> (Banded<f64>, DMatrix<f64>) {
        let mut banded = Banded::new(size, half);
        let mut dense = DMatrix::zeros(size, size);
        let mut numbers = numbers.iter().cycle();
        for i in 0..size {
            for j in i.saturating_sub(half)..(i + half + 1).min(size) {
                let number = *numbers.next().expect("they cycle");
                *banded.entry(i, j) = number;
                dense[(i, j)] = number;
            }
        }
        (banded, dense)
    }

    proptest! {
        #[test]
        fn solutions_match_the_dense_matrix(
            size in 1_usize..20,
            half in 0_usize..6,
            numbers in prop::collection::vec(prop_oneof![2 => -1.0..1.0_f64, 1 => Just(0.0)], 97),
        ) {
            let (mut banded, dense) = filled(size, half, &numbers);
            let condition = dense.clone().svd(false, false).singular_values;
            prop_assume!(condition.min() > 1e-3);
            let exact = DVector::from_fn(size, |i, _| 1.0 + i as f64);
            let mut x = &dense * &exact;
            banded.factorize().expect("it is regular");
            banded.solve(x.as_mut_slice());
            assert_relative_eq!(x, exact, epsilon = 1e-9);
        }
    }

    #[test]
    fn only_zero_columns_are_singular() {
        let (mut banded, dense) = filled(4, 1, &[0.0, 2.0, 3.0, 0.0, 1.0, -1.0, 0.0, 4.0, 5.0, 0.0]);
        let mut x = &dense * DVector::from_vec(vec![1.0, -2.0, 3.0, 0.5]);
        banded.factorize().expect("it is regular");
        banded.solve(x.as_mut_slice());
        assert_relative_eq!(x.as_slice(), &[1.0, -2.0, 3.0, 0.5][..], max_relative = 1e-14);
        banded.clear();
        assert_eq!(banded.factorize(), Err(Singular));
    }

    #[test]
    fn nan_entries_are_singular() {
        let (mut banded, _) = filled(3, 1, &[1.0, 0.5, f64::NAN]);
        assert_eq!(banded.factorize(), Err(Singular));
    }
}
