//! Kutta's rules of orders three and four.

use crate::tableau::{Tableau, ZERO as O, ratio as q};

/// Kutta's third-order rule.
///
/// W. Kutta, Beitrag zur näherungsweisen Integration totaler Differentialgleichungen, Z. Math. Phys. 46
/// (1901) 435–453; Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, section II.1. It is
/// the "RK-3" of compere2001.
pub const KUTTA_3: Tableau = Tableau {
    name: "Kutta 3",
    order: 3,
    nodes: &[O, q(1, 2), q(1, 1)],
    rows: &[&[], &[q(1, 2)], &[q(-1, 1), q(2, 1)]],
    weights: &[q(1, 6), q(2, 3), q(1, 6)],
    embedded: &[],
    error_order: 0,
    dense: None,
};

/// The classical fourth-order rule.
///
/// W. Kutta (1901), as above; Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, table II.1.2.
pub const CLASSICAL_4: Tableau = Tableau {
    name: "classical Runge–Kutta 4",
    order: 4,
    nodes: &[O, q(1, 2), q(1, 2), q(1, 1)],
    rows: &[&[], &[q(1, 2)], &[O, q(1, 2)], &[O, O, q(1, 1)]],
    weights: &[q(1, 6), q(1, 3), q(1, 3), q(1, 6)],
    embedded: &[],
    error_order: 0,
    dense: None,
};
