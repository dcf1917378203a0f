//! Factorization of saddle-point matrices for accelerations and multipliers, in the steps of [`lie`](crate::lie),
//! [`rattle`](crate::rattle) and [`half_explicit`](crate::half_explicit) methods.

use mbsbench_problem::linalg::System;
use mbsbench_problem::{Counted, Failure, Run, Scalar};
use nalgebra::DMatrix;

/// Name of these matrices in failures.
pub(crate) const SADDLE: &str = "[M -J'; J 0]";

/// Writes a saddle-point matrix with the Jacobian `reactions` in its last columns and `rows` in its last rows.
pub(crate) fn put<S: Scalar>(matrix: &mut DMatrix<S>, mass: &DMatrix<S>, reactions: &DMatrix<S>, rows: &DMatrix<S>) {
    let (m, n) = rows.shape();
    matrix.view_mut((0, 0), (n, n)).copy_from(mass);
    matrix.view_mut((n, 0), (m, n)).copy_from(rows);
    put_reactions(matrix, reactions);
}

/// Writes the last columns of a saddle-point matrix.
pub(crate) fn put_reactions<S: Scalar>(matrix: &mut DMatrix<S>, jacobian: &DMatrix<S>) {
    let (m, n) = jacobian.shape();
    matrix.view_mut((n, n), (m, m)).fill(S::zero());
    for c in 0..m {
        for j in 0..n {
            matrix[(j, n + c)] = -jacobian[(c, j)];
        }
    }
}

/// Factorizes a saddle-point matrix at the start of a step and counts the factorization.
pub(crate) fn factorize(system: &mut System, run: &mut Run<'_, Counted<'_>>) -> Result<(), Failure> {
    run.own.factorizations += 1;
    factors(system, run.t, SADDLE)
}

/// Factorizes the matrix named `matrix` at `time` (s).
///
/// # Errors
/// Returns [`Failure::SingularMatrix`], or [`Failure::NonFinite`] if the entries are not all finite.
pub(crate) fn factors<S: Scalar>(system: &mut System<S>, time: f64, matrix: &'static str) -> Result<(), Failure> {
    system.factorize().map_err(|_| {
        let is_finite = system.matrix.iter().all(|entry| entry.is_finite());
        if is_finite { Failure::SingularMatrix { time, matrix } } else { Failure::NonFinite { time } }
    })
}
