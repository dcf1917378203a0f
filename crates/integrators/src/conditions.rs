//! Order conditions, evaluated from the coefficients of a formula.
//!
//! A method with weights `b` has order `p` when `Σ bᵢ Φᵢ(τ) = 1/γ(τ)` for every rooted tree `τ` with at most
//! `p` vertices, where for `τ = [τ₁, …, τₘ]`
//!
//! ```text
//! Φᵢ(τ) = Πₖ Σⱼ aᵢⱼ Φⱼ(τₖ),   γ(τ) = |τ| Πₖ γ(τₖ)
//! ```
//!
//! (Butcher; Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, theorem II.2.13). The trees are
//! generated.

use mbsbench_problem::Scalar;

use crate::Formula;
use crate::formula::Continuous;

/// A rooted tree: the positions of its subtrees in the list that contains it, and its density γ.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    /// Number of vertices.
    pub vertices: u32,
    /// The subtrees at the root, as positions in the list, ascending.
    pub children: Vec<usize>,
    /// The density γ.
    pub density: f64,
}

/// All rooted trees with at most `vertices` vertices, smaller ones first: 1, 1, 2, 4, 9, 20, 48, 115, 286, …
pub fn rooted_trees(vertices: u32) -> Vec<Tree> {
    fn extend(trees: &[Tree], rest: u32, smallest: usize, children: &mut Vec<usize>, found: &mut Vec<Vec<usize>>) {
        if rest == 0 {
            found.push(children.clone());
            return;
        }
        for (i, tree) in trees.iter().enumerate().skip(smallest) {
            if tree.vertices > rest {
                break;
            }
            children.push(i);
            extend(trees, rest - tree.vertices, i, children, found);
            children.pop();
        }
    }
    let mut trees: Vec<Tree> = Vec::new();
    for n in 1..=vertices {
        let mut found = Vec::new();
        extend(&trees, n - 1, 0, &mut Vec::new(), &mut found);
        for children in found {
            let density = children.iter().map(|&i| trees[i].density).product::<f64>() * f64::from(n);
            trees.push(Tree { vertices: n, children, density });
        }
    }
    trees
}

/// Elementary weights `Φ(τ)` of the stages, for every tree of `trees`.
pub fn elementary_weights<S: Scalar>(rows: &[Vec<S>], trees: &[Tree]) -> Vec<Vec<S>> {
    let mut weights: Vec<Vec<S>> = Vec::with_capacity(trees.len());
    for tree in trees {
        let stage = |row: &Vec<S>| {
            tree.children.iter().fold(S::from(1.0), |product, &child| product * dot(row, &weights[child]))
        };
        let present = rows.iter().map(stage).collect();
        weights.push(present);
    }
    weights
}

/// Order conditions of formulas with the same stages, one condition per tree, in ascending order.
struct Conditions<S> {
    trees: Vec<Tree>,
    weights: Vec<Vec<S>>,
}

impl<S: Scalar> Conditions<S> {
    /// The conditions up to the order `highest`.
    fn new(rows: &[Vec<S>], highest: u32) -> Self {
        let trees = rooted_trees(highest);
        Self { weights: elementary_weights(rows, &trees), trees }
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
            let order = conditions.order(&dense.weights_at(&formula.weights, theta), theta, dense.order, tolerance);
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

impl<S: Scalar> Continuous<S> {
    /// The weights `b(θ)` of the continuous output `u(θ) = y₀ + h Σ bᵢ(θ) kᵢ` over all stages; `b` are the weights of
    /// the formula. See [`Dense`](crate::tableau::Dense).
    pub fn weights_at(&self, b: &[S], theta: S) -> Vec<S> {
        let stages = b.len() + self.extra_nodes.len();
        let rest = -theta + 1.0;
        (0..stages)
            .map(|i| {
                let unit = |j: usize| S::from(if i == j { 1.0 } else { 0.0 });
                let rise = b.get(i).copied().unwrap_or_else(S::zero);
                let first = unit(0) - rise;
                let second = rise - unit(self.end_stage) - first;
                let inner = self
                    .rows
                    .iter()
                    .enumerate()
                    .rev()
                    .fold(S::zero(), |sum, (m, row)| (row[i] + sum) * if m % 2 == 0 { rest } else { theta });
                theta * (rise + rest * (first + theta * (second + inner)))
            })
            .collect()
    }
}

/// The order of the weights `b`, from the conditions alone: the largest order, at most `highest`, up to which all
/// conditions hold to `tolerance`.
pub fn order<S: Scalar>(rows: &[Vec<S>], b: &[S], highest: u32, tolerance: f64) -> u32 {
    Conditions::new(rows, highest).order(b, S::from(1.0), highest, tolerance)
}

/// The stage order: the largest `q`, at most `highest`, for which `Σⱼ aᵢⱼ cⱼ^{k−1} = cᵢᵏ/k`, `k = 1 … q`, holds to
/// `tolerance` at every stage.
pub fn stage_order<S: Scalar>(rows: &[Vec<S>], nodes: &[S], highest: u32, tolerance: f64) -> u32 {
    // computed by products, so that the zeroth power of zero is one
    let power = |c: S, k: u32| (0..k).fold(S::from(1.0), |product, _| product * c);
    let holds = |k: u32| {
        let powers: Vec<S> = nodes.iter().map(|&c| power(c, k - 1)).collect();
        let residual = |(row, &c): (&Vec<S>, &S)| (dot(row, &powers) - power(c, k) / f64::from(k)).value().abs();
        rows.iter().zip(nodes).all(|stage| residual(stage) <= tolerance)
    };
    (1..=highest).take_while(|&k| holds(k)).last().unwrap_or(0)
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
pub(crate) fn dot<S: Scalar>(a: &[S], b: &[S]) -> S {
    a.iter().zip(b).fold(S::zero(), |sum, (&a, &b)| sum + a * b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tableaux;
    use mbsbench_problem::DoubleDouble;

    /// Exact rationals leave residuals of the rounding of double-double sums with terms up to about 100; the decimals
    /// of DOP853 have 30 digits, and the entries of its rows d go up to 500.
    const EXACT: f64 = 1e-27;

    #[test]
    fn counts_of_rooted_trees() {
        let trees = rooted_trees(9);
        let counts: Vec<usize> = (1..=9).map(|n| trees.iter().filter(|t| t.vertices == n).count()).collect();
        assert_eq!(counts, [1, 1, 2, 4, 9, 20, 48, 115, 286]);
    }

    #[test]
    fn every_tableau_has_the_order_it_claims() {
        for tableau in tableaux::ALL {
            let formula = Formula::<DoubleDouble>::new(tableau);
            assert_eq!(violations(&formula, EXACT), [""; 0], "{}", tableau.name);
            if let Some(lower) = formula.with_lower_order() {
                assert_eq!(violations(&lower, EXACT), [""; 0], "{}, lower order", tableau.name);
            }
        }
    }

    /// Every coefficient of every tableau, including embedded rows and continuous output, affects some condition: a
    /// relative change of 1e-6 must be detected.
    #[test]
    fn every_corrupted_coefficient_is_found() {
        for tableau in tableaux::ALL {
            let formula = Formula::<DoubleDouble>::new(tableau);
            let count = coefficients(&mut formula.clone()).len();
            assert!(count > tableau.nodes.len());
            for k in 0..count {
                let mut corrupted = formula.clone();
                let coefficient = coefficients(&mut corrupted).swap_remove(k);
                *coefficient *= DoubleDouble::from(1.0) + 1e-6;
                let found = violations(&corrupted, EXACT);
                assert!(!found.is_empty(), "{}: a change of coefficient {k} is not detected", tableau.name);
            }
        }
    }

    /// All coefficients that are not zero.
    fn coefficients(formula: &mut Formula<DoubleDouble>) -> Vec<&mut DoubleDouble> {
        let mut all: Vec<&mut DoubleDouble> = Vec::new();
        all.extend(&mut formula.nodes);
        all.extend(formula.rows.iter_mut().flatten());
        all.extend(&mut formula.weights);
        all.extend(formula.estimates.iter_mut().flat_map(|estimate| &mut estimate.difference));
        if let Some(dense) = &mut formula.dense {
            all.extend(&mut dense.extra_nodes);
            all.extend(dense.extra_rows.iter_mut().flatten());
            all.extend(dense.rows.iter_mut().flatten());
        }
        all.retain(|coefficient| coefficient.value() != 0.0);
        all
    }

    /// The stability function of an explicit method of order p is a polynomial, `R(z) = 1 + Σₖ zᵏ bᵀ Aᵏ⁻¹ 1`, whose
    /// coefficients up to `zᵖ` are `1/k!` and whose degree is the number of stages that affect the result.
    #[test]
    fn stability_functions_have_the_degree_of_the_stages() {
        for tableau in tableaux::ALL {
            let formula = Formula::<DoubleDouble>::new(tableau);
            let stages = formula.nodes.len();
            let mut is_used: Vec<bool> = formula.weights.iter().map(|b| b.value() != 0.0).collect();
            for i in (0..stages).rev() {
                let row = if is_used[i] { &formula.rows[i][..] } else { &[] };
                row.iter().enumerate().for_each(|(j, a)| is_used[j] |= a.value() != 0.0);
            }
            let mut powers = vec![DoubleDouble::from(1.0); stages];
            let mut degree = 0;
            let mut factorial = 1.0;
            for k in 1..=stages as u32 {
                let coefficient = dot(&formula.weights, &powers);
                factorial *= f64::from(k);
                if k <= formula.order {
                    let residual = (coefficient - DoubleDouble::ratio(1.0, factorial)).value();
                    assert!(residual.abs() < EXACT, "{}: z^{k} is off by {residual:e}", tableau.name);
                }
                if coefficient.value().abs() > EXACT {
                    degree = k as usize;
                }
                powers = formula.rows.iter().map(|row| dot(row, &powers)).collect();
            }
            assert_eq!(degree, is_used.iter().filter(|&&is_used| is_used).count(), "{}", tableau.name);
        }
    }
}
