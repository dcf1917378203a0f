//! Stability of a method in the left half plane.

use mbsbench_problem::{OutOfRange, parameters};

use super::simple::{at_end, not_empty};
use super::{Measure, MeasureContext, MeasureDefinition};

parameters! {
    /// The largest magnitude of a characteristic root for the damped oscillators `x″ + 2 ζ ω x′ + ω² x = 0` with
    /// `ω = 2π/period` and the listed damping ratios: a half circle of radius `ωh` in the left half plane. Nothing is
    /// solved. Cells are empty for a method that does not provide its characteristic roots. Roots of multiplicity
    /// three at infinity have rounding errors of 1e-5.
    pub struct HalfPlaneRadius in snake_case where there_is_a_ratio {
        /// Period of the undamped oscillators, s.
        period: f64 [above 0.0] = 1.0,
        /// Damping ratios ζ.
        damping_ratios: Vec<f64> [from 0.0] =
            vec![0.0, 1e-3, 0.01, 0.03, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0, 1.1, 1.5, 3.0, 10.0, 100.0],
    }
}

impl HalfPlaneRadius {
    fn there_is_a_ratio(&self) -> Result<(), OutOfRange> {
        not_empty("damping_ratios", &self.damping_ratios)
    }
}

impl MeasureDefinition for HalfPlaneRadius {
    const NAME: &'static str = "half_plane_radius";
    const SUMMARY: &'static str = "largest magnitude of the method's characteristic roots for damped oscillators";

    fn is_of_method(&self) -> bool {
        true
    }
    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
        let radius = |step: f64| {
            let omega_h = std::f64::consts::TAU * step / self.period;
            let mut each = self.damping_ratios.iter().map(|&ratio| context.method.damped_radius(omega_h, ratio));
            // `max` would drop a NaN
            each.try_fold(0.0, |largest: f64, radius| {
                radius.map(|r| if r > largest || r.is_nan() { r } else { largest })
            })
        };
        let radius = context.step.and_then(radius);
        at_end(move |_| vec![radius])
    }
}

#[cfg(test)]
mod tests {
    use mbsbench_integrators::{HhtI3, Newmark, Nstiff, Trapezoidal};
    use mbsbench_problem::{Method, MethodDefinition};

    use super::super::tests::{context, ended};
    use super::*;

    fn radius(method: &dyn Method, omega_h: f64, damping_ratios: &[f64]) -> Option<f64> {
        let measure = HalfPlaneRadius { period: std::f64::consts::TAU, damping_ratios: damping_ratios.to_vec() };
        let context = MeasureContext { method, step: Some(omega_h), ..context(&[], [0.0, 1.0], None) };
        ended(measure.start(&context), false)[0]
    }

    #[test]
    fn real_roots_match_dahlquists_equation() {
        // overdamped: λ = −1 and −4 with ω = 2, ζ = 1.25; γ = 1/2, β = 1/4 is the trapezoidal rule, (1 + z/2)/(1 − z/2)
        let newmark = Newmark { gamma: 0.5, ..Newmark::default() }.method();
        let (h, expected) = (0.1, (1.0 - 0.05) / (1.0 + 0.05));
        assert!((radius(&*newmark, 2.0 * h, &[1.25]).unwrap() - expected).abs() < 1e-12);
        // BDF2: 3/2 r² − 2 r + 1/2 = z r², the larger root at z = −0.1
        let nstiff = Nstiff::default().method();
        let expected = (2.0 + (4.0 - 2.0 * 1.6_f64).sqrt()) / (2.0 * 1.6);
        assert!((radius(&*nstiff, 2.0 * h, &[1.25]).unwrap() - expected).abs() < 1e-12);
    }

    #[test]
    fn below_its_bound_newmark_grows() {
        let below = Newmark { gamma: 0.7, beta: Some(0.3), ..Newmark::default() }.method();
        assert!(radius(&*below, 30.0, &[0.0]).unwrap() > 1.01);
        let at = Newmark::default().method();
        let hht = HhtI3::default().method();
        for omega_h in [1e-3, 0.1, 1.0, 10.0, 1e4] {
            for method in [&at, &hht] {
                assert!(radius(&**method, omega_h, &[0.0, 0.1, 1.0, 10.0]).unwrap() < 1.0 + 1e-5);
            }
        }
        assert_eq!(radius(&*Trapezoidal::default().method(), 1.0, &[0.0]), None);
    }
}
