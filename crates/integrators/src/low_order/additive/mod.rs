//! HHT-ADD: constraint forces added to the accelerations, with two multipliers per step.

mod levels;
mod sparse;

use mbsbench_problem::linalg::{Lu, Matrix, Singular, System, add_product, flops};
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
    /// True if `R₁` is not eliminated.
    whole: bool,
    a: Vec<f64>,
    /// R₁.
    reaction: Vec<f64>,
    /// ψ₀ and ψ₁.
    psi: [Vec<f64>; 2],
    /// f₀.
    free: Vec<f64>,
    /// R₀.
    start_reaction: Vec<f64>,
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
    stiffness: Matrix<f64>,
    /// Derivative of `M₁ R₁ − J₁ᵀ ψ₁` with respect to the positions.
    turning: Matrix<f64>,
    /// Derivatives of the velocity constraints with respect to `R₀`, `R₁`, and the positions.
    velocity: [DMatrix<f64>; 2],
    rates: Matrix<f64>,
    /// Elimination of `R₁`: derivative of its equation with respect to `R₁`, and the factors of δa, δψ₀ and δψ₁ in δR₁.
    by_itself: DMatrix<f64>,
    by_itself_factors: Lu<f64>,
    eliminated: DMatrix<f64>,
    reaction_change: Vec<f64>,
    system: System,
    /// Used instead of the dense blocks above and `system` for mechanisms with many bodies.
    sparse: Option<SparseAdditive>,
    /// Used instead of these fields if positions and velocities are solved one after the other.
    levels: Option<Levels>,
    /// True if the matrices formed last are those of `levels`.
    split: bool,
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
        let sparse = start.is_sparse().then(|| SparseAdditive::new(start.terms));
        let [of_blocks, constraints] = if sparse.is_some() { [0; 2] } else { [n, m] };
        let whole = algebra == PairAlgebra::Dense || sparse.is_some();
        let levels = b == 0.0 && (algebra == PairAlgebra::Shared || sparse.is_some());
        let square = DMatrix::zeros(of_blocks, of_blocks);
        let wide = DMatrix::zeros(constraints, of_blocks);
        let size = n + 2 * m + if whole { n } else { 0 };
        let mut formula = Self {
            predictor: Predictor::new(Discretisation::hht(alpha), start),
            alpha,
            b,
            whole,
            a: start.terms.forces.clone(),
            reaction: vec![0.0; n],
            psi: [start.lambda.to_vec(), start.lambda.to_vec()],
            free: start.terms.forces.clone(),
            start_reaction: vec![0.0; n],
            weights: DMatrix::zeros(of_blocks, constraints),
            metric: Metric::identity(of_blocks),
            shifted: vec![0.0; n],
            by_start: square.clone(),
            by_reaction: square.clone(),
            stiffness: start.terms.mass.clone(),
            turning: start.terms.mass.clone(),
            by_itself: square,
            by_itself_factors: Lu::new(of_blocks),
            eliminated: DMatrix::zeros(of_blocks, of_blocks + 2 * constraints),
            velocity: [wide.clone(), wide],
            rates: start.terms.jacobian.clone(),
            reaction_change: vec![0.0; n],
            system: System::new(if sparse.is_some() { 0 } else { size }),
            x: vec![0.0; size],
            sparse,
            levels: None,
            split: false,
        };
        // a₀ = M⁻¹ D, without constraint forces
        formula.weigh(start.terms)?;
        formula.a.copy_from_slice(&formula.free);
        react(&mut formula.sparse, &formula.weights, start.lambda, &mut formula.reaction);
        formula.levels = levels.then(|| Levels::new([&formula.reaction, start.lambda, start.lambda], start));
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

    /// Computes the end of the step from the unknowns.
    fn end(&mut self, trial: &mut Trial) {
        let (at_start, at_end, in_velocity) = self.factors();
        self.predictor.end(&self.a, None, &mut trial.q, &mut trial.v);
        react(&mut self.sparse, &self.weights, &self.psi[0], &mut self.start_reaction);
        for i in 0..self.a.len() {
            let (start, end) = (self.start_reaction[i], self.reaction[i]);
            trial.q[i] += at_start * start + at_end * end;
            trial.v[i] += in_velocity * (start + end);
            self.shifted[i] = self.a[i] + self.alpha * self.free[i];
        }
    }

    /// Corrects all unknowns together, or with the reaction at the end eliminated. Returns the size of the correction.
    fn solve_all(&mut self, trial: &Trial) -> f64 {
        let terms = &trial.terms;
        let (n, m) = (self.a.len(), self.psi[0].len());
        let Self { predictor, alpha, b, whole, a, reaction, psi, shifted, reaction_change, system, x, .. } = self;
        let h = predictor.h;
        let inner = if *whole { n } else { 0 };
        let (dynamics, rest) = x.split_at_mut(n);
        let (reactions, rest) = rest.split_at_mut(inner);
        let (positions, velocities) = rest.split_at_mut(m);
        for (residual, &force) in dynamics.iter_mut().zip(&terms.forces) {
            *residual = (1.0 + *alpha) * force;
        }
        terms.mass.add_product(-1.0, shifted, dynamics);
        for c in 0..m {
            positions[c] = -2.0 * terms.constraints[c] / (h * h);
            velocities[c] = -2.0 * terms.constraint_rates[c] / h;
        }
        reaction_change.fill(0.0);
        terms.mass.add_product(-1.0, reaction, reaction_change);
        terms.jacobian.add_transposed_product(1.0, &psi[1], reaction_change);
        if *whole {
            reactions.copy_from_slice(reaction_change);
        } else {
            self.by_itself_factors.solve_by_columns(reaction_change);
            add_product(-1.0, &self.by_reaction, reaction_change, dynamics);
            add_product(-*b, terms.jacobian.all(), reaction_change, positions);
            add_product(-1.0, &self.velocity[1], reaction_change, velocities);
            system.flops += self.by_itself_factors.solve_flops() + flops::product(n + 2 * m, n, 1);
        }
        match &mut self.sparse {
            Some(sparse) => sparse.solve(x),
            None => system.solve(x),
        }
        if *whole {
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

/// Computes the reaction `M₀⁻¹ J₀ᵀ ψ`.
fn react(sparse: &mut Option<SparseAdditive>, weights: &DMatrix<f64>, psi: &[f64], reaction: &mut [f64]) {
    reaction.fill(0.0);
    match sparse {
        Some(sparse) => sparse.react(psi, reaction),
        None => add_product(1.0, weights, psi, reaction),
    }
}

impl Formula for Additive {
    fn begin(&mut self, guess: bool, _mechanics: &mut CountedMechanics<'_>, trial: &mut Trial) -> Result<(), Singular> {
        self.predictor.predict(trial.h, &self.a);
        if let Some(levels) = &mut self.levels {
            let [first, last] = &mut self.psi;
            levels.shared.begin([&mut self.reaction, first, last]);
            (levels.outdated, levels.last) = (true, f64::INFINITY);
        }
        if !guess {
            self.a.fill(0.0);
            self.reaction.fill(0.0);
            self.psi.iter_mut().for_each(|psi| psi.fill(0.0));
        }
        self.end(trial);
        Ok(())
    }

    fn form(&mut self, trial: &Trial) -> Result<(), Singular> {
        let Trial { terms, derivatives, .. } = trial;
        self.turning.values_mut().fill(0.0);
        derivatives.add_inertia(1.0, &self.reaction, &mut self.turning);
        derivatives.add_curvature(-1.0, &self.psi[1], &mut self.turning);
        self.split = self.levels.as_ref().is_some_and(|levels| !levels.shared.slow);
        if self.split {
            return self.form_levels(trial);
        }
        let of_forces = 1.0 + self.alpha;
        self.stiffness.values_mut().fill(0.0);
        derivatives.add_inertia(1.0, &self.shifted, &mut self.stiffness);
        let by_position = derivatives.forces_by_position.values();
        for (sum, &force) in self.stiffness.values_mut().iter_mut().zip(by_position) {
            *sum += -of_forces * force;
        }
        derivatives.constraint_rates(&trial.v, &mut self.rates);
        if self.sparse.is_some() {
            self.form_sparse(trial);
            return Ok(());
        }
        let (n, m) = (self.a.len(), self.psi[0].len());
        let (at_start, at_end, in_velocity) = self.factors();
        let Predictor { by_position, by_velocity, h, .. } = self.predictor;
        let (stiffness, turning, rates) = (self.stiffness.all(), self.turning.all(), self.rates.all());
        let Self { b, by_start, by_reaction, velocity, weights, system, .. } = self;
        let (matrix, damping) = (&mut system.matrix, derivatives.forces_by_velocity.all());
        for (by, position) in [(&mut *by_start, at_start), (&mut *by_reaction, at_end)] {
            put(by, (0, 0), position, stiffness);
            add(by, (0, 0), -of_forces * in_velocity, damping);
        }
        for (velocity, position) in velocity.iter_mut().zip([at_start, at_end]) {
            put(velocity, (0, 0), 1.0, terms.jacobian.all());
            add(velocity, (0, 0), 2.0 * position / h, rates);
        }
        // rows: dynamics, (R₁,) positions, velocities; columns: a, (R₁,) ψ₀, ψ₁
        let inner = if self.whole { n } else { 0 };
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
        if self.whole {
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
        match (&self.levels, &self.sparse) {
            (Some(levels), _) if self.split => levels.systems.matrix(),
            (_, Some(sparse)) => sparse.matrix(),
            (_, None) => self.system.matrix.clone(),
        }
    }

    fn factorize(&mut self) -> Result<(), Singular> {
        match (&mut self.levels, &mut self.sparse) {
            (Some(levels), _) if self.split => levels.factorize(),
            (_, Some(sparse)) => sparse.factorize(),
            (_, None) => self.system.factorize(),
        }
    }

    fn correct(&mut self, trial: &mut Trial) -> Correction {
        let change = if self.split { self.solve_levels(trial) } else { self.solve_all(trial) };
        let size = largest(&self.a).max(largest(&self.reaction));
        self.end(trial);
        let reform = self.split && self.gives_up(change, trial);
        // Near b = 1/2, where both reactions move positions and velocities alike, rounding errors of the constraints
        // are amplified by the inverse of the determinant, 1 − 2 b.
        let determinant = if self.split { 1.0 } else { (1.0 - 2.0 * self.b).abs().min(1.0) };
        Correction { change, size, by_position: self.predictor.by_position * determinant, solves: 1, reform }
    }

    fn most_corrected(&self) -> usize {
        place_of_largest(&self.x[..self.a.len()])
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
            + self.levels.as_ref().map_or(0, |levels| levels.systems.flops())
    }
}
