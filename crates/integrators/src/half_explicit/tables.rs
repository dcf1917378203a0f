//! Coefficients of half-explicit methods.

use mbsbench_problem::Scalar;

use crate::formula::values;
use crate::tableau::{Number, ZERO as O, decimal as d, ratio as q};
use crate::tableaux::DOPRI5;

/// A half-explicit Runge–Kutta formula.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Table {
    /// Name of the formula.
    pub name: &'static str,
    /// Order of positions and velocities.
    pub order: u32,
    /// Order of the multipliers of the last stage, at the end of the step.
    pub multiplier_order: u32,
    /// Nodes of all points: those of the stages, the first one zero, followed by that of the point after the last
    /// stage.
    pub nodes: &'static [Number],
    /// Rows of `a`. Row `i` has `i + 1` entries and leads, with the stages so far, to the next point.
    pub rows: &'static [&'static [Number]],
    /// Index of the row that leads to the end of the step.
    pub end: usize,
    /// True if the first stage uses the multipliers of the previous step.
    pub explicit_start: bool,
    /// Weights of a second formula on all stages for the error estimate, and its order.
    pub embedded: Option<(&'static [Number], u32)>,
}

/// The coefficients of a [`Table`] in the precision of a scalar type.
#[derive(Debug, Clone)]
pub(super) struct Coefficients<S> {
    /// Rows of `a`.
    pub rows: Vec<Vec<S>>,
    /// Nodes.
    pub nodes: Vec<S>,
    /// Weights of the error estimate; empty if there is none.
    pub difference: Vec<S>,
}

impl<S: Scalar> Coefficients<S> {
    /// The coefficients of a table.
    pub fn of(table: &Table) -> Self {
        let rows: Vec<Vec<S>> = table.rows.iter().map(|row| values(row)).collect();
        let difference = table.embedded.map_or_else(Vec::new, |(weights, _)| {
            let own = rows[table.end].iter().copied().chain(std::iter::repeat(S::zero()));
            own.zip(values::<S>(weights)).map(|(own, other)| own - other).collect()
        });
        Self { rows, nodes: values(table.nodes), difference }
    }

    /// Writes the estimated error of a step of size `h` for some `components` of the state, whose rates at the stages
    /// are in `rates`. Returns its root mean square relative to the tolerances `(rel, abs)`, or `None` without an
    /// embedded formula.
    pub fn error(
        &self,
        h: S,
        (start, end): (&[S], &[S]),
        (rel, abs): (f64, f64),
        (components, rates): (impl ExactSizeIterator<Item = usize>, &[S]),
        estimate: &mut [S],
    ) -> Option<f64> {
        if self.difference.is_empty() {
            return None;
        }
        let (count, mut square) = (components.len(), 0.0);
        for (i, j) in components.enumerate() {
            let stages = rates[i..].iter().step_by(count);
            estimate[j] = h * self.difference.iter().zip(stages).fold(S::zero(), |sum, (&d, &rate)| sum + d * rate);
            let scale = abs + rel * start[j].value().abs().max(end[j].value().abs());
            square += (estimate[j].value() / scale).powi(2);
        }
        Some((square / count as f64).sqrt())
    }
}

/// HEM4: five stages, order four in positions and velocities, two in the multipliers of the last stage.
///
/// V. Brasey, E. Hairer, SIAM J. Numer. Anal. 30 (1993) 538–552; Hairer, Wanner, Solving Ordinary Differential
/// Equations II, section VII.6. With `s = √6`:
///
/// ```text
/// 3/10       │ 3/10
/// (4 − s)/10 │ (1 + s)/30        (11 − 4 s)/30
/// (4 + s)/10 │ (−79 − 31 s)/150  (−1 − 4 s)/30   (24 + 11 s)/25
/// 1          │ (14 + 5 s)/6      (−8 + 7 s)/6    (−9 − 7 s)/4    (9 − s)/4
/// 1          │ 0                 0               (16 − s)/36     (16 + s)/36   1/9
/// ```
pub const HEM4: Table = Table {
    name: "HEM4",
    order: 4,
    multiplier_order: 2,
    nodes: &[
        O,
        q(3, 10),
        d("1.550510257216821901802715925294e-1"),
        d("6.449489742783178098197284074706e-1"),
        q(1, 1),
        q(1, 1),
    ],
    rows: &[
        &[q(3, 10)],
        &[d("1.149829914261059366065761358235e-1"), d("4.006803429557625357369545670588e-2")],
        &[
            d("-1.032894546841856806960772042106e0"),
            d("-3.599319657044237464263045432941e-1"),
            d("2.037775486824598363206804992871e0"),
        ],
        &[
            d("4.374574785652648415164403395588e0"),
            d("1.524404699913707781230164753824e0"),
            d("-6.536607049870561671845247130735e0"),
            d("1.637627564304205475450678981324e0"),
        ],
        &[O, O, d("3.764030627004672750500754423693e-1"), d("5.124858261884216138388134465196e-1"), q(1, 9)],
    ],
    end: 4,
    explicit_start: false,
    embedded: None,
};

/// HEDOP5: the Dormand–Prince formula of order 5(4) with an explicit first stage. Seven stages, the first of which is
/// the last one of the previous step; order five in positions and velocities, four in the multipliers.
///
/// M. Arnold, Half-explicit Runge–Kutta methods with explicit stages for differential-algebraic systems of index 2,
/// BIT 38 (1998) 415–438. The last row, to the point at 19/20 that determines the multipliers at the end, is verified
/// by the order conditions ([`orders`](super::orders)).
pub const HEDOP5: Table = Table {
    name: "HEDOP5",
    order: 5,
    multiplier_order: 4,
    nodes: &[O, q(1, 5), q(3, 10), q(4, 5), q(8, 9), q(1, 1), q(1, 1), q(19, 20)],
    rows: &[
        DOPRI5.rows[1],
        DOPRI5.rows[2],
        DOPRI5.rows[3],
        DOPRI5.rows[4],
        DOPRI5.rows[5],
        DOPRI5.rows[6],
        &[
            q(-18_611_506_045_861, 19_738_176_307_200),
            q(59_332_529, 14_479_296),
            q(-2_509_441_598_627, 893_904_224_850),
            q(2_763_523_204_159, 3_289_696_051_200),
            q(-41_262_869_588_913, 116_235_927_142_400),
            q(46_310_205_821, 287_848_404_480),
            q(-3280, 75413),
        ],
    ],
    end: 5,
    explicit_start: true,
    embedded: Some((&[q(5179, 57600), O, q(7571, 16695), q(393, 640), q(-92097, 339_200), q(187, 2100), q(1, 40)], 4)),
};
