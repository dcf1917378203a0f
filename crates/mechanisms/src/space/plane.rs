//! Bodies in the plane.

use mbsbench_problem::{Entries, Scalar};
use nalgebra::Rotation3;

use super::{Heading, Inertia, Space, Twist, Vector};

/// The plane: `q = (x, y, θ)`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Plane;

impl Space for Plane {
    const DIMENSION: usize = 2;
    const COORDINATES: usize = 3;
    const OWN: usize = 0;
    const FREEDOMS: usize = 3;
    type Motion<S: Scalar> = [S; 3];
    type Square<S: Scalar> = [[S; 3]; 3];

    fn twist<S: Scalar>(_q: &[S], v: &[S]) -> Twist<S> {
        let zero = S::zero();
        Twist { velocity: [v[0], v[1], zero], spin: [zero, zero, v[2]] }
    }

    fn cross<S: Scalar>(a: &Vector<S>, b: &Vector<S>) -> Vector<S> {
        [-(a[2] * b[1]), a[2] * b[0], a[0] * b[1] - a[1] * b[0]]
    }

    fn mass<S: Scalar>(inertia: &Inertia, first: usize, _q: &[S], mass: &mut impl Entries<S>) {
        mass[(first, first)] = S::from(inertia.mass);
        mass[(first + 1, first + 1)] = S::from(inertia.mass);
        mass[(first + 2, first + 2)] = S::from(inertia.about_centre[2][2]);
    }

    fn gyroscopic<S: Scalar>(_inertia: &Inertia, _q: &[S], _v: &[S], forces: &mut [S]) {
        forces.fill(S::zero());
    }

    fn apply<S: Scalar>(_q: &[S], force: &Vector<S>, torque: &Vector<S>, forces: &mut [S]) {
        forces[0] += force[0];
        forces[1] += force[1];
        forces[2] += torque[2];
    }

    fn own_constraints<S: Scalar>(_q: &[S], _phi: &mut [S]) {}

    fn kinetic<S: Scalar>(inertia: &Inertia, _q: &[S], v: &[S]) -> S {
        let translation = (v[0] * v[0] + v[1] * v[1]) * (0.5 * inertia.mass);
        translation + v[2] * v[2] * (0.5 * inertia.about_centre[2][2])
    }

    fn coordinates(centre: &Vector<f64>, _turn: &Rotation3<f64>, angle: f64) -> Vec<f64> {
        vec![centre[0], centre[1], angle]
    }

    fn join<S: Scalar>(along: &Vector<S>, about: &Vector<S>) -> [S; 3] {
        [along[0], along[1], about[2]]
    }

    fn split<S: Scalar>(motion: &[S; 3]) -> (Vector<S>, Vector<S>) {
        let zero = S::zero();
        ([motion[0], motion[1], zero], [zero, zero, motion[2]])
    }

    fn inertia<S: Scalar>(inertia: &Inertia, _turn: &[[S; 3]; 3]) -> [[S; 3]; 3] {
        let (m, j, zero) = (S::from(inertia.mass), S::from(inertia.about_centre[2][2]), S::zero());
        [[m, zero, zero], [zero, m, zero], [zero, zero, j]]
    }

    fn at_beginning<S: Scalar>(inertia: &[[S; 3]; 3], arm: &Vector<S>) -> [[S; 3]; 3] {
        // the velocity at the end of the arm for one rad/s
        let by_spin = [-arm[1], arm[0]];
        let moved: [S; 2] = std::array::from_fn(|i| inertia[i][0] * by_spin[0] + inertia[i][1] * by_spin[1]);
        let [x, y] = [inertia[0][2] + moved[0], inertia[1][2] + moved[1]];
        let about = inertia[2][2] + by_spin[0] * (inertia[0][2] + x) + by_spin[1] * (inertia[1][2] + y);
        [[inertia[0][0], inertia[0][1], x], [inertia[1][0], inertia[1][1], y], [x, y, about]]
    }

    fn axis<S: Scalar>(_turn: &[[S; 3]; 3], axis: &[f64; 3]) -> Vector<S> {
        [S::zero(), S::zero(), S::from(axis[2])]
    }

    fn unturned<S: Scalar>() -> Heading<S> {
        [S::zero(); 4]
    }

    fn heading<S: Scalar>(q: &[S]) -> Heading<S> {
        let mut heading = [S::zero(); 4];
        heading[0] = q[2];
        heading
    }

    fn write_heading<S: Scalar>(heading: &Heading<S>, q: &mut [S]) {
        q[2] = heading[0];
    }

    fn matrix<S: Scalar>(heading: &Heading<S>) -> [[S; 3]; 3] {
        let ((sin, cos), zero) = (heading[0].sin_cos(), S::zero());
        [[cos, -sin, zero], [sin, cos, zero], [zero, zero, S::from(1.0)]]
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
