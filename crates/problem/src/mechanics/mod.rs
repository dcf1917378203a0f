//! Constrained mechanical systems, as methods see them and as models define them.
//!
//! ```text
//! q' = H(q) v
//! M(q) v' = D(t, q, v) + Jᵀ λ
//! 0 = Γ(t, q, v)     nonholonomic
//! 0 = Φ(t, q)        holonomic
//! ```
//!
//! with `J = (∂Γ/∂v ; ∂Φ/∂q H)`. In every vector and matrix of constraints the nonholonomic rows come first, as in
//! compere2001, Eq. 3.21.

mod approach;
mod closed_form;
mod dual;
mod structure;
mod terms;
mod traced;

use std::sync::Arc;

use nalgebra::DMatrix;

use crate::linalg::{Entries, Matrix};
use crate::{Failure, Recursion, Scalar};

pub use closed_form::{ClosedForm, ClosedTerms, Partials};
pub use dual::MechanicsOf;
pub use structure::{Matrices, Structure};
pub use terms::{Derivatives, Terms};

/// Numbers of coordinates and constraints of a mechanical system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dimensions {
    /// Number of position coordinates `n_q`.
    pub coordinates: usize,
    /// Number of velocity coordinates `n_v`; different from `n_q` only for positions on a manifold.
    pub velocities: usize,
    /// Number of holonomic constraints Φ.
    pub holonomic: usize,
    /// Number of nonholonomic constraints Γ.
    pub nonholonomic: usize,
}

impl Dimensions {
    /// The dimensions of a system with vectors as positions, and holonomic constraints only.
    pub const fn vectors(coordinates: usize, holonomic: usize) -> Self {
        Self { coordinates, velocities: coordinates, holonomic, nonholonomic: 0 }
    }

    /// Number of constraints of both kinds.
    pub const fn constraints(self) -> usize {
        self.holonomic + self.nonholonomic
    }
}

/// A mechanical system as a model defines it: once, for any scalar, and without derivatives.
pub trait MechanicalModel: Send + Sync {
    /// The numbers of coordinates and constraints.
    fn dimensions(&self) -> Dimensions;

    /// Writes `q' = H(q) v`; linear in `v`.
    fn position_rate<S: Scalar>(&self, _q: &[S], v: &[S], q_rate: &mut [S]) {
        q_rate.copy_from_slice(v);
    }

    /// Writes the configuration reached from `q` by the displacement `delta` (length of a velocity); its derivative
    /// at zero is `H(q)`. If it is not a sum, it should agree to third order in `delta` with the solution of
    /// `q' = H(q) delta` after one unit of time; methods that step along it are then of second order.
    fn retract<S: Scalar>(&self, q: &[S], delta: &[S], moved: &mut [S]) {
        for ((moved, &q), &delta) in moved.iter_mut().zip(q).zip(delta) {
            *moved = q + delta;
        }
    }

    /// Writes the symmetric positive definite mass matrix `M(q)` into `mass`, which is zero on entry. The same
    /// entries must be written at every state (see [`Structure`]).
    fn mass<S: Scalar>(&self, q: &[S], mass: &mut impl Entries<S>);

    /// Writes the forces `D(t, q, v)`, applied and gyroscopic.
    fn forces<S: Scalar>(&self, t: S, q: &[S], v: &[S], forces: &mut [S]);

    /// Writes the holonomic constraints `Φ(t, q)`: smooth functions, with the same arithmetic at every state (see
    /// [`Structure`]).
    fn holonomic_constraints<S: Scalar>(&self, _t: S, _q: &[S], _phi: &mut [S]) {}

    /// Writes the nonholonomic constraints `Γ(t, q, v)`.
    fn nonholonomic_constraints<S: Scalar>(&self, _t: S, _q: &[S], _v: &[S], _gamma: &mut [S]) {}

    /// True if the equations of a body contain only those that it is joined to, as in absolute coordinates.
    fn is_local(&self) -> bool {
        true
    }

    /// Calls `each` for every two bodies that may touch, with the gap between them, m, negative if they overlap, and a
    /// length that is a small part of the bodies, m; zero if they cannot pass through each other.
    fn gaps<S: Scalar>(&self, _q: &[S], _each: &mut dyn FnMut(S, f64)) {}

    /// The terms in closed form, if the model has them: a faster way to the results of dual numbers.
    fn closed_form<S: Scalar>(&self) -> Option<&dyn ClosedForm<S>> {
        None
    }

    /// Calls `each` with indices and value of each entry that can be non-zero, and returns true, if the model has these
    /// derivatives in closed form: all three kinds or none, for vector coordinates. The order of the entries must be
    /// the same at every state, and the values must agree with those of dual numbers.
    fn partials<S: Scalar>(&self, _kind: Partials, _t: S, _q: &[S], _each: &mut impl FnMut([usize; 3], S)) -> bool {
        false
    }

    /// The joints of a tree, if these are many and the equations contain nothing else; the matrices of such equations
    /// are full.
    fn recursion(&self) -> Option<Box<dyn Recursion + '_>> {
        None
    }

    /// True if neither forces nor constraints depend on time; see
    /// [`Properties::is_autonomous`](crate::Properties::is_autonomous).
    fn is_autonomous(&self) -> bool {
        false
    }

    /// Total energy, J. Some experiments are sensitive to its roundoff, so it should use the paper's zero of
    /// potential.
    fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S;
}

/// A mechanical system as methods and adaptors see it, with the derivatives they need.
pub trait Mechanics<S: Scalar = f64> {
    /// The numbers of coordinates and constraints.
    fn dimensions(&self) -> Dimensions;
    /// Writes `H(q) v`.
    fn position_rate(&mut self, q: &[S], v: &[S], q_rate: &mut [S]);
    /// See [`MechanicalModel::retract`].
    fn retract(&mut self, q: &[S], delta: &[S], moved: &mut [S]);
    /// Writes `M(q)`, `n_v × n_v`.
    fn mass(&mut self, q: &[S], mass: &mut DMatrix<S>);
    /// Writes `M(q)` into either kind of memory.
    fn mass_in(&mut self, q: &[S], mass: &mut Matrix<S>);
    /// Writes `D(t, q, v)`.
    fn forces(&mut self, t: S, q: &[S], v: &[S], forces: &mut [S]);
    /// Writes `(Γ(t, q, v) ; Φ(t, q))`.
    fn constraint_values(&mut self, t: S, q: &[S], v: &[S], values: &mut [S]);
    /// Writes `(Γ(t, q, v) ; dΦ/dt)`, the constraints at velocity level.
    fn velocity_constraints(&mut self, t: S, q: &[S], v: &[S], values: &mut [S]);
    /// Writes `J = (∂Γ/∂v ; ∂Φ/∂q H)`, `n_c × n_v`.
    fn constraint_jacobian(&mut self, t: S, q: &[S], v: &[S], jacobian: &mut DMatrix<S>);
    /// Writes `J` into either kind of memory. Memory for a pattern is for systems with a
    /// [structure](Self::structure).
    fn constraint_jacobian_in(&mut self, t: S, q: &[S], v: &[S], jacobian: &mut Matrix<S>);
    /// Writes the time derivative of the velocity constraints at `v' = 0`, so that the constraints at acceleration
    /// level are `J v' + bias = 0`.
    fn acceleration_bias(&mut self, t: S, q: &[S], v: &[S], bias: &mut [S]);
    /// See [`MechanicalModel::closed_form`].
    fn closed_form(&self) -> Option<&dyn ClosedForm<S>> {
        None
    }
    /// See [`MechanicalModel::recursion`]; only in double precision.
    fn recursion(&mut self) -> Option<&mut (dyn Recursion + '_)> {
        None
    }
    /// True if bodies may touch, so that [`step_limit`](Self::step_limit) may be finite.
    fn has_gaps(&self) -> bool {
        false
    }
    /// See [`Ode::step_limit`](crate::Ode::step_limit); `a` are the accelerations.
    fn step_limit(&mut self, _q: &[S], _v: &[S], _a: &[S]) -> f64 {
        f64::INFINITY
    }
    /// See [`Ode::check_start`](crate::Ode::check_start).
    fn check_start(&mut self, _t: S, _q: &[S], _v: &[S]) -> Result<(), Failure> {
        Ok(())
    }
    /// See [`Ode::cause`](crate::Ode::cause).
    fn cause(&mut self, reported: Option<Failure>) -> Option<Failure> {
        reported
    }

    /// True if positions are vectors: `q' = v`, and displacements are added. [`terms`](Self::terms) and the functions
    /// after it are for such systems, and leave out nonholonomic constraints.
    fn has_vector_coordinates(&self) -> bool;
    /// True if [`structure`](Self::structure) is found in the time of few evaluations: positions are vectors, or the
    /// equations are [local](MechanicalModel::is_local).
    fn has_structure(&self) -> bool {
        self.has_vector_coordinates()
    }
    /// The possible terms and derivatives, found on first use. Memory for [`terms`](Self::terms) and
    /// [`derivatives`](Self::derivatives) is allocated accordingly.
    fn structure(&mut self) -> Arc<Structure>;
    /// Sets the kind of memory to use from now on, instead of the choice that [`structure`](Self::structure) would
    /// make.
    fn keep_matrices(&mut self, _matrices: Matrices) {}
    /// Writes all terms of the equations of motion at a state.
    fn terms(&mut self, t: S, q: &[S], v: &[S], terms: &mut Terms<S>);
    /// Writes the derivatives of the terms.
    fn derivatives(&mut self, t: S, q: &[S], v: &[S], derivatives: &mut Derivatives<S>);
    /// Writes the terms and their derivatives, like [`terms`](Self::terms) and [`derivatives`](Self::derivatives); an
    /// implementation may share work between them.
    fn linearisation(&mut self, t: S, q: &[S], v: &[S], terms: &mut Terms<S>, derivatives: &mut Derivatives<S>) {
        self.terms(t, q, v, terms);
        self.derivatives(t, q, v, derivatives);
    }
    /// Writes derivatives of `M a − D − Jᵀ λ`, with accelerations and multipliers held, and of Φ into `by`. They are
    /// taken at the positions reached from `at.q` by a displacement `delta`: the derivatives of the former in the
    /// displacement and in `v`, `n_v × n_v`, and those of Φ in the displacement, `n_c × n_v`. For positions of any
    /// kind; holonomic constraints only.
    fn displaced_derivatives(&mut self, at: Motion<'_, S>, delta: &[S], by: [&mut Matrix<S>; 3]);
    /// See [`MechanicalModel::is_autonomous`].
    fn is_autonomous(&self) -> bool;
    /// Writes `∂(J a + bias)/∂q`, `n_c × n`, with the accelerations `a` held, into `by_position`. The derivative in
    /// `v` is twice the result of [`Derivatives::constraint_rates`].
    fn acceleration_constraint_derivatives(&mut self, at: Motion<'_, S>, by_position: &mut Matrix<S>);
    /// Writes `∂(D + Jᵀ λ)/∂t`, length `n`, into `forces` and `∂(J a + bias)/∂t`, length `n_c`, into `constraints`,
    /// with `a` and `λ` held.
    fn time_derivatives(&mut self, at: Motion<'_, S>, forces: &mut [S], constraints: &mut [S]);
}

/// A motion at one time.
#[derive(Debug, Clone, Copy)]
pub struct Motion<'a, S> {
    /// Time, s.
    pub t: S,
    /// Positions.
    pub q: &'a [S],
    /// Velocities.
    pub v: &'a [S],
    /// Accelerations.
    pub a: &'a [S],
    /// Multipliers.
    pub lambda: &'a [S],
}
