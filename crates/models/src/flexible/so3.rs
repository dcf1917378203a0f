//! Rotations by Cayley–Gibbs–Rodrigues parameters `g = 2 tan(φ/2) n`.
//!
//! ```text
//! R(g) = I + 4/(4 + g·g) (ĝ + ĝ ĝ/2)        ω = G(g) g'        G(g) = 4/(4 + g·g) (I + ĝ/2)
//! ```
//!
//! with `ĝ a = g × a`. Only products and one quotient are needed. Half a turn cannot be represented.

use mbsbench_problem::Scalar;
use nalgebra::{Matrix3, Vector3};

use crate::iteration::fixed_point;

/// The matrix `â` of `a ×`.
#[inline]
pub(super) fn skew<S: Scalar>(a: &Vector3<S>) -> Matrix3<S> {
    let zero = S::zero();
    Matrix3::new(zero, -a.z, a.y, a.z, zero, -a.x, -a.y, a.x, zero)
}

/// `4 + g·g`.
#[inline]
fn denominator<S: Scalar>(g: &Vector3<S>) -> S {
    g.dot(g) + 4.0
}

/// The rotation matrix `R(g)`.
#[inline]
pub(super) fn rotation<S: Scalar>(g: &Vector3<S>) -> Matrix3<S> {
    // ĝ ĝ = g gᵀ − (g·g) I
    let scale = denominator(g).recip() * 4.0;
    let cosine = -g.dot(g) * scale * 0.5 + 1.0;
    let mut matrix = skew(g) * scale + g * g.transpose() * (scale * 0.5);
    (0..3).for_each(|i| matrix[(i, i)] += cosine);
    matrix
}

/// The parameters of a rotation matrix; the inverse of `R(g)`.
#[inline]
pub(super) fn parameters<S: Scalar>(r: &Matrix3<S>) -> Vector3<S> {
    let scale = (r[(0, 0)] + r[(1, 1)] + r[(2, 2)] + 1.0).recip() * 2.0;
    Vector3::new(r[(2, 1)] - r[(1, 2)], r[(0, 2)] - r[(2, 0)], r[(1, 0)] - r[(0, 1)]) * scale
}

/// `G(g)`, which maps `g'` to the angular velocity in the frame that `R` maps into. `G(−g) = G(g)ᵀ` maps it to the
/// angular velocity in the frame that `R` maps from.
#[inline]
pub(super) fn tangent<S: Scalar>(g: &Vector3<S>) -> Matrix3<S> {
    let scale = denominator(g).recip() * 4.0;
    let mut matrix = skew(g) * (scale * 0.5);
    (0..3).for_each(|i| matrix[(i, i)] = scale);
    matrix
}

/// `G(g)⁻¹ = I − ĝ/2 + g gᵀ/4`.
#[inline]
pub(super) fn inverse_tangent<S: Scalar>(g: &Vector3<S>) -> Matrix3<S> {
    let mut matrix = g * g.transpose() * S::from(0.25) - skew(g) * S::from(0.5);
    (0..3).for_each(|i| matrix[(i, i)] += 1.0);
    matrix
}

/// Solves `g = fixed − c (g gᵀ/4 + ĝ/2) Ω` for `g`; see [`Dae::follow`](mbsbench_problem::dae::Dae::follow). The
/// fixed-point iteration contracts by `c |Ω|/2` and ends when it no longer does.
#[inline]
pub(super) fn following<S: Scalar>(turning: &Vector3<S>, c: S, fixed: &Vector3<S>) -> Vector3<S> {
    let half = turning * (c * 0.5);
    let map = |g: &Vector3<S>| fixed - g * (g.dot(&half) * 0.5) - g.cross(&half);
    fixed_point(*fixed, map, |g, next| (next - g).dot(&(next - g)).value())
}

/// `∂(G(g) a)/∂g` for a constant `a`.
#[inline]
pub(super) fn tangent_derivative<S: Scalar>(g: &Vector3<S>, a: &Vector3<S>) -> Matrix3<S> {
    let scale = denominator(g).recip() * (-2.0);
    ((tangent(g) * a) * g.transpose() + skew(a)) * scale
}

/// The rotation by `angle` about the third axis.
#[inline]
pub(super) fn about_third<S: Scalar>(angle: S) -> Matrix3<S> {
    let (sin, cos) = (angle.sin(), angle.cos());
    let (zero, one) = (S::zero(), S::from(1.0));
    Matrix3::new(cos, -sin, zero, sin, cos, zero, zero, zero, one)
}

#[cfg(test)]
mod tests {
    use approx::assert_relative_eq;
    use nalgebra::Rotation3;
    use num_dual::Dual64;
    use proptest::prelude::*;

    use super::*;

    /// A vector with its rate, as dual numbers.
    fn moving(at: Vector3<f64>, rate: Vector3<f64>) -> Vector3<Dual64> {
        at.zip_map(&rate, Dual64::new)
    }

    fn vector() -> impl Strategy<Value = Vector3<f64>> {
        prop::array::uniform3(-3.0..3.0).prop_map(Vector3::from)
    }

    proptest! {
        #[test]
        fn parameters_are_twice_the_tangent_of_half_the_angle(axis in vector(), angle in -3.0..3.0_f64) {
            prop_assume!(axis.norm() > 0.1);
            let axis = axis.normalize();
            let g = axis * (2.0 * (angle / 2.0).tan());
            let expected = Rotation3::from_scaled_axis(axis * angle);
            assert_relative_eq!(rotation(&g), *expected.matrix(), epsilon = 1e-14);
            assert_relative_eq!(parameters(expected.matrix()), g, epsilon = 1e-12, max_relative = 1e-11);
        }

        #[test]
        fn angular_velocity_matches_the_matrix(g in vector(), rate in vector()) {
            // R' = ω̂ R
            let matrix = rotation(&moving(g, rate));
            let spin = matrix.map(|x| x.eps) * rotation(&g).transpose();
            let omega = tangent(&g) * rate;
            assert_relative_eq!(spin, skew(&omega), epsilon = 1e-13);
            assert_relative_eq!(tangent(&-g) * rate, rotation(&g).transpose() * omega, epsilon = 1e-13);
            assert_relative_eq!(inverse_tangent(&g) * omega, rate, epsilon = 1e-13);
        }

        #[test]
        fn the_tangent_has_the_derivative_of_dual_numbers(g in vector(), rate in vector(), a in vector()) {
            let product = tangent(&moving(g, rate)) * moving(a, Vector3::zeros());
            let expected = tangent_derivative(&g, &a) * rate;
            assert_relative_eq!(product.map(|x| x.eps), expected, epsilon = 1e-13);
        }

        /// A rotation `g` about a centre that rotates with Ω has angular velocity `G(g) g' + R(g) Ω`; here `g = c g'`.
        #[test]
        fn attached_frames_rotate_with_their_centre(g in vector(), centre in vector(), c in 0.001..0.05_f64) {
            let omega = tangent(&g) * (g / c) + rotation(&g) * centre;
            let fixed = (inverse_tangent(&g) * omega - centre) * c;
            assert_relative_eq!(following(&centre, c, &fixed), g, epsilon = 1e-12);
        }
    }

    #[test]
    fn a_rotation_about_the_third_axis_is_exact() {
        let expected = Rotation3::from_axis_angle(&Vector3::z_axis(), 0.7);
        assert_relative_eq!(about_third(0.7), *expected.matrix(), epsilon = 1e-16);
    }
}
