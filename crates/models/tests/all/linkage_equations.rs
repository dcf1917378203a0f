//! Tests the equations of the linkages at random states: forces and mass matrices against the energy, derivatives of
//! the constraints against formulas derived by hand, and the minimal against the Cartesian formulation.

use crate::common::lagrange::{assert_lagrange, dissipated};
use approx::assert_relative_eq;
use mbsbench_models::linkage::{ReducedOde, TwoRods};
use mbsbench_models::{DoublePendulum, FlexibleSliderCrank, SliderCrank};
use mbsbench_problem::{AccelerationLevel, MechanicalModel, Mechanics, MechanicsOf, Ode};
use nalgebra::DMatrix;
use num_dual::{Dual3_64, Dual64, DualNum};
use proptest::collection::vec;
use proptest::prelude::*;

fn double_pendulum() -> DoublePendulum {
    DoublePendulum {
        mass_1: 1.7,
        length_1: 0.8,
        stiffness_1: 30.0,
        damping_1: 2.5,
        mass_2: 0.6,
        length_2: 1.3,
        stiffness_2: 12.0,
        damping_2: 0.9,
        free_angle_1: 0.3,
        free_angle_2: -0.7,
        ..DoublePendulum::default()
    }
}

fn slider_crank() -> SliderCrank {
    SliderCrank {
        crank_mass: 1.9,
        crank_length: 0.4,
        rod_mass: 0.7,
        rod_length: 1.1,
        stiffness: 15.0,
        damping: 2.0,
        free_position: 0.8,
        point_mass: 0.45,
        ..SliderCrank::default()
    }
}

fn flexible_slider_crank(modes: usize) -> FlexibleSliderCrank {
    FlexibleSliderCrank {
        crank_mass: 1.9,
        crank_length: 0.4,
        rod_mass: 0.7,
        rod_length: 1.1,
        modes,
        young_modulus: 2e9,
        modal_damping: 0.3,
        ..FlexibleSliderCrank::default()
    }
}

/// The state of the Cartesian formulation that corresponds to a minimal one.
fn expanded(linkage: &impl TwoRods, y: &[f64]) -> Vec<f64> {
    let mut full = vec![f64::NAN; 2 * linkage.dimensions().coordinates];
    linkage.expand(y, &mut full);
    full
}

/// Asserts that both formulations have the same accelerations at a state that satisfies the constraints, that
/// velocities are the rates of positions, and that the constraints hold at both levels.
#[track_caller]
fn assert_formulations_agree(linkage: &impl TwoRods, y: &[f64]) {
    let (n, f) = (linkage.dimensions().coordinates, linkage.freedoms());
    let full = expanded(linkage, y);
    let mut rate = vec![0.0; 2 * f];
    ReducedOde(linkage).rhs(0.0, y, &mut rate).unwrap();
    assert_eq!(rate[..f], y[f..]);
    // Along the motion by dual numbers: the rates of (q ; v) are those of the Cartesian equations.
    let along: Vec<_> = y.iter().zip(&rate).map(|(&y, &rate)| Dual64::new(y, rate)).collect();
    let mut moving = vec![Dual64::from(0.0); 2 * n];
    linkage.expand(&along, &mut moving);
    let mut expected = vec![0.0; 2 * n];
    AccelerationLevel::new(MechanicsOf::new(linkage)).rhs(0.0, &full, &mut expected).unwrap();
    // Roundoff, multiplied by the condition of mass matrix and constraints.
    let scale = expected.iter().fold(1.0, |scale: f64, x| scale.max(x.abs()));
    for (k, (moving, expected)) in moving.iter().zip(expected).enumerate() {
        let difference = (moving.eps - expected).abs();
        assert!(difference < 1e-11 * scale, "rate {k}: {} against {expected}", moving.eps);
    }
    let (q, v) = full.split_at(n);
    let mut mechanics = MechanicsOf::new(linkage);
    let mut values = vec![0.0; linkage.dimensions().holonomic];
    mechanics.constraint_values(0.0, q, v, &mut values);
    assert!(values.iter().all(|phi| phi.abs() < 1e-15), "Φ = {values:?}");
    mechanics.velocity_constraints(0.0, q, v, &mut values);
    assert!(values.iter().all(|rate| rate.abs() < 2e-14), "Φ_q v = {values:?}");
}

/// Asserts that Jacobian and bias are those of `rows`, each given by the coefficients of the positions and of
/// `(cos θ₁, sin θ₁, cos θ₂, sin θ₂)`.
#[track_caller]
fn assert_constraints(linkage: &impl TwoRods, rows: &[([f64; 4], [f64; 4])], q: &[f64], v: &[f64]) {
    let (n, m) = (linkage.dimensions().coordinates, linkage.dimensions().holonomic);
    assert_eq!(m, rows.len());
    let mut mechanics = MechanicsOf::new(linkage);
    let (mut jacobian, mut bias, mut values) = (DMatrix::zeros(m, n), vec![0.0; m], vec![0.0; m]);
    mechanics.constraint_jacobian(0.0, q, v, &mut jacobian);
    mechanics.acceleration_bias(0.0, q, v, &mut bias);
    mechanics.constraint_values(0.0, q, v, &mut values);
    let [(s1, c1), (s2, c2)] = [q[2].sin_cos(), q[5].sin_cos()];
    for (c, ([x1, y1, x2, y2], [a, b, d, e])) in rows.iter().enumerate() {
        let expected = [*x1, *y1, b * c1 - a * s1, *x2, *y2, e * c2 - d * s2];
        for j in 0..n {
            assert_relative_eq!(jacobian[(c, j)], expected.get(j).copied().unwrap_or(0.0), epsilon = 1e-15);
        }
        let arcs = [a * c1 + b * s1, d * c2 + e * s2];
        assert_relative_eq!(bias[c], -(arcs[0] * v[2] * v[2] + arcs[1] * v[5] * v[5]), epsilon = 1e-13);
        let linear = x1 * q[0] + y1 * q[1] + x2 * q[3] + y2 * q[4];
        assert_relative_eq!(values[c], linear + arcs[0] + arcs[1], epsilon = 1e-14);
    }
    assert_pin_drift(linkage, q, v);
}

/// Compares the closed form of the pin's drift with the third derivative of Φ along `q + v s + a s²/2`.
#[track_caller]
fn assert_pin_drift(linkage: &impl TwoRods, q: &[f64], v: &[f64]) {
    // The formula holds for any accelerations.
    let a: Vec<f64> = q.iter().zip(v).map(|(q, v)| 3.0 * q - v * v + 0.7).collect();
    let path: Vec<_> = (0..q.len()).map(|k| Dual3_64::new(q[k], v[k], a[k], 0.0)).collect();
    let mut phi = vec![Dual3_64::from(0.0); linkage.dimensions().holonomic];
    linkage.holonomic_constraints(Dual3_64::from(0.0), &path, &mut phi);
    for (drift, phi) in linkage.pin_drift(q, v, &a).into_iter().zip(&phi[2..4]) {
        assert_relative_eq!(drift, -phi.v3, epsilon = 1e-12, max_relative = 1e-12);
    }
}

#[test]
fn double_pendulum_dissipates_in_its_two_dampers() {
    let damped = double_pendulum();
    let undamped = DoublePendulum { damping_1: 0.0, damping_2: 0.0, ..damped.clone() };
    let (q, v) = ([0.3, 0.1, 0.5, -0.4, 0.9, 2.0], [1.0, -2.0, 1.5, 0.5, 0.2, -0.8]);
    let expected = 2.5 * 1.5f64.powi(2) + 0.9 * 2.3f64.powi(2);
    assert_relative_eq!(dissipated(&damped, &undamped, &q, &v), expected, max_relative = 1e-14);
}

/// The force acts on the slider, whose velocity along x is that of the rod's far end.
#[test]
fn slider_crank_dissipates_in_its_damper() {
    let damped = slider_crank();
    let undamped = SliderCrank { damping: 0.0, ..damped.clone() };
    let (q, v) = ([0.3, 0.1, 0.5, -0.4, 0.9, 2.0f64], [1.0, -2.0, 1.5, 0.5, 0.2, -0.8]);
    let slider = 0.5 + 0.55 * q[5].sin() * 0.8;
    assert_relative_eq!(dissipated(&damped, &undamped, &q, &v), 2.0 * slider * slider, max_relative = 1e-14);
}

/// Each mode has the power `2 ζ ω_k m_k ė_k²` with the frequency `ω_k² = E I (k π/L₂)⁴/μ` of a pinned beam
/// and `m_k = m₂/2`.
#[test]
fn flexible_slider_crank_dissipates_in_its_modes() {
    let damped = flexible_slider_crank(3);
    let undamped = FlexibleSliderCrank { modal_damping: 0.0, ..damped.clone() };
    let q = [0.3, 0.1, 0.5, -0.4, 0.9, 2.0, 0.01, 0.02, -0.03];
    let v = [1.0, -2.0, 1.5, 0.5, 0.2, -0.8, 0.7, -0.3, 0.2];
    let power = |k: usize| {
        let wave = k as f64 * std::f64::consts::PI / 1.1;
        let frequency = wave * wave * (2e9 * 2.765e-8 / (0.7 / 1.1f64)).sqrt();
        2.0 * 0.3 * frequency * 0.35 * v[5 + k] * v[5 + k]
    };
    let expected: f64 = (1..=3).map(power).sum();
    assert_relative_eq!(dissipated(&damped, &undamped, &q, &v), expected, max_relative = 1e-13);
}

/// Compares mass and energy of the rod with sums over its slices, whose velocities are found from their positions.
#[test]
fn flexible_rod_has_the_kinetic_energy_of_its_slices() {
    let model = flexible_slider_crank(4);
    let q = [0.0, 0.0, 0.0, 0.2, -0.3, 0.7, 0.05, -0.04, 0.03, 0.02];
    let v = [0.0, 0.0, 0.0, 1.1, 0.6, -2.3, 0.4, 0.9, -0.5, 0.8];
    let slices = 20_000;
    let mut expected = 0.0;
    for slice in 0..slices {
        let x = (f64::from(slice) + 0.5) / f64::from(slices) * 1.1;
        let along: Vec<_> = q.iter().zip(v).map(|(&q, v)| Dual64::new(q, v)).collect();
        let shape = |k: usize| (k as f64 * std::f64::consts::PI * x / 1.1).sin();
        let deflection = (1..=4).fold(Dual64::from(0.0), |sum, k| sum + along[5 + k] * shape(k));
        let (sin, cos) = (along[5].sin(), along[5].cos());
        let (px, py) = (along[3] + cos * x - sin * deflection, along[4] + sin * x + cos * deflection);
        expected += 0.5 * 0.7 / f64::from(slices) * (px.eps * px.eps + py.eps * py.eps);
    }
    let kinetic = model.energy(&q, &v) - model.energy(&q, &[0.0; 10]);
    // the midpoint rule with 20 000 slices
    assert_relative_eq!(kinetic, expected, max_relative = 1e-8);
}

/// Without modes, and in the limit of a stiff rod, the crank moves like that of the rigid mechanism without a spring.
#[test]
fn flexible_slider_crank_tends_to_the_rigid_one() {
    let rigid =
        SliderCrank { stiffness: 0.0, damping: 0.0, crank_rate: 2.0, crank_angle: 2.5, ..SliderCrank::default() };
    let expected = rate(&rigid)[1];
    let flexible = |modes, young_modulus| {
        let model =
            FlexibleSliderCrank { modes, young_modulus, crank_rate: 2.0, crank_angle: 2.5, ..Default::default() };
        rate(&model)[1 + modes]
    };
    assert_relative_eq!(flexible(0, 200e9), expected, max_relative = 1e-14);
    for modes in [1, 2, 5] {
        let differences = [1e10, 1e11, 1e12].map(|young_modulus| flexible(modes, young_modulus) - expected);
        // of order 1/E
        for pair in differences.windows(2) {
            assert_relative_eq!(pair[0] / pair[1], 10.0, max_relative = 1e-2);
        }
    }
}

/// Initial rates of the minimal state.
fn rate(linkage: &impl TwoRods) -> Vec<f64> {
    let y = linkage.reduced_initial::<f64>();
    let mut rate = y.clone();
    ReducedOde(linkage).rhs(0.0, &y, &mut rate).unwrap();
    rate
}

proptest! {
    #[test]
    fn double_pendulum_at_random(q in vec(-3.0..3.0f64, 6), v in vec(-4.0..4.0f64, 6)) {
        let damped = double_pendulum();
        let undamped = DoublePendulum { damping_1: 0.0, damping_2: 0.0, ..damped.clone() };
        assert_lagrange(&undamped, &q, &v);
        assert_constraints(&damped, &[
            ([1.0, 0.0, 0.0, 0.0], [-0.4, 0.0, 0.0, 0.0]),
            ([0.0, 1.0, 0.0, 0.0], [0.0, -0.4, 0.0, 0.0]),
            ([1.0, 0.0, -1.0, 0.0], [0.4, 0.0, 0.65, 0.0]),
            ([0.0, 1.0, 0.0, -1.0], [0.0, 0.4, 0.0, 0.65]),
        ], &q, &v);
        assert_formulations_agree(&damped, &[q[2], q[5], v[2], v[5]]);
    }

    #[test]
    fn slider_crank_at_random(q in vec(-3.0..3.0f64, 6), v in vec(-4.0..4.0f64, 6)) {
        let damped = slider_crank();
        assert_lagrange(&SliderCrank { damping: 0.0, ..damped.clone() }, &q, &v);
        assert_constraints(&damped, &[
            ([1.0, 0.0, 0.0, 0.0], [-0.2, 0.0, 0.0, 0.0]),
            ([0.0, 1.0, 0.0, 0.0], [0.0, -0.2, 0.0, 0.0]),
            ([1.0, 0.0, -1.0, 0.0], [0.2, 0.0, 0.55, 0.0]),
            ([0.0, 1.0, 0.0, -1.0], [0.0, 0.2, 0.0, 0.55]),
            ([0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.55]),
        ], &q, &v);
        assert_formulations_agree(&damped, &[q[2], v[2]]);
    }

    #[test]
    fn flexible_slider_crank_at_random(
        modes in 0..=8usize,
        q in vec(-3.0..3.0f64, 6), v in vec(-4.0..4.0f64, 6),
        e in vec(-0.05..0.05f64, 8), e_rate in vec(-1.0..1.0f64, 8),
    ) {
        let damped = flexible_slider_crank(modes);
        let (e, e_rate) = (&e[..modes], &e_rate[..modes]);
        let reduced = [&[q[2]], e, &[v[2]], e_rate].concat();
        let (q, v) = ([&q, e].concat(), [&v, e_rate].concat());
        assert_lagrange(&FlexibleSliderCrank { modal_damping: 0.0, ..damped.clone() }, &q, &v);
        assert_constraints(&damped, &[
            ([1.0, 0.0, 0.0, 0.0], [-0.2, 0.0, 0.0, 0.0]),
            ([0.0, 1.0, 0.0, 0.0], [0.0, -0.2, 0.0, 0.0]),
            ([1.0, 0.0, -1.0, 0.0], [0.2, 0.0, 0.0, 0.0]),
            ([0.0, 1.0, 0.0, -1.0], [0.0, 0.2, 0.0, 0.0]),
            ([0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.1]),
        ], &q, &v);
        assert_formulations_agree(&damped, &reduced);
    }
}
