//! Compares the bicycle's equations for small motions with the published linear ones (J. P. Meijaard, J. M.
//! Papadopoulos, A. Ruina, A. L. Schwab, Proc. R. Soc. A 463 (2007) 1955–1982):
//! `M q'' + v C₁ q' + (g K₀ + v² K₂) q = 0` with the angles of roll and steering.

use std::path::Path;

use crate::common::{mechanism, observed};
use mbsbench_input::{Document, read};
use mbsbench_mechanisms::Mechanism;
use mbsbench_problem::{Formulated, ModelDefinition};
use nalgebra::{Matrix2, Matrix2x4, Matrix4, Vector2, Vector4};
use serde_json::{Value, json};

/// Angle between the steering axis and the vertical.
const TILT: f64 = 0.1 * std::f64::consts::PI;
const GRAVITY: f64 = 9.81;

/// The bicycle of the gallery with an additional marker to the left on frame and fork, as JSON.
fn bicycle() -> Value {
    let text = include_str!("../../../../examples/mechanisms/bicycle.yaml");
    let document = Document::parse(Path::new("bicycle.yaml"), text.as_bytes()).expect("YAML");
    let bicycle: Mechanism = read(&document.root).unwrap_or_else(|error| panic!("{error}"));
    let mut bicycle = serde_json::to_value(bicycle).expect("JSON");
    for body in ["frame", "fork"] {
        bicycle["bodies"][body]["markers"]["middle"] = json!([0, 0, 0]);
        bicycle["bodies"][body]["markers"]["left"] = json!([0, 1, 0]);
    }
    bicycle
}

/// Roll and steering angles, and their first and second derivatives, of the bicycle, which was rotated and set in
/// motion by about these values before its joints were closed. Small rotations `θ` move the marker to the left by
/// `θ × e_y = (−θ_z, 0, θ_x)`.
fn motion(written: &Value, speed: f64, [roll, steer, roll_rate, steer_rate]: [f64; 4]) -> [Vector2<f64>; 3] {
    let axis = [-TILT.sin(), 0.0, TILT.cos()];
    let turned = |roll: f64, steer: f64| json!([roll + steer * axis[0], 0.0, steer * axis[2]]);
    let mut written = written.clone();
    written["constants"] = json!({ "v": speed, "roll": roll_rate });
    let bodies = &mut written["bodies"];
    bodies["frame"]["rotation"] = turned(roll, 0.0);
    bodies["fork"]["rotation"] = turned(roll, steer);
    bodies["frame"]["spin"] = turned(roll_rate, 0.0);
    bodies["fork"]["spin"] = turned(roll_rate, steer_rate);
    let model = mechanism(written).model();
    let state: Vec<f64> = Formulated::<f64>::initial_state(&*model);
    ["", "v", "a"].map(|kind| {
        let rotation = |body: &str| {
            let name = |marker: &str, axis: &str| format!("{body}_{marker}_{kind}{axis}");
            let names = [("left", "x"), ("middle", "x"), ("left", "z"), ("middle", "z")].map(|(m, a)| name(m, a));
            let at = observed(&*model, 0.0, &state, &names.each_ref().map(String::as_str));
            [at[2] - at[3], at[1] - at[0]]
        };
        let (frame, fork) = (rotation("frame"), rotation("fork"));
        Vector2::new(frame[0], axis[0] * (fork[0] - frame[0]) + axis[2] * (fork[1] - frame[1]))
    })
}

/// The matrix `A` of `q'' = A (q ; q')` for small motions, by central differences.
fn linearised(speed: f64) -> Matrix2x4<f64> {
    let (written, small) = (bicycle(), 1e-4);
    let (mut states, mut accelerations) = (Matrix4::zeros(), Matrix2x4::zeros());
    for k in 0..4 {
        let by = |size: f64| motion(&written, speed, std::array::from_fn(|j| if j == k { size } else { 0.0 }));
        let (there, back) = (by(small), by(-small));
        let [q, rate, acceleration] = [0, 1, 2].map(|i| (there[i] - back[i]) / (2.0 * small));
        states.set_column(k, &Vector4::new(q.x, q.y, rate.x, rate.y));
        accelerations.set_column(k, &acceleration);
    }
    accelerations * states.try_inverse().expect("four motions that differ")
}

/// The published matrix. Our steering angle is about an upward axis, theirs about a downward one.
fn published(speed: f64) -> Matrix2x4<f64> {
    let mass = Matrix2::new(80.817_22, 2.319_413_322_087_09, 2.319_413_322_087_09, 0.297_841_881_996_855);
    let damping = Matrix2::new(0.0, 33.866_413_914_924_94, -0.850_356_414_569_785, 1.685_403_973_975_596);
    let gravity = Matrix2::new(-80.95, -2.599_516_852_498_716, -2.599_516_852_498_716, -0.803_294_884_586_177);
    let stiffness = Matrix2::new(0.0, 76.597_345_895_732_22, 0.0, 2.654_315_237_946_04);
    let inverse = mass.try_inverse().expect("a mass matrix");
    let of_angles = -inverse * (gravity * GRAVITY + stiffness * (speed * speed));
    let of_rates = -inverse * damping * speed;
    let signs = Matrix2::new(1.0, 0.0, 0.0, -1.0);
    let [of_angles, of_rates] = [of_angles, of_rates].map(|matrix| signs * matrix * signs);
    Matrix2x4::from_columns(&[of_angles.column(0), of_angles.column(1), of_rates.column(0), of_rates.column(1)])
}

/// The neglected terms are of third order in motions of 1e-4.
#[test]
fn small_motions_match_published_values() {
    for speed in [0.5, 3.0, 4.6, 8.0] {
        let (found, expected) = (linearised(speed), published(speed));
        let off = (found - expected).amax() / expected.amax();
        assert!(off < 1e-7, "at {speed} m/s: {found} and {expected}");
    }
}

/// The weave neither grows nor decays at 4.29238253634111 m/s, and a steady turn is neutral at 6.02426201538837 m/s;
/// real parts change by about 1.2 and by 0.17 per m/s.
#[test]
fn critical_speeds_match_published_values() {
    let exponents = |speed: f64| {
        let a = linearised(speed);
        let mut matrix = Matrix4::zeros();
        matrix.fixed_view_mut::<2, 2>(0, 2).fill_with_identity();
        matrix.fixed_view_mut::<2, 4>(2, 0).copy_from(&a);
        matrix.complex_eigenvalues()
    };
    let weave = exponents(4.292_382_536_341_11);
    let pair = weave.iter().filter(|value| value.im.abs() > 1.0);
    assert_eq!(pair.clone().count(), 2, "{weave}");
    assert!(pair.clone().all(|value| value.re.abs() < 1e-6), "{weave}");
    let capsize = exponents(6.024_262_015_388_37);
    let slowest = capsize.iter().map(|value| value.norm()).fold(f64::INFINITY, f64::min);
    assert!(slowest < 1e-6, "{capsize}");
}
