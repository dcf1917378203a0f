//! Redundant constraints: at all positions, or in the initial position alone.

use crate::common;

use mbsbench_integrators::{Dopri5, GeneralizedAlpha};
use mbsbench_mechanisms::Mechanism;
use mbsbench_problem::{Failure, Formulated, MethodDefinition, ModelDefinition, OutOfRange, Parameters, Settings};
use serde_json::{Value, json};

fn refused(written: Value) -> OutOfRange {
    let mechanism: Mechanism = serde_json::from_value(written).expect("a mechanism");
    mechanism.check().expect_err("a constraint is lost")
}

fn rod(length: f64, at: [f64; 2], angle: f64, rate: f64, velocity: [f64; 2]) -> Value {
    let markers = json!({ "a": [-0.5 * length, 0], "b": [0.5 * length, 0], "m": [0, 0] });
    json!({ "mass": 1, "shape": { "rod": { "length": length } }, "position": at, "angle": angle, "velocity": velocity,
            "rate": rate, "markers": markers })
}

fn pin(a: &str, b: &str) -> Value {
    json!({ "revolute": { "between": [a, b] } })
}

/// A platform of 2 m on parallel links of 1 m at its ends and, for three or more `links`, between them. All links
/// turn at 1 rad/s.
fn platform(links: usize, angle: f64, scale: f64) -> Value {
    let (sin, cos) = angle.sin_cos();
    let scaled = |x: [f64; 2]| x.map(|x| scale * x);
    let (mut bodies, mut joints, mut ground) = (json!({}), json!({}), json!({}));
    for k in 0..links {
        let x = 2.0 * k as f64 / (links - 1) as f64;
        let (foot, link) = (format!("p{k}"), format!("link{k}"));
        ground[&foot] = json!(scaled([x, 0.0]));
        bodies[&link] = rod(scale, scaled([x + 0.5 * cos, 0.5 * sin]), angle, 1.0, scaled([-0.5 * sin, 0.5 * cos]));
        joints[format!("foot{k}")] = pin(&format!("ground.{foot}"), &format!("{link}.a"));
    }
    bodies["platform"] = rod(2.0 * scale, scaled([1.0 + cos, sin]), 0.0, 0.0, scaled([-sin, cos]));
    for k in 0..links {
        let marker = format!("q{k}");
        bodies["platform"]["markers"][&marker] = json!(scaled([2.0 * k as f64 / (links - 1) as f64 - 1.0, 0.0]));
        joints[format!("head{k}")] = pin(&format!("link{k}.b"), &format!("platform.{marker}"));
    }
    json!({ "ground": ground, "bodies": bodies, "joints": joints })
}

#[test]
fn a_constraint_redundant_only_initially_is_refused() {
    for (links, scale) in [(2, 1.0), (3, 1.0), (2, 1e-6), (2, 1e4)] {
        for formulation in ["acceleration-level", "minimal"] {
            let mut written = platform(links, 0.0, scale);
            written["formulation"] = json!(formulation);
            let error = refused(written);
            assert!(error.field.starts_with("joints."), "{error}");
            assert!(error.message().contains(" at (") && error.message().contains("initial position only"), "{error}");
        }
    }
    // so close to the flat position that its constraints cannot be distinguished from dependent ones, and far enough
    assert!(refused(platform(2, 1e-10, 1.0)).message().contains("initial position only"));
    common::mechanism(platform(2, 1e-3, 1.0));
    // two rods in a stretched line, which cannot move: no other position closes the joints
    let stretched = json!({
        "ground": { "far": [2, 0] },
        "bodies": { "one": rod(1.0, [0.5, 0.0], 0.0, 0.0, [0.0; 2]), "two": rod(1.0, [1.5, 0.0], 0.0, 0.0, [0.0; 2]) },
        "joints": { "A": pin("ground", "one.a"), "B": pin("one.b", "two.a"), "C": pin("two.b", "ground.far") },
    });
    assert_eq!(refused(stretched).field, "joints.C");
}

#[test]
fn constraints_redundant_everywhere_are_left_out() {
    for (links, left_out) in [(2, 0), (3, 1), (5, 3)] {
        for angle in [0.05, 0.7, 2.0] {
            let mechanism = common::mechanism(platform(links, angle, 1.0));
            let rows = 4 * links;
            let model = mechanism.model();
            let mut ode = Formulated::<f64>::ode(&*model);
            assert_eq!(
                ode.form().mechanics().unwrap().dimensions().constraints(),
                rows - left_out,
                "{links} links at {angle}"
            );
            let method = Dopri5::default().method();
            let state = common::states(&*model, &*method, &[0.5], Settings::tolerance(1e-10, 1e-10)).remove(0);
            let seen = common::observed(&*model, 0.5, &state, &["constraint", "platform_angle", "link0_angle"]);
            assert!(seen[0] < 1e-9 && seen[1].abs() < 1e-9 && (seen[2] - angle - 0.5).abs() < 1e-9, "{seen:?}");
        }
    }
}

/// A rod with the same hinge driven twice.
fn driven_twice(law: &str, other: &str) -> Value {
    let drive = |law: &str| json!({ "rotation": { "between": ["ground", "rod.a"], "law": law } });
    json!({
        "bodies": { "rod": rod(1.0, [0.5, 0.0], 0.0, 0.0, [0.0; 2]) },
        "joints": { "pin": pin("ground", "rod.a"), "drive": drive(law), "again": drive(other) },
    })
}

#[test]
fn drives_of_one_joint_that_differ_are_refused_or_end_the_run() {
    assert_eq!(refused(driven_twice("t^2", "3*t^2")).field, "joints.again");
    let mechanism = common::mechanism(driven_twice("t^2", "t^2 + max(0, t - 0.5)"));
    let model = mechanism.model();
    let method = GeneralizedAlpha::default().method();
    let mut observation = model.observation();
    let names: Vec<String> = model.observables().into_iter().map(|observable| observable.name).collect();
    let mut values = vec![0.0; names.len()];
    let constraint = names.iter().position(|name| name == "constraint").unwrap();
    for (t, open) in [(0.25, 0.0), (0.75, 0.25)] {
        let state = common::states(&*model, &*method, &[t], Settings::fixed(1e-3)).remove(0);
        observation.observe(t, &state, &mut values);
        // drift of the solved drive is a measure, not a failure
        assert!((values[constraint] - open).abs() < 1e-6, "{} at {t}", values[constraint]);
        match observation.failure() {
            None => assert_eq!(open, 0.0),
            Some(Failure::JointOpen { time, joint, by }) => {
                assert_eq!((time, joint.as_str()), (t, "again"));
                assert!((by - open).abs() < 1e-6, "{by}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn drift_visible_in_the_equations_is_not_a_failure() {
    let mechanism = common::mechanism(platform(3, 0.7, 1.0));
    let model = mechanism.model();
    let mut state = Formulated::<f64>::initial_state(&*model);
    let mut values = vec![0.0; model.observables().len()];
    // lifts the platform off all of its joints
    state[10] += 1e-3;
    let mut observation = model.observation();
    observation.observe(0.0, &state, &mut values);
    assert_eq!(observation.failure(), None);
    assert!((common::observed(&*model, 0.0, &state, &["constraint"])[0] - 1e-3).abs() < 1e-9);
}

#[test]
fn too_many_redundant_constraints_are_refused_at_once() {
    let start = std::time::Instant::now();
    let hinge = pin("ground", "rod.a");
    let mut many = json!({ "bodies": { "rod": rod(1.0, [0.5, 0.0], 0.0, 0.0, [0.0; 2]) }, "joints": {} });
    many["repeat"] = json!([{ "for": { "i": 90 }, "joints": { "pin{i}": hinge } }]);
    common::mechanism(many.clone());
    // together with a chain whose coordinates would hide them from a count
    many["repeat"] = json!([
        { "for": { "i": 2000 }, "joints": { "pin{i}": hinge } },
        { "for": { "i": 3000 }, "bodies": { "ball{i}": { "mass": 1, "inertia": [1] } } },
    ]);
    let error = refused(many);
    assert_eq!(error.field, "joints");
    assert!(error.accepted.contains("at most 200"), "{error}");
    assert!(start.elapsed().as_secs_f64() < 10.0, "{:?}", start.elapsed());
}

/// Two rods from the origin to a point on the x axis.
fn two_rods(formulation: &str, far: f64) -> Value {
    let rod = json!({ "mass": 1, "shape": { "rod": { "length": 1 } }, "markers": { "a": [-0.5, 0], "b": [0.5, 0] } });
    json!({
        "formulation": formulation,
        "bodies": { "one": rod, "two": rod },
        "joints": {
            "A": pin("ground", "one.a"), "B": pin("one.b", "two.a"),
            "C": { "point-on-line": { "between": ["ground.far", "two.b"], "axis": [0, 1] } },
        },
        "ground": { "far": [far, 0] },
    })
}

/// The values in a message such as "all joints close from `joints.A.revolute.angle: 0.5`, …" replace those of a
/// mechanism, which then closes.
fn with_suggestion(mut written: Value, error: &OutOfRange) -> Value {
    let (_, values) = error.accepted.split_once("all joints close from ").unwrap_or_else(|| panic!("{error}"));
    for value in values.split("`, `").map(|value| value.trim_matches('`')) {
        let (path, value) = value.split_once(": ").expect("a path and a value");
        let place = path.split('.').fold(&mut written, |place, key| &mut place[key]);
        *place = serde_json::from_str(value).expect("numbers");
    }
    written
}

/// Nothing places the links of a floating chain: assembly moves them far from the origin, with roundoff of their size.
#[test]
fn a_long_floating_chain_closes() {
    let link = json!({ "mass": 1, "shape": { "rod": { "length": 1 } },
                       "markers": { "a": [-0.5, 0], "b": [0.5, 0] } });
    let links = json!({ "for": { "i": 5000 }, "bodies": { "link{i}": link } });
    let pins = json!({ "for": { "i": [2, 5000] }, "joints": { "pin{i}": pin("link{i}.a", "link{i-1}.b") } });
    common::mechanism(json!({ "repeat": [links, pins] }));
}

#[test]
fn a_start_from_which_joints_do_not_close_is_refused_with_one_from_which_they_do() {
    for formulation in ["acceleration-level", "minimal"] {
        // stretched rods do not bend if their ends are pushed towards each other
        let written = two_rods(formulation, 1.0);
        let error = refused(written.clone());
        assert_eq!(error.field, "joints.C", "{error}");
        assert!(error.message().contains("no position near the initial one closes"), "{error}");
        common::mechanism(with_suggestion(written, &error));
    }
    let impossible = two_rods("acceleration-level", 9.0);
    assert!(refused(impossible).accepted.contains("lengths with which all joints can close"));
}
