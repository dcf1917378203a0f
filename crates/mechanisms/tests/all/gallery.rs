//! The files of the gallery: all of them assemble and move; the bicycle moves as published.

use std::path::{Path, PathBuf};

use crate::common::{observed, states};
use mbsbench_input::{Document, read};
use mbsbench_integrators::{Dop853, Dopri5};
use mbsbench_mechanisms::Mechanism;
use mbsbench_problem::{Formulated, MethodDefinition, ModelDefinition, Parameters, Settings};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/mechanisms")
}

fn gallery(name: &str) -> Mechanism {
    let path = folder().join(format!("{name}.yaml"));
    let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let document = Document::parse(&path, &text).expect("YAML");
    let mechanism: Mechanism = read(&document.root).unwrap_or_else(|problem| panic!("{name}: {problem:?}"));
    mechanism.check().unwrap_or_else(|error| panic!("{name}: {error}"));
    mechanism
}

const ALL: [&str; 11] = [
    "crane",
    "robot-arm",
    "car-axle",
    "trebuchet",
    "gyroscope",
    "rolling-disk",
    "bricard",
    "chain",
    "slider-crank-with-clearance",
    "bicycle",
    "excavator",
];

#[test]
fn all_move_on_their_constraints() {
    let found = std::fs::read_dir(folder())
        .expect("the gallery")
        .filter(|entry| entry.as_ref().is_ok_and(|entry| entry.path().extension().is_some_and(|end| end == "yaml")));
    assert_eq!(found.count(), ALL.len(), "a file of the gallery is not tried");
    for name in ALL {
        let model = gallery(name).model();
        let names = ["constraint", "velocity_constraint", "energy"];
        let initial: Vec<f64> = Formulated::<f64>::initial_state(&*model);
        let start = observed(&*model, 0.0, &initial, &names);
        assert!(start[0] < 1e-10 && start[1] < 1e-9, "{name} starts off its constraints: {start:?}");
        let state = states(&*model, &*Dopri5::default().method(), &[0.1], Settings::tolerance(1e-8, 1e-8)).remove(0);
        let values = observed(&*model, 0.1, &state, &names);
        assert!(values[0] < 1e-5, "{name} leaves its constraints: {values:?}");
        let moved = state.iter().zip(&initial).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
        assert!(moved > 1e-3, "{name} stands still");
        assert!(!model.views(&state).is_empty(), "{name} is not drawn");
    }
}

/// Manoeuvre M2 of IFToMM's bicycle after 5 s: roll and steering angle from a program in other coordinates, whose
/// energy varies by less than 1e-12 and which reduces to the published linear model for small angles.
#[test]
fn the_bicycle_rights_itself() {
    let model = gallery("bicycle").model();
    let state = states(&*model, &*Dop853::default().method(), &[5.0], Settings::tolerance(1e-11, 1e-11)).remove(0);
    let angles = |first: &str| {
        let names: Vec<String> = (0..4).map(|k| format!("{first}_e{k}")).collect();
        let e = observed(&*model, 5.0, &state, &names.iter().map(String::as_str).collect::<Vec<_>>());
        nalgebra::UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(e[0], e[1], e[2], e[3]))
    };
    let (frame, fork) = (angles("frame"), angles("fork"));
    let roll = (frame * nalgebra::Vector3::y()).z.asin();
    let turn = (frame.inverse() * fork).scaled_axis();
    let axis = nalgebra::Vector3::new(-f64::sin(0.1 * std::f64::consts::PI), 0.0, f64::cos(0.1 * std::f64::consts::PI));
    let steer = turn.dot(&axis);
    assert!((roll.abs() - 0.010_342_441).abs() < 1e-8, "roll {roll}");
    assert!((steer.abs() - 0.008_185_671).abs() < 1e-8, "steer {steer}");
    let change = observed(&*model, 5.0, &state, &["energy_change", "kinetic_energy", "frame_vx", "frame_vy"]);
    assert!(change[0].abs() < 1e-9 * change[1], "{change:?}");
}
