//! What [`MechanicsOf`](super::MechanicsOf) asks of a model, without its type: what is built on it is compiled once, not once a model.

use nalgebra::DMatrix;
use num_dual::{Dual, HyperDual};

use super::Chunk;
use crate::linalg::Sparse;
use crate::mechanics::structure::{self, Structure};
use crate::{ClosedForm, Derivatives, MechanicalModel, Scalar};

/// A [`MechanicalModel`] with numbers `S`, and with those dual numbers that each function is asked for; all models are.
pub trait Equations<S: Scalar>:
    Kinematics<S>
    + Kinematics<Dual<S>>
    + Masses<S>
    + Masses<Dual<S>>
    + Forces<S>
    + Forces<Dual<S>>
    + Forces<Chunk<S>>
    + Nonholonomic<S>
    + Nonholonomic<Dual<S>>
    + Holonomic<S>
    + Holonomic<Dual<S>>
    + Holonomic<Dual<Dual<S>>>
    + Holonomic<Dual<Dual<Dual<S>>>>
    + Holonomic<HyperDual<S>>
    + Send
    + Sync
{
    /// See [`MechanicalModel::coordinates`].
    fn coordinates(&self) -> usize;
    /// See [`MechanicalModel::velocities`].
    fn velocities(&self) -> usize;
    /// See [`MechanicalModel::holonomic`].
    fn holonomic(&self) -> usize;
    /// See [`MechanicalModel::nonholonomic`].
    fn nonholonomic(&self) -> usize;
    /// See [`MechanicalModel::is_autonomous`].
    fn is_autonomous(&self) -> bool;
    /// What the arithmetic of the model tells.
    fn structure(&self) -> Structure;
    /// See [`MechanicalModel::in_closed_form`].
    fn in_closed_form(&self, t: S, q: &[S], v: &[S], terms: ClosedForm<'_, S>) -> bool;
    /// See [`MechanicalModel::derivatives_in_closed_form`].
    fn derivatives_in_closed_form(&self, q: &[S], v: &[S], forces: &mut [S], derivatives: &mut Derivatives<S>) -> bool;
    /// See [`MechanicalModel::accelerations`].
    fn accelerations(&self, t: S, q: &[S], v: &[S], accelerations: &mut [S], multipliers: &mut [S]) -> bool;
    /// See [`MechanicalModel::energy`].
    fn energy(&self, q: &[S], v: &[S]) -> S;
}

impl<M: MechanicalModel, S: Scalar> Equations<S> for M {
    fn coordinates(&self) -> usize {
        MechanicalModel::coordinates(self)
    }
    fn velocities(&self) -> usize {
        MechanicalModel::velocities(self)
    }
    fn holonomic(&self) -> usize {
        MechanicalModel::holonomic(self)
    }
    fn nonholonomic(&self) -> usize {
        MechanicalModel::nonholonomic(self)
    }
    fn is_autonomous(&self) -> bool {
        MechanicalModel::is_autonomous(self)
    }
    fn structure(&self) -> Structure {
        structure::find(self)
    }
    fn in_closed_form(&self, t: S, q: &[S], v: &[S], terms: ClosedForm<'_, S>) -> bool {
        MechanicalModel::in_closed_form(self, t, q, v, terms)
    }
    fn derivatives_in_closed_form(&self, q: &[S], v: &[S], forces: &mut [S], derivatives: &mut Derivatives<S>) -> bool {
        MechanicalModel::derivatives_in_closed_form(self, q, v, forces, derivatives)
    }
    fn accelerations(&self, t: S, q: &[S], v: &[S], accelerations: &mut [S], multipliers: &mut [S]) -> bool {
        MechanicalModel::accelerations(self, t, q, v, accelerations, multipliers)
    }
    fn energy(&self, q: &[S], v: &[S]) -> S {
        MechanicalModel::energy(self, q, v)
    }
}

/// Positions and their rates.
pub trait Kinematics<T> {
    /// See [`MechanicalModel::position_rate`].
    fn position_rate(&self, q: &[T], v: &[T], q_rate: &mut [T]);
    /// See [`MechanicalModel::retract`].
    fn retract(&self, q: &[T], delta: &[T], moved: &mut [T]);
}

impl<M: MechanicalModel, T: Scalar> Kinematics<T> for M {
    fn position_rate(&self, q: &[T], v: &[T], q_rate: &mut [T]) {
        MechanicalModel::position_rate(self, q, v, q_rate);
    }
    fn retract(&self, q: &[T], delta: &[T], moved: &mut [T]) {
        MechanicalModel::retract(self, q, delta, moved);
    }
}

/// `M(q)` into either kind of memory.
pub trait Masses<T: Scalar> {
    /// See [`MechanicalModel::mass`].
    fn dense_mass(&self, q: &[T], mass: &mut DMatrix<T>);
    /// See [`MechanicalModel::mass`].
    fn sparse_mass(&self, q: &[T], mass: &mut Sparse<T>);
}

impl<M: MechanicalModel, T: Scalar> Masses<T> for M {
    fn dense_mass(&self, q: &[T], mass: &mut DMatrix<T>) {
        MechanicalModel::mass(self, q, mass);
    }
    fn sparse_mass(&self, q: &[T], mass: &mut Sparse<T>) {
        MechanicalModel::mass(self, q, mass);
    }
}

/// `D(t, q, v)`.
pub trait Forces<T> {
    /// See [`MechanicalModel::forces`].
    fn forces(&self, t: T, q: &[T], v: &[T], forces: &mut [T]);
}

impl<M: MechanicalModel, T: Scalar> Forces<T> for M {
    fn forces(&self, t: T, q: &[T], v: &[T], forces: &mut [T]) {
        MechanicalModel::forces(self, t, q, v, forces);
    }
}

/// `Γ(t, q, v)`.
pub trait Nonholonomic<T> {
    /// See [`MechanicalModel::nonholonomic_constraints`].
    fn nonholonomic_constraints(&self, t: T, q: &[T], v: &[T], gamma: &mut [T]);
}

impl<M: MechanicalModel, T: Scalar> Nonholonomic<T> for M {
    fn nonholonomic_constraints(&self, t: T, q: &[T], v: &[T], gamma: &mut [T]) {
        MechanicalModel::nonholonomic_constraints(self, t, q, v, gamma);
    }
}

/// `Φ(t, q)`.
pub trait Holonomic<T> {
    /// See [`MechanicalModel::holonomic_constraints`].
    fn holonomic_constraints(&self, t: T, q: &[T], phi: &mut [T]);
}

impl<M: MechanicalModel, T: Scalar> Holonomic<T> for M {
    fn holonomic_constraints(&self, t: T, q: &[T], phi: &mut [T]) {
        MechanicalModel::holonomic_constraints(self, t, q, phi);
    }
}
