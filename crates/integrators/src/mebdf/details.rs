//! Orders and stability, computed from the coefficients.

use mbsbench_problem::linear::spectral_radius;
use nalgebra::{Complex, DMatrix};

use super::formula::Formula;
use crate::details::{GROWTH, property, rounded};

/// Lines for [`Method::details`](mbsbench_problem::Method::details).
pub(super) fn details(max_order: usize) -> Vec<String> {
    let mut lines = vec![
        property("formula", "modified extended backward differentiation, three stages with one matrix"),
        property("order", format!("2 to {}, chosen with the step size", max_order + 1)),
        property("index 2 and 3", "errors multiplied by h and h²"),
        "order, A(alpha) in degrees, R(infinity)".to_owned(),
    ];
    lines.extend((1..=max_order).map(|k| {
        let formula = Formula::new(k);
        format!(
            "  {}    {:5.2}    {}",
            formula.found_order(),
            (formula.angle() * 100.0).floor() / 100.0,
            rounded(formula.at_infinity())
        )
    }));
    lines
}

impl Formula {
    /// The order of the three stages together, from their local error `O(h^{p+1})` on `y' = y` at two step sizes.
    pub fn found_order(&self) -> usize {
        let k = self.order;
        let error = |h: f64| {
            let z = Complex::new(h, 0.0);
            let states = nalgebra::DVector::from_fn(k, |i, _| Complex::new((-(i as f64) * h).exp(), 0.0));
            let next = (self.amplification(z) * states)[0].re;
            (next - h.exp()).abs()
        };
        // errors are about 1e-9: small, and above rounding
        let h = 10f64.powf(-9.0 / (k + 2) as f64);
        ((error(h) / error(h / 2.0)).log2().round() as usize).saturating_sub(1)
    }

    /// The matrix that maps the last `k` states, latest first, to the next ones, on `y' = λ y` with `z = h λ`.
    pub fn amplification(&self, z: Complex<f64>) -> DMatrix<Complex<f64>> {
        let k = self.order;
        let row = |coefficients: &[f64]| of_states(&coefficients[..k]);
        let plain = row(&self.plain);
        let denominator = Complex::new(1.0, 0.0) - z * self.own;
        let first: Vec<_> = plain.iter().map(|a| Complex::new(*a, 0.0) / denominator).collect();
        // the last k states, preceded by the first stage
        let second: Vec<_> = (0..k)
            .map(|i| {
                let shifted = if i + 1 < k { plain[i + 1] } else { 0.0 };
                (first[i] * plain[0] + shifted) / denominator
            })
            .collect();
        let extended = row(&self.extended);
        DMatrix::from_fn(k, k, |i, j| match i {
            0 => (z * (first[j] * self.first + second[j] * self.second) + extended[j]) / denominator,
            _ => Complex::new(f64::from(u8::from(i == j + 1)), 0.0),
        })
    }

    /// The largest factor of the last states in a step with `z` towards infinity; zero if they are damped completely.
    pub fn at_infinity(&self) -> f64 {
        let amplification = self.amplification(Complex::new(-1e15, 0.0));
        amplification.row(0).iter().map(|entry| entry.norm()).sum()
    }

    /// The largest `α` for which the formula is A(α)-stable, in degrees, to a hundredth.
    pub fn angle(&self) -> f64 {
        let is_stable = |degrees: f64| {
            let turn = Complex::from_polar(1.0, std::f64::consts::PI - degrees.to_radians());
            (0..=900).all(|i| {
                let size = 10f64.powf(f64::from(i) / 150.0 - 3.0);
                spectral_radius(&self.amplification(turn * size)) <= 1.0 + GROWTH
            })
        };
        if is_stable(90.0) {
            return 90.0;
        }
        let (mut stable, mut unstable) = (0.0, 90.0);
        while unstable - stable > 0.004 {
            let middle = 0.5 * (stable + unstable);
            if is_stable(middle) { stable = middle } else { unstable = middle }
        }
        stable
    }
}

/// `Σⱼ cⱼ ∇ʲ` as coefficients of the last states.
fn of_states(coefficients: &[f64]) -> Vec<f64> {
    let mut states = vec![0.0; coefficients.len()];
    for (j, coefficient) in coefficients.iter().enumerate() {
        let mut binomial = 1.0;
        for (i, state) in states.iter_mut().enumerate().take(j + 1) {
            *state += coefficient * binomial;
            binomial *= -((j - i) as f64) / (i + 1) as f64;
        }
    }
    states
}
