//! Coefficients and properties as text; tests compute the properties from the coefficients.

use super::tableau::{COMPLEX, NODES, REAL, ROWS};
use crate::details::{property, tableau};

/// Orders, stability, tableau and its transformation; see [`Method::details`](mbsbench_problem::Method::details).
pub(super) fn details() -> Vec<String> {
    let mut lines = vec![
        property("formula", "Radau IIA"),
        property("stages", "3, all implicit and solved together, the last at the end of the step"),
        property("order", "5 by the order conditions"),
        property("index 3", "order 5 in positions, 3 in velocities, 2 in accelerations and multipliers"),
        property("stage order", 3),
        property("error estimate", "order 3"),
        property("A-stable", "yes"),
        property("R(infinity)", 0),
        "tableau".to_owned(),
    ];
    lines.extend(tableau(&NODES, ROWS.iter().map(<[f64; 3]>::as_slice), None));
    lines.push("eigenvalues of the inverse".to_owned());
    lines.push(format!("  real    {REAL}"));
    lines.push(format!("  complex {} +- {}i", COMPLEX.re, COMPLEX.im));
    lines
}
