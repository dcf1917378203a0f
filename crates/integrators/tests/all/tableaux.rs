//! The tableaux in files: order conditions, and the rounding of their coefficients.

use std::fs;
use std::path::Path;

use crate::common::conditions::{dot, violations};
use mbsbench_input::{Document, Node, Value};
use mbsbench_integrators::{Formula, Tableau, tableaux};
use mbsbench_problem::{DoubleDouble, Scalar};

/// Exact rationals leave residuals of the rounding of double-double sums with terms up to about 100; the decimals
/// of DOP853 have 30 digits, and the entries of its rows d go up to 500.
const EXACT: f64 = 1e-27;

#[test]
fn every_tableau_has_the_order_it_claims() {
    for tableau in tableaux::EXPLICIT {
        let formula = &tableau.formula;
        assert_eq!(violations(formula, EXACT), [""; 0], "{}", tableau.name);
        if let Some(lower) = formula.clone().with_lower_order() {
            assert_eq!(violations(&lower, EXACT), [""; 0], "{}, lower order", tableau.name);
        }
    }
}

/// Every coefficient of every tableau, including embedded rows and continuous output, affects some condition: a
/// relative change of 1e-6 must be detected.
#[test]
fn every_corrupted_coefficient_is_found() {
    for tableau in tableaux::EXPLICIT {
        let formula = &tableau.formula;
        let count = coefficients(&mut formula.clone()).len();
        assert!(count > formula.nodes.len());
        for k in 0..count {
            let mut corrupted = formula.clone();
            let coefficient = coefficients(&mut corrupted).swap_remove(k);
            *coefficient *= DoubleDouble::from(1.0) + 1e-6;
            let found = violations(&corrupted, EXACT);
            assert!(!found.is_empty(), "{}: a change of coefficient {k} is not detected", tableau.name);
        }
    }
}

/// All coefficients that are not zero.
fn coefficients(formula: &mut Formula<DoubleDouble>) -> Vec<&mut DoubleDouble> {
    let mut all: Vec<&mut DoubleDouble> = Vec::new();
    all.extend(&mut formula.nodes);
    all.extend(formula.rows.iter_mut().flatten());
    all.extend(&mut formula.weights);
    all.extend(formula.estimates.iter_mut().flat_map(|estimate| &mut estimate.difference));
    if let Some(dense) = &mut formula.dense {
        all.extend(&mut dense.extra_nodes);
        all.extend(dense.extra_rows.iter_mut().flatten());
        all.extend(dense.rows.iter_mut().flatten());
    }
    all.retain(|coefficient| coefficient.value() != 0.0);
    all
}

/// The stability function of an explicit method of order p is a polynomial, `R(z) = 1 + Σₖ zᵏ bᵀ Aᵏ⁻¹ 1`, whose
/// coefficients up to `zᵖ` are `1/k!` and whose degree is the number of stages that affect the result.
#[test]
fn stability_functions_have_the_degree_of_the_stages() {
    for tableau in tableaux::EXPLICIT {
        let formula = &tableau.formula;
        let stages = formula.nodes.len();
        let mut is_used: Vec<bool> = formula.weights.iter().map(|b| b.value() != 0.0).collect();
        for i in (0..stages).rev() {
            let row = if is_used[i] { &formula.rows[i][..] } else { &[] };
            row.iter().enumerate().for_each(|(j, a)| is_used[j] |= a.value() != 0.0);
        }
        let mut powers = vec![DoubleDouble::from(1.0); stages];
        let mut degree = 0;
        let mut factorial = 1.0;
        for k in 1..=stages as u32 {
            let coefficient = dot(&formula.weights, &powers);
            factorial *= f64::from(k);
            if k <= formula.order {
                let residual = (coefficient - DoubleDouble::ratio(1.0, factorial)).value();
                assert!(residual.abs() < EXACT, "{}: z^{k} is off by {residual:e}", tableau.name);
            }
            if coefficient.value().abs() > EXACT {
                degree = k as usize;
            }
            powers = formula.rows.iter().map(|row| dot(row, &powers)).collect();
        }
        assert_eq!(degree, is_used.iter().filter(|&&is_used| is_used).count(), "{}", tableau.name);
    }
}

/// Doubles are the rounded quotients of the numbers in the file, and every file of the folder is in a list.
#[test]
fn coefficients_are_the_doubles_that_the_file_means() {
    fn numbers(node: Option<&Node>) -> Vec<f64> {
        let number = |text: &str| text.parse::<f64>().unwrap();
        match node.map(|node| &node.value) {
            Some(Value::List(items)) => items.iter().flat_map(|item| numbers(Some(item))).collect(),
            Some(Value::Number(value)) => vec![number(&value.text)],
            Some(Value::Text(text)) => {
                let (numerator, denominator) = text.split_once('/').unwrap();
                vec![number(numerator) / number(denominator)]
            }
            _ => Vec::new(),
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tableaux");
    let mut found = 0;
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let Ok(root) = Document::parse(&path, &fs::read(&path).unwrap()).map(|document| document.root) else {
            continue;
        };
        let (Some(written), Some(label)) = (root.get("runge-kutta"), root.get("label")) else { continue };
        let mut all = tableaux::EXPLICIT.iter().chain(tableaux::IMPLICIT);
        let tableau = all.find(|tableau| label.value == Value::Text(tableau.name.clone())).unwrap();
        let Formula { nodes, rows, weights, .. } = tableau.formula.rounded::<f64>();
        let filled = |row: &Vec<f64>| row.iter().copied().filter(|&a| a != 0.0).collect::<Vec<_>>();
        let all_of = |key: &str| filled(&numbers(written.get(key)));
        assert_eq!(
            [all_of("nodes"), all_of("rows"), all_of("weights")],
            [filled(&nodes), filled(&rows.concat()), filled(&weights)]
        );
        found += 1;
    }
    assert_eq!(found, tableaux::EXPLICIT.len() + tableaux::IMPLICIT.len());
}

/// A misread coefficient is refused, with the file and the key.
#[test]
fn a_misread_coefficient_is_refused() {
    let text = include_str!("../../src/tableaux/rk4.yaml");
    assert!(Tableau::read("own.yaml", text).is_ok());
    let error = |from: &str, to: &str| Tableau::read("own.yaml", &text.replacen(from, to, 1)).unwrap_err();
    assert!(error("1/6, 1/3, 1/3", "1/6, 1/4, 5/12").starts_with("own.yaml: `runge-kutta.order` is 4; accepted: "));
    let place = error("[1/2]", "[1/0]");
    assert!(place.starts_with("own.yaml:9:8: "), "{place}");
}
