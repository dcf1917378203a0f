//! Matrices that store all of their entries, or only those of a pattern.

use std::ops::{Index, IndexMut};
use std::sync::Arc;

use nalgebra::DMatrix;

use super::{Element, add_product, add_transposed_product};
use crate::Scalar;

/// The places at which a matrix can have entries: the rows of each column, in ascending order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    rows: usize,
    /// Index of the first entry of each column, and the number of all entries.
    starts: Vec<usize>,
    /// The row of each entry.
    row_of: Vec<usize>,
}

impl Default for Pattern {
    fn default() -> Self {
        Self::new((0, 0), [])
    }
}

impl Pattern {
    /// A pattern of the given shape with entries at the given rows and columns, in any order.
    ///
    /// # Panics
    /// If an entry is outside the shape.
    pub fn new((rows, columns): (usize, usize), entries: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut entries: Vec<(usize, usize)> = entries.into_iter().map(|(i, j)| (j, i)).collect();
        entries.sort_unstable();
        entries.dedup();
        let mut starts = vec![0; columns + 1];
        for &(j, i) in &entries {
            assert!(i < rows, "entries are inside");
            starts[j + 1] += 1;
        }
        for j in 0..columns {
            starts[j + 1] += starts[j];
        }
        Self { rows, starts, row_of: entries.into_iter().map(|(_, i)| i).collect() }
    }

    /// A pattern with all entries.
    pub fn full(rows: usize, columns: usize) -> Self {
        Self {
            rows,
            starts: (0..=columns).map(|j| j * rows).collect(),
            row_of: (0..columns).flat_map(|_| 0..rows).collect(),
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of entries.
    pub fn entries(&self) -> usize {
        self.row_of.len()
    }

    /// Rows of the entries of a column.
    pub fn column(&self, j: usize) -> &[usize] {
        &self.row_of[self.starts[j]..self.starts[j + 1]]
    }

    /// Index of the first entry of a column among all entries.
    pub fn start(&self, j: usize) -> usize {
        self.starts[j]
    }

    /// Indices of the entries of a column among all entries.
    pub fn range(&self, j: usize) -> std::ops::Range<usize> {
        self.starts[j]..self.starts[j + 1]
    }

    /// Index of the entry in row `i`, column `j` among all entries, if it exists.
    pub fn slot(&self, i: usize, j: usize) -> Option<usize> {
        self.column(j).binary_search(&i).ok().map(|k| self.starts[j] + k)
    }

    /// All entries, column by column.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.columns()).flat_map(|j| self.column(j).iter().map(move |&i| (i, j)))
    }

    /// Groups of columns that have no row in common, as few as a greedy colouring finds.
    pub fn groups(&self, columns: &[usize]) -> Vec<Vec<usize>> {
        groups(self.rows, columns.iter().map(|&j| (j, self.column(j))))
    }
}

/// Puts items, each of which occupies some of `rows`, into groups in which no row is occupied twice. Each item is
/// added to the first group that it fits into.
pub(crate) fn groups<'r>(rows: usize, items: impl Iterator<Item = (usize, &'r [usize])>) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    // for each row, the groups in which it is occupied
    let mut taken: Vec<Vec<usize>> = vec![Vec::new(); rows];
    let mut refused = Vec::new();
    for (number, (item, its_rows)) in items.enumerate() {
        refused.resize(groups.len() + 1, usize::MAX);
        for &row in its_rows {
            for &group in &taken[row] {
                refused[group] = number;
            }
        }
        let group = refused.iter().position(|&by| by != number).unwrap_or(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
        }
        groups[group].push(item);
        for &row in its_rows {
            taken[row].push(group);
        }
    }
    groups
}

/// A matrix with the entries of a [`Pattern`].
#[derive(Debug, Clone)]
pub struct Sparse<S> {
    pattern: Arc<Pattern>,
    values: Vec<S>,
    /// The entry after the one that was written last, since matrices are mostly written in order.
    next: usize,
    zero: S,
}

impl<S: Scalar> Sparse<S> {
    /// A zero matrix.
    pub fn new(pattern: Arc<Pattern>) -> Self {
        Self { values: vec![S::zero(); pattern.entries()], pattern, next: 0, zero: S::zero() }
    }

    fn slot(&self, (i, j): (usize, usize)) -> Option<usize> {
        let (starts, row_of) = (&self.pattern.starts, &self.pattern.row_of);
        let k = self.next;
        if k >= starts[j] && k < starts[j + 1] && row_of[k] == i { Some(k) } else { self.pattern.slot(i, j) }
    }
}

impl<S: Scalar> Index<(usize, usize)> for Sparse<S> {
    type Output = S;

    fn index(&self, at: (usize, usize)) -> &S {
        self.slot(at).map_or(&self.zero, |slot| &self.values[slot])
    }
}

impl<S: Scalar> IndexMut<(usize, usize)> for Sparse<S> {
    /// # Panics
    /// If the pattern has no such entry: which entries are written must not depend on the state.
    fn index_mut(&mut self, at: (usize, usize)) -> &mut S {
        let Some(slot) = self.slot(at) else { panic!("entry {at:?} was zero when the structure was found") };
        self.next = slot + 1;
        &mut self.values[slot]
    }
}

/// A matrix that is written entry by entry.
pub trait Entries<S>: IndexMut<(usize, usize), Output = S> {
    /// Makes all entries zero.
    fn clear(&mut self);

    /// Writes the entries of column `j`, given in the order of `pattern`. A matrix with a pattern of its own requires
    /// that pattern.
    fn write_column(&mut self, pattern: &Pattern, j: usize, values: impl Iterator<Item = S>)
    where
        Self: Sized,
    {
        for (&i, value) in pattern.column(j).iter().zip(values) {
            self[(i, j)] = value;
        }
    }
}

impl<S: Scalar> Entries<S> for DMatrix<S> {
    fn clear(&mut self) {
        self.as_mut_slice().fill(S::zero());
    }
}

impl<S: Scalar> Entries<S> for Sparse<S> {
    fn clear(&mut self) {
        self.values.fill(S::zero());
        self.next = 0;
    }

    fn write_column(&mut self, pattern: &Pattern, j: usize, values: impl Iterator<Item = S>) {
        let range = pattern.start(j)..pattern.start(j + 1);
        self.values[range].iter_mut().zip(values).for_each(|(entry, value)| *entry = value);
    }
}

impl<S: Scalar> Index<(usize, usize)> for Matrix<S> {
    type Output = S;

    fn index(&self, at: (usize, usize)) -> &S {
        match self {
            Self::Dense(matrix) => &matrix[at],
            Self::Sparse(matrix) => &matrix[at],
        }
    }
}

impl<S: Scalar> IndexMut<(usize, usize)> for Matrix<S> {
    fn index_mut(&mut self, at: (usize, usize)) -> &mut S {
        match self {
            Self::Dense(matrix) => &mut matrix[at],
            Self::Sparse(matrix) => &mut matrix[at],
        }
    }
}

impl<S: Scalar> Entries<S> for Matrix<S> {
    fn clear(&mut self) {
        match self {
            Self::Dense(matrix) => matrix.clear(),
            Self::Sparse(matrix) => matrix.clear(),
        }
    }

    fn write_column(&mut self, pattern: &Pattern, j: usize, values: impl Iterator<Item = S>) {
        match self {
            Self::Dense(matrix) => matrix.write_column(pattern, j, values),
            Self::Sparse(matrix) => matrix.write_column(pattern, j, values),
        }
    }
}

/// A matrix, or a larger one that contains it, to which entries are added.
pub trait Accumulate<S> {
    /// Adds `x` to the entry at the given row and column; if only the entries of a pattern are stored, `slot` is its
    /// index among these.
    fn add(&mut self, at: (usize, usize), slot: usize, x: S);
}

impl<S: Scalar> Accumulate<S> for DMatrix<S> {
    #[inline]
    fn add(&mut self, at: (usize, usize), _slot: usize, x: S) {
        self[at] += x;
    }
}

impl<S: Scalar> Accumulate<S> for Matrix<S> {
    #[inline]
    fn add(&mut self, at: (usize, usize), slot: usize, x: S) {
        match self {
            Self::Dense(matrix) => matrix[at] += x,
            Self::Sparse(matrix) => matrix.values[slot] += x,
        }
    }
}

/// An invariant that callers ensure by the kind of memory they request.
const ALL: &str = "memory with all entries was asked for";

/// A matrix that stores all of its entries, or only those of a [`Pattern`].
#[derive(Debug, Clone)]
pub enum Matrix<S> {
    /// All entries.
    Dense(DMatrix<S>),
    /// The entries of a pattern.
    Sparse(Sparse<S>),
}

impl<S: Scalar> Matrix<S> {
    /// A zero matrix with all entries.
    pub fn dense(rows: usize, columns: usize) -> Self {
        Self::Dense(DMatrix::from_element(rows, columns, S::zero()))
    }

    /// A zero matrix with the entries of a pattern if `sparse`, otherwise with all entries.
    pub fn new(pattern: &Arc<Pattern>, sparse: bool) -> Self {
        if sparse { Self::Sparse(Sparse::new(pattern.clone())) } else { Self::dense(pattern.rows(), pattern.columns()) }
    }

    /// Number of rows.
    pub fn nrows(&self) -> usize {
        match self {
            Self::Dense(matrix) => matrix.nrows(),
            Self::Sparse(matrix) => matrix.pattern.rows(),
        }
    }

    /// Number of columns.
    pub fn ncols(&self) -> usize {
        match self {
            Self::Dense(matrix) => matrix.ncols(),
            Self::Sparse(matrix) => matrix.pattern.columns(),
        }
    }

    /// The entries, column by column.
    pub fn values(&self) -> &[S] {
        match self {
            Self::Dense(matrix) => matrix.as_slice(),
            Self::Sparse(matrix) => &matrix.values,
        }
    }

    /// The entries, mutable, column by column.
    pub fn values_mut(&mut self) -> &mut [S] {
        match self {
            Self::Dense(matrix) => matrix.as_mut_slice(),
            Self::Sparse(matrix) => &mut matrix.values,
        }
    }

    /// The pattern, if only its entries are stored.
    pub fn pattern(&self) -> Option<&Arc<Pattern>> {
        match self {
            Self::Dense(_) => None,
            Self::Sparse(matrix) => Some(&matrix.pattern),
        }
    }

    /// The matrix, for callers that have requested memory with all entries.
    ///
    /// # Panics
    /// If the matrix has a pattern.
    pub fn all(&self) -> &DMatrix<S> {
        let Self::Dense(matrix) = self else { panic!("{ALL}") };
        matrix
    }

    /// The matrix, mutable, for callers that have requested memory with all entries.
    ///
    /// # Panics
    /// If the matrix has a pattern.
    pub fn all_mut(&mut self) -> &mut DMatrix<S> {
        let Self::Dense(matrix) = self else { panic!("{ALL}") };
        matrix
    }

    /// A copy with all entries.
    pub fn to_dense(&self) -> DMatrix<S> {
        match self {
            Self::Dense(matrix) => matrix.clone(),
            Self::Sparse(matrix) => {
                let mut dense = DMatrix::from_element(matrix.pattern.rows(), matrix.pattern.columns(), S::zero());
                for ((i, j), &value) in matrix.pattern.iter().zip(&matrix.values) {
                    dense[(i, j)] = value;
                }
                dense
            }
        }
    }

    /// Sets this matrix to `−A`, where `A` has the same kind of memory.
    pub fn negate(&mut self, a: &Self) {
        for (entry, &of_a) in self.values_mut().iter_mut().zip(a.values()) {
            *entry = -of_a;
        }
    }

    /// `y += factor A x`.
    #[inline]
    pub fn add_product(&self, factor: S, x: &[S], y: &mut [S]) {
        match self {
            Self::Dense(matrix) => add_product(factor, matrix, x, y),
            Self::Sparse(matrix) => {
                let (starts, row_of) = (&matrix.pattern.starts, &matrix.pattern.row_of);
                for (range, &x) in starts.windows(2).zip(x) {
                    let (range, x) = (range[0]..range[1], x * factor);
                    for (&i, &value) in row_of[range.clone()].iter().zip(&matrix.values[range]) {
                        y[i] += value * x;
                    }
                }
            }
        }
    }

    /// `y += factor Aᵀ x`.
    #[inline]
    pub fn add_transposed_product(&self, factor: S, x: &[S], y: &mut [S]) {
        match self {
            Self::Dense(matrix) => add_transposed_product(factor, matrix, x, y),
            Self::Sparse(matrix) => {
                let (starts, row_of) = (&matrix.pattern.starts, &matrix.pattern.row_of);
                for (range, y) in starts.windows(2).zip(y) {
                    let range = range[0]..range[1];
                    let entries = row_of[range.clone()].iter().zip(&matrix.values[range]);
                    *y += entries.fold(S::zero(), |sum, (&i, &value)| sum + value * x[i]) * factor;
                }
            }
        }
    }
}

impl Matrix<f64> {
    /// `y += factor |A| |x|` with the magnitudes of all entries, for a positive factor.
    pub fn add_sizes(&self, factor: f64, x: &[f64], y: &mut [f64]) {
        self.for_each(|i, j, value| y[i] += (factor * value * x[j]).abs());
    }

    /// `y += |Aᵀ| |x|`, with the magnitudes of all entries.
    pub fn add_transposed_sizes(&self, x: &[f64], y: &mut [f64]) {
        self.for_each(|i, j, value| y[j] += (value * x[i]).abs());
    }

    /// Calls `each` with row, column and value of all entries.
    pub fn for_each(&self, mut each: impl FnMut(usize, usize, f64)) {
        match self {
            Self::Dense(matrix) => {
                for (j, column) in matrix.as_slice().chunks(matrix.nrows().max(1)).enumerate() {
                    column.iter().enumerate().for_each(|(i, &value)| each(i, j, value));
                }
            }
            Self::Sparse(matrix) => {
                matrix.pattern.iter().zip(&matrix.values).for_each(|((i, j), &value)| each(i, j, value));
            }
        }
    }

    /// `y += factor aⱼ` for column `j`, with real or complex numbers.
    pub fn add_column<T: Element>(&self, j: usize, factor: T, y: &mut [T]) {
        match self {
            Self::Dense(matrix) => {
                y.iter_mut().zip(matrix.column(j).iter()).for_each(|(y, &value)| *y += factor * value);
            }
            Self::Sparse(matrix) => {
                let values = &matrix.values[matrix.pattern.start(j)..];
                for (&i, &value) in matrix.pattern.column(j).iter().zip(values) {
                    y[i] += factor * value;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_pattern_has_its_entries_in_order_and_once() {
        let pattern = Pattern::new((3, 4), [(2, 1), (0, 1), (2, 1), (1, 3)]);
        assert_eq!(pattern.iter().collect::<Vec<_>>(), [(0, 1), (2, 1), (1, 3)]);
        assert_eq!((pattern.slot(2, 1), pattern.slot(1, 1), pattern.slot(1, 3)), (Some(1), None, Some(2)));
        assert_eq!((pattern.column(0), pattern.column(1)), (&[][..], &[0, 2][..]));
        assert_eq!(Pattern::full(2, 2).iter().collect::<Vec<_>>(), [(0, 0), (1, 0), (0, 1), (1, 1)]);
    }

    #[test]
    #[should_panic(expected = "entry (1, 0) was zero when the structure was found")]
    fn an_entry_outside_the_pattern_is_reported() {
        Sparse::<f64>::new(Arc::new(Pattern::new((2, 2), [(0, 0)])))[(1, 0)] = 1.0;
    }

    proptest! {
        #[test]
        fn groups_take_no_row_twice_and_leave_no_column_out(
            entries in prop::collection::vec((0..9usize, 0..12usize), 0..60),
        ) {
            let pattern = Pattern::new((9, 12), entries);
            let columns: Vec<usize> = (0..12).collect();
            let groups = pattern.groups(&columns);
            for group in &groups {
                let mut rows: Vec<usize> = group.iter().flat_map(|&j| pattern.column(j)).copied().collect();
                let all = rows.len();
                rows.sort_unstable();
                rows.dedup();
                prop_assert_eq!(rows.len(), all);
            }
            let mut found: Vec<usize> = groups.concat();
            found.sort_unstable();
            prop_assert_eq!(found, columns);
        }

        #[test]
        fn products_match_the_dense_matrix(
            entries in prop::collection::vec((0..5usize, 0..7usize, -1.0..1.0f64), 0..20),
            x in prop::collection::vec(-1.0..1.0f64, 7),
            y in prop::collection::vec(-1.0..1.0f64, 5),
        ) {
            let pattern = Arc::new(Pattern::new((5, 7), entries.iter().map(|&(i, j, _)| (i, j))));
            let mut sparse = Sparse::new(pattern);
            entries.iter().for_each(|&(i, j, value)| sparse[(i, j)] = value);
            let sparse = Matrix::Sparse(sparse);
            let dense = Matrix::Dense(sparse.to_dense());
            let (mut left, mut right) = (y.clone(), y.clone());
            sparse.add_product(0.5, &x, &mut left);
            dense.add_product(0.5, &x, &mut right);
            left.iter().zip(&right).for_each(|(l, r)| assert!((l - r).abs() < 1e-15));
            let (mut left, mut right) = (x.clone(), x.clone());
            sparse.add_transposed_product(0.5, &y, &mut left);
            dense.add_transposed_product(0.5, &y, &mut right);
            left.iter().zip(&right).for_each(|(l, r)| assert!((l - r).abs() < 1e-15));
        }
    }
}
