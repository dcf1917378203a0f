//! The mechanical system behind a problem, with the problem's counters.

use std::sync::Arc;

use nalgebra::DMatrix;

use super::Counting;
use crate::linalg::Matrix;
use crate::{Branches, Derivatives, Mechanics, Motion, Scalar, Structure, Terms, pass_on};

/// A [`Mechanics`] with counters, returned by [`Counted::mechanics`](crate::Counted::mechanics).
///
/// Forces and terms count as evaluations of the right-hand side, which include masses, constraints and position rates
/// at the same state. Derivatives count as evaluations of a Jacobian, with as many columns as remain when columns
/// without a common row are combined.
pub type CountedMechanics<'c, S = f64> = Counting<'c, dyn Mechanics<S> + 'c>;

impl<S: Scalar> CountedMechanics<'_, S> {
    fn count_jacobian(&mut self) {
        let columns = self.inner.structure().jacobian_columns;
        self.statistics.count_exact_jacobian(columns, self.paused);
    }

    pass_on! { self.inner =>
        /// See [`Mechanics::position_rate`].
        pub fn position_rate(&mut self, q: &[S], v: &[S], q_rate: &mut [S]);

        /// See [`Mechanics::retract`].
        pub fn retract(&mut self, q: &[S], delta: &[S], moved: &mut [S]);

        /// See [`Mechanics::mass`].
        pub fn mass(&mut self, q: &[S], mass: &mut DMatrix<S>);

        /// See [`Mechanics::mass_in`].
        pub fn mass_in(&mut self, q: &[S], mass: &mut Matrix<S>);

        /// See [`Mechanics::constraint_values`].
        pub fn constraint_values(&mut self, t: S, q: &[S], v: &[S], values: &mut [S]);

        /// See [`Mechanics::velocity_constraints`].
        pub fn velocity_constraints(&mut self, t: S, q: &[S], v: &[S], values: &mut [S]);

        /// See [`Mechanics::constraint_jacobian`].
        pub fn constraint_jacobian(&mut self, t: S, q: &[S], v: &[S], jacobian: &mut DMatrix<S>);

        /// See [`Mechanics::constraint_jacobian_in`].
        pub fn constraint_jacobian_in(&mut self, t: S, q: &[S], v: &[S], jacobian: &mut Matrix<S>);

        /// See [`Mechanics::acceleration_bias`].
        pub fn acceleration_bias(&mut self, t: S, q: &[S], v: &[S], bias: &mut [S]);

        /// See [`Mechanics::structure`].
        pub fn structure(&mut self) -> Arc<Structure>;
    }

    /// True if the equations are those of a [tree](Mechanics::recursion).
    pub fn is_tree(&mut self) -> bool {
        self.inner.recursion().is_some()
    }

    /// See [`Mechanics::forces`].
    pub fn forces(&mut self, t: S, q: &[S], v: &[S], forces: &mut [S]) {
        self.count_rhs();
        self.inner.forces(t, q, v, forces);
    }

    /// See [`Mechanics::terms`].
    #[inline]
    pub fn terms(&mut self, t: S, q: &[S], v: &[S], terms: &mut Terms<S>) {
        self.count_rhs();
        self.inner.terms(t, q, v, terms);
    }

    /// See [`Mechanics::derivatives`].
    #[inline]
    pub fn derivatives(&mut self, t: S, q: &[S], v: &[S], derivatives: &mut Derivatives<S>) {
        self.count_jacobian();
        self.inner.derivatives(t, q, v, derivatives);
    }

    /// See [`Mechanics::linearisation`].
    #[inline]
    pub fn linearisation(&mut self, t: S, q: &[S], v: &[S], terms: &mut Terms<S>, derivatives: &mut Derivatives<S>) {
        self.count_rhs();
        self.count_jacobian();
        self.inner.linearisation(t, q, v, terms, derivatives);
    }

    /// See [`Mechanics::displaced_derivatives`]. Counts all columns, for displacements and velocities.
    pub fn displaced_derivatives(&mut self, at: Motion<'_, S>, delta: &[S], by: [&mut Matrix<S>; 3]) {
        self.statistics.count_exact_jacobian(2 * at.v.len(), self.paused);
        self.inner.displaced_derivatives(at, delta, by);
    }

    /// See [`Mechanics::acceleration_constraint_derivatives`].
    pub fn acceleration_constraint_derivatives(&mut self, at: Motion<'_, S>, by_position: &mut Matrix<S>) {
        self.count_jacobian();
        self.inner.acceleration_constraint_derivatives(at, by_position);
    }

    /// See [`Mechanics::time_derivatives`].
    pub fn time_derivatives(&mut self, at: Motion<'_, S>, forces: &mut [S], constraints: &mut [S]) {
        self.statistics.jacobian_columns += u64::from(!self.paused);
        self.inner.time_derivatives(at, forces, constraints);
    }
}

impl CountedMechanics<'_> {
    /// Memory for the joints of a [tree](Mechanics::recursion).
    pub fn branches(&mut self) -> Option<Branches> {
        self.inner.recursion().map(|recursion| recursion.branches())
    }

    /// See [`Recursion::write`](crate::Recursion::write). Counts an evaluation of the right-hand side, and one of a
    /// Jacobian if the method `forms` its matrix. Does nothing if there is no tree.
    pub fn write_branches(&mut self, t: f64, [q, v]: [&[f64]; 2], is_given: bool, forms: bool, tree: &mut Branches) {
        let Some(recursion) = self.inner.recursion() else { return };
        recursion.write(t, q, v, is_given, tree);
        self.count_rhs();
        self.statistics.count_exact_jacobian(2 * v.len(), self.paused || !forms);
    }
}
