//! Positions and velocities solved one after the other, for few bodies and b = 0.

use mbsbench_problem::linalg::{Lu, Singular, System, add_product, add_transposed_product, flops};
use nalgebra::DMatrix;

use super::Additive;
use crate::low_order::blocks::{self, increase, put_transposed};
use crate::low_order::formula::Trial;
use crate::low_order::newton::rounding;
use crate::low_order::shared::Shared;
use crate::newton::largest;

/// With b = 0 the positions do not depend on `R₁`. With the change of positions `u = δa + h²/(2 c_q) δR₀` and
/// `y = h²/(2 c_q) δψ₀`, Newton's equations are
///
/// ```text
/// (M₁ + c_q ∂(dynamics)/∂q) u − (1+α) c_v ∂D/∂v w − M₁ M₀⁻¹ J₀ᵀ y = residual,   J₁ u = −Φ/c_q
/// J₁ M₁⁻¹ J₁ᵀ δψ₁ = −2/h (J v₁ + Φ_t + c_q G u) − J₁ (M₁⁻¹ r + δR₀ + 2 c_v/h δa),   δR₁ = M₁⁻¹ (r + J₁ᵀ δψ₁)
/// ```
///
/// where `w = δa + h/(2 c_v) (δR₀ + δR₁)` is the change of velocities, `G` the derivative of the constraints' rates
/// with respect to the positions, and `r` the residual of `M₁ R₁ = J₁ᵀ ψ₁` including its change along `u`. Replacing
/// `w` by `u` leaves one saddle-point system of `n + n_c` unknowns, followed by a system of `n_c` unknowns. Without
/// damping this is Newton's method; with damping, the neglected terms are of order h.
pub struct Levels {
    /// The saddle-point system.
    pub system: System,
    /// `M₁⁻¹ J₁ᵀ`, and `J₁ M₁⁻¹ J₁ᵀ` with its factors.
    weights: DMatrix<f64>,
    grammian: DMatrix<f64>,
    factors: Lu<f64>,
    /// δR₀ and δψ₁.
    reaction: Vec<f64>,
    psi: Vec<f64>,
    /// The first guess of `(R₁, ψ₀, ψ₁)`, and whether the rest of the step uses Newton's method.
    pub shared: Shared<3>,
    /// The last correction in the step.
    pub last: f64,
}

impl Levels {
    /// Allocates memory for unknowns with the initial values `R₁`, `ψ₀`, `ψ₁`.
    pub fn new(start: [&[f64]; 3]) -> Self {
        let (n, m) = (start[0].len(), start[1].len());
        Self {
            system: System::new(n + m),
            weights: DMatrix::zeros(n, m),
            grammian: DMatrix::zeros(m, m),
            factors: Lu::new(m),
            reaction: vec![0.0; n],
            psi: vec![0.0; m],
            shared: Shared::new(start),
            last: f64::INFINITY,
        }
    }

    /// True if corrections converge so slowly that Newton's method has to be used instead. A correction at rounding
    /// level ends the iteration and is never slow, so that no case lies between the two.
    pub fn gives_up(&mut self, change: f64, is_rounding: bool) -> bool {
        let reform = !self.shared.slow && change > 0.1 * self.last && !is_rounding;
        self.last = change;
        self.shared.slow |= reform;
        reform
    }
}

impl Additive {
    /// Forms both matrices at the iterate.
    ///
    /// # Errors
    /// Returns [`Singular`] if the mass matrix is singular or the constraints are redundant.
    pub(super) fn form_levels(&mut self, trial: &Trial) -> Result<(), Singular> {
        let Trial { terms, derivatives, .. } = trial;
        let Self { predictor, alpha, reaction, psi, shifted, turning, metric, weights: at_start, levels, .. } = self;
        let Some(Levels { system, weights, grammian, factors, .. }) = levels else { return Ok(()) };
        let (n, m) = (shifted.len(), weights.ncols());
        let (of_forces, by_position, by_velocity) = (1.0 + *alpha, predictor.by_position, predictor.by_velocity);
        let jacobian = terms.jacobian.all();
        if !derivatives.has_constant_mass() {
            metric.matrix_mut().copy_from(terms.mass.all());
            metric.factorize()?;
            system.flops += metric.factorization_flops();
        }
        let blocks = [
            (1.0, metric.matrix()),
            (-of_forces * by_position, derivatives.forces_by_position.all()),
            (-of_forces * by_velocity, derivatives.forces_by_velocity.all()),
        ];
        system.put_saddle(blocks, 1.0, jacobian);
        derivatives.add_inertia(by_position, shifted, &mut system.matrix);
        let right = system.matrix.as_mut_slice()[n * (n + m)..].chunks_mut(n + m);
        for (column, of_multiplier) in right.zip(at_start.as_slice().chunks(n.max(1))) {
            column[..n].fill(0.0);
            metric.add_product(-1.0, of_multiplier, &mut column[..n]);
        }
        turning.fill(0.0);
        derivatives.add_inertia(1.0, reaction, turning);
        derivatives.add_curvature(-1.0, &psi[1], turning);
        put_transposed(weights, (0, 0), 1.0, jacobian);
        metric.solve_columns(weights);
        grammian.fill(0.0);
        blocks::add_product(grammian, (0, 0), 1.0, jacobian, weights);
        factors.factorize(grammian)?;
        system.flops += 2 * m as u64 * metric.solve_flops() + flops::product(m, n, m) + factors.factorization_flops();
        Ok(())
    }

    /// Corrects the unknowns. Returns the size of the correction.
    pub(super) fn solve_levels(&mut self, trial: &Trial) -> f64 {
        let terms = &trial.terms;
        let (mass, jacobian) = (terms.mass.all(), terms.jacobian.all());
        let Self {
            predictor,
            alpha,
            a,
            reaction,
            psi,
            shifted,
            metric,
            weights: at_start,
            reaction_change,
            turning,
            x,
            ..
        } = self;
        let Some(levels) = &mut self.levels else { return f64::NAN };
        let Levels { system, weights, factors, reaction: start_change, psi: psi_change, .. } = levels;
        let (n, m, h) = (a.len(), psi_change.len(), predictor.h);
        let x = &mut x[..n + m];
        let (dynamics, constraints) = x.split_at_mut(n);
        for (residual, &force) in dynamics.iter_mut().zip(&terms.forces) {
            *residual = (1.0 + *alpha) * force;
        }
        add_product(-1.0, mass, shifted, dynamics);
        for (residual, &phi) in constraints.iter_mut().zip(&terms.constraints) {
            *residual = -phi / predictor.by_position;
        }
        system.solve(x);
        let (change, multipliers) = x.split_at_mut(n);
        reaction_change.fill(0.0);
        add_product(-1.0, mass, reaction, reaction_change);
        add_transposed_product(1.0, jacobian, &psi[1], reaction_change);
        add_product(-predictor.by_position, turning, change, reaction_change);
        metric.solve(reaction_change);
        trial.derivatives.constraint_rates_along(&trial.v, change, psi_change);
        for (x, &rate) in psi_change.iter_mut().zip(&terms.constraint_rates) {
            *x = -2.0 / h * (rate + predictor.by_position * *x);
        }
        start_change.fill(0.0);
        add_product(1.0, at_start, multipliers, start_change);
        let to_start = 2.0 * predictor.by_position / (h * h);
        for (change, start) in change.iter_mut().zip(&mut *start_change) {
            *change -= *start;
            *start *= to_start;
        }
        let to_velocity = 2.0 * predictor.by_velocity / h;
        for ((start, &change), &end) in start_change.iter_mut().zip(&*change).zip(&*reaction_change) {
            *start += to_velocity * change + end;
        }
        add_product(-1.0, jacobian, start_change, psi_change);
        factors.solve_by_columns(psi_change);
        add_product(1.0, weights, psi_change, reaction_change);
        system.flops +=
            metric.solve_flops() + factors.solve_flops() + flops::product(m, n, 1) * 3 + flops::product(n, n, 1);
        increase(a, change);
        increase(reaction, reaction_change);
        psi[0].iter_mut().zip(&*multipliers).for_each(|(psi, &change)| *psi += to_start * change);
        increase(&mut psi[1], psi_change);
        largest(change).max(largest(reaction_change))
    }

    /// True if Newton's method has to be used after a correction of this size, which led to `trial`.
    pub(super) fn gives_up(&mut self, change: f64, trial: &Trial) -> bool {
        let is_rounding = change * self.predictor.by_position <= rounding(trial, self.predictor.h);
        self.levels.as_mut().is_some_and(|levels| levels.gives_up(change, is_rounding))
    }
}
