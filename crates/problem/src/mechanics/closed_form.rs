//! Terms of the equations of motion that a model gives in closed form.

use nalgebra::DMatrix;

/// Where a model writes its terms; see [`MechanicalModel::in_closed_form`](super::MechanicalModel::in_closed_form). All entries
/// are to be written, those that are always zero too.
#[derive(Debug)]
pub struct ClosedForm<'t, S> {
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
