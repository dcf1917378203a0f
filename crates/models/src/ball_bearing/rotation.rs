//! Rotations as unit quaternions `(s, u)`, scalar first, from body to world.

use mbsbench_problem::Scalar;
pub(super) use mbsbench_problem::rotation::{rate, turn};
use nalgebra::Vector3;

/// The three axes of the body in the world: columns of the rotation matrix.
#[inline]
pub(super) fn axes<S: Scalar>(q: &[S]) -> [Vector3<S>; 3] {
    let (s, x, y, z) = (q[0], q[1], q[2], q[3]);
    let diagonal = |a: S, b: S| -(a * a + b * b) * 2.0 + 1.0;
    [
        Vector3::new(diagonal(y, z), (x * y + s * z) * 2.0, (x * z - s * y) * 2.0),
        Vector3::new((x * y - s * z) * 2.0, diagonal(x, z), (y * z + s * x) * 2.0),
        axis(q),
    ]
}

/// The third of the [`axes`].
#[inline]
pub(super) fn axis<S: Scalar>(q: &[S]) -> Vector3<S> {
    let (s, x, y, z) = (q[0], q[1], q[2], q[3]);
    Vector3::new((x * z + s * y) * 2.0, (y * z - s * x) * 2.0, -(x * x + y * y) * 2.0 + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use nalgebra::{Quaternion, UnitQuaternion};

    const Q: [f64; 4] = [0.5, -0.7, 0.1, 0.5]; // of length one

    fn unit(q: &[f64]) -> UnitQuaternion<f64> {
        UnitQuaternion::new_unchecked(Quaternion::new(q[0], q[1], q[2], q[3]))
    }

    #[test]
    fn axes_match_the_rotation_matrix() {
        let matrix = unit(&Q).to_rotation_matrix();
        for (k, axis) in axes(&Q).iter().enumerate() {
            assert_relative_eq!(*axis, matrix.matrix().column(k).into_owned(), epsilon = 1e-15);
        }
        assert_eq!(axis(&Q), axes(&Q)[2]);
    }
}
