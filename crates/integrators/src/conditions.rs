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

/// Elementary weights `Φ(τ)` of the stages for one tree, from those of the smaller trees.
pub fn elementary_weight<S: Scalar>(rows: &[Vec<S>], tree: &Tree, smaller: &[Vec<S>]) -> Vec<S> {
    let stage =
        |row: &Vec<S>| tree.children.iter().fold(S::from(1.0), |product, &child| product * dot(row, &smaller[child]));
    rows.iter().map(stage).collect()
}

/// The order of the weights `b`, from the conditions alone: the largest order, at most `highest`, up to which all
/// conditions hold to `tolerance`.
pub fn order<S: Scalar>(rows: &[Vec<S>], b: &[S], highest: u32, tolerance: f64) -> u32 {
    let mut smaller = Vec::new();
    for tree in rooted_trees(highest) {
        let weights = elementary_weight(rows, &tree, &smaller);
        let residual = (dot(b, &weights) - S::from(tree.density).recip()).value().abs();
        if residual.is_nan() || residual > tolerance {
            return tree.vertices - 1;
        }
        smaller.push(weights);
    }
    highest
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

/// Scalar product over the length of the shorter vector.
pub(crate) fn dot<S: Scalar>(a: &[S], b: &[S]) -> S {
    a.iter().zip(b).fold(S::zero(), |sum, (&a, &b)| sum + a * b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_rooted_trees() {
        let trees = rooted_trees(9);
        let counts: Vec<usize> = (1..=9).map(|n| trees.iter().filter(|t| t.vertices == n).count()).collect();
        assert_eq!(counts, [1, 1, 2, 4, 9, 20, 48, 115, 286]);
    }
}
