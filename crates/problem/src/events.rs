//! Event functions, whose zeros change a problem: the configuration that is locked over a step, and the changes at an
//! event (compere2001, chapters 3 to 5).

use nalgebra::DMatrix;
use num_dual::Dual;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ode::{dual_jacobian, dual_time_derivative};
use crate::scalar::is_double;
use crate::{Failure, Form, Ode, Properties, Scalar};

/// The effect of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// The function passes to the other side, and the right-hand side changes with it (a contact that closes or
    /// opens).
    Bilateral,
    /// The problem [jumps](EventFunctions::jump), so that the function does not pass to the other side: the state
    /// changes (an impact with restitution), or the equations do (a surface that is held from then on).
    Unilateral,
}

/// Treatment of events by a method that does not locate them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Events {
    /// A problem that [jumps](Form::jumps) is refused.
    #[default]
    Located,
    /// The problem is solved without its jumps, to show the result of a method that does not locate events.
    Ignored,
}

/// Functions `g_i(t, y)` whose zeros are events, at which the configuration of the right-hand side or the state
/// changes.
///
/// There are two kinds of configuration:
///
/// - A configuration that [follows the signs](Self::follows_signs): `y' = f(t, y, L)` with `L_i = (g_i(t, y) ≥ 0)`. A
///   method that locates events [locks](Self::lock) `L` over a step, so that the step is smooth, and searches it for
///   zeros of the `g_i`. A method that knows nothing of events leaves the problem unlocked; its right-hand side then
///   follows the signs at every state. It never applies a jump, so it is refused if a function is
///   [unilateral](EventKind::Unilateral), see [`Form::jumps`].
/// - A configuration that is part of the problem, and is constant from one [jump](Self::jump) to the next, however
///   the signs change in between. A method then has to locate the events.
///
/// The default implementations are right for the second kind.
pub trait EventFunctions<S: Scalar = f64> {
    /// Number of functions, watched or not. The number and the indices are valid until the next call of
    /// [`prepare`](Self::prepare).
    fn count(&self) -> usize;

    /// Writes the functions at `(t, y)` into `g`.
    ///
    /// # Errors
    /// Fails if they do not exist.
    fn values(&mut self, t: S, y: &[S], g: &mut [S]) -> Result<(), Failure>;

    /// Writes the rates of the functions along a motion with derivative `dydt` into `rates`; no right-hand side is
    /// evaluated.
    ///
    /// # Errors
    /// Fails if they do not exist.
    fn rates(&mut self, t: S, y: &[S], dydt: &[S], rates: &mut [S]) -> Result<(), Failure>;

    /// Called when function `index` has reached zero at `(t, y)`: changes the state, the configuration, or both. Not
    /// called for a [bilateral](EventKind::Bilateral) event.
    ///
    /// # Errors
    /// Fails if there is no state or configuration to change to.
    fn jump(&mut self, index: usize, t: S, y: &mut [S]) -> Result<(), Failure>;

    /// True if the configuration follows the signs of the functions, and can be [locked](Self::lock).
    fn follows_signs(&self) -> bool {
        false
    }

    /// The effect of zeros of a function.
    fn kind(&self, _index: usize) -> EventKind {
        EventKind::Unilateral
    }

    /// Finds the functions that matter in a step from `(t, y)` of at most `horizon` seconds. Methods that lock the
    /// configuration call it before a step.
    ///
    /// # Errors
    /// Fails if the functions cannot be found.
    fn prepare(&mut self, _t: S, _y: &[S], _horizon: f64) -> Result<(), Failure> {
        Ok(())
    }

    /// Holds the configuration, one entry for each function, until the next call. After a call with `None`, the
    /// right-hand side follows the signs at every state. Only for a problem that [follows](Self::follows_signs) the
    /// signs.
    fn lock(&mut self, _configuration: Option<&[bool]>) {}

    /// True if zeros of function `index` are still events.
    fn is_watched(&self, _index: usize) -> bool {
        true
    }

    /// The magnitude, in the function's own unit, below which a function counts as zero for a method of order `order`
    /// with step `step` (s), unless the method is given another tolerance: `O(h^p)` (compere2001, section 3.6.3).
    fn tolerance(&self, step: f64, order: u32) -> f64 {
        step.powi(order as i32)
    }
}

/// An equation whose configuration follows the signs of event functions, as a model defines it: once, for any scalar.
pub trait EventModel: Send + Sync {
    /// Numbers of components of the state and of event functions.
    fn sizes(&self) -> [usize; 2];

    /// The effect of zeros of a function.
    fn kind(&self, _index: usize) -> EventKind {
        EventKind::Bilateral
    }

    /// Writes `f(t, y, L)` into `dydt`.
    fn rhs<S: Scalar>(&self, t: S, y: &[S], configuration: &[bool], dydt: &mut [S]);

    /// Writes the event functions into `g`.
    fn values<S: Scalar>(&self, t: S, y: &[S], g: &mut [S]);

    /// Applies the jump of a unilateral event to the state.
    fn jump<S: Scalar>(&self, _index: usize, _t: S, _y: &mut [S]) {}
}

/// An [`EventModel`] as an [`Ode`] in any scalar. All its functions matter at all times, and their rates are computed
/// with dual numbers.
#[derive(Debug)]
pub struct AsEventOde<'m, M, S: Scalar> {
    model: &'m M,
    configuration: Vec<bool>,
    locked: bool,
    values: Vec<S>,
    dual_state: Vec<Dual<S>>,
    dual_rate: Vec<Dual<S>>,
    dual_values: Vec<Dual<S>>,
}

impl<'m, M: EventModel, S: Scalar> AsEventOde<'m, M, S> {
    /// The equations with scratch memory of their own, unlocked.
    pub fn new(model: &'m M) -> Self {
        let [dimension, functions] = model.sizes();
        let zero = Dual::new(S::zero(), S::zero());
        Self {
            model,
            configuration: vec![false; functions],
            locked: false,
            values: vec![S::zero(); functions],
            dual_state: vec![zero; dimension],
            dual_rate: vec![zero; dimension],
            dual_values: vec![zero; functions],
        }
    }

    /// Sets the configuration at `(t, y)`, unless one is locked.
    fn configure(&mut self, t: S, y: &[S]) {
        if !self.locked {
            self.model.values(t, y, &mut self.values);
            for (held, value) in self.configuration.iter_mut().zip(&self.values) {
                *held = value.value() >= 0.0;
            }
        }
    }
}

impl<M: EventModel, S: Scalar> Ode<S> for AsEventOde<'_, M, S> {
    fn dimension(&self) -> usize {
        self.dual_state.len()
    }

    fn rhs(&mut self, t: S, y: &[S], dydt: &mut [S]) -> Result<(), Failure> {
        self.configure(t, y);
        self.model.rhs(t, y, &self.configuration, dydt);
        Ok(())
    }

    fn properties(&self) -> Properties<'_, S> {
        Properties { has_jacobian: is_double::<S>(), ..Properties::default() }
    }

    /// The Jacobian in the configuration that holds at `(t, y)`.
    fn jacobian(&mut self, t: S, y: &[S], jacobian: &mut DMatrix<S>) -> Result<(), Failure> {
        self.configure(t, y);
        let Self { model, configuration, dual_state, dual_rate, .. } = self;
        dual_jacobian((t, y), [dual_state, dual_rate], jacobian, |t, y, dydt| model.rhs(t, y, configuration, dydt))
    }

    fn time_derivative(&mut self, t: S, y: &[S], by_time: &mut [S]) -> Result<(), Failure> {
        self.configure(t, y);
        let Self { model, configuration, dual_state, dual_rate, .. } = self;
        let rhs = |t, y: &[_], dydt: &mut [_]| model.rhs(t, y, configuration, dydt);
        dual_time_derivative((t, y), [dual_state, dual_rate], by_time, rhs)
    }

    fn form(&mut self) -> Form<'_, S> {
        Form::Events(self)
    }
}

impl<M: EventModel, S: Scalar> EventFunctions<S> for AsEventOde<'_, M, S> {
    fn count(&self) -> usize {
        self.configuration.len()
    }

    fn follows_signs(&self) -> bool {
        true
    }

    fn kind(&self, index: usize) -> EventKind {
        self.model.kind(index)
    }

    fn values(&mut self, t: S, y: &[S], g: &mut [S]) -> Result<(), Failure> {
        self.model.values(t, y, g);
        Ok(())
    }

    fn rates(&mut self, t: S, y: &[S], dydt: &[S], rates: &mut [S]) -> Result<(), Failure> {
        for (dual, (&value, &rate)) in self.dual_state.iter_mut().zip(y.iter().zip(dydt)) {
            *dual = Dual::new(value, rate);
        }
        self.model.values(Dual::new(t, S::from(1.0)), &self.dual_state, &mut self.dual_values);
        for (rate, value) in rates.iter_mut().zip(&self.dual_values) {
            *rate = value.eps;
        }
        Ok(())
    }

    fn lock(&mut self, configuration: Option<&[bool]>) {
        self.locked = configuration.is_some();
        if let Some(configuration) = configuration {
            self.configuration.copy_from_slice(configuration);
        }
    }

    fn jump(&mut self, index: usize, t: S, y: &mut [S]) -> Result<(), Failure> {
        self.model.jump(index, t, y);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ball on a spring that stiffens with time: `y'' = −g`, and below `y = 0` also `+t y²`.
    struct Ball;
    impl EventModel for Ball {
        fn sizes(&self) -> [usize; 2] {
            [2, 2]
        }
        fn kind(&self, index: usize) -> EventKind {
            if index == 0 { EventKind::Bilateral } else { EventKind::Unilateral }
        }
        fn rhs<S: Scalar>(&self, t: S, y: &[S], configuration: &[bool], dydt: &mut [S]) {
            dydt[0] = y[1];
            dydt[1] = if configuration[0] { S::from(-9.81) } else { y[0] * y[0] * t - 9.81 };
        }
        fn values<S: Scalar>(&self, t: S, y: &[S], g: &mut [S]) {
            g[0] = y[0];
            g[1] = y[0] * y[1] + t;
        }
        fn jump<S: Scalar>(&self, _index: usize, _t: S, y: &mut [S]) {
            y[1] = -y[1];
        }
    }

    #[test]
    fn the_configuration_follows_the_state_until_it_is_locked() {
        let mut ode = AsEventOde::<_, f64>::new(&Ball);
        let mut dydt = [0.0; 2];
        ode.rhs(0.5, &[-0.1, 0.0], &mut dydt).unwrap();
        assert!((dydt[1] - (0.01 * 0.5 - 9.81)).abs() < 1e-14);
        ode.lock(Some(&[true, true]));
        ode.rhs(0.0, &[-0.1, 0.0], &mut dydt).unwrap();
        assert_eq!(dydt[1], -9.81);
        ode.lock(None);
        ode.rhs(0.0, &[0.1, 0.0], &mut dydt).unwrap();
        assert_eq!(dydt[1], -9.81);
    }

    #[test]
    fn derivatives_use_the_current_configuration() {
        let mut ode = AsEventOde::<_, f64>::new(&Ball);
        let (mut jacobian, mut by_time) = (DMatrix::from_element(2, 2, f64::NAN), [f64::NAN; 2]);
        for (y, stiffness, by_time_expected) in [(0.25, 0.0, 0.0), (-0.25, -0.5 * 3.0, 0.25 * 0.25)] {
            ode.jacobian(3.0, &[y, 1.0], &mut jacobian).unwrap();
            assert_eq!(jacobian, DMatrix::from_row_slice(2, 2, &[0.0, 1.0, stiffness, 0.0]));
            ode.time_derivative(3.0, &[y, 1.0], &mut by_time).unwrap();
            assert_eq!(by_time, [0.0, by_time_expected]);
        }
        ode.lock(Some(&[true, true]));
        ode.jacobian(3.0, &[-0.25, 1.0], &mut jacobian).unwrap();
        assert_eq!(jacobian[(1, 0)], 0.0);
    }

    #[test]
    fn rates_are_taken_along_the_motion() {
        let mut ode = AsEventOde::<_, f64>::new(&Ball);
        let mut rates = [0.0; 2];
        // d/dt (y v + t) = v² + y a + 1
        ode.rates(0.3, &[0.5, -2.0], &[-2.0, -9.81], &mut rates).unwrap();
        assert_eq!(rates, [-2.0, 4.0 - 0.5 * 9.81 + 1.0]);
    }

    #[test]
    fn a_jump_changes_the_state() {
        let mut ode = AsEventOde::<_, f64>::new(&Ball);
        let mut y = [0.0, -3.0];
        EventFunctions::jump(&mut ode, 1, 0.0, &mut y).unwrap();
        assert_eq!(y, [0.0, 3.0]);
    }
}
