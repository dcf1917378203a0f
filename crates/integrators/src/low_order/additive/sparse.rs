//! The sparse system of all unknowns, for mechanisms with many bodies.

use mbsbench_problem::Terms;
use mbsbench_problem::linalg::{Blocks, Matrix, Place, Singular};

use super::Additive;
use crate::low_order::blocks::{increase, parts};
use crate::low_order::formula::{Start, Trial};
use crate::low_order::newton::rounding_of;
use crate::newton::largest;

/// Newton's matrix of `(a, R₁, ψ₀, ψ₁, R₀)`, stored sparse. `R₀` is an unknown here, because the matrix `M₀⁻¹ J₀ᵀ` that
/// yields it elsewhere is dense.
pub struct SparseAdditive {
    pub blocks: Blocks,
    /// `M₀` with its factors, and `J₀`.
    mass: Matrix<f64>,
    masses: Blocks,
    jacobian: Matrix<f64>,
    /// `R₀`.
    pub reaction: Vec<f64>,
    stiffness: Matrix<f64>,
    turning: Matrix<f64>,
    rates: Matrix<f64>,
}

/// Indices of the blocks in the matrix: rows of the dynamics, of `R₁`, of positions, of velocities and of `R₀`.
const DYNAMICS: [usize; 3] = [0, 1, 2];
const REACTION: [usize; 4] = [3, 4, 5, 6];
const POSITIONS: [usize; 3] = [7, 8, 9];
const VELOCITIES: [usize; 3] = [10, 11, 12];
const BEFORE: [usize; 2] = [13, 14];

impl SparseAdditive {
    /// Allocates memory for the sparse terms of `start`.
    pub fn new(start: &Start<'_>) -> Self {
        let (n, m) = (start.q.len(), start.lambda.len());
        let (dynamics, jacobian) = (&start.structure.dynamics, &start.structure.jacobian);
        let (first, positions, velocities, before) = (n, 2 * n, 2 * n + m, 2 * n + 2 * m);
        let square = |row, column| Place::at(row, column, dynamics);
        let wide = |row, column| Place::at(row, column, jacobian);
        let places = [
            [square(0, 0), square(0, first), square(0, before)],
            [square(first, 0), square(first, first), square(first, before)],
            [wide(first, velocities).transposed(), wide(positions, 0), wide(positions, first)],
            [wide(positions, before), wide(velocities, 0), wide(velocities, first)],
            [wide(velocities, before), square(before, before), wide(before, positions).transposed()],
        ];
        let square = Matrix::new(dynamics, true);
        Self {
            blocks: Blocks::new(3 * n + 2 * m, &places.concat()),
            mass: square.clone(),
            masses: Blocks::new(n, &[Place::at(0, 0, dynamics)]),
            jacobian: Matrix::new(jacobian, true),
            reaction: vec![0.0; n],
            stiffness: square.clone(),
            turning: square,
            rates: Matrix::new(jacobian, true),
        }
    }

    /// Copies `M₀` and `J₀` from the terms at the start of a step and factorizes `M₀`.
    pub fn weigh(&mut self, terms: &Terms<f64>) -> Result<(), Singular> {
        self.mass.values_mut().copy_from_slice(terms.mass.values());
        self.jacobian.values_mut().copy_from_slice(terms.jacobian.values());
        self.masses.clear();
        self.masses.add(0, 1.0, &self.mass);
        self.masses.factorize()
    }

    /// Computes `x = M₀⁻¹ x`.
    pub fn divide(&mut self, x: &mut [f64]) {
        self.masses.x.copy_from_slice(x);
        self.masses.solve();
        x.copy_from_slice(&self.masses.x);
    }

    /// Computes `R₀` from `ψ₀`.
    pub fn react(&mut self, psi: &[f64]) {
        let x = &mut self.masses.x;
        x.fill(0.0);
        self.jacobian.add_transposed_product(1.0, psi, x);
        self.masses.solve();
        self.reaction.copy_from_slice(&self.masses.x);
    }

    /// Operations so far.
    pub fn flops(&self) -> u64 {
        self.blocks.flops + self.masses.flops
    }
}

impl Additive {
    /// Forms Newton's matrix at the iterate.
    pub(super) fn form_sparse(&mut self, trial: &Trial) {
        let Trial { terms, derivatives, .. } = trial;
        let (at_start, at_end, in_velocity) = self.factors();
        let Self { predictor, alpha, b, reaction, psi, shifted, sparse, .. } = self;
        let Some(SparseAdditive { blocks, mass, jacobian, stiffness, turning, rates, .. }) = sparse else { return };
        let (by_position, by_velocity) = (predictor.by_position, predictor.by_velocity);
        let (of_forces, h) = (1.0 + *alpha, predictor.h);
        let damping = &derivatives.forces_by_velocity;
        stiffness.values_mut().fill(0.0);
        derivatives.add_inertia(1.0, shifted, stiffness);
        for (sum, &force) in stiffness.values_mut().iter_mut().zip(derivatives.forces_by_position.values()) {
            *sum -= of_forces * force;
        }
        turning.values_mut().fill(0.0);
        derivatives.add_inertia(1.0, reaction, turning);
        derivatives.add_curvature(-1.0, &psi[1], turning);
        derivatives.constraint_rates(&trial.v, rates);
        blocks.clear();
        blocks.add(DYNAMICS[0], 1.0, &terms.mass);
        let in_position = [by_position, at_end, at_start];
        for (place, (position, velocity)) in
            DYNAMICS.into_iter().zip(in_position.into_iter().zip([by_velocity, in_velocity, in_velocity]))
        {
            blocks.add(place, position, stiffness);
            blocks.add(place, -of_forces * velocity, damping);
        }
        let [by_a, by_itself, by_start, by_psi] = REACTION;
        blocks.add(by_itself, 1.0, &terms.mass);
        for (place, position) in [by_a, by_itself, by_start].into_iter().zip(in_position) {
            blocks.add(place, position, turning);
        }
        blocks.add(by_psi, -1.0, &terms.jacobian);
        for (place, factor) in POSITIONS.into_iter().zip([2.0 * by_position / (h * h), *b, 1.0 - *b]) {
            blocks.add(place, factor, &terms.jacobian);
        }
        let in_velocity = [2.0 * by_velocity / h, 1.0, 1.0];
        for (place, (position, velocity)) in VELOCITIES.into_iter().zip(in_position.into_iter().zip(in_velocity)) {
            blocks.add(place, velocity, &terms.jacobian);
            blocks.add(place, 2.0 * position / h, rates);
        }
        blocks.add(BEFORE[0], 1.0, mass);
        blocks.add(BEFORE[1], -1.0, jacobian);
    }

    /// Corrects the unknowns. Returns the size of the correction.
    pub(super) fn solve_sparse(&mut self, trial: &Trial) -> f64 {
        let terms = &trial.terms;
        let (n, m) = (self.a.len(), self.psi[0].len());
        let Self { predictor, alpha, a, reaction, psi, shifted, sparse, .. } = self;
        let Some(SparseAdditive { blocks, mass, jacobian, reaction: before, .. }) = sparse else { return f64::NAN };
        let h = predictor.h;
        let x = &mut blocks.x;
        x.fill(0.0);
        let [dynamics, reactions, positions, velocities, at_start] = parts(x, [n, n, m, m, n]);
        for (residual, &force) in dynamics.iter_mut().zip(&terms.forces) {
            *residual = (1.0 + *alpha) * force;
        }
        terms.mass.add_product(-1.0, shifted, dynamics);
        terms.mass.add_product(-1.0, reaction, reactions);
        terms.jacobian.add_transposed_product(1.0, &psi[1], reactions);
        for c in 0..m {
            positions[c] = -2.0 * terms.constraints[c] / (h * h);
            velocities[c] = -2.0 * terms.constraint_rates[c] / h;
        }
        mass.add_product(-1.0, before, at_start);
        jacobian.add_transposed_product(1.0, &psi[0], at_start);
        blocks.solve();
        let x = &blocks.x;
        increase(a, &x[..n]);
        increase(reaction, &x[n..2 * n]);
        increase(&mut psi[0], &x[2 * n..2 * n + m]);
        increase(&mut psi[1], &x[2 * n + m..2 * n + 2 * m]);
        increase(before, &x[2 * n + 2 * m..]);
        largest(&x[..2 * n])
    }

    /// See [`Formula::attainable`](crate::low_order::formula::Formula::attainable); none if the system is not sparse.
    pub(super) fn attainable_sparse(&mut self, trial: &Trial) -> Option<f64> {
        let terms = &trial.terms;
        let (n, m) = (self.a.len(), self.psi[0].len());
        let Self { predictor, alpha, reaction, psi, shifted, sparse, .. } = self;
        let SparseAdditive { blocks, mass, jacobian, reaction: before, .. } = sparse.as_mut()?;
        let h = predictor.h;
        let x = &mut blocks.x;
        x.fill(0.0);
        let [dynamics, reactions, positions, velocities, at_start] = parts(x, [n, n, m, m, n]);
        for (size, &force) in dynamics.iter_mut().zip(&terms.forces) {
            *size = (1.0 + *alpha) * force.abs();
        }
        terms.mass.add_sizes(1.0, shifted, dynamics);
        terms.mass.add_sizes(1.0, reaction, reactions);
        terms.jacobian.add_transposed_sizes(&psi[1], reactions);
        terms.jacobian.add_sizes(2.0 / (h * h), &trial.q, positions);
        terms.jacobian.add_sizes(2.0 / h, &trial.v, velocities);
        mass.add_sizes(1.0, before, at_start);
        jacobian.add_transposed_sizes(&psi[0], at_start);
        rounding_of(x);
        blocks.solve();
        Some(largest(&blocks.x[..2 * n]))
    }
}
