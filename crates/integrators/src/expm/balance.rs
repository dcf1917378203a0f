//! Balancing: a similarity by powers of two that gives rows and columns similar norms.

use nalgebra::DMatrix;

/// The largest number of passes over all rows; a few are enough in practice.
const PASSES: usize = 20;

/// Replaces `matrix` by `D⁻¹ A D` and writes the diagonal of `D`. For each `i`, the factor is the power of two that
/// brings the sums over row and column, without the diagonal, closest together, provided that it reduces their total
/// by at least a twentieth (B. N. Parlett, C. Reinsch, Numer. Math. 13 (1969) 293–304). A row or a column of zeros
/// stays as it is.
pub(super) fn balance(matrix: &mut DMatrix<f64>, diagonal: &mut [f64]) {
    diagonal.fill(1.0);
    let n = diagonal.len();
    for _ in 0..PASSES {
        let mut changed = false;
        for i in 0..n {
            let others = || (0..n).filter(|&j| j != i);
            let column: f64 = others().map(|j| matrix[(j, i)].abs()).sum();
            let row: f64 = others().map(|j| matrix[(i, j)].abs()).sum();
            let factor = (0.5 * (row / column).log2()).round().exp2();
            // Also false if the quotient is NaN.
            let is_better = factor > 0.0 && column * factor + row / factor < 0.95 * (column + row);
            if row == 0.0 || column == 0.0 || !is_better {
                continue;
            }
            changed = true;
            diagonal[i] *= factor;
            matrix.column_mut(i).iter_mut().for_each(|x| *x *= factor);
            matrix.row_mut(i).iter_mut().for_each(|x| *x /= factor);
        }
        if !changed {
            return;
        }
    }
}

/// Replaces `E` by `D E D⁻¹`.
pub(super) fn undo(exponential: &mut DMatrix<f64>, diagonal: &[f64]) {
    for (j, mut column) in exponential.column_iter_mut().enumerate() {
        for (entry, &factor) in column.iter_mut().zip(diagonal) {
            *entry *= factor / diagonal[j];
        }
    }
}
