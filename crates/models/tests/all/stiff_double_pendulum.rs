//! Tests the stiff double pendulum of gil2013: its fast mode, both formulations against each other, energy, and the
//! forces in its pins.

use crate::common::lagrange::assert_lagrange;
use crate::common::{Record, run_with};
use approx::assert_relative_eq;
use mbsbench_integrators::Rk8;
use mbsbench_models::linkage::{Linkage, ReducedOde};
use mbsbench_models::{LinkageFormulation, StiffDoublePendulum};
use mbsbench_problem::{AccelerationLevel, MechanicsOf, Ode, Parameters};
use nalgebra::DMatrix;
use num_dual::Dual64;
use proptest::collection::vec;
use proptest::prelude::*;

fn minimal() -> StiffDoublePendulum {
    StiffDoublePendulum { formulation: LinkageFormulation::Minimal, ..StiffDoublePendulum::default() }
}

/// `∂f/∂y` at `y` by dual numbers.
fn jacobian(ode: &mut dyn Ode<Dual64>, y: &[f64]) -> DMatrix<f64> {
    let mut jacobian = DMatrix::zeros(y.len(), y.len());
    let mut rate = vec![Dual64::from(0.0); y.len()];
    for j in 0..y.len() {
        let seeded: Vec<_> = (0..y.len()).map(|k| Dual64::new(y[k], if k == j { 1.0 } else { 0.0 })).collect();
        ode.rhs(Dual64::from(0.0), &seeded, &mut rate).unwrap();
        for (i, rate) in rate.iter().enumerate() {
            jacobian[(i, j)] = rate.eps;
        }
    }
    jacobian
}

/// Initial frequency (rad/s) of the fast mode; both formulations must have exactly one undamped pair.
fn frequency(model: &StiffDoublePendulum) -> f64 {
    let model = &model.rods();
    let reduced = jacobian(&mut ReducedOde(model), &model.reduced_initial::<f64>());
    let full = jacobian(&mut AccelerationLevel::new(MechanicsOf::new(model)), &model.full_initial::<f64>());
    let [reduced, full] = [reduced, full].map(|jacobian| {
        let eigenvalues = jacobian.complex_eigenvalues();
        let fast: Vec<_> = eigenvalues.iter().filter(|lambda| lambda.norm() > 1.0).collect();
        assert_eq!(fast.len(), 2, "{eigenvalues}");
        assert!(fast.iter().all(|lambda| lambda.re.abs() < 1e-9 * lambda.norm()), "{eigenvalues}");
        fast[0].im.abs()
    });
    assert_relative_eq!(reduced, full, max_relative = 1e-10);
    reduced
}

/// For two equal rods in line `ω² = 96 k/(7 m L²)`; frequencies times a step of 0.02 s in half turns, some at
/// resonance, from another implementation.
#[test]
fn fast_mode_at_the_start() {
    let found = frequency(&StiffDoublePendulum::default());
    assert!((found - 242.76).abs() < 5e-3, "{found}");
    let by_hand = (96.0 * StiffDoublePendulum::default().stiffness / 280.0).sqrt();
    assert_relative_eq!(found, by_hand, max_relative = 1e-12);
    for (mass_1, mass_2, length, half_turns, digits) in
        [(10.0, 10.0, 2.0, 1.545, 3), (6.0, 6.0, 1.0, 3.99, 2), (100.0, 100.0, 1.0, 0.977, 3)]
    {
        let model = StiffDoublePendulum { mass_1, mass_2, length_1: length, length_2: length, ..Default::default() };
        let found = frequency(&model) * 0.02 / std::f64::consts::PI;
        assert!((found - half_turns).abs() < 0.51 * 10f64.powi(-digits), "{mass_1} kg: {found}");
    }
}

/// The torque on the first rod is `k (θ₂ − θ₁ − r)`, and initially stiffness times preload for any free angle.
#[test]
fn preload_is_the_deflection_at_the_start() {
    let preload = 5f64.to_radians();
    // bent rods with a spring that is unstrained in line, and rods in line with a spring that is unstrained
    // when they are bent
    for free_angle in [0.0, -preload] {
        let model = StiffDoublePendulum { preload, free_angle, gravity: 0.0, angle_1: 0.7, ..minimal() };
        model.check().unwrap();
        let start = model.rods().reduced_initial::<f64>();
        assert_relative_eq!(start[1] - start[0], free_angle + preload, epsilon = 1e-15);
        let mut rate = [0.0; 4];
        ReducedOde(&model.rods()).rhs(0.0, &start, &mut rate).unwrap();
        let torque = model.stiffness * preload;
        let (m11, m12, m22) = (160.0 / 3.0, 20.0 * (free_angle + preload).cos(), 40.0 / 3.0);
        assert_relative_eq!(m11 * rate[2] + m12 * rate[3], torque, max_relative = 1e-12);
        assert_relative_eq!(m12 * rate[2] + m22 * rate[3], -torque, max_relative = 1e-12);
    }
}

/// Compares every observable that both records have, over the whole run; `tolerance` is relative to the largest value.
#[track_caller]
fn assert_same(cartesian: &Record, minimal: &Record, tolerance: f64) {
    for name in &minimal.names {
        let scale = minimal.largest(name).max(1.0);
        let difference =
            cartesian.column(name).zip(minimal.column(name)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(difference < tolerance * scale, "{name}: {difference:e} of {scale:e}");
    }
}

/// The comparison includes multipliers and drift of the pins.
#[test]
fn formulations_agree() {
    for start in
        [minimal(), StiffDoublePendulum { angle_1: -0.8, free_angle: 0.1, preload: 0.02, length_2: 1.3, ..minimal() }]
    {
        let reduced = run_with::<Rk8>(&start, 2f64.powi(-11), 1.0);
        let full = StiffDoublePendulum { formulation: LinkageFormulation::Cartesian, ..start };
        let full = run_with::<Rk8>(&full, 2f64.powi(-11), 1.0);
        for name in ["relative_angle", "multiplier_4", "energy_change"] {
            assert!(reduced.names.iter().any(|n| n == name), "{name}");
        }
        assert_same(&full, &reduced, 1e-9);
        assert!(full.largest("constraint") < 1e-11, "{:e}", full.largest("constraint"));
    }
}

/// Angles, and the peak-to-peak value of the fast component, 0.0327 deg, from another implementation.
#[test]
fn motion_from_horizontal_rest() {
    for formulation in [LinkageFormulation::Cartesian, LinkageFormulation::Minimal] {
        let model = StiffDoublePendulum { formulation, ..StiffDoublePendulum::default() };
        let record = run_with::<Rk8>(&model, 2f64.powi(-11), 5.0);
        assert!((record.at("theta1", 5.0) + 2.015_246_115).abs() < 1e-9, "{:.12}", record.at("theta1", 5.0));
        assert!((record.at("theta2", 5.0) + 2.015_314_502).abs() < 1e-9, "{:.12}", record.at("theta2", 5.0));
        assert!((record.variation("relative_angle").to_degrees() - 0.0327).abs() < 0.51e-4);
        assert_eq!(record.column("energy_change").next(), Some(0.0));
        // the kinetic energy is some 600 J; truncation is below 1e-9 J
        assert!(record.largest("energy_change") < 1e-8, "{:e}", record.largest("energy_change"));
    }
}

/// If the rods hang in line at rest, each pin carries the weights below it.
#[test]
fn multipliers_are_the_forces_in_the_pins() {
    let model = StiffDoublePendulum { angle_1: -0.5 * std::f64::consts::PI, mass_2: 4.0, ..Default::default() };
    let record = run_with::<Rk8>(&model, 1e-5, 1e-5);
    let [first, second] = ["multiplier_2", "multiplier_4"].map(|name| record.at(name, 0.0));
    assert_relative_eq!(first, 14.0 * 9.81, max_relative = 1e-12);
    assert_relative_eq!(second, -4.0 * 9.81, max_relative = 1e-12);
}

proptest! {
    /// Forces and mass matrix follow from the energy, at states that need not satisfy the constraints.
    #[test]
    fn equations_are_lagrange(q in vec(-3.0..3.0f64, 6), v in vec(-4.0..4.0f64, 6)) {
        let model =
            StiffDoublePendulum { mass_2: 3.0, length_2: 1.1, stiffness: 25.0, free_angle: 0.3, ..Default::default() };
        assert_lagrange(&model.rods(), &q, &v);
    }
}
