//! Observers of a solve: measures, recorders, progress.

use std::ops::ControlFlow;

use nalgebra::DMatrix;

use crate::{Failure, Scalar};

/// A state inside the last step.
pub trait Interpolant<S: Scalar = f64> {
    /// Writes the state at `t` (s), between the step's start and end, into `y`.
    ///
    /// # Errors
    /// Fails if it needs an evaluation that fails.
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
    /// State at the end, after projection and jumps.
    pub end: &'s [S],
    /// Data that only some methods provide.
    pub further: Further<'s, S>,
    /// The state inside the step, to the method's order: by an extra step from the start that is not counted, or by
    /// interpolation between the ends.
    pub within: &'s mut dyn Interpolant<S>,
}

impl<S: Scalar> Step<'_, S> {
    /// State as computed by the formula, before projection and jumps; equal to `end` without these.
    pub fn before_projection(&self) -> &[S] {
        self.further.before_projection.unwrap_or(self.end)
    }
}

/// Data of a step that only some methods provide. To add a field, declare it here and fill it in by the methods that
/// have it.
#[derive(Debug, Clone, Copy)]
pub struct Further<'f, S = f64> {
    /// State as computed by the formula, before projection and jumps; none if it is the end of the step.
    pub before_projection: Option<&'f [S]>,
    /// Multipliers λ at the end of the step, for methods with multipliers as unknowns; empty otherwise.
    pub multipliers: &'f [S],
    /// Event functions that reached zero at the end of this step.
    pub events: &'f [usize],
    /// Magnitude, at the end of the step, of the function whose zero was located there; none if no event was located,
    /// or if the method does not record it.
    pub event_residual: Option<f64>,
    /// Estimated local error of the step for each component, for methods with an estimate; empty otherwise.
    pub error_estimate: &'f [S],
}

impl<S> Default for Further<'_, S> {
    fn default() -> Self {
        Self { before_projection: None, multipliers: &[], events: &[], event_residual: None, error_estimate: &[] }
    }
}

/// Receives the initial state and each accepted step.
pub trait Observer<S: Scalar = f64> {
    /// True if the observer needs the steps; called once, before the first step.
    fn watches(&self) -> bool {
        true
    }

    /// True if the observer needs the matrices of Newton's method; called once, before the first step.
    fn watches_newton_matrices(&self) -> bool {
        false
    }

    /// Takes a matrix that Newton's method is about to factorize, scaled as the method scales it. `t` is the end of
    /// the attempted step, s.
    fn newton_matrix(&mut self, _t: S, _matrix: &DMatrix<S>) {}

    /// Takes the same matrix formed with wrong and with exact derivatives, scaled alike.
    fn wrong_newton_matrix(&mut self, _t: S, _matrix: &DMatrix<S>, _exact: &DMatrix<S>) {}

    /// Takes the initial state.
    fn start(&mut self, _t: S, _y: &[S]) {}

    /// Called when memory, structure and initial derivatives are set up, just before the first step is attempted.
    fn ready(&mut self) {}

    /// Takes an accepted step. [`ControlFlow::Break`] ends the run with the given failure.
    fn step(&mut self, step: &mut Step<'_, S>) -> ControlFlow<Failure>;
}

/// An observer that ignores everything.
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
