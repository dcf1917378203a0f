//! The wrapper through which methods see a problem, and which counts their requests.

mod contact_power;
mod dae;
mod events;
mod mechanics;

use std::ops::Deref;

use nalgebra::DMatrix;

use crate::{Failure, Form, Matrices, Method, Ode, Scalar, Statistics, Tangent, Unsuitable, pass_on};

pub use contact_power::CountedContactPower;
pub use dae::CountedDae;
pub use events::CountedEvents;
pub use mechanics::CountedMechanics;

/// A problem that counts the requests of a method.
pub trait Counts {
    /// The counters so far.
    fn statistics(&self) -> Statistics;
}

impl<C: Counts> Counts for &mut C {
    #[inline]
    fn statistics(&self) -> Statistics {
        C::statistics(self)
    }
}

impl<S: Scalar> Counts for Counted<'_, S> {
    #[inline]
    fn statistics(&self) -> Statistics {
        self.statistics
    }
}

/// A part of a problem that uses the problem's counters.
pub struct Counting<'c, T: ?Sized> {
    inner: &'c mut T,
    statistics: &'c mut Statistics,
    paused: bool,
}

/// Gives read access to the part itself, for everything that takes no evaluation.
impl<T: ?Sized> Deref for Counting<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.inner
    }
}

impl<T: ?Sized> Counting<'_, T> {
    #[inline(always)]
    fn count_rhs(&mut self) {
        self.statistics.rhs_evaluations += u64::from(!self.paused);
    }
}

/// An [`Ode`] with counters.
///
/// Methods receive problems only in this form. Work for an observer (a state inside a step) is not part of a method's
/// cost and is done inside [`uncounted`](Self::uncounted). By dereferencing, everything that takes no evaluation can
/// be asked of the problem itself.
pub struct Counted<'p, S: Scalar = f64> {
    inner: &'p mut dyn Ode<S>,
    locks: bool,
    statistics: Statistics,
    paused: bool,
}

impl<'p, S: Scalar> Deref for Counted<'p, S> {
    type Target = dyn Ode<S> + 'p;

    fn deref(&self) -> &Self::Target {
        self.inner
    }
}

/// Evaluations in progress; see [`Counted::evaluations`].
pub struct Evaluations<'c, S: Scalar = f64> {
    inner: &'c mut dyn Ode<S>,
    counter: &'c mut u64,
    made: u64,
    paused: bool,
}

impl<S: Scalar> Evaluations<'_, S> {
    /// See [`Ode::rhs`].
    #[inline(always)]
    pub fn rhs(&mut self, t: S, y: &[S], dydt: &mut [S]) -> Result<(), Failure> {
        self.made += 1;
        self.inner.rhs(t, y, dydt)
    }
}

impl<S: Scalar> Drop for Evaluations<'_, S> {
    #[inline(always)]
    fn drop(&mut self) {
        *self.counter += if self.paused { 0 } else { self.made };
    }
}

impl<'p, S: Scalar> Counted<'p, S> {
    /// Wraps a problem with all counters at zero.
    pub fn new(inner: &'p mut dyn Ode<S>) -> Self {
        let locks = inner.properties().locks;
        Self { inner, locks, statistics: Statistics::default(), paused: false }
    }

    /// See [`Ode::rhs`].
    #[inline]
    pub fn rhs(&mut self, t: S, y: &[S], dydt: &mut [S]) -> Result<(), Failure> {
        self.statistics.rhs_evaluations += u64::from(!self.paused);
        self.inner.rhs(t, y, dydt)
    }

    /// Returns an evaluator of the right-hand side that adds its number of calls to the counter when it is dropped.
    /// It serves methods with such short steps that the counter itself would be noticeable.
    #[inline(always)]
    pub fn evaluations(&mut self) -> Evaluations<'_, S> {
        let Self { inner, statistics, paused, .. } = self;
        Evaluations { inner: &mut **inner, counter: &mut statistics.rhs_evaluations, made: 0, paused: *paused }
    }

    /// See [`Ode::rhs`]. For a column of a Jacobian by differences, which is counted separately.
    pub fn rhs_for_jacobian(&mut self, t: S, y: &[S], dydt: &mut [S]) -> Result<(), Failure> {
        self.statistics.jacobian_rhs_evaluations += u64::from(!self.paused);
        self.inner.rhs(t, y, dydt)
    }

    /// See [`Ode::jacobian`]. Evaluations of the right-hand side by the problem itself are part of it.
    pub fn jacobian(&mut self, t: S, y: &[S], jacobian: &mut DMatrix<S>) -> Result<(), Failure> {
        self.count_exact(y);
        self.inner.jacobian(t, y, jacobian)
    }

    pass_on! { self.inner =>
        /// See [`Ode::tangent`].
        pub fn tangent(&mut self) -> Option<Tangent<S>>;

        /// See [`Ode::step_limit`]. Its evaluations are not counted, because they are not the method's.
        #[inline]
        pub fn step_limit(&mut self, t: S, y: &[S]) -> f64;

        /// See [`Ode::cause`].
        pub fn cause(&mut self, reported: Option<Failure>) -> Option<Failure>;

        /// See [`Ode::keep_matrices`].
        pub fn keep_matrices(&mut self, matrices: Matrices) -> bool;
    }

    /// See [`Ode::linearise`]. Counts an evaluation of a Jacobian.
    pub fn linearise(&mut self, t: S, y: &[S], tangent: &mut Tangent<S>) -> Result<(), Failure> {
        self.count_exact(y);
        self.inner.linearise(t, y, tangent)
    }

    /// See [`Ode::rhs_and_jacobian`]. Counts an evaluation of each.
    pub fn rhs_and_jacobian(
        &mut self,
        t: S,
        y: &[S],
        dydt: &mut [S],
        jacobian: &mut DMatrix<S>,
    ) -> Result<(), Failure> {
        self.statistics.rhs_evaluations += u64::from(!self.paused);
        self.count_exact(y);
        self.inner.rhs_and_jacobian(t, y, dydt, jacobian)
    }

    /// See [`Ode::time_derivative`]. Counted as a further column of the Jacobian.
    pub fn time_derivative(&mut self, t: S, y: &[S], rate: &mut [S]) -> Result<(), Failure> {
        self.statistics.jacobian_columns += u64::from(!self.paused);
        self.inner.time_derivative(t, y, rate)
    }

    /// See [`Ode::begin_step`]. Does nothing if the problem does not lock.
    #[inline]
    pub fn begin_step(&mut self, t: S, y: &[S]) -> Result<(), Failure> {
        if self.locks { self.inner.begin_step(t, y) } else { Ok(()) }
    }

    /// See [`Ode::project`].
    pub fn project(&mut self, t: S, y: &mut [S]) -> Result<(), Failure> {
        self.statistics.projections += u64::from(!self.paused);
        self.inner.project(t, y)
    }

    #[inline]
    fn counting<'c, T: ?Sized>(
        &'c mut self,
        part: impl FnOnce(Form<'c, S>) -> Result<&'c mut T, Unsuitable>,
    ) -> Result<Counting<'c, T>, Unsuitable> {
        Ok(Counting { inner: part(self.inner.form())?, statistics: &mut self.statistics, paused: self.paused })
    }

    /// Returns the mechanical system behind the equations.
    #[inline]
    pub fn mechanics(&mut self) -> Result<CountedMechanics<'_, S>, Unsuitable> {
        self.counting(Form::mechanics)
    }

    /// True if methods should use the index-3 form; see [`Form::index3`](crate::Form::index3). Without constraints, the
    /// derivatives of the joints of a [tree](Tangent::Tree) replace it.
    pub fn has_index3(&mut self) -> bool {
        let constraints = self.inner.form().index3().map(|mechanics| mechanics.dimensions().constraints());
        constraints
            .is_some_and(|constraints| constraints > 0 || !matches!(self.inner.tangent(), Some(Tangent::Tree(_))))
    }

    /// Returns the second-order form of the equations.
    #[inline]
    pub fn contact_power(&mut self) -> Result<CountedContactPower<'_, S>, Unsuitable> {
        self.counting(Form::contact_power)
    }

    /// See [`Method::suits`].
    ///
    /// # Errors
    /// Fails with [`Unsuitable`], which names what the problem lacks.
    pub fn suits(&mut self, method: &dyn Method<S>) -> Result<(), Unsuitable> {
        method.suits(self.inner)
    }

    /// See [`Unsuitable::unless_smooth`].
    ///
    /// # Errors
    /// Fails with [`Unsuitable`] if the problem jumps at its events.
    pub fn without_jumps(&mut self) -> Result<(), Unsuitable> {
        Unsuitable::unless_smooth(self.inner)
    }

    /// Returns the event functions.
    #[inline]
    pub fn events(&mut self) -> Result<CountedEvents<'_, S>, Unsuitable> {
        self.counting(Form::events)
    }

    /// See [`Form::functions_to_locate`](crate::Form::functions_to_locate).
    pub fn functions_to_locate(&mut self) -> usize {
        self.inner.form().functions_to_locate()
    }

    /// Counts an exact Jacobian, with a column for each component of the state.
    fn count_exact(&mut self, y: &[S]) {
        self.statistics.count_exact_jacobian(y.len(), self.paused);
    }

    /// Counts a Jacobian that a method has formed from evaluations of the right-hand side.
    pub fn count_jacobian(&mut self) {
        self.statistics.jacobian_evaluations += u64::from(!self.paused);
    }

    /// Counts a projection that a method makes by itself.
    pub fn count_projection(&mut self) {
        self.statistics.projections += u64::from(!self.paused);
    }

    /// Counts located events; several may share a time.
    pub fn count_events(&mut self, events: u64) {
        self.statistics.events += if self.paused { 0 } else { events };
    }

    /// Runs `work` with all counters stopped.
    pub fn uncounted<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.paused, true);
        let result = work(self);
        self.paused = before;
        result
    }

    /// The counters so far: evaluations, projections and events. Counters of steps and of linear algebra belong to
    /// the method and are zero here.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AsOde, OdeModel};

    struct Decay;
    impl OdeModel for Decay {
        fn dimension(&self) -> usize {
            1
        }
        fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
            dydt[0] = -y[0];
        }
    }

    #[test]
    fn batched_evaluations_are_counted_when_they_end() {
        let mut ode = AsOde(&Decay);
        let mut counted = Counted::<f64>::new(&mut ode);
        let mut out = [0.0];
        let mut twice = |counted: &mut Counted<'_>| {
            let mut evaluations = counted.evaluations();
            (1..=2).for_each(|i| evaluations.rhs(0.0, &[f64::from(i)], &mut out).unwrap());
        };
        twice(&mut counted);
        counted.uncounted(&mut twice);
        assert_eq!(counted.statistics().rhs_evaluations, 2);
        assert_eq!(out, [-2.0]);
    }

    #[test]
    fn counts_evaluations_but_not_those_for_an_observer() {
        let mut ode = AsOde(&Decay);
        let mut counted = Counted::<f64>::new(&mut ode);
        let mut out = [0.0];
        counted.rhs(0.0, &[1.0], &mut out).unwrap();
        counted.uncounted(|quiet| quiet.rhs(0.0, &[1.0], &mut out)).unwrap();
        counted.rhs(0.0, &[2.0], &mut out).unwrap();
        assert_eq!(out, [-2.0]);
        assert_eq!(counted.statistics().rhs_evaluations, 2);

        let mut jacobian = DMatrix::zeros(1, 1);
        counted.jacobian(0.0, &[2.0], &mut jacobian).unwrap();
        counted.uncounted(|quiet| quiet.jacobian(0.0, &[2.0], &mut jacobian)).unwrap();
        assert_eq!((jacobian[(0, 0)], counted.statistics().rhs_evaluations), (-1.0, 2));
        counted.rhs_and_jacobian(0.0, &[2.0], &mut out, &mut jacobian).unwrap();
        assert_eq!((counted.statistics().rhs_evaluations, counted.statistics().jacobian_evaluations), (3, 2));
        assert_eq!(counted.statistics().jacobian_columns, 2, "one for each component and Jacobian");

        counted.rhs_for_jacobian(0.0, &[4.0], &mut out).unwrap();
        assert_eq!(out, [-4.0]);
        assert_eq!((counted.statistics().rhs_evaluations, counted.statistics().jacobian_rhs_evaluations), (3, 1));
        counted.count_jacobian();
        assert_eq!(counted.statistics().jacobian_columns, 2, "columns by differences are counted by their evaluations");
    }
}
