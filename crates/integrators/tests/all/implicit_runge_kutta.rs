//! The properties of the Runge–Kutta formulas of zhang2022, verified from their coefficients.

use crate::common::conditions::{dot, violations};
use mbsbench_integrators::{Formula, Tableau, tableaux};
use mbsbench_problem::{DoubleDouble, Scalar};
use nalgebra::Complex;
use num_dual::DualNum;

const RHOS: [f64; 10] = [0.0, 1e-6, 0.1, 0.3, 0.5, 0.6, 0.8, 0.95, 1.0 - 1e-9, 1.0];

/// Sines in double-double precision are accurate to 1e-21; everything else to 1e-30, times the entries of MSSTH up to
/// 25.
const OF_SINES: f64 = 1e-19;
const EXACT: f64 = 1e-27;
/// The quotients that Kennedy and Carpenter print for ESDIRK4(3)6L[2]SA2 and ESDIRK5(4)7L[2]SA2 satisfy the conditions
/// to 25 digits.
const OF_QUOTIENTS: f64 = 1e-24;

/// Every formula with its `ρ_∞` and the residual of its conditions in double-double precision.
fn all() -> Vec<(Tableau, f64, f64)> {
    let tolerance = |name: &str| if name.ends_with("SA2") { OF_QUOTIENTS } else { EXACT };
    let l_stable = tableaux::IMPLICIT.iter().map(|formula| (Tableau::clone(formula), 0.0, tolerance(&formula.name)));
    let mut all: Vec<_> = l_stable.collect();
    for rho in RHOS {
        all.push((Tableau::bathe(rho), rho, EXACT));
        all.extend((2..=8).map(|n| (Tableau::msstc(n, rho), rho, OF_SINES)));
        all.extend((3..=5).map(|n| (Tableau::substep(n, rho), rho, EXACT)));
    }
    for rho in Tableau::RHOS_OF_MSSTH {
        all.extend((3..=5).map(|n| (Tableau::mssth(n, rho).expect("known"), rho, EXACT)));
    }
    all
}

/// The coefficient on the diagonal of the last stage.
fn gamma<S: Scalar>(formula: &Tableau<S>) -> S {
    formula.formula.weights[formula.stages() - 1]
}

/// The faults of a formula: in order conditions, in order two of a stage except in SDIRK4, or in the form of the
/// tableau.
fn faults(formula: &Tableau, tolerance: f64) -> Vec<String> {
    let mut faults = violations(&formula.formula, tolerance);
    let is_off = |residual: DoubleDouble| residual.value().abs() > tolerance;
    let Formula { rows, nodes, .. } = &formula.formula;
    for (i, (row, &node)) in rows.iter().zip(nodes).enumerate() {
        if is_off(dot(row, nodes) - node * node / 2.0) && formula.name != "SDIRK4" {
            faults.push(format!("stage {i} is not of order two"));
        }
        if row.len() != i + 1 || (row[i] != gamma(formula) && (i > 0 || row[i] != 0.0)) {
            faults.push(format!("diagonal of stage {i}"));
        }
    }
    if nodes[formula.stages() - 1] != 1.0 {
        faults.push("the last stage is not at the end of the step".to_owned());
    }
    faults
}

fn imaginary(omega_h: f64) -> Complex<f64> {
    Complex::new(0.0, omega_h)
}

/// `ωh` from 1e-3 to 1e8, 8001 points.
fn frequencies() -> impl Iterator<Item = f64> {
    (0..=8000).map(|k| 10f64.powf(f64::from(k) * 11.0 / 8000.0 - 3.0))
}

/// The order is exact (not higher), also that of embedded weights; row sums; order two of stages; equal diagonal
/// entries. The last row is `b` by construction, or by the check of files.
#[test]
fn orders_of_formulas_and_stages() {
    for (formula, rho, tolerance) in all() {
        assert_eq!(faults(&formula, tolerance), [""; 0], "{}, {rho}", formula.name);
    }
}

/// A relative change of 1e-6 in any coefficient must be detected.
#[test]
fn every_corrupted_coefficient_is_found() {
    for (formula, rho, tolerance) in all() {
        let count = coefficients(&mut formula.clone()).len();
        for k in 0..count {
            let mut corrupted = formula.clone();
            *coefficients(&mut corrupted).swap_remove(k) *= DoubleDouble::from(1.0) + 1e-6;
            assert!(!faults(&corrupted, tolerance).is_empty(), "{}, {rho}: coefficient {k}", formula.name);
        }
    }
}

fn coefficients(formula: &mut Tableau) -> Vec<&mut DoubleDouble> {
    let Formula { nodes, rows, estimates, .. } = &mut formula.formula;
    let embedded = estimates.iter_mut().flat_map(|estimate| &mut estimate.difference);
    let all = nodes.iter_mut().chain(rows.iter_mut().flatten()).chain(embedded);
    all.filter(|coefficient| coefficient.value() != 0.0).collect()
}

/// Poles are at `1/γ > 0`, so that `|R| ≤ 1` on the imaginary axis implies A-stability.
#[test]
fn a_stability() {
    for (formula, rho, _) in all() {
        assert!(gamma(&formula) > 0.0);
        let rounded = formula.rounded::<f64>();
        for omega_h in frequencies() {
            let size = rounded.stability(imaginary(omega_h)).norm();
            assert!(size <= 1.0 + 1e-13, "{}, {rho}: |R({omega_h:e} i)| - 1 = {:e}", formula.name, size - 1.0);
        }
    }
}

#[test]
fn spectral_radius_at_infinite_frequency() {
    for (formula, rho, tolerance) in all() {
        let limit = formula.stability_at_infinity();
        let size = if limit < 0.0 { -limit } else { limit };
        assert!((size - rho).value().abs() < 10.0 * tolerance, "{}, {rho}: {limit}", formula.name);
        let near = formula.rounded::<f64>().stability(imaginary(1e9));
        assert!((near - limit.value()).norm() < 1e-6, "{}, {rho}: {near}", formula.name);
    }
    let sign = |formula: Tableau| formula.stability_at_infinity().value().signum();
    let of_msstc: Vec<f64> = (2..=5).map(|n| sign(Tableau::msstc(n, 0.6))).collect();
    assert_eq!(of_msstc, [1.0, -1.0, 1.0, -1.0]);
    let of_mssth: Vec<f64> = (3..=5).map(|n| sign(Tableau::mssth(n, 0.6).expect("known"))).collect();
    assert_eq!(of_mssth, [1.0, 1.0, -1.0]);
}

/// The design property of MSSTC: damping of the order `(ωh)²ⁿ` exactly, in closed form
/// `1 − |R(iω)|² = (1 − ρ²) (γω)²ⁿ/(1 + γ²ω²)ⁿ`.
#[test]
fn damping_of_msstc_is_of_the_highest_order() {
    for n in 2..=8 {
        for rho in RHOS {
            let formula = Tableau::msstc(n, rho).rounded::<f64>();
            for omega_h in frequencies() {
                let square = (gamma(&formula) * omega_h).powi(2);
                let expected = (1.0 - rho * rho) * (square / (1.0 + square)).powi(n as i32);
                let damping = 1.0 - formula.stability(imaginary(omega_h)).norm_sqr();
                assert!((damping - expected).abs() < 2e-13, "{n}, {rho}, {omega_h:e}: {damping:e}, {expected:e}");
            }
        }
    }
}

#[test]
fn msstc_of_two_stages_is_bathe() {
    for rho in RHOS {
        let (msstc, bathe) = (Tableau::msstc(2, rho), Tableau::bathe(rho));
        let pairs = msstc.formula.rows.iter().flatten().zip(bathe.formula.rows.iter().flatten());
        assert!(pairs.into_iter().all(|(&a, &b)| (a - b).value().abs() < EXACT), "{rho}");
    }
}

#[test]
fn undamped_msstc_is_the_trapezoidal_rule_n_times() {
    for n in 2..=8u32 {
        let formula = Tableau::msstc(n, 1.0);
        let (i, half) = (n as usize, DoubleDouble::ratio(0.5, f64::from(n)));
        for (j, &a) in formula.formula.weights.iter().enumerate() {
            let expected = if j == 0 || j == i { half } else { half * 2.0 };
            assert!((a - expected).value().abs() < EXACT, "{n}: {a}");
        }
    }
}

/// 20 digits of `γ`, from the conditions on each power of `ω` in 60-digit arithmetic.
#[test]
fn gamma_of_msstc() {
    for (n, rho, digits) in [
        (3, 0.0, ["1804253064", "2939856413"]),
        (3, 0.6, ["1712486185", "9069150781"]),
        (4, 0.0, ["1313787367", "3046613252"]),
        (4, 0.6, ["1271392659", "0208381389"]),
        (5, 0.0, ["1035571089", "2021487664"]),
        (5, 0.6, ["1011961150", "7318119947"]),
    ] {
        let part = |k: usize| digits[k].parse::<f64>().expect("digits");
        let expected = (DoubleDouble::from(part(0)) + DoubleDouble::from(part(1)) / 1e10) / 1e10;
        let error = (gamma(&Tableau::msstc(n, rho)) - expected).value();
        // the double 0.6 is 2.2e-17 too small, and γ changes by up to 0.025 times that
        let tolerance = if rho == 0.0 { 1e-20 } else { 6e-19 };
        assert!(error.abs() < tolerance, "{n}, {rho}: {error:e}");
    }
}

/// Closed forms of the last row for three stages.
#[test]
fn last_row_of_msstc3() {
    for rho in RHOS {
        let formula = Tableau::msstc(3, rho).rounded::<f64>();
        let g = gamma(&formula);
        let expected = [
            ((2.0 * rho - 6.0) * g * g + 8.0 * g - 1.0) / (8.0 * g),
            (1.0 - (rho + 1.0) * g) / 2.0,
            (2.0 * (rho + 1.0) * g * g - 4.0 * g + 1.0) / (8.0 * g),
        ];
        for (found, expected) in formula.formula.weights.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-15, "{rho}: {found}, {expected}");
        }
    }
}

#[test]
fn gamma_of_mssth() {
    let third = DoubleDouble::ratio(1.0, 3.0);
    assert!((gamma(&Tableau::mssth(3, 1.0).expect("known")) - third).value().abs() < EXACT);
    let fourth = (DoubleDouble::from(3.0).sqrt() + 3.0) / 12.0;
    assert!((gamma(&Tableau::mssth(4, 1.0).expect("known")) - fourth).value().abs() < EXACT);
    let l_stable = gamma(&tableaux::ESDIRK324L2SA);
    assert!((gamma(&Tableau::mssth(3, 0.0).expect("known")) - l_stable).value().abs() < EXACT);
}

/// The third node satisfies one of the four conditions of order four: the quadrature of cubics.
#[test]
fn mssth3_integrates_cubics() {
    for rho in Tableau::RHOS_OF_MSSTH {
        let formula = Tableau::mssth(3, rho).expect("known");
        let cubes: Vec<_> = formula.formula.nodes.iter().map(|c| c.powi(3)).collect();
        assert!((dot(&formula.formula.weights, &cubes) - 0.25).value().abs() < EXACT);
        let (g, c) = (gamma(&formula), formula.formula.nodes[2]);
        let b_2 = (c * 3.0 + g * 6.0 - c * g * 6.0 - 2.0) / (g * 12.0 * (c - g * 2.0));
        let b_3 = (g * g * 6.0 - g * 6.0 + 1.0) / (c * 3.0 * (c - g * 2.0));
        assert!((formula.formula.weights[1] - b_2).value().abs() < EXACT);
        assert!((formula.formula.weights[2] - b_3).value().abs() < EXACT);
    }
}

/// The stability function depends on `γ` only; the third nodes are 0.609 and 0.6.
#[test]
fn mssth3_without_rho_has_the_spectrum_of_esdirk324l2sa() {
    let (ours, theirs) = (Tableau::mssth(3, 0.0).expect("known"), tableaux::ESDIRK324L2SA.clone());
    assert!((ours.formula.nodes[2] - theirs.formula.nodes[2]).value() > 0.008);
    let (ours, theirs) = (ours.rounded::<f64>(), theirs.rounded::<f64>());
    for z in frequencies().flat_map(|w| [imaginary(w), Complex::new(-w, 0.0), Complex::new(-w, w)]) {
        assert!((ours.stability(z) - theirs.stability(z)).norm() < 1e-13, "{z}");
    }
}

#[test]
fn mssth_refuses_other_rho() {
    assert!(Tableau::mssth(3, 0.5).is_none() && Tableau::mssth(6, 0.0).is_none());
}

/// Order, `R(∞)` and moderate entries for every ρ∞.
#[test]
fn substeps_exist_for_every_spectral_radius() {
    for (n, k) in (3..=5).flat_map(|n| (0..=50).map(move |k| (n, k))) {
        let (formula, rho) = (Tableau::substep(n, f64::from(k) / 50.0), f64::from(k) / 50.0);
        assert_eq!(faults(&formula, EXACT), [""; 0], "{n}, {rho}");
        assert!((formula.stability_at_infinity().value().abs() - rho).abs() < 1e-15, "{n}, {rho}");
        assert!(formula.formula.rows.iter().flatten().all(|entry| entry.value().abs() < 1.7), "{n}, {rho}");
    }
}
