//! Tests of the coefficients and of the differences.

use mbsbench_problem::linear::spectral_radius;
use nalgebra::{Complex, DMatrix};

use super::definition::ORDERS;
use super::formula::{Formula, MAX_ORDER};
use super::history::History;
use crate::details::{GROWTH, rounded};

/// `Σⱼ cⱼ ∇ʲ t^p` at zero with steps of one.
fn of_power(coefficients: &[f64], p: i32) -> f64 {
    let values: Vec<f64> = (0..coefficients.len()).map(|i| (-(i as f64)).powi(p)).collect();
    let mut differences = values;
    let mut sum = 0.0;
    for &coefficient in coefficients {
        sum += coefficient * differences[0];
        differences = differences.windows(2).map(|pair| pair[0] - pair[1]).collect();
    }
    sum
}

/// `p t^{p−1}`.
fn rate(p: i32, t: f64) -> f64 {
    if p == 0 { 0.0 } else { f64::from(p) * t.powi(p - 1) }
}

#[test]
fn the_formulas_are_exact_for_powers_up_to_their_order() {
    for k in 1..=MAX_ORDER {
        let formula = Formula::new(k);
        let plain = |p| of_power(&formula.plain[..k], p) + formula.own * rate(p, 1.0) - 1.0;
        let own = formula.own + formula.first;
        let extended =
            |p| of_power(&formula.extended[..k], p) + own * rate(p, 1.0) + formula.second * rate(p, 2.0) - 1.0;
        let scale = 1e-13 * (k as f64).powi(k as i32 + 1);
        for p in 0..=k as i32 {
            assert!(plain(p).abs() < scale, "order {k}, power {p}: {:e}", plain(p));
            assert!(extended(p).abs() < scale, "order {k}, power {p}: {:e}", extended(p));
        }
        let next = k as i32 + 1;
        assert!(plain(next).abs() > 0.1, "order {k}: {:e}", plain(next));
        assert!(extended(next).abs() < scale, "order {k}: {:e}", extended(next));
        assert!(extended(next + 1).abs() > 0.1, "order {k}: {:e}", extended(next + 1));
    }
}

/// The local error of the plain formula is `∇^{k+1} y` divided by the scale, as its leading error term confirms.
#[test]
fn the_scale_of_errors_matches_the_formula() {
    for k in 1..=MAX_ORDER {
        let formula = Formula::new(k);
        let p = k as i32 + 1;
        let error = 1.0 - of_power(&formula.plain[..k], p) - formula.own * rate(p, 1.0);
        let difference: f64 = (1..=k + 1).map(|i| i as f64).product();
        let expected = -difference / Formula::error_scale(k);
        assert!((error / expected - 1.0).abs() < 1e-10, "order {k}: {error} and {expected}");
    }
}

/// The order holds with the computed stages, not only with exact values in their place.
#[test]
fn the_three_stages_have_one_order_more_than_the_plain_formula() {
    for k in 1..=MAX_ORDER {
        assert_eq!(Formula::new(k).found_order(), k + 1);
    }
}

/// E. Hairer, G. Wanner, Solving ODEs II, section V.3: A-stable up to order 4, and complete damping at infinity.
#[test]
fn angles_of_stability() {
    let expected = [90.0, 90.0, 90.0, 88.36, 83.07, 74.48, 61.98];
    let mut lines = Vec::new();
    for (k, expected) in (1..).zip(expected) {
        let (angle, limit) = (Formula::new(k).angle(), Formula::new(k).at_infinity());
        assert!((angle - expected).abs() < 0.02, "order {}: {angle}", k + 1);
        assert!(limit < 1e-12);
        lines.push(format!("  {}    {:5.2}    {}", k + 1, (angle * 100.0).floor() / 100.0, rounded(limit)));
    }
    assert_eq!(lines, ORDERS);
}

#[test]
fn rescaled_differences_match_the_same_polynomial() {
    let polynomial = |t: f64| 1.0 + t * (0.5 - t * (0.3 - t * (0.2 - 0.07 * t)));
    let (k, t, h) = (4, 0.7, 0.25);
    let at = |h: f64| {
        let mut history = History::new(1);
        history.start(&[polynomial(t - 5.0 * h)], [0.0].into_iter());
        for i in (0..5).rev() {
            let mut next = History::new(1);
            next.follow(&history, &[polynomial(t - f64::from(i) * h)], k);
            history = next;
        }
        history
    };
    for ratio in [0.1, 0.5, 1.3, 2.0] {
        let (mut history, expected) = (at(h), at(ratio * h));
        history.rescale(k, ratio);
        for j in 0..=k {
            let (found, expected) = (history.of_order(j)[0], expected.of_order(j)[0]);
            assert!((found - expected).abs() < 1e-13, "{ratio} {j}: {found} {expected}");
        }
    }
    let history = at(h);
    for s in [-1.5, -0.3, 0.0, 1.0] {
        let mut y = [0.0];
        history.interpolate(k, s, &mut y);
        assert!((y[0] - polynomial(t + s * h)).abs() < 1e-13, "{s}");
    }
    let mut y = [0.0];
    history.predict(k, &mut y);
    assert!((y[0] - polynomial(t + h)).abs() < 1e-13);
}

impl Formula {
    /// The order of the three stages together, from their local error `O(h^{p+1})` on `y' = y` at two step sizes.
    fn found_order(&self) -> usize {
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
    fn amplification(&self, z: Complex<f64>) -> DMatrix<Complex<f64>> {
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
    fn at_infinity(&self) -> f64 {
        let amplification = self.amplification(Complex::new(-1e15, 0.0));
        amplification.row(0).iter().map(|entry| entry.norm()).sum()
    }

    /// The largest `α` for which the formula is A(α)-stable, in degrees, to a hundredth.
    fn angle(&self) -> f64 {
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
