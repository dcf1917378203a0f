//! Constrained mechanics in index-3 form.

use nalgebra::DMatrix;

use super::{Dae, Point};
use crate::acceleration::not_invertible;
use crate::linalg::{Matrix, Saddle, Singular};
use crate::{Derivatives, Failure, Mechanics, Scalar, Terms, Unsuitable};

/// Constrained mechanics in index-3 form:
///
/// ```text
/// q' − v = 0
/// M(q) v' − D(t, q, v) − Jᵀ λ = 0
/// Φ(t, q)/c = 0
/// ```
///
/// with `y = (q ; v)`, for positions that are vectors and holonomic constraints. Constraints are imposed on positions
/// only; those on velocities and accelerations are left to the method. The first row is eliminated from Newton's
/// system, whose condition number is O(1/c). The matrix of the remaining `n_q + n_c` unknowns, `[M + …, −Jᵀ; J, 0]`,
/// has a limit that does not depend on `c`.
pub struct Index3<'p, S: Scalar = f64> {
    mechanics: &'p mut dyn Mechanics<S>,
    terms: Terms<S>,
    derivatives: Derivatives<S>,
    /// `K = ∂(M v' − D − Jᵀ λ)/∂q`.
    stiffness: Matrix<S>,
    /// `[M − c ∂D/∂v + c² K, −Jᵀ; J, 0]`.
    system: Saddle<S>,
    /// See [`Dae::jacobian_columns`].
    columns: usize,
    c: S,
}

impl<'p, S: Scalar> Index3<'p, S> {
    /// Wraps a mechanical system that [suits](Self::suits).
    pub fn new(mechanics: &'p mut dyn Mechanics<S>) -> Self {
        let structure = mechanics.structure();
        let sparse = structure.is_sparse_in::<S>();
        Self {
            mechanics,
            terms: Terms::of(&structure, sparse),
            derivatives: Derivatives::of(&structure, sparse),
            stiffness: Matrix::new(&structure.dynamics, sparse),
            system: Saddle::new(&structure.dynamics, &structure.jacobian, sparse),
            columns: structure.jacobian_columns,
            c: S::zero(),
        }
    }

    /// Checks that the system has vectors as positions and holonomic constraints only.
    ///
    /// # Errors
    /// Fails with [`Unsuitable`], which names what the system has instead.
    pub fn suits(mechanics: &dyn Mechanics<S>) -> Result<(), Unsuitable> {
        Unsuitable::with_nonholonomic(mechanics)?;
        let needs = "positions that are vectors, with velocities as their rates";
        Unsuitable::when(!mechanics.has_vector_coordinates(), needs, "has other coordinates")
    }

    /// Number of positions.
    fn coordinates(&self) -> usize {
        self.terms.forces.len()
    }

    /// Forms the stiffness and the condensed matrix from the terms of the last residual and from derivatives at the
    /// point.
    fn linearise(&mut self, at: Point<'_, S>, c: S) {
        let n = self.coordinates();
        let (q, v) = at.y.split_at(n);
        let (acceleration, lambda) = at.rates[n..].split_at(n);
        let Self { mechanics, terms, derivatives, stiffness, system, .. } = self;
        mechanics.derivatives(at.t, q, v, derivatives);
        stiffness.negate(&derivatives.forces_by_position);
        derivatives.add_inertia(S::from(1.0), acceleration, stiffness);
        derivatives.add_curvature(S::from(-1.0), lambda, stiffness);
        let damping = &derivatives.forces_by_velocity;
        let blocks = [(S::from(1.0), &terms.mass), (-c, damping), (c * c, &*stiffness)];
        system.put(blocks, S::from(1.0), &terms.jacobian);
        self.c = c;
    }
}

impl<S: Scalar> Dae<S> for Index3<'_, S> {
    fn differential(&self) -> usize {
        2 * self.coordinates()
    }

    fn algebraic(&self) -> usize {
        self.terms.constraints.len()
    }

    fn residual(&mut self, at: Point<'_, S>, c: S, residual: &mut [S]) -> Result<(), Failure> {
        let n = self.coordinates();
        let (q, v) = at.y.split_at(n);
        self.mechanics.terms(at.t, q, v, &mut self.terms);
        let (kinematic, rest) = residual.split_at_mut(n);
        let (dynamic, constraints) = rest.split_at_mut(n);
        for ((row, &rate), &v) in kinematic.iter_mut().zip(at.rates).zip(v) {
            *row = rate - v;
        }
        let (acceleration, lambda) = at.rates[n..].split_at(n);
        self.terms.dynamics(acceleration, lambda, dynamic);
        for (row, &phi) in constraints.iter_mut().zip(&self.terms.constraints) {
            *row = phi / c;
        }
        Ok(())
    }

    fn factorize(&mut self, at: Point<'_, S>, c: S) -> Result<(), Singular> {
        self.linearise(at, c);
        self.system.factorize()
    }

    fn jacobian_columns(&self) -> usize {
        self.columns
    }

    fn solve(&mut self, x: &mut [S]) {
        let n = self.coordinates();
        let (kinematic, rest) = x.split_at_mut(n);
        let (dynamic, constraints) = rest.split_at_mut(n);
        self.stiffness.add_product(-self.c, kinematic, dynamic);
        self.terms.jacobian.add_product(S::from(-1.0), kinematic, constraints);
        constraints.iter_mut().for_each(|row| *row /= self.c);
        self.system.solve(rest);
        for (rate, &acceleration) in kinematic.iter_mut().zip(&*rest) {
            *rate += acceleration * self.c;
        }
    }

    fn jacobian(&mut self, at: Point<'_, S>, c: S, matrix: &mut DMatrix<S>) {
        self.linearise(at, c);
        let n = self.coordinates();
        let Self { terms, stiffness, derivatives, .. } = self;
        matrix.fill(S::zero());
        for j in 0..n {
            matrix[(j, j)] = S::from(1.0);
            matrix[(j, n + j)] = -c;
            for i in 0..n {
                matrix[(n + i, j)] = stiffness[(i, j)] * c;
                matrix[(n + i, n + j)] = terms.mass[(i, j)] - derivatives.forces_by_velocity[(i, j)] * c;
            }
            for k in 0..terms.constraints.len() {
                matrix[(2 * n + k, j)] = terms.jacobian[(k, j)];
                matrix[(n + j, 2 * n + k)] = -terms.jacobian[(k, j)];
            }
        }
    }

    /// Accelerations and multipliers from the constraints at acceleration level.
    fn consistent(&mut self, t: S, _chart: &[S], y: &[S], rates: &mut [S]) -> Result<(), Failure> {
        let n = self.coordinates();
        let (q, v) = y.split_at(n);
        let Self { mechanics, terms, system, .. } = self;
        mechanics.terms(t, q, v, terms);
        let (kinematic, x) = rates.split_at_mut(n);
        kinematic.copy_from_slice(v);
        let (forces, bias) = x.split_at_mut(n);
        forces.copy_from_slice(&terms.forces);
        mechanics.acceleration_bias(t, q, v, bias);
        bias.iter_mut().for_each(|bias| *bias = -*bias);
        if !terms.are_finite() || !x.iter().all(|x| x.is_finite()) {
            return Err(Failure::NonFinite { time: t.value() });
        }
        let blocks = [S::from(1.0), S::zero(), S::zero()].map(|factor| (factor, &terms.mass));
        system.put(blocks, S::from(1.0), &terms.jacobian);
        system.factorize().map_err(|Singular| not_invertible(system.is_finite(), t, "[M Jᵀ; J 0]"))?;
        system.solve(x);
        Ok(())
    }

    fn kinematic(&self, _chart: &[S], y: &[S], rates: &mut [S]) {
        let n = self.coordinates();
        rates[..n].copy_from_slice(&y[n..]);
        rates[n..].fill(S::zero());
    }
}
