//! The implicit form of a problem, with the problem's counters.

use nalgebra::DMatrix;

use super::Counting;
use crate::dae::{Dae, FirstOrder, Index3, Point};
use crate::linalg::Singular;
use crate::{Counted, Counts, Failure, Form, Scalar, Statistics, Unsuitable};

/// A [`Dae`] with counters, passed on by [`Counted::with_dae`].
pub type CountedDae<'c, S = f64> = Counting<'c, dyn Dae<S> + 'c>;

impl<S: Scalar> Counted<'_, S> {
    /// Calls `work` with the problem in implicit form: its own, the index-3 form of its mechanics, or `y' − f = 0`.
    ///
    /// # Errors
    /// Fails with [`Unsuitable`] if the problem has no implicit form; see [`dae::suits`](crate::dae::suits).
    pub fn with_dae<T>(&mut self, work: impl FnOnce(&mut CountedDae<'_, S>) -> T) -> Result<T, Unsuitable> {
        crate::dae::suits(self.inner)?;
        let has_index3 = self.has_index3();
        let (statistics, paused) = (&mut self.statistics, self.paused);
        let count = |inner: &mut dyn Dae<S>| work(&mut Counting { inner, statistics, paused });
        if let Form::Implicit(dae) = self.inner.form() {
            return Ok(count(dae));
        }
        if let (true, Some(mechanics)) = (has_index3, self.inner.form().index3()) {
            return Ok(count(&mut Index3::new(mechanics)));
        }
        Ok(count(&mut FirstOrder::new(self.inner)))
    }
}

impl<S: Scalar> Counts for CountedDae<'_, S> {
    #[inline]
    fn statistics(&self) -> Statistics {
        *self.statistics
    }
}

impl<S: Scalar> CountedDae<'_, S> {
    /// See [`Dae::follow`].
    pub fn follow(&mut self, d: &[S], c: S, y: &mut [S]) {
        self.inner.follow(d, c, y);
    }

    /// See [`Dae::residual`]. Counts an evaluation of the right-hand side.
    pub fn residual(&mut self, at: Point<'_, S>, c: S, residual: &mut [S]) -> Result<(), Failure> {
        self.count_rhs();
        self.inner.residual(at, c, residual)
    }

    /// Forms and factorizes Newton's matrix at a point. Counts a Jacobian and a factorization.
    ///
    /// # Errors
    /// Fails with [`Singular`] if the matrix is singular.
    pub fn factorize(&mut self, at: Point<'_, S>, c: S) -> Result<(), Singular> {
        self.statistics.count_exact_jacobian(self.inner.jacobian_columns(), self.paused);
        self.statistics.factorizations += u64::from(!self.paused);
        self.inner.factorize(at, c)
    }

    /// Replaces a residual by Newton's correction, to be subtracted from `(y' ; λ)`, with the present factors. Counts
    /// a solve and an iteration.
    pub fn correct(&mut self, residual: &mut [S]) {
        let counted = u64::from(!self.paused);
        self.statistics.linear_solves += counted;
        self.statistics.newton_iterations += counted;
        self.inner.solve(residual);
    }

    /// See [`Dae::jacobian`]. Not counted, since it serves observers.
    pub fn jacobian(&mut self, at: Point<'_, S>, c: S, matrix: &mut DMatrix<S>) {
        self.inner.jacobian(at, c, matrix);
    }

    /// See [`Dae::consistent`]. Counts an evaluation of the right-hand side; the problem's own solves for it are not
    /// counted, as in a right-hand side.
    pub fn consistent(&mut self, t: S, chart: &[S], y: &[S], rates: &mut [S]) -> Result<(), Failure> {
        self.count_rhs();
        self.inner.consistent(t, chart, y, rates)
    }
}
