//! Coefficients and properties as text, computed from the coefficients.

use nalgebra::{Matrix3, Vector3};

use super::tableau::{COMPLEX, ERROR, NODES, REAL, ROWS, stability};
use crate::conditions;
use crate::details::{GROWTH, ROUNDING, imaginary_axis, property, rounded, tableau, yes};

/// Orders, stability, tableau and its transformation; see [`Method::details`](mbsbench_problem::Method::details).
pub(super) fn details() -> Vec<String> {
    let rows: Vec<Vec<f64>> = ROWS.iter().map(|row| row.to_vec()).collect();
    let largest = imaginary_axis().map(|z| stability(z).norm()).fold(0.0, f64::max);
    let mut lines = vec![
        property("formula", "Radau IIA"),
        property("stages", "3, all implicit and solved together, the last at the end of the step"),
        property("order", format!("{} by the order conditions", conditions::order(&rows, &ROWS[2], 6, ROUNDING))),
        property("index 3", "order 5 in positions, 3 in velocities, 2 in accelerations and multipliers"),
        property("stage order", conditions::stage_order(&rows, &NODES, 5, ROUNDING)),
        property("error estimate", format!("order {}", order_of_the_estimate())),
        property("A-stable", yes(has_poles_on_the_right() && largest <= 1.0 + GROWTH)),
        property("R(infinity)", rounded(at_infinity())),
        "tableau".to_owned(),
    ];
    lines.extend(tableau(&NODES, ROWS.iter().map(<[f64; 3]>::as_slice), None));
    lines.push("eigenvalues of the inverse".to_owned());
    lines.push(format!("  real    {REAL}"));
    lines.push(format!("  complex {} +- {}i", COMPLEX.re, COMPLEX.im));
    lines
}

fn inverse() -> Matrix3<f64> {
    Matrix3::from_fn(|i, j| ROWS[i][j]).try_inverse().expect("the formula has an invertible A")
}

fn has_poles_on_the_right() -> bool {
    inverse().complex_eigenvalues().iter().all(|root| root.re > 0.0)
}

/// `R(∞) = 1 − bᵀ A⁻¹ 𝟙`.
fn at_infinity() -> f64 {
    1.0 - Vector3::from(ROWS[2]).dot(&(inverse() * Vector3::from_element(1.0)))
}

/// The estimate is `O(h^{p+1})` for the first `p` with `Σ eᵢ cᵢ^{p+1} ≠ 0`, apart from `Σ eᵢ cᵢ = −1`, which
/// `f(t₀, y₀)` cancels.
fn order_of_the_estimate() -> i32 {
    let moment = |q: i32| ERROR.iter().zip(NODES).map(|(e, c)| e * c.powi(q)).sum::<f64>();
    let vanishes = |q: &i32| (moment(*q) + if *q == 1 { 1.0 } else { 0.0 }).abs() <= ROUNDING;
    (1..10).take_while(vanishes).last().unwrap_or(0)
}
