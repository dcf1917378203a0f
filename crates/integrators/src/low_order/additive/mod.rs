//! HHT-ADD: constraint forces added to the accelerations, with two multipliers per step.

mod levels;
mod sparse;

use mbsbench_problem::linalg::{Lu, Singular, System, add_product, add_transposed_product, flops};
use mbsbench_problem::{CountedMechanics, Terms};
use nalgebra::DMatrix;

use super::blocks::{self, add, increase, put, put_transposed, solve_columns};
use super::formula::{Correction, Formula, Start, Trial};
use super::metric::Metric;
use super::predictor::{Discretisation, Predictor};
use super::settings::PairAlgebra;
use crate::newton::{largest, place_of_largest};
use levels::Levels;
use sparse::SparseAdditive;

/// ```text
/// M₁ (a + α f₀) − (1+α) D₁ = 0,   f₀ = M₀⁻¹ D₀
/// M₁ R₁ = J₁ᵀ ψ₁,   M₀ R₀ = J₀ᵀ ψ₀
/// q₁ = q̂ + c_q a + h²/2 ((1−b) R₀ + b R₁),   Φ(q₁)/(h²/2) = 0
/// v₁ = v̂ + c_v a + h/2 (R₀ + R₁),            (J v₁ + Φ_t)/(h/2) = 0
/// ```
///
/// (negrut2007, Eqs. 10 to 13.) ψ₀ is a new unknown of each step. Eliminating `R₁` from Newton's system, without
/// approximation, leaves `n + 2 n_c` unknowns. With b = 0 and little damping, positions and velocities can be solved
/// one after the other ([`Levels`]).
pub struct Additive {
    predictor: Predictor,
    alpha: f64,
    b: f64,
    dense: bool,
    a: Vec<f64>,
    /// R₁.
    reaction: Vec<f64>,
    /// ψ₀ and ψ₁.
    psi: [Vec<f64>; 2],
    /// f₀.
    free: Vec<f64>,
    /// `M₀⁻¹ J₀ᵀ`.
    weights: DMatrix<f64>,
    /// `M₀`, or `M₁` while [`Levels`] are in use.
    metric: Metric,
    /// `a + α f₀`.
    shifted: Vec<f64>,
    /// Derivatives of the dynamics with respect to the displacement by `R₀`, the displacement by `R₁`, and the
    /// positions.
    by_start: DMatrix<f64>,
    by_reaction: DMatrix<f64>,
    stiffness: DMatrix<f64>,
    /// Derivative of `M₁ R₁ − J₁ᵀ ψ₁` with respect to the positions.
    turning: DMatrix<f64>,
    /// Derivatives of the velocity constraints with respect to `R₀`, `R₁`, and the positions.
    velocity: [DMatrix<f64>; 2],
    rates: DMatrix<f64>,
    /// Elimination of `R₁`: derivative of its equation with respect to `R₁`, and the factors of δa, δψ₀ and δψ₁ in δR₁.
    by_itself: DMatrix<f64>,
    by_itself_factors: Lu<f64>,
    eliminated: DMatrix<f64>,
    scratch: Vec<f64>,
    reaction_change: Vec<f64>,
    system: System,
    /// Used instead of the blocks above and `system` for mechanisms with many bodies.
    sparse: Option<SparseAdditive>,
    /// Used instead of these fields for few bodies, if positions and velocities are solved one after the other.
    levels: Option<Levels>,
    /// The negative residual, then the correction.
    x: Vec<f64>,
}

impl Additive {
    /// Creates the formula at the start of a run.
    ///
    /// # Errors
    /// Returns [`Singular`] if the mass matrix is singular.
    pub fn new(alpha: f64, b: f64, algebra: PairAlgebra, start: &Start<'_>) -> Result<Self, Singular> {
        let (n, m) = (start.q.len(), start.lambda.len());
        let dense = algebra == PairAlgebra::Dense;
        let sparse = start.is_sparse().then(|| SparseAdditive::new(start));
        let [of_blocks, constraints] = if sparse.is_some() { [0; 2] } else { [n, m] };
        let square = DMatrix::zeros(of_blocks, of_blocks);
        let wide = DMatrix::zeros(constraints, of_blocks);
        let size = of_blocks + 2 * constraints + if dense { of_blocks } else { 0 };
        let mut formula = Self {
            predictor: Predictor::new(Discretisation::hht(alpha), start),
            alpha,
            b,
            dense,
            a: start.terms.forces.clone(),
            reaction: vec![0.0; n],
            psi: [start.lambda.to_vec(), start.lambda.to_vec()],
            free: start.terms.forces.clone(),
            weights: DMatrix::zeros(of_blocks, constraints),
            metric: Metric::identity(of_blocks),
            shifted: vec![0.0; n],
            by_start: square.clone(),
            by_reaction: square.clone(),
            stiffness: square.clone(),
            turning: square.clone(),
            by_itself: square,
            by_itself_factors: Lu::new(of_blocks),
            eliminated: DMatrix::zeros(of_blocks, of_blocks + 2 * constraints),
            velocity: [wide.clone(), wide.clone()],
            rates: wide,
            scratch: vec![0.0; n],
            reaction_change: vec![0.0; n],
            system: System::new(size),
            x: vec![0.0; size],
            sparse,
            levels: None,
        };
        // a₀ = M⁻¹ D, without constraint forces
        formula.weigh(start.terms)?;
        formula.a.copy_from_slice(&formula.free);
        match &mut formula.sparse {
            Some(sparse) => {
                sparse.react(start.lambda);
                formula.reaction.copy_from_slice(&sparse.reaction);
            }
            None => add_product(1.0, &formula.weights, start.lambda, &mut formula.reaction),
        }
        if algebra == PairAlgebra::Shared && b == 0.0 && formula.sparse.is_none() {
            formula.levels = Some(Levels::new([&formula.reaction, start.lambda, start.lambda]));
        }
        Ok(formula)
    }

    /// Factors of `R₀` and `R₁` in the positions (`h²/2 (1−b)`, `h²/2 b`) and of both in the velocities (`h/2`).
    fn factors(&self) -> (f64, f64, f64) {
        let h = self.predictor.h;
        (0.5 * h * h * (1.0 - self.b), 0.5 * h * h * self.b, 0.5 * h)
    }

    /// Computes `M⁻¹ Jᵀ`, the factors of `M`, and `f = M⁻¹ D`.
    fn weigh(&mut self, terms: &Terms<f64>) -> Result<(), Singular> {
        self.free.copy_from_slice(&terms.forces);
        if let Some(sparse) = &mut self.sparse {
            sparse.weigh(terms)?;
            sparse.divide(&mut self.free);
            return Ok(());
        }
        self.metric.matrix_mut().copy_from(terms.mass.all());
        self.metric.factorize()?;
        put_transposed(&mut self.weights, (0, 0), 1.0, terms.jacobian.all());
        self.metric.solve_columns(&mut self.weights);
        self.metric.solve(&mut self.free);
        let solves = self.psi[0].len() as u64 + 1;
        self.system.flops += self.metric.factorization_flops() + solves * self.metric.solve_flops();
        Ok(())
    }

    /// The levels, if positions and velocities are solved one after the other in this step.
    fn in_levels(&self) -> Option<&Levels> {
        self.levels.as_ref().filter(|levels| !levels.shared.slow)
    }

    /// Computes the end of the step from the unknowns.
    fn end(&mut self, trial: &mut Trial) {
        let (at_start, at_end, in_velocity) = self.factors();
        self.predictor.end(&self.a, None, &mut trial.q, &mut trial.v);
        match &self.sparse {
            Some(sparse) => self.scratch.copy_from_slice(&sparse.reaction),
            None => {
                self.scratch.fill(0.0);
                add_product(1.0, &self.weights, &self.psi[0], &mut self.scratch);
            }
        }
        for i in 0..self.a.len() {
            let (start, end) = (self.scratch[i], self.reaction[i]);
            trial.q[i] += at_start * start + at_end * end;
            trial.v[i] += in_velocity * (start + end);
            self.shifted[i] = self.a[i] + self.alpha * self.free[i];
        }
    }

    /// Corrects all unknowns together, or with the reaction at the end eliminated. Returns the size of the correction.
    fn solve_all(&mut self, trial: &Trial) -> f64 {
        let terms = &trial.terms;
        let (n, m) = (self.a.len(), self.psi[0].len());
        let Self { predictor, alpha, b, dense, a, reaction, psi, shifted, reaction_change, system, x, .. } = self;
        let h = predictor.h;
        let inner = if *dense { n } else { 0 };
        let (dynamics, rest) = x.split_at_mut(n);
        let (reactions, rest) = rest.split_at_mut(inner);
        let (positions, velocities) = rest.split_at_mut(m);
        for (residual, &force) in dynamics.iter_mut().zip(&terms.forces) {
            *residual = (1.0 + *alpha) * force;
        }
        add_product(-1.0, terms.mass.all(), shifted, dynamics);
        for c in 0..m {
            positions[c] = -2.0 * terms.constraints[c] / (h * h);
            velocities[c] = -2.0 * terms.constraint_rates[c] / h;
        }
        reaction_change.fill(0.0);
        add_product(-1.0, terms.mass.all(), reaction, reaction_change);
        add_transposed_product(1.0, terms.jacobian.all(), &psi[1], reaction_change);
        if *dense {
            reactions.copy_from_slice(reaction_change);
        } else {
            self.by_itself_factors.solve_by_columns(reaction_change);
            add_product(-1.0, &self.by_reaction, reaction_change, dynamics);
            add_product(-*b, terms.jacobian.all(), reaction_change, positions);
            add_product(-1.0, &self.velocity[1], reaction_change, velocities);
            system.flops += self.by_itself_factors.solve_flops() + flops::product(n + 2 * m, n, 1);
        }
        system.solve(x);
        if *dense {
            reaction_change.copy_from_slice(&x[n..2 * n]);
        } else {
            add_product(1.0, &self.eliminated, x, reaction_change);
            system.flops += flops::product(n, n + 2 * m, 1);
        }
        let (change, multipliers) = (&x[..n], &x[n + inner..]);
        increase(a, change);
        increase(reaction, reaction_change);
        increase(&mut psi[0], &multipliers[..m]);
        increase(&mut psi[1], &multipliers[m..]);
        largest(change).max(largest(reaction_change))
    }
}

impl Formula for Additive {
    fn begin(
        &mut self,
        h: f64,
        guess: bool,
        _mechanics: &mut CountedMechanics<'_>,
        trial: &mut Trial,
    ) -> Result<(), Singular> {
        self.predictor.predict(h, &self.a);
        if let Some(levels) = &mut self.levels {
            let [first, last] = &mut self.psi;
            levels.shared.begin([&mut self.reaction, first, last]);
            levels.last = f64::INFINITY;
        }
        if !guess {
            self.a.fill(0.0);
            self.reaction.fill(0.0);
            self.psi.iter_mut().for_each(|psi| psi.fill(0.0));
        }
        if let Some(sparse) = &mut self.sparse {
            sparse.react(&self.psi[0]);
        }
        self.end(trial);
        Ok(())
    }

    fn form(&mut self, trial: &Trial) -> Result<(), Singular> {
        if self.sparse.is_some() {
            self.form_sparse(trial);
            return Ok(());
        }
        if self.in_levels().is_some() {
            return self.form_levels(trial);
        }
        let Trial { terms, derivatives, .. } = trial;
        let (n, m) = (self.a.len(), self.psi[0].len());
        let (at_start, at_end, in_velocity) = self.factors();
        let (by_position, by_velocity) = (self.predictor.by_position, self.predictor.by_velocity);
        let Self { alpha, b, by_start, by_reaction, stiffness, turning, rates, velocity, weights, system, .. } = self;
        let (of_forces, h) = (1.0 + *alpha, self.predictor.h);
        let (matrix, damping) = (&mut system.matrix, derivatives.forces_by_velocity.all());
        stiffness.fill(0.0);
        derivatives.add_inertia(1.0, &self.shifted, stiffness);
        add(stiffness, (0, 0), -of_forces, derivatives.forces_by_position.all());
        turning.fill(0.0);
        derivatives.add_inertia(1.0, &self.reaction, turning);
        derivatives.add_curvature(-1.0, &self.psi[1], turning);
        derivatives.constraint_rates(&trial.v, rates);
        for (by, position) in [(&mut *by_start, at_start), (&mut *by_reaction, at_end)] {
            put(by, (0, 0), position, stiffness);
            add(by, (0, 0), -of_forces * in_velocity, damping);
        }
        for (velocity, position) in velocity.iter_mut().zip([at_start, at_end]) {
            put(velocity, (0, 0), 1.0, terms.jacobian.all());
            add(velocity, (0, 0), 2.0 * position / h, rates);
        }
        // rows: dynamics, (R₁,) positions, velocities; columns: a, (R₁,) ψ₀, ψ₁
        let inner = if self.dense { n } else { 0 };
        let (zeroth, first) = (n + inner, n + inner + m);
        matrix.fill(0.0);
        put(matrix, (0, 0), 1.0, terms.mass.all());
        add(matrix, (0, 0), by_position, stiffness);
        add(matrix, (0, 0), -of_forces * by_velocity, damping);
        blocks::add_product(matrix, (0, zeroth), 1.0, by_start, weights);
        put(matrix, (zeroth, 0), 2.0 * by_position / (h * h), terms.jacobian.all());
        blocks::add_product(matrix, (zeroth, zeroth), 1.0 - *b, terms.jacobian.all(), weights);
        put(matrix, (first, 0), 2.0 * by_velocity / h, terms.jacobian.all());
        add(matrix, (first, 0), 2.0 * by_position / h, rates);
        blocks::add_product(matrix, (first, zeroth), 1.0, &velocity[0], weights);
        system.flops += flops::product(n, n, m) + 2 * flops::product(m, n, m);
        // products for the reactions, in this matrix or in the eliminated block
        system.flops += flops::product(n, n, m);
        if self.dense {
            put(matrix, (0, n), 1.0, by_reaction);
            put(matrix, (zeroth, n), *b, terms.jacobian.all());
            put(matrix, (first, n), 1.0, &velocity[1]);
            put(matrix, (n, 0), by_position, turning);
            put(matrix, (n, n), 1.0, terms.mass.all());
            add(matrix, (n, n), at_end, turning);
            blocks::add_product(matrix, (n, zeroth), at_start, turning, weights);
            put_transposed(matrix, (n, first), -1.0, terms.jacobian.all());
            return Ok(());
        }
        let (by_itself, eliminated) = (&mut self.by_itself, &mut self.eliminated);
        put(by_itself, (0, 0), 1.0, terms.mass.all());
        add(by_itself, (0, 0), at_end, turning);
        self.by_itself_factors.factorize(by_itself)?;
        put(eliminated, (0, 0), -by_position, turning);
        eliminated.columns_mut(n, m).fill(0.0);
        blocks::add_product(eliminated, (0, n), -at_start, turning, weights);
        put_transposed(eliminated, (0, n + m), 1.0, terms.jacobian.all());
        let columns = solve_columns(&self.by_itself_factors, eliminated);
        let rows = n + if *b == 0.0 { m } else { 2 * m };
        system.flops += self.by_itself_factors.factorization_flops()
            + columns as u64 * self.by_itself_factors.solve_flops()
            + flops::product(rows, n, columns);
        blocks::add_product(matrix, (0, 0), 1.0, by_reaction, eliminated);
        if *b != 0.0 {
            blocks::add_product(matrix, (zeroth, 0), *b, terms.jacobian.all(), eliminated);
        }
        blocks::add_product(matrix, (first, 0), 1.0, &velocity[1], eliminated);
        Ok(())
    }

    fn matrix(&self) -> DMatrix<f64> {
        match (&self.sparse, self.in_levels()) {
            (Some(sparse), _) => sparse.blocks.to_dense(),
            (None, Some(levels)) => levels.system.matrix.clone(),
            (None, None) => self.system.matrix.clone(),
        }
    }

    fn factorize(&mut self) -> Result<(), Singular> {
        match (&mut self.sparse, &mut self.levels) {
            (Some(sparse), _) => sparse.blocks.factorize(),
            (None, Some(levels)) if !levels.shared.slow => levels.system.factorize(),
            (None, _) => self.system.factorize(),
        }
    }

    fn correct(&mut self, trial: &mut Trial) -> Correction {
        let in_levels = self.in_levels().is_some();
        let change = if self.sparse.is_some() {
            self.solve_sparse(trial)
        } else if in_levels {
            self.solve_levels(trial)
        } else {
            self.solve_all(trial)
        };
        let size = largest(&self.a).max(largest(&self.reaction));
        self.end(trial);
        let reform = in_levels && self.gives_up(change, trial);
        // Near b = 1/2, where both reactions move positions and velocities alike, rounding errors of the constraints
        // are amplified by the inverse of the determinant, 1 − 2 b.
        let determinant = if in_levels { 1.0 } else { (1.0 - 2.0 * self.b).abs().min(1.0) };
        Correction { change, size, by_position: self.predictor.by_position * determinant, solves: 1, reform }
    }

    fn most_corrected(&self) -> usize {
        place_of_largest(&self.sparse.as_ref().map_or(&self.x, |sparse| &sparse.blocks.x)[..self.a.len()])
    }

    fn attainable(&mut self, trial: &Trial) -> Option<f64> {
        self.attainable_sparse(trial)
    }

    fn accept(&mut self, trial: &Trial) -> Result<(), Singular> {
        self.weigh(&trial.terms)?;
        self.predictor.accept(&trial.q, &trial.v);
        if let Some(levels) = &mut self.levels {
            levels.shared.accept();
        }
        Ok(())
    }

    fn multipliers(&self) -> &[f64] {
        &self.psi[1]
    }

    fn flops(&self) -> u64 {
        self.system.flops
            + self.sparse.as_ref().map_or(0, SparseAdditive::flops)
            + self.levels.as_ref().map_or(0, |levels| levels.system.flops)
    }
}
