//! Tests motions of the linkages: states from another implementation, both formulations against each other, and the
//! energy of systems without dissipation.

use crate::common::{Record, run_with};
use approx::assert_relative_eq;
use mbsbench_integrators::Rk8;
use mbsbench_models::flexible_slider_crank::Deflection;
use mbsbench_models::{DoublePendulum, FlexibleSliderCrank, LinkageFormulation, SliderCrank, StiffDoublePendulum};
use mbsbench_problem::{DoubleDouble, Formulated, ModelDefinition, Scalar};

/// Asserts that `found` agrees with `expected` to half a unit of its last printed decimal, plus a little for the
/// roundoff of the comparison.
#[track_caller]
fn assert_printed(found: f64, expected: f64, unit: f64) {
    assert!((found - expected).abs() < 0.51 * unit, "{found:.15e}, expected {expected}");
}

/// Final value of an observable.
fn last(record: &Record, name: &str) -> f64 {
    record.column(name).last().expect("at least the initial state")
}

const BOTH: [LinkageFormulation; 2] = [LinkageFormulation::Cartesian, LinkageFormulation::Minimal];

/// States at 2 s by RADAU5 and by another implementation of the minimal form. The stiff damper requires steps below
/// some 1e-4 s of an explicit method.
#[test]
fn double_pendulum_at_2_s() {
    let step = 2f64.powi(-14);
    let hanging = DoublePendulum { formulation: LinkageFormulation::Minimal, ..DoublePendulum::default() };
    let record = run_with::<Rk8>(&hanging, step, 2.0);
    assert_printed(last(&record, "theta1"), 4.711_648_72, 1e-8);
    assert_printed(last(&record, "theta2"), 4.711_648_46, 1e-8);
    assert_printed(last(&record, "theta1_rate"), -2.853_180e-3, 1e-9);
    assert_printed(last(&record, "theta2_rate"), -2.852_945e-3, 1e-9);
    let straight = DoublePendulum { free_angle_1: std::f64::consts::TAU, ..hanging };
    let record = run_with::<Rk8>(&straight, step, 2.0);
    assert_printed(last(&record, "theta1"), 6.233_631_66, 1e-8);
    assert_printed(last(&record, "theta2"), 6.233_624_32, 1e-8);
}

/// A pendulum soft enough for an explicit method; the run is long enough for every term to act.
fn soft() -> DoublePendulum {
    DoublePendulum { stiffness_2: 20.0, damping_1: 0.2, damping_2: 0.1, ..DoublePendulum::default() }
}

#[test]
fn formulations_of_the_double_pendulum_agree() {
    let [cartesian, minimal] =
        BOTH.map(|formulation| run_with::<Rk8>(&DoublePendulum { formulation, ..soft() }, 2f64.powi(-9), 2.0));
    assert_same(&cartesian, &minimal, 1e-9);
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

#[test]
fn undamped_double_pendulum_keeps_its_energy() {
    for formulation in BOTH {
        let model = DoublePendulum { formulation, damping_1: 0.0, damping_2: 0.0, ..soft() };
        let record = run_with::<Rk8>(&model, 2f64.powi(-11), 5.0);
        assert_eq!(record.column("energy_change").next(), Some(0.0));
        // of 500 J; truncation is below 1e-11 J, the rest is roundoff of 10⁴ steps
        assert!(record.largest("energy_change") < 1e-10, "{:e}", record.largest("energy_change"));
    }
}

/// States at 2 s by the classical Runge–Kutta formula on the constrained form and DOP853 on the minimal form, from
/// another implementation of both.
#[test]
fn slider_crank_at_2_s() {
    let down = SliderCrank::default();
    let across = SliderCrank { crank_angle: std::f64::consts::PI, free_position: 0.3, ..down.clone() };
    for formulation in BOTH {
        let record = run_with::<Rk8>(&SliderCrank { formulation, ..down.clone() }, 2f64.powi(-9), 2.0);
        assert_printed(last(&record, "theta1"), 5.414_361_506_579, 1e-12);
        assert_printed(last(&record, "theta1_rate"), 0.077_109_068, 1e-9);
        let record = run_with::<Rk8>(&SliderCrank { formulation, ..across.clone() }, 2f64.powi(-9), 2.0);
        assert_printed(last(&record, "theta1"), 4.254_834_231_111, 1e-12);
        assert_printed(last(&record, "theta1_rate"), -1.809_944_795, 1e-9);
    }
}

#[test]
fn formulations_of_the_slider_crank_agree() {
    for point_mass in [0.0, 1.0] {
        let [cartesian, minimal] = BOTH.map(|formulation| {
            run_with::<Rk8>(&SliderCrank { formulation, point_mass, ..SliderCrank::default() }, 2f64.powi(-9), 2.0)
        });
        assert_same(&cartesian, &minimal, 1e-9);
    }
}

#[test]
fn undamped_slider_crank_keeps_its_energy() {
    for (formulation, point_mass) in BOTH.into_iter().flat_map(|formulation| [(formulation, 0.0), (formulation, 1.0)]) {
        let model = SliderCrank { formulation, point_mass, damping: 0.0, ..SliderCrank::default() };
        let record = run_with::<Rk8>(&model, 2f64.powi(-9), 10.0);
        if point_mass == 0.0 {
            assert_printed(record.at("energy", 0.0), 1.4958, 1e-4);
            // it turns back at 4.7124 and 6.5448 rad
            let angles = (record.column("theta1").fold(9.0, f64::min), record.column("theta1").fold(0.0, f64::max));
            assert_printed(angles.0, 4.7124, 1e-4);
            assert_printed(angles.1, 6.5448, 1e-4);
        }
        assert!(record.largest("energy_change") < 1e-10, "{:e}", record.largest("energy_change"));
    }
}

/// Angles at 2 s from another implementation of the constrained form.
#[test]
fn flexible_slider_crank_at_2_s() {
    let down = FlexibleSliderCrank::default();
    let across = FlexibleSliderCrank { crank_angle: std::f64::consts::PI, ..down.clone() };
    for formulation in BOTH {
        for (start, expected) in [(&down, 4.568_160_94), (&across, 4.542_947_90)] {
            let model = FlexibleSliderCrank { formulation, ..start.clone() };
            let record = run_with::<Rk8>(&model, 2f64.powi(-13), 2.0);
            assert_printed(last(&record, "theta1"), expected, 1e-8);
        }
    }
}

#[test]
fn formulations_of_the_flexible_slider_crank_agree() {
    for (modes, deflection, modal_damping) in [(1, Deflection::Straight, 0.0), (3, Deflection::QuasiStatic, 0.02)] {
        let [cartesian, minimal] = BOTH.map(|formulation| {
            let model =
                FlexibleSliderCrank { formulation, modes, deflection, modal_damping, ..FlexibleSliderCrank::default() };
            run_with::<Rk8>(&model, 2f64.powi(-14), 0.5)
        });
        assert_same(&cartesian, &minimal, 1e-9);
    }
}

#[test]
fn undamped_flexible_slider_crank_keeps_its_energy() {
    for (formulation, deflection) in BOTH.into_iter().zip([Deflection::QuasiStatic, Deflection::Straight]) {
        let model = FlexibleSliderCrank { formulation, deflection, crank_angle: 3.0, ..FlexibleSliderCrank::default() };
        let record = run_with::<Rk8>(&model, 2f64.powi(-14), 2.0);
        assert!(record.largest("energy_change") < 1e-10, "{:e}", record.largest("energy_change"));
    }
}

/// From the quasi-static start the modes follow the slow motion; from a straight one the rod vibrates about it.
#[test]
fn nothing_vibrates_from_the_quasi_static_start() {
    let swing = |deflection| {
        let model = FlexibleSliderCrank {
            formulation: LinkageFormulation::Minimal,
            deflection,
            crank_angle: 3.0,
            ..FlexibleSliderCrank::default()
        };
        // a few periods of the first mode, 3.8e-3 s
        let record = run_with::<Rk8>(&model, 2f64.powi(-14), 0.02);
        record.variation("e1_rate")
    };
    let (calm, ringing) = (swing(Deflection::QuasiStatic), swing(Deflection::Straight));
    assert!(calm < 1e-3 * ringing, "{calm:e} against {ringing:e} m/s");
}

/// Names and classes match the values; the initial state satisfies the constraints in both precisions.
#[test]
fn initial_states_and_observables_are_consistent() {
    for formulation in BOTH {
        for model in [
            DoublePendulum { formulation, ..Default::default() }.model(),
            StiffDoublePendulum { formulation, angle_1: 0.3, free_angle: -0.1, preload: 0.2, ..Default::default() }
                .model(),
            SliderCrank { formulation, point_mass: 1.0, crank_rate: 2.0, crank_angle: 0.3, ..Default::default() }
                .model(),
            FlexibleSliderCrank { formulation, crank_angle: 0.3, ..Default::default() }.model(),
        ] {
            let rounded: Vec<f64> = Formulated::<f64>::initial_state(&*model);
            let precise: Vec<DoubleDouble> = Formulated::<DoubleDouble>::initial_state(&*model);
            for (r, p) in rounded.iter().zip(&precise) {
                assert!((p.value() - r).abs() <= 1e-12 * r.abs(), "{r} against {p:?}");
            }
            let names: Vec<_> = model.observables().into_iter().map(|observable| observable.name).collect();
            let mut values = vec![f64::NAN; names.len()];
            let mut observation = model.observation();
            observation.observe(0.0, &rounded, &mut values);
            assert!(values.iter().all(|value| value.is_finite()), "{names:?} {values:?}");
            for (name, value) in names.iter().zip(&values) {
                if name.contains("constraint") {
                    assert!(value.abs() < 1e-14, "{name}: {value:e}");
                }
            }
            let multipliers = names.iter().filter(|name| name.starts_with("multiplier_")).count();
            observation.observe_multipliers(&vec![-1234.5; multipliers], &mut values);
            for (name, value) in names.iter().zip(&values) {
                assert_eq!(name.starts_with("multiplier_"), *value == -1234.5, "{name}");
            }
        }
    }
}

/// If the rods hang straight and at rest, each pin carries the weights below it.
#[test]
fn multipliers_are_the_forces_in_the_pins() {
    let model = DoublePendulum { angle_1: 1.5 * std::f64::consts::PI, rate_2: 0.0, ..DoublePendulum::default() };
    let record = run_with::<Rk8>(&model, 1e-5, 1e-5);
    // Φ grows with y₁ in row 2 and with y₁ − y₂ in row 4: λ₂ holds both rods, −λ₄ the second.
    assert_relative_eq!(
        record.at("multiplier_2", 0.0) + record.at("multiplier_4", 0.0),
        3.0 * 9.81,
        max_relative = 1e-12
    );
    assert_relative_eq!(record.at("multiplier_4", 0.0), -0.3 * 9.81, max_relative = 1e-12);
    assert!(record.at("multiplier_1", 0.0).abs() < 1e-10 && record.at("multiplier_3", 0.0).abs() < 1e-10);
}

/// Compares observables of a state that violates the constraints with explicit formulas.
#[test]
fn observables_of_an_inconsistent_state() {
    let model = SliderCrank::default().model();
    let y = [0.1, 0.2, 0.5, 0.6, -0.1, -0.3, 1.0, -2.0, 1.5, 0.7, 0.4, -0.8];
    let names: Vec<_> = model.observables().into_iter().map(|observable| observable.name).collect();
    let mut values = vec![f64::NAN; names.len()];
    model.observation().observe(0.0, &y, &mut values);
    let value = |name: &str| values[names.iter().position(|n| n == name).unwrap_or_else(|| panic!("no {name}"))];
    let [x1, y1, theta1, x2, y2, theta2, x1_rate, y1_rate, omega1, x2_rate, y2_rate, omega2] = y;
    let [(s1, c1), (s2, c2)] = [f64::sin_cos(theta1), f64::sin_cos(theta2)];
    assert_eq!(["x1", "theta2", "x1_rate", "theta2_rate"].map(value), [x1, theta2, x1_rate, omega2]);
    assert_relative_eq!(value("slider_position"), x2 + 0.3 * c2);
    assert_relative_eq!(value("slider_velocity"), x2_rate - 0.3 * s2 * omega2);
    let pin = [
        x1_rate - 0.15 * s1 * omega1 - x2_rate - 0.3 * s2 * omega2,
        y1_rate + 0.15 * c1 * omega1 - y2_rate + 0.3 * c2 * omega2,
    ];
    assert_relative_eq!(value("velocity_constraint_x"), pin[0], max_relative = 1e-14);
    assert_relative_eq!(value("velocity_constraint_y"), pin[1], max_relative = 1e-14);
    let rows =
        [x1 - 0.15 * c1, y1 - 0.15 * s1, x1 + 0.15 * c1 - x2 + 0.3 * c2, y1 + 0.15 * s1 - y2 + 0.3 * s2, y2 + 0.3 * s2];
    let largest = rows.into_iter().fold(0.0, |largest: f64, row| largest.max(row.abs()));
    assert_relative_eq!(value("constraint"), largest, max_relative = 1e-14);
    // The pin along y has the largest relative velocity.
    assert_relative_eq!(value("velocity_constraint"), pin[1].abs(), max_relative = 1e-14);
    assert_relative_eq!(value("energy_change"), value("energy") - 1.495_8, epsilon = 5e-5);
}
