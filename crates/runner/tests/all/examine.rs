//! `mbsbench compare --examine`: order and stability according to theory, cases that do not apply, and the page for a
//! browser.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs `compare --examine` in the folder of the project, with its own cache.
fn examine(arguments: &[&str], cache: &Path) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_mbsbench"))
        .current_dir(root())
        .arg("compare")
        .args(arguments)
        .arg("--examine")
        .arg("--cache")
        .arg(cache)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn examined(method: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    serde_json::from_slice(&examine(&[method, "--format", "json"], folder.path()).stdout).unwrap()
}

fn rows<'p>(page: &'p Value, title: &str) -> &'p [Value] {
    let mut sections = page["sections"].as_array().unwrap().iter();
    sections.find(|section| section["title"] == title).unwrap()["rows"].as_array().unwrap()
}

fn notes(page: &Value, title: &str) -> String {
    let sections = page["sections"].as_array().unwrap();
    sections.iter().find(|section| section["title"] == title).unwrap()["notes"].to_string()
}

/// The orders of positions, velocities and multipliers on the slider crank.
fn orders(page: &Value) -> [Option<f64>; 3] {
    ["positions q", "velocities v", "multipliers λ"].map(|of| {
        let mut rows = rows(page, "Order of convergence").iter();
        let row = rows.find(|row| row["problem"] == "slider crank" && row["error of"] == of)?;
        row["order"].as_str()?.parse().ok()
    })
}

fn value<'p>(page: &'p Value, property: &str) -> &'p str {
    let row = rows(page, "Linear stability").iter().find(|row| row["property"] == property);
    row.unwrap_or_else(|| panic!("{property}: {page:#}"))["value"].as_str().unwrap()
}

#[track_caller]
fn assert_orders(page: &Value, expected: [f64; 3]) {
    let found = orders(page);
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.is_some_and(|found| (found - expected).abs() < 0.15), "{found:?}, not {expected}: {page:#}");
    }
}

#[test]
fn an_explicit_formula_of_order_four_is_recognised() {
    let page = examined("rk4");
    assert_orders(&page, [4.0; 3]);
    let all = rows(&page, "Order of convergence");
    assert_eq!(all.len(), 7, "two errors of each differential equation, three of the mechanism");
    assert!(
        all.iter().all(|row| (row["order"].as_str().unwrap().parse::<f64>().unwrap() - 4.0).abs() < 0.1),
        "{all:?}"
    );
    // Its roots are R(iω) = 1 − ω²/2 + ω⁴/24 + i (ω − ω³/6): at most one to ω = √8.
    let stable: f64 = value(&page, "undamped oscillations grow by less than 1e-9 a step")
        .strip_prefix("to ωh = ")
        .unwrap()
        .parse()
        .unwrap();
    assert!((2.7..=8f64.sqrt()).contains(&stable), "{stable}");
    assert_eq!(value(&page, "spectral radius at infinity"), "unbounded");
    let decay = value(&page, "amplitude decay, period elongation at h/(nT) = 0.1");
    // |R(iω)|² = 1 − ω⁶/72 + ω⁸/576; the decay is −ln|R|/|ln R|, and |ln R| = ω except for the period elongation.
    let y: f64 = 0.1 * std::f64::consts::TAU;
    let damped = -0.5 * (1.0 - y.powi(6) / 72.0 + y.powi(8) / 576.0).ln() / y;
    let found: f64 = decay.split(',').next().unwrap().parse().unwrap();
    assert!((found / damped - 1.0).abs() < 5e-3, "{found} and {damped}");
    assert!(notes(&page, "Conservation").contains("no error estimate"));
    assert!(rows(&page, "Conformance").iter().all(|row| row["result"] == "holds"));
}

#[test]
fn index_three_formulas_have_their_theoretical_orders() {
    let hht = examined("hht-i3");
    assert_orders(&hht, [2.0; 3]);
    // (1 + α)/(1 − α) with α = −0.3
    assert_eq!(value(&hht, "spectral radius at infinity"), "0.5385");
    assert_eq!(value(&hht, "undamped oscillations grow by less than 1e-9 a step"), "everywhere");
    assert!(notes(&hht, "Order of convergence").contains("oscillator; pendulum: the method needs a mechanical system"));
    let conserved = rows(&hht, "Conservation");
    assert_eq!(conserved.len(), 4, "constant steps and tolerances");
    for row in conserved {
        let number = |head: &str| row[head].as_str().unwrap().parse::<f64>().unwrap();
        // Forces of the hinge act on both rods, so that any vector formula conserves the linear momentum.
        assert!(number("linear momentum") < 1e-12 && number("hinge (m)") < 1e-10, "{row}");
        assert!(number("energy (J)") > 1e-6 && number("angular momentum") > 1e-8, "which it does not conserve: {row}");
    }
    // Newmark's formulas with γ ≥ 1/2 + 0.1 have order one in all variables.
    assert_orders(&examined("newmark"), [1.0; 3]);
    // Radau IIA of order five at index 3: velocities of order 3, multipliers of order 2 (Hairer and Wanner, table
    // VII.4.1).
    let radau = orders(&examined("radau5"));
    for (found, expected) in radau[1..].iter().zip([3.0, 2.0]) {
        assert!(found.is_some_and(|found| (found - expected).abs() < 0.15), "{radau:?}");
    }
}

#[test]
fn a_missing_order_is_explained() {
    let page = examined("ode15s");
    assert_eq!(orders(&page), [None; 3]);
    assert!(notes(&page, "Order of convergence").contains("the method chooses its order together with its step"));
    assert!(notes(&page, "Linear stability").contains("does not apply"));
    let contact = examined("stormer-verlet");
    assert!(notes(&contact, "Conservation").contains("the method needs equations of second order"), "{contact:#}");
}

#[test]
fn a_method_file_is_examined_and_gets_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let html = folder.path().join("bdf3.html");
    let arguments = ["examples/methods/bdf3.yaml", "--html", html.to_str().unwrap()];
    let output = examine(&arguments, &folder.path().join("store"));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("# bdf3\n\n    source: C. F. Curtiss"), "{text}");
    // BDF3 is not A-stable: roots grow near the origin of the imaginary axis.
    assert!(
        text.contains("| undamped oscillations grow by less than 1e-9 a step") && text.contains("| nowhere"),
        "{text}"
    );
    let page = std::fs::read_to_string(html).unwrap();
    for part in ["<h1>bdf3</h1>", "<h2>Conservation</h2>", "multipliers λ", "<svg"] {
        assert!(page.contains(part), "{part}");
    }
}
