//! Derivatives of mechanisms in closed form, compared with dual numbers.

use mbsbench_problem::{Derivatives, MechanicalModel, Mechanics, MechanicsOf, Partials, Terms};
use nalgebra::DMatrix;
use num_dual::{Dual64, HyperDual64};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::formula::{Function, Tree};
use crate::space::{Fixed, Inertia, Spatial};
use crate::system::{Law, Relation, System};

/// Three bodies with every relation, between two of them and between one and the ground, of which each fifth row is
/// left out.
fn system(mut next: impl FnMut() -> f64, left_out: usize) -> System<Spatial> {
    let mut system = System::default();
    for _ in 0..3 {
        let [a, b, c, d, e, f] = [(); 6].map(|()| next());
        system.bodies.push(Inertia { mass: 2.0 + a, about_centre: [[b, c, d], [c, e, f], [d, f, a]] });
    }
    let law = || -> Law { Tree::One(Function::Sin, Box::new(Tree::Variable(()))) };
    for [a, b] in [[Some(0), Some(1)], [Some(1), Some(0)], [Some(2), None], [None, Some(1)]] {
        let mut fixed = |body| Fixed { body, at: [next(), next(), next()] };
        system.relations.extend([
            Relation::Coincide(fixed(a), fixed(b)),
            Relation::Distance(fixed(a), fixed(b), 1.3),
            Relation::Along(fixed(a), fixed(a), fixed(b), law()),
            Relation::Square(fixed(a), fixed(b)),
            Relation::Turned(fixed(a), fixed(a), fixed(b), law()),
            Relation::Standing(fixed(a), fixed(a), 0.7),
        ]);
    }
    system.redundant = (0..system.rows()).filter(|row| row % 5 == left_out).collect();
    system
}

/// Fails unless two matrices agree to twelve digits.
fn agree(name: &str, found: &DMatrix<f64>, expected: &DMatrix<f64>) -> Result<(), TestCaseError> {
    for (k, (x, y)) in found.iter().zip(expected).enumerate() {
        let at = (k % found.nrows(), k / found.nrows());
        prop_assert!((x - y).abs() <= 1e-12 * (1.0 + y.abs()), "{name} at {at:?}: {x} for {y}");
    }
    Ok(())
}

fn closed_forms_match(numbers: &[f64], left_out: usize) -> Result<(), TestCaseError> {
    let mut numbers = numbers.iter().copied().cycle();
    let mut next = || numbers.next().expect("endless");
    let system = system(&mut next, left_out);
    let (n, m) = (system.dimensions().coordinates, system.dimensions().holonomic);
    let [mut q, v, a, lambda] = [n, n, n, m].map(|count| (0..count).map(|_| next()).collect::<Vec<f64>>());
    let t = next();
    for own in q.chunks_mut(7) {
        // so short that no directions are too long for a disk to stand
        let norm = own[3..].iter().map(|e| e * e).sum::<f64>().sqrt();
        own[3..].iter_mut().for_each(|e| *e *= 0.7 / norm);
    }
    for kind in [Partials::Constraints, Partials::Curvature, Partials::Mass] {
        prop_assert!(system.partials(kind, t, &q, &mut |_, _| ()));
    }

    let evaluate = |i: usize, j: usize| {
        // time follows the coordinates
        let mut x: Vec<HyperDual64> = q.iter().chain([&t]).map(|&x| HyperDual64::from(x)).collect();
        (x[i].eps1, x[j].eps2) = (1.0, 1.0);
        let mut phi = vec![HyperDual64::from(0.0); m];
        system.holonomic_constraints(x[n], &x[..n], &mut phi);
        phi
    };
    let speed = |j: usize| v.get(j).copied().unwrap_or(1.0);
    let zeros = DMatrix::<f64>::zeros;
    let (mut jacobian, mut rates, mut curvature) = (zeros(m, n), zeros(m, n), zeros(n, n));
    for (i, j) in (0..n).flat_map(|i| (0..=n).map(move |j| (i, j))) {
        for (c, phi) in evaluate(i, j).iter().enumerate() {
            jacobian[(c, i)] = phi.eps1;
            rates[(c, i)] += phi.eps1eps2 * speed(j);
            if j < n {
                curvature[(i, j)] += phi.eps1eps2 * lambda[c];
            }
        }
    }
    let mut constraint_rates = zeros(m, 1);
    (0..=n).for_each(|j| (0..m).for_each(|c| constraint_rates[c] += evaluate(j, j)[c].eps1 * speed(j)));
    let mut inertia = zeros(n, n);
    for k in 0..n {
        let q: Vec<Dual64> = (0..n).map(|i| Dual64::new(q[i], f64::from(u8::from(i == k)))).collect();
        let mut mass = DMatrix::from_element(n, n, Dual64::from(0.0));
        system.mass(&q, &mut mass);
        (0..n).for_each(|i| inertia[(i, k)] = (0..n).map(|j| mass[(i, j)].eps * a[j]).sum());
    }

    let mut mechanics = MechanicsOf::<_, f64>::new(&system);
    let structure = mechanics.structure();
    for sparse in [false, true] {
        let (mut terms, mut derivatives) = (Terms::of(&structure, sparse), Derivatives::of(&structure, sparse));
        // first at another state, to show that nothing of it remains
        mechanics.linearisation(-t, &v, &q, &mut terms, &mut derivatives);
        mechanics.linearisation(t, &q, &v, &mut terms, &mut derivatives);
        agree("J", &terms.jacobian.to_dense(), &jacobian)?;
        let mut found = zeros(m, n);
        derivatives.constraint_rates(&v, &mut found);
        agree("∂(J v + ∂Φ/∂t)/∂q", &found, &rates)?;
        agree("J v + ∂Φ/∂t", &DMatrix::from_column_slice(m, 1, &terms.constraint_rates), &constraint_rates)?;
        let mut found = zeros(n, n);
        derivatives.add_curvature(1.0, &lambda, &mut found);
        agree("∂(Jᵀ λ)/∂q", &found, &curvature)?;
        let mut found = zeros(n, n);
        derivatives.add_inertia(1.0, &a, &mut found);
        agree("∂(M a)/∂q", &found, &inertia)?;
        let values: Vec<f64> = evaluate(0, 0).iter().map(|phi| phi.re).collect();
        prop_assert_eq!(&terms.constraints, &values);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn closed_forms_match_dual_numbers(numbers in vec(-1.0..1.0f64, 211), left_out in 0..5usize) {
        closed_forms_match(&numbers, left_out)?;
    }
}
