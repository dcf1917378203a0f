//! The control objective and the residual of a step.

/// The control objective `W = 1/(1 + α (max_i |P_i|)^β)` (modin2005, Eq. 8), computed as `1/W`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Objective {
    /// α, in (unit of power)^(−β).
    pub alpha: f64,
    /// β.
    pub beta: f64,
}

impl Objective {
    /// `1/W` at contact powers `P_i`: at least one, and exactly one if all powers are zero. NaN if a power is NaN.
    pub fn reciprocal(&self, powers: &[f64]) -> f64 {
        let larger = |largest: f64, power: &f64| {
            if power.abs() > largest || power.is_nan() { power.abs() } else { largest }
        };
        1.0 + self.alpha * powers.iter().fold(0.0, larger).powf(self.beta)
    }
}

/// The residual `R = u/2 (1/W₀ + 1/W₁) − 1` (Eq. 12) of a step of size `u ε` between states with the given `1/W`.
pub fn residual(u: f64, reciprocals: [f64; 2]) -> f64 {
    0.5 * u * (reciprocals[0] + reciprocals[1]) - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_objective_is_in_0_to_1_and_one_without_power_alone(
            alpha in 1e-3..1e4_f64,
            powers in prop::collection::vec(-1e9..1e9_f64, 1..6),
        ) {
            let objective = Objective { alpha, beta: 1.0 / 3.0 };
            let w = 1.0 / objective.reciprocal(&powers);
            let largest = powers.iter().fold(0.0_f64, |largest, power| largest.max(power.abs()));
            prop_assert!(w > 0.0 && w <= 1.0);
            // A power that is lost in rounding beside one has no effect.
            prop_assert_eq!(w == 1.0, alpha * largest.cbrt() <= 0.5 * f64::EPSILON);
            let nothing = vec![0.0; powers.len()];
            prop_assert_eq!(objective.reciprocal(&nothing), 1.0);
        }

        #[test]
        fn the_unit_of_power_scales_alpha(scale in 1e-6..1e8_f64, power in 1e-3..1e6_f64) {
            let objective = Objective { alpha: 3.0, beta: 1.0 / 3.0 };
            let same = Objective { alpha: 3.0 * scale.cbrt(), ..objective };
            let (scaled, meant) = (objective.reciprocal(&[scale * power]), same.reciprocal(&[power]));
            prop_assert!((scaled / meant - 1.0).abs() < 1e-13);
        }
    }

    #[test]
    fn the_body_with_the_largest_power_decides() {
        let objective = Objective { alpha: 2.0, beta: 1.0 / 3.0 };
        assert_relative_eq!(objective.reciprocal(&[1.0, -27.0, 8.0]), 7.0, max_relative = 1e-15);
        assert_eq!(objective.reciprocal(&[]), 1.0);
        for powers in [[1.0, f64::NAN], [f64::NAN, 1.0]] {
            assert!(objective.reciprocal(&powers).is_nan(), "{powers:?}");
        }
    }

    #[test]
    fn the_residual_is_minus_one_at_zero_and_at_least_u_minus_one() {
        assert_eq!(residual(0.0, [3.0, 50.0]), -1.0);
        assert_eq!(residual(1.0, [1.0, 1.0]), 0.0);
        for u in [0.1, 0.5, 1.0, 1.1] {
            assert!(residual(u, [1.0, 1.0]) == u - 1.0 && residual(u, [1.0, 4.0]) > u - 1.0);
        }
    }
}
