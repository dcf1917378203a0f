//! Who watches a solve: measures, recorders, progress.

use std::ops::ControlFlow;

use nalgebra::DMatrix;

use crate::{Failure, Scalar};

/// A state inside the step just made.
pub trait Interpolant<S: Scalar = f64> {
    /// Writes the state at `t` (s), between the step's start and end, into `y`.
    ///
    /// # Errors
    /// A [`Failure`] where it needs an evaluation that fails.
    fn state_at(&mut self, t: S, y: &mut [S]) -> Result<(), Failure>;
}

impl<S: Scalar, F: FnMut(S, &mut [S]) -> Result<(), Failure>> Interpolant<S> for F {
    fn state_at(&mut self, t: S, y: &mut [S]) -> Result<(), Failure> {
        self(t, y)
    }
}

/// An accepted step as an observer sees it.
pub struct Step<'s, S: Scalar = f64> {
    /// Number of the step, from 1.
    pub index: u64,
    /// Time at the start of the step, s.
    pub t_start: S,
    /// State at the start.
    pub start: &'s [S],
    /// Time at the end, s.
    pub t_end: S,
    /// State at the end: after projection, after a jump.
    pub end: &'s [S],
    /// What only some methods tell.
    pub further: Further<'s, S>,
    /// The state inside the step, of the method's order: an extra step from its start that is not counted, or an
    /// interpolation between its ends.
    pub within: &'s mut dyn Interpolant<S>,
}

impl<S: Scalar> Step<'_, S> {
    /// State that the formula gave, before projection and jumps; the same as `end` where there are none.
    pub fn before_projection(&self) -> &[S] {
        self.further.before_projection.unwrap_or(self.end)
    }
}

/// What only some methods tell of a step. A further field is declared here, and filled in by the methods that have it.
#[derive(Debug, Clone, Copy)]
pub struct Further<'f, S = f64> {
    /// State that the formula gave, before projection and jumps; none where it is the end of the step.
    pub before_projection: Option<&'f [S]>,
    /// Multipliers λ at the end of the step, of a method that has them as unknowns; empty otherwise.
    pub multipliers: &'f [S],
    /// Event functions that reached zero at the end of this step.
    pub events: &'f [usize],
    /// Magnitude at the end of the step of the function whose zero was located there; none where no event was located, or
    /// by a method that does not keep it.
    pub event_residual: Option<f64>,
    /// Estimated local error of each component of the step, of a method that estimates it; empty otherwise.
    pub error_estimate: &'f [S],
}

impl<S> Default for Further<'_, S> {
    fn default() -> Self {
        Self { before_projection: None, multipliers: &[], events: &[], event_residual: None, error_estimate: &[] }
    }
}

/// Receives the initial state and each accepted step.
pub trait Observer<S: Scalar = f64> {
    /// Whether it wants to see the steps; asked once, before the first one.
    fn watches(&self) -> bool {
        true
    }

    /// Whether it wants to see the matrices of Newton's method; asked once, before the first step.
    fn watches_newton_matrices(&self) -> bool {
        false
    }

    /// A matrix that Newton's method is about to factorize, scaled as the method scales it. `t` is the end of the
    /// step that is attempted, s.
    fn newton_matrix(&mut self, _t: S, _matrix: &DMatrix<S>) {}

    /// The same matrix formed with wrong derivatives, and with the exact ones, scaled alike.
    fn wrong_newton_matrix(&mut self, _t: S, _matrix: &DMatrix<S>, _exact: &DMatrix<S>) {}

    /// The initial state.
    fn start(&mut self, _t: S, _y: &[S]) {}

    /// All is set up: memory, structure, initial derivatives. The first step is attempted next.
    fn ready(&mut self) {}

    /// An accepted step. [`ControlFlow::Break`] ends the run with the failure given.
    fn step(&mut self, step: &mut Step<'_, S>) -> ControlFlow<Failure>;
}

/// An observer that looks away.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl<S: Scalar> Observer<S> for Silent {
    fn watches(&self) -> bool {
        false
    }

    fn step(&mut self, _step: &mut Step<'_, S>) -> ControlFlow<Failure> {
        ControlFlow::Continue(())
    }
}
