//! Tests of the coefficients and of the differences.

use super::formula::{Formula, MAX_ORDER};
use super::history::History;

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
    for (k, expected) in (1..).zip(expected) {
        let angle = Formula::new(k).angle();
        assert!((angle - expected).abs() < 0.02, "order {}: {angle}", k + 1);
        assert!(Formula::new(k).at_infinity() < 1e-12);
    }
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
