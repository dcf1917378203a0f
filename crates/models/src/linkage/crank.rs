//! The rod of a slider crank, driven by the crank, with its far end on the `x` axis.

use mbsbench_problem::Scalar;

use crate::plane::angle;

/// The rod of a slider crank at a crank angle `θ`, on the branch with the rod's angle `θ₂` in (−π/2, π/2):
///
/// ```text
/// L₂ sin θ₂ = −L₁ sin θ,   r = dθ₂/dθ = −L₁ cos θ/(L₂ cos θ₂),   r' = d²θ₂/dθ² = (r² − 1) tan θ₂
/// ```
#[derive(Debug, Clone, Copy)]
pub(crate) struct FollowingRod<S> {
    /// Sine and cosine of the crank's angle.
    pub crank: [S; 2],
    /// Sine and cosine of the rod's angle.
    pub rod: [S; 2],
    /// `dθ₂/dθ`.
    pub ratio: S,
    /// `d²θ₂/dθ²`, 1/rad.
    pub ratio_rate: S,
}

impl<S: Scalar> FollowingRod<S> {
    /// Returns the rod at crank angle `theta`, for a crank that is shorter than the rod (m).
    pub fn new(theta: S, crank_length: f64, rod_length: f64) -> Self {
        let (sin, cos) = theta.sin_cos();
        let lengths = S::from(crank_length) / rod_length;
        let rod_sin = -(lengths * sin);
        let rod_cos = (-(rod_sin * rod_sin) + 1.0).sqrt();
        let ratio = -(lengths * cos / rod_cos);
        let ratio_rate = (ratio * ratio - 1.0) * rod_sin / rod_cos;
        Self { crank: [sin, cos], rod: [rod_sin, rod_cos], ratio, ratio_rate }
    }

    /// The rod's angle, rad.
    pub fn angle(&self) -> S {
        angle(self.rod[0], self.rod[1])
    }

    /// Position of the point at distance `along` on the rod from the crank pin, with its first and second derivatives
    /// by the crank's angle; all in m.
    pub fn point(&self, crank_length: f64, along: f64) -> [[S; 2]; 3] {
        let Self { crank: [s1, c1], rod: [s2, c2], ratio, ratio_rate } = *self;
        let square = ratio * ratio;
        [
            [c1 * crank_length + c2 * along, s1 * crank_length + s2 * along],
            [-(s1 * crank_length) - s2 * ratio * along, c1 * crank_length + c2 * ratio * along],
            [
                -(c1 * crank_length) - (c2 * square + s2 * ratio_rate) * along,
                -(s1 * crank_length) - (s2 * square - c2 * ratio_rate) * along,
            ],
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use mbsbench_problem::DoubleDouble;
    use num_dual::{Dual2_64, DualNum};

    #[test]
    fn derivatives_match_dual_numbers() {
        for theta in [-2.0, 0.1, 1.5, 3.0, 4.7] {
            let rod = FollowingRod::new(theta, 0.3, 0.7);
            let dual = FollowingRod::new(Dual2_64::new(theta, 1.0, 0.0), 0.3, 0.7);
            let angle = dual.angle();
            assert_relative_eq!(angle.re.sin() * 0.7, -0.3 * f64::sin(theta), epsilon = 1e-15);
            assert_relative_eq!(rod.ratio, angle.v1, epsilon = 1e-15);
            assert_relative_eq!(rod.ratio_rate, angle.v2, epsilon = 1e-15);
            let [_, first, second] = rod.point(0.3, 0.4);
            let [point, ..] = dual.point(0.3, 0.4);
            for k in 0..2 {
                assert_relative_eq!(first[k], point[k].v1, epsilon = 1e-15);
                assert_relative_eq!(second[k], point[k].v2, epsilon = 1e-15);
            }
        }
    }

    #[test]
    fn the_angle_has_the_precision_of_the_scalar() {
        let rod = FollowingRod::new(DoubleDouble::from(2.0), 0.3, 0.6);
        let sine = rod.angle().sin_cos().0;
        // Sines of double-doubles are accurate to 1e-21.
        assert!((sine - rod.rod[0]).value().abs() < 1e-20);
    }
}
