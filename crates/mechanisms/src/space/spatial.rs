//! Bodies in space.

use mbsbench_problem::{Entries, Partials, Scalar};
use nalgebra::{Rotation3, UnitQuaternion};

use super::{Heading, Inertia, Space, Twist, Vector};
use crate::system::System;

/// Space: `q = (x, y, z, e₀, e₁, e₂, e₃)` with Euler parameters, `eᵀ e = 1`.
///
/// With `ω = 2 E e'` in the ground's axes and `ω̄ = 2 G e'` in the body's (E. J. Haug, Computer Aided
/// Kinematics and Dynamics of Mechanical Systems, 1989, section 9.3)
///
/// ```text
/// (4 Gᵀ J G + c e eᵀ) e'' = 2 Eᵀ n − 4 G'ᵀ J ω̄ − c |e'|² e + e λ
/// ```
///
/// The term with `c = 4 tr J/3` makes the matrix regular. It changes only the multiplier, because no body moves in
/// the direction `e`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spatial;

/// Returns `G v`.
fn body_rates<S: Scalar>(e: &[S], v: &[S]) -> Vector<S> {
    [
        e[0] * v[1] - e[1] * v[0] + e[3] * v[2] - e[2] * v[3],
        e[0] * v[2] - e[2] * v[0] - e[3] * v[1] + e[1] * v[3],
        e[0] * v[3] - e[3] * v[0] + e[2] * v[1] - e[1] * v[2],
    ]
}

/// Returns `E v`.
fn ground_rates<S: Scalar>(e: &[S], v: &[S]) -> Vector<S> {
    [
        e[0] * v[1] - e[1] * v[0] - e[3] * v[2] + e[2] * v[3],
        e[0] * v[2] - e[2] * v[0] + e[3] * v[1] - e[1] * v[3],
        e[0] * v[3] - e[3] * v[0] - e[2] * v[1] + e[1] * v[2],
    ]
}

/// Returns `Eᵀ n`, or `Gᵀ n` for the opposite `sign` of the products that differ.
pub fn transposed<S: Scalar>(e: &[S], n: &Vector<S>, sign: f64) -> [S; 4] {
    let cross = [n[1] * e[3] - n[2] * e[2], n[2] * e[1] - n[0] * e[3], n[0] * e[2] - n[1] * e[1]];
    [
        -(n[0] * e[1]) - n[1] * e[2] - n[2] * e[3],
        n[0] * e[0] + cross[0] * sign,
        n[1] * e[0] + cross[1] * sign,
        n[2] * e[0] + cross[2] * sign,
    ]
}

/// Returns `(∂G/∂eₖ)ᵀ n` for each `k`.
fn transposed_slopes<S: Scalar>(n: &Vector<S>) -> [[S; 4]; 4] {
    let ([x, y, z], zero) = (*n, S::zero());
    [[zero, x, y, z], [-x, zero, -z, y], [-y, z, zero, -x], [-z, -y, x, zero]]
}

fn times<S: Scalar>(matrix: &[[f64; 3]; 3], x: &Vector<S>) -> Vector<S> {
    std::array::from_fn(|i| (0..3).filter(|&j| matrix[i][j] != 0.0).fold(S::zero(), |sum, j| sum + x[j] * matrix[i][j]))
}

/// Returns `c`.
fn along_parameters(inertia: &Inertia) -> f64 {
    let j = &inertia.about_centre;
    4.0 / 3.0 * (j[0][0] + j[1][1] + j[2][2])
}

impl Spatial {
    /// The derivatives of a direction in the ground's axes, `A(e) r`, in Euler parameters. It is a quadratic form in
    /// `e = (e₀, u)`: `A r = e₀ p + s u + u × p` with `s = u · r` and `p = e₀ r + u × r`.
    pub(crate) fn turn_slopes<S: Scalar>(q: &[S], r: &[f64; 3]) -> [Vector<S>; 4] {
        let [w, x, y, z] = Self::heading(q).map(|e| e * 2.0);
        let s = x * r[0] + y * r[1] + z * r[2];
        let p = [w * r[0] + y * r[2] - z * r[1], w * r[1] + z * r[0] - x * r[2], w * r[2] + x * r[1] - y * r[0]];
        [p, [s, -p[2], p[1]], [p[2], s, -p[0]], [-p[1], p[0], s]]
    }

    /// The second derivatives of its product with a vector, which do not depend on `e`.
    pub(crate) fn turn_curvature<S: Scalar>(r: &[f64; 3], vector: &Vector<S>) -> [[S; 4]; 4] {
        let (r, b) = (r.map(S::from), vector.map(|x| x * 2.0));
        let (dot, cross) = (Self::dot(&r, &b), Self::cross(&r, &b));
        std::array::from_fn(|k| {
            std::array::from_fn(|l| match (k, l) {
                (0, 0) => dot,
                (0, i) | (i, 0) => cross[i - 1],
                _ if k == l => r[k - 1] * b[k - 1] * 2.0 - dot,
                _ => r[k - 1] * b[l - 1] + r[l - 1] * b[k - 1],
            })
        })
    }

    /// Calls `each` with `∂M_ij/∂q_k` of a body at `[k, i, j]`, if it can be non-zero.
    pub(crate) fn mass_slopes<S: Scalar>(inertia: &Inertia, q: &[S], mut each: impl FnMut([usize; 3], S)) {
        let (e, c) = (&q[3..7], along_parameters(inertia));
        let slopes: [_; 4] = std::array::from_fn(|j| {
            let mut unit = [S::zero(); 4];
            unit[j] = S::from(4.0);
            transposed_slopes(&times(&inertia.about_centre, &body_rates(e, &unit)))
        });
        for (k, i, j) in (0..64).map(|at| (at / 16, at / 4 % 4, at % 4)) {
            let mut entry = slopes[j][k][i] + slopes[i][k][j];
            if i == k {
                entry += e[j] * c;
            }
            if j == k {
                entry += e[i] * c;
            }
            each([3 + k, 3 + i, 3 + j], entry);
        }
    }
}

impl Space for Spatial {
    const DIMENSION: usize = 3;
    const COORDINATES: usize = 7;
    const OWN: usize = 1;
    const FREEDOMS: usize = 6;
    type Motion<S: Scalar> = [S; 6];
    type Square<S: Scalar> = [[S; 6]; 6];

    fn twist<S: Scalar>(q: &[S], v: &[S]) -> Twist<S> {
        Twist { velocity: [v[0], v[1], v[2]], spin: ground_rates(&q[3..], &v[3..]).map(|x| x * 2.0) }
    }

    fn cross<S: Scalar>(a: &Vector<S>, b: &Vector<S>) -> Vector<S> {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    }

    fn mass<S: Scalar>(inertia: &Inertia, first: usize, q: &[S], mass: &mut impl Entries<S>) {
        for i in first..first + 3 {
            mass[(i, i)] = S::from(inertia.mass);
        }
        let (e, c) = (&q[3..7], along_parameters(inertia));
        let mut unit = [S::zero(); 4];
        for j in 0..4 {
            unit[j] = S::from(1.0);
            let column = transposed(e, &times(&inertia.about_centre, &body_rates(e, &unit)), -1.0);
            unit[j] = S::zero();
            for i in 0..4 {
                mass[(first + 3 + i, first + 3 + j)] = column[i] * 4.0 + e[i] * e[j] * c;
            }
        }
    }

    fn gyroscopic<S: Scalar>(inertia: &Inertia, q: &[S], v: &[S], forces: &mut [S]) {
        let (e, rates) = (&q[3..7], &v[3..7]);
        let momentum = times(&inertia.about_centre, &body_rates(e, rates).map(|x| x * 2.0));
        let square = rates.iter().fold(S::zero(), |sum, &x| sum + x * x) * along_parameters(inertia);
        forces[..3].fill(S::zero());
        let turning = transposed(rates, &momentum, -1.0);
        for i in 0..4 {
            forces[3 + i] = -(turning[i] * 4.0) - square * e[i];
        }
    }

    fn apply<S: Scalar>(q: &[S], force: &Vector<S>, torque: &Vector<S>, forces: &mut [S]) {
        for (sum, &force) in forces.iter_mut().zip(force) {
            *sum += force;
        }
        for (sum, torque) in forces[3..].iter_mut().zip(transposed(&q[3..], torque, 1.0)) {
            *sum += torque * 2.0;
        }
    }

    fn own_constraints<S: Scalar>(q: &[S], phi: &mut [S]) {
        phi[0] = (q[3..7].iter().fold(S::from(-1.0), |sum, &e| sum + e * e)) * 0.5;
    }

    fn partials<S: Scalar>(
        system: &System<Self>,
        kind: Partials,
        t: S,
        q: &[S],
        each: &mut impl FnMut([usize; 3], S),
    ) -> bool {
        system.write_partials(kind, t, q, each);
        true
    }

    fn kinetic<S: Scalar>(inertia: &Inertia, q: &[S], v: &[S]) -> S {
        let spin = body_rates(&q[3..], &v[3..]).map(|x| x * 2.0);
        let momentum = times(&inertia.about_centre, &spin);
        let translation = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) * (0.5 * inertia.mass);
        (0..3).fold(translation, |sum, i| sum + spin[i] * momentum[i] * 0.5)
    }

    fn coordinates(centre: &Vector<f64>, turn: &Rotation3<f64>, _angle: f64) -> Vec<f64> {
        let e = UnitQuaternion::from_rotation_matrix(turn);
        centre.iter().copied().chain([e.w, e.i, e.j, e.k]).collect()
    }

    fn join<S: Scalar>(along: &Vector<S>, about: &Vector<S>) -> [S; 6] {
        [along[0], along[1], along[2], about[0], about[1], about[2]]
    }

    fn split<S: Scalar>(motion: &[S; 6]) -> (Vector<S>, Vector<S>) {
        ([motion[0], motion[1], motion[2]], [motion[3], motion[4], motion[5]])
    }

    /// Writes the mass, and `R J Rᵀ` below it.
    fn inertia<S: Scalar>(inertia: &Inertia, turn: &[[S; 3]; 3]) -> [[S; 6]; 6] {
        let own = &inertia.about_centre;
        let mut matrix = [[S::zero(); 6]; 6];
        let half: [[S; 3]; 3] = std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                (0..3).filter(|&k| own[k][j] != 0.0).fold(S::zero(), |sum, k| sum + turn[i][k] * own[k][j])
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
        let mut beside = [[S::zero(); 3]; 3];
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
        Self::turned(turn, axis)
    }

    fn unturned<S: Scalar>() -> Heading<S> {
        let zero = S::zero();
        [S::from(1.0), zero, zero, zero]
    }

    fn heading<S: Scalar>(q: &[S]) -> Heading<S> {
        [q[3], q[4], q[5], q[6]]
    }

    fn write_heading<S: Scalar>(heading: &Heading<S>, q: &mut [S]) {
        q[3..].copy_from_slice(heading);
    }

    fn matrix<S: Scalar>(heading: &Heading<S>) -> [[S; 3]; 3] {
        let [w, x, y, z] = *heading;
        let (ww, xx, yy, zz) = (w * w, x * x, y * y, z * z);
        let (wx, wy, wz, xy, xz, yz) = (w * x, w * y, w * z, x * y, x * z, y * z);
        [
            [ww + xx - yy - zz, (xy - wz) * 2.0, (xz + wy) * 2.0],
            [(xy + wz) * 2.0, ww - xx + yy - zz, (yz - wx) * 2.0],
            [(xz - wy) * 2.0, (yz + wx) * 2.0, ww - xx - yy + zz],
        ]
    }

    fn turned_by<S: Scalar>(heading: &Heading<S>, axis: &[f64; 3], angle: S) -> Heading<S> {
        let (sin, cos) = (angle * 0.5).sin_cos();
        Self::followed_by(heading, &[cos, sin * axis[0], sin * axis[1], sin * axis[2]])
    }

    /// Returns the product of quaternions.
    fn followed_by<S: Scalar>(heading: &Heading<S>, second: &Heading<S>) -> Heading<S> {
        let ([a, b, c, d], [w, x, y, z]) = (*heading, *second);
        [
            a * w - b * x - c * y - d * z,
            a * x + b * w + c * z - d * y,
            a * y - b * z + c * w + d * x,
            a * z + b * y - c * x + d * w,
        ]
    }

    /// Uses `e' = Eᵀ ω/2`.
    fn write_rates<S: Scalar>(q: &[S], twist: &[S; 6], rates: &mut [S]) {
        let (velocity, spin) = Self::split(twist);
        rates[..3].copy_from_slice(&velocity);
        rates[3..].copy_from_slice(&transposed(&q[3..], &spin, 1.0).map(|x| x * 0.5));
    }

    /// Uses `n = E Qₑ/2`, since `Qₑ = 2 Eᵀ n` and `E Eᵀ` is the identity.
    fn wrench<S: Scalar>(q: &[S], forces: &[S]) -> [S; 6] {
        let torque = ground_rates(&q[3..], &forces[3..]).map(|x| x * 0.5);
        Self::join(&[forces[0], forces[1], forces[2]], &torque)
    }
}

#[cfg(test)]
mod tests {
    use approx::assert_abs_diff_eq;
    use num_dual::Dual64;

    use super::*;

    const INERTIA: Inertia =
        Inertia { mass: 2.0, about_centre: [[0.3, 0.02, -0.01], [0.02, 0.5, 0.03], [-0.01, 0.03, 0.7]] };
    const Q: [f64; 7] = [0.1, 0.2, 0.3, 0.5, -0.5, 0.1, 0.7];
    const V: [f64; 7] = [1.0, -2.0, 0.5, 0.3, 0.2, -0.6, 0.9];

    fn unit() -> [f64; 7] {
        let mut q = Q;
        let norm = q[3..].iter().map(|e| e * e).sum::<f64>().sqrt();
        q[3..].iter_mut().for_each(|e| *e /= norm);
        q
    }

    fn rates(q: &[f64; 7], velocity: &[f64; 3], spin: &[f64; 3]) -> [f64; 7] {
        let mut rates = [0.0; 7];
        Spatial::write_rates(q, &Spatial::join(velocity, spin), &mut rates);
        rates
    }

    /// Checks `A' = ω × A`, with the rate of the rotation by dual numbers, for rates that preserve the norm.
    #[test]
    fn the_spin_matches_the_rotation() {
        let q = unit();
        let spin = [0.3, -1.1, 0.8];
        let v = rates(&q, &[0.0; 3], &spin);
        let dual: Vec<Dual64> = (0..7).map(|i| Dual64::new(q[i], v[i])).collect();
        let (frame, rates) = (Spatial::frame(&q), Spatial::frame(&dual));
        for j in 0..3 {
            let column = [0, 1, 2].map(|i| frame.turn[i][j]);
            let rate = Spatial::cross(&spin, &column);
            for i in 0..3 {
                assert_abs_diff_eq!(rates.turn[i][j].eps, rate[i], epsilon = 1e-15);
            }
        }
        assert_abs_diff_eq!(Spatial::twist(&q, &v).spin[..], spin[..], epsilon = 1e-15);
    }

    /// Compares with Lagrange's equations of `T = ω̄ᵀ J ω̄/2 + c (eᵀ e')²/2` by dual numbers: `d/dt ∂T/∂v − ∂T/∂q` at
    /// zero acceleration.
    #[test]
    fn inertial_forces_match_lagranges_equations() {
        use num_dual::HyperDual64;
        let energy = |q: &[HyperDual64], v: &[HyperDual64]| {
            let along = (3..7).fold(HyperDual64::from(0.0), |sum, i| sum + q[i] * v[i]);
            Spatial::kinetic(&INERTIA, q, v) + along * along * (0.5 * along_parameters(&INERTIA))
        };
        let mut forces = [0.0; 7];
        Spatial::gyroscopic(&INERTIA, &Q, &V, &mut forces);
        for i in 0..7 {
            // ∂²T/∂vᵢ∂q · v − ∂T/∂qᵢ
            let lift = |x: f64, along: f64, unit: bool| HyperDual64::new(x, f64::from(u8::from(unit)), along, 0.0);
            let q: Vec<_> = (0..7).map(|j| lift(Q[j], V[j], false)).collect();
            let v: Vec<_> = (0..7).map(|j| lift(V[j], 0.0, j == i)).collect();
            let mixed = energy(&q, &v).eps1eps2;
            let q: Vec<_> = (0..7).map(|j| lift(Q[j], 0.0, j == i)).collect();
            let v: Vec<_> = (0..7).map(|j| lift(V[j], 0.0, false)).collect();
            assert_abs_diff_eq!(forces[i], -(mixed - energy(&q, &v).eps1), epsilon = 1e-14);
            let mut mass = nalgebra::DMatrix::zeros(7, 7);
            Spatial::mass(&INERTIA, 0, &Q, &mut mass);
            for k in 0..7 {
                let q: Vec<_> = Q.iter().map(|&x| HyperDual64::from(x)).collect();
                let v: Vec<_> = (0..7)
                    .map(|j| HyperDual64::new(V[j], f64::from(u8::from(j == i)), f64::from(u8::from(j == k)), 0.0))
                    .collect();
                assert_abs_diff_eq!(mass[(i, k)], energy(&q, &v).eps1eps2, epsilon = 1e-14);
            }
        }
    }

    /// The power of a torque is the same in rates of Euler parameters.
    #[test]
    fn torques_have_their_power() {
        let q = unit();
        let twist = Twist { velocity: [0.2, 0.3, -0.4], spin: [0.3, -1.1, 0.8] };
        let v = rates(&q, &twist.velocity, &twist.spin);
        let (force, torque) = ([1.0, 2.0, -3.0], [0.5, -0.7, 1.9]);
        let mut forces = [0.0; 7];
        Spatial::apply(&q, &force, &torque, &mut forces);
        let power: f64 = forces.iter().zip(&v).map(|(f, v)| f * v).sum();
        let expected: f64 = (0..3).map(|i| force[i] * twist.velocity[i] + torque[i] * twist.spin[i]).sum();
        assert_abs_diff_eq!(power, expected, epsilon = 1e-14);
        let place = Spatial::coordinates(&[0.0; 3], &Spatial::frame(&q).rotation(), 0.0);
        let sign = (place[3] * q[3]).signum();
        (3..7).for_each(|i| assert_abs_diff_eq!(place[i] * sign, q[i], epsilon = 1e-14));
    }
}
