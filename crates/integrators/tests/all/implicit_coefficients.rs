//! The coefficients of the implicit formulas compared with independent computations in 60-digit arithmetic.

use mbsbench_integrators::implicit::single_step::Level;
use mbsbench_integrators::implicit::{LinearMultistep, SingleStep};
use mbsbench_integrators::{Tableau, tableaux};
use nalgebra::Complex;
use serde_json::Value;

/// Rounding of a few operations on numbers of order one.
const ROUNDING: f64 = 1e-15;

/// 16 digits of the nodes of MSSTH(5) are known, with which the last condition of order five holds to 1e-16. The
/// program changes `c₅` by up to 6e-15 so that it holds to 30 digits; other entries change by up to 3e-13 of their
/// size.
const REFINED: f64 = 4e-13;

fn published() -> Vec<Value> {
    let text = include_str!("../data/zhang2022-methods.json");
    let data: Value = serde_json::from_str(text).expect("the file is JSON");
    data["methods"].as_array().expect("a list of methods").clone()
}

fn real(value: &Value) -> f64 {
    value.as_str().and_then(|digits| digits.parse().ok()).expect("a number as text")
}

fn complex(value: &Value) -> Complex<f64> {
    Complex::new(real(&value[0]), real(&value[1]))
}

fn list<T>(value: &Value, read: impl Fn(&Value) -> T) -> Vec<T> {
    value.as_array().expect("a list").iter().map(read).collect()
}

fn assert_close(found: &[f64], expected: &[f64], what: &str) {
    assert_within(ROUNDING, found, expected, what);
}

/// Asserts that errors are within `tolerance`, relative to the expected value or to one, whichever is larger.
fn assert_within(tolerance: f64, found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        let error = (found - expected).abs() / expected.abs().max(1.0);
        assert!(error <= tolerance, "{what}: {found} is not {expected}");
    }
}

fn assert_close_complex(found: &[Complex<f64>], expected: &[Complex<f64>], what: &str) {
    let parts = |numbers: &[Complex<f64>]| numbers.iter().flat_map(|z| [z.re, z.im]).collect::<Vec<_>>();
    assert_close(&parts(found), &parts(expected), what);
}

fn esdirk(name: &str, rho: f64) -> Tableau {
    match name {
        "Bathe" => Tableau::bathe(rho),
        "MSSTC(3)" => Tableau::msstc(3, rho),
        "MSSTC(4)" => Tableau::msstc(4, rho),
        "MSSTC(5)" => Tableau::msstc(5, rho),
        "MSSTH(3)" => Tableau::mssth(3, rho).expect("known"),
        "MSSTH(4)" => Tableau::mssth(4, rho).expect("known"),
        "MSSTH(5)" => Tableau::mssth(5, rho).expect("known"),
        _ => {
            let printed = tableaux::IMPLICIT.iter().find(|formula| formula.name == name);
            Tableau::clone(printed.expect("a formula of this program"))
        }
    }
}

#[test]
fn runge_kutta_formulas() {
    let mut count = 0;
    for method in published().iter().filter(|method| method["kind"] == "esdirk") {
        let (name, rho) = (method["name"].as_str().expect("a name"), method["rho_inf"].as_f64().expect("a number"));
        let what = format!("{name}, {rho}");
        let formula = esdirk(name, rho).rounded::<f64>();
        let tolerance = if name == "MSSTH(5)" { REFINED } else { ROUNDING };
        assert_close(&formula.formula.weights[formula.stages() - 1..], &[real(&method["gamma"])], &what);
        assert_within(tolerance, &formula.formula.nodes, &list(&method["c"], real), &what);
        assert_within(tolerance, &formula.formula.weights, &list(&method["b"], real), &what);
        assert_eq!(u64::from(formula.formula.order), method["order"].as_u64().expect("a number"), "{what}");
        for (row, expected) in formula.formula.rows.iter().zip(method["A"].as_array().expect("rows")) {
            let mut row = row.clone();
            row.resize(formula.stages(), 0.0);
            assert_within(tolerance, &row, &list(expected, real), &what);
        }
        count += 1;
    }
    assert_eq!(count, 24);
}

#[test]
fn multistep_formulas() {
    let mut count = 0;
    for method in published().iter().filter(|method| method["kind"] == "multistep") {
        let rho = method["rho_inf"].as_f64().expect("a number");
        let formula = match method["name"].as_str() {
            Some("LMS2") => LinearMultistep::lms2(rho),
            Some("LMS3") => LinearMultistep::lms3(rho),
            _ => LinearMultistep::lms4(rho),
        };
        assert_close(&formula.alpha, &list(&method["alpha_1_to_r"], real), "α");
        assert_close(&formula.beta, &list(&method["beta_0_to_r"], real), "β");
        count += 1;
    }
    assert_eq!(count, 9);
}

#[test]
fn single_step_formulas() {
    let mut count = 0;
    for method in published().iter().filter(|method| method["kind"] == "singlestep") {
        let rho = method["rho_inf"].as_f64().expect("a number");
        let formula = match method["name"].as_str() {
            Some("SS2") => SingleStep::ss2(rho),
            Some("SS3") => SingleStep::ss3(rho),
            _ => SingleStep::ss4(rho),
        };
        assert_close_complex(&formula.gamma, &list(&method["gamma_0_to_2r-2"], complex), "γ");
        assert_close(&[formula.b_0, formula.b_minus_1], &[real(&method["b0"]), real(&method["bm1"])], "b");
        assert_close_complex(&formula.b_auxiliary, &list(&method["bI_1_to_r-1"], complex), "b_I");
        let updates = method["aux_update"].as_array().expect("a list");
        assert_eq!(updates.len(), formula.levels.len());
        for (Level { same, lower, lower_before }, update) in formula.levels.iter().zip(updates) {
            let expected = ["C_old_same", "D_new_lower", "E_old_lower"].map(|key| complex(&update[key]));
            assert_close_complex(&[*same, *lower, *lower_before], &expected, "C, D, E");
        }
        count += 1;
    }
    assert_eq!(count, 9);
}
