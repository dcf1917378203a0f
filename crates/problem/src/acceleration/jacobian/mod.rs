//! Derivatives of the accelerations by implicit differentiation.

use nalgebra::DMatrix;

use super::AccelerationLevel;
use crate::linalg::{Matrix, add_columns, multiply_transposed};
use crate::ode::no_jacobian;
use crate::{Derivatives, Failure, Mechanics, Motion, Ode, Scalar, TangentMatrices};

/// Memory for the derivatives of `f = (v ; a)`, where
///
/// ```text
/// r₁ = M a − D − Jᵀ λ = 0,   r₂ = J a + bias = 0
/// ```
///
/// define `a(t, q, v)` and `λ(t, q, v)`. With `∂r₁` and `∂r₂` the derivatives in one variable `x` at held `a` and `λ`,
///
/// ```text
/// M a_x − Jᵀ λ_x = −∂r₁,   J a_x = −∂r₂
/// ```
///
/// has the same matrices as the right-hand side: `λ_x = G⁻¹ (Wᵀ ∂r₁ − ∂r₂)`, `a_x = W λ_x − M⁻¹ ∂r₁` with
/// `W = M⁻¹ Jᵀ`, `G = J W` (gil2013, Eqs. 10–15, for one model). The state need not satisfy its constraints.
pub(super) struct Linearised<S: Scalar> {
    /// `f(t, y)` at the state of the last derivative.
    pub(super) rate: Vec<S>,
    derivatives: Derivatives<S>,
    /// `∂r₁/∂q` and, in `derivatives`, `−∂r₁/∂v`.
    dynamics: Matrix<S>,
    /// `∂r₂/∂q`.
    constraints_by_position: Matrix<S>,
    /// `∂r₂/∂v` without its factor of two.
    constraint_rates: Matrix<S>,
    lambda: Vec<S>,
    column: Vec<S>,
    constraint_column: Vec<S>,
}

/// Writes `factor` times column `j` of `matrix`, which has as many rows as `column`.
fn copy_column<S: Scalar>(factor: S, matrix: &Matrix<S>, j: usize, column: &mut [S]) {
    let rows = column.len();
    if let Some(pattern) = matrix.pattern() {
        column.fill(S::zero());
        for (&i, &from) in pattern.column(j).iter().zip(&matrix.values()[pattern.start(j)..]) {
            column[i] = from * factor;
        }
        return;
    }
    for (entry, &from) in column.iter_mut().zip(&matrix.values()[rows * j..]) {
        *entry = from * factor;
    }
}

impl<S: Scalar> Linearised<S> {
    fn new(mechanics: &mut dyn Mechanics<S>) -> Self {
        let (n, constraints) = (mechanics.dimensions().velocities, mechanics.dimensions().constraints());
        let structure = mechanics.structure();
        let sparse = structure.is_sparse_in::<S>();
        Self {
            rate: vec![S::zero(); 2 * n],
            derivatives: Derivatives::of(&structure, sparse),
            dynamics: Matrix::new(&structure.dynamics, sparse),
            constraints_by_position: Matrix::new(&structure.jacobian, sparse),
            constraint_rates: Matrix::new(&structure.jacobian, sparse),
            lambda: vec![S::zero(); constraints],
            column: vec![S::zero(); n],
            constraint_column: vec![S::zero(); constraints],
        }
    }

    /// Solves for `a_x`, with `∂r₁` in `column` and `∂r₂` in `constraint_column`; `column` holds `a_x` on return.
    fn solve(&mut self, ode: &mut AccelerationLevel<'_, S>) {
        if let Some(sparse) = &mut ode.memory.sparse {
            return sparse.differentiate(&mut self.column, &self.constraint_column);
        }
        let terms = &ode.memory.multipliers;
        if !self.lambda.is_empty() {
            multiply_transposed(&terms.weights, &self.column, &mut self.lambda);
            for (lambda, &constraint) in self.lambda.iter_mut().zip(&self.constraint_column) {
                *lambda -= constraint;
            }
            ode.memory.grammian.solve(&mut self.lambda);
        }
        terms.mass_factors.solve(&mut self.column);
        self.column.iter_mut().for_each(|entry| *entry = -*entry);
        add_columns(&terms.weights, &self.lambda, &mut self.column);
    }

    /// Forms the derivatives of `r₁` and `r₂`, and writes `f` into `rate`.
    fn form(&mut self, ode: &mut AccelerationLevel<'_, S>, t: S, y: &[S]) -> Result<(), Failure> {
        ode.accelerate(t, y, &mut self.rate)?;
        let n = y.len() / 2;
        let (q, v) = y.split_at(n);
        let a = &self.rate[n..];
        ode.mechanics.derivatives(t, q, v, &mut self.derivatives);
        self.dynamics.negate(&self.derivatives.forces_by_position);
        self.derivatives.add_inertia(S::from(1.0), a, &mut self.dynamics);
        self.derivatives.add_curvature(S::from(-1.0), &ode.lambda, &mut self.dynamics);
        if !ode.lambda.is_empty() {
            let at = Motion { t, q, v, a, lambda: &ode.lambda };
            ode.mechanics.acceleration_constraint_derivatives(at, &mut self.constraints_by_position);
            self.derivatives.constraint_rates(v, &mut self.constraint_rates);
        }
        Ok(())
    }

    /// Writes the matrices that determine `∂f/∂y`, and writes `f` into `rate`.
    pub(super) fn tangent(
        &mut self,
        ode: &mut AccelerationLevel<'_, S>,
        t: S,
        y: &[S],
        tangent: &mut TangentMatrices<S>,
    ) -> Result<(), Failure> {
        self.form(ode, t, y)?;
        let Some(sparse) = &ode.memory.sparse else { return Err(no_jacobian()) };
        let copy = |to: &mut Matrix<S>, factor: S, from: &Matrix<S>| {
            to.values_mut().iter_mut().zip(from.values()).for_each(|(to, &from)| *to = from * factor);
        };
        let one = S::from(1.0);
        let [by_position, by_velocity] = &mut tangent.dynamics;
        copy(&mut tangent.mass, one, &sparse.terms.mass);
        copy(&mut tangent.jacobian, one, &sparse.terms.jacobian);
        copy(by_position, one, &self.dynamics);
        copy(by_velocity, -one, &self.derivatives.forces_by_velocity);
        let [by_position, by_velocity] = &mut tangent.constraints;
        copy(by_position, one, &self.constraints_by_position);
        copy(by_velocity, S::from(2.0), &self.constraint_rates);
        Ok(())
    }

    /// Writes `∂f/∂y`, and writes `f` into `rate`.
    pub(super) fn jacobian(
        &mut self,
        ode: &mut AccelerationLevel<'_, S>,
        t: S,
        y: &[S],
        jacobian: &mut DMatrix<S>,
    ) -> Result<(), Failure> {
        self.form(ode, t, y)?;
        let n = y.len() / 2;
        jacobian.fill(S::zero());
        let one = S::from(1.0);
        for j in 0..n {
            jacobian[(j, n + j)] = one;
            copy_column(one, &self.dynamics, j, &mut self.column);
            copy_column(one, &self.constraints_by_position, j, &mut self.constraint_column);
            self.solve(ode);
            jacobian.as_mut_slice()[2 * n * j + n..][..n].copy_from_slice(&self.column);
            copy_column(-one, &self.derivatives.forces_by_velocity, j, &mut self.column);
            copy_column(S::from(2.0), &self.constraint_rates, j, &mut self.constraint_column);
            self.solve(ode);
            jacobian.as_mut_slice()[2 * n * (n + j) + n..][..n].copy_from_slice(&self.column);
        }
        Ok(())
    }

    /// Writes `∂f/∂t`.
    pub(super) fn time_derivative(
        &mut self,
        ode: &mut AccelerationLevel<'_, S>,
        t: S,
        y: &[S],
        by_time: &mut [S],
    ) -> Result<(), Failure> {
        ode.accelerate(t, y, &mut self.rate)?;
        let n = y.len() / 2;
        let (q, v) = y.split_at(n);
        let at = Motion { t, q, v, a: &self.rate[n..], lambda: &ode.lambda };
        ode.mechanics.time_derivatives(at, &mut self.column, &mut self.constraint_column);
        for entry in &mut self.column {
            *entry = -*entry;
        }
        self.solve(ode);
        let (q_rate, v_rate) = by_time.split_at_mut(n);
        q_rate.fill(S::zero());
        v_rate.copy_from_slice(&self.column);
        Ok(())
    }
}

impl<S: Scalar> AccelerationLevel<'_, S> {
    /// Calls `work` with the memory for derivatives, which is allocated at the first call.
    pub(super) fn with_linearised(
        &mut self,
        work: impl FnOnce(&mut Self, &mut Linearised<S>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut linearised = match self.linearised.take() {
            Some(linearised) => linearised,
            None if !self.properties().has_jacobian => return Err(no_jacobian()),
            None => Linearised::new(&mut *self.mechanics),
        };
        let result = work(self, &mut linearised);
        self.linearised = Some(linearised);
        result
    }
}

#[cfg(test)]
mod tests;
