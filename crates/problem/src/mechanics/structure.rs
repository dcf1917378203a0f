//! Which derivatives a model has, found from its arithmetic.
//!
//! The vector duals of `num_dual` tell a derivative that is zero by value from one that does not exist: a constant has
//! none, and neither has a sum of constants. One evaluation with a single seeded coordinate therefore shows what depends
//! on it, and one with a pair of them where second derivatives are.

use nalgebra::{Const, DMatrix, OMatrix, U1};
use num_dual::{Derivative, DualVec, HyperDualVec};

use super::MechanicalModel;
use super::terms::Structure;
use crate::Scalar;

type First<S> = DualVec<S, Const<1>>;
type Second<S> = HyperDualVec<S, Const<1>, Const<1>>;

fn seed<S: Scalar>() -> Derivative<S, U1, U1> {
    Derivative::some(OMatrix::<S, U1, U1>::from_element(S::from(1.0)))
}

/// Values of which one may carry a derivative.
fn with_seed<S: Scalar>(values: &[S], seeded: Option<usize>) -> Vec<First<S>> {
    let lift = |(i, &x): (usize, &S)| First::new(x, if seeded == Some(i) { seed() } else { Derivative::none() });
    values.iter().enumerate().map(lift).collect()
}

/// The structure of `model`, found at `(t, q)`.
pub(super) fn find<S: Scalar, M: MechanicalModel>(model: &M, t: S, q: &[S]) -> Structure {
    let n = q.len();
    let nothing = First::from_re(S::nought());
    let depends = |values: &[First<S>]| values.iter().any(|x| x.eps.0.is_some());
    let mut mass = DMatrix::from_element(n, n, nothing);
    let mut phi = vec![nothing; model.holonomic()];
    let mut structure = Structure::default();
    for k in 0..n {
        let moved = with_seed(q, Some(k));
        mass.fill(nothing);
        model.mass(&moved, &mut mass);
        if depends(mass.as_slice()) {
            structure.mass.push(k);
        }
    }
    if phi.is_empty() {
        return structure;
    }
    model.holonomic_constraints(First::new(t, seed()), &with_seed(q, None), &mut phi);
    structure.rheonomic = depends(&phi);
    let mut second = vec![Second::from_re(S::nought()); phi.len()];
    for i in 0..=n {
        for j in i..=n {
            let none = Derivative::none;
            let lift = |k: usize, x: S| {
                Second::new(x, if k == i { seed() } else { none() }, if k == j { seed() } else { none() }, none())
            };
            let lifted: Vec<Second<S>> = q.iter().enumerate().map(|(k, &x)| lift(k, x)).collect();
            model.holonomic_constraints(lift(n, t), &lifted, &mut second);
            if second.iter().any(|x| x.eps1eps2.0.is_some()) {
                structure.curvature.push((i, j));
            }
        }
    }
    let among = |k: &usize| structure.curvature.iter().any(|&(i, j)| i == *k || j == *k);
    structure.curved = (0..n).filter(among).collect();
    structure
}
