//! Saddle-point matrices for accelerations and multipliers, in the steps of [`lie`](crate::lie),
//! [`rattle`](crate::rattle) and [`half_explicit`](crate::half_explicit) methods and in projections.

use std::sync::Arc;

use mbsbench_problem::linalg::{Matrix, Pattern, Saddle};
use mbsbench_problem::{Counted, CountedMechanics, Dimensions, Failure, Run, Scalar};

/// Name of these matrices in failures.
pub(crate) const SADDLE: &str = "[M -J'; J 0]";

/// The kind of memory for the matrices of a mechanical system.
pub(crate) struct Memory {
    /// Patterns of the mass matrix and the Jacobian of the constraints, of which only the shapes count if all entries
    /// are stored.
    dynamics: Arc<Pattern>,
    jacobian: Arc<Pattern>,
    /// True if only entries of the patterns are stored.
    pub(crate) is_sparse: bool,
}

impl Memory {
    /// The kind that is faster for a mechanical system, or the one that was asked for.
    pub(crate) fn of<S: Scalar>(mechanics: &mut CountedMechanics<'_, S>) -> Self {
        let Dimensions { velocities, nonholonomic, .. } = mechanics.dimensions();
        if nonholonomic == 0 && mechanics.has_structure() {
            let structure = mechanics.structure();
            if structure.is_sparse_in::<S>() {
                let (dynamics, jacobian) = (structure.dynamics.clone(), structure.jacobian.clone());
                return Self { dynamics, jacobian, is_sparse: true };
            }
        }
        let shape = |rows| Arc::new(Pattern::new((rows, velocities), []));
        let constraints = mechanics.dimensions().constraints();
        Self { dynamics: shape(velocities), jacobian: shape(constraints), is_sparse: false }
    }

    /// Memory for no matrices.
    pub(crate) fn none() -> Self {
        Self { dynamics: Arc::default(), jacobian: Arc::default(), is_sparse: false }
    }

    /// A mass matrix.
    pub(crate) fn mass<S: Scalar>(&self) -> Matrix<S> {
        Matrix::new(&self.dynamics, self.is_sparse)
    }

    /// A Jacobian of the constraints.
    pub(crate) fn jacobian<S: Scalar>(&self) -> Matrix<S> {
        Matrix::new(&self.jacobian, self.is_sparse)
    }

    /// A mass matrix with its factors.
    pub(crate) fn mass_factors<S: Scalar>(&self) -> Saddle<S> {
        Saddle::new(&self.dynamics, &Pattern::new((0, self.dynamics.rows()), []), self.is_sparse)
    }

    /// A saddle-point matrix with its factors.
    pub(crate) fn saddle<S: Scalar>(&self) -> Saddle<S> {
        Saddle::new(&self.dynamics, &self.jacobian, self.is_sparse)
    }
}

/// The blocks of a saddle-point matrix with a mass matrix only.
pub(crate) fn only<S: Scalar>(mass: &Matrix<S>) -> [(S, &Matrix<S>); 3] {
    [(S::from(1.0), mass), (S::zero(), mass), (S::zero(), mass)]
}

/// Factorizes a saddle-point matrix at the start of a step and counts the factorization.
pub(crate) fn factorize(saddle: &mut Saddle, run: &mut Run<'_, Counted<'_>>) -> Result<(), Failure> {
    run.own.factorizations += 1;
    factors(saddle, run.t)
}

/// Factorizes a saddle-point matrix at `time` (s).
///
/// # Errors
/// Returns [`Failure::SingularMatrix`], or [`Failure::NonFinite`] if the entries are not all finite.
pub(crate) fn factors<S: Scalar>(saddle: &mut Saddle<S>, time: f64) -> Result<(), Failure> {
    saddle.factorize().map_err(|_| {
        if saddle.is_finite() { Failure::SingularMatrix { time, matrix: SADDLE } } else { Failure::NonFinite { time } }
    })
}
