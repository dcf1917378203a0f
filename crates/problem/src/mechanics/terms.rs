//! The terms of the equations of motion at a state, and their derivatives: what an implicit method asks for.

use nalgebra::DMatrix;

use crate::Scalar;
use crate::linalg::{add_product, add_transposed_product};

/// The terms of `M(q) v' = D(t, q, v) + J(t, q)ᵀ λ`, `0 = Φ(t, q)` at a state, for holonomic constraints and vector
/// coordinates (`n = n_q = n_v`).
///
/// λ has the sign of this equation everywhere; negrut2007 writes `M q'' + Φ_qᵀ λ = Q`, with the other one.
#[derive(Debug, Clone)]
pub struct Terms<S> {
    /// `M(q)`, `n × n`.
    pub mass: DMatrix<S>,
    /// `D(t, q, v)`, length `n`.
    pub forces: Vec<S>,
    /// `J = ∂Φ/∂q`, `n_c × n`.
    pub jacobian: DMatrix<S>,
    /// `Φ(t, q)`, length `n_c`.
    pub constraints: Vec<S>,
    /// `J v + ∂Φ/∂t`, length `n_c`.
    pub constraint_rates: Vec<S>,
}

impl<S: Scalar> Terms<S> {
    /// Memory for `n` coordinates and `n_c` constraints.
    #[must_use]
    pub fn new(coordinates: usize, constraints: usize) -> Self {
        let zero = S::nought();
        Self {
            mass: DMatrix::from_element(coordinates, coordinates, zero),
            forces: vec![zero; coordinates],
            jacobian: DMatrix::from_element(constraints, coordinates, zero),
            constraints: vec![zero; constraints],
            constraint_rates: vec![zero; constraints],
        }
    }

    /// Writes all forces, `D + Jᵀ λ`, into `total`.
    pub fn all_forces(&self, lambda: &[S], total: &mut [S]) {
        total.copy_from_slice(&self.forces);
        add_transposed_product(S::from(1.0), &self.jacobian, lambda, total);
    }

    /// Writes what the equations of motion leave, `M a − D − Jᵀ λ`, into `residual`.
    pub fn dynamics(&self, a: &[S], lambda: &[S], residual: &mut [S]) {
        for (residual, &force) in residual.iter_mut().zip(&self.forces) {
            *residual = -force;
        }
        add_product(S::from(1.0), &self.mass, a, residual);
        add_transposed_product(S::from(-1.0), &self.jacobian, lambda, residual);
    }

    /// Whether all entries that the model gave are finite.
    #[must_use]
    pub fn are_finite(&self) -> bool {
        let finite = |values: &[S]| values.iter().all(|x| x.is_finite());
        finite(self.mass.as_slice())
            && finite(&self.forces)
            && finite(self.jacobian.as_slice())
            && finite(&self.constraints)
            && finite(&self.constraint_rates)
    }
}

/// Which derivatives of mass and constraints can be other than zero; read off the arithmetic, not off values.
///
/// It is found once, at the first state, and so are the columns of `J` that are constant: constraints and masses have to
/// be smooth, with the same arithmetic at every state. Forces may take branches (contact); nothing is assumed of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Structure {
    /// Coordinates on which the mass matrix depends.
    pub mass: Vec<usize>,
    /// Pairs `i ≤ j` in which Φ has second derivatives; the number of coordinates stands for time.
    pub curvature: Vec<(usize, usize)>,
    /// Coordinates among those pairs; the other columns of `J` are constant.
    pub curved: Vec<usize>,
    /// Whether Φ depends on time.
    pub rheonomic: bool,
}

/// Derivatives of the [`Terms`] at a state, exact to roundoff.
#[derive(Debug, Clone)]
pub struct Derivatives<S> {
    /// `∂D/∂q`, `n × n`.
    pub forces_by_position: DMatrix<S>,
    /// `∂D/∂v`, `n × n`.
    pub forces_by_velocity: DMatrix<S>,
    /// `∂M/∂q_k` for the coordinates `k` on which the mass depends.
    pub(super) mass: Vec<(usize, DMatrix<S>)>,
    /// Pairs of [`Structure::curvature`].
    pub(super) pairs: Vec<(usize, usize)>,
    /// Second derivatives of all constraints, pair by pair.
    pub(super) second: Vec<S>,
    /// [`Structure::curved`].
    curved: Vec<usize>,
    constraints: usize,
}

impl<S: Scalar> Derivatives<S> {
    /// Memory for `n` coordinates, `n_c` constraints and the derivatives that there can be.
    #[must_use]
    pub fn new(coordinates: usize, constraints: usize, structure: &Structure) -> Self {
        let square = DMatrix::from_element(coordinates, coordinates, S::nought());
        Self {
            mass: structure.mass.iter().map(|&k| (k, square.clone())).collect(),
            forces_by_velocity: square.clone(),
            forces_by_position: square,
            pairs: structure.curvature.clone(),
            second: vec![S::nought(); structure.curvature.len() * constraints],
            curved: structure.curved.clone(),
            constraints,
        }
    }

    /// The matrices `∂M/∂q_k` with their `k`, for a model to write them.
    pub fn mass_mut(&mut self) -> impl Iterator<Item = (usize, &mut DMatrix<S>)> {
        self.mass.iter_mut().map(|(k, mass)| (*k, mass))
    }

    /// The second derivatives of all constraints with the pairs of coordinates that they belong to, for a model to write them.
    pub fn second_mut(&mut self) -> impl Iterator<Item = ((usize, usize), &mut [S])> {
        self.pairs.iter().copied().zip(self.second.chunks_mut(self.constraints.max(1)))
    }

    /// Whether the mass matrix is constant.
    #[must_use]
    pub fn has_constant_mass(&self) -> bool {
        self.mass.is_empty()
    }

    /// Coordinates in which Φ has second derivatives: [`add_curvature`](Self::add_curvature) and
    /// [`constraint_rates`](Self::constraint_rates) write their columns only.
    #[must_use]
    pub fn curved(&self) -> &[usize] {
        &self.curved
    }

    /// Adds `factor · ∂(M x)/∂q`, for a vector `x` that is held, to `sum`; `sum` may be larger than `n × n`.
    pub fn add_inertia(&self, factor: S, x: &[S], sum: &mut DMatrix<S>) {
        let rows = sum.nrows();
        for (k, mass) in &self.mass {
            for (i, sum) in sum.as_mut_slice()[k * rows..].iter_mut().take(x.len()).enumerate() {
                let row = mass.as_slice()[i..].iter().step_by(mass.nrows());
                let product = row.zip(x).fold(S::nought(), |product, (&mass, &x)| product + mass * x);
                *sum += product * factor;
            }
        }
    }

    /// Adds `factor · ∂(Jᵀ λ)/∂q` to `sum`; `sum` may be larger than `n × n`.
    pub fn add_curvature(&self, factor: S, lambda: &[S], sum: &mut DMatrix<S>) {
        let n = self.forces_by_position.nrows();
        for (p, &(i, j)) in self.pairs.iter().enumerate() {
            if j == n {
                continue; // a mixed derivative in time is none of Jᵀ λ in q
            }
            let second = &self.second[p * self.constraints..][..self.constraints];
            let weighted = second.iter().zip(lambda).fold(S::nought(), |sum, (&second, &l)| sum + second * l) * factor;
            sum[(i, j)] += weighted;
            if i != j {
                sum[(j, i)] += weighted;
            }
        }
    }

    /// Writes `∂(J v + ∂Φ/∂t)/∂q`, `n_c × n`, into `rates`.
    pub fn constraint_rates(&self, v: &[S], rates: &mut DMatrix<S>) {
        rates.fill(S::nought());
        let n = self.forces_by_position.nrows();
        for (p, &(i, j)) in self.pairs.iter().enumerate() {
            for (c, &second) in self.second[p * self.constraints..][..self.constraints].iter().enumerate() {
                if i == n {
                    continue; // ∂²Φ/∂t² is no derivative in q
                }
                rates[(c, i)] += if j == n { second } else { second * v[j] };
                if j != n && i != j {
                    rates[(c, j)] += second * v[i];
                }
            }
        }
    }

    /// Writes `∂(J v + ∂Φ/∂t)/∂q δ`, length `n_c`, into `along`.
    pub fn constraint_rates_along(&self, v: &[S], delta: &[S], along: &mut [S]) {
        along.fill(S::nought());
        let n = v.len();
        for (&(i, j), second) in self.pairs.iter().zip(self.second.chunks(self.constraints.max(1))) {
            let factor = match (i == n, j == n) {
                (true, _) => continue, // ∂²Φ/∂t² is no derivative in q
                (_, true) => delta[i],
                _ if i == j => v[i] * delta[i],
                _ => v[i] * delta[j] + v[j] * delta[i],
            };
            for (along, &second) in along.iter_mut().zip(second) {
                *along += second * factor;
            }
        }
    }
}
