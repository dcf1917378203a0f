//! Terms of the equations of motion that a model provides in closed form.

use nalgebra::DMatrix;

use crate::{Derivatives, Scalar};

/// Formulas by which a model computes its terms faster than with dual numbers, for vector coordinates and holonomic
/// constraints that do not depend on time. All results must agree with those of the functions of
/// [`MechanicalModel`](super::MechanicalModel) and their dual numbers.
pub trait ClosedForm<S: Scalar> {
    /// Writes the terms of the equations of motion, including the derivatives of the constraints.
    fn terms(&self, q: &[S], v: &[S], terms: ClosedTerms<'_, S>);

    /// Writes the derivatives of masses and forces, and the second derivatives of the constraints, into memory for
    /// all entries. Entries that are zero at every state need not be written. `forces` holds the forces, or memory
    /// for them; forces that dual numbers round differently (quotients) must be written again.
    fn derivatives(&self, q: &[S], v: &[S], forces: &mut [S], derivatives: &mut Derivatives<S>);

    /// Writes accelerations and multipliers at a state, which solve
    ///
    /// ```text
    /// M v' = D + Jᵀ λ,   J v' + bias = 0
    /// ```
    ///
    /// if the topology of the model allows a faster way than factorizing matrices, and returns true if it has written
    /// them. The way may require conditions that do not hold at every state; the positions need not satisfy the
    /// constraints.
    fn accelerations(&self, q: &[S], v: &[S], accelerations: &mut [S], multipliers: &mut [S]) -> bool;
}

/// Derivatives that a model can provide [entry by entry](super::MechanicalModel::partials).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Partials {
    /// `∂Φ_c/∂q_j` at `[c, j, j]`.
    Constraints,
    /// `∂²Φ_c/∂q_i ∂q_j` at `[c, i, j]` with `i ≤ j`, without those in time.
    Curvature,
    /// `∂M_ij/∂q_k` at `[k, i, j]`.
    Mass,
}

/// Memory for the terms of a [`ClosedForm`]. All entries must be written, including those that are always zero.
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
    /// `vᵀ (∂²Φ/∂q²) v`, length `n_c`: the second time derivative of Φ at `v' = 0`.
    pub bias: &'t mut [S],
}
