//! The mechanical system behind a problem, with the same counters.

use nalgebra::DMatrix;

use crate::{Derivatives, Mechanics, Scalar, Statistics, Structure, Terms};

/// A [`Mechanics`] with counters: what [`Counted::mechanics`](crate::Counted::mechanics) hands out.
pub struct CountedMechanics<'c, S: Scalar = f64> {
    pub(super) inner: &'c mut dyn Mechanics<S>,
    pub(super) statistics: &'c mut Statistics,
    pub(super) paused: bool,
}

impl<S: Scalar> CountedMechanics<'_, S> {
    /// See [`Mechanics::coordinates`].
    #[must_use]
    pub fn coordinates(&self) -> usize {
        self.inner.coordinates()
    }

    /// See [`Mechanics::holonomic`].
    #[must_use]
    pub fn holonomic(&self) -> usize {
        self.inner.holonomic()
    }

    /// See [`Mechanics::terms`]. Counts an evaluation of the right-hand side.
    #[inline]
    pub fn terms(&mut self, t: S, q: &[S], v: &[S], terms: &mut Terms<S>) {
        self.statistics.rhs_evaluations += u64::from(!self.paused);
        self.inner.terms(t, q, v, terms);
    }

    /// See [`Mechanics::derivatives`]. Counts an evaluation of a Jacobian.
    #[inline]
    pub fn derivatives(&mut self, t: S, q: &[S], v: &[S], derivatives: &mut Derivatives<S>) {
        self.statistics.jacobian_evaluations += u64::from(!self.paused);
        self.inner.derivatives(t, q, v, derivatives);
    }

    /// See [`Mechanics::linearisation`]. Counts an evaluation of the right-hand side and one of a Jacobian.
    #[inline]
    pub fn linearisation(&mut self, t: S, q: &[S], v: &[S], terms: &mut Terms<S>, derivatives: &mut Derivatives<S>) {
        self.statistics.rhs_evaluations += u64::from(!self.paused);
        self.statistics.jacobian_evaluations += u64::from(!self.paused);
        self.inner.linearisation(t, q, v, terms, derivatives);
    }

    /// See [`Mechanics::mass`]. Part of an evaluation that is counted elsewhere.
    pub fn mass(&mut self, q: &[S], mass: &mut DMatrix<S>) {
        self.inner.mass(q, mass);
    }

    /// See [`Mechanics::acceleration_bias`]. Part of an evaluation that is counted elsewhere.
    pub fn acceleration_bias(&mut self, t: S, q: &[S], v: &[S], bias: &mut [S]) {
        self.inner.acceleration_bias(t, q, v, bias);
    }

    /// See [`Mechanics::structure`]. Not counted: no number comes from it.
    pub fn structure(&mut self, t: S, q: &[S]) -> &Structure {
        self.inner.structure(t, q)
    }
}
