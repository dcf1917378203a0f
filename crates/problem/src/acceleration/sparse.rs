//! Accelerations of mechanisms with many bodies, from one sparse system that includes the constraints.

use super::not_invertible;
use crate::linalg::{Saddle, Singular};
use crate::{Failure, Matrices, Mechanics, Scalar, Terms};

/// Memory and factors for the system
///
/// ```text
/// ( M  −Jᵀ ) (v')   ( D     )
/// ( J   0  ) (λ ) = ( −bias )
/// ```
pub(super) struct SparseAccelerations<S: Scalar> {
    pub(super) terms: Terms<S>,
    system: Saddle<S>,
    x: Vec<S>,
}

impl<S: Scalar> SparseAccelerations<S> {
    /// Memory for a mechanism that is large and sparse enough; none otherwise.
    pub(super) fn of(mechanics: &mut dyn Mechanics<S>, matrices: Matrices) -> Option<Self> {
        let sizes = mechanics.dimensions();
        let unknowns = sizes.velocities + sizes.constraints();
        if !matrices.may_be_sparse(unknowns) || sizes.nonholonomic > 0 || !mechanics.has_structure() {
            return None;
        }
        let structure = mechanics.structure();
        structure.is_sparse_in::<S>().then(|| Self {
            terms: Terms::of(&structure, true),
            system: Saddle::new(&structure.dynamics, &structure.jacobian, true),
            x: vec![S::zero(); structure.dynamics.rows() + structure.jacobian.rows()],
        })
    }

    /// Writes accelerations and multipliers at a state; keeps the factors.
    pub(super) fn solve(
        &mut self,
        mechanics: &mut dyn Mechanics<S>,
        t: S,
        (q, v): (&[S], &[S]),
        accelerations: &mut [S],
        multipliers: &mut [S],
    ) -> Result<(), Failure> {
        let Self { terms, system, x } = self;
        let (forces, bias) = x.split_at_mut(v.len());
        if mechanics.has_vector_coordinates() {
            mechanics.terms(t, q, v, terms);
            forces.copy_from_slice(&terms.forces);
        } else {
            mechanics.mass_in(q, &mut terms.mass);
            mechanics.forces(t, q, v, forces);
            mechanics.constraint_jacobian_in(t, q, v, &mut terms.jacobian);
        }
        mechanics.acceleration_bias(t, q, v, bias);
        bias.iter_mut().for_each(|bias| *bias = -*bias);
        let blocks = [S::from(1.0), S::zero(), S::zero()].map(|factor| (factor, &terms.mass));
        system.put(blocks, S::from(1.0), &terms.jacobian);
        system.factorize().map_err(|Singular| not_invertible(system.is_finite(), t, "[M Jᵀ; J 0]"))?;
        system.solve(x);
        accelerations.copy_from_slice(&x[..v.len()]);
        multipliers.copy_from_slice(&x[v.len()..]);
        Ok(())
    }

    /// Solves `M a_x − Jᵀ λ_x = −∂r₁`, `J a_x = −∂r₂` with the factors of the last state, for `∂r₁` in `column` and
    /// `∂r₂` in `constraints`; `column` holds `a_x` on return.
    pub(super) fn differentiate(&mut self, column: &mut [S], constraints: &[S]) {
        for (x, &entry) in self.x.iter_mut().zip(column.iter().chain(constraints)) {
            *x = -entry;
        }
        self.system.solve(&mut self.x);
        column.copy_from_slice(&self.x[..column.len()]);
    }
}
