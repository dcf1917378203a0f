//! Rolling spheres from inconsistent initial values (compere2001, figures 3.11 and 3.12): the sliding-mode control
//! drives each surface to zero, then the corrections keep it there. The dissertation prints neither η nor the curves
//! as numbers; the landmarks for σ = 10 1/s, η = (0.1, 0.1, 2) were computed with another implementation.

use crate::common::{Record, run_with, sliding, spheres};
use mbsbench_integrators::Rk5;
use mbsbench_models::RollingSpheres;

fn inconsistent(eta: [f64; 3], mass: f64) -> RollingSpheres {
    RollingSpheres {
        rho: 0.7,
        phi_rate_factor: 1.2,
        theta_rate_factor: 1.5,
        mass,
        ..spheres(sliding(|s| s.eta = eta.to_vec()))
    }
}

fn reaching_times(record: &Record) -> [f64; 3] {
    let mut times = [f64::NAN; 3];
    for &(t, index) in &record.events {
        assert!(times[index].is_nan(), "surface {index} is reached twice");
        times[index] = t;
    }
    times
}

#[test]
fn initial_surfaces_follow_from_inconsistent_values() {
    let record = run_with::<Rk5>(&inconsistent([0.1, 0.1, 2.0], 1.0), 0.01, 0.01);
    for (name, expected) in [("surface_1", 0.029_452_4), ("surface_2", -0.011_781_0), ("surface_3", 1.0)] {
        assert!((record.at(name, 0.0) - expected).abs() < 5e-8, "{name}");
    }
    assert!((record.at("energy", 0.0) - 0.007_283).abs() < 5e-7);
}

#[test]
fn landmarks_of_figure_3_11() {
    let record = run_with::<Rk5>(&inconsistent([0.1, 0.1, 2.0], 1.0), 0.01, 8.0);
    let times = reaching_times(&record);
    for (found, expected) in times.iter().zip([0.090_92, 0.036_41, 0.500_00]) {
        assert!((found - expected).abs() < 6e-6, "{times:?}");
    }
    // (t, ρ, α, β, φ, θ, ψ, E), lengths in m, angles in degrees; half a unit of the last digit
    let landmarks = [
        (0.5, [0.619_87, -3.36, 93.18, 46.0, 127.9, 106.9, 0.028_286]),
        (0.51, [0.6, -3.43, 93.25, 47.4, 128.5, 107.8, 0.008_163]),
        (1.0, [0.6, -7.10, 96.73, 128.3, 129.3, 164.2, 0.008_163]),
        (4.0, [0.6, -28.79, 119.70, 507.0, 117.5, 167.4, 0.008_163]),
        (8.0, [0.6, -51.62, 161.17, 1074.0, 81.6, 61.5, 0.008_163]),
    ];
    let names = ["rho", "alpha", "beta", "phi", "theta", "psi", "energy"];
    let units = [1e-5, 0.01, 0.01, 0.1, 0.1, 0.1, 1e-6];
    for (t, values) in landmarks {
        for ((name, expected), unit) in names.iter().zip(values).zip(units) {
            // the time at which the third surface is reached, before the correction that starts then
            let found = if t == 0.5 { record.before(name, t) } else { record.at(name, t) };
            let found = found * if unit >= 0.01 { 180.0 / std::f64::consts::PI } else { 1.0 };
            // half a unit, and a little more for values that were rounded twice
            assert!((found - expected).abs() < 0.55 * unit, "{name}({t}) = {found}, expected {expected}");
        }
    }
    assert!((record.before("rho_rate", 0.5) + 0.1987).abs() < 5e-5);
    // The energy stays below the axis of the figure, is highest when the third surface is reached, and is
    // constant afterwards.
    let highest = record.column("energy").fold(0.0, f64::max);
    assert!(highest < record.before("energy", 0.5) && record.before("energy", 0.5) < 0.03);
    let after: Vec<usize> = (0..record.times.len()).filter(|&k| record.times[k] >= times[2]).collect();
    let energies: Vec<f64> = after.iter().map(|&k| record.column("energy").nth(k).unwrap()).collect();
    let variation = energies.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b))
        - energies.iter().fold(f64::INFINITY, |a, &b| a.min(b));
    assert!((1.3e-12..1.5e-12).contains(&variation), "{variation:e}");
    let surface = after.iter().map(|&k| record.column("surface").nth(k).unwrap()).fold(0.0, f64::max);
    assert!(surface <= 1e-16, "{surface:e}"); // |S| terms are about 0.06 m/s, spacing 7e-18
}

/// Surface 3 has `s₃ = 1 − η₃ t` and `ρ̇ = −(η₃/σ)(1 − exp(−σ t))`: it is not coupled to the others, and
/// `(GB)₃₃ = 1/m`.
#[test]
fn third_surface_falls_linearly_and_the_distance_lags() {
    let record = run_with::<Rk5>(&inconsistent([0.1, 0.1, 2.0], 1.0), 0.01, 0.5);
    for (k, &t) in record.times.iter().enumerate().filter(|&(_, &t)| t < 0.499) {
        let s = record.column("surface_3").nth(k).unwrap();
        assert!((s - (1.0 - 2.0 * t)).abs() < 1e-13, "s₃({t}) = {s}");
        let rate = record.column("rho_rate").nth(k).unwrap();
        let exact = -0.2 * (1.0 - (-10.0 * t).exp());
        // local error σ (σ h)⁵/6! of ρ̇ ≈ 1e-9 per step, damped within 1/(σ h) = 10 steps
        assert!((rate - exact).abs() < 3e-9, "ρ̇({t}): {:e}", rate - exact);
    }
}

#[test]
fn reaching_phase_and_motion_do_not_depend_on_the_step() {
    let model = inconsistent([0.1, 0.1, 2.0], 1.0);
    let finest = run_with::<Rk5>(&model, 0.005, 0.6);
    let reference = reaching_times(&finest);
    // 0.013 does not divide the last reaching time
    for step in [0.02, 0.013, 0.01] {
        let record = run_with::<Rk5>(&model, step, 0.6);
        let difference = record.column("energy").last().unwrap() - finest.column("energy").last().unwrap();
        assert!(difference.abs() < 1e-9, "h = {step}: {difference:e} J"); // shifts of 1e-8 s at 0.0068 J/s
        let times = reaching_times(&record);
        for (found, expected) in times.iter().zip(reference) {
            // s| ≤ h⁵ locates a zero within h⁵/|ṡ|: 3.2e-9/0.32 for the coarsest
            assert!((found - expected).abs() < 1.1e-8, "h = {step}: {times:?} against {reference:?}");
        }
    }
}

/// The bound |s_i(0)|/η_i of compere2001, Eq. 3.20, holds because (GB)_ii ≥ 1, with equality for surface 3 at unit
/// mass.
#[test]
fn reaching_times_obey_the_printed_bound() {
    for eta in [[0.05, 0.05, 1.0], [0.2, 0.1, 4.0]] {
        let times = reaching_times(&run_with::<Rk5>(&inconsistent(eta, 1.0), 0.01, 1.1));
        let initial = [0.029_452_4, 0.011_781_0, 1.0];
        for i in 0..3 {
            assert!(times[i] <= initial[i] / eta[i] + 1e-9, "surface {i}: {}", times[i]);
        }
        assert!((times[2] - 1.0 / eta[2]).abs() < 1e-9);
    }
    // u acts as a force: with half the mass the surface is reached in half the time.
    let times = reaching_times(&run_with::<Rk5>(&inconsistent([0.1, 0.1, 2.0], 0.5), 0.01, 0.6));
    assert!((times[2] - 0.25).abs() < 1e-9, "{times:?}");
}

#[test]
fn consistent_values_have_no_reaching_phase() {
    let model = spheres(sliding(|s| s.eta = vec![0.1, 0.1, 2.0]));
    let with_gains = run_with::<Rk5>(&model, 0.01, 1.0);
    assert!(with_gains.events.is_empty());
    let without = run_with::<Rk5>(&spheres(sliding(|_| ())), 0.01, 1.0);
    assert_eq!(with_gains.states, without.states);
}
