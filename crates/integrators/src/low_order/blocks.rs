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
}

impl System {
    /// Memory for `size` unknowns, matrix zero.
    pub fn new(size: usize) -> Self {
        Self { matrix: DMatrix::zeros(size, size), factors: Lu::new(size), x: vec![0.0; size] }
    }

    /// Factorises the matrix.
    pub fn factorize(&mut self) -> Result<(), Singular> {
        self.factors.factorize(&self.matrix)
    }

    /// Solves for the right-hand side in `x`.
    pub fn solve(&mut self) {
        self.factors.solve_by_columns(&mut self.x);
    }
}

/// Writes `factor · block` with its upper left corner at `(row, column)`.
pub fn put(matrix: &mut DMatrix<f64>, (row, column): (usize, usize), factor: f64, block: &DMatrix<f64>) {
    for j in 0..block.ncols() {
        let target = &mut matrix.column_mut(column + j);
        for (target, &entry) in target.as_mut_slice()[row..].iter_mut().zip(block.column(j).as_slice()) {
            *target = factor * entry;
        }
    }
}

/// Writes `factor · blockᵀ` with its upper left corner at `(row, column)`.
pub fn put_transposed(matrix: &mut DMatrix<f64>, (row, column): (usize, usize), factor: f64, block: &DMatrix<f64>) {
    for i in 0..block.nrows() {
        for j in 0..block.ncols() {
            matrix[(row + j, column + i)] = factor * block[(i, j)];
        }
    }
}

/// Adds `factor · block` with its upper left corner at `(row, column)`.
pub fn add(matrix: &mut DMatrix<f64>, (row, column): (usize, usize), factor: f64, block: &DMatrix<f64>) {
    if factor == 0.0 {
        return;
    }
    for j in 0..block.ncols() {
        let target = &mut matrix.column_mut(column + j);
        for (target, &entry) in target.as_mut_slice()[row..].iter_mut().zip(block.column(j).as_slice()) {
            *target += factor * entry;
        }
    }
}

/// Adds `factor · a b` with its upper left corner at `(row, column)`.
pub fn add_product(
    matrix: &mut DMatrix<f64>,
    (row, column): (usize, usize),
    factor: f64,
    a: &DMatrix<f64>,
    b: &DMatrix<f64>,
) {
    for j in 0..b.ncols() {
        let target = &mut matrix.column_mut(column + j);
        let target = &mut target.as_mut_slice()[row..row + a.nrows()];
        for (k, &entry) in b.column(j).as_slice().iter().enumerate() {
            let entry = factor * entry;
            if entry == 0.0 {
                continue; // most columns of Jacobians are sparse
            }
            for (target, &a) in target.iter_mut().zip(a.column(k).as_slice()) {
                *target += a * entry;
            }
        }
    }
}

/// Solves for every column of `columns`, in place. Columns of zeros, of which derivatives of constraints have many, cost
/// nothing.
pub fn solve_columns(factors: &Lu<f64>, columns: &mut DMatrix<f64>) {
    let rows = columns.nrows().max(1);
    for column in columns.as_mut_slice().chunks_exact_mut(rows) {
        if column.iter().any(|&x| x != 0.0) {
            factors.solve_by_columns(column);
        }
    }
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
