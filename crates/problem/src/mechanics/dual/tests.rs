//! Derivatives by dual numbers, compared with derivatives by hand and with differences.

use approx::assert_relative_eq;
use nalgebra::DMatrix;

use super::MechanicsOf;
use crate::linalg::Entries;
use crate::{AccelerationLevel, Derivatives, Dimensions, MechanicalModel, Mechanics, Scalar, Terms};

/// A bead on a moving parabola with an invented nonholonomic row, chosen so that every term of the derivatives is
/// non-zero.
struct Bead;
impl MechanicalModel for Bead {
    fn dimensions(&self) -> Dimensions {
        Dimensions { nonholonomic: 1, ..Dimensions::vectors(2, 1) }
    }
    fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
        (0..self.dimensions().velocities).for_each(|i| mass[(i, i)] = S::from(1.0));
    }
    fn forces<S: Scalar>(&self, _t: S, _q: &[S], _v: &[S], forces: &mut [S]) {
        forces.fill(S::zero());
    }
    fn holonomic_constraints<S: Scalar>(&self, t: S, q: &[S], phi: &mut [S]) {
        phi[0] = q[1] - q[0] * q[0] * t;
    }
    fn nonholonomic_constraints<S: Scalar>(&self, t: S, q: &[S], v: &[S], gamma: &mut [S]) {
        gamma[0] = v[0] * q[1] * t - v[1] * v[1];
    }
    fn energy<S: Scalar>(&self, _q: &[S], v: &[S]) -> S {
        (v[0] * v[0] + v[1] * v[1]) * 0.5
    }
}

#[test]
fn derivatives_match_hand_calculations() {
    let (t, q, v) = (0.7, [1.1, 0.4], [0.3, -0.8]);
    let mut mechanics = MechanicsOf::<_, f64>::new(&Bead);
    let mut w = [0.0; 2];
    mechanics.velocity_constraints(t, &q, &v, &mut w);
    assert_relative_eq!(w[0], v[0] * q[1] * t - v[1] * v[1]);
    assert_relative_eq!(w[1], v[1] - 2.0 * q[0] * v[0] * t - q[0] * q[0], max_relative = 1e-15);

    let mut jacobian = DMatrix::zeros(2, 2);
    mechanics.constraint_jacobian(t, &q, &v, &mut jacobian);
    let expected = DMatrix::from_row_slice(2, 2, &[q[1] * t, -2.0 * v[1], -2.0 * q[0] * t, 1.0]);
    assert_relative_eq!(jacobian, expected, max_relative = 1e-15);

    let mut bias = [0.0; 2];
    mechanics.acceleration_bias(t, &q, &v, &mut bias);
    assert_relative_eq!(bias[0], v[0] * v[1] * t + v[0] * q[1], max_relative = 1e-15);
    assert_relative_eq!(bias[1], -2.0 * v[0] * v[0] * t - 4.0 * q[0] * v[0], max_relative = 1e-15);
}

/// Three coordinates with a full mass matrix that depends on two of them, forces that depend on time, one position
/// and two velocities, and two constraints that are curved in pairs of coordinates and in time.
struct Tangle;
impl MechanicalModel for Tangle {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(3, 2)
    }
    fn mass<S: Scalar>(&self, q: &[S], mass: &mut impl Entries<S>) {
        mass[(0, 0)] = q[1].cos() * q[2] + 3.0;
        mass[(1, 1)] = S::from(2.0);
        mass[(2, 2)] = q[2] * q[2] + 1.0;
        mass[(0, 2)] = q[1].sin() * 0.3;
        mass[(2, 0)] = mass[(0, 2)];
    }
    fn forces<S: Scalar>(&self, t: S, q: &[S], v: &[S], forces: &mut [S]) {
        forces[0] = q[0] * t * v[2] * v[2];
        forces[1] = (q[0] * 2.0).exp() - v[1];
        forces[2] = S::from(9.81);
    }
    fn holonomic_constraints<S: Scalar>(&self, t: S, q: &[S], phi: &mut [S]) {
        phi[0] = q[0] * q[1].sin() + q[2] * t * t * 2.0;
        phi[1] = q[0] * 3.0 - q[1] + t * t * t;
    }
    fn energy<S: Scalar>(&self, _q: &[S], _v: &[S]) -> S {
        S::zero()
    }
}

const STATE: (f64, [f64; 3], [f64; 3]) = (0.7, [0.4, -1.1, 0.9], [0.3, -0.8, 1.7]);

#[test]
fn the_structure_follows_from_the_arithmetic() {
    let structure = MechanicsOf::<_, f64>::new(&Tangle).structure();
    assert_eq!(structure.mass, [1, 2]);
    // the number of coordinates stands for time
    assert_eq!(structure.curvature, [(0, 1), (1, 1), (2, 3), (3, 3)]);
    assert_eq!(structure.curved, [0, 1, 2]);
    assert!(structure.rheonomic);
    let entries = |pattern: &crate::linalg::Pattern| pattern.iter().collect::<Vec<_>>();
    assert_eq!(entries(&structure.jacobian), [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2)]);
    // (1, 2) occurs nowhere, (2, 1) in the mass, (0, 1) and (1, 0) also in constraints
    let expected = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (0, 2), (2, 2)];
    assert_eq!(entries(&structure.dynamics), expected);
    assert_eq!(structure.mass_entries, [vec![(0, 0), (0, 2), (2, 0)], vec![(0, 0), (2, 2)]]);
    assert_eq!(structure.pair_rows, [vec![0], vec![0], vec![0], vec![0, 1]]);
}

#[test]
fn terms_match_single_evaluations() {
    let (t, q, v) = STATE;
    let mut mechanics = MechanicsOf::<_, f64>::new(&Tangle);
    let mut terms = Terms::new(3, 2);
    // First at another state, to show that nothing of it remains.
    mechanics.terms(0.1, &[1.0, 2.0, 3.0], &[0.0; 3], &mut terms);
    mechanics.terms(t, &q, &v, &mut terms);
    let (mut mass, mut jacobian) = (DMatrix::zeros(3, 3), DMatrix::zeros(2, 3));
    let (mut forces, mut phi, mut rates) = ([0.0; 3], [0.0; 2], [0.0; 2]);
    mechanics.mass(&q, &mut mass);
    mechanics.forces(t, &q, &v, &mut forces);
    mechanics.constraint_values(t, &q, &v, &mut phi);
    mechanics.constraint_jacobian(t, &q, &v, &mut jacobian);
    mechanics.velocity_constraints(t, &q, &v, &mut rates);
    assert_eq!((terms.mass.all(), terms.jacobian.all()), (&mass, &jacobian));
    assert_eq!((&terms.forces[..], &terms.constraints[..]), (&forces[..], &phi[..]));
    for (rate, expected) in terms.constraint_rates.iter().zip(rates) {
        assert_relative_eq!(*rate, expected, max_relative = 1e-14);
    }
}

#[test]
fn dynamics_vanish_at_index_1_accelerations() {
    let (t, q, v) = STATE;
    let mut ode = AccelerationLevel::new(MechanicsOf::<_, f64>::new(&Tangle));
    let mut rate = [0.0; 6];
    crate::Ode::rhs(&mut ode, t, &[q, v].concat(), &mut rate).unwrap();
    let mut terms = Terms::new(3, 2);
    MechanicsOf::<_, f64>::new(&Tangle).terms(t, &q, &v, &mut terms);
    let mut residual = [0.0; 3];
    terms.dynamics(&rate[3..], ode.multipliers(), &mut residual);
    assert!(residual.iter().all(|r| r.abs() < 1e-13), "the same sign of λ in both: {residual:?}");
}

/// Central differences of `M a − D − Jᵀ λ` and of `J v + Φ_t`, compared with the exact derivatives.
#[test]
fn derivatives_match_the_terms() {
    let (t, q, v) = STATE;
    let (a, lambda) = ([0.6, -2.0, 1.3], [1.9, -0.7]);
    let mut mechanics = MechanicsOf::<_, f64>::new(&Tangle);
    let mut derivatives = Derivatives::new(&mechanics.structure());
    mechanics.derivatives(t, &q, &v, &mut derivatives);
    let mut by_position = -derivatives.forces_by_position.all();
    derivatives.add_inertia(1.0, &a, &mut by_position);
    derivatives.add_curvature(-1.0, &lambda, &mut by_position);
    let by_velocity = -derivatives.forces_by_velocity.all();
    let mut rates_by_position = DMatrix::zeros(2, 3);
    derivatives.constraint_rates(&v, &mut rates_by_position);

    let step = 1e-5;
    let mut at = |q: &[f64; 3], v: &[f64; 3]| {
        let mut terms = Terms::new(3, 2);
        mechanics.terms(t, q, v, &mut terms);
        let mut residual = vec![0.0; 3];
        terms.dynamics(&a, &lambda, &mut residual);
        (residual, terms.constraint_rates)
    };
    let shifted = |x: &[f64; 3], k: usize, by: f64| {
        let mut x = *x;
        x[k] += by;
        x
    };
    for k in 0..3 {
        let (up, down) = (at(&shifted(&q, k, step), &v), at(&shifted(&q, k, -step), &v));
        for i in 0..3 {
            // the third derivatives are below ten, so the difference is accurate to 1e-9, as is rounding, 1e-16/1e-5
            assert_relative_eq!(by_position[(i, k)], (up.0[i] - down.0[i]) / (2.0 * step), epsilon = 1e-8);
        }
        for c in 0..2 {
            assert_relative_eq!(rates_by_position[(c, k)], (up.1[c] - down.1[c]) / (2.0 * step), epsilon = 1e-8);
        }
        let (up, down) = (at(&q, &shifted(&v, k, step)), at(&q, &shifted(&v, k, -step)));
        for i in 0..3 {
            assert_relative_eq!(by_velocity[(i, k)], (up.0[i] - down.0[i]) / (2.0 * step), epsilon = 1e-8);
        }
    }
}

/// A straight constraint that moves: Φ depends on time, but has no second derivatives.
struct Straight;
impl MechanicalModel for Straight {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(2, 1)
    }
    fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
        (0..self.dimensions().velocities).for_each(|i| mass[(i, i)] = S::from(1.0));
    }
    fn forces<S: Scalar>(&self, _t: S, q: &[S], _v: &[S], forces: &mut [S]) {
        forces.copy_from_slice(&[-q[0], q[0] * q[1]]);
    }
    fn holonomic_constraints<S: Scalar>(&self, t: S, q: &[S], phi: &mut [S]) {
        phi[0] = q[0] - q[1] * 3.0 - t * 2.0;
    }
    fn energy<S: Scalar>(&self, _q: &[S], _v: &[S]) -> S {
        S::zero()
    }
}

fn check_linearisation(sparse: bool, model: &impl MechanicalModel, t: f64, q: &[f64], v: &[f64]) -> Vec<f64> {
    let (n, m) = (q.len(), model.dimensions().holonomic);
    let mut mechanics = MechanicsOf::<_, f64>::new(model);
    let structure = mechanics.structure();
    let empty = || (Terms::of(&structure, sparse), Derivatives::of(&structure, sparse));
    let ((mut terms, mut derivatives), (mut terms_too, mut derivatives_too)) = (empty(), empty());
    mechanics.terms(t, q, v, &mut terms);
    mechanics.derivatives(t, q, v, &mut derivatives);
    mechanics.linearisation(t, q, v, &mut terms_too, &mut derivatives_too);
    let values = |terms: &Terms<f64>, derivatives: &Derivatives<f64>| {
        let (mut rates, mut inertia) = (DMatrix::zeros(m, n), DMatrix::zeros(n, n));
        derivatives.constraint_rates(v, &mut rates);
        derivatives.add_inertia(1.0, v, &mut inertia);
        let mut along = vec![0.0; m];
        derivatives.constraint_rates_along(v, v, &mut along);
        for c in 0..m {
            let product: f64 = (0..n).map(|j| rates[(c, j)] * v[j]).sum();
            assert_relative_eq!(along[c], product, epsilon = 1e-13);
        }
        let matrices = [&terms.mass, &terms.jacobian, &derivatives.forces_by_position, &derivatives.forces_by_velocity];
        let mut values: Vec<f64> = matrices.iter().flat_map(|matrix| matrix.to_dense().as_slice().to_vec()).collect();
        values.extend(rates.iter().chain(&inertia));
        values.extend(terms.forces.iter().chain(&terms.constraints).chain(&terms.constraint_rates));
        values
    };
    let (apart, together) = (values(&terms, &derivatives), values(&terms_too, &derivatives_too));
    for (apart, together) in apart.iter().zip(&together) {
        assert_relative_eq!(apart, together, max_relative = 1e-15, epsilon = 1e-15);
    }
    apart
}

#[test]
fn joint_and_separate_evaluations_agree() {
    let (t, q, v) = STATE;
    let of_tangle = |sparse| check_linearisation(sparse, &Tangle, t, &q, &v);
    assert_eq!(of_tangle(false), of_tangle(true));
    let of_straight = |sparse| check_linearisation(sparse, &Straight, t, &q[..2], &v[..2]);
    assert_eq!(of_straight(false), of_straight(true));
}

/// A point whose velocity coordinates are not the rates of its positions.
struct Turned;
impl MechanicalModel for Turned {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(2, 0)
    }
    fn position_rate<S: Scalar>(&self, _q: &[S], v: &[S], q_rate: &mut [S]) {
        q_rate.copy_from_slice(&[-v[1], v[0]]);
    }
    fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
        (0..self.dimensions().velocities).for_each(|i| mass[(i, i)] = S::from(1.0));
    }
    fn forces<S: Scalar>(&self, _t: S, _q: &[S], _v: &[S], forces: &mut [S]) {
        forces.fill(S::zero());
    }
    fn energy<S: Scalar>(&self, _q: &[S], _v: &[S]) -> S {
        S::zero()
    }
}

#[test]
fn vector_coordinates_are_recognised() {
    assert!(MechanicsOf::<_, f64>::new(&Tangle).has_vector_coordinates());
    assert!(!MechanicsOf::<_, f64>::new(&Turned).has_vector_coordinates());
}

/// Eight points in a row with springs between neighbours, and optional dampers.
struct Springs {
    damped: bool,
}
impl MechanicalModel for Springs {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(8, 0)
    }
    fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
        (0..self.dimensions().velocities).for_each(|i| mass[(i, i)] = S::from(1.0));
    }
    fn forces<S: Scalar>(&self, _t: S, q: &[S], v: &[S], forces: &mut [S]) {
        forces.fill(S::zero());
        for i in 1..8 {
            let damping = if self.damped { v[i] - v[i - 1] } else { S::zero() };
            let force = (q[i] - q[i - 1]).powi(3) + damping;
            forces[i - 1] += force;
            forces[i] -= force;
        }
    }
    fn energy<S: Scalar>(&self, _q: &[S], _v: &[S]) -> S {
        S::zero()
    }
}

#[test]
fn columns_of_a_jacobian_that_share_no_row_cost_one_evaluation() {
    let columns = |model: Springs| MechanicsOf::<_, f64>::new(&model).structure().jacobian_columns;
    assert_eq!([columns(Springs { damped: false }), columns(Springs { damped: true })], [3, 6]);
    // The constraints of the tangle couple all positions; its forces depend on two velocities.
    let tangle = MechanicsOf::<_, f64>::new(&Tangle).structure();
    assert_eq!(tangle.jacobian_columns, 3 + tangle.forces[1].groups.len());
    assert_eq!(MechanicsOf::<_, f64>::new(&Row).structure().jacobian_columns, 16);
}

/// Eight coordinates, each with a force `x₀ x₁ …` of all other coordinates: more than one evaluation can
/// differentiate.
struct Row;
impl MechanicalModel for Row {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(8, 0)
    }
    fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
        (0..self.dimensions().velocities).for_each(|i| mass[(i, i)] = S::from(1.0));
    }
    fn forces<S: Scalar>(&self, _t: S, q: &[S], v: &[S], forces: &mut [S]) {
        for (i, force) in forces.iter_mut().enumerate() {
            *force = q
                .iter()
                .zip(v)
                .enumerate()
                .fold(S::zero(), |sum, (j, (&q, &v))| sum + q * q * (i + j) as f64 - v * v * (2 * i + j) as f64);
        }
    }
    fn energy<S: Scalar>(&self, _q: &[S], _v: &[S]) -> S {
        S::zero()
    }
}

#[test]
fn forces_are_differentiated_in_many_coordinates() {
    let (q, v) = ([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    let mut mechanics = MechanicsOf::<_, f64>::new(&Row);
    let mut derivatives = Derivatives::new(&mechanics.structure());
    mechanics.derivatives(0.0, &q, &v, &mut derivatives);
    for i in 0..8 {
        for j in 0..8 {
            let (by_position, by_velocity) = (2.0 * q[j] * (i + j) as f64, -2.0 * v[j] * (2 * i + j) as f64);
            assert_relative_eq!(derivatives.forces_by_position[(i, j)], by_position, max_relative = 1e-15);
            assert_relative_eq!(derivatives.forces_by_velocity[(i, j)], by_velocity, max_relative = 1e-15);
        }
    }
}
