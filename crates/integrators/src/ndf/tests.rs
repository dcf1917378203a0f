//! Tests of the coefficients, and of steps with each formula.

use mbsbench_problem::{AsOde, Counted, OdeModel, Scalar};

use super::differences::{Differences, change_of_size};
use super::formula::{Formula, MAX_ORDER};
use super::newton::Newton;
use crate::linearisation::{IterationMatrix, Linearisation};
use crate::newton::Outcome;

fn both() -> [Formula; 2] {
    [Formula::ndf(), Formula::bdf()]
}

/// The formula of order `k` as `Σ_j α_j y_{n+1−j} = h y'_{n+1}`, with `j` from 0 to `k + 1`; zero beyond.
fn weights(formula: &Formula, k: usize) -> [f64; MAX_ORDER + 2] {
    let mut weights = [0.0; MAX_ORDER + 2];
    for m in 1..=k + 1 {
        let share = 1.0 / m as f64 - if m <= k { 0.0 } else { formula.error_constant(k) };
        // ∇ᵐ y_{n+1} = Σ_j (−1)ʲ (m over j) y_{n+1−j}
        let mut binomial = 1.0;
        for j in 0..=m {
            weights[j] += share * binomial;
            binomial *= -((m - j) as f64) / (j + 1) as f64;
        }
    }
    weights
}

/// `Σ_j α_j (−j)^q` is `q (0)^(q−1)` up to `q = k`: zero except for `q = 1`; the next power gives the error constant.
#[test]
fn order_conditions() {
    for formula in both() {
        for k in 1..=MAX_ORDER {
            let weights = weights(&formula, k);
            let moment = |q: i32| weights.iter().enumerate().map(|(j, a)| a * (-(j as f64)).powi(q)).sum::<f64>();
            for q in 0..=k as i32 {
                let expected = f64::from(u8::from(q == 1));
                assert!((moment(q) - expected).abs() < 1e-10, "order {k}, power {q}: {}", moment(q));
            }
            let factorial: f64 = (1..=k + 1).map(|m| m as f64).product();
            let constant = -moment(k as i32 + 1) / factorial;
            assert!((constant - formula.error_constant(k)).abs() < 1e-10, "order {k}: {constant}");
            assert!((weights[0] - formula.leading(k)).abs() < 1e-14, "order {k}");
        }
    }
}

/// Published gains in step size of the NDFs over the BDFs at equal local error: 26, 26, 26, 12 and 0 per cent.
#[test]
fn local_errors_are_smaller_than_those_of_the_bdfs() {
    for (k, gain) in [1.26, 1.26, 1.26, 1.12, 1.0].into_iter().enumerate().map(|(i, gain)| (i + 1, gain)) {
        let ratio = Formula::bdf().error_constant(k) / Formula::ndf().error_constant(k).abs();
        let ratio = ratio.powf(1.0 / (k + 1) as f64);
        assert!((ratio - gain).abs() < 0.006, "order {k}: {ratio}");
    }
}

/// The angle of A(α)-stability from the root locus `h λ = Σ_j α_j e^{−ijθ}`, in degrees.
fn angle(formula: &Formula, k: usize) -> f64 {
    let weights = weights(formula, k);
    let locus = (1..=100_000).map(|m| {
        let theta = std::f64::consts::PI * f64::from(m) / 100_000.0;
        let sum = |part: fn(f64) -> f64| weights.iter().enumerate().map(|(j, a)| a * part(-(j as f64) * theta)).sum();
        let (re, im): (f64, f64) = (sum(f64::cos), sum(f64::sin));
        // Near θ = 0 the locus touches the imaginary axis up to rounding.
        if re < -1e-9 { im.abs().atan2(-re).to_degrees() } else { 90.0 }
    });
    locus.fold(90.0, f64::min)
}

#[test]
fn angles_of_stability_match_published_values() {
    for (formula, published) in both().iter().zip([[90.0, 90.0, 80.0, 66.0, 51.0], [90.0, 90.0, 86.0, 73.0, 51.0]]) {
        for (k, published) in (1..).zip(published) {
            let angle = angle(formula, k);
            assert!((angle - published).abs() < 1.0, "order {k}: {angle}, not {published}");
        }
    }
}

/// `y = (t³ − t, 2 − t⁵)`.
fn polynomial(t: f64) -> [f64; 2] {
    [t.powi(3) - t, 2.0 - t.powi(5)]
}

/// Differences of [`polynomial`] at `t` for steps of `h`.
fn differences(t: f64, h: f64) -> Differences {
    let mut differences = Differences::new(2);
    for j in 1..=MAX_ORDER {
        let mut binomial = 1.0;
        let mut sum = [0.0; 2];
        for i in 0..=j {
            let y = polynomial(t - i as f64 * h);
            sum = [0, 1].map(|c| sum[c] + binomial * y[c]);
            binomial *= -((j - i) as f64) / (i + 1) as f64;
        }
        differences.set(j, &sum);
    }
    differences
}

#[test]
fn rescaling_keeps_the_differences_of_a_polynomial() {
    for ratio in [0.3, 1.0, 1.7, 10.0] {
        let (t, h) = (0.8, 0.1);
        let mut changed = differences(t, h);
        changed.change_size(MAX_ORDER, ratio);
        let exact = differences(t, ratio * h);
        // Rounding of ∇⁵, times the largest entry of R.
        let rounding = 1e-13 * (5.0 * ratio).powi(5).max(120.0) / 120.0;
        for j in 1..=MAX_ORDER {
            for (changed, exact) in changed.of_order(j).iter().zip(exact.of_order(j)) {
                assert!((changed - exact).abs() < rounding, "∇^{j}, ratio {ratio}");
            }
        }
        let mut state = [0.0; 2];
        changed.interpolate(MAX_ORDER, -0.4, &polynomial(t), &mut state);
        let exact = polynomial(t - 0.4 * ratio * h);
        assert!((state[0] - exact[0]).abs() + (state[1] - exact[1]).abs() < rounding);
    }
    let identity = change_of_size(1.0);
    for (i, row) in identity.iter().enumerate() {
        for (j, entry) in row.iter().enumerate() {
            assert!((entry - f64::from(u8::from(i == j))).abs() < 1e-13);
        }
    }
}

/// `y' = −y² sin t`, solved by `1/(2 − cos t)`.
struct Smooth;

impl OdeModel for Smooth {
    fn dimension(&self) -> usize {
        1
    }
    fn rhs<S: Scalar>(&self, t: S, y: &[S], dydt: &mut [S]) {
        dydt[0] = -y[0] * y[0] * t.sin();
    }
}

fn exact(t: f64) -> f64 {
    1.0 / (2.0 - t.cos())
}

/// Largest error up to `t = 2` of order `k` at constant step size, with exact initial differences and converged Newton
/// iterations.
fn error(formula: &Formula, k: usize, steps: u32) -> f64 {
    let h = 2.0 / f64::from(steps);
    let mut ode = AsOde(&Smooth);
    let mut problem = Counted::new(&mut ode);
    let mut linearisation = Linearisation::new(&mut problem);
    let mut matrix = IterationMatrix::new(&problem, &linearisation);
    let mut newton = Newton::new(1, (0.0, 1e-13));
    let mut table: Vec<f64> = (0..=k).map(|i| exact(-(i as f64) * h)).collect();
    let mut differences = Differences::new(1);
    for j in 1..=k {
        table = table.windows(2).map(|pair| pair[0] - pair[1]).collect();
        differences.set(j, &table[..1]);
    }
    let (mut y, mut derivative, mut largest) = (vec![exact(0.0)], [0.0], 0.0f64);
    for m in 0..steps {
        let t_end = f64::from(m + 1) * h;
        let mut guess = [0.0];
        differences.predict(k, &y, &mut guess);
        problem.rhs(t_end, &guess, &mut derivative).unwrap();
        linearisation.take_jacobian(&mut problem, t_end, &guess, &derivative).unwrap();
        matrix.factorize(h / formula.leading(k), &linearisation).unwrap();
        newton.rate = None;
        let outcome = newton.run(&mut problem, &mut matrix, (formula, k), (t_end, h), &y, &differences);
        assert_eq!(outcome.unwrap(), Outcome::Converged);
        differences.advance(k, &newton.correction);
        y.copy_from_slice(&newton.end);
        largest = largest.max((y[0] - exact(t_end)).abs());
    }
    largest
}

#[test]
fn each_formula_converges_with_its_order() {
    for formula in both() {
        for k in 1..=MAX_ORDER {
            // With more steps, the higher orders would reach rounding.
            let steps = if k < 4 { 400 } else { 150 };
            let order = (error(&formula, k, steps) / error(&formula, k, 2 * steps)).log2();
            assert!((order - k as f64).abs() < 0.1, "order {k}: {order}");
        }
    }
}
