//! Terms of the equations at the start or end of a step.

use std::sync::Arc;

use mbsbench_problem::linalg::{Entries, Matrix};
use mbsbench_problem::{Counted, Derivatives, Failure, Run, Structure};

use crate::saddle::Memory;
use crate::stepper::finite;

/// Terms of the equations at the positions `q` and the time `t` (s).
#[derive(Debug, Clone)]
pub struct Point {
    pub t: f64,
    pub q: Vec<f64>,
    pub mass: Matrix<f64>,
    pub jacobian: Matrix<f64>,
    /// `F = D + Ṁ v` at the velocities at which it was evaluated last.
    pub forces: Vec<f64>,
    /// Derivatives of the mass matrix, and memory for `∂(M v)/∂q`; none if the mass matrix is constant.
    varying: Option<(Derivatives<f64>, Matrix<f64>)>,
    depends_on_velocity: bool,
    /// True if the forces were evaluated at `q`.
    has_forces: bool,
    /// True if the derivatives were evaluated at `q`.
    has_derivatives: bool,
}

impl Point {
    /// Allocates memory for a system of that structure.
    pub fn new(structure: &Arc<Structure>, memory: &Memory) -> Self {
        let n = structure.dynamics.rows();
        let varies = !structure.mass.is_empty();
        Self {
            t: 0.0,
            q: vec![0.0; n],
            mass: memory.mass(),
            jacobian: memory.jacobian(),
            forces: vec![0.0; n],
            varying: varies.then(|| (Derivatives::of(structure, memory.is_sparse), memory.mass())),
            depends_on_velocity: varies || structure.forces_depend_on_velocity(),
            has_forces: false,
            has_derivatives: false,
        }
    }

    /// True if the mass matrix depends on positions.
    pub fn varies(&self) -> bool {
        self.varying.is_some()
    }

    /// Invalidates forces and derivatives after the positions have changed.
    pub fn moved(&mut self) {
        (self.has_forces, self.has_derivatives) = (false, false);
    }

    /// Evaluates the forces at the velocities `v`, unless they are known.
    ///
    /// # Errors
    /// Fails if the budget is used up, or with [`Failure::NonFinite`] at the start of the step.
    pub fn evaluate(&mut self, run: &mut Run<'_, Counted<'_>>, v: &[f64]) -> Result<(), Failure> {
        if self.has_forces && !self.depends_on_velocity {
            return Ok(());
        }
        run.check_budget(1)?;
        let Self { t, q, forces, varying, has_derivatives, .. } = self;
        let mut mechanics = run.problem.mechanics()?;
        mechanics.forces(*t, q, v, forces);
        if let Some((derivatives, inertia)) = varying {
            if !std::mem::replace(has_derivatives, true) {
                mechanics.derivatives(*t, q, v, derivatives);
            }
            inertia.clear();
            derivatives.add_inertia(1.0, v, inertia);
            inertia.add_product(1.0, v, forces);
        }
        self.has_forces = true;
        finite(run.t, &self.forces)
    }
}
