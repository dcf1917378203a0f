//! Random linkages: terms, derivatives and solutions with sparse matrices, compared with dense ones.

use std::sync::Arc;

use mbsbench_problem::linalg::{Matrix, Saddle};
use mbsbench_problem::{
    AccelerationLevel, Derivatives, Dimensions, Entries, MechanicalModel, Mechanics, MechanicsOf, Ode, Scalar,
    Structure, TangentSystem, Terms,
};
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;

/// A pin between points of two bodies, or of one body and the ground.
#[derive(Debug, Clone)]
struct Pin {
    bodies: (usize, Option<usize>),
    points: [[f64; 2]; 2],
}

/// Bodies in the plane on pins, each with a torsional spring and damper to the previous body, and a bar whose mass
/// matrix turns with it.
#[derive(Debug, Clone)]
struct Linkage {
    bodies: usize,
    pins: Vec<Pin>,
}

impl Linkage {
    /// The position of a point of a body.
    fn point<S: Scalar>(q: &[S], body: usize, [x, y]: [f64; 2]) -> [S; 2] {
        let (sin, cos) = q[3 * body + 2].sin_cos();
        [q[3 * body] + cos * x - sin * y, q[3 * body + 1] + sin * x + cos * y]
    }
}

impl MechanicalModel for Linkage {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(3 * self.bodies, 2 * self.pins.len())
    }
    /// The reference point of every third body is not its centre of mass.
    fn mass<S: Scalar>(&self, q: &[S], mass: &mut impl Entries<S>) {
        for body in 0..self.bodies {
            let k = 3 * body;
            for i in 0..3 {
                mass[(k + i, k + i)] = S::from(1.0 + 0.1 * i as f64 + 0.01 * body as f64);
            }
            if body % 3 == 0 {
                let (sin, cos) = q[k + 2].sin_cos();
                for (i, coupling) in [-sin * 0.3, cos * 0.3].into_iter().enumerate() {
                    mass[(k + i, k + 2)] = coupling;
                    mass[(k + 2, k + i)] = coupling;
                }
            }
        }
    }
    fn forces<S: Scalar>(&self, t: S, q: &[S], v: &[S], forces: &mut [S]) {
        forces.fill(S::zero());
        for body in 0..self.bodies {
            let k = 3 * body;
            forces[k + 1] = S::from(-9.81);
            if body % 3 == 0 {
                forces[k] += q[k + 2].cos() * v[k + 2] * v[k + 2] * 0.3;
            }
            if body > 0 {
                let torque = (q[k + 2] - q[k - 1]).sin() * 5.0 + (v[k + 2] - v[k - 1]) * t;
                forces[k + 2] -= torque;
                forces[k - 1] += torque;
            }
        }
    }
    fn holonomic_constraints<S: Scalar>(&self, t: S, q: &[S], phi: &mut [S]) {
        for (Pin { bodies: (first, second), points }, phi) in self.pins.iter().zip(phi.chunks_mut(2)) {
            let here = Self::point(q, *first, points[0]);
            let there = match second {
                Some(second) => Self::point(q, *second, points[1]),
                None => [t * points[1][0], S::from(points[1][1])],
            };
            for i in 0..2 {
                phi[i] = here[i] - there[i];
            }
        }
    }
    fn energy<S: Scalar>(&self, _q: &[S], _v: &[S]) -> S {
        S::zero()
    }
}

fn point() -> impl Strategy<Value = [f64; 2]> {
    [-1.0..1.0f64, -1.0..1.0f64]
}

/// A tree of 2 to 30 bodies, rooted at the ground, with additional loops as long as degrees of freedom remain.
fn linkage() -> impl Strategy<Value = Linkage> {
    (2..=30usize).prop_flat_map(|bodies| {
        let parents = prop::collection::vec((any::<prop::sample::Index>(), point(), point()), bodies);
        let loops = prop::collection::vec((0..bodies, 0..bodies, point(), point()), 0..=bodies / 4);
        (parents, loops).prop_map(move |(parents, loops)| {
            let tree = parents.into_iter().enumerate().map(|(body, (parent, here, there))| Pin {
                bodies: (body, (body > 0).then(|| parent.index(body))),
                points: [here, there],
            });
            let closing = loops.into_iter().filter(|(first, second, ..)| first != second);
            let closing = closing
                .map(|(first, second, here, there)| Pin { bodies: (first, Some(second)), points: [here, there] });
            Linkage { bodies, pins: tree.chain(closing).collect() }
        })
    })
}

/// True if two matrices are equal.
fn equal(left: &Matrix<f64>, right: &Matrix<f64>) -> bool {
    left.to_dense() == right.to_dense()
}

/// Terms and derivatives at a state.
fn evaluate(linkage: &Linkage, sparse: bool, q: &[f64], v: &[f64]) -> (Arc<Structure>, Terms<f64>, Derivatives<f64>) {
    let mut mechanics = MechanicsOf::<_, f64>::new(linkage);
    let structure = mechanics.structure();
    let (mut terms, mut derivatives) = (Terms::of(&structure, sparse), Derivatives::of(&structure, sparse));
    // first at another state, to show that nothing of it remains
    mechanics.linearisation(-0.4, v, q, &mut terms, &mut derivatives);
    mechanics.linearisation(0.7, q, v, &mut terms, &mut derivatives);
    (structure, terms, derivatives)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
    /// Terms and derivatives are bitwise the same in either kind of memory, and Newton's matrix is solved with a
    /// backward error of a few roundings.
    #[test]
    fn sparse_and_dense_matrices_agree(linkage in linkage(), seed in 0.0..6.0f64) {
        let n = linkage.dimensions().coordinates;
        let numbers = |count: usize, start: f64| -> Vec<f64> {
            (0..count).map(|i| (start + 1.7 * i as f64).sin()).collect()
        };
        let [q, v, a] = [0.0, 1.0, 2.0].map(|offset| numbers(n, seed + offset));
        let lambda = numbers(linkage.dimensions().holonomic, seed);
        let (structure, terms, derivatives) = evaluate(&linkage, false, &q, &v);
        let (_, sparse_terms, sparse_derivatives) = evaluate(&linkage, true, &q, &v);
        prop_assert!(equal(&terms.mass, &sparse_terms.mass));
        prop_assert!(equal(&terms.jacobian, &sparse_terms.jacobian));
        prop_assert_eq!(&terms.forces, &sparse_terms.forces);
        prop_assert_eq!(&terms.constraints, &sparse_terms.constraints);
        prop_assert!(equal(&derivatives.forces_by_position, &sparse_derivatives.forces_by_position));
        prop_assert!(equal(&derivatives.forces_by_velocity, &sparse_derivatives.forces_by_velocity));

        let (mut solutions, mut matrices) = (Vec::new(), Vec::new());
        let both = [(false, &terms, &derivatives), (true, &sparse_terms, &sparse_derivatives)];
        for (sparse, terms, derivatives) in both {
            let mut system = Saddle::new(&structure.dynamics, &structure.jacobian, sparse);
            let blocks = [
                (1.0, &terms.mass), (-1e-3, &derivatives.forces_by_position), (-1e-2, &derivatives.forces_by_velocity),
            ];
            system.put(blocks, 1.0, &terms.jacobian);
            derivatives.add_curvature(-1e-3, &lambda, &mut system);
            derivatives.add_inertia(1e-3, &a, &mut system);
            let matrix = system.to_dense();
            let mut x = numbers(n + lambda.len(), seed + 3.0);
            let right = DVector::from_vec(x.clone());
            // loops may impose more constraints than a mechanism can satisfy; both kinds of memory then report it
            let regular = system.factorize().is_ok();
            if regular {
                system.solve(&mut x);
                let solution = DVector::from_vec(x);
                let residual = (&matrix * &solution - &right).amax();
                let size = matrix.row_iter().map(|row| row.lp_norm(1)).fold(0.0, f64::max) * solution.amax();
                prop_assert!(residual <= 1e-13 * (size + right.amax()), "{residual} of {size}");
                solutions.push(solution);
            }
            matrices.push(matrix);
        }
        // sums of three terms have another order
        prop_assert!((&matrices[0] - &matrices[1]).amax() <= 1e-15 * matrices[0].amax());
        prop_assert!(structure.dynamics.entries() <= 9 * n);
    }

    /// Systems with `1 − c ∂f/∂y` of many bodies agree with those of the full matrix, which is computed column by
    /// column from the same sparse system; so do products.
    #[test]
    fn systems_with_tangent_and_jacobian_agree(
        linkage in linkage(),
        seed in 0.0..6.0f64,
        c in 1e-4..1e-1f64,
    ) {
        let n = linkage.dimensions().coordinates;
        let mut ode = AccelerationLevel::<f64>::new(MechanicsOf::new(&linkage));
        let Some(mut tangent) = ode.tangent() else { return Ok(()) };
        let numbers = |start: f64| (0..2 * n).map(|i| (start + 1.7 * i as f64).sin()).collect::<Vec<f64>>();
        let (y, x) = (numbers(seed), numbers(seed + 1.0));
        let mut jacobian = DMatrix::zeros(2 * n, 2 * n);
        // loops may impose more constraints than a mechanism can satisfy
        let (_, terms, _) = evaluate(&linkage, false, &y[..n], &y[n..]);
        prop_assume!(terms.jacobian.all().singular_values().min() > 1e-3);
        ode.jacobian(0.3, &y, &mut jacobian).unwrap();
        ode.linearise(0.3, &y, &mut tangent).unwrap();
        let mut system = TangentSystem::new(&tangent);
        let mut product = vec![0.0; 2 * n];
        system.multiply(&tangent, &x, &mut product).unwrap();
        let expected = &jacobian * DVector::from_column_slice(&x);
        let size = jacobian.amax().max(1.0);
        for (product, expected) in product.iter().zip(&expected) {
            prop_assert!((product - expected).abs() <= 1e-10 * size * size, "{product} {expected}");
        }
        let matrix = DMatrix::identity(2 * n, 2 * n) - &jacobian * c;
        prop_assume!(system.factorize(c, &tangent).is_ok());
        let mut solution = x.clone();
        system.solve(&mut solution);
        let solution = DVector::from_vec(solution);
        let residual = (&matrix * &solution - DVector::from_vec(x)).amax();
        prop_assert!(residual <= 1e-10 * (matrix.amax() * solution.amax() + 1.0), "{residual}");
    }
}
