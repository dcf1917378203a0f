//! Positions and velocities solved one after the other, for b = 0.

use mbsbench_problem::linalg::{Lu, Saddle, Singular, System, add_product, flops};
use nalgebra::DMatrix;

use super::{Additive, react};
use crate::low_order::blocks::{self, increase, put_transposed};
use crate::low_order::formula::{Start, Trial};
use crate::low_order::metric::Metric;
use crate::low_order::newton::{ROUNDINGS, rounding};
use crate::low_order::shared::Shared;
use crate::newton::largest;
use crate::saddle::only;

/// With b = 0 the positions do not depend on `R₁`. With the change of positions `u = δa + h²/(2 c_q) δR₀` and
/// `y = h²/(2 c_q) δψ₀`, Newton's equations are
///
/// ```text
/// (M₁ + c_q ∂(dynamics)/∂q) u − (1+α) c_v ∂D/∂v w − M₁ M₀⁻¹ J₀ᵀ y = residual,   J₁ u = −Φ/c_q
/// M₁ δR₁ − J₁ᵀ δψ₁ = r,   J₁ δR₁ = −2/h (J v₁ + Φ_t + c_q G u) − J₁ (δR₀ + 2 c_v/h δa)
/// ```
///
/// where `w = δa + h/(2 c_v) (δR₀ + δR₁)` is the change of velocities, `G` the derivative of the constraints' rates
/// with respect to the positions, and `r` the residual of `M₁ R₁ = J₁ᵀ ψ₁` including its change along `u`. Replacing
/// `w` by `u` leaves two saddle-point systems of `n + n_c` unknowns. Without damping this is Newton's method; with
/// damping, the neglected terms are of order h.
pub struct Levels {
    pub systems: Systems,
    /// δR₀ and δψ₁.
    reaction: Vec<f64>,
    psi: Vec<f64>,
    /// `J v₁ + Φ_t`.
    pub rates: Vec<f64>,
    /// The first guess of `(R₁, ψ₀, ψ₁)`, and whether the rest of the step uses Newton's method.
    pub shared: Shared<3>,
    /// True if the sparse system of the velocities has to be formed again. It changes only with the positions, by
    /// `c_q δa`, and is kept over a step unless corrections decrease slowly.
    pub outdated: bool,
    /// The last correction in the step.
    pub last: f64,
}

/// The matrices of both levels.
pub enum Systems {
    /// The system of the positions; `M₁⁻¹ J₁ᵀ`, and `J₁ M₁⁻¹ J₁ᵀ` with its factors.
    Dense { system: System, weights: DMatrix<f64>, grammian: DMatrix<f64>, factors: Lu<f64> },
    /// The systems of positions and velocities. For many bodies, `J₀ᵀ` replaces the dense matrix `M₁ M₀⁻¹ J₀ᵀ`. The
    /// difference is zero if the mass is constant and otherwise of order h.
    Sparse { positions: Saddle, velocities: Saddle, x: Vec<f64> },
}

impl Systems {
    fn new(start: &Start<'_>) -> Self {
        let (n, m) = (start.q.len(), start.lambda.len());
        if start.is_sparse() {
            let saddle = start.saddle();
            return Self::Sparse { positions: saddle.clone(), velocities: saddle, x: vec![0.0; n + m] };
        }
        let (system, factors) = (System::new(n + m), Lu::new(m));
        Self::Dense { system, weights: DMatrix::zeros(n, m), grammian: DMatrix::zeros(m, m), factors }
    }

    /// A copy of the matrix of the positions.
    pub fn matrix(&self) -> DMatrix<f64> {
        match self {
            Self::Dense { system, .. } => system.matrix.clone(),
            Self::Sparse { positions, .. } => positions.to_dense(),
        }
    }

    fn solve_positions(&mut self, x: &mut [f64]) {
        match self {
            Self::Dense { system, .. } => system.solve(x),
            Self::Sparse { positions, .. } => positions.solve(x),
        }
    }

    /// Begins to solve for the velocities: `r` becomes the part of δR₁ that does not depend on δψ₁.
    fn begin_velocities(&mut self, metric: &Metric, r: &mut [f64]) {
        match self {
            Self::Dense { .. } => metric.solve(r),
            Self::Sparse { x, .. } => {
                x[..r.len()].copy_from_slice(r);
                r.fill(0.0);
            }
        }
    }

    /// Computes δψ₁, in place of the residual of the constraints, and δR₁.
    fn end_velocities(&mut self, metric: &Metric, reaction: &mut [f64], psi: &mut [f64]) {
        let (n, m) = (reaction.len(), psi.len());
        match self {
            Self::Dense { system, weights, factors, .. } => {
                factors.solve_by_columns(psi);
                add_product(1.0, weights, psi, reaction);
                system.flops += metric.solve_flops() + factors.solve_flops();
                system.flops += flops::product(m, n, 1) * 3 + flops::product(n, n, 1);
            }
            Self::Sparse { velocities, x, .. } => {
                x[n..].copy_from_slice(psi);
                velocities.solve(x);
                reaction.copy_from_slice(&x[..n]);
                psi.copy_from_slice(&x[n..]);
            }
        }
    }

    /// Operations so far.
    pub fn flops(&self) -> u64 {
        match self {
            Self::Dense { system, .. } => system.flops,
            Self::Sparse { positions, velocities, .. } => positions.flops() + velocities.flops(),
        }
    }
}

impl Levels {
    /// Allocates memory for unknowns with the initial values `R₁`, `ψ₀`, `ψ₁`.
    pub fn new(unknowns: [&[f64]; 3], start: &Start<'_>) -> Self {
        let (n, m) = (start.q.len(), start.lambda.len());
        Self {
            systems: Systems::new(start),
            reaction: vec![0.0; n],
            psi: vec![0.0; m],
            rates: vec![0.0; m],
            shared: Shared::new(unknowns),
            outdated: true,
            last: f64::INFINITY,
        }
    }

    /// Factorizes the matrices.
    ///
    /// # Errors
    /// Returns [`Singular`] if one is singular.
    pub fn factorize(&mut self) -> Result<(), Singular> {
        match &mut self.systems {
            Systems::Dense { system, .. } => system.factorize(),
            Systems::Sparse { positions, velocities, .. } => {
                if std::mem::take(&mut self.outdated) {
                    velocities.factorize()?;
                }
                positions.factorize()
            }
        }
    }
}

impl Additive {
    /// Forms both matrices at the iterate.
    ///
    /// # Errors
    /// Returns [`Singular`] if the mass matrix is singular or the constraints are redundant.
    pub(super) fn form_levels(&mut self, trial: &Trial) -> Result<(), Singular> {
        let Trial { terms, derivatives, .. } = trial;
        let Self { predictor, alpha, shifted, metric, weights: at_start, sparse, levels, .. } = self;
        let Some(levels) = levels else { return Ok(()) };
        let (of_forces, by_position, by_velocity) = (1.0 + *alpha, predictor.by_position, predictor.by_velocity);
        let blocks = [
            (1.0, &terms.mass),
            (-of_forces * by_position, &derivatives.forces_by_position),
            (-of_forces * by_velocity, &derivatives.forces_by_velocity),
        ];
        if let (Systems::Sparse { positions, velocities, .. }, Some(sparse)) = (&mut levels.systems, sparse) {
            positions.put_rows(blocks, &sparse.jacobian, &terms.jacobian);
            derivatives.add_inertia(by_position, shifted, positions);
            if levels.outdated {
                velocities.put(only(&terms.mass), 1.0, &terms.jacobian);
            }
        }
        let Systems::Dense { system, weights, grammian, factors } = &mut levels.systems else { return Ok(()) };
        let (n, m) = (shifted.len(), weights.ncols());
        let jacobian = terms.jacobian.all();
        if !derivatives.has_constant_mass() {
            metric.matrix_mut().copy_from(terms.mass.all());
            metric.factorize()?;
            system.flops += metric.factorization_flops();
        }
        system.put_saddle(blocks.map(|(factor, block)| (factor, block.all())), 1.0, jacobian);
        derivatives.add_inertia(by_position, shifted, &mut system.matrix);
        let right = system.matrix.as_mut_slice()[n * (n + m)..].chunks_mut(n + m);
        for (column, of_multiplier) in right.zip(at_start.as_slice().chunks(n.max(1))) {
            column[..n].fill(0.0);
            metric.add_product(-1.0, of_multiplier, &mut column[..n]);
        }
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
        let Self { predictor, alpha, reaction, psi, shifted, reaction_change, levels, x, .. } = self;
        let Some(levels) = levels else { return f64::NAN };
        let (dynamics, constraints) = x.split_at_mut(shifted.len());
        for (residual, &force) in dynamics.iter_mut().zip(&terms.forces) {
            *residual = (1.0 + *alpha) * force;
        }
        terms.mass.add_product(-1.0, shifted, dynamics);
        for (residual, &phi) in constraints.iter_mut().zip(&terms.constraints) {
            *residual = -phi / predictor.by_position;
        }
        reaction_change.fill(0.0);
        terms.mass.add_product(-1.0, reaction, reaction_change);
        terms.jacobian.add_transposed_product(1.0, &psi[1], reaction_change);
        levels.rates.copy_from_slice(&terms.constraint_rates);
        self.substitute(trial);
        let Self { predictor, a, reaction, psi, reaction_change, levels, x, .. } = self;
        let Some(levels) = levels else { return f64::NAN };
        let (n, h) = (a.len(), predictor.h);
        let to_start = 2.0 * predictor.by_position / (h * h);
        increase(a, &x[..n]);
        increase(reaction, reaction_change);
        psi[0].iter_mut().zip(&x[n..]).for_each(|(psi, &change)| *psi += to_start * change);
        increase(&mut psi[1], &levels.psi);
        largest(&x[..n]).max(largest(reaction_change))
    }

    /// Solves for the changes: those of `a` and y in `x`, from the residuals of dynamics and positions; that of `R₁`,
    /// from its residual; and that of ψ₁, from `rates`.
    pub(super) fn substitute(&mut self, trial: &Trial) {
        let Self { predictor, metric, weights, reaction_change, turning, sparse, levels, x, .. } = self;
        let Some(Levels { systems, reaction: start_change, psi: psi_change, rates, .. }) = levels else { return };
        let (n, m, h) = (start_change.len(), psi_change.len(), predictor.h);
        let x = &mut x[..n + m];
        systems.solve_positions(x);
        let (change, multipliers) = x.split_at_mut(n);
        turning.add_product(-predictor.by_position, change, reaction_change);
        systems.begin_velocities(metric, reaction_change);
        trial.derivatives.constraint_rates_along(&trial.v, change, psi_change);
        for (x, &rate) in psi_change.iter_mut().zip(&*rates) {
            *x = -2.0 / h * (rate + predictor.by_position * *x);
        }
        react(sparse, weights, multipliers, start_change);
        let to_start = 2.0 * predictor.by_position / (h * h);
        for (change, start) in change.iter_mut().zip(&mut *start_change) {
            *change -= *start;
            *start *= to_start;
        }
        let to_velocity = 2.0 * predictor.by_velocity / h;
        for ((start, &change), &end) in start_change.iter_mut().zip(&*change).zip(&*reaction_change) {
            *start += to_velocity * change + end;
        }
        trial.terms.jacobian.add_product(-1.0, start_change, psi_change);
        systems.end_velocities(metric, reaction_change, psi_change);
    }

    /// True if corrections converge so slowly that Newton's method has to be used after one of this size, which led to
    /// `trial`. A correction at rounding level ends the iteration and is never slow, so that no case lies between the
    /// two.
    pub(super) fn gives_up(&mut self, change: f64, trial: &Trial) -> bool {
        let Some(levels) = &mut self.levels else { return false };
        let last = std::mem::replace(&mut levels.last, change);
        levels.outdated |= change > 1e-2 * last;
        let gives_up = change > 0.1 * last
            && change * self.predictor.by_position > rounding(trial)
            && change > ROUNDINGS * self.attainable_sparse(trial).unwrap_or(0.0);
        if let Some(levels) = &mut self.levels {
            levels.shared.slow |= gives_up;
        }
        gives_up
    }
}
