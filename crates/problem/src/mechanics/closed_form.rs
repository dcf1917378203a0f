//! Terms of the equations of motion that a model gives in closed form.

use nalgebra::DMatrix;

use crate::{Derivatives, Scalar};

/// Shorter ways of a model to its terms than dual numbers, for vector coordinates and holonomic constraints that do not depend on
/// time. All results have to be those of the functions of [`MechanicalModel`](super::MechanicalModel) and their dual numbers.
pub trait ClosedForm<S: Scalar> {
    /// Writes the terms of the equations of motion with the derivatives of the constraints.
    fn terms(&self, q: &[S], v: &[S], terms: ClosedTerms<'_, S>);

    /// Writes the derivatives of masses and forces, and the second derivatives of the constraints, into memory for all entries. Those
    /// that are zero at every state need not be written. `forces` holds the forces, or room for them; those are to be written
    /// anew that dual numbers round otherwise (quotients).
    fn derivatives(&self, q: &[S], v: &[S], forces: &mut [S], derivatives: &mut Derivatives<S>);

    /// Writes accelerations and multipliers at a state, which solve
    ///
    /// ```text
    /// M v' = D + Jᵀ λ,   J v' + bias = 0
    /// ```
    ///
    /// where the topology of the model gives a shorter way to them than to factorize matrices, and returns true if it has written
    /// them. What that asks of a state need not hold at every one; the positions need not satisfy the constraints.
    fn accelerations(&self, q: &[S], v: &[S], accelerations: &mut [S], multipliers: &mut [S]) -> bool;
}

/// Memory for the terms of a [`ClosedForm`]. All entries are to be written, those that are always zero too.
#[derive(Debug)]
pub struct ClosedTerms<'t, S> {
    /// `M(q)`, `n × n`.
    pub mass: &'t mut DMatrix<S>,
    /// `D(t, q, v)`, length `n`.
    pub forces: &'t mut [S],
    /// `Φ(q)`, length `n_c`.
    pub constraints: &'t mut [S],
    /// `J = ∂Φ/∂q`, `n_c × n`.
    pub jacobian: &'t mut DMatrix<S>,
    /// `vᵀ (∂²Φ/∂q²) v`, length `n_c`: the second time derivative of Φ where `v' = 0`.
    pub bias: &'t mut [S],
}
