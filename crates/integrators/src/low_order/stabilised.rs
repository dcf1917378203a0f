//! Formulas with constraints on both levels and two accelerations: HHT-SI2, NSTIFF-SI2.

use mbsbench_problem::CountedMechanics;
use mbsbench_problem::linalg::{Lu, Singular, add_product, add_transposed_product};
use nalgebra::DMatrix;

use super::blocks::{self, System, add, increase, largest, put, put_transposed, solve_columns};
use super::formula::{Correction, Formula, Start, Trial};
use super::predictor::{Discretisation, Predictor};
use super::settings::LinearAlgebra;

/// Both formulas, with `a` for the acceleration of the positions (negrut2007: ã; and `w = v̂ + c_v a` in NSTIFF-SI2),
/// `a + e` for that of the velocities, and a multiplier ν of the velocity constraints:
///
/// ```text
/// q₁ = q̂ + c_q a,  Φ(q₁)/c_q = 0,   v₁ = v̂ + c_v (a + e),  (J v₁ + Φ_t)/c_v = 0
/// HHT-SI2     M_s a + α f₀ − (1+α) (D + Jᵀ l) = 0,   M_s e = Jᵀ ν,   λ = l + ν/(1+α),   M_s = M(q₀ + (1+α) h v₀)
/// NSTIFF-SI2  M₁ (a + e) − D − Jᵀ λ = 0,             e = Jᵀ ν
/// ```
///
/// (negrut2007, Eqs. 14 to 18, and 8, 9 with the constraints of both levels.) Given the positions, `e` and ν follow from
/// the velocity constraints alone. Eliminating them from Newton's system, without approximation, leaves `n + n_c`
/// unknowns:
///
/// ```text
/// δe = ê + T δa,   T = Z − W S⁻¹ (J Z + c_q/c_v G),   Z = metric⁻¹ c_q ∂(Jᵀ ν)/∂q,   W = metric⁻¹ Jᵀ,   S = J W
/// ```
pub struct Stabilised {
    predictor: Predictor,
    /// α of HHT-SI2; none for NSTIFF-SI2.
    alpha: Option<f64>,
    dense: bool,
    a: Vec<f64>,
    e: Vec<f64>,
    /// l or λ.
    lower: Vec<f64>,
    nu: Vec<f64>,
    /// λ at the end of the last step.
    lambda: Vec<f64>,
    /// `a + e`.
    total: Vec<f64>,
    /// f₀, all forces at the start of the step.
    forces: Vec<f64>,
    shifted: Vec<f64>,
    /// `M_s`, or the identity: what `e = metric⁻¹ Jᵀ ν` is formed with.
    metric: DMatrix<f64>,
    metric_factors: Lu<f64>,
    /// `W = metric⁻¹ Jᵀ`.
    weights: DMatrix<f64>,
    /// `S = J W`.
    grammian: DMatrix<f64>,
    grammian_factors: Lu<f64>,
    /// `G = ∂(J v + Φ_t)/∂q`, and what becomes of it: `S⁻¹ (J Z + c_q/c_v G)`.
    rates: DMatrix<f64>,
    /// `Z`, then `T`: how `e` turns with the positions.
    turning: DMatrix<f64>,
    /// Derivative of the dynamics in `e`.
    by_e: DMatrix<f64>,
    e_change: Vec<f64>,
    nu_change: Vec<f64>,
    system: System,
}

impl Stabilised {
    /// At the start of a run; `alpha` for HHT-SI2, none for NSTIFF-SI2.
    pub fn new(alpha: Option<f64>, algebra: LinearAlgebra, start: &Start<'_>) -> Self {
        let (n, m) = (start.q.len(), start.lambda.len());
        let dense = algebra == LinearAlgebra::Dense;
        let mut forces = vec![0.0; n];
        start.terms.all_forces(start.lambda, &mut forces);
        Self {
            predictor: Predictor::new(alpha.map_or(Discretisation::Bdf, Discretisation::hht), start.q, start.v),
            alpha,
            dense,
            a: start.a.to_vec(),
            e: vec![0.0; n],
            lower: start.lambda.to_vec(),
            nu: vec![0.0; m],
            lambda: start.lambda.to_vec(),
            total: start.a.to_vec(),
            forces,
            shifted: vec![0.0; n],
            metric: DMatrix::identity(n, n),
            metric_factors: Lu::new(n),
            weights: DMatrix::zeros(n, m),
            grammian: DMatrix::zeros(m, m),
            grammian_factors: Lu::new(m),
            rates: DMatrix::zeros(m, n),
            turning: DMatrix::zeros(n, n),
            by_e: DMatrix::zeros(n, n),
            e_change: vec![0.0; n],
            nu_change: vec![0.0; m],
            system: System::new(if dense { 2 * (n + m) } else { n + m }),
        }
    }

    /// Weight of the forces at the end of the step.
    fn of_forces(&self) -> f64 {
        1.0 + self.alpha.unwrap_or(0.0)
    }

    /// What is to vanish in the equations of motion, with its sign turned.
    fn dynamics(&mut self, trial: &Trial) {
        let of_forces = self.of_forces();
        let residual = &mut self.system.x[..self.a.len()];
        trial.terms.all_forces(&self.lower, residual);
        match self.alpha {
            Some(alpha) => {
                for (residual, &force) in residual.iter_mut().zip(&self.forces) {
                    *residual = of_forces * *residual - alpha * force;
                }
                add_product(-1.0, &self.metric, &self.a, residual);
            }
            None => add_product(-1.0, &trial.terms.mass, &self.total, residual),
        }
    }

    /// The dense system's correction.
    fn solve_dense(&mut self, trial: &Trial) -> f64 {
        let (n, m) = (self.a.len(), self.nu.len());
        let Self { predictor, a, e, lower, nu, metric, system, .. } = self;
        let (positions, rest) = system.x[n..].split_at_mut(m);
        let (accelerations, velocities) = rest.split_at_mut(n);
        for c in 0..m {
            positions[c] = -trial.terms.constraints[c] / predictor.by_position;
            velocities[c] = -trial.terms.constraint_rates[c] / predictor.by_velocity;
        }
        accelerations.fill(0.0);
        add_product(-1.0, metric, e, accelerations);
        add_transposed_product(1.0, &trial.terms.jacobian, nu, accelerations);
        system.solve();
        increase(a, &system.x[..n]);
        increase(lower, &system.x[n..n + m]);
        increase(e, &system.x[n + m..2 * n + m]);
        increase(nu, &system.x[2 * n + m..]);
        largest(&system.x[..n]).max(largest(&system.x[n + m..2 * n + m]))
    }

    /// The same with `e` and ν eliminated.
    fn solve_reduced(&mut self, trial: &Trial) -> f64 {
        let n = self.a.len();
        let Self { predictor, alpha, a, e, lower, nu, metric, e_change, nu_change, system, .. } = self;
        let terms = &trial.terms;
        // ê: what e changes by if the positions stay where they are but for their constraints
        e_change.fill(0.0);
        add_transposed_product(1.0, &terms.jacobian, nu, e_change);
        add_product(-1.0, metric, e, e_change);
        if alpha.is_some() {
            self.metric_factors.solve_by_columns(e_change);
        }
        nu_change.fill(0.0);
        add_product(-1.0, &terms.jacobian, e_change, nu_change);
        for c in 0..nu.len() {
            let position = terms.constraints[c] / predictor.by_position;
            system.x[n + c] = -position;
            nu_change[c] += position - terms.constraint_rates[c] / predictor.by_velocity;
        }
        self.grammian_factors.solve_by_columns(nu_change);
        add_product(1.0, &self.weights, nu_change, e_change);
        add_product(-1.0, &self.by_e, e_change, &mut system.x[..n]);
        system.solve();
        let (change, multipliers) = system.x.split_at(n);
        add_product(-1.0, &self.rates, change, nu_change);
        add_product(1.0, &self.turning, change, e_change);
        increase(a, change);
        increase(lower, multipliers);
        increase(e, e_change);
        increase(nu, nu_change);
        largest(change).max(largest(e_change))
    }

    /// Newton's matrix with all unknowns; its part of `a` and the lower multiplier stands already.
    fn form_dense(&mut self, trial: &Trial) {
        let jacobian = &trial.terms.jacobian;
        let (n, m) = (self.a.len(), self.nu.len());
        let (second, last) = (n + m, 2 * n + m);
        let Self { predictor, metric, rates, turning, by_e, system, .. } = self;
        let matrix = &mut system.matrix;
        put(matrix, (0, second), 1.0, by_e);
        put(matrix, (second, 0), -1.0, turning);
        put(matrix, (second, second), 1.0, metric);
        put_transposed(matrix, (second, last), -1.0, jacobian);
        put(matrix, (last, 0), 1.0, jacobian);
        add(matrix, (last, 0), predictor.by_position / predictor.by_velocity, rates);
        put(matrix, (last, second), 1.0, jacobian);
    }

    /// The same with `e` and ν eliminated.
    fn form_reduced(&mut self, trial: &Trial) -> Result<(), Singular> {
        let jacobian = &trial.terms.jacobian;
        let Self { predictor, alpha, weights, grammian, rates, turning, system, .. } = self;
        put_transposed(weights, (0, 0), 1.0, jacobian);
        if alpha.is_some() {
            solve_columns(&self.metric_factors, weights);
            solve_columns(&self.metric_factors, turning);
        }
        grammian.fill(0.0);
        blocks::add_product(grammian, (0, 0), 1.0, jacobian, weights);
        self.grammian_factors.factorize(grammian)?;
        *rates *= predictor.by_position / predictor.by_velocity;
        blocks::add_product(rates, (0, 0), 1.0, jacobian, turning);
        solve_columns(&self.grammian_factors, rates);
        blocks::add_product(turning, (0, 0), -1.0, weights, rates);
        blocks::add_product(&mut system.matrix, (0, 0), 1.0, &self.by_e, turning);
        Ok(())
    }
}

impl Formula for Stabilised {
    fn begin(
        &mut self,
        h: f64,
        guess: bool,
        mechanics: &mut CountedMechanics<'_>,
        trial: &mut Trial,
    ) -> Result<(), Singular> {
        self.predictor.predict(h, &self.total);
        if let Some(alpha) = self.alpha {
            let [q, v] = &self.predictor.start;
            for i in 0..q.len() {
                self.shifted[i] = q[i] + (1.0 + alpha) * h * v[i];
            }
            mechanics.mass(&self.shifted, &mut self.metric);
            if !self.dense {
                self.metric_factors.factorize(&self.metric)?;
            }
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
        let Trial { terms, derivatives, .. } = trial;
        let (n, of_forces) = (self.a.len(), self.of_forces());
        let Self { predictor, alpha, total, lower, nu, metric, rates, turning, by_e, system, .. } = self;
        let by_position = predictor.by_position;
        let matrix = &mut system.matrix;
        let damping = -of_forces * predictor.by_velocity;
        put(by_e, (0, 0), damping, &derivatives.forces_by_velocity);
        put(matrix, (0, 0), 1.0, if alpha.is_some() { metric } else { &terms.mass });
        if alpha.is_none() {
            add(by_e, (0, 0), 1.0, &terms.mass);
            derivatives.add_inertia(by_position, total, matrix);
        }
        add(matrix, (0, 0), -of_forces * by_position, &derivatives.forces_by_position);
        add(matrix, (0, 0), damping, &derivatives.forces_by_velocity);
        derivatives.add_curvature(-of_forces * by_position, lower, matrix);
        put_transposed(matrix, (0, n), -of_forces, &terms.jacobian);
        put(matrix, (n, 0), 1.0, &terms.jacobian);
        derivatives.constraint_rates(&trial.v, rates);
        turning.fill(0.0);
        derivatives.add_curvature(by_position, nu, turning);
        if self.dense {
            self.form_dense(trial);
            return Ok(());
        }
        self.form_reduced(trial)
    }

    fn matrix(&self) -> &DMatrix<f64> {
        &self.system.matrix
    }

    fn factorize(&mut self) -> Result<(), Singular> {
        self.system.factorize()
    }

    fn correct(&mut self, trial: &mut Trial) -> Correction {
        self.dynamics(trial);
        let change = if self.dense { self.solve_dense(trial) } else { self.solve_reduced(trial) };
        for i in 0..self.total.len() {
            self.total[i] = self.a[i] + self.e[i];
        }
        self.predictor.end(&self.a, Some(&self.e), &mut trial.q, &mut trial.v);
        Correction { change, size: largest(&self.total), by_position: self.predictor.by_position }
    }

    fn accept(&mut self, trial: &Trial) -> Result<(), Singular> {
        let of_nu = self.alpha.map_or(0.0, |alpha| 1.0 / (1.0 + alpha));
        for (c, lambda) in self.lambda.iter_mut().enumerate() {
            *lambda = self.lower[c] + of_nu * self.nu[c];
        }
        trial.terms.all_forces(&self.lambda, &mut self.forces);
        self.predictor.accept(&trial.q, &trial.v);
        Ok(())
    }

    fn multipliers(&self) -> &[f64] {
        &self.lambda
    }
}
