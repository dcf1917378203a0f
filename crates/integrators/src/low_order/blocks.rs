//! Blocks of Newton's matrix.

use mbsbench_problem::linalg::Lu;
use nalgebra::DMatrix;

/// The columns of a block of `matrix` with `rows` rows and its upper-left corner at `(row, column)`.
fn columns_of(
    matrix: &mut DMatrix<f64>,
    (row, column): (usize, usize),
    rows: usize,
) -> impl Iterator<Item = &mut [f64]> {
    let stride = matrix.nrows();
    matrix.as_mut_slice()[column * stride..].chunks_mut(stride.max(1)).map(move |column| &mut column[row..row + rows])
}

/// The columns of a matrix. Unlike `column_iter`, they are plain slices, and a matrix without rows has none.
fn columns(matrix: &DMatrix<f64>) -> impl Iterator<Item = &[f64]> {
    matrix.as_slice().chunks(matrix.nrows().max(1))
}

/// Writes `factor · block` with its upper-left corner at `corner`.
pub fn put(matrix: &mut DMatrix<f64>, corner: (usize, usize), factor: f64, block: &DMatrix<f64>) {
    for (target, source) in columns_of(matrix, corner, block.nrows()).zip(columns(block)) {
        for (target, &entry) in target.iter_mut().zip(source) {
            *target = factor * entry;
        }
    }
}

/// Writes `factor · blockᵀ` with its upper-left corner at `corner`.
pub fn put_transposed(matrix: &mut DMatrix<f64>, corner: (usize, usize), factor: f64, block: &DMatrix<f64>) {
    let rows = block.nrows();
    for (i, target) in columns_of(matrix, corner, block.ncols()).take(rows).enumerate() {
        for (target, &entry) in target.iter_mut().zip(block.as_slice()[i..].iter().step_by(rows)) {
            *target = factor * entry;
        }
    }
}

/// Adds `factor · block` with its upper-left corner at `corner`.
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

/// Adds `factor · a b` with its upper-left corner at `corner`.
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

/// Solves for every column of `columns`, in place. Zero columns, which are frequent in derivatives of constraints, cost
/// nothing. Returns the number of non-zero columns.
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

/// Splits a vector into parts of these lengths.
pub fn parts<const N: usize>(x: &mut [f64], lengths: [usize; N]) -> [&mut [f64]; N] {
    let mut rest = x;
    lengths.map(|length| rest.split_off_mut(..length).expect("as long as its parts"))
}

/// `x += change`.
pub fn increase(x: &mut [f64], change: &[f64]) {
    for (x, &change) in x.iter_mut().zip(change) {
        *x += change;
    }
}
