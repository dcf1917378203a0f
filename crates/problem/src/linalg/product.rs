//! Products of matrices.

use nalgebra::DMatrix;

/// `c = a b`. Each entry is summed in the order of the columns of `a`, so that it is the same on every processor.
///
/// # Panics
/// If the shapes do not match.
pub fn product(a: &DMatrix<f64>, b: &DMatrix<f64>, c: &mut DMatrix<f64>) {
    assert_eq!((a.ncols(), c.shape()), (b.nrows(), (a.nrows(), b.ncols())), "shapes fit");
    c.fill(0.0);
    let rows = a.nrows();
    if rows == 0 || b.nrows() == 0 {
        return;
    }
    for (sums, factors) in c.as_mut_slice().chunks_mut(rows).zip(b.as_slice().chunks(b.nrows())) {
        add_columns(sums, a.as_slice(), factors);
    }
}

/// Adds the columns of a matrix, each multiplied by its factor, in order, but four in each pass, so that sums are
/// read and written once for all four.
fn add_columns(sums: &mut [f64], columns: &[f64], factors: &[f64]) {
    let rows = sums.len();
    let (fours, rest) = factors.as_chunks::<4>();
    let (columns, others) = columns.split_at(4 * fours.len() * rows);
    for (columns, &[x, y, z, w]) in columns.chunks(4 * rows).zip(fours) {
        let column = |k: usize| &columns[k * rows..][..rows];
        let (a, b, c, d) = (column(0), column(1), column(2), column(3));
        for (i, sum) in sums.iter_mut().enumerate() {
            *sum = (((*sum + a[i] * x) + b[i] * y) + c[i] * z) + d[i] * w;
        }
    }
    for (column, &x) in others.chunks(rows).zip(rest) {
        sums.iter_mut().zip(column).for_each(|(sum, &entry)| *sum += entry * x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_sums_in_the_order_of_the_columns() {
        for (rows, inner, columns) in [(1, 1, 1), (3, 4, 2), (5, 7, 6), (17, 16, 9), (4, 0, 3)] {
            let a = DMatrix::from_fn(rows, inner, |i, j| ((3 * i + 7 * j + 1) as f64).sin());
            let b = DMatrix::from_fn(inner, columns, |i, j| ((5 * i + 2 * j + 3) as f64).cos());
            let mut c = DMatrix::from_element(rows, columns, f64::NAN);
            product(&a, &b, &mut c);
            let entry = |i, j| (0..inner).fold(0.0, |sum, k| sum + a[(i, k)] * b[(k, j)]);
            assert_eq!(c, DMatrix::from_fn(rows, columns, entry));
        }
    }
}
