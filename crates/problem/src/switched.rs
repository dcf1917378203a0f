//! Discontinuous differential equations: discontinuity functions, the locked configuration, and what happens at an event
//! (compere2001, chapters 4 and 5).

use nalgebra::DMatrix;
use num_dual::Dual;

use crate::{Failure, Form, Ode, Scalar};

/// What happens where a discontinuity function is zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// The function goes on to the other side, and the right-hand side with it (a contact that closes or opens).
    Bilateral,
    /// The state jumps so that the function stays on its side (an impact with restitution).
    Unilateral,
}

/// `y' = f(t, y, L)` with the configuration `L_i = (g_i(t, y) ≥ 0)`, as a method sees it besides [`Ode`].
///
/// A method that locates events locks `L` over a step, so that the step is smooth, and looks for zeros of the `g_i` in
/// it. One that knows nothing of events leaves the problem unlocked: its right-hand side then follows the signs
/// at every state.
pub trait SwitchedOde<S: Scalar = f64> {
    /// Called before a step from `(t, y)` of at most `horizon` seconds; returns the number of functions that matter
    /// until the next call. Their indices hold as long.
    ///
    /// # Errors
    /// A [`Failure`] where they cannot be found.
    fn prepare(&mut self, t: S, y: &[S], horizon: f64) -> Result<usize, Failure>;

    /// What happens at zeros of a function.
    fn kind(&self, index: usize) -> EventKind;

    /// Writes the functions at `(t, y)` into `g`.
    ///
    /// # Errors
    /// A [`Failure`] where they do not exist.
    fn values(&mut self, t: S, y: &[S], g: &mut [S]) -> Result<(), Failure>;

    /// Writes their rates along a motion with derivative `dydt` into `rates`; no right-hand side is evaluated.
    ///
    /// # Errors
    /// A [`Failure`] where they do not exist.
    fn rates(&mut self, t: S, y: &[S], dydt: &[S], rates: &mut [S]) -> Result<(), Failure>;

    /// Holds the configuration, one entry for each function, until the next call; with none, the right-hand side follows
    /// the signs at every state.
    fn lock(&mut self, configuration: Option<&[bool]>);

    /// Applies the jump of a unilateral event at `(t, y)`.
    ///
    /// # Errors
    /// A [`Failure`] where there is none.
    fn jump(&mut self, index: usize, t: S, y: &mut [S]) -> Result<(), Failure>;
}

/// A discontinuous equation as a model writes it: once, for any scalar.
pub trait SwitchedModel: Send + Sync {
    /// Number of components of the state.
    fn dimension(&self) -> usize;

    /// Number of discontinuity functions.
    fn functions(&self) -> usize;

    /// What happens at zeros of a function.
    fn kind(&self, _index: usize) -> EventKind {
        EventKind::Bilateral
    }

    /// Writes `f(t, y, L)` into `dydt`.
    fn rhs<S: Scalar>(&self, t: S, y: &[S], configuration: &[bool], dydt: &mut [S]);

    /// Writes the discontinuity functions into `g`.
    fn values<S: Scalar>(&self, t: S, y: &[S], g: &mut [S]);

    /// Applies the jump of a unilateral event to the state.
    fn jump<S: Scalar>(&self, _index: usize, _t: S, _y: &mut [S]) {}
}

/// A [`SwitchedModel`] as an [`Ode`] in any scalar; all its functions matter at all times, and their rates come from dual
/// numbers.
#[derive(Debug)]
pub struct AsSwitchedOde<'m, M, S: Scalar> {
    model: &'m M,
    configuration: Vec<bool>,
    locked: bool,
    values: Vec<S>,
    dual_state: Vec<Dual<S>>,
    dual_rate: Vec<Dual<S>>,
    dual_values: Vec<Dual<S>>,
}

impl<'m, M: SwitchedModel, S: Scalar> AsSwitchedOde<'m, M, S> {
    /// The equations with scratch memory of their own, unlocked.
    #[must_use]
    pub fn new(model: &'m M) -> Self {
        let (dimension, functions) = (model.dimension(), model.functions());
        let nought = Dual::new(S::nought(), S::nought());
        Self {
            model,
            configuration: vec![false; functions],
            locked: false,
            values: vec![S::nought(); functions],
            dual_state: vec![nought; dimension],
            dual_rate: vec![nought; dimension],
            dual_values: vec![nought; functions],
        }
    }

    /// Takes the configuration at `(t, y)`, unless one is locked.
    fn configure(&mut self, t: S, y: &[S]) {
        if !self.locked {
            self.model.values(t, y, &mut self.values);
            for (held, value) in self.configuration.iter_mut().zip(&self.values) {
                *held = value.value() >= 0.0;
            }
        }
    }

    /// The same, with dual numbers of the state, without derivatives.
    fn begin_derivatives(&mut self, t: S, y: &[S]) {
        self.configure(t, y);
        for (dual, &value) in self.dual_state.iter_mut().zip(y) {
            *dual = Dual::from_re(value);
        }
    }
}

impl<M: SwitchedModel, S: Scalar> Ode<S> for AsSwitchedOde<'_, M, S> {
    fn dimension(&self) -> usize {
        self.model.dimension()
    }

    fn rhs(&mut self, t: S, y: &[S], dydt: &mut [S]) -> Result<(), Failure> {
        self.configure(t, y);
        self.model.rhs(t, y, &self.configuration, dydt);
        Ok(())
    }

    fn has_jacobian(&mut self) -> bool {
        true
    }

    /// In the configuration that holds at `(t, y)`.
    fn jacobian(&mut self, t: S, y: &[S], jacobian: &mut DMatrix<S>) -> Result<(), Failure> {
        self.begin_derivatives(t, y);
        for (j, mut column) in jacobian.column_iter_mut().enumerate() {
            self.dual_state[j].eps = S::from(1.0);
            self.model.rhs(Dual::from_re(t), &self.dual_state, &self.configuration, &mut self.dual_rate);
            self.dual_state[j].eps = S::nought();
            for (entry, rate) in column.iter_mut().zip(&self.dual_rate) {
                *entry = rate.eps;
            }
        }
        Ok(())
    }

    fn time_derivative(&mut self, t: S, y: &[S], by_time: &mut [S]) -> Result<(), Failure> {
        self.begin_derivatives(t, y);
        self.model.rhs(Dual::new(t, S::from(1.0)), &self.dual_state, &self.configuration, &mut self.dual_rate);
        for (entry, rate) in by_time.iter_mut().zip(&self.dual_rate) {
            *entry = rate.eps;
        }
        Ok(())
    }

    fn form(&mut self) -> Form<'_, S> {
        Form::Switched(self)
    }
}

impl<M: SwitchedModel, S: Scalar> SwitchedOde<S> for AsSwitchedOde<'_, M, S> {
    fn prepare(&mut self, _t: S, _y: &[S], _horizon: f64) -> Result<usize, Failure> {
        Ok(self.configuration.len())
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

    /// A ball over a spring that stiffens: `y'' = −g`, and below `y = 0` also `+t y²`.
    struct Ball;
    impl SwitchedModel for Ball {
        fn dimension(&self) -> usize {
            2
        }
        fn functions(&self) -> usize {
            2
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
        let mut ode = AsSwitchedOde::<_, f64>::new(&Ball);
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
    fn derivatives_are_those_of_the_configuration() {
        let mut ode = AsSwitchedOde::<_, f64>::new(&Ball);
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
    fn rates_are_those_along_the_motion() {
        let mut ode = AsSwitchedOde::<_, f64>::new(&Ball);
        let mut rates = [0.0; 2];
        // d/dt (y v + t) = v² + y a + 1
        ode.rates(0.3, &[0.5, -2.0], &[-2.0, -9.81], &mut rates).unwrap();
        assert_eq!(rates, [-2.0, 4.0 - 0.5 * 9.81 + 1.0]);
    }

    #[test]
    fn a_jump_changes_the_state() {
        let mut ode = AsSwitchedOde::<_, f64>::new(&Ball);
        let mut y = [0.0, -3.0];
        SwitchedOde::jump(&mut ode, 1, 0.0, &mut y).unwrap();
        assert_eq!(y, [0.0, 3.0]);
    }
}
