//! Fehlberg's pairs.

use crate::tableau::{Companion, Embedded, Tableau, ZERO as O, ratio as q};

/// Fehlberg 4(5), six stages; `b` are the weights of order five.
///
/// E. Fehlberg, Low-order classical Runge–Kutta formulas with stepsize control, NASA TR R-315 (1969), table
/// III; Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, table II.5.1. Its fifth-order
/// member is the "RK-5" of compere2001.
pub const FEHLBERG_45: Tableau = Tableau {
    name: "Fehlberg 4(5)",
    order: 5,
    nodes: &[O, q(1, 4), q(3, 8), q(12, 13), q(1, 1), q(1, 2)],
    rows: &[
        &[],
        &[q(1, 4)],
        &[q(3, 32), q(9, 32)],
        &[q(1932, 2197), q(-7200, 2197), q(7296, 2197)],
        &[q(439, 216), q(-8, 1), q(3680, 513), q(-845, 4104)],
        &[q(-8, 27), q(2, 1), q(-3544, 2565), q(1859, 4104), q(-11, 40)],
    ],
    weights: &[q(16, 135), O, q(6656, 12825), q(28561, 56430), q(-9, 50), q(2, 55)],
    embedded: &[Embedded {
        order: 4,
        companion: Companion::Weights(&[q(25, 216), O, q(1408, 2565), q(2197, 4104), q(-1, 5), O]),
    }],
    error_order: 5,
    dense: None,
};

/// Fehlberg 7(8), thirteen stages; `b` are the weights of order eight.
///
/// E. Fehlberg, Classical fifth-, sixth-, seventh-, and eighth-order Runge–Kutta formulas with stepsize control, NASA
/// TR R-287 (1968), table X; Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, table II.5.3. Its
/// eighth-order member is the "RK-8" of compere2001. The error estimate, `41/840 (k₁ + k₁₁ − k₁₂ − k₁₃)`, vanishes for
/// pure quadratures `y' = f(t)` and cannot control their steps.
pub const FEHLBERG_78: Tableau = Tableau {
    name: "Fehlberg 7(8)",
    order: 8,
    nodes: &[O, q(2, 27), q(1, 9), q(1, 6), q(5, 12), q(1, 2), q(5, 6), q(1, 6), q(2, 3), q(1, 3), q(1, 1), O, q(1, 1)],
    rows: &[
        &[],
        &[q(2, 27)],
        &[q(1, 36), q(1, 12)],
        &[q(1, 24), O, q(1, 8)],
        &[q(5, 12), O, q(-25, 16), q(25, 16)],
        &[q(1, 20), O, O, q(1, 4), q(1, 5)],
        &[q(-25, 108), O, O, q(125, 108), q(-65, 27), q(125, 54)],
        &[q(31, 300), O, O, O, q(61, 225), q(-2, 9), q(13, 900)],
        &[q(2, 1), O, O, q(-53, 6), q(704, 45), q(-107, 9), q(67, 90), q(3, 1)],
        &[q(-91, 108), O, O, q(23, 108), q(-976, 135), q(311, 54), q(-19, 60), q(17, 6), q(-1, 12)],
        &[
            q(2383, 4100),
            O,
            O,
            q(-341, 164),
            q(4496, 1025),
            q(-301, 82),
            q(2133, 4100),
            q(45, 82),
            q(45, 164),
            q(18, 41),
        ],
        &[q(3, 205), O, O, O, O, q(-6, 41), q(-3, 205), q(-3, 41), q(3, 41), q(6, 41), O],
        &[
            q(-1777, 4100),
            O,
            O,
            q(-341, 164),
            q(4496, 1025),
            q(-289, 82),
            q(2193, 4100),
            q(51, 82),
            q(33, 164),
            q(12, 41),
            O,
            q(1, 1),
        ],
    ],
    weights: &[O, O, O, O, O, q(34, 105), q(9, 35), q(9, 35), q(9, 280), q(9, 280), O, q(41, 840), q(41, 840)],
    embedded: &[Embedded {
        order: 7,
        companion: Companion::Weights(&[
            q(41, 840),
            O,
            O,
            O,
            O,
            q(34, 105),
            q(9, 35),
            q(9, 35),
            q(9, 280),
            q(9, 280),
            q(41, 840),
            O,
            O,
        ]),
    }],
    error_order: 8,
    dense: None,
};
