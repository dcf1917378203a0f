//! Formulas with constraints on one level: NEWMARK, HHT-I3, NSTIFF, generalized-α on positions, or on velocities.

use mbsbench_problem::linalg::{Matrix, Saddle, Singular};
use mbsbench_problem::{BranchSystem, Branches, CountedMechanics};
use nalgebra::DMatrix;

use super::blocks::increase;
use super::formula::{Correction, Estimate, Formula, Start, Trial};
use super::newton::rounding_of;
use super::predictor::{Discretisation, Predictor};
use super::settings::MassAt;
use super::varying::Varying;
use crate::newton::{largest, place_of_largest};

/// ```text
/// M a/(1+α) − f₁ + α/(1+α) f₀ = 0,   f = D + Jᵀ λ
/// Φ(q₁)/c_q = 0,   q₁ = q̂ + c_q a,   v₁ = v̂ + c_v a
/// ```
///
/// (negrut2007, Eqs. 5 to 7 with α and Newmark's formulas, 3 and 4 with α = 0, 8 and 9 with BDF.) With α = 0 and the
/// generalized-α formulas it is the method of M. Arnold and O. Brüls (Multibody Syst. Dyn. 18 (2007) 185–202), whose
/// `β'` is `1/c_q` and whose `γ'` is `c_v/c_q`. With constraints on velocities (index 2), `(J v₁ + Φ_t)/c_v = 0`
/// replaces the second equation.
pub struct Index3 {
    predictor: Predictor,
    alpha: f64,
    mass_at: MassAt,
    a: Vec<f64>,
    lambda: Vec<f64>,
    /// f₀, all forces at the start of the step.
    forces: Vec<f64>,
    /// Mass at the shifted configuration.
    mass: Matrix<f64>,
    /// The shifted configuration, then the estimate of the error.
    shifted: Vec<f64>,
    system: Saddle,
    /// The joints of a tree, in place of terms and matrix.
    joints: Option<Joints>,
    /// The negative residual, then the correction.
    x: Vec<f64>,
    /// `∂(J v + Φ_t)/∂q` if constraints are on velocities, otherwise none.
    rates: Option<Matrix<f64>>,
    /// None if steps are constant.
    varying: Option<Varying>,
}

/// The joints of a tree at the iterate, with accelerations `a/(1+α)`, and Newton's matrix.
struct Joints {
    branches: Branches,
    /// The joints at the shifted configuration, if their mass matrix replaces that of the iterate. Its accelerations
    /// are then zero, and the difference of both masses, O(h), is left out of Newton's matrix.
    shifted: Option<Branches>,
    /// The joints at the start of the step. HHT-ADD adds `α f₀` with their accelerations f₀ to `a`, instead of forces.
    free: Option<Branches>,
    system: BranchSystem,
}

impl Joints {
    fn new(branches: Branches, mass_at: MassAt) -> Self {
        let shifted = (mass_at == MassAt::Shifted).then(|| branches.clone());
        Self { system: BranchSystem::new(&branches), branches, shifted, free: None }
    }

    /// Adds `factor · M x` to `sum`, with the mass matrix of the formula.
    fn add_inertia(&mut self, factor: f64, x: &[f64], sum: &mut [f64]) {
        self.system.add_inertia(self.shifted.as_ref().unwrap_or(&self.branches), factor, x, sum);
    }

    /// Writes `D`.
    fn all_forces(&mut self, forces: &mut [f64]) {
        let Self { branches, system, .. } = self;
        forces.copy_from_slice(&branches.forces);
        system.add_inertia(branches, 1.0, &branches.accelerations, forces);
    }
}

/// Solves with the matrix of joints, if there are any, or else with the other one.
fn solve(joints: Option<&mut Joints>, system: &mut Saddle, x: &mut [f64]) {
    match joints {
        Some(joints) => joints.system.solve_forces(x),
        None => system.solve(x),
    }
}

impl Index3 {
    /// Creates the formula at the start of a run.
    pub fn new(discretisation: Discretisation, alpha: f64, mass_at: MassAt, start: &Start<'_>) -> Self {
        let (n, m) = (start.q.len(), start.lambda.len());
        let mut forces = vec![0.0; n];
        let mut joints = start.joints.clone().map(|joints| Joints::new(joints, mass_at));
        match &mut joints {
            Some(joints) => joints.all_forces(&mut forces),
            None => start.terms.all_forces(start.lambda, &mut forces),
        }
        Self {
            predictor: Predictor::new(discretisation, start),
            alpha,
            mass_at,
            a: start.a.to_vec(),
            lambda: start.lambda.to_vec(),
            forces,
            mass: start.terms.mass.clone(),
            shifted: vec![0.0; n],
            system: start.saddle(),
            joints,
            x: vec![0.0; n + m],
            rates: None,
            varying: Varying::new(discretisation, start),
        }
    }

    /// Imposes the constraints on velocities instead of positions, with constant steps.
    pub fn on_velocities(mut self, start: &Start<'_>) -> Self {
        self.rates = Some(start.terms.jacobian.clone());
        self
    }

    /// On a tree of joints, the equations of HHT-ADD: `M (a + α f₀) − (1+α) D = 0` with `f₀ = M₀⁻¹ D₀`.
    pub fn with_free_accelerations(mut self) -> Self {
        if let Some(Joints { branches, free, .. }) = &mut self.joints {
            *free = Some(branches.clone());
            self.forces.fill(0.0);
        }
        self
    }
}

impl Formula for Index3 {
    fn begin(&mut self, guess: bool, mechanics: &mut CountedMechanics<'_>, trial: &mut Trial) -> Result<(), Singular> {
        let h = trial.h;
        self.predictor.predict(h, &self.a);
        if self.mass_at == MassAt::Shifted {
            let [q, v] = &self.predictor.start;
            for i in 0..q.len() {
                self.shifted[i] = q[i] + (1.0 + self.alpha) * h * v[i];
            }
            match self.joints.as_mut().and_then(|joints| joints.shifted.as_mut()) {
                Some(joints) => mechanics.write_branches(trial.t, [&self.shifted, v], true, false, joints),
                None => mechanics.mass_in(&self.shifted, &mut self.mass),
            }
        }
        if let Some(free) = self.joints.as_mut().and_then(|joints| joints.free.as_mut()) {
            let [q, v] = &self.predictor.start;
            mechanics.write_branches(trial.t - h, [q, v], false, false, free);
        }
        if !guess {
            self.a.fill(0.0);
            self.lambda.fill(0.0);
        }
        self.predictor.end(&self.a, None, &mut trial.q, &mut trial.v);
        Ok(())
    }

    fn evaluate(&mut self, mechanics: &mut CountedMechanics<'_>, trial: &mut Trial, forms: bool) {
        let Some(Joints { branches, shifted, free, .. }) = &mut self.joints else {
            return trial.evaluate(mechanics, forms);
        };
        let of_mass = if shifted.is_some() { 0.0 } else { 1.0 / (1.0 + self.alpha) };
        for (i, (to, a)) in branches.accelerations.iter_mut().zip(&self.a).enumerate() {
            *to = (a + free.as_ref().map_or(0.0, |free| self.alpha * free.accelerations[i])) * of_mass;
        }
        mechanics.write_branches(trial.t, [&trial.q, &trial.v], true, forms, branches);
    }

    fn form(&mut self, trial: &Trial) -> Result<(), Singular> {
        if self.joints.is_some() {
            return Ok(());
        }
        let Trial { terms, derivatives, .. } = trial;
        let Self { predictor, alpha, mass_at, a, lambda, mass, system, rates, .. } = self;
        let (by_position, by_velocity) = (predictor.by_position, predictor.by_velocity);
        let of_mass = 1.0 / (1.0 + *alpha);
        let (stiffness, damping) = (&derivatives.forces_by_position, &derivatives.forces_by_velocity);
        let mass = mass_at.choose(&terms.mass, mass);
        let blocks = [(of_mass, mass), (-by_position, stiffness), (-by_velocity, damping)];
        system.put(blocks, 1.0, &terms.jacobian);
        if let Some(rates) = rates {
            derivatives.constraint_rates(&trial.v, rates);
            system.add_to_last_rows(by_position / by_velocity, rates);
        }
        derivatives.add_curvature(-by_position, lambda, system);
        if *mass_at == MassAt::End {
            derivatives.add_inertia(of_mass * by_position, a, system);
        }
        Ok(())
    }

    fn matrix(&self) -> DMatrix<f64> {
        self.system.to_dense()
    }

    fn is_finite(&self) -> bool {
        let forces = self.joints.as_ref().map(|joints| &joints.branches.forces);
        forces
            .map_or_else(|| self.matrix().iter().all(|x| x.is_finite()), |forces| forces.iter().all(|x| x.is_finite()))
    }

    fn factorize(&mut self) -> Result<(), Singular> {
        let Some(Joints { branches, system, .. }) = &mut self.joints else { return self.system.factorize() };
        let Predictor { by_position, by_velocity, .. } = self.predictor;
        system.factorize_changes([by_position, by_velocity, 1.0 / (1.0 + self.alpha)], branches)
    }

    fn correct(&mut self, trial: &mut Trial) -> Correction {
        let terms = &trial.terms;
        let Self { predictor, alpha, mass_at, a, lambda, forces, mass, system, joints, x, rates, .. } = self;
        let by_position = predictor.by_position;
        let (violation, by) = match rates {
            None => (&terms.constraints, by_position),
            Some(_) => (&terms.constraint_rates, predictor.by_velocity),
        };
        let (dynamics, constraints) = x.split_at_mut(a.len());
        match joints {
            Some(joints) => dynamics.copy_from_slice(&joints.branches.forces),
            None => terms.all_forces(lambda, dynamics),
        }
        let earlier = *alpha / (1.0 + *alpha);
        for (residual, &force) in dynamics.iter_mut().zip(&*forces) {
            *residual -= earlier * force;
        }
        match joints {
            Some(joints) if joints.shifted.is_some() => joints.add_inertia(-1.0 / (1.0 + *alpha), a, dynamics),
            Some(_) => {}
            None => mass_at.choose(&terms.mass, mass).add_product(-1.0 / (1.0 + *alpha), a, dynamics),
        }
        for (residual, &violation) in constraints.iter_mut().zip(violation) {
            *residual = -violation / by;
        }
        solve(joints.as_mut(), system, x);
        let (change, multipliers) = x.split_at(a.len());
        increase(a, change);
        increase(lambda, multipliers);
        predictor.end(a, None, &mut trial.q, &mut trial.v);
        Correction { change: largest(change), size: largest(a), by_position, solves: 1, reform: false }
    }

    fn most_corrected(&self) -> usize {
        place_of_largest(&self.x[..self.a.len()])
    }

    fn attainable(&mut self, trial: &Trial) -> Option<f64> {
        let terms = &trial.terms;
        let Self { predictor, alpha, mass_at, a, lambda, forces, mass, system, joints, x, rates, .. } = self;
        let (constrained, by) = match rates {
            None => (&trial.q, predictor.by_position),
            Some(_) => (&trial.v, predictor.by_velocity),
        };
        let (dynamics, constraints) = x.split_at_mut(a.len());
        let (of_mass, earlier) = (1.0 / (1.0 + *alpha), *alpha / (1.0 + *alpha));
        let of_end = joints.as_ref().map_or(&terms.forces, |joints| &joints.branches.sizes);
        for (size, (force, before)) in dynamics.iter_mut().zip(of_end.iter().zip(&*forces)) {
            *size = force.abs() + (earlier * before).abs();
        }
        if joints.is_none() {
            mass_at.choose(&terms.mass, mass).add_sizes(of_mass, a, dynamics);
        }
        terms.jacobian.add_transposed_sizes(lambda, dynamics);
        constraints.fill(0.0);
        terms.jacobian.add_sizes(1.0 / by, constrained, constraints);
        rounding_of(x);
        solve(joints.as_mut(), system, x);
        Some(largest(&x[..a.len()]))
    }

    fn violation(&self, trial: &Trial) -> f64 {
        match self.rates {
            None => largest(&trial.terms.constraints),
            Some(_) => self.predictor.h * largest(&trial.terms.constraint_rates),
        }
    }

    fn resize(&mut self, h: f64) {
        let Self { varying, predictor, a, lambda, .. } = self;
        if let Some(varying) = varying {
            varying.begin(h, predictor, a, lambda);
        }
    }

    /// Solving the system with `M e/(1+α)` instead of forces removes two parts from `e = C h² (a₁ − a₀)`: the part that
    /// would leave the position constraints, and the response of springs too stiff for the step. The reactions `Jᵀ μ`
    /// that do this have the directions at the end of the step. The displacement along the constraints by reactions
    /// with the directions of the start, `(J₁ − J₀)ᵀ μ`, is added in magnitude. See [`Varying`].
    fn error(&mut self, trial: &Trial) -> Option<Estimate<'_>> {
        let Self { varying, alpha, mass_at, a, mass, shifted: error, system, joints, x, .. } = self;
        let varying = varying.as_mut()?;
        let n = a.len();
        varying.error(a, error);
        x.fill(0.0);
        let of_mass = 1.0 / (1.0 + *alpha);
        match joints {
            Some(joints) => joints.add_inertia(of_mass, error, x),
            None => mass_at.choose(&trial.terms.mass, mass).add_product(of_mass, error, &mut x[..n]),
        }
        solve(joints.as_mut(), system, x);
        varying.take_rates(&x[..n]);
        for (error, along) in error.iter_mut().zip(&*x) {
            *error = along.abs();
        }
        if x.len() == n {
            return Some(Estimate { error, solves: 1 });
        }
        let (turned, reactions) = x.split_at_mut(n);
        turned.fill(0.0);
        trial.terms.jacobian.add_transposed_product(1.0, reactions, turned);
        varying.jacobian.add_transposed_product(-1.0, reactions, turned);
        reactions.fill(0.0);
        system.solve(x);
        for (error, turned) in error.iter_mut().zip(&*x) {
            *error += turned.abs();
        }
        Some(Estimate { error, solves: 2 })
    }

    fn accept(&mut self, trial: &Trial) -> Result<(), Singular> {
        match &mut self.joints {
            Some(Joints { free: Some(_), .. }) => {}
            Some(joints) => joints.all_forces(&mut self.forces),
            None => trial.terms.all_forces(&self.lambda, &mut self.forces),
        }
        self.predictor.keep(&self.a);
        if let Some(varying) = &mut self.varying {
            varying.accept(&mut self.predictor, &self.a, &self.lambda, &trial.terms.jacobian);
        }
        self.predictor.accept(&trial.q, &trial.v);
        Ok(())
    }

    fn multipliers(&self) -> &[f64] {
        &self.lambda
    }

    fn flops(&self) -> u64 {
        self.joints.as_ref().map_or(self.system.flops(), |joints| joints.system.flops)
    }
}
