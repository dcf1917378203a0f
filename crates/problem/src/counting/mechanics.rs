//! The mechanical system behind a problem, with the same counters.

use std::sync::Arc;

use nalgebra::DMatrix;

use crate::linalg::Matrix;
use crate::{Derivatives, Displaced, Mechanics, Scalar, Statistics, Structure, Terms};

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

    /// See [`Mechanics::velocities`].
    #[must_use]
    pub fn velocities(&self) -> usize {
        self.inner.velocities()
    }

    /// See [`Mechanics::holonomic`].
    #[must_use]
    pub fn holonomic(&self) -> usize {
        self.inner.holonomic()
    }

    /// See [`Mechanics::nonholonomic`].
    #[must_use]
    pub fn nonholonomic(&self) -> usize {
        self.inner.nonholonomic()
    }

    /// See [`Mechanics::retract`]. Not counted: it evaluates nothing of the equations.
    pub fn retract(&mut self, q: &[S], delta: &[S], moved: &mut [S]) {
        self.inner.retract(q, delta, moved);
    }

    /// See [`Mechanics::constraint_values`]. Part of a projection, which is counted.
    pub fn constraint_values(&mut self, t: S, q: &[S], v: &[S], values: &mut [S]) {
        self.inner.constraint_values(t, q, v, values);
    }

    /// See [`Mechanics::velocity_constraints`]. Part of a projection, which is counted.
    pub fn velocity_constraints(&mut self, t: S, q: &[S], v: &[S], values: &mut [S]) {
        self.inner.velocity_constraints(t, q, v, values);
    }

    /// See [`Mechanics::constraint_jacobian`]. Part of a projection, which is counted.
    pub fn constraint_jacobian(&mut self, t: S, q: &[S], v: &[S], jacobian: &mut DMatrix<S>) {
        self.inner.constraint_jacobian(t, q, v, jacobian);
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
        self.count_exact();
        self.inner.derivatives(t, q, v, derivatives);
    }

    /// See [`Mechanics::linearisation`]. Counts an evaluation of the right-hand side and one of a Jacobian.
    #[inline]
    pub fn linearisation(&mut self, t: S, q: &[S], v: &[S], terms: &mut Terms<S>, derivatives: &mut Derivatives<S>) {
        self.statistics.rhs_evaluations += u64::from(!self.paused);
        self.count_exact();
        self.inner.linearisation(t, q, v, terms, derivatives);
    }

    /// See [`Mechanics::forces`]. Counts an evaluation of the right-hand side, of which [`mass`](Self::mass) and
    /// [`constraint_jacobian`](Self::constraint_jacobian) at the same state are part.
    pub fn forces(&mut self, t: S, q: &[S], v: &[S], forces: &mut [S]) {
        self.statistics.rhs_evaluations += u64::from(!self.paused);
        self.inner.forces(t, q, v, forces);
    }

    /// See [`Mechanics::position_rate`]. Part of an evaluation that is counted elsewhere.
    pub fn position_rate(&mut self, q: &[S], v: &[S], q_rate: &mut [S]) {
        self.inner.position_rate(q, v, q_rate);
    }

    /// See [`Mechanics::mass`]. Part of an evaluation that is counted elsewhere.
    pub fn mass(&mut self, q: &[S], mass: &mut DMatrix<S>) {
        self.inner.mass(q, mass);
    }

    /// See [`Mechanics::mass_in`]. Part of an evaluation that is counted elsewhere.
    pub fn mass_in(&mut self, q: &[S], mass: &mut Matrix<S>) {
        self.inner.mass_in(q, mass);
    }

    /// See [`Mechanics::acceleration_bias`]. Part of an evaluation that is counted elsewhere.
    pub fn acceleration_bias(&mut self, t: S, q: &[S], v: &[S], bias: &mut [S]) {
        self.inner.acceleration_bias(t, q, v, bias);
    }

    /// See [`Mechanics::displaced_derivatives`]. Counts an evaluation of a Jacobian, with all columns: what displacements are
    /// has no structure.
    pub fn displaced_derivatives(
        &mut self,
        t: S,
        at: Displaced<'_, S>,
        by_displacement: &mut DMatrix<S>,
        by_velocity: &mut DMatrix<S>,
    ) {
        let columns = by_displacement.ncols() + by_velocity.ncols();
        self.statistics.count_exact_jacobian(columns, self.paused);
        self.inner.displaced_derivatives(t, at, by_displacement, by_velocity);
    }

    /// Counts an exact Jacobian, with the columns that the structure of the equations leaves apart.
    fn count_exact(&mut self) {
        let columns = self.inner.structure().jacobian_columns();
        self.statistics.count_exact_jacobian(columns, self.paused);
    }

    /// See [`Mechanics::structure`]. Not counted: no number comes from it.
    pub fn structure(&mut self) -> Arc<Structure> {
        self.inner.structure()
    }
}
