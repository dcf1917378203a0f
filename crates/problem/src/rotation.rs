//! Rotations as unit quaternions `(s, u)`, scalar first, from body to world: their rates, and conversion to vectors.

use nalgebra::{Rotation3, UnitQuaternion, Vector3};

use crate::Scalar;

/// Square of a rotation's angle up to which its exponential is summed as a series.
const SMALL: f64 = 1e-2;

/// Writes `(s, u) q` into `product`.
#[inline]
fn multiply<S: Scalar>(s: S, u: &Vector3<S>, q: &[S], product: &mut [S]) {
    let vector = Vector3::new(q[1], q[2], q[3]);
    let turned = vector * s + u * q[0] + u.cross(&vector);
    product[0] = s * q[0] - u.dot(&vector);
    product[1..4].copy_from_slice(turned.as_slice());
}

/// Writes `q' = ½ (0, ω) q`, with the angular velocity ω in the world frame.
#[inline]
pub fn rate<S: Scalar>(q: &[S], omega: &[S], rate: &mut [S]) {
    let half = Vector3::new(omega[0], omega[1], omega[2]) * S::from(0.5);
    multiply(S::zero(), &half, q, rate);
}

/// Writes `q` turned by the rotation vector `theta` in the world frame, `exp(θ/2) q`; its length is that of `q`.
#[inline]
pub fn turn<S: Scalar>(q: &[S], theta: &[S], turned: &mut [S]) {
    let half = Vector3::new(theta[0], theta[1], theta[2]) * S::from(0.5);
    let square = half.dot(&half);
    let (cos, sinc) = if square.value() < SMALL {
        // cos x and (sin x)/x, to x¹⁶/16!
        (1..=8).rev().map(f64::from).fold((S::from(1.0), S::from(1.0)), |(cos, sinc), k| {
            let next = |sum: S, product: f64| -square * sum / product + 1.0;
            (next(cos, 2.0 * k * (2.0 * k - 1.0)), next(sinc, 2.0 * k * (2.0 * k + 1.0)))
        })
    } else {
        let angle = square.sqrt();
        (angle.cos(), angle.sin() / angle)
    };
    multiply(cos, &(half * sinc), q, turned);
}

/// The rotation vector, axis times angle, rad, with an angle of at most π.
///
/// It is exact to rounding for all rotations. `Rotation3::scaled_axis` is not: it loses the axis at half turns, and
/// its angle is inaccurate for small rotations.
pub fn vector(rotation: &Rotation3<f64>) -> Vector3<f64> {
    UnitQuaternion::from_rotation_matrix(rotation).scaled_axis()
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use nalgebra::{Quaternion, Unit};

    const Q: [f64; 4] = [0.5, -0.7, 0.1, 0.5]; // of length one

    fn unit(q: &[f64]) -> UnitQuaternion<f64> {
        UnitQuaternion::new_unchecked(Quaternion::new(q[0], q[1], q[2], q[3]))
    }

    #[test]
    fn a_displacement_multiplies_from_the_left() {
        for scale in [1e-12, 0.19, 0.201, 3.0] {
            let theta = [0.6 * scale, -0.8 * scale, 0.3 * scale];
            let mut turned = [f64::NAN; 4];
            turn(&Q, &theta, &mut turned);
            let expected = Rotation3::new(Vector3::from(theta)) * unit(&Q).to_rotation_matrix();
            assert_relative_eq!(unit(&turned).to_rotation_matrix(), expected, epsilon = 2e-15);
            assert_relative_eq!(turned.iter().map(|x| x * x).sum::<f64>(), 1.0, epsilon = 1e-15);
        }
    }

    #[test]
    fn the_rate_is_the_derivative_of_the_rotation() {
        let omega = [3.0, -1.0, 2.0];
        let mut derivative = [f64::NAN; 4];
        rate(&Q, &omega, &mut derivative);
        let along = |h: f64| {
            let mut turned = [f64::NAN; 4];
            turn(&Q, &omega.map(|w| w * h), &mut turned);
            turned
        };
        let (after, before) = (along(1e-5), along(-1e-5));
        for k in 0..4 {
            assert_relative_eq!((after[k] - before[k]) / 2e-5, derivative[k], epsilon = 1e-9);
        }
    }
    #[track_caller]
    fn is_kept(rotation: &Rotation3<f64>) {
        let again = Rotation3::new(vector(rotation));
        let error = (again.matrix() - rotation.matrix()).amax();
        assert!(error < 2e-15, "{error:e} of {rotation}");
    }

    #[test]
    fn vectors_have_no_singular_point() {
        use std::f64::consts::FRAC_PI_2;
        let quarters = || (0..4).map(|k| f64::from(k) * FRAC_PI_2);
        // each of the 24 orientations of a cube, many of them several times, and nearby rotations
        for (roll, pitch, yaw) in
            quarters().flat_map(|a| quarters().flat_map(move |b| quarters().map(move |c| (a, b, c))))
        {
            for by in [0.0, 1e-16, -1e-16, 1e-12, 1e-9, -1e-9, 1e-8, 1e-5] {
                is_kept(&Rotation3::from_euler_angles(roll + by, pitch, yaw));
                is_kept(&Rotation3::from_euler_angles(roll, pitch + by, yaw - by));
                is_kept(&Rotation3::from_euler_angles(roll + by, pitch - by, yaw + by));
            }
        }
        // oblique half turns, exact and not
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / 2.0_f64.powi(52) - 1.0
        };
        for _ in 0..1000 {
            let axis = Unit::new_normalize(Vector3::new(random(), random(), random()));
            for by in [0.0, 1e-16, -1e-16, 1e-12, 1e-9, -1e-9, 1e-4] {
                is_kept(&Rotation3::from_axis_angle(&axis, std::f64::consts::PI + by));
                is_kept(&Rotation3::from_axis_angle(&axis, by));
            }
        }
    }
}
