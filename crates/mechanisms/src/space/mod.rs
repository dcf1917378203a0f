//! The plane and space: poses of bodies, velocities of their points, and effects of forces at these points.
//!
//! Bodies have coordinates in absolute form; their motions in the recursions of a tree of joints are twists, wrenches
//! and inertias. Each of these is one array, of three components in the plane and six in space. The components are in
//! the ground's axes and about the centre of mass of the body to which they belong, velocities before angular
//! velocities and forces before torques. No component is therefore larger than the motion itself, however far from
//! the origin a body is.

mod plane;
mod spatial;

use std::fmt::Debug;
use std::ops::{IndexMut, Range};

use mbsbench_problem::{Entries, Partials, Scalar};
use nalgebra::{Matrix3, Rotation3, Vector3};

use crate::system::System;

pub use plane::Plane;
pub use spatial::Spatial;
pub(crate) use spatial::transposed;

/// Components in the axes of the ground; the third is ignored in the plane.
pub type Vector<S> = [S; 3];

/// A rotation to the ground's axes: in the plane the first number is the angle (rad), in space they are
/// Euler parameters.
pub type Heading<S> = [S; 4];

/// Pose of a body: the centre of mass, and the axes as columns of a matrix.
#[derive(Debug, Clone, Copy)]
pub struct Frame<S> {
    /// The centre of mass, m.
    pub centre: Vector<S>,
    /// The rotation from the body's axes to those of the ground.
    pub turn: [[S; 3]; 3],
}

impl Frame<f64> {
    /// The rotation.
    pub fn rotation(&self) -> Rotation3<f64> {
        Rotation3::from_matrix_unchecked(Matrix3::from_fn(|i, j| self.turn[i][j]))
    }
}

/// Velocities of a body.
#[derive(Debug, Clone, Copy)]
pub struct Twist<S> {
    /// Velocity of the centre of mass, m/s.
    pub velocity: Vector<S>,
    /// Angular velocity in the axes of the ground, rad/s; only the third component in the plane.
    pub spin: Vector<S>,
}

/// Mass (kg) and inertia matrix about the centre of mass (kg m²), in the body's axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inertia {
    /// Mass, kg.
    pub mass: f64,
    /// Inertia matrix; only the last entry in the plane.
    pub about_centre: [[f64; 3]; 3],
}

/// True if a distributed mass can have these principal moments of inertia (kg m²): up to roundoff, each is at most the
/// sum of the others, so that none is negative.
pub(crate) fn is_possible(moments: &Vector3<f64>, mass: f64) -> bool {
    let most = moments.max();
    // roundoff of a mass moved by a few metres
    most <= (moments.sum() - most) * (1.0 + 1e-9) + 1e-12 * most + 1e-15 * mass
}

/// A point of a body, relative to its centre of mass and in its axes, m, or a point of the ground;
/// or a direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fixed {
    /// The body; `None` for the ground.
    pub body: Option<usize>,
    /// The coordinates.
    pub at: [f64; 3],
}

/// An array of components.
pub trait Components<S>: Copy + Send + Sync + IndexMut<usize, Output = S> {}

impl<S, A: Copy + Send + Sync + IndexMut<usize, Output = S>> Components<S> for A {}

/// The plane or space.
pub trait Space: Debug + Clone + Copy + Default + Send + Sync + 'static {
    /// Number of dimensions.
    const DIMENSION: usize;
    /// Number of coordinates of a body.
    const COORDINATES: usize;
    /// Number of constraints between the coordinates of one body.
    const OWN: usize;
    /// Number of components of a twist.
    const FREEDOMS: usize;
    /// A twist, its rate, or a wrench.
    type Motion<S: Scalar>: Components<S>;
    /// A symmetric matrix that maps accelerations to wrenches.
    type Square<S: Scalar>: Components<Self::Motion<S>>;

    /// Velocities of a body from its coordinates and their rates.
    fn twist<S: Scalar>(q: &[S], v: &[S]) -> Twist<S>;

    /// The cross product of an angular velocity or a torque's axis with an arm.
    fn cross<S: Scalar>(a: &Vector<S>, b: &Vector<S>) -> Vector<S>;

    /// Writes the mass matrix of a body whose coordinates begin with number `first`.
    fn mass<S: Scalar>(inertia: &Inertia, first: usize, q: &[S], mass: &mut impl Entries<S>);

    /// Writes the inertial forces at zero acceleration.
    fn gyroscopic<S: Scalar>(inertia: &Inertia, q: &[S], v: &[S], forces: &mut [S]);

    /// Adds the forces on a body's coordinates by a force through the centre of mass and a torque, both in the
    /// axes of the ground.
    fn apply<S: Scalar>(q: &[S], force: &Vector<S>, torque: &Vector<S>, forces: &mut [S]);

    /// See [`MechanicalModel::partials`](mbsbench_problem::MechanicalModel::partials). In the plane, where a body has
    /// only one angle, dual numbers are faster.
    fn partials<S: Scalar>(
        _system: &System<Self>,
        _kind: Partials,
        _t: S,
        _q: &[S],
        _each: &mut impl FnMut([usize; 3], S),
    ) -> bool {
        false
    }

    /// Writes the constraints of one body.
    fn own_constraints<S: Scalar>(q: &[S], phi: &mut [S]);

    /// True if the body's own mass matrix is regular.
    fn is_regular(inertia: &Inertia) -> bool {
        let moments = Matrix3::from_fn(|i, j| inertia.about_centre[i][j]).symmetric_eigenvalues();
        let least = if Self::DIMENSION == 2 { moments.max() } else { moments.min() };
        inertia.mass > 0.0 && least > 0.0
    }

    /// Kinetic energy, J.
    fn kinetic<S: Scalar>(inertia: &Inertia, q: &[S], v: &[S]) -> S;

    /// Coordinates of a body from its centre and rotation; `angle` is the angle in the plane, rad.
    fn coordinates(centre: &Vector<f64>, turn: &Rotation3<f64>, angle: f64) -> Vec<f64>;

    /// Joins linear and angular components into a motion.
    fn join<S: Scalar>(along: &Vector<S>, about: &Vector<S>) -> Self::Motion<S>;

    /// Splits a motion into linear and angular components.
    fn split<S: Scalar>(motion: &Self::Motion<S>) -> (Vector<S>, Vector<S>);

    /// The inertia matrix of a body with this rotation, about its centre of mass.
    fn inertia<S: Scalar>(inertia: &Inertia, turn: &[[S; 3]; 3]) -> Self::Square<S>;

    /// Returns `Xᵀ I X`, where `X` carries a motion along a rigid arm: the inertia at the beginning of the arm that
    /// is equivalent to `I` at its end.
    fn at_beginning<S: Scalar>(inertia: &Self::Square<S>, arm: &Vector<S>) -> Self::Square<S>;

    /// An axis of rotation in the ground's axes.
    fn axis<S: Scalar>(turn: &[[S; 3]; 3], axis: &[f64; 3]) -> Vector<S>;

    /// The identity rotation.
    fn unturned<S: Scalar>() -> Heading<S>;

    /// The rotation of a body from its coordinates.
    fn heading<S: Scalar>(q: &[S]) -> Heading<S>;

    /// Writes a rotation into the coordinates of a body, after the centre of mass.
    fn write_heading<S: Scalar>(heading: &Heading<S>, q: &mut [S]);

    /// The matrix of a rotation.
    fn matrix<S: Scalar>(heading: &Heading<S>) -> [[S; 3]; 3];

    /// The rotation followed by one through an angle about a rotated axis.
    fn turned_by<S: Scalar>(heading: &Heading<S>, axis: &[f64; 3], angle: S) -> Heading<S>;

    /// The rotation followed by a second one.
    fn followed_by<S: Scalar>(heading: &Heading<S>, second: &Heading<S>) -> Heading<S>;

    /// Writes the rates of a body's coordinates for a twist.
    fn write_rates<S: Scalar>(q: &[S], twist: &Self::Motion<S>, rates: &mut [S]);

    /// The wrench for given forces on a body's coordinates.
    fn wrench<S: Scalar>(q: &[S], forces: &[S]) -> Self::Motion<S>;

    /// Range of a body's coordinates among those of all bodies.
    fn own(body: usize) -> Range<usize> {
        body * Self::COORDINATES..(body + 1) * Self::COORDINATES
    }

    /// The pose of a body from its coordinates.
    fn frame<S: Scalar>(q: &[S]) -> Frame<S> {
        let mut centre = [S::zero(); 3];
        centre[..Self::DIMENSION].copy_from_slice(&q[..Self::DIMENSION]);
        Frame { centre, turn: Self::matrix(&Self::heading(q)) }
    }

    /// Converts a direction of a body into the ground's axes.
    fn turned<S: Scalar>(turn: &[[S; 3]; 3], direction: &[f64; 3]) -> Vector<S> {
        let mut along = [S::zero(); 3];
        for i in 0..Self::DIMENSION {
            for j in 0..Self::DIMENSION {
                if direction[j] != 0.0 {
                    along[i] += turn[i][j] * direction[j];
                }
            }
        }
        along
    }

    /// Returns `a · b`.
    fn dot<S: Scalar>(a: &Vector<S>, b: &Vector<S>) -> S {
        (1..Self::DIMENSION).fold(a[0] * b[0], |sum, i| sum + a[i] * b[i])
    }

    /// The zero column or twist.
    fn nothing<S: Scalar>() -> Self::Motion<S> {
        Self::join(&[S::zero(); 3], &[S::zero(); 3])
    }

    /// Returns `x + factor y`.
    #[inline]
    fn plus<S: Scalar>(x: &Self::Motion<S>, y: &Self::Motion<S>, factor: S) -> Self::Motion<S> {
        let mut sum = *x;
        (0..Self::FREEDOMS).for_each(|i| sum[i] += y[i] * factor);
        sum
    }

    /// Returns `x · y`.
    #[inline]
    fn power<S: Scalar>(x: &Self::Motion<S>, y: &Self::Motion<S>) -> S {
        (1..Self::FREEDOMS).fold(x[0] * y[0], |sum, i| sum + x[i] * y[i])
    }

    /// Returns `I a`.
    #[inline]
    fn times<S: Scalar>(matrix: &Self::Square<S>, motion: &Self::Motion<S>) -> Self::Motion<S> {
        let mut product = Self::nothing::<S>();
        for i in 0..Self::FREEDOMS {
            product[i] = (1..Self::FREEDOMS).fold(matrix[i][0] * motion[0], |sum, j| sum + matrix[i][j] * motion[j]);
        }
        product
    }

    /// The twist at the end of a rigid arm.
    #[inline]
    fn carried<S: Scalar>(twist: &Self::Motion<S>, arm: &Vector<S>) -> Self::Motion<S> {
        let (velocity, spin) = Self::split(twist);
        let by_spin = Self::cross(&spin, arm);
        Self::join(&std::array::from_fn(|i| velocity[i] + by_spin[i]), &spin)
    }

    /// The wrench at the beginning of a rigid arm that is equivalent to a wrench at its end.
    #[inline]
    fn borne<S: Scalar>(wrench: &Self::Motion<S>, arm: &Vector<S>) -> Self::Motion<S> {
        let (force, torque) = Self::split(wrench);
        let lever = Self::cross(arm, &force);
        Self::join(&force, &std::array::from_fn(|i| torque[i] + lever[i]))
    }
}

/// Returns `a − b`.
pub fn minus<S: Scalar>(a: &Vector<S>, b: &Vector<S>) -> Vector<S> {
    std::array::from_fn(|i| a[i] - b[i])
}
