//! Blocks of Newton's matrix, and the system that it belongs to.

use mbsbench_problem::linalg::{Lu, Singular};
use nalgebra::DMatrix;

/// Newton's matrix, its factors, and the right-hand side that becomes the correction.
pub struct System {
    /// The matrix.
    pub matrix: DMatrix<f64>,
    factors: Lu<f64>,
    /// Right-hand side, then solution.
    pub x: Vec<f64>,
    /// Operations of linear algebra so far, also of what is eliminated from the system.
    pub flops: u64,
}

impl System {
    /// Memory for `size` unknowns, matrix zero.
    pub fn new(size: usize) -> Self {
        Self { matrix: DMatrix::zeros(size, size), factors: Lu::new(size), x: vec![0.0; size], flops: 0 }
    }

    /// Factorises the matrix.
    pub fn factorize(&mut self) -> Result<(), Singular> {
        let factorized = self.factors.factorize(&self.matrix);
        self.flops += self.factors.factorization_flops();
        factorized
    }

    /// Solves for the right-hand side in `x`.
    pub fn solve(&mut self) {
        self.factors.solve_by_columns(&mut self.x);
        self.flops += self.factors.solve_flops();
    }
}

/// The columns of a block of `matrix` with `rows` rows and its upper left corner at `(row, column)`.
fn columns_of(
    matrix: &mut DMatrix<f64>,
    (row, column): (usize, usize),
    rows: usize,
) -> impl Iterator<Item = &mut [f64]> {
    let stride = matrix.nrows();
    matrix.as_mut_slice()[column * stride..].chunks_mut(stride.max(1)).map(move |column| &mut column[row..row + rows])
}

/// The columns of a matrix. Unlike `column_iter` these are plain slices, and there are none where there are no rows.
fn columns(matrix: &DMatrix<f64>) -> impl Iterator<Item = &[f64]> {
    matrix.as_slice().chunks(matrix.nrows().max(1))
}

/// Writes `factor · block` with its upper left corner at `corner`.
pub fn put(matrix: &mut DMatrix<f64>, corner: (usize, usize), factor: f64, block: &DMatrix<f64>) {
    for (target, source) in columns_of(matrix, corner, block.nrows()).zip(columns(block)) {
        for (target, &entry) in target.iter_mut().zip(source) {
            *target = factor * entry;
        }
    }
}

/// Writes `factor · blockᵀ` with its upper left corner at `corner`.
pub fn put_transposed(matrix: &mut DMatrix<f64>, corner: (usize, usize), factor: f64, block: &DMatrix<f64>) {
    let rows = block.nrows();
    for (i, target) in columns_of(matrix, corner, block.ncols()).take(rows).enumerate() {
        for (target, &entry) in target.iter_mut().zip(block.as_slice()[i..].iter().step_by(rows)) {
            *target = factor * entry;
        }
    }
}

/// Writes the sum of `factor · term` into the upper left corner.
pub fn put_sum(matrix: &mut DMatrix<f64>, terms: [(f64, &DMatrix<f64>); 3]) {
    let [(f, a), (g, b), (h, c)] = terms;
    let sources = columns(a).zip(columns(b)).zip(columns(c));
    for (target, ((a, b), c)) in columns_of(matrix, (0, 0), a.nrows()).zip(sources) {
        for (target, ((&a, &b), &c)) in target.iter_mut().zip(a.iter().zip(b).zip(c)) {
            *target = f * a + g * b + h * c;
        }
    }
}

/// Writes `factor · Jᵀ` to the right of the first `n` rows, and `J` below the first `n` columns.
pub fn put_border(matrix: &mut DMatrix<f64>, n: usize, factor: f64, jacobian: &DMatrix<f64>) {
    let (m, stride) = (jacobian.nrows(), matrix.nrows());
    if m == 0 {
        return;
    }
    let (left, right) = matrix.as_mut_slice().split_at_mut(n * stride);
    for (j, (source, below)) in columns(jacobian).zip(left.chunks_mut(stride)).enumerate() {
        below[n..n + m].copy_from_slice(source);
        for (target, &entry) in right[j..].iter_mut().step_by(stride).zip(source) {
            *target = factor * entry;
        }
    }
}

/// Adds `factor · block` with its upper left corner at `corner`.
pub fn add(matrix: &mut DMatrix<f64>, corner: (usize, usize), factor: f64, block: &DMatrix<f64>) {
    if factor == 0.0 {
        return;
    }
    for (target, source) in columns_of(matrix, corner, block.nrows()).zip(columns(block)) {
        for (target, &entry) in target.iter_mut().zip(source) {
            *target += factor * entry;
        }
    }
}

/// Adds `factor · a b` with its upper left corner at `corner`.
pub fn add_product(matrix: &mut DMatrix<f64>, corner: (usize, usize), factor: f64, a: &DMatrix<f64>, b: &DMatrix<f64>) {
    for (target, source) in columns_of(matrix, corner, a.nrows()).zip(columns(b)) {
        for (&entry, column) in source.iter().zip(columns(a)) {
            if entry == 0.0 {
                continue; // most columns of Jacobians are sparse
            }
            let entry = factor * entry;
            for (target, &a) in target.iter_mut().zip(column) {
                *target += a * entry;
            }
        }
    }
}

/// Solves for every column of `columns`, in place. Columns of zeros, of which derivatives of constraints have many, cost
/// nothing. Says how many were others.
pub fn solve_columns(factors: &Lu<f64>, columns: &mut DMatrix<f64>) -> usize {
    let (rows, mut solved) = (columns.nrows().max(1), 0);
    for column in columns.as_mut_slice().chunks_mut(rows) {
        if column.iter().any(|&x| x != 0.0) {
            factors.solve_by_columns(column);
            solved += 1;
        }
    }
    solved
}

/// Largest magnitude; NaN where there is one.
pub fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest: f64, x| if x.abs() > largest || x.is_nan() { x.abs() } else { largest })
}

/// `x += change`.
pub fn increase(x: &mut [f64], change: &[f64]) {
    for (x, &change) in x.iter_mut().zip(change) {
        *x += change;
    }
}
