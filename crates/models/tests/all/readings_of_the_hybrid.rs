//! Readings that the wording of compere2001, chapter 3, leaves open, with the numbers that distinguish them; and the
//! faulty hybrid of figure 3.8. The expected numbers were computed with another implementation.

use crate::common::{
    assert_digits, frozen, holonomic_only, mass_metric, pendulum, run_with, sliding, spheres, unprojected,
};
use mbsbench_integrators::{Rk3, Rk5, Rk8};
use mbsbench_problem::{SlidingModeSettings, sliding_mode::EquivalentControl};

type Change = fn(&mut SlidingModeSettings);

#[test]
fn the_metric_of_the_correction_shows_in_the_energy() {
    let readings: [(Change, [f64; 3]); 3] = [
        (|_| (), [2.00e-1, 1.79e-3, 2.26e-4]),
        (mass_metric, [1.69e-1, 1.44e-3, 1.81e-4]),
        (unprojected, [1.21e-1, 1.03e-3, 1.29e-4]),
    ];
    for (change, expected) in readings {
        let model = pendulum(sliding(change));
        // 100 steps of 0.05, before the extra step of the accumulating clock
        assert_digits(run_with::<Rk3>(&model, 0.05, 4.99).variation("energy"), expected[0], "h = 0.05");
        assert_digits(run_with::<Rk3>(&model, 0.01, 4.995).variation("energy"), expected[1], "h = 0.01");
        assert_digits(run_with::<Rk3>(&model, 0.005, 4.9975).variation("energy"), expected[2], "h = 0.005");
    }
    let eighth: [(Change, f64); 3] = [(|_| (), 4.34e-8), (mass_metric, 6.85e-9), (unprojected, 3.61e-8)];
    for (change, expected) in eighth {
        let record = run_with::<Rk8>(&pendulum(sliding(change)), 0.05, 4.99);
        assert_eq!(record.times.len(), 101);
        assert_digits(record.variation("energy"), expected, "RK-8");
    }
}

#[test]
fn which_constraints_move_positions_shows_in_the_energy() {
    let readings: [(Change, [f64; 4]); 3] = [
        (|_| (), [5.98e-7, 4.56e-9, 5.69e-10, 4.55e-12]),
        (holonomic_only, [6.38e-7, 4.88e-9, 6.09e-10, 4.87e-12]),
        (unprojected, [2.01e-7, 1.53e-9, 1.90e-10, 1.52e-12]),
    ];
    for (change, expected) in readings {
        for (step, expected) in [0.05, 0.01, 0.005, 0.001].into_iter().zip(expected) {
            let record = run_with::<Rk3>(&spheres(sliding(change)), step, 8.0);
            assert_digits(record.variation("energy"), expected, &format!("h = {step}"));
        }
    }
}

/// One pass or two, a corrected frozen control, or no correction of a control at every stage: the energy is the same.
#[test]
fn readings_without_effect_on_the_energy() {
    let literal = run_with::<Rk5>(&pendulum(sliding(|_| ())), 0.05, 5.0).variation("energy");
    let same: [Change; 3] = [
        |s| s.post_stabilization_passes = 1,
        |s| s.acceleration_stabilization = false,
        |s| s.equivalent_control = EquivalentControl::Frozen,
    ];
    for change in same {
        let found = run_with::<Rk5>(&pendulum(sliding(change)), 0.05, 5.0).variation("energy");
        // four digits more than the tables print
        assert!((found / literal - 1.0).abs() < 1e-6, "{found:e} against {literal:e}");
    }
}

#[test]
fn a_frozen_control_removes_energy() {
    for (step, at_5, at_10) in
        [(0.05, 16.38, 16.64), (0.02, 13.59, 16.04), (0.01, 9.64, 13.58), (0.005, 5.92, 9.63), (0.001, 1.42, 2.71)]
    {
        let record = run_with::<Rk8>(&pendulum(sliding(frozen)), step, 10.0);
        let energies: Vec<f64> = record.column("energy").collect();
        let until_5 = energies.len().div_ceil(2);
        let lost = |energies: &[f64]| energies[0] - energies.iter().fold(f64::INFINITY, |low, &e| low.min(e));
        // printed to 0.01 J; half a unit and one step's loss
        let slack = 0.006 + 20.0 * step * step;
        assert!((lost(&energies[..until_5]) - at_5).abs() < slack, "h = {step}: {}", lost(&energies[..until_5]));
        assert!((lost(&energies) - at_10).abs() < 0.0051, "h = {step}: {}", lost(&energies));
        assert!(record.largest("constraint") < 1e-14 && record.largest("surface") < 1e-13);
    }
    // Does not depend on the order of the formula.
    let third = run_with::<Rk3>(&pendulum(sliding(frozen)), 0.01, 10.0).variation("energy");
    assert!((third - 13.58).abs() < 0.05, "{third}");
}

#[test]
fn figure_3_8() {
    let record = run_with::<Rk8>(&pendulum(sliding(frozen)), 0.01, 10.0);
    let thetas: Vec<f64> = record.column("theta").map(f64::to_degrees).collect();
    let turning: Vec<f64> = thetas
        .windows(3)
        .filter(|w| (w[1] - w[0]) * (w[2] - w[1]) < 0.0)
        .map(|w| {
            // vertex of the parabola through the three
            let (a, b) = (0.5 * (w[2] - 2.0 * w[1] + w[0]), 0.5 * (w[2] - w[0]));
            w[1] - b * b / (4.0 * a)
        })
        .collect();
    let expected = [25.00, -23.19, 21.54, -20.03, 18.64, -17.36, 16.18, -15.08, 14.07, -13.13, 12.26, -11.45];
    assert_eq!(turning.len(), expected.len(), "{turning:?}");
    for (found, expected) in turning.iter().zip(expected) {
        // printed to 0.01°; the amplitude shrinks by as much within the step at the turning point
        assert!((found - expected).abs() < 0.01, "{found} against {expected}");
    }
    // Compares the adjustment after a step with the dissertation's own bound h^(p−1).
    assert!((record.adjustment / 2.2e-3 - 1.0).abs() < 0.05, "{:e}", record.adjustment);
    assert!(record.adjustment > 1e11 * 0.01f64.powi(7));
    // The energy falls towards that of rest, −m g l/2, and never rises by more than roundoff.
    let energies: Vec<f64> = record.column("energy").collect();
    assert!(energies.windows(2).all(|w| w[1] < w[0] + 1e-12));
    // With one pass the surfaces drift as the text reports.
    let one_pass = |s: &mut SlidingModeSettings| {
        frozen(s);
        s.post_stabilization_passes = 1;
    };
    let record = run_with::<Rk8>(&pendulum(sliding(one_pass)), 0.01, 10.0);
    let drift = record.largest("surface");
    assert!((1.9e-9..2.1e-9).contains(&drift), "{drift:e}");
    // The full hybrid with the same step.
    let record = run_with::<Rk8>(&pendulum(sliding(|_| ())), 0.01, 10.0);
    assert!(record.variation("energy") < 1e-12);
    // In the mass metric the failure disappears.
    let in_mass_metric = |s: &mut SlidingModeSettings| {
        frozen(s);
        mass_metric(s);
    };
    let lost = run_with::<Rk8>(&pendulum(sliding(in_mass_metric)), 0.01, 10.0).variation("energy");
    assert!((0.0045..0.0055).contains(&lost), "{lost}");
}
