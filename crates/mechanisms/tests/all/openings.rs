//! Openings of joints, measured from the poses of bodies.

use crate::common::{mechanism, observed, states};
use mbsbench_integrators::Dop853;
use mbsbench_mechanisms::Mechanism;
use mbsbench_problem::{Formulated, MethodDefinition, ModelDefinition, Settings};
use serde_json::{Value, json};

const NAMES: [&str; 2] = ["opening", "angular_opening"];

/// A body with turned markers on a joint to the ground; it also has a soft spring, so that it moves in all ways that
/// the joint leaves free.
fn body_on(joint: &Value, formulation: &str) -> Mechanism {
    mechanism(json!({
        "motion": "spatial", "formulation": formulation, "gravity": [1, -2, -9.81],
        "ground": { "foot": { "at": [0.2, -0.1, 0.3], "rotation": [0.4, -0.2, 1.1] }, "far": [2, 1, -1] },
        "bodies": { "body": {
            "mass": 1.5, "inertia": [0.1, 0.2, 0.25],
            "markers": { "hand": { "at": [0.3, 0.1, -0.2], "rotation": [-0.7, 0.5, 2.3] }, "tip": [0.5, 0.5, 0] },
        } },
        "joints": { "joint": joint },
        "forces": { "spring": { "spring": { "between": ["ground.far", "body.tip"], "stiffness": 20, "length": 1 } } },
    }))
}

/// Joints in space, each with the openings after the body has moved by 0.01 m along each axis of the first marker, and
/// after it has turned by 0.02 rad about an axis through the joint's point; computed by hand.
fn in_space() -> Vec<(Value, f64, [f64; 3])> {
    let (along, across) = (0.01, 0.01 * 2f64.sqrt());
    let all = 0.01 * 3f64.sqrt();
    let pair = json!(["ground.foot", "body.hand"]);
    let with = |more: Value| {
        let mut joint = json!({ "between": pair });
        more.as_object().expect("a map").iter().for_each(|(key, value)| joint[key] = value.clone());
        joint
    };
    let z = json!([0, 0, 1]);
    // angles for rotations about x, y and z of the first marker
    vec![
        (json!({ "revolute": with(json!({ "axis": z, "angle": 0.4, "rate": 9 })) }), all, [0.02, 0.02, 0.0]),
        (json!({ "prismatic": with(json!({ "axis": z, "distance": 0.7, "speed": 1 })) }), across, [0.02; 3]),
        (
            json!({ "cylindrical": with(json!({ "axis": z, "angle": 2.5, "distance": 0.7 })) }),
            across,
            [0.02, 0.02, 0.0],
        ),
        (json!({ "spherical": with(json!({})) }), all, [0.0; 3]),
        (json!({ "universal": with(json!({ "axes": [[0, 0, 1], [1, 0, 0]] })) }), all, [0.0, 0.02, 0.0]),
        (json!({ "planar": with(json!({ "axis": z })) }), along, [0.02, 0.02, 0.0]),
        (json!({ "point-on-line": with(json!({ "axis": z })) }), across, [0.0; 3]),
    ]
}

fn openings(mechanism: &Mechanism, t: f64, state: &[f64]) -> [f64; 2] {
    let values = observed(&*mechanism.model(), t, state, &NAMES);
    [values[0], values[1]]
}

#[test]
fn joints_in_space_are_closed_along_their_motions_and_open_by_hand_computed_amounts_off_them() {
    use nalgebra::{Quaternion, Rotation3, UnitQuaternion, Vector3};
    let of_foot = Rotation3::new(Vector3::new(0.4, -0.2, 1.1));
    for (joint, shifted, turned) in in_space() {
        let absolute = body_on(&joint, "acceleration-level");
        let initial = Formulated::<f64>::initial_state(&*absolute.model());
        let [by, turn] = openings(&absolute, 0.0, &initial);
        assert!(by < 1e-14 && turn < 1e-14, "{joint}: {by:e}, {turn:e}");
        let method = Dop853::default().method();
        let state = states(&*absolute.model(), &*method, &[2.0], Settings::tolerance(1e-12, 1e-12)).remove(0);
        let [by, turn] = openings(&absolute, 2.0, &state);
        assert!(by < 1e-8 && turn < 1e-8, "{joint}: {by:e}, {turn:e}");
        if joint.get("point-on-line").is_none() {
            let minimal = body_on(&joint, "minimal");
            let state = states(&*minimal.model(), &*method, &[2.0], Settings::tolerance(1e-6, 1e-6)).remove(0);
            let [by, turn] = openings(&minimal, 2.0, &state);
            assert!(by < 1e-14 && turn < 1e-14, "{joint}: {by:e}, {turn:e}");
        }
        // off: moved along all axes of the first marker
        let mut moved = initial.clone();
        let shift = of_foot * Vector3::from_element(0.01);
        moved[..3].iter_mut().zip(&shift).for_each(|(x, shift)| *x += shift);
        let [by, turn] = openings(&absolute, 0.0, &moved);
        assert!((by - shifted).abs() < 1e-14 && turn < 1e-14, "{joint}: {by} instead of {shifted}, {turn:e}");
        // off: turned about the point of the second marker
        for (axis, expected) in [Vector3::x_axis(), Vector3::y_axis(), Vector3::z_axis()].into_iter().zip(turned) {
            let turn = of_foot * Rotation3::from_axis_angle(&axis, 0.02) * of_foot.inverse();
            let e = UnitQuaternion::from_quaternion(Quaternion::new(initial[3], initial[4], initial[5], initial[6]));
            let centre = Vector3::from_row_slice(&initial[..3]);
            let point = centre + e * Vector3::new(0.3, 0.1, -0.2);
            let e = UnitQuaternion::from_rotation_matrix(&turn) * e;
            let mut moved = initial.clone();
            moved[..3].copy_from_slice((point + turn * (centre - point)).as_slice());
            moved[3..7].copy_from_slice(&[e.w, e.i, e.j, e.k]);
            let [by, turn] = openings(&absolute, 0.0, &moved);
            assert!(by < 1e-14 && (turn - expected).abs() < 1e-12, "{joint}, {axis:?}: {by:e}, {turn} not {expected}");
        }
    }
}

#[test]
fn drives_distances_fixed_joints_and_disks_are_measured() {
    let both = |more: Value| {
        let mut written = json!({
            "motion": "spatial", "gravity": [0, 0, -9.81],
            "ground": { "seat": { "at": [1, 0, 0.5], "rotation": ["pi/2", 0, 0] } },
            "bodies": { "disk": {
                "mass": 1, "shape": { "disk": { "radius": 0.5, "thickness": 0.1 } }, "position": [1, 0, 0.5],
                "rotation": ["pi/2", 0, 0], "velocity": [1, 0, 0], "spin": [0, 2, 0],
            } },
        });
        written["joints"] = more;
        mechanism(written)
    };
    let open = |mechanism: &Mechanism, t: f64, moved: &dyn Fn(&mut Vec<f64>)| {
        let mut state = Formulated::<f64>::initial_state(&*mechanism.model());
        moved(&mut state);
        openings(mechanism, t, &state)
    };
    let stays = |_: &mut Vec<f64>| {};
    let lifted = |state: &mut Vec<f64>| state[2] += 0.25;
    let rolling = both(json!({ "floor": { "rolling": { "body": "disk", "radius": 0.5 } } }));
    assert!(open(&rolling, 0.0, &stays)[0] < 1e-15 && (open(&rolling, 0.0, &lifted)[0] - 0.25).abs() < 1e-15);
    let pole = both(json!({ "pole": { "distance": { "between": ["ground", "disk"] } } }));
    let longer = (1.0f64 + 0.75 * 0.75).sqrt() - 1.25f64.sqrt();
    assert!(open(&pole, 0.0, &stays)[0] < 1e-15 && (open(&pole, 0.0, &lifted)[0] - longer).abs() < 1e-15);
    // both drives are behind the law at a later time; half turns are not seen
    let drives = both(json!({
        "slide": { "translation": { "between": ["ground", "disk"], "axis": [1, 0, 0], "law": "1 + t" } },
        "turn": { "rotation": { "between": ["ground", "disk"], "axis": [1, 0, 0], "law": "pi/2 + 20*t" } },
    }));
    let [by, turn] = open(&drives, 0.0, &stays);
    assert!(by < 1e-15 && turn < 1e-15, "{by:e}, {turn:e}");
    let [by, turn] = open(&drives, 0.5, &stays);
    assert!((by - 0.5).abs() < 1e-15 && (turn - (10.0 - 3.0 * std::f64::consts::PI)).abs() < 1e-13, "{by}, {turn}");
    let weld = both(json!({ "weld": { "fixed": { "between": ["ground.seat", "disk"] } } }));
    let [by, turn] = open(&weld, 0.0, &stays);
    assert!(by < 1e-15 && turn < 1e-15, "{by:e}, {turn:e}");
    // by 1 rad about the axis of the disk
    let turned = |state: &mut Vec<f64>| {
        let (w, x, (sin, cos)) = (state[3], state[4], 0.5f64.sin_cos());
        state[3..7].copy_from_slice(&[w * cos, x * cos, -x * sin, w * sin]);
    };
    assert!((open(&weld, 0.0, &turned)[1] - 1.0).abs() < 1e-14);
}

#[test]
fn joints_in_the_plane_are_measured() {
    let rod = json!({ "mass": 1, "shape": { "rod": { "length": 1 } }, "markers": { "a": [-0.5, 0], "b": [0.5, 0] } });
    let with = |joints: Value| {
        mechanism(json!({
            "gravity": [0, -9.81], "ground": { "far": [1, 0] },
            "bodies": { "one": rod, "two": rod }, "joints": joints,
        }))
    };
    let pin = |a: &str, b: &str, rate: f64| json!({ "revolute": { "between": [a, b], "rate": rate } });
    let geared = with(json!({
        "A": pin("ground", "one.a", 30.0), "B": pin("ground.far", "two.a", -15.0),
        "gear": { "gear": { "joints": ["A", "B"], "ratio": -0.5 } },
    }));
    let method = Dop853::default().method();
    let state = states(&*geared.model(), &*method, &[2.0], Settings::tolerance(1e-12, 1e-12)).remove(0);
    // more than nine turns
    assert!(state[2] > 57.0 && openings(&geared, 2.0, &state).iter().all(|open| *open < 1e-8), "{state:?}");
    let mut turned = state;
    turned[2] += 0.5;
    let [_, turn] = openings(&geared, 2.0, &turned);
    assert!((turn - 0.25).abs() < 1e-8, "{turn}");
    let sliding = with(json!({
        "A": pin("ground", "one.a", 3.0),
        "B": { "prismatic": { "between": ["one.b", "two.a"], "axis": [0, 1], "distance": 0.2 } },
    }));
    let mut state = Formulated::<f64>::initial_state(&*sliding.model());
    assert!(openings(&sliding, 0.0, &state).iter().all(|open| *open < 1e-15));
    (state[3], state[4]) = (state[3] + 0.03, state[4] + 0.5);
    let [by, turn] = openings(&sliding, 0.0, &state);
    assert!((by - 0.03).abs() < 1e-15 && turn == 0.0, "{by}, {turn}");
    let fixed = with(json!({
        "A": pin("ground", "one.a", 3.0), "B": { "fixed": { "between": ["one.b", "two.a"] } },
    }));
    let mut state = Formulated::<f64>::initial_state(&*fixed.model());
    // full turns make no difference to a pose
    state[5] += 0.1 + 4.0 * std::f64::consts::PI;
    let [_, turn] = openings(&fixed, 0.0, &state);
    assert!((turn - 0.1).abs() < 1e-14, "{turn}");
}

/// Diverged states are not failures of joints, and their openings are not hidden.
#[test]
fn states_that_are_not_finite_are_not_open_joints() {
    let pendulum = Mechanism::default().model();
    let names: Vec<String> = pendulum.observables().into_iter().map(|observable| observable.name).collect();
    let mut values = vec![0.0; names.len()];
    let mut observation = pendulum.observation();
    observation.observe(0.0, &[f64::NAN; 6], &mut values);
    assert_eq!(observation.failure(), None);
    let opening = names.iter().position(|name| name == "opening").expect("an observable");
    assert!(values[opening].is_nan());
}
