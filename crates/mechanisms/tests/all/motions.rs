//! Compares motions in space with closed forms and with references in other formulations.

use crate::common::{mechanism, motion, observed, states};
use mbsbench_integrators::{Dop853, Hem4, LieGeneralizedAlpha, Mebdf, Radau5};
use mbsbench_problem::{Formulated, Method, MethodDefinition, ModelDefinition, Settings};
use nalgebra::{Matrix3, Rotation3, Vector3};
use serde_json::json;

/// Returns `(sn, cn, dn)` for the parameter `m = k²`, by the arithmetic-geometric mean (Abramowitz and Stegun, 16.4).
fn jacobi(u: f64, m: f64) -> [f64; 3] {
    let (mut a, mut b, mut c) = (1.0, (1.0 - m).sqrt(), m.sqrt());
    let mut steps = Vec::new();
    while c > 1e-16 {
        (a, b, c) = (0.5 * (a + b), (a * b).sqrt(), 0.5 * (a - b));
        steps.push((a, c));
    }
    let mut phi = 2.0f64.powi(steps.len() as i32) * a * u;
    let mut before = phi;
    for (a, c) in steps.into_iter().rev() {
        before = phi;
        phi = 0.5 * (phi + (c / a * phi.sin()).asin());
    }
    [phi.sin(), phi.cos(), phi.cos() / (before - phi).cos()]
}

/// Euler's equations without torque have the solution `(a cn, b sn, c dn)` of `p t` (Landau and Lifshitz, section 37).
#[test]
fn a_free_body_follows_eulers_equations() {
    let [i1, i2, i3] = [1.0f64, 2.0, 2.5];
    let start = [0.4f64, 0.0, 1.1];
    let mechanism = mechanism(json!({
        "motion": "spatial",
        "bodies": { "body": { "mass": 1.0, "inertia": [i1, i2, i3], "position": [0, 0, 0], "spin": start } },
    }));
    let twice_energy = i1 * start[0] * start[0] + i3 * start[2] * start[2];
    let square = (i1 * start[0]).powi(2) + (i3 * start[2]).powi(2);
    let p = ((i3 - i2) * (square - twice_energy * i1) / (i1 * i2 * i3)).sqrt();
    let m = (i2 - i1) * (twice_energy * i3 - square) / ((i3 - i2) * (square - twice_energy * i1));
    let b = ((twice_energy * i3 - square) / (i2 * (i3 - i2))).sqrt();
    let model = mechanism.model();
    let times = [1.0, 5.0, 10.0];
    let settings = Settings::tolerance(1e-13, 1e-13);
    for (t, state) in times.iter().zip(states(&*model, &*Dop853::default().method(), &times, settings)) {
        let values = observed(&*model, *t, &state, &["body_wx", "body_wy", "body_wz"]);
        let e = nalgebra::Quaternion::new(state[3], state[4], state[5], state[6]);
        let own = nalgebra::UnitQuaternion::from_quaternion(e).inverse() * Vector3::from_row_slice(&values);
        let [sn, cn, dn] = jacobi(p * t, m);
        let exact = Vector3::new(start[0] * cn, b * sn, start[2] * dn);
        assert!((own - exact).norm() < 1e-10, "at {t} s: {own} and {exact}");
    }
}

/// The body has neither constraints nor vectors as coordinates.
#[test]
fn methods_for_groups_and_for_equations_move_a_free_body() {
    let mechanism = mechanism(json!({
        "motion": "spatial", "rotations": "group",
        "bodies": { "body": { "mass": 1.0, "inertia": [1.0, 2.0, 2.5], "spin": [0.3, 1.0, 0.2] } },
    }));
    let (model, tight) = (mechanism.model(), Settings::tolerance(1e-10, 1e-10));
    let solve = |method: &dyn Method, settings| states(&*model, method, &[2.0], settings).remove(0);
    let exact = solve(&*Dop853::default().method(), tight);
    for (method, settings, bound) in [
        (LieGeneralizedAlpha::default().method(), Settings::fixed(1e-3), 1e-4),
        (Hem4::default().method(), Settings::fixed(1e-2), 1e-6),
        (Radau5::default().method(), tight, 1e-6),
        (Mebdf::default().method(), tight, 1e-6),
    ] {
        let state = solve(&*method, settings);
        assert!((observed(&*model, 2.0, &state, &["energy"])[0] - 1.095).abs() < bound);
        let spin = |state: &[f64]| observed(&*model, 2.0, state, &["body_wx", "body_wy", "body_wz"]);
        assert!(spin(&state).iter().zip(spin(&exact)).all(|(a, b)| (a - b).abs() < 10.0 * bound), "{state:?}");
    }
}

/// Steady motion of a disk at the angle β between its axis and the vertical, with the precession Ω and the
/// spin about its axis
///
/// ```text
/// w = cos β (A Ω² sin β − m g r)/(Ω sin β (C + m r²)),   A = m r²/4,   C = m r²/2
/// ```
///
/// from the balance of moments about the centre.
#[test]
fn a_disk_rolls_steadily_in_a_circle() {
    let (m, r, g, beta, omega) = (2.0, 0.5, 9.81, 1.2f64, 1.7);
    let (sin, cos) = beta.sin_cos();
    let w = cos * (0.25 * m * r * r * omega * omega * sin - m * g * r) / (omega * sin * 1.5 * m * r * r);
    let axis = Vector3::new(sin, 0.0, cos);
    let up = (Vector3::z() - cos * axis) / sin;
    let spin = w * axis + omega * sin * up;
    let velocity = spin.cross(&(r * up));
    let mechanism = mechanism(json!({
        "motion": "spatial",
        "gravity": [0, 0, -g],
        "bodies": { "disk": {
            "mass": m, "shape": { "disk": { "radius": r } },
            "position": [0, 0, r * sin], "rotation": [0, beta, 0],
            "velocity": velocity.as_slice(), "spin": spin.as_slice(),
        } },
        "joints": { "floor": { "rolling": { "body": "disk", "radius": r } } },
    }));
    let names = ["disk_e1", "disk_e2", "disk_z", "disk_x", "disk_y", "energy_change", "velocity_constraint"];
    let times = [1.0, 3.0];
    // the centre moves on a circle of its own with the precession
    let centre = Vector3::z().cross(&velocity) / omega;
    for (t, values) in
        times.iter().zip(motion(&mechanism, &Dop853::default(), Settings::tolerance(1e-12, 1e-12), &times, &names))
    {
        let leaning = 1.0 - 2.0 * (values[0] * values[0] + values[1] * values[1]);
        assert!((leaning - cos).abs() < 1e-9, "at {t} s: {leaning} and {cos}");
        assert!((values[2] - r * sin).abs() < 1e-9 && values[5].abs() < 1e-9 && values[6] < 1e-9, "{values:?}");
        let expected = centre + Rotation3::from_axis_angle(&Vector3::z_axis(), omega * t) * -centre;
        assert!((values[3] - expected.x).hypot(values[4] - expected.y) < 1e-8, "at {t} s: {values:?} and {expected}");
    }
}

/// The heavy top of Z. Terze and others (2016): Euler parameters at 0.2 s and the centre of mass at 0.1 s, from a
/// program for Euler's equations that agrees with all printed digits of the publication.
#[test]
fn the_heavy_top_matches_published_positions() {
    let top = mechanism(json!({
        "motion": "spatial",
        "gravity": [0, 0, -9.81],
        "bodies": { "top": {
            "mass": 15.0, "inertia": [0.234375, 0.46875, 0.234375], "centre": [0, 1, 0],
            "position": [0, 0, 0], "spin": [0, 150, -4.61538],
        } },
        "joints": { "pivot": { "spherical": { "between": ["ground", "top"] } } },
    }));
    let names = ["top_x", "top_y", "top_z", "top_e0", "top_e1", "top_e2", "top_e3"];
    let values = motion(&top, &Dop853::default(), Settings::tolerance(1e-13, 1e-13), &[0.1, 0.2], &names);
    for (found, expected) in values[0].iter().zip([0.421_296_658_925_36, 0.894_571_974_345_6, -0.149_164_700_561_93]) {
        assert!((found - expected).abs() < 1e-10, "{found} and {expected}");
    }
    let expected =
        [-0.708_279_152_974_330_9, 0.438_781_088_126_561_36, 0.545_728_396_145_423_7, 0.089_399_752_823_916_6];
    let sign = (values[1][3] * expected[0]).signum();
    for (found, expected) in values[1][3..].iter().zip(expected) {
        assert!((sign * found - expected).abs() < 1e-10, "{found} and {expected}");
    }
}

/// Five rods with six hinges, one of whose constraints follows from the others at all times (IFToMM A04). References
/// are from a chain in joint coordinates, closed by the pseudo-inverse.
#[test]
fn bricards_mechanism_moves_with_one_constraint_too_many() {
    let points =
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, -1.0, 0.0], [1.0, -1.0, 1.0], [0.0, -1.0, 1.0], [0.0, 0.0, 1.0]];
    let axes = [[0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]];
    let (along, across) = (2.0 * 0.01 / 12.0, 1.01 / 12.0);
    let (mut bodies, mut joints) = (serde_json::Map::new(), serde_json::Map::new());
    for k in 0..5 {
        let [from, to] = [points[k], points[k + 1]].map(Vector3::<f64>::from);
        let middle = 0.5 * (from + to);
        let mut inertia = [across; 3];
        inertia[(to - from).iamax()] = along;
        let markers = json!({ "a": (from - middle).as_slice(), "b": (to - middle).as_slice() });
        bodies.insert(
            format!("rod{k}"),
            json!({ "mass": 1.0, "inertia": inertia, "position": middle.as_slice(), "markers": markers }),
        );
        let before = if k == 0 { "ground".to_owned() } else { format!("rod{}.b", k - 1) };
        joints.insert(
            format!("hinge{k}"),
            json!({ "revolute": { "between": [before, format!("rod{k}.a")], "axis": axes[k] } }),
        );
    }
    joints.insert("hinge5".to_owned(), json!({ "revolute": { "between": ["rod4.b", "ground.end"], "axis": axes[5] } }));
    let bricard = mechanism(json!({
        "motion": "spatial", "gravity": [0, -9.81, 0], "ground": { "end": points[5] },
        "bodies": bodies, "joints": joints,
    }));
    let model = bricard.model();
    let mut ode = Formulated::<f64>::ode(&*model);
    let constraints = ode.form().mechanics().expect("mechanics").dimensions().constraints();
    assert_eq!(constraints, 5 + 30 - 1);
    drop(ode);
    let names = ["rod1_b_x", "rod1_b_y", "rod1_b_z", "energy_change"];
    let values = motion(&bricard, &Dop853::default(), Settings::tolerance(1e-12, 1e-12), &[1.0, 2.0], &names);
    let expected = [
        [0.274_481_319_265_097, -0.886_707_938_734_739_9, -0.462_330_002_687_245_83],
        [-0.778_135_373_032_925_3, -0.980_352_683_443_199_4, -0.197_252_670_617_455],
    ];
    for (values, expected) in values.iter().zip(expected) {
        for (found, expected) in values.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-10, "{values:?} and {expected}");
        }
        assert!(values[3].abs() < 1e-9, "{values:?}");
    }
    // every other hinge turns by the same angle; the last connects the last rod with the ground
    let hinges: Vec<String> = (0..6).map(|k| format!("hinge{k}_angle")).collect();
    let hinges: Vec<&str> = hinges.iter().map(String::as_str).collect();
    let angles = motion(&bricard, &Dop853::default(), Settings::tolerance(1e-12, 1e-12), &[1.0], &hinges).remove(0);
    for (angle, expected) in angles.iter().zip([1.035_028_459_517, -0.480_621_104_177].into_iter().cycle()) {
        assert!((angle.abs() - f64::abs(expected)).abs() < 1e-10, "{angles:?} and {expected}");
    }
}

/// IFToMM A05 at 2π rad/s: two rods with masses at their ends on a shaft, each with a stiff spring and damper to a
/// slider. References are from the two remaining coordinates (height and angle; the angular momentum is constant).
#[test]
fn the_governor_lifts_its_slider() {
    let centre = (0.3 * 0.5 + 5.0) / 5.3;
    let across = 0.3 * (1.0 + 1e-4) / 12.0 + 0.3 * (centre - 0.5f64).powi(2) + 5.0 * (1.0 - centre).powi(2);
    let axial = 0.3 * 2e-4 / 12.0;
    let rod = json!({
        "mass": 5.3, "inertia": [axial, across, across], "centre": [centre, 0, 0],
        "markers": { "hinge": [0, 0, 0], "middle": [0.5, 0, 0] },
    });
    let spring = |side: &str| {
        json!({ "spring": {
            "between": [format!("slider.{side}"), format!("{side}.middle")],
            "stiffness": 8e5, "damping": 4e4, "length": 0.5,
        } })
    };
    let hinge = |side: &str| {
        let between = [format!("shaft.{side}"), format!("{side}.hinge")];
        json!({ "revolute": { "between": between, "axis": [0, 1, 0], "angle": "pi/6" } })
    };
    let governor = mechanism(json!({
        "motion": "spatial",
        "gravity": [0, 0, -9.81],
        "bodies": {
            "shaft": {
                "mass": 0.3, "inertia": [0.3 * (1.0 + 1e-4) / 12.0, 0.3 * (1.0 + 1e-4) / 12.0, 0.3 * 2e-4 / 12.0],
                "position": [0, 0, 0.5], "spin": [0, 0, "2*pi"],
                "markers": {
                    "foot": [0, 0, -0.5], "right": [0.05, 0, 0.5],
                    "left": { "at": [-0.05, 0, 0.5], "rotation": [0, 0, "pi"] },
                },
            },
            "slider": {
                "mass": 3.0, "shape": { "box": [0.1, 0.1, 0.1] },
                "markers": { "right": [0.05, 0, 0], "left": [-0.05, 0, 0] },
            },
            "right": rod, "left": rod,
        },
        "joints": {
            "bearing": { "revolute": { "between": ["ground", "shaft.foot"] } },
            "guide": { "prismatic": { "between": ["shaft.foot", "slider"], "axis": [0, 0, 1], "distance": 0.5 } },
            "right_hinge": hinge("right"), "left_hinge": hinge("left"),
        },
        "forces": { "right_spring": spring("right"), "left_spring": spring("left") },
    }));
    let times = [0.1, 0.2, 0.5, 1.0];
    let expected = [0.523_836_475_569_581, 0.585_079_811_820_788_6, 0.743_249_424_786_346_1, 0.501_420_922_379_518_3];
    let values = motion(&governor, &Dop853::default(), Settings::tolerance(1e-12, 1e-12), &times, &["slider_z"]);
    for (found, expected) in values.iter().zip(expected) {
        // the references converge to 5e-11
        assert!((found[0] - expected).abs() < 2e-10, "{found:?} and {expected}");
    }
    let by_radau = motion(&governor, &Radau5::default(), Settings::tolerance(1e-9, 1e-9), &times[..2], &["slider_z"]);
    for (found, expected) in by_radau.iter().zip(expected) {
        assert!((found[0] - expected).abs() < 1e-6, "{found:?} and {expected}");
    }
}

/// The spatial slider crank with the moments of inertia of the published reference (Masoudi): x at 1 s and at 5 s,
/// from the crank's angle.
#[test]
fn the_spatial_slider_crank_matches_its_reference() {
    let b = Vector3::new(0.0, 0.1, 0.2);
    let along = (Vector3::new(0.2, 0.0, 0.0) - b) / 0.3;
    let cross = Vector3::x().cross(&along).normalize();
    let turn = Rotation3::from_matrix_unchecked(Matrix3::from_columns(&[along, cross, along.cross(&cross)]));
    let vector = turn.scaled_axis();
    let crank = mechanism(json!({
        "motion": "spatial",
        "gravity": [0, 0, -9.81],
        "ground": { "A": [0, 0.1, 0.12] },
        "bodies": {
            "crank": {
                "mass": 0.12, "inertia": [1e-4, 1e-4, 1e-5], "position": [0, 0.1, 0.12], "centre": [0, 0, 0.04],
                "spin": [6, 0, 0], "velocity": [0, 0, 0], "markers": { "end": [0, 0, 0.08] },
            },
            "rod": {
                "mass": 0.5, "inertia": [0.004, 0.004, 0.0004], "position": [0.1, 0.05, 0.1],
                "rotation": vector.as_slice(), "velocity": [0.12, -0.24, 0], "spin": [1.92, -0.96, 0.48],
                "markers": { "ball": [-0.15, 0, 0], "end": [0.15, 0, 0] },
            },
            "slider": { "mass": 2.0, "inertia": [1e-4, 1e-4, 1e-4], "position": [0.2, 0, 0], "velocity": [0.24, 0, 0] },
        },
        "joints": {
            "bearing": { "revolute": { "between": ["ground.A", "crank"], "axis": [1, 0, 0] } },
            "ball": { "spherical": { "between": ["crank.end", "rod.ball"] } },
            "cross": { "universal": { "between": ["slider", "rod.end"], "axes": [[1, 0, 0], [0, 1, 0]] } },
            "guide": { "prismatic": { "between": ["ground", "slider"] } },
        },
    }));
    let times = [1.0, 5.0];
    let values = motion(
        &crank,
        &Dop853::default(),
        Settings::tolerance(1e-12, 1e-12),
        &times,
        &["slider_x", "energy", "energy_change"],
    );
    assert!((values[0][0] - 0.236_362_856_003_980_88).abs() < 1e-9, "{values:?}");
    assert!((values[1][0] - 0.261_002_006_297_969_9).abs() < 1e-8, "{values:?}");
    assert!((values[0][1] - values[0][2] - 0.765_698_4).abs() < 1e-12, "{values:?}");
}

/// A pendulum at rest on a pin that is described three times: each pin carries a third, and their sum is the force
/// of a single pin.
#[test]
fn redundant_joints_share_the_force() {
    let pendulum = |pins: &[&str]| {
        let pin = json!({ "revolute": { "between": ["ground", "rod.top"] } });
        let joints: serde_json::Map<_, _> = pins.iter().map(|name| ((*name).to_owned(), pin.clone())).collect();
        mechanism(json!({
            "gravity": [0, -10],
            "bodies": { "rod": {
                "mass": 3, "shape": { "rod": { "length": 1 } }, "position": [0.5, 0], "rate": 2, "velocity": [0, 1],
                "markers": { "top": [-0.5, 0] },
            } },
            "joints": joints,
        }))
    };
    let force = |pins: &[&str], joint: &str| {
        let model = pendulum(pins).model();
        let state: Vec<f64> = Formulated::<f64>::initial_state(&*model);
        observed(&*model, 0.0, &state, &[&format!("{joint}_fx"), &format!("{joint}_fy")])
    };
    // force on the ground: the centrifugal force m ω² l/2, and a quarter of the weight of a level rod
    let alone = force(&["a"], "a");
    assert!((alone[0] - 6.0).abs() < 1e-12 && (alone[1] + 7.5).abs() < 1e-12, "{alone:?}");
    for joint in ["a", "b", "c"] {
        let shared = force(&["a", "b", "c"], joint);
        for (shared, alone) in shared.iter().zip(&alone) {
            assert!((3.0 * shared - alone).abs() < 1e-9, "{joint}: {shared} and {alone}");
        }
    }
}

/// A disk that rolls straight ahead, with any axis that is not vertical; a disk that lies flat is refused.
#[test]
fn disks_roll_about_each_axis_of_their_body_or_are_refused_flat() {
    let disk = |axis: [f64; 3], spin: [f64; 3], velocity: [f64; 3]| {
        json!({
            "motion": "spatial", "gravity": [0, 0, -9.81],
            "bodies": { "disk": {
                "mass": 2, "inertia": [0.1, 0.1, 0.1], "position": [0, 0, 0.5], "spin": spin, "velocity": velocity,
            } },
            "joints": { "floor": { "rolling": { "body": "disk", "radius": 0.5, "axis": axis } } },
        })
    };
    for (axis, spin, velocity) in [
        ([1.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, -1.5, 0.0]),
        ([0.0, 1.0, 0.0], [0.0, 3.0, 0.0], [1.5, 0.0, 0.0]),
        ([0.0, -2.0, 0.0], [0.0, 3.0, 0.0], [1.5, 0.0, 0.0]),
    ] {
        let rolling = mechanism(disk(axis, spin, velocity));
        let names = ["disk_x", "disk_y", "disk_z", "opening", "velocity_constraint"];
        let settings = Settings::tolerance(1e-10, 1e-10);
        let [x, y, z, opening, slip] = motion(&rolling, &Dop853::default(), settings, &[2.0], &names)[0][..] else {
            panic!("five values")
        };
        let expected = [2.0 * velocity[0], 2.0 * velocity[1], 0.5];
        assert!([x, y, z].iter().zip(expected).all(|(x, expected)| (x - expected).abs() < 1e-8), "{x}, {y}, {z}");
        assert!(opening < 1e-9 && slip < 1e-8, "{opening:e}, {slip:e}");
    }
    let flat = disk([0.0, 0.0, 1.0], [0.0; 3], [0.0; 3]);
    let flat: mbsbench_mechanisms::Mechanism = serde_json::from_value(flat).expect("a mechanism");
    let error = mbsbench_problem::Parameters::check(&flat).expect_err("a flat disk");
    assert_eq!(error.field, "joints.floor.rolling");
    assert!(error.to_string().contains("lies flat"), "{error}");
}
