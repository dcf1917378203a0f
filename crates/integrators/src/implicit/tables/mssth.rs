//! MSSTH(n), modified in zhang2022 (appendix) so that every stage has order two.

use mbsbench_problem::{DoubleDouble, Scalar};

use super::{newton, number, polynomial, slope, solved, third_stage, with_row_sum};
use crate::Tableau;
use crate::conditions::dot;

/// The choices that the conditions leave free: the branch of `γ`, by its first digits, and the nodes that minimise
/// the truncation error.
struct Choice {
    rho: f64,
    gamma: f64,
    nodes: [&'static str; 2],
}

const fn choice(rho: f64, gamma: f64, nodes: [&'static str; 2]) -> Choice {
    Choice { rho, gamma, nodes }
}

/// `γ` only: the third node of MSSTH(3) has a formula.
const CHOICES_3: [Choice; 3] =
    [choice(0.0, 0.435_866_5, ["0"; 2]), choice(0.6, 0.366_142_8, ["0"; 2]), choice(1.0, 0.333_333_3, ["0"; 2])];

/// `c₃` and `c₄` of MSSTH(4).
const CHOICES_4: [Choice; 3] = [
    choice(0.0, 0.572_816_1, ["0.55909857542294173052", "0.74140116648336540361"]),
    choice(0.6, 0.454_130_8, ["0.78843701152100361551", "0.81396625294191349287"]),
    choice(1.0, 0.394_337_6, ["1.0534803411702867302", "0.76893053626170526638"]),
];

/// `c₄` and `c₅` of MSSTH(5), the latter to the known number of digits; `c₃ = 0.1`.
const CHOICES_5: [Choice; 3] = [
    choice(0.0, 0.278_053_8, ["0.96732586055716962559", "1.1401342632441455738"]),
    choice(0.6, 0.257_496_0, ["0.63799727905607228617", "1.1704702995628086803"]),
    choice(1.0, 0.246_505_2, ["0.45361725766875554688", "1.1779077366134449445"]),
];

impl Tableau {
    /// The values of `ρ_∞` for which the free nodes of MSSTH are tabulated here.
    pub const RHOS_OF_MSSTH: [f64; 3] = [0.0, 0.6, 1.0];

    /// MSSTH(n) as modified in zhang2022: `n` implicit stages, order `n` = 3, 4 or 5, with `ρ_∞ = rho` from
    /// [`Self::RHOS_OF_MSSTH`]; `None` for other values.
    ///
    /// All have `R(∞) = ρ_∞` up to its sign, which fixes `γ`: `Σᵢ C(n,i) (−γ)ⁱ/(n−i)! = ± ρ_∞ γⁿ`.
    pub fn mssth(n: u32, rho: f64) -> Option<Self> {
        let (choices, sign) = match n {
            3 => (&CHOICES_3, -1.0),
            4 => (&CHOICES_4, 1.0),
            5 => (&CHOICES_5, 1.0),
            _ => return None,
        };
        let choice = choices.iter().find(|choice| choice.rho == rho)?;
        let gamma = gamma(n, sign * rho, choice.gamma);
        let free = choice.nodes.map(DoubleDouble::from_decimal);
        let (nodes, rows) = match n {
            3 => third_order(gamma, third_node(gamma)),
            4 => fourth_order(gamma, free),
            _ => fifth_order(gamma, [DoubleDouble::ratio(1.0, 10.0), free[0], free[1]]),
        };
        let source = "zhang2022, section 2.3 and appendix; free nodes as in the authors' code MBDyn";
        Some(Self::dirk(format!("MSSTH({n})"), source, n, nodes, rows))
    }
}

/// The zero of `Σᵢ C(n,i) (−γ)ⁱ/(n−i)! − end γⁿ` near `start`.
pub(super) fn gamma(n: u32, end: f64, start: f64) -> DoubleDouble {
    let mut coefficients: Vec<DoubleDouble> = Vec::new();
    let mut binomial = 1.0;
    for i in 0..=n {
        let factorial: f64 = (1..=n - i).map(f64::from).product();
        let sign = if i % 2 == 0 { 1.0 } else { -1.0 };
        coefficients.push(DoubleDouble::ratio(sign * binomial, factorial));
        binomial *= f64::from(n - i) / f64::from(i + 1);
    }
    coefficients[n as usize] -= end;
    newton(start, |x| (polynomial(&coefficients, x), slope(&coefficients, x)))
}

pub(super) type NodesAndRows = (Vec<DoubleDouble>, Vec<Vec<DoubleDouble>>);

/// `c₃` of MSSTH(3), for which `b·c³ = 1/4` holds as well.
fn third_node(gamma: DoubleDouble) -> DoubleDouble {
    let square = gamma * gamma;
    (square * 24.0 - gamma * 20.0 + 3.0) / (square * 24.0 - gamma * 24.0 + 4.0)
}

/// Nodes and rows of order three.
pub(super) fn third_order(gamma: DoubleDouble, third: DoubleDouble) -> NodesAndRows {
    let nodes = [number(0.0), gamma * 2.0, third];
    let rows = vec![vec![number(0.0)], vec![gamma; 2], third_stage(gamma, third), weights(gamma, nodes)];
    (with_end(&nodes), rows)
}

/// Nodes and rows of MSSTH(4): `b` follows from the quadrature conditions, the third stage from order two, `a₄₂` and
/// `a₄₃` from order two and `b·A·c² = 1/12`.
pub(super) fn fourth_order(gamma: DoubleDouble, free: [DoubleDouble; 2]) -> NodesAndRows {
    let nodes = [number(0.0), gamma * 2.0, free[0], free[1]];
    let b = weights(gamma, nodes);
    let mut rows = vec![vec![number(0.0)], vec![gamma; 2], third_stage(gamma, nodes[2])];
    let defects = [defect(&rows[1], &nodes, 1), defect(&rows[2], &nodes, 2)];
    // the defects of the first and the last stage are zero, and b·A·c² = 1/12 makes b times all of them zero
    let fourth = -(b[1] * defects[0] + b[2] * defects[1]) / b[3];
    rows.push(fourth_stage(gamma, &nodes, fourth));
    rows.push(b);
    (with_end(&nodes), rows)
}

/// Nodes and rows of MSSTH(5): `b` follows from the quadrature conditions. Order two of the stages, `b·A·c² = 1/12`,
/// `b·c·A·c² = 1/15` and `b·A·A·c² = 1/60` are then linear in the remaining entries. The last node, which starts near
/// the given one, makes `b·A·c³ = 1/20` hold as well.
pub(super) fn fifth_order(gamma: DoubleDouble, [c_3, c_4, c_5]: [DoubleDouble; 3]) -> NodesAndRows {
    let last_condition = |fifth: DoubleDouble| {
        let (nodes, rows) = fifth_order_with(gamma, [c_3, c_4, fifth]);
        let cubes: Vec<DoubleDouble> = nodes.iter().map(|&c| c * c * c).collect();
        let products: Vec<DoubleDouble> = rows.iter().map(|row| dot(row, &cubes)).collect();
        dot(&rows[rows.len() - 1], &products) - DoubleDouble::ratio(1.0, 20.0)
    };
    let fifth = newton(c_5.value(), |x| {
        let difference = number(1e-12);
        let value = last_condition(x);
        (value, (last_condition(x + difference) - value) / difference)
    });
    fifth_order_with(gamma, [c_3, c_4, fifth])
}

fn fifth_order_with(gamma: DoubleDouble, [c_3, c_4, c_5]: [DoubleDouble; 3]) -> NodesAndRows {
    let nodes = [number(0.0), gamma * 2.0, c_3, c_4, c_5];
    let b = weights(gamma, nodes);
    let mut rows = vec![vec![number(0.0)], vec![gamma; 2], third_stage(gamma, nodes[2])];
    let known = [b[1] * defect(&rows[1], &nodes, 1), b[2] * defect(&rows[2], &nodes, 2)];
    // b·defects and (b c)·defects vanish
    let defects = solved(
        [[b[3], b[4]], [b[3] * c_4, b[4] * c_5]],
        [-(known[0] + known[1]), -(known[0] * nodes[1] + known[1] * nodes[2])],
    );
    rows.push(fourth_stage(gamma, &nodes, defects[0]));
    let squares = nodes.map(|c| c * c);
    // v = A c² of the stages; v₁ = 0, v₆ = 1/3
    let mut v: Vec<DoubleDouble> = rows.iter().map(|row| dot(row, &squares)).collect();
    v.push(defects[1] + c_5 * c_5 * c_5 / 3.0);
    // b·A·v = 1/60 without the entries of the fifth row
    let last = DoubleDouble::ratio(1.0, 3.0);
    let others: DoubleDouble = rows.iter().zip(&b).map(|(row, &b)| b * dot(row, &v)).sum();
    let from_fifth = DoubleDouble::ratio(1.0, 60.0) - others - gamma * (dot(&b, &v) + gamma * last);
    let entries = solved(
        [[nodes[1], nodes[2], c_4], [squares[1], squares[2], squares[3]], [v[1], v[2], v[3]]],
        [c_5 * c_5 / 2.0 - gamma * c_5, v[4] - gamma * squares[4], from_fifth / b[4] - gamma * v[4]],
    );
    rows.push(with_row_sum(c_5, &[entries[0], entries[1], entries[2], gamma]));
    rows.push(b);
    (with_end(&nodes), rows)
}

/// The weights `b`, with `γ` as the last one, from `b·cᵏ = 1/(k+1)`, `k = 0 … N−1`.
fn weights<const N: usize>(gamma: DoubleDouble, nodes: [DoubleDouble; N]) -> Vec<DoubleDouble> {
    let mut powers = [number(1.0); N];
    let matrix = [(); N].map(|()| {
        let row = powers;
        for (power, node) in powers.iter_mut().zip(nodes) {
            *power *= node;
        }
        row
    });
    let right_hand_side = std::array::from_fn(|k| DoubleDouble::ratio(1.0, (k + 1) as f64) - gamma);
    let mut b = solved(matrix, right_hand_side).to_vec();
    b.push(gamma);
    b
}

/// The defect of stage `i`, from 0, in the condition for order three: `Σⱼ aᵢⱼ cⱼ² − cᵢ³/3`.
fn defect(row: &[DoubleDouble], nodes: &[DoubleDouble], i: usize) -> DoubleDouble {
    let squares: Vec<DoubleDouble> = nodes.iter().map(|&c| c * c).collect();
    dot(row, &squares) - nodes[i] * squares[i] / 3.0
}

/// The row of the fourth stage, which has order two and the given defect.
fn fourth_stage(gamma: DoubleDouble, nodes: &[DoubleDouble], defect: DoubleDouble) -> Vec<DoubleDouble> {
    let c = nodes[3];
    let entries = solved(
        [[nodes[1], nodes[2]], [nodes[1] * nodes[1], nodes[2] * nodes[2]]],
        [c * c / 2.0 - gamma * c, defect + c * c * c / 3.0 - gamma * c * c],
    );
    with_row_sum(c, &[entries[0], entries[1], gamma])
}

fn with_end(nodes: &[DoubleDouble]) -> Vec<DoubleDouble> {
    nodes.iter().copied().chain([number(1.0)]).collect()
}
