//! Order conditions of every part of a formula.

use mbsbench_integrators::Formula;
use mbsbench_integrators::conditions::{Tree, elementary_weight, rooted_trees};
use mbsbench_integrators::formula::Continuous;
use mbsbench_problem::Scalar;

/// Order conditions of formulas with the same stages, one condition per tree, in ascending order.
struct Conditions<S> {
    trees: Vec<Tree>,
    weights: Vec<Vec<S>>,
}

impl<S: Scalar> Conditions<S> {
    /// The conditions up to the order `highest`.
    fn new(rows: &[Vec<S>], highest: u32) -> Self {
        let trees = rooted_trees(highest);
        let mut weights = Vec::with_capacity(trees.len());
        trees.iter().for_each(|tree| weights.push(elementary_weight(rows, tree, &weights)));
        Self { weights, trees }
    }

    /// The order of the weights `b` at the fraction `theta` of a step, at most `highest`. `tolerance` bounds the
    /// residuals.
    fn order(&self, b: &[S], theta: S, highest: u32, tolerance: f64) -> u32 {
        let is_violated = |(tree, weights): &(&Tree, &Vec<S>)| {
            let exact = S::from(tree.density).recip() * theta.powi(tree.vertices as i32);
            let residual = (dot(b, weights) - exact).value().abs();
            residual.is_nan() || residual > tolerance
        };
        let mut conditions = self.trees.iter().zip(&self.weights).take_while(|(tree, _)| tree.vertices <= highest);
        conditions.find(is_violated).map_or(highest, |(tree, _)| tree.vertices - 1)
    }
}

/// Checks every property that `formula` declares and describes each violation: row sums, the orders of the weights
/// and of each embedded formula (which must not be higher either), and the order of the continuous output.
/// `tolerance` bounds the residuals.
pub fn violations<S: Scalar>(formula: &Formula<S>, tolerance: f64) -> Vec<String> {
    let highest = formula.estimates.iter().map(|estimate| estimate.order).fold(formula.order, u32::max);
    let (rows, nodes) = all_stages(formula);
    let conditions = Conditions::new(&rows, highest + 1);
    let mut found = Vec::new();
    for (stage, (row, &node)) in rows.iter().zip(&nodes).enumerate() {
        let residual = (row.iter().fold(S::zero(), |sum, &a| sum + a) - node).value();
        if residual.is_nan() || residual.abs() > tolerance {
            found.push(format!("row {stage} differs from its node by {residual:e}"));
        }
    }
    let mut check = |name: &str, b: &[S], claimed: u32| {
        let order = conditions.order(b, S::from(1.0), claimed + 1, tolerance);
        if order != claimed {
            found.push(format!("the {name} has order {order}, not {claimed}"));
        }
    };
    check("formula", &formula.weights, formula.order);
    for (k, estimate) in formula.estimates.iter().enumerate() {
        let embedded: Vec<S> = formula.weights.iter().zip(&estimate.difference).map(|(&b, &d)| b - d).collect();
        check(&format!("embedded formula {k}"), &embedded, estimate.order);
    }
    if let Some(dense) = &formula.dense {
        for theta in (1..=10u8).map(|k| S::ratio(f64::from(k), 10.0)) {
            let order = conditions.order(&weights_at(dense, &formula.weights, theta), theta, dense.order, tolerance);
            if order < dense.order {
                found.push(format!(
                    "the continuous output has order {order} at {}, not {}",
                    theta.value(),
                    dense.order
                ));
            }
        }
    }
    found
}

/// The weights `b(θ)` of the continuous output `u(θ) = y₀ + h Σ bᵢ(θ) kᵢ` over all stages; `b` are the weights of
/// the formula. See [`Continuous`].
fn weights_at<S: Scalar>(dense: &Continuous<S>, b: &[S], theta: S) -> Vec<S> {
    let stages = b.len() + dense.extra_nodes.len();
    let rest = -theta + 1.0;
    (0..stages)
        .map(|i| {
            let unit = |j: usize| S::from(if i == j { 1.0 } else { 0.0 });
            let rise = b.get(i).copied().unwrap_or_else(S::zero);
            let first = unit(0) - rise;
            let second = rise - unit(dense.end_stage) - first;
            let inner = dense
                .rows
                .iter()
                .enumerate()
                .rev()
                .fold(S::zero(), |sum, (m, row)| (row[i] + sum) * if m % 2 == 0 { rest } else { theta });
            theta * (rise + rest * (first + theta * (second + inner)))
        })
        .collect()
}

/// Rows and nodes of all stages, including those of the continuous output.
fn all_stages<S: Scalar>(formula: &Formula<S>) -> (Vec<Vec<S>>, Vec<S>) {
    let (mut rows, mut nodes) = (formula.rows.clone(), formula.nodes.clone());
    if let Some(dense) = &formula.dense {
        rows.extend(dense.extra_rows.iter().cloned());
        nodes.extend(dense.extra_nodes.iter().copied());
    }
    (rows, nodes)
}

/// Scalar product over the length of the shorter vector.
pub fn dot<S: Scalar>(a: &[S], b: &[S]) -> S {
    a.iter().zip(b).fold(S::zero(), |sum, (&a, &b)| sum + a * b)
}
