//! The properties of the multistep formulas of zhang2022 and of their single-step equivalents, verified from their
//! coefficients.

use mbsbench_integrators::implicit::{LinearMultistep, SingleStep};
use mbsbench_problem::linear::{eigenvalues, spectral_radius};
use nalgebra::{Complex, DMatrix};

const RHOS: [f64; 8] = [0.0, 0.1, 0.3, 0.5, 0.6, 0.8, 0.95, 1.0];

/// A formula and its single-step equivalent for `ρ_∞`.
type Pair = (fn(f64) -> LinearMultistep, fn(f64) -> SingleStep);

const PAIRS: [Pair; 3] = [
    (LinearMultistep::lms2, SingleStep::ss2),
    (LinearMultistep::lms3, SingleStep::ss3),
    (LinearMultistep::lms4, SingleStep::ss4),
];

/// The formulas, each with its number of steps and `ρ_∞`.
fn all() -> impl Iterator<Item = (LinearMultistep, usize, f64)> {
    RHOS.into_iter().flat_map(|rho| PAIRS.into_iter().zip(2..).map(move |((lms, _), r)| (lms(rho), r, rho)))
}

/// The residual of a step to `t = 0` on `y = t^q` with past points at `times`.
fn residual(formula: &LinearMultistep, times: &[f64], q: i32) -> f64 {
    let power = |t: f64| t.powi(q);
    let derivative = |t: f64| if q == 0 { 0.0 } else { f64::from(q) * t.powi(q - 1) };
    let past = times.iter().zip(&formula.alpha).zip(&formula.beta[1..]);
    let sum: f64 = past.map(|((&t, alpha), beta)| alpha * power(t) + beta * derivative(t)).sum();
    sum + formula.beta[0] * derivative(0.0) - power(0.0)
}

fn unit(angle: f64) -> Complex<f64> {
    Complex::new(0.0, angle).exp()
}

/// `ζ^r − Σⱼ αⱼ ζ^{r−j}`.
fn first_characteristic(formula: &LinearMultistep, zeta: Complex<f64>) -> Complex<f64> {
    formula.alpha.iter().fold(Complex::new(1.0, 0.0), |sum, alpha| sum * zeta - alpha)
}

/// `Σⱼ βⱼ ζ^{r−j}`.
fn second_characteristic(formula: &LinearMultistep, zeta: Complex<f64>) -> Complex<f64> {
    formula.beta.iter().fold(Complex::new(0.0, 0.0), |sum, beta| sum * zeta + beta)
}

#[test]
fn order_two_and_not_three() {
    for (formula, r, rho) in all() {
        let times: Vec<f64> = (1..=r).map(|j| -(j as f64)).collect();
        for q in 0..=2 {
            let residual = residual(&formula, &times, q);
            assert!(residual.abs() < 1e-14, "{r} steps, {rho}, t^{q}: {residual:e}");
        }
        assert!(residual(&formula, &times, 3).abs() > 0.1, "{r} steps, {rho}");
    }
}

#[test]
fn roots_at_infinite_frequency_are_equal() {
    for (formula, r, rho) in all() {
        for k in 0..12 {
            let zeta = unit(f64::from(k) * 0.5) * 1.3;
            let expected = (zeta + rho).powi(r as i32) * formula.beta[0];
            assert!((second_characteristic(&formula, zeta) - expected).norm() < 1e-14);
        }
    }
}

/// The boundary of the stability region, `z = ρ(ζ)/σ(ζ)` for `|ζ| = 1`, does not enter the left half plane, and the
/// formula is stable at infinity: it is therefore stable on the whole left half plane.
#[test]
fn a_stability() {
    for (formula, r, rho) in all().filter(|&(_, _, rho)| rho < 1.0) {
        for k in 0..=4000 {
            let zeta = unit(f64::from(k) * std::f64::consts::PI / 4000.0);
            let z = first_characteristic(&formula, zeta) / second_characteristic(&formula, zeta);
            assert!(z.re > -1e-13 * (1.0 + z.norm()), "{r} steps, {rho}: {z}");
        }
    }
}

/// A-stability from the roots themselves. Near zero the spurious roots are inside the unit circle, which means
/// zero-stability.
#[test]
fn roots_on_the_left_half_plane() {
    for (formula, r, rho) in all().filter(|&(_, _, rho)| rho < 1.0) {
        for k in 0..=110 {
            let size = 10f64.powf(f64::from(k) * 0.1 - 3.0);
            for angle in 0..=8 {
                let z = unit(std::f64::consts::FRAC_PI_2 * (1.0 + f64::from(angle) / 8.0)) * size;
                let radius = spectral_radius(&formula.amplification(z));
                assert!(radius <= 1.0 + 1e-13, "{r} steps, {rho}, {z}: {radius}");
            }
        }
        let at_zero = eigenvalues(&formula.amplification(Complex::new(0.0, 0.0)));
        let principal = at_zero.iter().filter(|root| (*root - 1.0).norm() < 1e-12).count();
        let spurious = at_zero.iter().filter(|root| root.norm() < 0.99).count();
        assert_eq!((principal, spurious), (1, r - 1), "{rho}: {at_zero:?}");
    }
}

/// `ρ(ζ) = (ζ − 1)(ζ + 1)^{r−1}`: a multiple root on the unit circle from three steps on.
#[test]
fn undamped_three_and_four_step_formulas_are_unstable() {
    for (formula, r, _) in all().filter(|&(_, _, rho)| rho == 1.0) {
        for k in 0..12 {
            let zeta = unit(f64::from(k) * 0.5) * 0.7;
            let expected = (zeta - 1.0) * (zeta + 1.0).powi(r as i32 - 1);
            assert!((first_characteristic(&formula, zeta) - expected).norm() < 1e-14);
        }
    }
}

#[test]
fn without_rho_only_two_steps_are_bdf() {
    let third = 1.0 / 3.0;
    let bdf2 = LinearMultistep::lms2(0.0);
    assert!((bdf2.alpha[0] - 4.0 * third).abs() < 1e-15 && (bdf2.alpha[1] + third).abs() < 1e-15);
    assert_eq!(bdf2.beta, [2.0 * third, 0.0, 0.0]);
    for (formula, bdf) in [(LinearMultistep::lms3(0.0), 6.0 / 11.0), (LinearMultistep::lms4(0.0), 12.0 / 25.0)] {
        assert!(formula.beta[1..].iter().all(|&beta| beta == 0.0));
        assert!((formula.beta[0] - bdf).abs() > 0.05);
    }
}

#[test]
fn undamped_two_steps_and_one_are_the_trapezoidal_rule() {
    assert_eq!(LinearMultistep::lms2(1.0), LinearMultistep { alpha: vec![0.0, 1.0], beta: vec![0.5, 1.0, 0.5] });
    assert_eq!(LinearMultistep::trapezoidal(), LinearMultistep { alpha: vec![1.0], beta: vec![0.5, 0.5] });
}

/// Order two and the double root at infinite frequency, for any ratio of steps.
#[test]
fn two_steps_of_different_size() {
    for rho in RHOS {
        for kappa in [0.1, 0.5, 0.9, 1.0, 1.3, 2.0, 5.0] {
            let formula = LinearMultistep::lms2_variable(rho, kappa);
            for q in 0..=2 {
                let residual = residual(&formula, &[-1.0, -1.0 - 1.0 / kappa], q);
                let size = (1.0 + 1.0 / kappa).powi(q);
                assert!(residual.abs() < 1e-14 * size, "{rho}, {kappa}, t^{q}: {residual:e}");
            }
            let [b_0, b_1, b_2] = [0, 1, 2].map(|j| formula.beta[j]);
            assert!((b_1 - 2.0 * rho * b_0).abs() < 1e-14, "{rho}, {kappa}: {b_1}, {b_0}");
            assert!((b_2 - rho * rho * b_0).abs() < 1e-14, "{rho}, {kappa}: {b_2}, {b_0}");
        }
        let (equal, constant) = (LinearMultistep::lms2_variable(rho, 1.0), LinearMultistep::lms2(rho));
        let pairs = equal.alpha.iter().zip(&constant.alpha).chain(equal.beta.iter().zip(&constant.beta));
        assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-15));
    }
}

/// Compares determinants of `ζI − A` at more points than the degree.
#[test]
fn characteristic_polynomials_of_the_equivalents() {
    let polynomial = |matrix: &DMatrix<Complex<f64>>, zeta: Complex<f64>| {
        (DMatrix::identity(matrix.nrows(), matrix.nrows()) * zeta - matrix).determinant()
    };
    for (lms, ss) in PAIRS {
        for rho in RHOS {
            let (lms, ss) = (lms(rho), ss(rho));
            assert_eq!(lms.steps(), ss.steps());
            assert!((lms.beta[0] - ss.b_0).abs() < 1e-15, "β₀ and b₀ at {rho}");
            for k in 0..60 {
                let size = 10f64.powf(f64::from(k) * 0.1 - 3.0);
                let z = unit(std::f64::consts::FRAC_PI_2 * (1.0 + f64::from(k % 5) / 4.0)) * size;
                let (companion, recursion) = (lms.amplification(z), ss.amplification(z));
                let rounding = 1e-14 * (1.0 + recursion.norm());
                for j in 0..6 {
                    let zeta = unit(f64::from(j));
                    let difference = (polynomial(&companion, zeta) - polynomial(&recursion, zeta)).norm();
                    assert!(difference < rounding, "{} steps, {rho}, {z}: {difference:e}", lms.steps());
                }
            }
        }
    }
}

/// `sᵢ = (γ_{2i−1} − 1/2)(1+ρ)/(1−ρ)` are the roots of `6s² − 9s + 4` and `20s³ − 40s² + 29s − 8`, and each is
/// `1/(1−ζ) − 1/2` for a root `ζ ≠ 1` of the first characteristic polynomial of the multistep formula at `ρ = 0`.
#[test]
fn parameters_of_the_equivalents() {
    for (lms, ss) in PAIRS {
        for rho in RHOS.into_iter().filter(|&rho| rho < 0.9) {
            let gamma = ss(rho).gamma;
            assert!(gamma.iter().step_by(2).all(|even| (even - 1.0 / (1.0 + rho)).norm() < 1e-15));
            let mut found = Vec::new();
            for odd in gamma.iter().skip(1).step_by(2) {
                let s = (odd - 0.5) * ((1.0 + rho) / (1.0 - rho));
                let value = match gamma.len() {
                    3 => s - 1.0,
                    5 => (s * 6.0 - 9.0) * s + 4.0,
                    _ => ((s * 20.0 - 40.0) * s + 29.0) * s - 8.0,
                };
                assert!(value.norm() < 4e-14, "{s}: {value}");
                let zeta = Complex::new(1.0, 0.0) - (s + 0.5).inv();
                assert!(first_characteristic(&lms(0.0), zeta).norm() < 1e-14, "{zeta}");
                found.push(s);
            }
            let is_distinct = |k: usize| found[..k].iter().all(|s| (s - found[k]).norm() > 0.2);
            assert!((1..found.len()).all(is_distinct), "each root once: {found:?}");
        }
    }
}

/// A step with arbitrary numbers satisfies Eqs. 4a to 4e of zhang2022, from which the implemented form follows by
/// elimination.
#[test]
fn equations_with_auxiliary_derivatives() {
    let number = |k: usize| Complex::new((k as f64 * 1.7).sin(), (k as f64 * 2.3).cos());
    let one = Complex::new(1.0, 0.0);
    for (_, ss) in PAIRS {
        for rho in RHOS {
            let formula = ss(rho);
            let r = formula.steps();
            // p⁰ = y′ and the auxiliary derivatives
            let before: Vec<_> = (0..r).map(number).collect();
            let mut after = vec![number(r)];
            for (p, level) in formula.levels.iter().enumerate() {
                after.push(level.same * before[p + 1] + level.lower * after[p] + level.lower_before * before[p]);
            }
            let gamma = &formula.gamma;
            let mixed = |gamma: Complex<f64>, p: usize| (one - gamma) * before[p] + gamma * after[p];
            let auxiliary: Complex<f64> = formula.b_auxiliary.iter().zip(&before[1..]).map(|(b, p)| b * p).sum();
            let change = after[0] * formula.b_0 + before[0] * formula.b_minus_1 + auxiliary;
            assert!((change - mixed(gamma[0], r - 1)).norm() < 1e-14, "4a at {rho}");
            for i in 1..r {
                let difference = mixed(gamma[2 * i - 1], r - i) - mixed(gamma[2 * i], r - i - 1);
                assert!(difference.norm() < 1e-14, "line {i} at {rho}: {difference}");
            }
        }
    }
}
