//! The plane and space: where a body is, how fast its points move, what forces at them do.

use std::fmt::Debug;

use mbsbench_problem::{Entries, Scalar};

use crate::joint_space::Motions;

/// Components along the directions of the ground; in the plane the third is not looked at.
pub type Vector<S> = [S; 3];

/// Where a body is: the centre of mass, and its directions as columns of a matrix.
#[derive(Debug, Clone, Copy)]
pub struct Frame<S> {
    /// The centre of mass, m.
    pub centre: Vector<S>,
    /// The rotation from the body's directions to those of the ground.
    pub turn: [[S; 3]; 3],
}

/// How a body moves.
#[derive(Debug, Clone, Copy)]
pub struct Twist<S> {
    /// Velocity of the centre of mass, m/s.
    pub velocity: Vector<S>,
    /// Angular velocity along the directions of the ground, rad/s; in the plane the third is all there is.
    pub spin: Vector<S>,
}

/// Mass (kg) and the matrix of inertia about the centre of mass (kg m²), in the body's directions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inertia {
    /// Mass, kg.
    pub mass: f64,
    /// Matrix of inertia; in the plane the last entry is all there is.
    pub about_centre: [[f64; 3]; 3],
}

/// What bodies move in.
pub trait Space: Motions + Debug + Clone + Copy + Default + Send + Sync + 'static {
    /// Dimensions of it.
    const DIMENSION: usize;
    /// Coordinates of a body.
    const COORDINATES: usize;
    /// Constraints between the coordinates of one body.
    const OWN: usize;
    /// The axis that a hinge has where none is given, and that of a slide.
    const HINGE: [f64; 3] = [0.0, 0.0, 1.0];

    /// Where a body with these coordinates is.
    fn frame<S: Scalar>(q: &[S]) -> Frame<S>;

    /// How it moves with these rates.
    fn twist<S: Scalar>(q: &[S], v: &[S]) -> Twist<S>;

    /// The cross product of an angular velocity or a torque's axis with an arm.
    fn cross<S: Scalar>(a: &Vector<S>, b: &Vector<S>) -> Vector<S>;

    /// Writes the mass matrix of a body whose coordinates begin with number `first`.
    fn mass<S: Scalar>(inertia: &Inertia, first: usize, q: &[S], mass: &mut impl Entries<S>);

    /// Writes the inertial forces that are there without accelerations.
    fn gyroscopic<S: Scalar>(inertia: &Inertia, q: &[S], v: &[S], forces: &mut [S]);

    /// Adds what a force through the centre of mass and a torque, both along the directions of the ground, do to a body's coordinates.
    fn apply<S: Scalar>(q: &[S], force: &Vector<S>, torque: &Vector<S>, forces: &mut [S]);

    /// Writes the constraints of one body.
    fn own_constraints<S: Scalar>(q: &[S], phi: &mut [S]);

    /// Kinetic energy, J.
    fn kinetic<S: Scalar>(inertia: &Inertia, q: &[S], v: &[S]) -> S;

    /// Coordinates of a body at a place, with the angle that it has in the plane, rad.
    fn coordinates(frame: &Frame<f64>, angle: f64) -> Vec<f64>;

    /// Their rates.
    fn rates(q: &[f64], twist: &Twist<f64>) -> Vec<f64>;
}

/// The plane: `q = (x, y, θ)`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Plane;

impl Space for Plane {
    const DIMENSION: usize = 2;
    const COORDINATES: usize = 3;
    const OWN: usize = 0;

    fn frame<S: Scalar>(q: &[S]) -> Frame<S> {
        let ((sin, cos), zero) = (q[2].sin_cos(), S::nought());
        Frame { centre: [q[0], q[1], zero], turn: [[cos, -sin, zero], [sin, cos, zero], [zero; 3]] }
    }

    fn twist<S: Scalar>(_q: &[S], v: &[S]) -> Twist<S> {
        let zero = S::nought();
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
        forces.fill(S::nought());
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

    fn coordinates(frame: &Frame<f64>, angle: f64) -> Vec<f64> {
        vec![frame.centre[0], frame.centre[1], angle]
    }

    fn rates(_q: &[f64], twist: &Twist<f64>) -> Vec<f64> {
        vec![twist.velocity[0], twist.velocity[1], twist.spin[2]]
    }
}

/// Space: `q = (x, y, z, e₀, e₁, e₂, e₃)` with Euler parameters, `eᵀ e = 1`.
///
/// With `ω = 2 E e'` along the ground's directions and `ω̄ = 2 G e'` along the body's (E. J. Haug, Computer Aided Kinematics and
/// Dynamics of Mechanical Systems, 1989, section 9.3)
///
/// ```text
/// (4 Gᵀ J G + c e eᵀ) e'' = 2 Eᵀ n − 4 G'ᵀ J ω̄ − c |e'|² e + e λ
/// ```
///
/// where the term with `c = 4 tr J/3` changes nothing but the multiplier, since `e` is a direction in which no body moves, and makes the
/// matrix regular.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spatial;

/// `G v`.
fn body_rates<S: Scalar>(e: &[S], v: &[S]) -> Vector<S> {
    [
        e[0] * v[1] - e[1] * v[0] + e[3] * v[2] - e[2] * v[3],
        e[0] * v[2] - e[2] * v[0] - e[3] * v[1] + e[1] * v[3],
        e[0] * v[3] - e[3] * v[0] + e[2] * v[1] - e[1] * v[2],
    ]
}

/// `E v`.
pub fn ground_rates<S: Scalar>(e: &[S], v: &[S]) -> Vector<S> {
    [
        e[0] * v[1] - e[1] * v[0] - e[3] * v[2] + e[2] * v[3],
        e[0] * v[2] - e[2] * v[0] + e[3] * v[1] - e[1] * v[3],
        e[0] * v[3] - e[3] * v[0] - e[2] * v[1] + e[1] * v[2],
    ]
}

/// `Eᵀ n`, and `Gᵀ n` for the opposite `sign` of the products that differ.
pub fn transposed<S: Scalar>(e: &[S], n: &Vector<S>, sign: f64) -> [S; 4] {
    let cross = [n[1] * e[3] - n[2] * e[2], n[2] * e[1] - n[0] * e[3], n[0] * e[2] - n[1] * e[1]];
    [
        -(n[0] * e[1]) - n[1] * e[2] - n[2] * e[3],
        n[0] * e[0] + cross[0] * sign,
        n[1] * e[0] + cross[1] * sign,
        n[2] * e[0] + cross[2] * sign,
    ]
}

fn times<S: Scalar>(matrix: &[[f64; 3]; 3], x: &Vector<S>) -> Vector<S> {
    std::array::from_fn(|i| {
        (0..3).filter(|&j| matrix[i][j] != 0.0).fold(S::nought(), |sum, j| sum + x[j] * matrix[i][j])
    })
}

/// `c`.
fn along_parameters(inertia: &Inertia) -> f64 {
    let j = &inertia.about_centre;
    4.0 / 3.0 * (j[0][0] + j[1][1] + j[2][2])
}

impl Space for Spatial {
    const DIMENSION: usize = 3;
    const COORDINATES: usize = 7;
    const OWN: usize = 1;

    fn frame<S: Scalar>(q: &[S]) -> Frame<S> {
        let (w, x, y, z) = (q[3], q[4], q[5], q[6]);
        let (ww, xx, yy, zz) = (w * w, x * x, y * y, z * z);
        let (wx, wy, wz, xy, xz, yz) = (w * x, w * y, w * z, x * y, x * z, y * z);
        let turn = [
            [ww + xx - yy - zz, (xy - wz) * 2.0, (xz + wy) * 2.0],
            [(xy + wz) * 2.0, ww - xx + yy - zz, (yz - wx) * 2.0],
            [(xz - wy) * 2.0, (yz + wx) * 2.0, ww - xx - yy + zz],
        ];
        Frame { centre: [q[0], q[1], q[2]], turn }
    }

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
        let mut unit = [S::nought(); 4];
        for j in 0..4 {
            unit[j] = S::from(1.0);
            let column = transposed(e, &times(&inertia.about_centre, &body_rates(e, &unit)), -1.0);
            unit[j] = S::nought();
            for i in 0..4 {
                mass[(first + 3 + i, first + 3 + j)] = column[i] * 4.0 + e[i] * e[j] * c;
            }
        }
    }

    fn gyroscopic<S: Scalar>(inertia: &Inertia, q: &[S], v: &[S], forces: &mut [S]) {
        let (e, rates) = (&q[3..7], &v[3..7]);
        let momentum = times(&inertia.about_centre, &body_rates(e, rates).map(|x| x * 2.0));
        let square = rates.iter().fold(S::nought(), |sum, &x| sum + x * x) * along_parameters(inertia);
        forces[..3].fill(S::nought());
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

    fn kinetic<S: Scalar>(inertia: &Inertia, q: &[S], v: &[S]) -> S {
        let spin = body_rates(&q[3..], &v[3..]).map(|x| x * 2.0);
        let momentum = times(&inertia.about_centre, &spin);
        let translation = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) * (0.5 * inertia.mass);
        (0..3).fold(translation, |sum, i| sum + spin[i] * momentum[i] * 0.5)
    }

    fn coordinates(frame: &Frame<f64>, _angle: f64) -> Vec<f64> {
        let matrix = nalgebra::Matrix3::from_fn(|i, j| frame.turn[i][j]);
        let rotation = nalgebra::Rotation3::from_matrix_unchecked(matrix);
        let e = nalgebra::UnitQuaternion::from_rotation_matrix(&rotation);
        frame.centre.into_iter().chain([e.w, e.i, e.j, e.k]).collect()
    }

    fn rates(q: &[f64], twist: &Twist<f64>) -> Vec<f64> {
        let rates = transposed(&q[3..], &twist.spin, 1.0).map(|x| 0.5 * x);
        twist.velocity.into_iter().chain(rates).collect()
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

    /// `A' = ω × A`, with the rate of the rotation by dual numbers, for rates along which the norm stays one.
    #[test]
    fn the_spin_is_that_of_the_rotation() {
        let q = unit();
        let spin = [0.3, -1.1, 0.8];
        let v = Spatial::rates(&q, &Twist { velocity: [0.0; 3], spin });
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

    /// Lagrange's equations of `T = ω̄ᵀ J ω̄/2 + c (eᵀ e')²/2` by dual numbers: `d/dt ∂T/∂v − ∂T/∂q` at zero acceleration.
    #[test]
    fn inertial_forces_are_those_of_lagranges_equations() {
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

    /// The power of a torque is the same in rates of parameters.
    #[test]
    fn torques_have_their_power() {
        let q = unit();
        let twist = Twist { velocity: [0.2, 0.3, -0.4], spin: [0.3, -1.1, 0.8] };
        let v = Spatial::rates(&q, &twist);
        let (force, torque) = ([1.0, 2.0, -3.0], [0.5, -0.7, 1.9]);
        let mut forces = [0.0; 7];
        Spatial::apply(&q, &force, &torque, &mut forces);
        let power: f64 = forces.iter().zip(&v).map(|(f, v)| f * v).sum();
        let expected: f64 = (0..3).map(|i| force[i] * twist.velocity[i] + torque[i] * twist.spin[i]).sum();
        assert_abs_diff_eq!(power, expected, epsilon = 1e-14);
        let place = Spatial::coordinates(&Spatial::frame(&q), 0.0);
        let sign = (place[3] * q[3]).signum();
        (3..7).for_each(|i| assert_abs_diff_eq!(place[i] * sign, q[i], epsilon = 1e-14));
    }
}
