//! The sparse system of all unknowns, for mechanisms with many bodies.

use mbsbench_problem::linalg::{Blocks, Matrix, Pattern, Place};

use super::Stabilised;
use crate::low_order::blocks::{increase, parts};
use crate::low_order::formula::{Start, Trial};
use crate::low_order::newton::rounding_of;
use crate::newton::largest;

/// Newton's matrix of `(a, λ, e, ν)`, as in [`dense`](super::dense), stored sparse.
pub struct SparsePair {
    pub blocks: Blocks,
    /// `M_s`, or the identity.
    pub metric: Matrix<f64>,
    /// `c_q ∂(Jᵀ ν)/∂q`, and `∂(J v + Φ_t)/∂q`.
    turning: Matrix<f64>,
    rates: Matrix<f64>,
}

/// Indices of the blocks in the matrix.
const DYNAMICS: usize = 0;
const BY_MULTIPLIERS: usize = 1;
const POSITIONS: usize = 2;
const BY_SECOND: usize = 3;
const SECOND_BY_POSITION: usize = 4;
const METRIC: usize = 5;
const SECOND_BY_MULTIPLIERS: usize = 6;
const VELOCITIES: usize = 7;
const VELOCITIES_BY_SECOND: usize = 8;

impl SparsePair {
    /// Allocates memory for the sparse terms of `start`; the metric is `M_s` if `with_mass`, otherwise the identity.
    pub fn new(start: &Start<'_>, with_mass: bool) -> Self {
        let (n, m) = (start.q.len(), start.lambda.len());
        let (dynamics, jacobian) = (&start.structure.dynamics, &start.structure.jacobian);
        let (second, last) = (n + m, 2 * n + m);
        let diagonal = std::sync::Arc::new(Pattern::new((n, n), (0..n).map(|i| (i, i))));
        let mut metric = Matrix::new(if with_mass { dynamics } else { &diagonal }, true);
        if !with_mass {
            metric.values_mut().fill(1.0);
        }
        let of_metric = if with_mass { &**dynamics } else { &*diagonal };
        let places = [
            Place::at(0, 0, dynamics),
            Place::at(0, n, jacobian).transposed(),
            Place::at(n, 0, jacobian),
            Place::at(0, second, dynamics),
            Place::at(second, 0, dynamics),
            Place::at(second, second, of_metric),
            Place::at(second, last, jacobian).transposed(),
            Place::at(last, 0, jacobian),
            Place::at(last, second, jacobian),
        ];
        Self {
            blocks: Blocks::new(2 * (n + m), &places),
            metric,
            turning: Matrix::new(dynamics, true),
            rates: Matrix::new(jacobian, true),
        }
    }
}

impl Stabilised {
    /// Forms Newton's matrix at the iterate.
    pub(super) fn form_sparse(&mut self, trial: &Trial) {
        let Trial { terms, derivatives, .. } = trial;
        let (of_forces, damping) = (self.of_forces(), self.damping());
        let Self { predictor, alpha, total, lower, nu, sparse, .. } = self;
        let Some(SparsePair { blocks, metric, turning, rates }) = sparse else { return };
        let by_position = predictor.by_position;
        blocks.clear();
        blocks.add(DYNAMICS, 1.0, if alpha.is_some() { metric } else { &terms.mass });
        blocks.add(DYNAMICS, -of_forces * by_position, &derivatives.forces_by_position);
        blocks.add(DYNAMICS, damping, &derivatives.forces_by_velocity);
        turning.values_mut().fill(0.0);
        if alpha.is_none() {
            derivatives.add_inertia(by_position, total, turning);
        }
        derivatives.add_curvature(-of_forces * by_position, lower, turning);
        blocks.add(DYNAMICS, 1.0, turning);
        blocks.add(BY_MULTIPLIERS, -of_forces, &terms.jacobian);
        blocks.add(POSITIONS, 1.0, &terms.jacobian);
        blocks.add(BY_SECOND, damping, &derivatives.forces_by_velocity);
        if alpha.is_none() {
            blocks.add(BY_SECOND, 1.0, &terms.mass);
        }
        turning.values_mut().fill(0.0);
        derivatives.add_curvature(by_position, nu, turning);
        blocks.add(SECOND_BY_POSITION, -1.0, turning);
        blocks.add(METRIC, 1.0, metric);
        blocks.add(SECOND_BY_MULTIPLIERS, -1.0, &terms.jacobian);
        derivatives.constraint_rates(&trial.v, rates);
        blocks.add(VELOCITIES, 1.0, &terms.jacobian);
        blocks.add(VELOCITIES, by_position / predictor.by_velocity, rates);
        blocks.add(VELOCITIES_BY_SECOND, 1.0, &terms.jacobian);
    }

    /// Corrects the unknowns. The residual of the dynamics is already in `x`. Returns the size of the correction.
    pub(super) fn solve_sparse(&mut self, trial: &Trial) -> f64 {
        let (n, m) = (self.a.len(), self.nu.len());
        let Self { predictor, a, e, lower, nu, sparse, x, .. } = self;
        let Some(SparsePair { blocks, metric, .. }) = sparse else { return f64::NAN };
        let [dynamics, positions, second, velocities] = parts(&mut blocks.x, [n, m, n, m]);
        dynamics.copy_from_slice(&x[..n]);
        for c in 0..m {
            positions[c] = -trial.terms.constraints[c] / predictor.by_position;
            velocities[c] = -trial.terms.constraint_rates[c] / predictor.by_velocity;
        }
        second.fill(0.0);
        metric.add_product(-1.0, e, second);
        trial.terms.jacobian.add_transposed_product(1.0, nu, second);
        blocks.solve();
        increase(a, &blocks.x[..n]);
        increase(lower, &blocks.x[n..n + m]);
        increase(e, &blocks.x[n + m..2 * n + m]);
        increase(nu, &blocks.x[2 * n + m..]);
        largest(&blocks.x[..n]).max(largest(&blocks.x[n + m..2 * n + m]))
    }

    /// See [`Formula::attainable`](crate::low_order::formula::Formula::attainable); none if the system is not sparse.
    pub(super) fn attainable_sparse(&mut self, trial: &Trial) -> Option<f64> {
        let (n, m, of_forces) = (self.a.len(), self.nu.len(), self.of_forces());
        let Self { predictor, alpha, a, e, lower, nu, forces, total, sparse, .. } = self;
        let SparsePair { blocks, metric, .. } = sparse.as_mut()?;
        let terms = &trial.terms;
        let [dynamics, positions, second, velocities] = parts(&mut blocks.x, [n, m, n, m]);
        dynamics.fill(0.0);
        terms.jacobian.add_transposed_sizes(lower, dynamics);
        let earlier = alpha.unwrap_or(0.0);
        for (size, (force, before)) in dynamics.iter_mut().zip(terms.forces.iter().zip(&*forces)) {
            *size = of_forces * (*size + force.abs()) + (earlier * before).abs();
        }
        if alpha.is_some() {
            metric.add_sizes(1.0, a, dynamics);
        } else {
            terms.mass.add_sizes(1.0, total, dynamics);
        }
        positions.fill(0.0);
        terms.jacobian.add_sizes(1.0 / predictor.by_position, &trial.q, positions);
        second.fill(0.0);
        metric.add_sizes(1.0, e, second);
        terms.jacobian.add_transposed_sizes(nu, second);
        velocities.fill(0.0);
        terms.jacobian.add_sizes(1.0 / predictor.by_velocity, &trial.v, velocities);
        rounding_of(&mut blocks.x);
        blocks.solve();
        Some(largest(&blocks.x[..n]).max(largest(&blocks.x[n + m..2 * n + m])))
    }
}
