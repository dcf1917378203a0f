//! Twists, wrenches and inertias in one array each: three components in the plane, six in space.
//!
//! All are along the ground's directions, and about the centre of mass of the body they belong to: velocities before angular velocities,
//! forces before torques. With that no component is larger than the motion itself makes it, however far from the origin a body is.

use std::ops::IndexMut;

use mbsbench_problem::Scalar;

use crate::system::{Inertia, Plane, Spatial, Vector, ground_rates, transposed, turned};

/// An array of components.
pub trait Components<S>: Copy + Send + Sync + IndexMut<usize, Output = S> {}

impl<S, A: Copy + Send + Sync + IndexMut<usize, Output = S>> Components<S> for A {}

/// A rotation to the ground's directions: the angle (rad) as the first of the numbers in the plane, Euler parameters in space.
pub type Heading<S> = [S; 4];

/// What the recursions of a tree ask of the plane and of space.
pub trait Motions: Copy {
    /// Components of a twist.
    const FREEDOMS: usize;
    /// A twist, its rate, or a wrench.
    type Motion<S: Scalar>: Components<S>;
    /// A symmetric matrix that makes wrenches of accelerations.
    type Square<S: Scalar>: Components<Self::Motion<S>>;

    /// From components along directions and about them.
    fn join<S: Scalar>(along: &Vector<S>, about: &Vector<S>) -> Self::Motion<S>;

    /// Components along directions and about them.
    fn split<S: Scalar>(motion: &Self::Motion<S>) -> (Vector<S>, Vector<S>);

    /// The matrix of inertia of a body with this rotation, about its centre of mass.
    fn inertia<S: Scalar>(inertia: &Inertia, turn: &[[S; 3]; 3]) -> Self::Square<S>;

    /// `Xᵀ I X` with `X` of the motion that a rigid arm carries along: what `I` at the arm's end is at its beginning.
    fn at_beginning<S: Scalar>(inertia: &Self::Square<S>, arm: &Vector<S>) -> Self::Square<S>;

    /// An axis of rotation along the ground's directions.
    fn axis<S: Scalar>(turn: &[[S; 3]; 3], axis: &[f64; 3]) -> Vector<S>;

    /// No rotation.
    fn unturned<S: Scalar>() -> Heading<S>;

    /// That of a body with these coordinates.
    fn heading<S: Scalar>(q: &[S]) -> Heading<S>;

    /// Writes it into the coordinates of a body, behind the centre of mass.
    fn write_heading<S: Scalar>(heading: &Heading<S>, q: &mut [S]);

    /// The matrix of the rotation.
    fn matrix<S: Scalar>(heading: &Heading<S>) -> [[S; 3]; 3];

    /// Turned further by an angle about an axis of the rotated directions.
    fn turned_by<S: Scalar>(heading: &Heading<S>, axis: &[f64; 3], angle: S) -> Heading<S>;

    /// Turned further by a second rotation.
    fn followed_by<S: Scalar>(heading: &Heading<S>, second: &Heading<S>) -> Heading<S>;

    /// Writes the rates of a body's coordinates that are its twist.
    fn write_rates<S: Scalar>(q: &[S], twist: &Self::Motion<S>, rates: &mut [S]);

    /// The wrench that is these forces of a body's coordinates.
    fn wrench<S: Scalar>(q: &[S], forces: &[S]) -> Self::Motion<S>;
}

impl Motions for Plane {
    const FREEDOMS: usize = 3;
    type Motion<S: Scalar> = [S; 3];
    type Square<S: Scalar> = [[S; 3]; 3];

    fn join<S: Scalar>(along: &Vector<S>, about: &Vector<S>) -> [S; 3] {
        [along[0], along[1], about[2]]
    }

    fn split<S: Scalar>(motion: &[S; 3]) -> (Vector<S>, Vector<S>) {
        let zero = S::nought();
        ([motion[0], motion[1], zero], [zero, zero, motion[2]])
    }

    fn inertia<S: Scalar>(inertia: &Inertia, _turn: &[[S; 3]; 3]) -> [[S; 3]; 3] {
        let (m, j, zero) = (S::from(inertia.mass), S::from(inertia.about_centre[2][2]), S::nought());
        [[m, zero, zero], [zero, m, zero], [zero, zero, j]]
    }

    fn at_beginning<S: Scalar>(inertia: &[[S; 3]; 3], arm: &Vector<S>) -> [[S; 3]; 3] {
        // the velocity at the end for one rad/s
        let by_spin = [-arm[1], arm[0]];
        let moved: [S; 2] = std::array::from_fn(|i| inertia[i][0] * by_spin[0] + inertia[i][1] * by_spin[1]);
        let [x, y] = [inertia[0][2] + moved[0], inertia[1][2] + moved[1]];
        let about = inertia[2][2] + by_spin[0] * (inertia[0][2] + x) + by_spin[1] * (inertia[1][2] + y);
        [[inertia[0][0], inertia[0][1], x], [inertia[1][0], inertia[1][1], y], [x, y, about]]
    }

    fn axis<S: Scalar>(_turn: &[[S; 3]; 3], axis: &[f64; 3]) -> Vector<S> {
        [S::nought(), S::nought(), S::from(axis[2])]
    }

    fn unturned<S: Scalar>() -> Heading<S> {
        [S::nought(); 4]
    }

    fn heading<S: Scalar>(q: &[S]) -> Heading<S> {
        let mut heading = [S::nought(); 4];
        heading[0] = q[2];
        heading
    }

    fn write_heading<S: Scalar>(heading: &Heading<S>, q: &mut [S]) {
        q[2] = heading[0];
    }

    fn matrix<S: Scalar>(heading: &Heading<S>) -> [[S; 3]; 3] {
        let ((sin, cos), zero) = (heading[0].sin_cos(), S::nought());
        [[cos, -sin, zero], [sin, cos, zero], [zero; 3]]
    }

    fn turned_by<S: Scalar>(heading: &Heading<S>, axis: &[f64; 3], angle: S) -> Heading<S> {
        let mut turned = *heading;
        turned[0] += angle * axis[2];
        turned
    }

    fn followed_by<S: Scalar>(heading: &Heading<S>, second: &Heading<S>) -> Heading<S> {
        let mut turned = *heading;
        turned[0] += second[0];
        turned
    }

    fn write_rates<S: Scalar>(_q: &[S], twist: &[S; 3], rates: &mut [S]) {
        rates.copy_from_slice(twist);
    }

    fn wrench<S: Scalar>(_q: &[S], forces: &[S]) -> [S; 3] {
        [forces[0], forces[1], forces[2]]
    }
}

impl Motions for Spatial {
    const FREEDOMS: usize = 6;
    type Motion<S: Scalar> = [S; 6];
    type Square<S: Scalar> = [[S; 6]; 6];

    fn join<S: Scalar>(along: &Vector<S>, about: &Vector<S>) -> [S; 6] {
        [along[0], along[1], along[2], about[0], about[1], about[2]]
    }

    fn split<S: Scalar>(motion: &[S; 6]) -> (Vector<S>, Vector<S>) {
        ([motion[0], motion[1], motion[2]], [motion[3], motion[4], motion[5]])
    }

    /// `R J Rᵀ` below the mass.
    fn inertia<S: Scalar>(inertia: &Inertia, turn: &[[S; 3]; 3]) -> [[S; 6]; 6] {
        let own = &inertia.about_centre;
        let mut matrix = [[S::nought(); 6]; 6];
        let half: [[S; 3]; 3] = std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                (0..3).filter(|&k| own[k][j] != 0.0).fold(S::nought(), |sum, k| sum + turn[i][k] * own[k][j])
            })
        });
        for i in 0..3 {
            matrix[i][i] = S::from(inertia.mass);
            for j in i..3 {
                let entry = half[i][0] * turn[j][0] + half[i][1] * turn[j][1] + half[i][2] * turn[j][2];
                (matrix[3 + i][3 + j], matrix[3 + j][3 + i]) = (entry, entry);
            }
        }
        matrix
    }

    fn at_beginning<S: Scalar>(inertia: &[[S; 6]; 6], arm: &Vector<S>) -> [[S; 6]; 6] {
        let [x, y, z] = *arm;
        // a row of A times the matrix of `ω ↦ ω × arm`
        let by_spin = |row: [S; 3]| [z * -row[1] + y * row[2], z * row[0] - x * row[2], x * row[1] - y * row[0]];
        let mut moved = *inertia;
        let mut beside = [[S::nought(); 3]; 3];
        for i in 0..3 {
            let own = by_spin([inertia[i][0], inertia[i][1], inertia[i][2]]);
            for j in 0..3 {
                let entry = inertia[i][3 + j] + own[j];
                beside[i][j] = entry;
                (moved[i][3 + j], moved[3 + j][i]) = (entry, entry);
            }
        }
        // D + Bᵀ W + Wᵀ (B + A W), symmetric
        let second: [[S; 3]; 3] = std::array::from_fn(|j| by_spin([beside[0][j], beside[1][j], beside[2][j]]));
        for i in 0..3 {
            let first = by_spin([inertia[0][3 + i], inertia[1][3 + i], inertia[2][3 + i]]);
            for j in i..3 {
                let entry = inertia[3 + i][3 + j] + first[j] + second[j][i];
                (moved[3 + i][3 + j], moved[3 + j][3 + i]) = (entry, entry);
            }
        }
        moved
    }

    fn axis<S: Scalar>(turn: &[[S; 3]; 3], axis: &[f64; 3]) -> Vector<S> {
        let zero = [S::nought(); 3];
        turned::<S, Self>(&crate::system::Frame { centre: zero, turn: *turn }, axis)
    }

    fn unturned<S: Scalar>() -> Heading<S> {
        let zero = S::nought();
        [S::from(1.0), zero, zero, zero]
    }

    fn heading<S: Scalar>(q: &[S]) -> Heading<S> {
        [q[3], q[4], q[5], q[6]]
    }

    fn write_heading<S: Scalar>(heading: &Heading<S>, q: &mut [S]) {
        q[3..].copy_from_slice(heading);
    }

    fn matrix<S: Scalar>(heading: &Heading<S>) -> [[S; 3]; 3] {
        let ([w, x, y, z], zero) = (*heading, S::nought());
        <Self as crate::system::Space>::frame(&[zero, zero, zero, w, x, y, z]).turn
    }

    fn turned_by<S: Scalar>(heading: &Heading<S>, axis: &[f64; 3], angle: S) -> Heading<S> {
        let (sin, cos) = (angle * 0.5).sin_cos();
        Self::followed_by(heading, &[cos, sin * axis[0], sin * axis[1], sin * axis[2]])
    }

    /// The product of quaternions.
    fn followed_by<S: Scalar>(heading: &Heading<S>, second: &Heading<S>) -> Heading<S> {
        let ([a, b, c, d], [w, x, y, z]) = (*heading, *second);
        [
            a * w - b * x - c * y - d * z,
            a * x + b * w + c * z - d * y,
            a * y - b * z + c * w + d * x,
            a * z + b * y - c * x + d * w,
        ]
    }

    /// `e' = Eᵀ ω/2`.
    fn write_rates<S: Scalar>(q: &[S], twist: &[S; 6], rates: &mut [S]) {
        let (velocity, spin) = Self::split(twist);
        rates[..3].copy_from_slice(&velocity);
        rates[3..].copy_from_slice(&transposed(&q[3..], &spin, 1.0).map(|x| x * 0.5));
    }

    /// `n = E Qₑ/2`, since `Qₑ = 2 Eᵀ n` and `E Eᵀ` is the identity.
    fn wrench<S: Scalar>(q: &[S], forces: &[S]) -> [S; 6] {
        let torque = ground_rates(&q[3..], &forces[3..]).map(|x| x * 0.5);
        Self::join(&[forces[0], forces[1], forces[2]], &torque)
    }
}
