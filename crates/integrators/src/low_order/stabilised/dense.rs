//! The dense system of all unknowns, against which the other solvers are compared.

use mbsbench_problem::linalg::add_transposed_product;

use super::Stabilised;
use crate::low_order::blocks::{add, increase, put, put_transposed};
use crate::low_order::formula::Trial;
use crate::newton::largest;

impl Stabilised {
    /// Corrects all unknowns by the dense system.
    pub(super) fn solve_dense(&mut self, trial: &Trial) -> f64 {
        let (n, m) = (self.a.len(), self.nu.len());
        let Self { predictor, a, e, lower, nu, metric, system, x, .. } = self;
        let (positions, rest) = x[n..].split_at_mut(m);
        let (accelerations, velocities) = rest.split_at_mut(n);
        for c in 0..m {
            positions[c] = -trial.terms.constraints[c] / predictor.by_position;
            velocities[c] = -trial.terms.constraint_rates[c] / predictor.by_velocity;
        }
        accelerations.fill(0.0);
        metric.add_product(-1.0, e, accelerations);
        add_transposed_product(1.0, trial.terms.jacobian.all(), nu, accelerations);
        system.solve(x);
        increase(a, &x[..n]);
        increase(lower, &x[n..n + m]);
        increase(e, &x[n + m..2 * n + m]);
        increase(nu, &x[2 * n + m..]);
        largest(&x[..n]).max(largest(&x[n + m..2 * n + m]))
    }

    /// Completes Newton's matrix of all unknowns; the part of `a` and the lower multiplier is already filled in.
    pub(super) fn form_dense(&mut self, trial: &Trial) {
        let Trial { terms, derivatives, .. } = trial;
        let (n, m) = (self.a.len(), self.nu.len());
        let (second, last) = (n + m, 2 * n + m);
        let damping = self.damping();
        let Self { predictor, alpha, nu, metric, pair, system, .. } = self;
        pair.differentiate(trial, nu, predictor);
        let matrix = &mut system.matrix;
        put(matrix, (0, second), damping, derivatives.forces_by_velocity.all());
        if alpha.is_none() {
            add(matrix, (0, second), 1.0, terms.mass.all());
        }
        put(matrix, (second, 0), -1.0, &pair.turning);
        put(matrix, (second, second), 1.0, metric.matrix());
        put_transposed(matrix, (second, last), -1.0, terms.jacobian.all());
        put(matrix, (last, 0), 1.0, terms.jacobian.all());
        add(matrix, (last, 0), predictor.by_position / predictor.by_velocity, &pair.rates);
        put(matrix, (last, second), 1.0, terms.jacobian.all());
    }
}
