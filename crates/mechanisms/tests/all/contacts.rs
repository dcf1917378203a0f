//! Contacts of fast bodies, which methods with error control must not step over.

use crate::common::{mechanism, observed, states};
use mbsbench_integrators::dode::PairName;
use mbsbench_integrators::{
    Bs32, Dode, Dop853, Dopri5, GeneralizedAlpha, HhtI3, Mebdf, Ode15s, Ode23s, Ode45, Radau5, Rk5, Rk8,
};
use mbsbench_mechanisms::Mechanism;
use mbsbench_problem::{Method, MethodDefinition, ModelDefinition, Settings, StepControl};
use serde_json::{Value, json};

/// True for a method that solves mechanics as index-3 equations, where errors of velocities count in proportion to the
/// step. In the short steps of a contact it hardly controls them; it has to see the contact.
fn is_of_index_3(name: &str) -> bool {
    ["radau5", "mebdf"].contains(&name)
}

fn methods() -> Vec<(&'static str, Box<dyn Method>)> {
    vec![
        ("bs32", Bs32::default().method()),
        ("dopri5", Dopri5::default().method()),
        ("dop853", Dop853::default().method()),
        ("rk5", Rk5::default().method()),
        ("rk8", Rk8::default().method()),
        ("ode45", Ode45::default().method()),
        ("ode23s", Ode23s::default().method()),
        ("radau5", Radau5::default().method()),
        ("ode15s", Ode15s::default().method()),
        ("mebdf", Mebdf::default().method()),
        ("dode", Dode::default().method()),
        ("dode rk8", Dode { pair: PairName::Rk8, ..Dode::default() }.method()),
    ]
}

/// A disk of 1 cm that meets another one at rest, beside its centre by `offset` (m).
fn disks(formulation: &str, offset: f64) -> Mechanism {
    let disk = |position: Value, velocity: Value| {
        let shape = json!({ "disk": { "radius": 0.01 } });
        json!({ "mass": 1, "shape": shape, "position": position, "velocity": velocity })
    };
    mechanism(json!({
        "formulation": formulation,
        "bodies": {
            "bullet": disk(json!([-5, offset]), json!([100, 0])),
            "target": disk(json!([0, 0]), json!([0, 0])),
        },
        "forces": { "hit": { "ball-contact": {
            "between": ["bullet", "target"], "radii": [0.01, 0.01], "touch": { "stiffness": 1e9 },
        } } },
    }))
}

/// Equal bodies exchange their velocities along the normal.
#[test]
fn no_method_with_error_control_steps_over_a_fast_contact() {
    for formulation in ["acceleration-level", "minimal"] {
        let mechanism = disks(formulation, 0.0);
        let model = mechanism.model();
        for (name, method) in methods() {
            for tolerance in [1e-3, 1e-6, 1e-9] {
                let end = states(&*model, &*method, &[0.1], Settings::tolerance(tolerance, tolerance)).remove(0);
                let [of_bullet, of_target] = observed(&*model, 0.1, &end, &["bullet_vx", "target_vx"])[..] else {
                    unreachable!()
                };
                // the estimate of Fehlberg's pair 7(8) hardly sees a force that begins or ends within a step
                let factor = if name.ends_with("rk8") { 1e7 } else { 1e5 };
                let bound = if is_of_index_3(name) { 99.0 } else { factor * tolerance };
                let is_right = of_bullet.abs() < bound && (of_target - 100.0).abs() < bound;
                assert!(is_right, "{name} {formulation} {tolerance}: {of_bullet} and {of_target} m/s");
            }
        }
    }
}

/// A glancing contact, which overlaps by less than a twentieth of a radius, and two methods for index-3 equations.
#[test]
fn glancing_contacts_are_seen() {
    let mechanism = disks("acceleration-level", 0.0196);
    let model = mechanism.model();
    let bounded = |rel: f64, max_step: f64| Settings {
        control: StepControl::Tolerance { rel, abs: rel, initial_step: None, max_step: Some(max_step) },
        ..Settings::tolerance(rel, rel)
    };
    let names = ["bullet_vx", "bullet_vy", "target_vx", "target_vy"];
    let last =
        |method: &dyn Method, settings| observed(&*model, 0.06, &states(&*model, method, &[0.06], settings)[0], &names);
    let exact = last(&*Dop853::default().method(), bounded(1e-12, 2e-6));
    assert!(exact[3] < -1.0, "{exact:?}");
    for (name, method) in methods() {
        for tolerance in [1e-4, 1e-7] {
            let found = last(&*method, Settings::tolerance(tolerance, tolerance));
            let error = found.iter().zip(&exact).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
            let factor = if name.ends_with("rk8") { 1e7 } else { 1e5 };
            let bound = if is_of_index_3(name) { 5.0 } else { factor * tolerance };
            assert!(error < bound, "{name} {tolerance}: {found:?} instead of {exact:?}");
        }
    }
    for (name, method) in [("hht-i3", HhtI3::default().method()), ("α", GeneralizedAlpha::default().method())] {
        let found = last(&*method, Settings::tolerance(1e-8, 1e-8));
        assert!((found[3] - exact[3]).abs() < 0.1, "{name}: {found:?} instead of {exact:?}");
    }
}

/// A ball that falls on a plane from rest: no closing speed at first. It bounces without loss.
#[test]
fn balls_that_fall_from_rest_bounce() {
    let mechanism = mechanism(json!({
        "gravity": [0, -9.81],
        "bodies": { "ball": { "mass": 1, "shape": { "disk": { "radius": 0.01 } }, "position": [0, 1.01] } },
        "forces": { "floor": { "plane-contact": {
            "between": ["ground", "ball"], "radius": 0.01, "touch": { "stiffness": 1e7 },
        } } },
    }));
    let model = mechanism.model();
    let quarter = std::f64::consts::PI / (1e7f64).sqrt();
    // nine bounces, and up again
    let end = (2.0 / 9.81f64).sqrt() * 18.0 + 9.0 * quarter;
    for (name, method) in methods() {
        let state = states(&*model, &*method, &[end], Settings::tolerance(1e-8, 1e-8)).remove(0);
        let height = observed(&*model, end, &state, &["ball_y"])[0];
        // the estimate of Fehlberg's pair 7(8) hardly sees a force that begins or ends within a step
        let bound = if is_of_index_3(name) {
            0.3
        } else if name.ends_with("rk8") {
            2e-2
        } else {
            1e-3
        };
        assert!((height - 1.01).abs() < bound, "{name}: {height} m");
    }
}
