//! Compares each formulation with the exact solution and with the others, and checks its invariants.

use crate::common::swing::Swing;
use crate::common::{pendulum, run_with, sliding, spheres, unprojected};
use mbsbench_integrators::Rk8;
use mbsbench_models::{Pendulum, RollingSpheres};
use mbsbench_problem::{DoubleDouble, Formulated, Formulation, ModelDefinition, Scalar};

fn formulations() -> [Formulation; 3] {
    [Formulation::Minimal, Formulation::AccelerationLevel, sliding(|_| ())]
}

fn swing(model: &Pendulum) -> Swing<f64> {
    let frequency = (1.5 * model.gravity / model.length).sqrt();
    Swing::new(frequency, model.angle.to_radians(), model.angular_velocity).expect("it swings")
}

/// Compares all formulations of the pendulum with Jacobi's elliptic functions, for parameters that distinguish every
/// power of mass and length.
#[test]
fn the_pendulum_matches_the_elliptic_functions() {
    let published = Pendulum::default();
    let other =
        Pendulum { mass: 2.5, length: 0.7, gravity: 3.7, angle: -75.0, angular_velocity: 2.0, ..published.clone() };
    for model in [published, other] {
        let exact = swing(&model);
        for formulation in formulations() {
            let record = run_with::<Rk8>(&Pendulum { formulation, ..model.clone() }, 0.01, 5.0);
            for (k, &t) in record.times.iter().enumerate() {
                let (theta, omega) = exact.at(t);
                let error = |name: &str, exact: f64| (record.column(name).nth(k).unwrap() - exact).abs();
                // 500 steps with truncation errors below 1e-13 each (5e-11 J in table 3.1 at five times the
                // step), and roundoff
                assert!(error("theta", theta) < 2e-12, "θ({t}): {:e}", error("theta", theta));
                assert!(error("omega", omega) < 1e-11, "ω({t}): {:e}", error("omega", omega));
            }
        }
    }
}

/// Sentence of section 3.5.3: the two solutions agree within O(1e-12); it holds for steps of about 0.02 and below.
#[test]
fn minimal_and_constrained_pendulum_agree() {
    for (step, theta, omega) in [(0.05, 7e-10, 3e-9), (0.025, 2.5e-12, 1.1e-11), (0.02, 4e-13, 1.8e-12)] {
        let minimal = run_with::<Rk8>(&pendulum(Formulation::Minimal), step, 5.0);
        let hybrid = run_with::<Rk8>(&pendulum(sliding(|_| ())), step, 5.0);
        for (name, expected) in [("theta", theta), ("omega", omega)] {
            let largest = minimal.column(name).zip(hybrid.column(name)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            // expected to one or two digits from another implementation
            assert!((0.8..1.25).contains(&(largest / expected)), "{name}, h = {step}: {largest:e}");
        }
    }
}

#[test]
fn initial_states_are_consistent_in_both_precisions() {
    for formulation in formulations() {
        for definition in [pendulum(formulation.clone()).model(), spheres(formulation.clone()).model()] {
            let rounded: Vec<f64> = Formulated::<f64>::initial_state(&*definition);
            let precise: Vec<DoubleDouble> = Formulated::<DoubleDouble>::initial_state(&*definition);
            for (r, p) in rounded.iter().zip(&precise) {
                assert!((p.value() - r).abs() <= 4.0 * f64::EPSILON * r.abs(), "{r} against {p:?}");
            }
            let mut values = vec![0.0; definition.observables().len()];
            definition.observation().observe(0.0, &rounded, &mut values);
            for (observable, value) in definition.observables().iter().zip(values) {
                if ["constraint", "surface"].contains(&observable.name.as_str()) {
                    // σ times the roundoff of the distance 0.6 m
                    assert!(value.abs() <= 10.0 * 2.0 * f64::EPSILON, "{}: {value:e}", observable.name);
                }
            }
        }
    }
    let angle: Vec<f64> = Formulated::<f64>::initial_state(&*pendulum(Formulation::Minimal).model());
    assert_eq!(angle, [20.0 * std::f64::consts::PI / 180.0, 1.0]);
}

/// The energy balance of every formulation, at roundoff level.
#[test]
fn energy_is_conserved() {
    for formulation in formulations() {
        // roundoff of 160 J in 500 evaluations and steps; the truncation error of RK-8 is below 1e-15 of it (table 3.1)
        let record = run_with::<Rk8>(&pendulum(formulation.clone()), 0.01, 5.0);
        assert!(record.variation("energy") < 20.0 * 2f64.powi(-45), "{:e}", record.variation("energy"));
        let record = run_with::<Rk8>(&spheres(formulation.clone()), 0.01, 8.0);
        // the spacing of doubles at 4.86e-3 J is 8.7e-19
        assert!(record.variation("energy") < 200.0 * 8.7e-19, "{:e}", record.variation("energy"));
        assert!((record.at("energy", 0.0) - 4.857_696e-3).abs() < 5e-10);
    }
}

#[test]
fn the_formulations_of_the_spheres_agree() {
    let records = formulations().map(|formulation| run_with::<Rk8>(&spheres(formulation), 0.01, 8.0));
    for record in &records[1..] {
        for name in ["rho", "alpha", "beta", "phi", "theta", "psi"] {
            let difference = |until: f64| {
                let pairs = records[0].times.iter().zip(records[0].column(name).zip(record.column(name)));
                pairs.filter(|&(&t, _)| t <= until).map(|(_, (a, b))| (a - b).abs()).fold(0.0, f64::max)
            };
            // roundoff of angles of up to 20 rad over 800 steps, and an unstabilised drift that grows with t²
            assert!(difference(1.0) < 1e-13, "{name} within 1 s: {:e}", difference(1.0));
            assert!(difference(8.0) < 1e-11, "{name} within 8 s: {:e}", difference(8.0));
        }
    }
}

/// Compares the formulations with other radii, another mass and other rolling initial rates, so that no factor of the
/// derivation is one or zero.
#[test]
fn the_formulations_of_the_spheres_agree_for_other_parameters() {
    let other = |formulation| RollingSpheres {
        formulation,
        outer_radius: 0.5,
        inner_radius: 0.25,
        mass: 3.0,
        rho: 0.75,
        ..RollingSpheres::default()
    };
    let minimal = run_with::<Rk8>(&other(Formulation::Minimal), 0.01, 8.0);
    let hybrid = run_with::<Rk8>(&other(sliding(|_| ())), 0.01, 8.0);
    for name in ["alpha", "beta", "phi", "theta", "psi", "energy"] {
        let largest = minimal.column(name).zip(hybrid.column(name)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(largest < 1e-11, "{name}: {largest:e}");
    }
}

/// Figure 3.10, consistent initial values, compared with another implementation.
#[test]
fn landmarks_of_figure_3_10() {
    let record = run_with::<Rk8>(&spheres(sliding(|_| ())), 0.01, 8.0);
    let expected = [
        ("alpha", [-5.619, -11.198, -16.698, -22.075, -27.281, -32.265, -36.967, -41.325]),
        ("beta", [95.638, 101.354, 107.226, 113.336, 119.766, 126.600, 133.917, 141.789]),
        ("phi", [97.76, 187.56, 295.10, 379.64, 493.77, 575.31, 700.11, 795.16]),
        ("theta", [134.59, 81.45, 46.52, 106.85, 124.12, 57.44, 68.31, 132.08]),
        ("psi", [140.41, 178.74, 115.01, 88.49, 157.21, 160.02, 79.07, 106.53]),
    ];
    for (name, angles) in expected {
        let unit = if ["alpha", "beta"].contains(&name) { 1e-3 } else { 1e-2 };
        for (second, expected) in angles.into_iter().enumerate() {
            let found = record.at(name, second as f64 + 1.0).to_degrees();
            assert!((found - expected).abs() < 0.51 * unit, "{name}({}): {found}, {expected}", second + 1);
        }
    }
}

/// Without corrections the constraints drift; with them they stay at roundoff level.
#[test]
fn corrections_hold_the_constraints() {
    let drift = |formulation| run_with::<mbsbench_integrators::Rk3>(&pendulum(formulation), 0.05, 5.0);
    let held = drift(sliding(|_| ()));
    assert!(held.largest("constraint") < 1e-15 && held.largest("surface") < 1e-14);
    for formulation in [sliding(unprojected), Formulation::AccelerationLevel] {
        assert!(drift(formulation).largest("constraint") > 1e-5);
    }
}

#[test]
fn small_swings_have_the_small_angle_frequency() {
    // A quarter period of √(3 g/2 l) after the peak of a swing of 0.01°, the pendulum hangs straight.
    let quarter = 0.5 * std::f64::consts::PI / (1.5f64 * 9.81).sqrt();
    for formulation in formulations() {
        let model = Pendulum { angle: 0.01, angular_velocity: 0.0, ..pendulum(formulation) };
        let record = run_with::<Rk8>(&model, quarter / 64.0, quarter);
        let last = record.column("theta").nth(64).unwrap();
        // amplitude³ π/32 beyond the linear frequency
        let amplitude = 0.01f64.to_radians();
        assert!(last.abs() < amplitude.powi(3), "{last:e}");
    }
}
