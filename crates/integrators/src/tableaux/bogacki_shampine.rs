//! The pair of Bogacki and Shampine.

use crate::tableau::{Companion, Dense, Embedded, Tableau, ZERO as O, ratio as q};

/// Bogacki–Shampine 3(2), four stages, the last of which is the first of the next step.
///
/// P. Bogacki, L. F. Shampine, A 3(2) pair of Runge–Kutta formulas, Appl. Math. Lett. 2 (1989) 321–325.
/// Continuous output: cubic Hermite.
pub const BOGACKI_SHAMPINE_32: Tableau = Tableau {
    name: "Bogacki–Shampine 3(2)",
    order: 3,
    nodes: &[O, q(1, 2), q(3, 4), q(1, 1)],
    rows: &[
        &[], //
        &[q(1, 2)],
        &[O, q(3, 4)],
        &[q(2, 9), q(1, 3), q(4, 9)],
    ],
    weights: &[q(2, 9), q(1, 3), q(4, 9), O],
    embedded: &[Embedded { order: 2, companion: Companion::Weights(&[q(7, 24), q(1, 4), q(1, 3), q(1, 8)]) }],
    error_order: 3,
    dense: Some(Dense { order: 3, end_stage: 3, extra_nodes: &[], extra_rows: &[], rows: &[] }),
};
