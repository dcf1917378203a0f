//! Angles of a turned frame.

use nalgebra::Matrix3;

/// The angle (rad) about the first axis in the sequence 3-1-2 of Euler angles, `R = R₃(φ) R₁(θ) R₂(ψ)`.
pub(super) fn euler_312(r: &Matrix3<f64>) -> f64 {
    let psi = (-r[(2, 0)]).atan2(r[(2, 2)]);
    let (sin, cos) = psi.sin_cos();
    r[(2, 1)].atan2(r[(2, 2)] * cos - r[(2, 0)] * sin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use nalgebra::{Rotation3, Vector3};

    #[test]
    fn the_middle_angle_is_found_whatever_the_others() {
        let about = |axis, angle| Rotation3::from_axis_angle(&axis, angle);
        for (phi, theta, psi) in [(0.0, 0.3, 0.0), (2.5, -0.02, -0.4), (-3.0, 1.2, 2.9), (0.1, -1.5, 3.1)] {
            let turned =
                about(Vector3::z_axis(), phi) * about(Vector3::x_axis(), theta) * about(Vector3::y_axis(), psi);
            assert_relative_eq!(euler_312(turned.matrix()), theta, epsilon = 1e-14);
        }
    }
}
