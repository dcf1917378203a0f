//! Compares accelerations and multipliers of the squeezer from the elimination along its loops with those from
//! matrices: the system of both together, and mass and constraints in turn.

use std::f64::consts::{FRAC_PI_2, TAU};

use crate::common::squeezer::{ByDuals, skewed, state};
use mbsbench_models::Squeezer;
use mbsbench_models::squeezer::SqueezerAngles;
use mbsbench_problem::{
    AccelerationLevel, ClosedForm, DoubleDouble, Failure, MechanicalModel, Mechanics, MechanicsOf, Ode, Scalar,
};
use nalgebra::{DMatrix, DVector};
use num_dual::Dual64;
use proptest::collection::vec;
use proptest::prelude::*;

/// Units in which entries of mass matrix and Jacobian are of order one: kg m² and m.
const UNITS: (f64, f64) = (1e-5, 0.03);

/// Accuracy of sines and cosines of double-doubles.
const DOUBLE_DOUBLE: f64 = 1e-21;

fn squeezers() -> [SqueezerAngles; 2] {
    [Squeezer::default(), skewed()].map(SqueezerAngles)
}

/// Accelerations, then multipliers times the unit of length and divided by that of mass.
fn scaled<S: Scalar>(accelerations: &[S], multipliers: &[S]) -> Vec<S> {
    let multipliers = multipliers.iter().map(|&lambda| lambda * (UNITS.1 / UNITS.0));
    accelerations.iter().copied().chain(multipliers).collect()
}

/// Result of the elimination along the loops, if it applies to the state.
fn along_loops<S: Scalar>(model: &SqueezerAngles, y: &[S]) -> Option<Vec<S>> {
    let (q, v) = y.split_at(7);
    let (mut accelerations, mut multipliers) = ([S::zero(); 7], [S::zero(); 6]);
    let found = ClosedForm::accelerations(model, q, v, &mut accelerations, &mut multipliers);
    found.then(|| scaled(&accelerations, &multipliers))
}

/// Result of the acceleration level of a model.
fn by_adaptor<S: Scalar>(model: &impl MechanicalModel, y: &[S]) -> Result<Vec<S>, Failure> {
    let mut ode = AccelerationLevel::<S>::new(MechanicsOf::new(model));
    let mut rate = y.to_vec();
    ode.rhs(S::zero(), y, &mut rate)?;
    assert!(rate[..7] == y[7..], "q' = v");
    Ok(scaled(&rate[7..], ode.multipliers()))
}

/// The system `(M, −Jᵀ; J, 0)` and its right-hand side `(D, −bias)` in these units.
fn together(model: &SqueezerAngles, y: &[f64]) -> (DMatrix<f64>, DVector<f64>) {
    let (q, v) = y.split_at(7);
    let model = ByDuals(model);
    let mut mechanics = MechanicsOf::new(&model);
    let (mut mass, mut jacobian) = (DMatrix::zeros(7, 7), DMatrix::zeros(6, 7));
    let (mut forces, mut bias) = ([0.0; 7], [0.0; 6]);
    mechanics.mass(q, &mut mass);
    mechanics.forces(0.0, q, v, &mut forces);
    mechanics.constraint_jacobian(0.0, q, v, &mut jacobian);
    mechanics.acceleration_bias(0.0, q, v, &mut bias);
    mass /= UNITS.0;
    jacobian /= UNITS.1;
    let mut matrix = DMatrix::zeros(13, 13);
    matrix.view_mut((0, 0), (7, 7)).copy_from(&mass);
    matrix.view_mut((0, 7), (7, 6)).copy_from(&-jacobian.transpose());
    matrix.view_mut((7, 0), (6, 7)).copy_from(&jacobian);
    let right = forces.iter().map(|force| force / UNITS.0).chain(bias.iter().map(|bias| -bias / UNITS.1));
    (matrix, DVector::from_iterator(13, right))
}

fn condition(matrix: &DMatrix<f64>) -> f64 {
    let values = matrix.singular_values();
    values.max() / values.min()
}

/// Largest difference in units of the largest entry.
fn difference<S: Scalar>(found: &[S], expected: &[S]) -> f64 {
    let largest = |values: &mut dyn Iterator<Item = S>| values.map(|x| x.value().abs()).fold(0.0, f64::max);
    let between = largest(&mut found.iter().zip(expected).map(|(&a, &b)| a - b));
    between / largest(&mut expected.iter().copied())
}

fn precise(y: &[f64]) -> Vec<DoubleDouble> {
    y.iter().map(|&x| DoubleDouble::from(x)).collect()
}

/// Asserts that the elimination, if it applies to the state, differs from the system of all unknowns in double
/// precision, and from the adaptor in double-double precision, by no more than roundoff of the entries; returns true
/// if it applies. The roundoff of a sum of two angles of 20 rad is several units.
#[track_caller]
fn agrees(model: &SqueezerAngles, y: &[f64]) -> bool {
    let Some(found) = along_loops(model, y) else { return false };
    let (matrix, right) = together(model, y);
    let bound = 8.0 * condition(&matrix);
    let solved = matrix.lu().solve(&right).expect("regular");
    let error = difference(&found, solved.as_slice());
    assert!(error < bound * f64::EPSILON, "{error} at {y:?}");
    let found = along_loops(model, &precise(y)).expect("as in double precision");
    let error = difference(&found, &by_adaptor(&ByDuals(model), &precise(y)).expect("regular"));
    assert!(error < bound * DOUBLE_DOUBLE, "{error} at {y:?}");
    true
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_agree_on_motions(beta in -20.0..20.0f64, omega in -1e3..1e3f64) {
        for model in squeezers() {
            prop_assert!(agrees(&model, &state(&model, beta, omega)));
        }
    }

    /// Loops need not close, and constraints need not hold at velocity level. The cosines of Φ and Ω are the sines of
    /// the angles between arms and links; that of Θ is included to exclude plate, crank and rod in one line, too.
    #[test]
    fn both_agree_on_open_loops(q in vec(-20.0..20.0f64, 7), v in vec(-1e3..1e3f64, 7)) {
        let smallest = q[3].cos().abs().min(q[5].cos().abs());
        for model in squeezers() {
            let applies = agrees(&model, &[&q[..], &v].concat());
            prop_assert!(!applies || smallest > 0.1);
            prop_assert!(applies || smallest <= 0.1 || q[1].sin().abs() < 0.1);
        }
    }

    /// Derivatives by dual numbers through the elimination equal those by implicit differentiation of the system.
    #[test]
    fn derivatives_match_the_system(beta in -20.0..20.0f64, omega in -1e3..1e3f64) {
        for model in squeezers() {
            let y = state(&model, beta, omega);
            let mut jacobian = DMatrix::zeros(14, 14);
            AccelerationLevel::new(MechanicsOf::new(&model)).jacobian(0.0, &y, &mut jacobian).unwrap();
            let largest = jacobian.amax();
            for j in 0..14 {
                let along = |(i, &y): (usize, &f64)| Dual64::new(y, f64::from(u8::from(i == j)));
                let y: Vec<_> = y.iter().enumerate().map(along).collect();
                let found = along_loops(&model, &y).expect("on a motion");
                for i in 0..7 {
                    let (found, expected) = (found[i].eps, jacobian[(7 + i, j)]);
                    let error = (found - expected).abs() / largest;
                    prop_assert!(error < 1e-12, "({i}, {j}): {found} and {expected}");
                }
            }
        }
    }
}

/// E stays within reach of both arms, so that no step of a motion uses matrices.
#[test]
fn arms_and_links_are_never_in_line() {
    let model = SqueezerAngles(Squeezer::default());
    for k in 0..1000 {
        let y = state(&model, TAU * f64::from(k) / 1000.0, 1e3);
        assert!(y[3].cos().abs() > 0.8 && y[5].cos().abs() > 0.8, "{y:?}");
        assert!(along_loops(&model, &y).is_some(), "{y:?}");
    }
}

/// If an arm and its link are in line, the adaptor uses the matrices.
#[test]
fn matrices_with_arm_and_link_in_line() {
    for model in squeezers() {
        for angle in [3, 5] {
            let mut y = state(&model, 0.7, 300.0);
            y[angle] = FRAC_PI_2;
            assert!(along_loops(&model, &y).is_none());
            let [found, expected] = [by_adaptor(&model, &y), by_adaptor(&ByDuals(&model), &y)].map(Result::unwrap);
            assert_eq!(found, expected);
        }
    }
}

/// Plate, crank and rod in one line: a force along the line moves none of them, so its size is not determined. The
/// failures are those of the matrices, and so are those of a state that is not finite.
#[test]
fn states_without_accelerations() {
    let model = SqueezerAngles(Squeezer::default());
    let mut y = state(&model, 0.7, 300.0);
    [y[1], y[2]] = [0.0, y[0] + FRAC_PI_2];
    assert!(along_loops(&model, &y).is_none());
    y[0] = f64::NAN;
    assert!(along_loops(&model, &y).is_none());
    assert!(matches!(by_adaptor(&model, &y), Err(Failure::NonFinite { .. })));
}
