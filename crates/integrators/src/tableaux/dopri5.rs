//! The pair of Dormand and Prince of order 5(4).

use crate::tableau::{Companion, Dense, Embedded, Tableau, ZERO as O, ratio as q};

/// Dormand–Prince 5(4), seven stages, the last of which is the first of the next step.
///
/// J. R. Dormand, P. J. Prince, A family of embedded Runge–Kutta formulae, J. Comput. Appl. Math. 6 (1980)
/// 19–26; Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, table II.5.2. Continuous output of
/// order four: L. F. Shampine, Some practical Runge–Kutta formulas, Math. Comp. 46 (1986) 135–150, in the form
/// of the code DOPRI5.
pub const DOPRI5: Tableau = Tableau {
    name: "Dormand–Prince 5(4)",
    order: 5,
    nodes: &[O, q(1, 5), q(3, 10), q(4, 5), q(8, 9), q(1, 1), q(1, 1)],
    rows: &[
        &[],
        &[q(1, 5)],
        &[q(3, 40), q(9, 40)],
        &[q(44, 45), q(-56, 15), q(32, 9)],
        &[q(19372, 6561), q(-25360, 2187), q(64448, 6561), q(-212, 729)],
        &[q(9017, 3168), q(-355, 33), q(46732, 5247), q(49, 176), q(-5103, 18656)],
        &[q(35, 384), O, q(500, 1113), q(125, 192), q(-2187, 6784), q(11, 84)],
    ],
    weights: &[q(35, 384), O, q(500, 1113), q(125, 192), q(-2187, 6784), q(11, 84), O],
    embedded: &[Embedded {
        order: 4,
        companion: Companion::Difference(&[
            q(71, 57600),
            O,
            q(-71, 16695),
            q(71, 1920),
            q(-17253, 339_200),
            q(22, 525),
            q(-1, 40),
        ]),
    }],
    error_order: 5,
    dense: Some(Dense {
        order: 4,
        end_stage: 6,
        extra_nodes: &[],
        extra_rows: &[],
        rows: &[&[
            q(-12_715_105_075, 11_282_082_432),
            O,
            q(87_487_479_700, 32_700_410_799),
            q(-10_690_763_975, 1_880_347_072),
            q(701_980_252_875, 199_316_789_632),
            q(-1_453_857_185, 822_651_844),
            q(69_997_945, 29_380_423),
        ]],
    }),
};
