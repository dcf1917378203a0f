//! Sparse matrices, for mechanisms with many bodies.

use mbsbench_problem::Terms;
use mbsbench_problem::linalg::{Blocks, Matrix, Place, Singular};
use nalgebra::DMatrix;

use super::Additive;
use crate::low_order::blocks::parts;
use crate::low_order::formula::Trial;
use crate::low_order::newton::rounding_of;
use crate::newton::largest;

/// The mass at the start of a step, and Newton's matrix of all unknowns.
pub struct SparseAdditive {
    /// Newton's matrix of `(a, R₁, ψ₀, ψ₁, R₀)`, allocated when it is first needed. `R₀` is an unknown here, because
    /// the matrix `M₀⁻¹ J₀ᵀ` that yields it elsewhere is dense.
    whole: Option<Box<Blocks>>,
    /// `M₀` with its factors, and `J₀`.
    mass: Matrix<f64>,
    masses: Blocks,
    pub jacobian: Matrix<f64>,
}

/// Indices of the blocks in the matrix: rows of the dynamics, of `R₁`, of positions, of velocities and of `R₀`.
const DYNAMICS: [usize; 3] = [0, 1, 2];
const REACTION: [usize; 4] = [3, 4, 5, 6];
const POSITIONS: [usize; 3] = [7, 8, 9];
const VELOCITIES: [usize; 3] = [10, 11, 12];
const BEFORE: [usize; 2] = [13, 14];

/// Allocates Newton's matrix for sparse terms.
fn whole(terms: &Terms<f64>) -> Blocks {
    let [dynamics, jacobian] = [&terms.mass, &terms.jacobian].map(|matrix| &**matrix.pattern().expect(SPARSE));
    let (n, m) = (dynamics.rows(), jacobian.rows());
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
    Blocks::new(3 * n + 2 * m, &places.concat())
}

/// An invariant.
const SPARSE: &str = "the terms are stored sparse";
/// An invariant.
const FORMED: &str = "the matrix is formed first";

impl SparseAdditive {
    /// Allocates memory for sparse terms.
    pub fn new(terms: &Terms<f64>) -> Self {
        let (mass, jacobian) = (terms.mass.clone(), terms.jacobian.clone());
        let pattern = mass.pattern().expect(SPARSE);
        let masses = Blocks::new(mass.nrows(), &[Place::at(0, 0, pattern)]);
        Self { whole: None, mass, masses, jacobian }
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

    /// Computes the reaction `M₀⁻¹ J₀ᵀ ψ`; `reaction` is zero before.
    pub fn react(&mut self, psi: &[f64], reaction: &mut [f64]) {
        self.jacobian.add_transposed_product(1.0, psi, reaction);
        self.divide(reaction);
    }

    /// A copy of Newton's matrix.
    pub fn matrix(&self) -> DMatrix<f64> {
        self.whole.as_ref().expect(FORMED).to_dense()
    }

    /// Factorizes Newton's matrix.
    ///
    /// # Errors
    /// Returns [`Singular`] if it is singular.
    pub fn factorize(&mut self) -> Result<(), Singular> {
        self.whole.as_mut().expect(FORMED).factorize()
    }

    /// Solves for `(a, R₁, ψ₀, ψ₁)`, in place, with no residual of `R₀`.
    pub fn solve(&mut self, x: &mut [f64]) {
        let whole = self.whole.as_mut().expect(FORMED);
        let (unknowns, before) = whole.x.split_at_mut(x.len());
        unknowns.copy_from_slice(x);
        before.fill(0.0);
        whole.solve();
        x.copy_from_slice(&whole.x[..x.len()]);
    }

    /// Operations so far.
    pub fn flops(&self) -> u64 {
        self.masses.flops + self.whole.as_ref().map_or(0, |whole| whole.flops)
    }
}

impl Additive {
    /// Forms Newton's matrix at the iterate.
    pub(super) fn form_sparse(&mut self, trial: &Trial) {
        let Trial { terms, derivatives, .. } = trial;
        let (at_start, at_end, in_velocity) = self.factors();
        let Self { predictor, alpha, b, stiffness, turning, rates, sparse, .. } = self;
        let Some(SparseAdditive { whole: blocks, mass, jacobian, .. }) = sparse else { return };
        let blocks = blocks.get_or_insert_with(|| Box::new(whole(terms)));
        let (by_position, by_velocity) = (predictor.by_position, predictor.by_velocity);
        let (of_forces, h) = (1.0 + *alpha, predictor.h);
        let damping = &derivatives.forces_by_velocity;
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

    /// See [`Formula::attainable`](crate::low_order::formula::Formula::attainable); none if the system is not sparse.
    pub(super) fn attainable_sparse(&mut self, trial: &Trial) -> Option<f64> {
        let terms = &trial.terms;
        let (n, m) = (self.a.len(), self.psi[0].len());
        let Self { predictor, alpha, reaction, psi, shifted, reaction_change, sparse, levels, split, x, .. } = self;
        let sparse = sparse.as_mut()?;
        let h = predictor.h;
        let (by_position, by_velocity) = if *split { (predictor.by_position, 1.0) } else { (0.5 * h * h, 0.5 * h) };
        x.fill(0.0);
        let [dynamics, reactions, positions, velocities] = parts(x, [n, n, m, m]);
        for (size, &force) in dynamics.iter_mut().zip(&terms.forces) {
            *size = (1.0 + *alpha) * force.abs();
        }
        terms.mass.add_sizes(1.0, shifted, dynamics);
        terms.mass.add_sizes(1.0, reaction, reactions);
        terms.jacobian.add_transposed_sizes(&psi[1], reactions);
        terms.jacobian.add_sizes(1.0 / by_position, &trial.q, positions);
        terms.jacobian.add_sizes(1.0 / by_velocity, &trial.v, velocities);
        rounding_of(x);
        let Some(levels) = levels.as_mut().filter(|_| *split) else {
            sparse.solve(x);
            return Some(largest(&x[..2 * n]));
        };
        reaction_change.copy_from_slice(&x[n..2 * n]);
        levels.rates.copy_from_slice(&x[2 * n + m..]);
        x.copy_within(2 * n..2 * n + m, n);
        self.substitute(trial);
        Some(largest(&self.x[..n]).max(largest(&self.reaction_change)))
    }
}
