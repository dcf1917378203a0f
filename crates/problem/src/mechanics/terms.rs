//! The terms of the equations of motion at a state, and their derivatives, as implicit methods need them.

use std::sync::Arc;

use nalgebra::DMatrix;

use super::structure::Structure;
use crate::Scalar;
use crate::linalg::{Accumulate, Entries, Matrix};

/// The terms of `M(q) v' = D(t, q, v) + J(t, q)ᵀ λ`, `0 = Φ(t, q)` at a state, for holonomic constraints and vector
/// coordinates (`n = n_q = n_v`).
///
/// λ has the sign of this equation everywhere; negrut2007 writes `M q'' + Φ_qᵀ λ = Q`, with the opposite sign.
#[derive(Debug, Clone)]
pub struct Terms<S> {
    /// `M(q)`, `n × n`.
    pub mass: Matrix<S>,
    /// `D(t, q, v)`, length `n`.
    pub forces: Vec<S>,
    /// `J = ∂Φ/∂q`, `n_c × n`.
    pub jacobian: Matrix<S>,
    /// `Φ(t, q)`, length `n_c`.
    pub constraints: Vec<S>,
    /// `J v + ∂Φ/∂t`, length `n_c`.
    pub constraint_rates: Vec<S>,
}

impl<S: Scalar> Terms<S> {
    /// Dense memory for `n` coordinates and `n_c` constraints.
    pub fn new(coordinates: usize, constraints: usize) -> Self {
        Self::in_matrices(Matrix::dense(coordinates, coordinates), Matrix::dense(constraints, coordinates))
    }

    /// Memory for a system with the given structure: only for its entries if `sparse`, otherwise for all.
    pub fn of(structure: &Structure, sparse: bool) -> Self {
        Self::in_matrices(Matrix::new(&structure.dynamics, sparse), Matrix::new(&structure.jacobian, sparse))
    }

    fn in_matrices(mass: Matrix<S>, jacobian: Matrix<S>) -> Self {
        let (coordinates, constraints) = (mass.nrows(), jacobian.nrows());
        let zero = S::zero();
        Self {
            mass,
            forces: vec![zero; coordinates],
            jacobian,
            constraints: vec![zero; constraints],
            constraint_rates: vec![zero; constraints],
        }
    }

    /// Writes all forces, `D + Jᵀ λ`, into `total`.
    pub fn all_forces(&self, lambda: &[S], total: &mut [S]) {
        total.copy_from_slice(&self.forces);
        self.jacobian.add_transposed_product(S::from(1.0), lambda, total);
    }

    /// Writes the residual of the equations of motion, `M a − D − Jᵀ λ`, into `residual`.
    pub fn dynamics(&self, a: &[S], lambda: &[S], residual: &mut [S]) {
        for (residual, &force) in residual.iter_mut().zip(&self.forces) {
            *residual = -force;
        }
        self.mass.add_product(S::from(1.0), a, residual);
        self.jacobian.add_transposed_product(S::from(-1.0), lambda, residual);
    }

    /// True if all entries that the model provided are finite.
    pub fn are_finite(&self) -> bool {
        let finite = |values: &[S]| values.iter().all(|x| x.is_finite());
        finite(self.mass.values())
            && finite(&self.forces)
            && finite(self.jacobian.values())
            && finite(&self.constraints)
            && finite(&self.constraint_rates)
    }
}

/// The index of a pair of coordinates, the pair, the second derivatives of constraints in it, and the constraints
/// concerned.
type Pair<'d, S> = (usize, (usize, usize), &'d [S], Option<&'d [usize]>);

/// Derivatives of the [`Terms`] at a state, exact to roundoff.
#[derive(Debug, Clone)]
pub struct Derivatives<S> {
    /// `∂D/∂q`, `n × n`.
    pub forces_by_position: Matrix<S>,
    /// `∂D/∂v`, `n × n`.
    pub forces_by_velocity: Matrix<S>,
    pub(super) structure: Arc<Structure>,
    /// `∂M/∂q_k` for the coordinates `k` on which the mass depends, if all entries are stored.
    pub(super) mass: Vec<(usize, DMatrix<S>)>,
    /// Derivatives of [`Structure::mass_entries`], one coordinate after the other, if only these are stored.
    pub(super) mass_values: Vec<S>,
    /// Second derivatives of all constraints, pair by pair; only those of [`Structure::pair_rows`] if the matrices
    /// are sparse.
    pub(super) second: Vec<S>,
}

impl<S: Scalar> Derivatives<S> {
    /// Dense memory for the derivatives of a system with the given structure.
    pub fn new(structure: &Arc<Structure>) -> Self {
        Self::of(structure, false)
    }

    /// Memory for the derivatives of a system with the given structure: only for its entries if `sparse`, otherwise
    /// for all.
    pub fn of(structure: &Arc<Structure>, sparse: bool) -> Self {
        let square = Matrix::new(&structure.dynamics, sparse);
        let n = structure.dynamics.rows();
        let matrices = structure.mass.iter().map(|&k| (k, DMatrix::from_element(n, n, S::zero())));
        let entries = |lists: &[Vec<usize>]| lists.iter().map(Vec::len).sum::<usize>();
        let all = structure.curvature.len() * structure.jacobian.rows();
        Self {
            mass: if sparse { Vec::new() } else { matrices.collect() },
            mass_values: vec![S::zero(); if sparse { entries(&structure.inertia_slots) } else { 0 }],
            second: vec![S::zero(); if sparse { entries(&structure.pair_rows) } else { all }],
            forces_by_velocity: square.clone(),
            forces_by_position: square,
            structure: structure.clone(),
        }
    }

    /// True if only the entries of the structure are stored.
    pub(super) fn is_sparse(&self) -> bool {
        self.forces_by_position.pattern().is_some()
    }

    fn constraints(&self) -> usize {
        self.structure.jacobian.rows()
    }

    /// The pairs with their indices and second derivatives, and the constraints concerned; without a list of
    /// constraints, all of them in order.
    fn pairs(&self) -> impl Iterator<Item = Pair<'_, S>> {
        let Structure { curvature, pair_rows, .. } = &*self.structure;
        let (mut second, is_sparse, constraints) = (&self.second[..], self.is_sparse(), self.constraints());
        curvature.iter().enumerate().map(move |(p, &pair)| {
            let rows = is_sparse.then(|| &pair_rows[p][..]);
            let (of_pair, others) = second.split_at(rows.map_or(constraints, <[usize]>::len));
            second = others;
            (p, pair, of_pair, rows)
        })
    }

    /// The matrices `∂M/∂q_k` with their `k`, mutable, for a model to write them.
    pub fn mass_mut(&mut self) -> impl Iterator<Item = (usize, &mut DMatrix<S>)> {
        self.mass.iter_mut().map(|(k, mass)| (*k, mass))
    }

    /// The second derivatives of all constraints with their pairs of coordinates, mutable, for a model to write them.
    pub fn second_mut(&mut self) -> impl Iterator<Item = ((usize, usize), &mut [S])> {
        let constraints = self.constraints().max(1);
        self.structure.curvature.iter().copied().zip(self.second.chunks_mut(constraints))
    }

    /// True if the mass matrix is constant.
    pub fn has_constant_mass(&self) -> bool {
        self.structure.mass.is_empty()
    }

    /// Coordinates in which Φ has second derivatives. [`add_curvature`](Self::add_curvature) and
    /// [`constraint_rates`](Self::constraint_rates) write only their columns.
    pub fn curved(&self) -> &[usize] {
        &self.structure.curved
    }

    /// Adds `factor · ∂(M x)/∂q`, with the vector `x` held, to `sum`, which may be larger than `n × n`.
    pub fn add_inertia(&self, factor: S, x: &[S], sum: &mut impl Accumulate<S>) {
        for (k, mass) in &self.mass {
            for i in 0..x.len() {
                let row = mass.as_slice()[i..].iter().step_by(mass.nrows());
                let product = row.zip(x).fold(S::zero(), |product, (&mass, &x)| product + mass * x);
                sum.add((i, *k), 0, product * factor);
            }
        }
        let Structure { mass, mass_entries, inertia_slots, .. } = &*self.structure;
        let mut values = self.mass_values.iter();
        for ((&k, entries), slots) in mass.iter().zip(mass_entries).zip(inertia_slots) {
            for ((&(i, j), &slot), &value) in entries.iter().zip(slots).zip(values.by_ref()) {
                sum.add((i, k), slot, value * x[j] * factor);
            }
        }
    }

    /// Adds `factor · ∂(Jᵀ λ)/∂q` to `sum`, which may be larger than `n × n`.
    pub fn add_curvature(&self, factor: S, lambda: &[S], sum: &mut impl Accumulate<S>) {
        let n = self.forces_by_position.nrows();
        for (p, (i, j), second, rows) in self.pairs() {
            if j == n {
                continue; // a mixed derivative in time is none of Jᵀ λ in q
            }
            let zero = S::zero();
            let weighted = match rows {
                None => second.iter().zip(lambda).fold(zero, |sum, (&second, &l)| sum + second * l),
                Some(rows) => second.iter().zip(rows).fold(zero, |sum, (&second, &c)| sum + second * lambda[c]),
            } * factor;
            let [above, below] = self.structure.pair_slots[p];
            sum.add((i, j), above, weighted);
            if i != j {
                sum.add((j, i), below, weighted);
            }
        }
    }

    /// Makes these the derivatives of the motion in reverse time, with the velocities reversed.
    pub(crate) fn reverse(&mut self) {
        self.forces_by_velocity.values_mut().iter_mut().for_each(|entry| *entry = -*entry);
        let (n, mut start) = (self.forces_by_position.nrows(), 0);
        let ends: Vec<_> = self.pairs().map(|(_, (i, j), second, _)| ((i == n) != (j == n), second.len())).collect();
        for (is_mixed, length) in ends {
            let second = &mut self.second[start..start + length];
            second.iter_mut().filter(|_| is_mixed).for_each(|second| *second = -*second);
            start += length;
        }
    }

    /// Writes `∂(J v + ∂Φ/∂t)/∂q`, `n_c × n`, into `rates`.
    pub fn constraint_rates(&self, v: &[S], rates: &mut impl Entries<S>) {
        rates.clear();
        let n = self.forces_by_position.nrows();
        for (_, (i, j), second, rows) in self.pairs() {
            if i == n {
                continue; // ∂²Φ/∂t² is not a derivative with respect to q
            }
            for (k, &second) in second.iter().enumerate() {
                let c = rows.map_or(k, |rows| rows[k]);
                rates[(c, i)] += if j == n { second } else { second * v[j] };
                if j != n && i != j {
                    rates[(c, j)] += second * v[i];
                }
            }
        }
    }

    /// Writes `∂(J v + ∂Φ/∂t)/∂q δ`, length `n_c`, into `along`.
    pub fn constraint_rates_along(&self, v: &[S], delta: &[S], along: &mut [S]) {
        along.fill(S::zero());
        let n = v.len();
        for (_, (i, j), second, rows) in self.pairs() {
            let factor = match (i == n, j == n) {
                (true, _) => continue, // ∂²Φ/∂t² is not a derivative with respect to q
                (_, true) => delta[i],
                _ if i == j => v[i] * delta[i],
                _ => v[i] * delta[j] + v[j] * delta[i],
            };
            for (k, &second) in second.iter().enumerate() {
                along[rows.map_or(k, |rows| rows[k])] += second * factor;
            }
        }
    }
}
