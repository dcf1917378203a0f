//! Formulas with constraints on both levels and two accelerations: HHT-SI2, NSTIFF-SI2, generalized-α.

mod dense;
mod sparse;

use mbsbench_problem::CountedMechanics;
use mbsbench_problem::linalg::{Singular, System, add_product, add_transposed_product, flops};
use nalgebra::DMatrix;

use super::blocks::increase;
use super::formula::{Correction, Formula, Start, Trial};
use super::metric::Metric;
use super::newton::{ROUNDINGS, rounding};
use super::predictor::{Discretisation, Predictor};
use super::settings::PairAlgebra;
use super::shared::Shared;
use super::velocity_pair::VelocityPair;
use crate::newton::{largest, place_of_largest};
use sparse::SparsePair;

/// The formulas, with the acceleration `a` of the positions (negrut2007: ã; and `w = v̂ + c_v a` in NSTIFF-SI2), the
/// acceleration `a + e` of the velocities, and a multiplier ν of the velocity constraints:
///
/// ```text
/// q₁ = q̂ + c_q a,  Φ(q₁)/c_q = 0,   v₁ = v̂ + c_v (a + e),  (J v₁ + Φ_t)/c_v = 0
/// HHT-SI2     M_s a + α f₀ − (1+α) (D + Jᵀ l) = 0,   M_s e = Jᵀ ν,   λ = l + ν/(1+α),   M_s = M(q₀ + (1+α) h v₀)
/// NSTIFF-SI2  M₁ (a + e) − D − Jᵀ λ = 0,             e = Jᵀ ν
/// ```
///
/// (negrut2007, Eqs. 14 to 18, and 8, 9 with the constraints of both levels.) The generalized-α method has the
/// equations of NSTIFF-SI2 with its own q̂, v̂, c_q and c_v, and `a + e` in its algorithmic accelerations.
/// [`VelocityPair`] eliminates `e` and ν from Newton's system, which leaves the `n + n_c` unknowns of HHT-I3 and
/// NSTIFF. In HHT-SI2 their matrix can also replace the matrix of `(e, ν)` ([`Shared`]): both contain `M_s`, and the
/// rest is of order h.
pub struct Stabilised {
    predictor: Predictor,
    /// α of HHT-SI2; none for the others.
    alpha: Option<f64>,
    algebra: PairAlgebra,
    a: Vec<f64>,
    e: Vec<f64>,
    /// The multiplier l of HHT-SI2, or λ.
    lower: Vec<f64>,
    nu: Vec<f64>,
    /// λ at the end of the last step.
    lambda: Vec<f64>,
    /// `a + e`.
    total: Vec<f64>,
    /// f₀, all forces at the start of the step.
    forces: Vec<f64>,
    shifted: Vec<f64>,
    /// `M_s`, or the identity, in `e = metric⁻¹ Jᵀ ν`.
    metric: Metric,
    /// True if `metric` already holds a constant mass matrix, and true if it is factorized.
    weighed: bool,
    factorized: bool,
    pair: VelocityPair,
    /// True if the blocks of `pair` have to be recomputed.
    outdated: bool,
    /// The last correction in the step.
    last: f64,
    shared: Shared<2>,
    /// Correction of the positions' pair, if both pairs use one matrix.
    position: Vec<f64>,
    system: System,
    /// Used instead of `metric`, `pair` and `system` for mechanisms with many bodies.
    sparse: Option<SparsePair>,
    /// The negative residual, then the correction.
    x: Vec<f64>,
}

impl Stabilised {
    /// Creates the formula at the start of a run; `alpha` is given for HHT-SI2 and none for the others.
    pub fn new(discretisation: Discretisation, alpha: Option<f64>, algebra: PairAlgebra, start: &Start<'_>) -> Self {
        let (n, m) = (start.q.len(), start.lambda.len());
        let sparse = start.is_sparse().then(|| SparsePair::new(start, alpha.is_some()));
        let [of_pair, constraints] = if sparse.is_some() { [0; 2] } else { [n, m] };
        let whole = algebra == PairAlgebra::Dense && sparse.is_none();
        let size = if whole { 2 * (n + m) } else { n + m };
        let mut forces = vec![0.0; n];
        start.terms.all_forces(start.lambda, &mut forces);
        Self {
            predictor: Predictor::new(discretisation, start),
            alpha,
            algebra,
            a: start.a.to_vec(),
            e: vec![0.0; n],
            lower: start.lambda.to_vec(),
            nu: vec![0.0; m],
            lambda: start.lambda.to_vec(),
            total: start.a.to_vec(),
            forces,
            shifted: vec![0.0; n],
            metric: Metric::identity(of_pair),
            weighed: false,
            factorized: alpha.is_none(),
            pair: VelocityPair::new(of_pair, constraints),
            outdated: true,
            last: f64::INFINITY,
            shared: Shared::new([&vec![0.0; of_pair], &vec![0.0; constraints]]),
            position: vec![0.0; of_pair + constraints],
            system: System::new(if sparse.is_some() { 0 } else { size }),
            x: vec![0.0; size],
            sparse,
        }
    }

    /// Weight of the forces at the end of the step.
    fn of_forces(&self) -> f64 {
        1.0 + self.alpha.unwrap_or(0.0)
    }

    /// Writes the negative residual of the equations of motion.
    fn dynamics(&mut self, trial: &Trial) {
        let of_forces = self.of_forces();
        let residual = &mut self.x[..self.a.len()];
        trial.terms.all_forces(&self.lower, residual);
        match self.alpha {
            Some(alpha) => {
                for (residual, &force) in residual.iter_mut().zip(&self.forces) {
                    *residual = of_forces * *residual - alpha * force;
                }
                match &self.sparse {
                    Some(sparse) => sparse.metric.add_product(-1.0, &self.a, residual),
                    None => self.metric.add_product(-1.0, &self.a, residual),
                }
            }
            None => trial.terms.mass.add_product(-1.0, &self.total, residual),
        }
    }

    /// Newton's correction with `e` and ν eliminated. Returns its size.
    fn solve_reduced(&mut self, trial: &Trial) -> f64 {
        let n = self.a.len();
        let damping = self.damping();
        let Self { predictor, alpha, a, e, lower, nu, metric, pair, system, x, .. } = self;
        pair.begin(trial, (e, nu), metric, predictor);
        let (dynamics, constraints) = x.split_at_mut(n);
        add_by_e(-1.0, damping, alpha.is_none(), trial, &pair.e_change, dynamics);
        for (residual, &phi) in constraints.iter_mut().zip(&trial.terms.constraints) {
            *residual = -phi / predictor.by_position;
        }
        system.flops += flops_by_e(n, alpha.is_none());
        system.solve(x);
        let (change, multipliers) = x.split_at(n);
        pair.end(trial, change);
        increase(a, change);
        increase(lower, multipliers);
        increase(e, &pair.e_change);
        increase(nu, &pair.nu_change);
        largest(change).max(largest(&pair.e_change))
    }

    /// Corrects the pair of the positions, then that of the velocities, with one matrix. The first correction lacks
    /// `(1+α) c_v ∂D/∂v δe`; the second lacks the same term with opposite sign and a term of order h². Damping depends
    /// on the acceleration `a + e` of the velocities, which therefore lacks only the term of order h².
    fn solve_shared(&mut self, trial: &Trial) -> f64 {
        let (n, of_forces) = (self.a.len(), self.of_forces());
        let Self { predictor, a, e, lower, nu, metric, position, system, x, .. } = self;
        let terms = &trial.terms;
        for (residual, &phi) in x[n..].iter_mut().zip(&terms.constraints) {
            *residual = -phi / predictor.by_position;
        }
        system.solve(x);
        position.copy_from_slice(x);
        let (dynamics, velocities) = x.split_at_mut(n);
        dynamics.fill(0.0);
        add_transposed_product(1.0, terms.jacobian.all(), nu, dynamics);
        metric.add_product(-1.0, e, dynamics);
        trial.derivatives.constraint_rates_along(&trial.v, &position[..n], velocities);
        let ratio = predictor.by_position / predictor.by_velocity;
        let constraints = terms.constraints.iter().zip(&terms.constraint_rates);
        for (x, (&phi, &rate)) in velocities.iter_mut().zip(constraints) {
            *x = phi / predictor.by_position - rate / predictor.by_velocity - ratio * *x;
        }
        system.solve(x);
        let (change, multipliers) = position.split_at(n);
        let (e_change, nu_change) = x.split_at(n);
        increase(a, change);
        increase(lower, multipliers);
        increase(e, e_change);
        nu.iter_mut().zip(nu_change).for_each(|(nu, &change)| *nu += of_forces * change);
        largest(change).max(largest(e_change))
    }

    /// Forms Newton's matrix with `e` and ν eliminated.
    fn form_reduced(&mut self, trial: &Trial) -> Result<(), Singular> {
        let n = self.a.len();
        let damping = self.damping();
        let Self { predictor, alpha, nu, metric, factorized, pair, outdated, system, .. } = self;
        if *outdated {
            if !*factorized {
                metric.factorize()?;
                system.flops += metric.factorization_flops();
                *factorized = true;
            }
            pair.form(trial, nu, metric, predictor)?;
            *outdated = false;
        }
        let stride = system.matrix.nrows();
        for &j in trial.derivatives.curved() {
            let column = &mut system.matrix.as_mut_slice()[j * stride..][..n];
            add_by_e(1.0, damping, alpha.is_none(), trial, &pair.turning.as_slice()[j * n..][..n], column);
            system.flops += flops_by_e(n, alpha.is_none());
        }
        Ok(())
    }

    /// Factor of the derivatives with respect to velocities in the equations of motion.
    fn damping(&self) -> f64 {
        -self.of_forces() * self.predictor.by_velocity
    }
}

/// Adds to `y` the product of `factor`, the derivative of the equations of motion with respect to `e`, and `x`.
fn add_by_e(factor: f64, damping: f64, with_mass: bool, trial: &Trial, x: &[f64], y: &mut [f64]) {
    add_product(factor * damping, trial.derivatives.forces_by_velocity.all(), x, y);
    if with_mass {
        add_product(factor, trial.terms.mass.all(), x, y);
    }
}

/// Operations of [`add_by_e`].
fn flops_by_e(n: usize, with_mass: bool) -> u64 {
    flops::product(n, n, 1) * (1 + u64::from(with_mass))
}

impl Formula for Stabilised {
    fn begin(&mut self, guess: bool, mechanics: &mut CountedMechanics<'_>, trial: &mut Trial) -> Result<(), Singular> {
        let h = trial.h;
        self.predictor.predict(h, &self.total);
        (self.outdated, self.last) = (true, f64::INFINITY);
        if let Some(alpha) = self.alpha.filter(|_| !self.weighed) {
            let [q, v] = &self.predictor.start;
            for i in 0..q.len() {
                self.shifted[i] = q[i] + (1.0 + alpha) * h * v[i];
            }
            match &mut self.sparse {
                Some(sparse) => mechanics.mass_in(&self.shifted, &mut sparse.metric),
                None => mechanics.mass(&self.shifted, self.metric.matrix_mut()),
            }
            self.factorized = false;
            self.weighed = trial.derivatives.has_constant_mass();
            if self.weighed && self.sparse.is_none() {
                self.metric.recognise();
            }
        }
        if self.algebra == PairAlgebra::Shared && self.sparse.is_none() {
            self.shared.begin([&mut self.e, &mut self.nu]);
        }
        if !guess {
            self.a.fill(0.0);
            self.lower.fill(0.0);
            self.total.fill(0.0);
        }
        self.predictor.end(&self.a, Some(&self.e), &mut trial.q, &mut trial.v);
        Ok(())
    }

    fn form(&mut self, trial: &Trial) -> Result<(), Singular> {
        if self.sparse.is_some() {
            self.form_sparse(trial);
            return Ok(());
        }
        let Trial { terms, derivatives, .. } = trial;
        let (of_forces, damping) = (self.of_forces(), self.damping());
        let Self { predictor, alpha, total, lower, metric, system, .. } = self;
        let by_position = predictor.by_position;
        let mass = if alpha.is_some() { metric.matrix() } else { terms.mass.all() };
        let (stiffness, by_velocity) = (derivatives.forces_by_position.all(), derivatives.forces_by_velocity.all());
        let blocks = [(1.0, mass), (-of_forces * by_position, stiffness), (damping, by_velocity)];
        system.put_saddle(blocks, of_forces, terms.jacobian.all());
        let matrix = &mut system.matrix;
        if alpha.is_none() {
            derivatives.add_inertia(by_position, total, matrix);
        }
        derivatives.add_curvature(-of_forces * by_position, lower, matrix);
        match self.algebra {
            PairAlgebra::Dense => self.form_dense(trial),
            PairAlgebra::Shared if !self.shared.slow => {}
            _ => self.form_reduced(trial)?,
        }
        Ok(())
    }

    fn matrix(&self) -> DMatrix<f64> {
        self.sparse.as_ref().map_or_else(|| self.system.matrix.clone(), SparsePair::matrix)
    }

    fn factorize(&mut self) -> Result<(), Singular> {
        match &mut self.sparse {
            Some(sparse) => sparse.factorize(&mut self.outdated),
            None => self.system.factorize(),
        }
    }

    fn correct(&mut self, trial: &mut Trial) -> Correction {
        self.dynamics(trial);
        let (change, solves, split) = match self.algebra {
            _ if self.sparse.is_some() => (self.solve_sparse(trial), 1, !self.shared.slow),
            PairAlgebra::Dense => (self.solve_dense(trial), 1, false),
            PairAlgebra::Shared if !self.shared.slow => (self.solve_shared(trial), 2, true),
            _ => (self.solve_reduced(trial), 1, false),
        };
        let ratio = change / self.last;
        // Newton's method gains more digits than this, but not with blocks of outdated positions.
        self.outdated |= ratio > 1e-2;
        self.last = change;
        for i in 0..self.total.len() {
            self.total[i] = self.a[i] + self.e[i];
        }
        self.predictor.end(&self.a, Some(&self.e), &mut trial.q, &mut trial.v);
        let by_position = self.predictor.by_position;
        // Either slow, or at rounding level, where the iteration ends; no case lies between the two.
        let reform = split
            && ratio > 0.1
            && change * by_position > rounding(trial)
            && change > ROUNDINGS * self.attainable_sparse(trial).unwrap_or(0.0);
        self.shared.slow |= reform;
        Correction { change, size: largest(&self.total), by_position, solves, reform }
    }

    fn most_corrected(&self) -> usize {
        place_of_largest(&self.x[..self.a.len()])
    }

    fn attainable(&mut self, trial: &Trial) -> Option<f64> {
        self.attainable_sparse(trial)
    }

    fn accept(&mut self, trial: &Trial) -> Result<(), Singular> {
        let of_nu = self.alpha.map_or(0.0, |alpha| 1.0 / (1.0 + alpha));
        for (c, lambda) in self.lambda.iter_mut().enumerate() {
            *lambda = self.lower[c] + of_nu * self.nu[c];
        }
        trial.terms.all_forces(&self.lambda, &mut self.forces);
        self.predictor.keep(&self.total);
        self.predictor.accept(&trial.q, &trial.v);
        self.shared.accept();
        Ok(())
    }

    fn multipliers(&self) -> &[f64] {
        &self.lambda
    }

    fn flops(&self) -> u64 {
        self.system.flops + self.pair.flops + self.sparse.as_ref().map_or(0, SparsePair::flops)
    }
}
