//! LU factorization with partial pivoting.

use std::any::Any;

use nalgebra::DMatrix;

use super::{Block, flops, unrolled, vanishes};
use crate::Scalar;

/// LU factors with partial pivoting, in memory that is reused between factorizations.
#[derive(Debug, Clone)]
pub struct Lu<S> {
    factors: DMatrix<S>,
    pivots: Vec<usize>,
    /// Reciprocals of the diagonal.
    inverses: Vec<S>,
    /// True if the matrix is diagonal, like the mass matrix of rigid bodies in the plane.
    is_diagonal: bool,
}

/// Number of unknowns from which elimination works in panels.
const LARGE: usize = 100;

/// Number of columns of a panel.
const PANEL: usize = 32;

/// An error: the matrix has no usable pivot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Singular;

impl<S: Scalar> Lu<S> {
    /// Storage for an `n × n` system.
    pub fn new(n: usize) -> Self {
        let zero = S::zero();
        Self {
            factors: DMatrix::from_element(n, n, zero),
            pivots: vec![0; n],
            inverses: vec![zero; n],
            is_diagonal: false,
        }
    }

    /// Factorizes `matrix`, of the size given at construction.
    ///
    /// # Errors
    /// Fails with [`Singular`] if a column has no finite non-zero pivot.
    pub fn factorize(&mut self, matrix: &DMatrix<S>) -> Result<(), Singular> {
        self.factors.as_mut_slice().copy_from_slice(matrix.as_slice());
        let n = self.pivots.len();
        self.is_diagonal = is_diagonal(n, matrix.as_slice());
        if self.is_diagonal {
            self.pivots.iter_mut().enumerate().for_each(|(k, pivot)| *pivot = k);
            return self.invert_diagonal();
        }
        let (columns, inverses): (&mut dyn Any, &mut dyn Any) = (&mut self.factors, &mut self.inverses);
        if let Some(columns) = columns.downcast_mut::<DMatrix<f64>>().filter(|_| n <= unrolled::MOST)
            && let Some(inverses) = inverses.downcast_mut::<Vec<f64>>()
        {
            return unrolled::factorize(columns.as_mut_slice(), &mut self.pivots, inverses);
        }
        self.eliminate()
    }

    /// Operations of the last factorization, by [`flops`]; one for each unknown if the matrix is diagonal.
    pub fn factorization_flops(&self) -> u64 {
        let n = self.pivots.len();
        if self.is_diagonal { n as u64 } else { flops::factorization(n) }
    }

    /// Operations of one solve with the factors, by [`flops`]; one for each unknown if the matrix is diagonal.
    pub fn solve_flops(&self) -> u64 {
        let n = self.pivots.len();
        if self.is_diagonal { n as u64 } else { flops::solve(n) }
    }

    /// Eliminates a matrix of any size, in panels of columns. The other columns are updated once for each panel,
    /// which stays in the processor's cache meanwhile. Each entry undergoes the same operations in the same order as
    /// without panels.
    fn eliminate(&mut self) -> Result<(), Singular> {
        let n = self.pivots.len();
        let width = if n < LARGE { n } else { PANEL };
        for begin in (0..n).step_by(width.max(1)) {
            let end = (begin + width).min(n);
            let (left, right) = self.factors.as_mut_slice().split_at_mut(end * n);
            let (left, panel) = left.split_at_mut(begin * n);
            let pivots = &mut self.pivots[begin..end];
            factorize_panel(panel, n, begin, pivots, &mut self.inverses[begin..end])?;
            let exchange =
                |column: &mut [S]| pivots.iter().enumerate().for_each(|(k, &pivot)| column.swap(begin + k, pivot));
            left.chunks_mut(n).for_each(exchange);
            for column in right.chunks_mut(n) {
                exchange(column);
                let (top, below) = column.split_at_mut(end);
                let top = &mut top[begin..];
                for (k, multipliers) in panel.chunks(n).enumerate() {
                    let (factor, entries) = top[k..].split_at_mut(1);
                    if !vanishes(factor[0]) {
                        subtract(entries, &multipliers[begin + k + 1..end], factor[0]);
                    }
                }
                subtract_columns(below, panel, n, top);
            }
        }
        Ok(())
    }

    /// Takes the reciprocals of the diagonal.
    fn invert_diagonal(&mut self) -> Result<(), Singular> {
        let n = self.pivots.len();
        for (k, entry) in self.factors.as_slice().iter().step_by(n + 1).enumerate() {
            let size = entry.value().abs();
            if size <= 0.0 || !size.is_finite() {
                return Err(Singular);
            }
            self.inverses[k] = entry.recip();
        }
        Ok(())
    }

    /// Solves with the factors; `x` holds the right-hand side on entry and the solution on return.
    pub fn solve(&self, x: &mut [S]) {
        let n = self.pivots.len();
        if n == 0 {
            return;
        }
        let entries = self.factors.as_slice();
        if self.is_diagonal {
            x.iter_mut().zip(entries.iter().step_by(n + 1)).for_each(|(x, &diagonal)| *x /= diagonal);
            return;
        }
        if n >= LARGE && S::NDERIV == 0 {
            return self.solve_by_columns(x);
        }
        match (self.doubles(), unrolled::cast(&mut x[..n])) {
            (Some(columns), Some(x)) => unrolled::solve(columns, &self.pivots, x),
            _ => self.substitute(x),
        }
    }

    /// Solves for any number of unknowns.
    fn substitute(&self, x: &mut [S]) {
        let n = self.pivots.len();
        let entries = self.factors.as_slice();
        self.forward(x);
        for i in (0..n).rev() {
            let mut sum = x[i];
            let row = entries[i * n + i..].iter().step_by(n);
            let diagonal = entries[i * n + i];
            for (&factor, &known) in row.zip(&x[i..]).skip(1) {
                sum -= factor * known;
            }
            x[i] = sum / diagonal;
        }
    }

    /// Solves like [`solve`](Self::solve), with bitwise equal results, for several right-hand sides at once, if the
    /// loops are unrolled for this size; returns true if so. `rows` has a row for each unknown, with its values in
    /// all right-hand sides.
    pub fn solve_block(&self, rows: &mut [Block<S>]) -> bool {
        let n = self.pivots.len();
        let entries = self.factors.as_slice();
        if self.is_diagonal {
            for (row, &diagonal) in rows.iter_mut().zip(entries.iter().step_by(n + 1)) {
                *row = row.map(|x| x / diagonal);
            }
            return true;
        }
        match (self.doubles(), unrolled::cast(&mut rows[..n])) {
            (Some(columns), Some(rows)) => unrolled::solve_block(columns, &self.pivots, rows),
            _ => return false,
        }
        true
    }

    /// The factors, if they are doubles.
    fn doubles(&self) -> Option<&[f64]> {
        (&self.factors as &dyn Any).downcast_ref::<DMatrix<f64>>().map(DMatrix::as_slice)
    }

    /// Solves [by columns](Self::solve_by_columns) if that is much faster, and as [`solve`](Self::solve) for up to
    /// twelve unknowns. For small systems, step counts are compared with published ones and depend on the last
    /// digits.
    pub fn solve_fast(&self, x: &mut [S]) {
        if self.pivots.len() > 12 { self.solve_by_columns(x) } else { self.solve(x) }
    }

    /// Solves like [`solve`](Self::solve) except for the order of the sums, and so for rounding. It is the faster,
    /// the more zeros the right-hand side and the factors have.
    pub fn solve_by_columns(&self, x: &mut [S]) {
        let n = self.pivots.len();
        if n == 0 {
            return;
        }
        self.forward(x);
        let entries = self.factors.as_slice();
        for k in (0..n).rev() {
            let column = &entries[k * n..k * n + k];
            let (rest, known) = x[..=k].split_at_mut(k);
            known[0] *= self.inverses[k];
            let known = known[0];
            if vanishes(known) {
                continue;
            }
            subtract(rest, column, known);
        }
    }

    /// Solves with the lower factor.
    fn forward(&self, x: &mut [S]) {
        for (k, &pivot) in self.pivots.iter().enumerate() {
            x.swap(k, pivot);
        }
        for (k, column) in self.factors.as_slice().chunks(self.pivots.len()).enumerate() {
            let (known, rest) = x[k..].split_at_mut(1);
            let known = known[0];
            if vanishes(known) {
                continue;
            }
            subtract(rest, &column[k + 1..], known);
        }
    }
}

/// `x −= factor · column`, four entries at a time, which fit a register. Most columns are short, and with longer
/// strides the compiler would handle the remainder one by one.
#[inline(always)]
fn subtract<S: Scalar>(x: &mut [S], column: &[S], factor: S) {
    let (fours, rest) = x.as_chunks_mut::<4>();
    let (columns, ends) = column.as_chunks::<4>();
    for (x, column) in fours.iter_mut().zip(columns) {
        for i in 0..4 {
            x[i] -= column[i] * factor;
        }
    }
    for (x, &entry) in rest.iter_mut().zip(ends).take(3) {
        *x -= entry * factor;
    }
}

/// `x −= Σ factorₖ columnₖ` over a panel's columns of `n` rows, each from row `n − x.len()` on. Columns are
/// subtracted in order, but four in each pass, so that `x` is read and written once for all four.
fn subtract_columns<S: Scalar>(x: &mut [S], panel: &[S], n: usize, factors: &[S]) {
    let rows = x.len();
    let first = n - rows;
    for (columns, factors) in panel.chunks(4 * n).zip(factors.chunks(4)) {
        if factors.iter().all(|&factor| vanishes(factor)) {
            continue;
        }
        let column = |k: usize| &columns[k * n + first..][..rows];
        if let &[f, g, h, e] = factors {
            let (a, b, c, d) = (column(0), column(1), column(2), column(3));
            for (i, x) in x.iter_mut().enumerate() {
                *x = (((*x - a[i] * f) - b[i] * g) - c[i] * h) - d[i] * e;
            }
        } else {
            factors.iter().enumerate().for_each(|(k, &factor)| subtract(x, column(k), factor));
        }
    }
}

/// Factorizes columns of `n` rows, from the row of the first column's diagonal on. Writes for each column the row
/// that is exchanged with that of the diagonal, and the reciprocal of the pivot.
fn factorize_panel<S: Scalar>(
    panel: &mut [S],
    n: usize,
    begin: usize,
    pivots: &mut [usize],
    inverses: &mut [S],
) -> Result<(), Singular> {
    for k in 0..pivots.len() {
        let diagonal = begin + k;
        let (left, right) = panel.split_at_mut((k + 1) * n);
        let (left, column) = left.split_at_mut(k * n);
        let mut pivot = diagonal;
        let mut largest = -1.0;
        for (i, entry) in column.iter().enumerate().skip(diagonal) {
            let size = entry.value().abs();
            if size > largest {
                largest = size;
                pivot = i;
            }
        }
        if largest <= 0.0 || !largest.is_finite() {
            return Err(Singular);
        }
        pivots[k] = pivot;
        if pivot != diagonal {
            left.chunks_mut(n).for_each(|column| column.swap(diagonal, pivot));
            column.swap(diagonal, pivot);
            right.chunks_mut(n).for_each(|column| column.swap(diagonal, pivot));
        }
        let inverse = column[diagonal].recip();
        inverses[k] = inverse;
        let multipliers = &mut column[diagonal + 1..];
        for multiplier in multipliers.iter_mut() {
            *multiplier *= inverse;
        }
        for column in right.chunks_mut(n) {
            let (factor, entries) = column[diagonal..].split_at_mut(1);
            if !vanishes(factor[0]) {
                subtract(entries, multipliers, factor[0]);
            }
        }
    }
    Ok(())
}

/// True if all off-diagonal entries of an `n × n` matrix vanish.
fn is_diagonal<S: Scalar>(n: usize, entries: &[S]) -> bool {
    entries.chunks(n.max(1)).enumerate().all(|(j, column)| {
        let (above, rest) = column.split_at(j);
        above.iter().chain(&rest[1..]).all(|&entry| vanishes(entry))
    })
}

#[cfg(test)]
mod tests {
    use super::super::multiply;
    use super::*;
    use crate::DoubleDouble;

    fn hilbert<S: Scalar>(n: usize) -> DMatrix<S> {
        DMatrix::from_fn(n, n, |i, j| S::ratio(1.0, (i + j + 1) as f64))
    }

    fn residual<S: Scalar>(n: usize) -> f64 {
        let a = hilbert::<S>(n);
        let exact: Vec<S> = (0..n).map(|i| S::from(i as f64 - 1.5)).collect();
        let mut x = vec![S::zero(); n];
        multiply(&a, &exact, &mut x);
        let mut lu = Lu::new(n);
        lu.factorize(&a).unwrap();
        let mut y = x.clone();
        lu.solve(&mut x);
        lu.solve_by_columns(&mut y);
        x.iter().chain(&y).zip(exact.iter().cycle()).map(|(x, e)| (*x - *e).value().abs()).fold(0.0, f64::max)
    }

    #[test]
    fn solves_an_ill_conditioned_system_to_its_condition_number() {
        // cond(Hilbert 6) = 1.5e7
        assert!(residual::<f64>(6) < 1.5e7 * 1e-15);
        assert!(residual::<DoubleDouble>(6) < 1.5e7 * 1e-30);
    }

    /// A diagonal matrix is handled separately, with bitwise the same results as a matrix with an entry too small to
    /// matter.
    #[test]
    fn diagonal_matrices_are_solved() {
        let diagonal = [3.0, -0.7, 1e-3, 41.0];
        let matrix = DMatrix::from_diagonal(&nalgebra::DVector::from_row_slice(&diagonal));
        let mut full = matrix.clone();
        full[(0, 3)] = f64::MIN_POSITIVE;
        let [mut own, mut other] = [Lu::<f64>::new(4), Lu::new(4)];
        own.factorize(&matrix).unwrap();
        other.factorize(&full).unwrap();
        assert!(own.is_diagonal && !other.is_diagonal);
        let solved = |lu: &Lu<f64>, by_columns: bool| {
            let mut x = [0.1, -2.0, 0.3, 1.7];
            if by_columns {
                lu.solve_by_columns(&mut x)
            } else {
                lu.solve(&mut x)
            }
            x
        };
        for by_columns in [false, true] {
            assert_eq!(solved(&own, by_columns), solved(&other, by_columns));
        }
        for (k, entry) in [(1, 0.0), (2, f64::NAN), (3, f64::INFINITY)] {
            let mut spoilt = matrix.clone();
            spoilt[(k, k)] = entry;
            assert_eq!(own.factorize(&spoilt), Err(Singular));
        }
    }

    #[test]
    fn needs_its_pivoting() {
        let a = DMatrix::from_row_slice(2, 2, &[0.0, 2.0, 3.0, 1.0]);
        let mut lu = Lu::new(2);
        lu.factorize(&a).unwrap();
        let (mut x, mut y) = ([4.0, 5.0], [4.0, 5.0]);
        lu.solve(&mut x);
        assert_eq!(x, [1.0, 2.0]);
        lu.solve_by_columns(&mut y);
        assert_eq!(y, [1.0, 2.0]);
    }

    /// The residual `A x − b` for a matrix with its largest entries off the diagonal, relative to a bound on
    /// rounding.
    fn large_residual(n: usize) -> f64 {
        let off_diagonal = |i: usize, j: usize| if (i + 1) % n == j { 10.0 } else { ((i * i + 3 * j) as f64).sin() };
        let a = DMatrix::from_fn(n, n, off_diagonal);
        let right: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
        let mut lu = Lu::new(n);
        lu.factorize(&a).unwrap();
        let mut x = right.clone();
        lu.solve(&mut x);
        let left = |i: usize| (0..n).fold(-right[i], |sum, j| sum + a[(i, j)] * x[j]);
        (0..n).map(|i| left(i).abs()).fold(0.0, f64::max) / (n as f64 * f64::EPSILON)
    }

    #[test]
    fn matrices_of_any_size_are_solved_to_rounding() {
        for n in [1, 9, LARGE - 1, LARGE, 157] {
            let residual = large_residual(n);
            assert!(residual < 10.0, "{n}: {residual}");
        }
    }

    /// The first columns of a large matrix have the same factors as if there were no others.
    #[test]
    fn panels_give_bitwise_equal_results() {
        let n = LARGE + 29;
        let a = DMatrix::from_fn(n, n, |i, j| ((i * i + 3 * j) as f64).sin());
        let mut by_panels = Lu::new(n);
        by_panels.factorize(&a).unwrap();
        let (mut factors, mut pivots, mut inverses) = (a, vec![0; n], vec![0.0; n]);
        factorize_panel(factors.as_mut_slice(), n, 0, &mut pivots, &mut inverses).unwrap();
        assert_eq!(by_panels.factors, factors);
        assert_eq!((by_panels.pivots, by_panels.inverses), (pivots, inverses));
    }

    #[test]
    fn large_matrices_are_singular_or_not() {
        let mut lu = Lu::<f64>::new(LARGE);
        let regular = DMatrix::from_fn(LARGE, LARGE, |i, j| 1.0 / (1.0 + i.abs_diff(j) as f64));
        assert_eq!(lu.factorize(&regular), Ok(()));
        for entry in [0.0, f64::NAN, f64::INFINITY] {
            let mut spoilt = regular.clone();
            spoilt.column_mut(7).fill(entry);
            assert_eq!(lu.factorize(&spoilt), Err(Singular), "{entry}");
        }
    }

    #[test]
    fn singular_matrices_are_reported() {
        let mut lu = Lu::new(2);
        assert_eq!(lu.factorize(&DMatrix::from_row_slice(2, 2, &[1.0, 2.0, 2.0, 4.0])), Err(Singular));
        assert_eq!(lu.factorize(&DMatrix::from_element(2, 2, f64::NAN)), Err(Singular));
    }
}
