//! Order conditions of half-explicit methods, from their coefficients alone.

use mbsbench_problem::{DoubleDouble, Scalar};

use super::{HEDOP5, HEM4, Table};
use crate::conditions::dot;
use crate::tableau::values;

/// Orders of a half-explicit method by its order conditions, for equations `y' = f(y, z)`, `0 = g(y)` of index 2 that
/// are linear in `z`, as mechanics is in the multipliers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Orders {
    /// Order of positions and velocities.
    pub state: u32,
    /// Order of the multipliers of the last stage, taken as those at the end of the step.
    pub multipliers: u32,
    /// Order of positions and velocities of the embedded formula.
    pub embedded: Option<u32>,
}

/// The orders of `table`, up to one more than it declares.
///
/// The conditions are from Hairer, Wanner, Solving Ordinary Differential Equations II, section VII.5: one for
/// each tree of meagre vertices, which stand for `f`, and fat ones, which stand for `(−g_y f_z)⁻¹ g_yy…`.
fn orders(table: &Table) -> Orders {
    let rows: Vec<Vec<DoubleDouble>> = table.rows.iter().map(|row| values(row)).collect();
    let embedded: Option<Vec<DoubleDouble>> = table.embedded.as_ref().map(|embedded| values(&embedded.weights));
    orders_of(&rows, table.end, table.explicit_start, embedded.as_deref(), table.order + 1)
}

/// Largest residual of a satisfied condition: coefficients have 31 digits, and trees of order six have factors up to
/// a thousand.
const EXACT: f64 = 1e-24;

/// The orders, at most `highest`, of a method with the given rows.
fn orders_of(
    rows: &[Vec<DoubleDouble>],
    end: usize,
    explicit_start: bool,
    embedded: Option<&[DoubleDouble]>,
    highest: u32,
) -> Orders {
    let mut trees = Trees { rows, explicit_start, meagre: Vec::new(), fat: Vec::new() };
    (1..=highest).for_each(|order| trees.grow(order));
    let is_violated = |found: DoubleDouble, exact: DoubleDouble| {
        let residual = (found - exact).value().abs();
        residual.is_nan() || residual > EXACT
    };
    // trees are sorted by order
    let order_of = |weights: &[DoubleDouble]| {
        let violated = trees.meagre.iter().find(|tree| is_violated(dot(weights, &tree.stages), tree.exact));
        violated.map_or(highest, |tree| tree.order - 1)
    };
    let last = rows.len() - 1;
    let violated = trees.fat.iter().find(|tree| is_violated(tree.stages[last], tree.exact));
    Orders {
        state: order_of(&rows[end]),
        // a tree of order k is a term of hᵏ
        multipliers: violated.map_or(highest, |tree| tree.order),
        embedded: embedded.map(order_of),
    }
}

/// A tree with its weights for an elementary differential `F`.
struct Tree {
    /// Number of meagre vertices minus the number of fat ones.
    order: u32,
    /// True if the root is meagre and has one fat vertex above it and nothing else: `f_z (…)`, which a fat vertex
    /// below would cancel.
    is_passing: bool,
    /// Coefficient of `hᵏ F` in the exact solution: in `z` for a fat root, in `y` for a meagre one.
    exact: DoubleDouble,
    /// Coefficient in each stage: in `k` for a meagre root, in `Z` for a fat one.
    stages: Vec<DoubleDouble>,
    /// Coefficient in `y` at the point that each stage leads to, for a meagre root.
    points: Vec<DoubleDouble>,
}

struct Trees<'r> {
    rows: &'r [Vec<DoubleDouble>],
    explicit_start: bool,
    meagre: Vec<Tree>,
    fat: Vec<Tree>,
}

impl Trees<'_> {
    /// Adds the trees of the given order with meagre roots, then those of one order less with fat roots.
    fn grow(&mut self, order: u32) {
        let before = order - 1;
        // at most one fat vertex above a root, because f is linear in z
        for fat in std::iter::once(None).chain((0..self.fat.len()).map(Some)) {
            let of_fat = fat.map_or(0, |z| self.fat[z].order);
            let Some(left) = before.checked_sub(of_fat) else { continue };
            for branches in self.forests(left) {
                self.add_meagre(order, &branches, fat);
            }
        }
        if before > 0 {
            for branches in self.forests(order) {
                let cancels = matches!(branches[..], [only] if self.meagre[only].is_passing);
                if !cancels {
                    self.add_fat(before, &branches);
                }
            }
        }
    }

    /// All multisets of meagre trees whose orders add up to `total`.
    fn forests(&self, total: u32) -> Vec<Vec<usize>> {
        let (mut whole, mut open) = (Vec::new(), vec![(Vec::new(), 0, total)]);
        while let Some((branches, from, left)) = open.pop() {
            if left == 0 {
                whole.push(branches);
                continue;
            }
            for (next, tree) in self.meagre.iter().enumerate().skip(from).filter(|(_, tree)| tree.order <= left) {
                open.push(([&branches[..], &[next]].concat(), next, left - tree.order));
            }
        }
        whole
    }

    fn add_meagre(&mut self, order: u32, branches: &[usize], fat: Option<usize>) {
        let one = DoubleDouble::from(1.0);
        let mut exact = one / f64::from(order);
        // at the first point, the start, every tree with branches has the weight zero
        let mut stages = vec![one; self.rows.len()];
        for tree in branches.iter().map(|&branch| &self.meagre[branch]) {
            exact *= tree.exact;
            stages[0] = DoubleDouble::from(0.0);
            stages[1..].iter_mut().zip(&tree.points).for_each(|(stage, &point)| *stage *= point);
        }
        for tree in fat.iter().map(|&z| &self.fat[z]) {
            exact *= tree.exact;
            stages.iter_mut().zip(&tree.stages).for_each(|(stage, &z)| *stage *= z);
        }
        let points = self.rows.iter().map(|row| dot(row, &stages)).collect();
        self.meagre.push(Tree { order, is_passing: branches.is_empty() && fat.is_some(), exact, stages, points });
    }

    /// Adds a tree with a fat root. `g(Y) = 0` at each point gives the `Z` of the stage that leads to it.
    fn add_fat(&mut self, order: u32, branches: &[usize]) {
        let mut exact = DoubleDouble::from(f64::from(order + 1));
        let mut stages: Vec<DoubleDouble> = Vec::with_capacity(self.rows.len());
        branches.iter().for_each(|&branch| exact *= self.meagre[branch].exact);
        for (i, row) in self.rows.iter().enumerate() {
            if i == 0 && self.explicit_start {
                stages.push(DoubleDouble::from(0.0));
                continue;
            }
            let product = branches
                .iter()
                .fold(DoubleDouble::from(1.0), |product, &branch| product * self.meagre[branch].points[i]);
            stages.push((product - dot(row, &stages)) / row[i]);
        }
        self.fat.push(Tree { order, is_passing: false, exact, stages, points: Vec::new() });
    }
}

#[test]
fn every_table_has_exactly_the_orders_it_claims() {
    for table in [&*HEM4, &*HEDOP5] {
        let claimed = Orders {
            state: table.order,
            multipliers: table.multiplier_order,
            embedded: table.embedded.as_ref().map(|embedded| embedded.order),
        };
        assert_eq!(orders(table), claimed, "{}", table.label);
    }
}

/// HW II, table VII.5.1 up to order three: 1, 1 and, with fat vertices, 4 meagre roots for `f` linear in `z`.
#[test]
fn counts_of_trees() {
    let rows: Vec<Vec<DoubleDouble>> = HEM4.rows.iter().map(|row| values(row)).collect();
    let mut trees = Trees { rows: &rows, explicit_start: false, meagre: Vec::new(), fat: Vec::new() };
    (1..=4).for_each(|order| trees.grow(order));
    let count = |trees: &[Tree], order| trees.iter().filter(|tree| tree.order == order).count();
    assert_eq!([1, 2, 3, 4].map(|order| count(&trees.meagre, order)), [1, 1, 4, 16]);
    assert_eq!([1, 2, 3].map(|order| count(&trees.fat, order)), [2, 6, 23]);
}

#[test]
fn nodes_are_sums_of_rows() {
    for table in [&*HEM4, &*HEDOP5] {
        let nodes = values(&table.nodes);
        assert_eq!((nodes.len(), nodes[0].value()), (table.rows.len() + 1, 0.0));
        for (row, node) in table.rows.iter().zip(&nodes[1..]) {
            let sum = values(row).iter().fold(-*node, |sum, &a| sum + a);
            assert!(sum.value().abs() < 1e-29, "{}: {sum:?}", table.label);
        }
    }
}

/// Every coefficient affects some condition: a relative change of 1e-6 must be detected.
#[test]
fn every_corrupted_coefficient_is_found() {
    for table in [&*HEM4, &*HEDOP5] {
        let claimed = orders(table);
        for (i, row) in table.rows.iter().enumerate() {
            for j in (0..row.len()).filter(|&j| row[j].rounded() != 0.0) {
                let mut rows: Vec<Vec<DoubleDouble>> = table.rows.iter().map(|row| values(row)).collect();
                rows[i][j] *= DoubleDouble::from(1.0) + 1e-6;
                let embedded = table.embedded.as_ref().map(|embedded| values(&embedded.weights));
                let found = orders_of(&rows, table.end, table.explicit_start, embedded.as_deref(), table.order);
                assert_ne!(found, claimed, "{}: a change of a[{i}][{j}] is not detected", table.label);
            }
        }
    }
}

/// An error in the multipliers at the start of a step does not affect those at its end.
#[test]
fn hedop5_forgets_the_multipliers_of_the_start() {
    let mut errors = vec![DoubleDouble::from(1.0)];
    for row in HEDOP5.rows[1..].iter().map(|row| values(row)) {
        let next = -dot(&row, &errors) / row[row.len() - 1];
        errors.push(next);
    }
    assert!(errors.iter().all(|error| error.is_finite()) && errors[3].value().abs() > 0.1, "{errors:?}");
    assert!(errors[HEDOP5.rows.len() - 1].value().abs() < 1e-24, "{errors:?}");
}
