//! First guesses of `y'` at the next point.

use super::history::{History, add};

/// The derivative, at the next point, of the polynomial with the values `y` and derivatives `y'` of the last points.
///
/// With two points it is the second-order prediction of zhang2022, Eqs. 12 and 14, exact for cubics; with three
/// points the fourth-order prediction of Eqs. 16 and 17, exact for quintics. [`CONSTANT`](Self::CONSTANT) uses `y'`
/// of the last point (Eq. 15). λ, whose derivative is unknown, always comes from the last point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Predictor {
    /// Weights of `y` at the last points, newest first, for times in units of the step.
    of_values: [f64; 3],
    /// Weights of `y'`.
    of_rates: [f64; 3],
    points: usize,
}

impl Predictor {
    /// The constant prediction `y' = y'_{N−1}`.
    pub const CONSTANT: Self = Self { of_values: [0.0; 3], of_rates: [1.0, 0.0, 0.0], points: 1 };

    /// The prediction at `next` from points at the distinct times `last`, newest first, all in units of the step.
    /// Times need not be in order: stages may step back in time.
    pub fn hermite<const P: usize>(next: f64, last: [f64; P]) -> Self {
        let mut predictor = Self { of_values: [0.0; 3], of_rates: [0.0; 3], points: P };
        for (j, &t) in last.iter().enumerate() {
            let others = || last.iter().enumerate().filter(move |&(k, _)| k != j).map(|(_, &other)| other);
            // Lagrange's polynomial of the point: its slope there, and value and slope at the next point.
            let slope_here: f64 = others().map(|other| 1.0 / (t - other)).sum();
            let value: f64 = others().map(|other| (next - other) / (t - other)).product();
            let without = |left_out: f64| {
                let factor = |other: f64| if other == left_out { 1.0 } else { next - other } / (t - other);
                others().map(factor).product::<f64>()
            };
            let slope: f64 = others().map(without).sum();
            let distance = next - t;
            predictor.of_values[j] = 2.0 * value * (slope - slope_here * value - 2.0 * distance * slope_here * slope);
            predictor.of_rates[j] = value * (value + 2.0 * distance * slope);
        }
        predictor
    }

    /// Writes the prediction for a step of size `h` (s) into `rates`, length `n + m`.
    pub fn predict(&self, h: f64, history: &History, rates: &mut [f64]) {
        let newest = history.newest();
        let n = newest.y.len();
        rates.copy_from_slice(&newest.rates);
        if self.points == 1 {
            return;
        }
        let rates = &mut rates[..n];
        rates.fill(0.0);
        for age in 0..self.points {
            let point = history.point(age);
            add(self.of_values[age] / h, &point.y, rates);
            add(self.of_rates[age], &point.rates, rates);
        }
    }
}

#[cfg(test)]
mod tests {
    use approx::assert_relative_eq;

    use super::*;

    /// Times of the next point and of the last points: equal and unequal steps, and stages that step back in time.
    const TIMES: [(f64, [f64; 3]); 5] = [
        (1.0, [0.0, -1.0, -2.0]),
        (0.6, [0.768, 0.45, 0.0]),
        (1.0, [0.4, 0.9, 0.2]),
        (0.1, [0.55, 0.0, -0.3]),
        (1.0, [1.14, 0.967, 0.1]),
    ];

    /// `Σ_{i ≤ degree} (i + 1) t^i` and its derivative.
    fn polynomial(degree: i32, t: f64) -> [f64; 2] {
        (0..=degree).fold([0.0; 2], |[y, rate], i| {
            let coefficient = f64::from(i + 1);
            let slope = if i == 0 { 0.0 } else { coefficient * f64::from(i) * t.powi(i - 1) };
            [y + coefficient * t.powi(i), rate + slope]
        })
    }

    /// Returns the prediction for the polynomial, with `h` seconds per unit of time; λ is 7 at the newest point.
    fn predicted(predictor: Predictor, h: f64, degree: i32, last: &[f64]) -> [f64; 2] {
        let mut history = History::new(3, 1, 1);
        for (age, &t) in last.iter().enumerate().rev() {
            let [y, rate] = polynomial(degree, t * h);
            history.push(&[y], &[rate, 7.0 + age as f64]);
        }
        let mut rates = [f64::NAN; 2];
        predictor.predict(h, &history, &mut rates);
        rates
    }

    #[test]
    fn exact_for_cubics_from_two_points_and_for_quintics_from_three() {
        for (next, last) in TIMES {
            for h in [1.0, 0.25] {
                let two = Predictor::hermite(next, [last[0], last[1]]);
                let three = Predictor::hermite(next, last);
                for degree in 0..=5 {
                    let [_, exact] = polynomial(degree, next * h);
                    for (predictor, highest, points) in [(two, 3, 2), (three, 5, 3)] {
                        let [rate, lambda] = predicted(predictor, h, degree, &last[..points]);
                        assert_eq!(lambda, 7.0);
                        let error = (rate - exact).abs();
                        // rounding of terms with weights up to 1e4
                        if degree <= highest {
                            assert!(error < 1e-10, "{next} from {last:?}, degree {degree}: {error:e}");
                        } else {
                            assert!(error > 1e-6, "{next} from {last:?}, degree {degree}: {error:e} from two points");
                        }
                    }
                }
            }
        }
        assert_eq!(predicted(Predictor::CONSTANT, 0.5, 4, &[0.7]), [polynomial(4, 0.35)[1], 7.0]);
    }

    #[test]
    fn equal_steps_have_the_weights_of_the_paper() {
        let two = Predictor::hermite(1.0, [0.0, -1.0]);
        assert_relative_eq!(&two.of_values[..], &[-12.0, 12.0, 0.0][..], epsilon = 1e-13);
        assert_relative_eq!(&two.of_rates[..], &[8.0, 5.0, 0.0][..], epsilon = 1e-13);
        let three = Predictor::hermite(1.0, [0.0, -1.0, -2.0]);
        assert_relative_eq!(&three.of_values[..], &[-57.0, 24.0, 33.0][..], epsilon = 1e-12);
        assert_relative_eq!(&three.of_rates[..], &[24.0, 57.0, 10.0][..], epsilon = 1e-12);
    }

    /// The weights of zhang2022, Eq. 14 with its signs, and Eq. 17, for points in any order.
    #[test]
    fn unequal_steps_have_the_weights_of_the_paper() {
        for (next, last) in TIMES {
            let step = next - last[0];
            let (a1, a2) = (step / (last[0] - last[1]), step / (last[1] - last[2]));
            let two = Predictor::hermite(next, [last[0], last[1]]);
            let m0 = -6.0 * a1 * a1 * (1.0 + a1);
            assert_relative_eq!(two.of_values[0] * step, m0, max_relative = 1e-11);
            assert_relative_eq!(two.of_values[1] * step, -m0, max_relative = 1e-11);
            assert_relative_eq!(two.of_rates[0], (1.0 + a1) * (1.0 + 3.0 * a1), max_relative = 1e-11);
            assert_relative_eq!(two.of_rates[1], a1 * (2.0 + 3.0 * a1), max_relative = 1e-11);

            let three = Predictor::hermite(next, last);
            let p = a1 * a2 + a1 + a2;
            let common = 5.0 * a1 * a1 * a2 + 3.0 * a1 * a1;
            let m1 = 2.0 * (1.0 + a1) * p * (common - 5.0 * a1 * a2 * a2 + a1 * a2 - 2.0 * a2 * a2) / a1;
            let n0 = (1.0 + a1) * p * (common + 6.0 * a1 * a2 + a1 + a2) / (a1 + a2).powi(2);
            let n1 = p * (common + 7.0 * a1 * a2 + 2.0 * a1 + 2.0 * a2) / a1;
            let last_term = 5.0 * a1 * a1 * a2 + 4.0 * a1 * a1 + 7.0 * a1 * a2 + 2.0 * a1 + 2.0 * a2;
            let n2 = a2.powi(3) * (1.0 + a1) * last_term / (a1 * (a1 + a2).powi(2));
            assert_relative_eq!(three.of_values[1] * step, m1, max_relative = 1e-10, epsilon = 1e-10);
            for (rate, expected) in three.of_rates.iter().zip([n0, n1, n2]) {
                assert_relative_eq!(*rate, expected, max_relative = 1e-10, epsilon = 1e-10);
            }
            let sum: f64 = three.of_values.iter().sum();
            let size: f64 = three.of_values.iter().map(|value| value.abs()).sum();
            assert!(sum.abs() < 1e-13 * size, "m₀ + m₁ + m₂ = 0");
        }
    }
}
