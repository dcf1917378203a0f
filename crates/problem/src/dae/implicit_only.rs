//! Problems that have an implicit form and no right-hand side.

use super::Dae;
use crate::{Failure, Ode, Scalar};

/// A [`Dae`] that is handed out as an [`Ode`] without right-hand side, for methods that solve implicit forms; all others
/// refuse it.
#[derive(Debug, Clone)]
pub struct ImplicitOnly<D>(pub D);

impl<S: Scalar, D: Dae<S>> Ode<S> for ImplicitOnly<D> {
    fn dimension(&self) -> usize {
        self.0.state_dimension()
    }

    fn rhs(&mut self, _t: S, _y: &[S], _dydt: &mut [S]) -> Result<(), Failure> {
        let reason = "the problem is given in implicit form only: take a method with implicit stages";
        Err(Failure::NotApplicable { reason: reason.to_owned() })
    }

    fn has_rhs(&self) -> bool {
        false
    }

    fn dae(&mut self) -> Option<&mut dyn Dae<S>> {
        Some(&mut self.0)
    }
}

/// Equations that are not written in this precision: there is only their dimension, and every method refuses them.
#[derive(Debug, Clone, Copy)]
pub struct InOtherPrecision {
    /// Number of components of the state.
    pub dimension: usize,
}

impl<S: Scalar> Ode<S> for InOtherPrecision {
    fn dimension(&self) -> usize {
        self.dimension
    }

    fn rhs(&mut self, _t: S, _y: &[S], _dydt: &mut [S]) -> Result<(), Failure> {
        let reason = "the model is written in double precision only: take a method of that precision";
        Err(Failure::NotApplicable { reason: reason.to_owned() })
    }

    fn has_rhs(&self) -> bool {
        false
    }
}
