//! LU factorization of sparse matrices.

use std::iter::zip;
use std::sync::Arc;

use super::{Element, Pattern, Singular};

/// A pivot off the diagonal is chosen if the diagonal entry is smaller than this fraction of the largest entry in its
/// column.
const DIAGONAL: f64 = 0.1;

/// Pivots of the last factorization are kept as long as each has at least this fraction of the largest entry in its
/// column.
const KEPT: f64 = 0.01;

/// The smallest scale of rows and columns without a diagonal entry, before it is rounded to a power of two.
const LEAST_SCALE: f64 = 1e-3;

/// Most columns of `L` that are subtracted in one pass.
const MOST: usize = 4;

/// LU factors of a matrix with a [`Pattern`], real or complex, with partial pivoting.
///
/// The order of the columns keeps the factors sparse whichever rows become pivots; it follows from the pattern and is
/// determined once. The first factorization chooses the pivots and finds the entries of the factors (Gilbert and
/// Peierls 1988). Later ones keep both and compute only numbers, until a pivot becomes too small. A factorization
/// that keeps the pivots does not allocate.
///
/// If the factors have many entries that the matrix does not have, as for mechanisms with many loops, the first
/// factorization also tries an order for pivots on the diagonal. It is used as long as it takes at most half the
/// operations.
///
/// Neighbouring columns of `L` often have entries in the same rows, for example those of a body. Up to four such
/// columns are subtracted in one pass over their rows. The terms of each entry keep their order, so that results are
/// bitwise those of one pass a column.
pub struct SparseLu<T> {
    pattern: Arc<Pattern>,
    /// Column of the matrix that is eliminated in each step.
    columns: Vec<u32>,
    /// The order of the columns for any pivots, while `columns` is the one for pivots on the diagonal.
    usual: Option<Vec<u32>>,
    /// Most operations of a factorization in the order of `columns`.
    most: u64,
    /// True if the first factorization has succeeded, so that the order of the columns is chosen.
    is_ordered: bool,
    /// Powers of two by which the rows are multiplied, and the columns too.
    scales: Vec<f64>,
    /// Row of the pivot in each step.
    rows: Vec<u32>,
    /// Step in which each row is the pivot's.
    steps: Vec<u32>,
    /// Step of the row of each entry of the matrix.
    places: Vec<u32>,
    /// Entries below the diagonal, in units of the pivot; rows are given by their steps, in ascending order.
    lower: Factor<T>,
    /// For each column of `L`, the number of columns from it on that are nested, at most [`MOST`]: the entries of each
    /// are in the row of the next step and in the rows of the next column.
    nested: Vec<u8>,
    /// Entries above the diagonal, each column in an order in which it can be eliminated.
    upper: Factor<T>,
    /// For each entry of `U`, the number of entries from it on that are eliminated together, by nested columns of `L`.
    runs: Vec<u8>,
    /// Reciprocals of the pivots.
    inverses: Vec<T>,
    /// True if pivots and places of entries from an earlier factorization are available.
    is_kept: bool,
    /// A column during elimination, or a vector during a solve; zero otherwise.
    work: Vec<T>,
    search: Search,
}

/// Columns of a triangular factor, one after the other.
struct Factor<T> {
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<T>,
}

impl<T> Factor<T> {
    /// Memory for the given numbers of columns and entries; it grows if there are more.
    fn new(columns: usize, entries: usize) -> Self {
        let mut starts = Vec::with_capacity(columns + 1);
        starts.push(0);
        Self { starts, rows: Vec::with_capacity(entries), values: Vec::with_capacity(entries) }
    }

    fn clear(&mut self) {
        self.starts.truncate(1);
        self.rows.clear();
        self.values.clear();
    }

    fn push(&mut self, row: u32, value: T) {
        self.rows.push(row);
        self.values.push(value);
    }

    fn end_column(&mut self) {
        self.starts.push(self.rows.len());
    }

    /// Rows and values of a column.
    #[inline(always)]
    fn column(&self, k: usize) -> (&[u32], &[T]) {
        let entries = self.starts[k]..self.starts[k + 1];
        (&self.rows[entries.clone()], &self.values[entries])
    }

    fn entries_of(&self, k: usize) -> usize {
        self.starts[k + 1] - self.starts[k]
    }
}

impl<T: Element> Factor<T> {
    /// Subtracts the `N` nested columns of `L` from step `k` on, each times the entry of `x` in its step, and returns
    /// these entries, which it leaves in `x` as they were.
    #[inline(always)]
    fn subtract<const N: usize>(&self, k: usize, x: &mut [T]) -> [T; N] {
        let starts = &self.starts[k..=k + N];
        let rows = &self.rows[starts[N - 1]..starts[N]];
        let mut rest = &self.values[starts[0]..starts[N]];
        // Copied one by one, for a copy of all goes through integer registers, which delays the first product.
        let mut factors = [T::from(0.0); N];
        for (factor, &entry) in zip(&mut factors, &x[k..k + N]) {
            *factor = entry;
        }
        let mut columns = [rest; N];
        for i in 0..N {
            let (column, others) = rest.split_at(N - 1 - i + rows.len());
            let (above, common) = column.split_at(N - 1 - i);
            for (j, &multiplier) in above.iter().enumerate() {
                factors[i + 1 + j] -= multiplier * factors[i];
            }
            (columns[i], rest) = (common, others);
        }
        // One loop for each number of columns, since the compiler then checks only the bounds of `x`.
        match (&columns[..], &factors[..]) {
            (&[a], &[f]) => {
                for (&row, &a) in zip(rows, a) {
                    x[row as usize] -= a * f;
                }
            }
            (&[a, b], &[f, g]) => {
                for ((&row, &a), &b) in zip(zip(rows, a), b) {
                    let x = &mut x[row as usize];
                    *x = *x - a * f - b * g;
                }
            }
            (&[a, b, c], &[f, g, h]) => {
                for (((&row, &a), &b), &c) in zip(zip(zip(rows, a), b), c) {
                    let x = &mut x[row as usize];
                    *x = *x - a * f - b * g - c * h;
                }
            }
            (&[a, b, c, d], &[f, g, h, i]) => {
                for ((((&row, &a), &b), &c), &d) in zip(zip(zip(zip(rows, a), b), c), d) {
                    let x = &mut x[row as usize];
                    *x = *x - a * f - b * g - c * h - d * i;
                }
            }
            _ => unreachable!("between one and `MOST` columns"),
        }
        factors
    }
}

/// Evaluates an expression with a number of columns up to [`MOST`] as a constant.
macro_rules! with_run {
    ($run:expr; $constant:ident => $work:expr) => {
        match $run {
            1 => with_run!(@ 1 $constant $work),
            2 => with_run!(@ 2 $constant $work),
            3 => with_run!(@ 3 $constant $work),
            _ => with_run!(@ MOST $constant $work),
        }
    };
    (@ $number:tt $constant:ident $work:expr) => {{
        const $constant: usize = $number;
        $work
    }};
}

/// Memory for the search for the entries of a column.
struct Search {
    /// The last column in which each row was found.
    found_in: Vec<u32>,
    /// Rows of the column that have no step yet, in the order in which they were found.
    open: Vec<u32>,
    /// Steps that eliminate entries of the column, the last one first.
    eliminated: Vec<u32>,
    /// Steps on the path of the search, each with the number of its entries already followed.
    path: Vec<(u32, usize)>,
}

/// An invariant: a run ends inside of its factor.
const RUN: &str = "a run of nested columns";

/// No step yet.
const NONE: u32 = u32::MAX;

/// Returns an order of the columns of `A` that keeps the factors of `A` sparse whichever rows become pivots, and the
/// largest possible number of entries of `U` above the diagonal.
///
/// The order is the approximate minimum degree order of `Aᵀ A`, whose factor has an entry wherever `U` can have one
/// (George and Ng 1985). As in COLAMD, rows with many entries are left out, since they alone would make `Aᵀ A` full.
fn order(pattern: &Pattern) -> (Vec<u32>, usize) {
    let n = pattern.columns();
    let (starts, rows) = upper_triangle(pattern);
    let (columns, _, info) =
        amd::order(narrow(n), &starts, &rows, &amd::Control::default()).expect("columns are sorted");
    (columns.into_iter().map(|column| column as u32).collect(), info.lnz)
}

/// Returns an order for pivots on the diagonal: the columns that have a diagonal entry first, for example those of
/// coordinates before those of multipliers. The others keep their Schur complement sparse; two of them share an entry
/// of it if they have entries in the same part of the mechanism.
fn order_by_diagonal(pattern: &Pattern) -> Vec<u32> {
    let n = pattern.columns();
    let is_first: Vec<bool> = (0..n).map(|j| pattern.slot(j, j).is_some()).collect();
    // One column of the part to which each of the first columns belongs, at the end of a path.
    let mut parts: Vec<usize> = (0..n).collect();
    let part_of = |parts: &mut Vec<usize>, mut j: usize| {
        while parts[j] != j {
            parts[j] = parts[parts[j]];
            j = parts[j];
        }
        j
    };
    for (i, j) in pattern.iter().filter(|&(i, j)| is_first[i] && is_first[j]) {
        let (i, j) = (part_of(&mut parts, i), part_of(&mut parts, j));
        parts[i] = j;
    }
    let others = pattern.iter().filter(|&(i, j)| is_first[i] && !is_first[j]);
    let (mut columns, _) = order(&Pattern::new((n, n), others.map(|(i, j)| (part_of(&mut parts, i), j))));
    columns.sort_by_key(|&column| !is_first[column as usize]);
    columns
}

/// An index in half the memory of `usize`.
fn narrow(index: usize) -> i32 {
    i32::try_from(index).expect("fewer than two billion entries")
}

/// The pattern of `Aᵀ A` above the diagonal, by columns: the beginning of each column, and the rows of all entries.
/// Rows of `A` with many entries are left out.
fn upper_triangle(pattern: &Pattern) -> (Vec<i32>, Vec<i32>) {
    let n = pattern.columns();
    let most = 16.max((10.0 * (n as f64).sqrt()) as i32);
    let mut ends = vec![0; pattern.rows() + 1];
    pattern.iter().for_each(|(row, _)| ends[row + 1] += 1);
    for row in 0..pattern.rows() {
        ends[row + 1] += ends[row];
    }
    let mut next = ends.clone();
    let mut columns_of = vec![0; pattern.entries()];
    for (row, column) in pattern.iter() {
        columns_of[next[row] as usize] = narrow(column);
        next[row] += 1;
    }
    drop(next);
    let pairs = ends.windows(2).map(|ends| ends[1] - ends[0]).filter(|&entries| entries <= most);
    let pairs: usize = pairs.map(|entries| (entries * (entries - 1) / 2) as usize).sum();
    let (mut starts, mut rows) = (Vec::with_capacity(n + 1), Vec::with_capacity(pairs));
    let mut found_in = vec![-1; n];
    starts.push(0);
    for column in 0..n {
        let (start, column_number) = (rows.len(), narrow(column));
        for &row in pattern.column(column) {
            let (first, last) = (ends[row], ends[row + 1]);
            if last - first > most {
                continue;
            }
            for &other in columns_of[first as usize..last as usize].iter().take_while(|&&other| other < column_number) {
                if found_in[other as usize] != column_number {
                    found_in[other as usize] = column_number;
                    rows.push(other);
                }
            }
        }
        rows[start..].sort_unstable();
        starts.push(narrow(rows.len()));
    }
    (starts, rows)
}

impl<T: Element> SparseLu<T> {
    /// Memory for a square matrix with the given pattern; the first factorization allocates the factors.
    ///
    /// # Panics
    /// If the matrix is not square.
    pub fn new(pattern: Arc<Pattern>) -> Self {
        let n = pattern.rows();
        assert_eq!(n, pattern.columns(), "a square matrix");
        let (columns, most) = order(&pattern);
        let search = Search {
            found_in: Vec::with_capacity(n),
            open: Vec::with_capacity(n),
            eliminated: Vec::with_capacity(n),
            path: Vec::with_capacity(n),
        };
        Self {
            columns,
            usual: None,
            most: u64::MAX,
            is_ordered: false,
            scales: vec![1.0; n],
            rows: Vec::with_capacity(n),
            steps: Vec::with_capacity(n),
            places: Vec::new(),
            lower: Factor::new(n, most),
            nested: Vec::new(),
            upper: Factor::new(n, most),
            runs: Vec::new(),
            inverses: Vec::with_capacity(n),
            is_kept: false,
            work: Vec::with_capacity(n),
            search,
            pattern,
        }
    }

    /// Factorizes the matrix with these entries.
    ///
    /// # Errors
    /// [`Singular`] if a column has an entry that is not finite, or no pivot other than zero.
    pub fn factorize(&mut self, values: &[T]) -> Result<(), Singular> {
        if self.is_kept && self.refactorize(values) {
            return Ok(());
        }
        let mut done = self.factorize_with_new_pivots(values);
        if done.is_ok() && !std::mem::replace(&mut self.is_ordered, true) && self.has_filled() {
            self.prefer_diagonal(values);
            done = self.factorize_with_new_pivots(values);
        }
        if done.is_err()
            && let Some(columns) = self.usual.take()
        {
            (self.columns, self.most) = (columns, u64::MAX);
            self.scales.fill(1.0);
            done = self.factorize_with_new_pivots(values);
        }
        self.is_kept = done.is_ok();
        done
    }

    /// True if most entries of the factors are not entries of the matrix.
    fn has_filled(&self) -> bool {
        self.lower.rows.len() + self.upper.rows.len() + self.columns.len() > 2 * self.pattern.entries()
    }

    /// Changes to the order for pivots on the diagonal, for at most half the operations of the last factorization.
    /// Scales the columns without a diagonal entry so that their entries are not much larger than the diagonal ones.
    /// The scales are limited, because entries of the Schur complement grow by their inverses.
    fn prefer_diagonal(&mut self, values: &[T]) {
        let Self { pattern, scales, .. } = self;
        for (j, scale) in scales.iter_mut().enumerate().filter(|&(j, _)| pattern.slot(j, j).is_none()) {
            let ratio = |(&i, value): (&usize, &T)| {
                Some(values[pattern.slot(i, i)?].norm1() / value.norm1()).filter(|ratio| ratio.is_normal())
            };
            let least = zip(pattern.column(j), &values[pattern.range(j)]).filter_map(ratio).reduce(f64::min);
            let scale_below = least.map_or(1.0, |least| least.max(LEAST_SCALE));
            // The power of two that is not above it, with which products are exact.
            *scale = f64::from_bits(scale_below.to_bits() & f64::INFINITY.to_bits());
        }
        self.most = self.factorization_flops() / 2;
        self.usual = Some(std::mem::replace(&mut self.columns, order_by_diagonal(&self.pattern)));
    }

    /// Computes the factors with the pivots and places of the last factorization; returns false if a pivot has become
    /// too small.
    fn refactorize(&mut self, values: &[T]) -> bool {
        let Self { pattern, columns, usual, scales, places, lower, upper, runs, inverses, work, .. } = self;
        for (k, &column) in columns.iter().enumerate() {
            let entries = pattern.range(column as usize);
            for (&step, &value) in places[entries.clone()].iter().zip(&values[entries.clone()]) {
                work[step as usize] = value;
            }
            if usual.is_some() {
                for (&step, &row) in places[entries].iter().zip(pattern.column(column as usize)) {
                    work[step as usize] *= T::from(scales[column as usize] * scales[row]);
                }
            }
            let (mut at, end) = (upper.starts[k], upper.starts[k + 1]);
            while at < end {
                let step = upper.rows[at] as usize;
                with_run!(runs[at]; N => {
                    let factors = lower.subtract::<N>(step, work);
                    *upper.values[at..].first_chunk_mut().expect(RUN) = factors;
                    *work[step..].first_chunk_mut().expect(RUN) = [T::from(0.0); N];
                    at += N;
                })
            }
            let pivot = std::mem::replace(&mut work[k], T::from(0.0));
            let inverse = T::from(1.0) / pivot;
            inverses[k] = inverse;
            let size = pivot.norm1();
            let mut is_large = size > 0.0 && size < f64::INFINITY;
            let entries = lower.starts[k]..lower.starts[k + 1];
            for (&row, value) in lower.rows[entries.clone()].iter().zip(&mut lower.values[entries]) {
                let entry = std::mem::replace(&mut work[row as usize], T::from(0.0));
                // False also if the entry is not finite.
                is_large &= KEPT * entry.norm1() <= size;
                *value = entry * inverse;
            }
            if !is_large {
                work.fill(T::from(0.0));
                return false;
            }
        }
        true
    }

    /// Chooses the pivots, finds the places of the entries and computes the factors, unless that takes too many
    /// operations.
    // Not inlined, since it would take registers from the loops of `refactorize`.
    #[inline(never)]
    fn factorize_with_new_pivots(&mut self, values: &[T]) -> Result<(), Singular> {
        let n = self.columns.len();
        for (memory, value) in [(&mut self.steps, NONE), (&mut self.search.found_in, NONE), (&mut self.rows, 0)] {
            memory.clear();
            memory.resize(n, value);
        }
        self.inverses.resize(n, T::from(0.0));
        self.work.clear();
        self.work.resize(n, T::from(0.0));
        self.lower.clear();
        self.upper.clear();
        let mut flops = 0;
        for k in 0..n {
            let column = self.columns[k] as usize;
            self.find_entries(k as u32, column);
            let Self { pattern, scales, steps, lower, upper, work, search, .. } = self;
            for (&row, &value) in pattern.column(column).iter().zip(&values[pattern.start(column)..]) {
                work[row] = value * (scales[column] * scales[row]);
            }
            for &step in search.eliminated.iter().rev() {
                let factor = std::mem::replace(&mut work[self.rows[step as usize] as usize], T::from(0.0));
                upper.push(step, factor);
                let (rows, multipliers) = lower.column(step as usize);
                flops += 2 * rows.len() as u64;
                for (&row, &multiplier) in rows.iter().zip(multipliers) {
                    work[row as usize] -= multiplier * factor;
                }
            }
            upper.end_column();
            if flops > self.most {
                return Err(Singular);
            }
            let mut largest = (0.0, column);
            for &row in &search.open {
                let size = work[row as usize].norm1();
                if !size.is_finite() {
                    return Err(Singular);
                }
                if size > largest.0 {
                    largest = (size, row as usize);
                }
            }
            if largest.0 == 0.0 {
                return Err(Singular);
            }
            let has_diagonal = steps[column] == NONE && search.found_in[column] == k as u32;
            let is_diagonal = has_diagonal && work[column].norm1() >= DIAGONAL * largest.0;
            let row = if is_diagonal { column } else { largest.1 };
            let inverse = T::from(1.0) / std::mem::replace(&mut work[row], T::from(0.0));
            (self.rows[k], steps[row], self.inverses[k]) = (row as u32, k as u32, inverse);
            for &other in search.open.iter().filter(|&&other| other as usize != row) {
                let entry = std::mem::replace(&mut work[other as usize], T::from(0.0));
                lower.push(other, entry * inverse);
            }
            lower.end_column();
        }
        self.arrange();
        Ok(())
    }

    /// Replaces rows by their steps, sorts the entries of `L` and finds its nested columns.
    fn arrange(&mut self) {
        let Self { pattern, steps, places, lower, nested, upper, runs, work, .. } = self;
        places.clear();
        places.reserve_exact(pattern.entries());
        places.extend(pattern.iter().map(|(row, _)| steps[row]));
        lower.rows.iter_mut().for_each(|row| *row = steps[*row as usize]);
        for entries in lower.starts.windows(2).map(|ends| ends[0]..ends[1]) {
            let (rows, values) = (&mut lower.rows[entries.clone()], &mut lower.values[entries]);
            zip(&*rows, &*values).for_each(|(&row, &value)| work[row as usize] = value);
            rows.sort_unstable();
            let entry = |&row| std::mem::replace(&mut work[row as usize], T::from(0.0));
            zip(values, rows.iter().map(entry)).for_each(|(value, entry)| *value = entry);
        }
        let n = steps.len();
        nested.clear();
        nested.resize(n, 1);
        for k in (0..n.saturating_sub(1)).rev() {
            if let Some((&first, others)) = lower.column(k).0.split_first()
                && first as usize == k + 1
                && others == lower.column(k + 1).0
            {
                nested[k] = (nested[k + 1] + 1).min(MOST as u8);
            }
        }
        runs.clear();
        // As much as `U` can hold, so that other pivots need no more.
        runs.reserve_exact(upper.rows.capacity());
        runs.resize(upper.rows.len(), 1);
        for entries in upper.starts.windows(2).map(|ends| ends[0]..ends[1]) {
            for at in entries.rev().skip(1) {
                let step = upper.rows[at];
                if upper.rows[at + 1] == step + 1 && nested[step as usize] > 1 {
                    runs[at] = (runs[at + 1] + 1).min(MOST as u8);
                }
            }
        }
    }

    /// Finds the rows in which column `k` of the factors has entries: those of the matrix, and those reached through
    /// columns of `L`.
    fn find_entries(&mut self, k: u32, column: usize) {
        let Self { pattern, steps, lower, search: Search { found_in, open, eliminated, path }, .. } = self;
        open.clear();
        eliminated.clear();
        for &first in pattern.column(column) {
            if found_in[first] == k {
                continue;
            }
            found_in[first] = k;
            if steps[first] == NONE {
                open.push(first as u32);
                continue;
            }
            path.push((steps[first], 0));
            while let Some((step, followed)) = path.last_mut() {
                let (rows, _) = lower.column(*step as usize);
                let next = rows[*followed..].iter().position(|&row| found_in[row as usize] != k);
                let Some(next) = next else {
                    eliminated.push(*step);
                    path.pop();
                    continue;
                };
                let row = rows[*followed + next];
                *followed += next + 1;
                found_in[row as usize] = k;
                if steps[row as usize] == NONE {
                    open.push(row);
                } else {
                    path.push((steps[row as usize], 0));
                }
            }
        }
    }

    /// Operations of the last factorization: divisions by pivots, products and sums.
    pub fn factorization_flops(&self) -> u64 {
        let products: usize = self.upper.rows.iter().map(|&step| self.lower.entries_of(step as usize)).sum();
        (self.lower.rows.len() + 2 * products) as u64
    }

    /// Operations of one solve with the factors.
    pub fn solve_flops(&self) -> u64 {
        (2 * (self.lower.rows.len() + self.upper.rows.len()) + self.columns.len()) as u64
    }

    /// Solves in place, with the factors of the last factorization, which must not have failed.
    pub fn solve(&mut self, x: &mut [T]) {
        let Self { columns, scales, rows, lower, nested, upper, inverses, work, .. } = self;
        let n = columns.len();
        for (value, &row) in work.iter_mut().zip(&*rows) {
            *value = x[row as usize] * scales[row as usize];
        }
        let mut k = 0;
        while k < n {
            with_run!(nested[k]; N => {
                *work[k..].first_chunk_mut().expect(RUN) = lower.subtract::<N>(k, work);
                k += N;
            })
        }
        for (k, (&inverse, &column)) in zip(&*inverses, &*columns).enumerate().rev() {
            let known = work[k] * inverse;
            let (steps, entries) = upper.column(k);
            for (&step, &entry) in zip(steps, entries) {
                work[step as usize] -= entry * known;
            }
            x[column as usize] = known * scales[column as usize];
        }
        work.fill(T::from(0.0));
    }
}

impl<T: Element> Clone for SparseLu<T> {
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

    /// A matrix of `n` unknowns with two bands and a few other entries, and zeros on most of the diagonal.
    fn sample(n: usize, numbers: &[f64]) -> (Arc<Pattern>, Vec<f64>) {
        let entries = (0..n).flat_map(|i| [(i, (i + 1) % n), ((i + 3) % n, i), (i, (7 * i + 2) % n), (0, 0)]);
        let pattern = Pattern::new((n, n), entries);
        let values = numbers[..pattern.entries()].to_vec();
        (Arc::new(pattern), values)
    }

    proptest! {
        /// Backward error for real and complex matrices, factorized twice in the same memory. With kept pivots,
        /// multipliers are at most 1/[`KEPT`].
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
            let norm = |x: &[f64]| x.iter().fold(0.0f64, |most, x| most.max(x.abs()));
            let mut fresh = SparseLu::new(pattern.clone());
            fresh.factorize(&values).unwrap();
            for (lu, bound) in [(&mut lu, 1e-13 / KEPT), (&mut fresh, 1e-13)] {
                let mut x = right[..n].to_vec();
                lu.solve(&mut x);
                let mut residual: Vec<f64> = right[..n].iter().map(|b| -b).collect();
                pattern.iter().zip(&values).for_each(|((i, j), a)| residual[i] += a * x[j]);
                prop_assert!(norm(&residual) <= bound * (4.0 * norm(&values) * norm(&x) + norm(&right[..n])));
            }

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
    fn singular_matrices_are_reported() {
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

    /// The first column shares rows with two others only and is eliminated before them; no other column depends on the
    /// entry that is not finite.
    #[test]
    fn an_entry_that_is_not_finite_is_reported_with_kept_pivots() {
        let others = (3..6).flat_map(|row| (1..6).map(move |column| (row, column)));
        let pattern = Arc::new(Pattern::new((6, 6), (0..3).map(|row| (row, 0)).chain([(1, 1), (2, 2)]).chain(others)));
        let value = |(i, j)| if i == j { 5.0 } else { 1.0 };
        let mut values: Vec<f64> = pattern.iter().map(value).collect();
        let mut lu = SparseLu::new(pattern);
        assert_eq!(lu.factorize(&values), Ok(()));
        for at in [1, 2] {
            let kept = std::mem::replace(&mut values[at], f64::NAN);
            assert_eq!(lu.factorize(&values), Err(Singular));
            values[at] = kept;
            assert_eq!(lu.factorize(&values), Ok(()));
        }
    }

    /// The first factorization subtracts column by column, the second one nested columns together.
    #[test]
    fn nested_columns_change_no_bit() {
        let n = 40_usize;
        let entries = (0..n * n).map(|at| (at % n, at / n)).filter(|&(i, j)| i.abs_diff(j) < 7);
        let pattern = Arc::new(Pattern::new((n, n), entries));
        let value = |(i, j)| ((7 * i + 11 * j) as f64).sin() + if i == j { 3.0 } else { 0.0 };
        let values: Vec<f64> = pattern.iter().map(value).collect();
        let mut lu = SparseLu::new(pattern);
        let [first, second] = [(); 2].map(|()| {
            lu.factorize(&values).unwrap();
            let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            (bits(&lu.lower.values), bits(&lu.upper.values))
        });
        assert!((1..=MOST as u8).all(|run| lu.runs.contains(&run)));
        assert_eq!(first, second);
    }

    /// A grid of bodies with two coordinates, with a multiplier for each two neighbours. The masses are small
    /// until the last factorization, in which they no longer allow pivots on the diagonal.
    #[test]
    fn pivots_on_the_diagonal_are_used_while_they_take_fewer_operations() {
        let side = 12_usize;
        let bodies = side * side;
        let pairs = (0..bodies).flat_map(|k| {
            let right = (k % side + 1 < side).then_some((k, k + 1));
            right.into_iter().chain((k + side < bodies).then_some((k, k + side)))
        });
        let joint =
            |(j, (a, b)): (usize, (usize, usize))| [2 * a, 2 * a + 1, 2 * b, 2 * b + 1].map(|k| (2 * bodies + j, k));
        let below: Vec<(usize, usize)> = pairs.enumerate().flat_map(joint).collect();
        let n = 1 + below.iter().map(|&(row, _)| row).max().unwrap();
        let above = below.iter().map(|&(i, j)| (j, i));
        let pattern =
            Arc::new(Pattern::new((n, n), (0..2 * bodies).map(|i| (i, i)).chain(above).chain(below.iter().copied())));
        let mut lu = SparseLu::new(pattern.clone());
        let usual = lu.columns.clone();
        for (mass, is_usual) in [(1e-3, false), (2e-3, false), (1e-9, true)] {
            let value = |(i, j): (usize, usize)| if i == j { mass } else { 1.0 + ((i + j) as f64).sin() / 4.0 };
            let values: Vec<f64> = pattern.iter().map(value).collect();
            lu.factorize(&values).unwrap();
            assert_eq!(lu.columns == usual, is_usual, "mass {mass}");
            let mut x = vec![1.0; n];
            lu.solve(&mut x);
            let mut residual = vec![-1.0; n];
            pattern.iter().zip(&values).for_each(|((i, j), a)| residual[i] += a * x[j]);
            let norm = |x: &[f64]| x.iter().fold(0.0f64, |most, x| most.max(x.abs()));
            assert!(norm(&residual) <= 1e-12 * (1.0 + norm(&x)), "mass {mass}: {:e}", norm(&residual));
        }
    }

    /// For a full matrix, the counts do not depend on the order of the columns.
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
