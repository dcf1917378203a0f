//! The second-order form of a problem, with the problem's counters.

use super::Counting;
use crate::{ContactPower, Scalar};

/// A [`ContactPower`] with counters, returned by [`Counted::contact_power`](crate::Counted::contact_power).
pub type CountedContactPower<'c, S = f64> = Counting<'c, dyn ContactPower<S> + 'c>;

impl<S: Scalar> CountedContactPower<'_, S> {
    /// See [`ContactPower::accelerations`]. Counts an evaluation of the right-hand side.
    #[inline]
    pub fn accelerations(&mut self, t: S, q: &[S], v: &[S], accelerations: &mut [S], powers: &mut [S]) {
        self.count_rhs();
        self.inner.accelerations(t, q, v, accelerations, powers);
    }

    /// See [`ContactPower::displace`]. Not counted: no force is evaluated.
    #[inline]
    pub fn displace(&mut self, q: &[S], delta: &[S], moved: &mut [S]) {
        self.inner.displace(q, delta, moved);
    }
}
