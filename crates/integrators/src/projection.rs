//! Projection of a state onto its constraints (E. Hairer, G. Wanner, Solving Ordinary Differential Equations II,
//! section VII.2).
//!
//! Equations at acceleration level drift off the constraints; the violation of Φ grows with the square of time. The
//! constraint manifold is invariant, and the projection moves a state by no more than the error of the step. The order
//! of an explicit method with projection is therefore that of its formula.

use std::cell::Cell;

use mbsbench_problem::linalg::{Lu, Matrix, Saddle, multiply};
use mbsbench_problem::{CountedMechanics, Dimensions, Failure, Scalar, Statistics};
use nalgebra::DMatrix;

use crate::newton::{Outcome, Progress, iterate};
use crate::saddle::{Memory, factors, only};

/// Maximum number of iterations at each of the two levels.
const MAX_ITERATIONS: u32 = 10;

/// Moves a state to a nearby one that satisfies its constraints, first positions and then velocities:
///
/// ```text
/// q̃ = q ⊕ F (0 ; μ)   with   0 = Φ(t, q̃)
/// ṽ = v + F ν          with   0 = Γ(t, q̃, ṽ),   0 = dΦ/dt (t, q̃, ṽ)
/// F = M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁻¹
/// ```
///
/// (Hairer, Wanner, section VII.2.) `F` is evaluated at the original state. The displacements are the smallest ones in
/// the metric of the mass matrix, and displacements of positions satisfy the nonholonomic constraints. Simplified
/// Newton iterations start from zero and end when a correction is below `tolerance (1 + |x|)`, in the largest
/// components. Their convergence rate is proportional to the displacement.
#[derive(Debug, Clone)]
pub struct Projection<S: Scalar> {
    tolerance: f64,
    coordinates: usize,
    nonholonomic: usize,
    mass: Matrix<S>,
    jacobian: Matrix<S>,
    weights: Weights<S>,
    /// Violated constraints, then `(J M⁻¹ Jᵀ)⁻¹` times them.
    residual: Vec<S>,
    displacement: Vec<S>,
    moved: Vec<S>,
    /// Factorizations, iterations and linear solves so far.
    pub costs: Statistics,
}

/// The matrices of `F`.
#[derive(Debug, Clone)]
enum Weights<S: Scalar> {
    /// `M⁻¹ Jᵀ` and `J M⁻¹ Jᵀ`.
    Dense(Box<Dense<S>>),
    /// The factors of `[M −Jᵀ; J 0]`, whose solution for `(0 ; r)` begins with `F r`; and a solution.
    Sparse(Saddle<S>, Vec<S>),
}

#[derive(Debug, Clone)]
struct Dense<S: Scalar> {
    mass_factors: Lu<S>,
    /// `M⁻¹ Jᵀ`.
    weights: DMatrix<S>,
    grammian: DMatrix<S>,
    grammian_factors: Lu<S>,
}

impl<S: Scalar> Projection<S> {
    /// Allocates memory for a mechanical system of these dimensions.
    pub fn new(mechanics: &mut CountedMechanics<'_, S>, tolerance: f64) -> Self {
        let Dimensions { coordinates, velocities, nonholonomic, .. } = mechanics.dimensions();
        let constraints = mechanics.dimensions().constraints();
        let matrix = |rows, columns| DMatrix::from_element(rows, columns, S::zero());
        let memory = Memory::of(mechanics);
        let weights = if memory.is_sparse {
            Weights::Sparse(memory.saddle(), vec![S::zero(); velocities + constraints])
        } else {
            Weights::Dense(Box::new(Dense {
                mass_factors: Lu::new(velocities),
                weights: matrix(velocities, constraints),
                grammian: matrix(constraints, constraints),
                grammian_factors: Lu::new(constraints),
            }))
        };
        Self {
            tolerance,
            coordinates,
            nonholonomic,
            mass: memory.mass(),
            jacobian: memory.jacobian(),
            weights,
            residual: vec![S::zero(); constraints],
            displacement: vec![S::zero(); velocities],
            moved: vec![S::zero(); coordinates],
            costs: Statistics::default(),
        }
    }

    /// Projects the state `y = (q ; v)` at `t` (s).
    ///
    /// # Errors
    /// Returns [`Failure::SingularMatrix`] if constraints are redundant, [`Failure::NewtonDiverged`] if the state
    /// violates them too much, or [`Failure::NonFinite`].
    pub fn project(&mut self, mechanics: &mut CountedMechanics<'_, S>, t: S, y: &mut [S]) -> Result<(), Failure> {
        if self.residual.is_empty() {
            return Ok(());
        }
        let (q, v) = y.split_at_mut(self.coordinates);
        self.factorize(mechanics, t, q, v)?;
        self.iterate(t, |projection| {
            mechanics.constraint_values(t, q, v, &mut projection.residual);
            projection.residual[..projection.nonholonomic].fill(S::zero());
            projection.displace();
            mechanics.retract(q, &projection.displacement, &mut projection.moved);
            q.copy_from_slice(&projection.moved);
            projection.sizes(q)
        })?;
        self.iterate(t, |projection| {
            mechanics.velocity_constraints(t, q, v, &mut projection.residual);
            projection.displace();
            v.iter_mut().zip(&projection.displacement).for_each(|(v, &displacement)| *v += displacement);
            projection.sizes(v)
        })
    }

    /// Forms the factors of `F` at a state.
    fn factorize(&mut self, mechanics: &mut CountedMechanics<'_, S>, t: S, q: &[S], v: &[S]) -> Result<(), Failure> {
        let singular = |matrix| move |_| Failure::SingularMatrix { time: t.value(), matrix };
        self.costs.factorizations += 1;
        let Self { mass, jacobian, .. } = self;
        mechanics.mass_in(q, mass);
        mechanics.constraint_jacobian_in(t, q, v, jacobian);
        let Dense { mass_factors, weights, grammian, grammian_factors } = match &mut self.weights {
            Weights::Dense(dense) => &mut **dense,
            Weights::Sparse(saddle, _) => {
                saddle.put(only(mass), S::from(1.0), jacobian);
                return factors(saddle, t.value());
            }
        };
        let jacobian = jacobian.all();
        mass_factors.factorize(mass.all()).map_err(singular("mass matrix"))?;
        let (velocities, constraints) = (self.displacement.len(), self.residual.len());
        for c in 0..constraints {
            let weights = &mut weights.as_mut_slice()[velocities * c..][..velocities];
            for (j, weight) in weights.iter_mut().enumerate() {
                *weight = jacobian[(c, j)];
            }
            mass_factors.solve(weights);
            multiply(jacobian, weights, &mut grammian.as_mut_slice()[constraints * c..][..constraints]);
        }
        self.costs.factorizations += 1;
        grammian_factors.factorize(grammian).map_err(singular("J M⁻¹ Jᵀ"))
    }

    /// Repeats a correction until it is small. `correct` returns the largest components of the displacement and of the
    /// displaced vector.
    fn iterate(&mut self, t: S, mut correct: impl FnMut(&mut Self) -> [f64; 2]) -> Result<(), Failure> {
        let time = t.value();
        let largest = Cell::new(0.0);
        let make = |projection: &mut Self, _: u32| -> Result<f64, Failure> {
            projection.costs.newton_iterations += 1;
            projection.costs.linear_solves += 1;
            let [displacement, displaced] = correct(projection);
            largest.set(displaced);
            Ok(displacement)
        };
        let judge = |projection: &mut Self, Progress { size, .. }: Progress| {
            (size <= projection.tolerance * (1.0 + largest.get())).then_some(Outcome::Converged)
        };
        let outcome = iterate(self, MAX_ITERATIONS, make, judge)?;
        outcome.converged(time, 0, || Failure::NewtonDiverged { time, iterations: MAX_ITERATIONS.into() })
    }

    /// Writes `−F` times the residual into the displacement.
    fn displace(&mut self) {
        let Self { weights, residual, displacement, .. } = self;
        residual.iter_mut().for_each(|residual| *residual = -*residual);
        match weights {
            Weights::Dense(dense) => {
                dense.grammian_factors.solve(residual);
                multiply(&dense.weights, residual, displacement);
            }
            Weights::Sparse(saddle, x) => {
                let n = displacement.len();
                x[..n].fill(S::zero());
                x[n..].copy_from_slice(residual);
                saddle.solve(x);
                displacement.copy_from_slice(&x[..n]);
            }
        }
    }

    /// The largest components of the displacement and of `x`; NaN if a component is not finite.
    fn sizes(&self, x: &[S]) -> [f64; 2] {
        let largest = |values: &[S]| values.iter().map(|x| x.value().abs()).fold(0.0, f64::max);
        let is_finite = self.displacement.iter().chain(x).all(|x| x.is_finite());
        if is_finite { [largest(&self.displacement), largest(x)] } else { [f64::NAN; 2] }
    }
}
