//! The event functions of a problem, with the problem's counters.

use super::Counting;
use crate::{EventFunctions, Failure, Scalar, pass_on};

/// [`EventFunctions`] with counters, returned by [`Counted::events`](crate::Counted::events). Evaluations of the
/// functions are counted; jumps are counted as events.
pub type CountedEvents<'c, S = f64> = Counting<'c, dyn EventFunctions<S> + 'c>;

impl<S: Scalar> CountedEvents<'_, S> {
    /// See [`EventFunctions::values`].
    pub fn values(&mut self, t: S, y: &[S], g: &mut [S]) -> Result<(), Failure> {
        self.statistics.switch_evaluations += u64::from(!self.paused);
        self.inner.values(t, y, g)
    }

    pass_on! { self.inner =>
        /// See [`EventFunctions::rates`].
        pub fn rates(&mut self, t: S, y: &[S], dydt: &[S], rates: &mut [S]) -> Result<(), Failure>;

        /// See [`EventFunctions::prepare`].
        pub fn prepare(&mut self, t: S, y: &[S], horizon: f64) -> Result<(), Failure>;

        /// See [`EventFunctions::lock`].
        pub fn lock(&mut self, configuration: Option<&[bool]>);
    }

    /// See [`EventFunctions::jump`].
    pub fn jump(&mut self, index: usize, t: S, y: &mut [S]) -> Result<(), Failure> {
        self.statistics.events += u64::from(!self.paused);
        self.inner.jump(index, t, y)
    }
}
