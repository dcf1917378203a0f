//! Ordinary differential equations, as methods see them and as models write them.

use crate::{Failure, Mechanics, Scalar, SwitchedOde};

/// `y' = f(t, y)` as a method sees it.
///
/// The methods take `&mut self` because adaptors keep scratch memory and a locked configuration; a model
/// itself is immutable ([`OdeModel`]).
pub trait Ode<S: Scalar = f64> {
    /// Number of components of the state.
    fn dimension(&self) -> usize;

    /// Writes `f(t, y)` into `dydt` (of length [`dimension`](Self::dimension)).
    ///
    /// # Errors
    /// A [`Failure`] where the right-hand side does not exist at this state (a singular mass matrix).
    fn rhs(&mut self, t: S, y: &[S], dydt: &mut [S]) -> Result<(), Failure>;

    /// Whether [`begin_step`](Self::begin_step) does anything; where it does, the derivative at the end of a step
    /// belongs to that step's configuration and cannot be taken over for the start of the next.
    fn locks(&self) -> bool {
        false
    }

    /// Called with the state at which a step starts, before any stage; also when a step is repeated. Only for
    /// a problem that [`locks`](Self::locks): it sets the configuration here that holds over the step.
    ///
    /// # Errors
    /// A [`Failure`] where the configuration cannot be formed.
    fn begin_step(&mut self, _t: S, _y: &[S]) -> Result<(), Failure> {
        Ok(())
    }

    /// Whether [`project`](Self::project) does anything; where it does, the derivative at the end of a step
    /// cannot be taken over from the last stage.
    fn projects(&self) -> bool {
        false
    }

    /// Moves the result of a step back to the solution's manifold (post-stabilisation).
    ///
    /// # Errors
    /// A [`Failure`] where no projection exists.
    fn project(&mut self, _t: S, _y: &mut [S]) -> Result<(), Failure> {
        Ok(())
    }

    /// The constrained mechanical system behind these equations, for a method that solves its index-3 form; the state
    /// is `(q ; v)`, and this right-hand side is that of the same system.
    fn mechanics(&mut self) -> Option<&mut dyn Mechanics<S>> {
        None
    }

    /// The discontinuity functions, if the problem has any; see [`SwitchedOde`].
    fn switched(&mut self) -> Option<&mut dyn SwitchedOde<S>> {
        None
    }

    /// The switching functions, if the problem has any.
    fn switches(&mut self) -> Option<&mut dyn Switches<S>> {
        None
    }
}

/// Functions of the state whose zeros change the problem.
///
/// A method that locates events watches the sign of each function over a step, repeats the step to the
/// first zero, and calls [`switch`](Self::switch) there. The right-hand side stays in one configuration from
/// one switch to the next, however the functions' signs change in between, so that a step is smooth.
pub trait Switches<S: Scalar = f64> {
    /// Number of functions, watched or not.
    fn count(&self) -> usize;

    /// Whether function `index` is still watched.
    fn is_watched(&self, index: usize) -> bool;

    /// Writes the values of all functions into `g`.
    ///
    /// # Errors
    /// A [`Failure`] where they do not exist at this state.
    fn values(&mut self, t: S, y: &[S], g: &mut [S]) -> Result<(), Failure>;

    /// Writes the rates `dg/dt` along the solution in the present configuration into `rates`.
    ///
    /// # Errors
    /// A [`Failure`] where they do not exist at this state.
    fn rates(&mut self, t: S, y: &[S], rates: &mut [S]) -> Result<(), Failure>;

    /// The magnitude of a function below which it counts as zero, for a method of order `order` with step
    /// `step` (s).
    fn tolerance(&self, step: f64, order: u32) -> f64;

    /// Function `index` has reached zero at `(t, y)`: changes configuration and, where the event is a jump,
    /// the state.
    ///
    /// # Errors
    /// A [`Failure`] where the new configuration does not exist.
    fn switch(&mut self, index: usize, t: S, y: &mut [S]) -> Result<(), Failure>;
}

/// `y' = f(t, y)` as a model writes it: once, for any scalar.
pub trait OdeModel: Send + Sync {
    /// Number of components of the state.
    fn dimension(&self) -> usize;

    /// Writes `f(t, y)` into `dydt`.
    fn rhs<S: Scalar>(&self, t: S, y: &[S], dydt: &mut [S]);
}

/// A model as an [`Ode`] in any scalar.
#[derive(Debug, Clone, Copy)]
pub struct AsOde<'m, M>(pub &'m M);

impl<S: Scalar, M: OdeModel> Ode<S> for AsOde<'_, M> {
    fn dimension(&self) -> usize {
        self.0.dimension()
    }

    fn rhs(&mut self, t: S, y: &[S], dydt: &mut [S]) -> Result<(), Failure> {
        self.0.rhs(t, y, dydt);
        Ok(())
    }
}
