//! The second-order form of a problem, with the problem's counters.

use std::ops::Deref;

use super::Counting;
use crate::{ContactPower, Failure, Scalar};

/// A [`ContactPower`] with counters, returned by [`Counted::contact_power`](crate::Counted::contact_power).
pub type CountedContactPower<'c, S = f64> = Counting<'c, dyn ContactPower<S> + 'c>;

/// Gives read access to the equations themselves, for everything that takes no evaluation.
impl<'c, S: Scalar> Deref for CountedContactPower<'c, S> {
    type Target = dyn ContactPower<S> + 'c;

    fn deref(&self) -> &Self::Target {
        self.inner
    }
}

impl<S: Scalar> CountedContactPower<'_, S> {
    /// See [`ContactPower::accelerations`]. Counts an evaluation of the right-hand side.
    #[inline]
    pub fn accelerations(
        &mut self,
        t: S,
        q: &[S],
        v: &[S],
        accelerations: &mut [S],
        powers: &mut [S],
    ) -> Result<(), Failure> {
        self.count_rhs();
        self.inner.accelerations(t, q, v, accelerations, powers)
    }

    /// See [`ContactPower::displace`]. Not counted: no force is evaluated.
    #[inline]
    pub fn displace(&mut self, q: &[S], delta: &[S], moved: &mut [S]) {
        self.inner.displace(q, delta, moved);
    }
}
