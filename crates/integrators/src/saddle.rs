//! Factors of the matrices of accelerations and multipliers, in the steps of [`lie`](crate::lie), [`rattle`](crate::rattle) and
//! [`half_explicit`](crate::half_explicit) methods.

use mbsbench_problem::linalg::System;
use mbsbench_problem::{Counted, Failure, Run, Scalar};

/// What these matrices are called where one is singular.
pub(crate) const SADDLE: &str = "[M -J'; J 0]";

/// Factorizes such a matrix at the start of a step, and counts it.
pub(crate) fn factorize(system: &mut System, run: &mut Run<'_, Counted<'_>>) -> Result<(), Failure> {
    run.own.factorizations += 1;
    factors(system, run.t, SADDLE)
}

/// Factorizes a matrix, called `matrix`, at `time` (s).
///
/// # Errors
/// [`Failure::SingularMatrix`], or [`Failure::NonFinite`] where its entries are not all finite.
pub(crate) fn factors<S: Scalar>(system: &mut System<S>, time: f64, matrix: &'static str) -> Result<(), Failure> {
    system.factorize().map_err(|_| {
        let is_finite = system.matrix.iter().all(|entry| entry.is_finite());
        if is_finite { Failure::SingularMatrix { time, matrix } } else { Failure::NonFinite { time } }
    })
}
