//! The event functions of a problem, with the problem's counters.

use super::Counting;
use crate::{EventFunctions, EventKind, Failure, Scalar};

/// [`EventFunctions`] with counters, returned by [`Counted::events`](crate::Counted::events). Evaluations of the
/// functions are counted; jumps are counted as events.
pub type CountedEvents<'c, S = f64> = Counting<'c, dyn EventFunctions<S> + 'c>;

impl<S: Scalar> EventFunctions<S> for CountedEvents<'_, S> {
    fn count(&self) -> usize {
        self.inner.count()
    }

    fn values(&mut self, t: S, y: &[S], g: &mut [S]) -> Result<(), Failure> {
        self.statistics.switch_evaluations += u64::from(!self.paused);
        self.inner.values(t, y, g)
    }

    fn rates(&mut self, t: S, y: &[S], dydt: &[S], rates: &mut [S]) -> Result<(), Failure> {
        self.inner.rates(t, y, dydt, rates)
    }

    fn jump(&mut self, index: usize, t: S, y: &mut [S]) -> Result<(), Failure> {
        self.statistics.events += u64::from(!self.paused);
        self.inner.jump(index, t, y)
    }

    fn follows_signs(&self) -> bool {
        self.inner.follows_signs()
    }

    fn kind(&self, index: usize) -> EventKind {
        self.inner.kind(index)
    }

    fn prepare(&mut self, t: S, y: &[S], horizon: f64) -> Result<(), Failure> {
        self.inner.prepare(t, y, horizon)
    }

    fn lock(&mut self, configuration: Option<&[bool]>) {
        self.inner.lock(configuration);
    }

    fn is_watched(&self, index: usize) -> bool {
        self.inner.is_watched(index)
    }

    fn tolerance(&self, step: f64, order: u32) -> f64 {
        self.inner.tolerance(step, order)
    }
}
