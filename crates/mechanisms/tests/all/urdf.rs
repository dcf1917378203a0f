//! Reads robots from URDF files.

use crate::common::{mechanism, observed, states};
use approx::assert_abs_diff_eq;
use mbsbench_integrators::Dop853;
use mbsbench_mechanisms::urdf;
use mbsbench_problem::view::Shape;
use mbsbench_problem::{Formulated, MethodDefinition, ModelDefinition, Parameters, Settings};
use nalgebra::{Rotation3, Vector3};
use serde_json::json;

const ARM: &str = r#"<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper-arm">
    <inertial>
      <origin xyz="0.2 0 0" rpy="0 0 1.5707963267948966"/><mass value="2"/><inertia ixx="0.03" iyy="0.01" izz="0.03"/>
    </inertial>
    <visual><geometry><box size="0.4 0.05 0.05"/></geometry></visual>
  </link>
  <link name="elbow"/>
  <link name="lower">
    <inertial><origin xyz="0.15 0 0"/><mass value="1"/><inertia ixx="0.001" iyy="0.01" izz="0.01"/></inertial>
  </link>
  <link name="slide"><inertial><mass value="0.5"/><inertia ixx="0.001" iyy="0.001" izz="0.001"/></inertial></link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper-arm"/><origin xyz="0 0 1" rpy="0 0.3 0"/><axis xyz="0 1 0"/>
    <limit effort="1" velocity="1"/>
    <dynamics damping="0.5" friction="0.1"/>
  </joint>
  <joint name="extension" type="fixed"><parent link="upper-arm"/><child link="elbow"/><origin xyz="0.4 0 0"/></joint>
  <joint name="bend" type="continuous"><parent link="elbow"/><child link="lower"/><axis xyz="0 1 0"/></joint>
  <joint name="tool" type="prismatic">
    <parent link="lower"/><child link="slide"/><origin xyz="0.3 0 0"/><axis xyz="1 0 0"/><dynamics damping="2"/>
  </joint>
</robot>"#;

#[track_caller]
fn read(text: &str) -> urdf::Robot {
    try_read(text).unwrap_or_else(|error| panic!("{error}"))
}

fn try_read(text: &str) -> Result<urdf::Robot, urdf::NoRobot> {
    urdf::read(text, &urdf::Options::default())
}

/// Compares with the same arm by hand, in which the second link's frame is at the elbow of the first.
#[test]
fn a_robot_is_the_mechanism_that_it_describes() {
    let robot = mechanism(read(ARM).mechanism);
    let by_hand = mechanism(json!({
        "motion": "spatial", "gravity": [0, 0, -9.81],
        "ground": { "shoulder": { "at": [0, 0, 1], "rotation": [0, 0.3, 0] } },
        "bodies": {
            "upper": {
                "mass": 2, "inertia": [0.01, 0.03, 0.03], "centre": [0.2, 0, 0], "markers": { "elbow": [0.4, 0, 0] },
            },
            "lower": {
                "mass": 1, "inertia": [0.001, 0.01, 0.01], "centre": [0.15, 0, 0], "markers": { "tool": [0.3, 0, 0] },
            },
            "slide": { "mass": 0.5, "inertia": [0.001, 0.001, 0.001] },
        },
        "joints": {
            "shoulder": { "revolute": { "between": ["ground.shoulder", "upper"], "axis": [0, 1, 0] } },
            "bend": { "revolute": { "between": ["upper.elbow", "lower"], "axis": [0, 1, 0] } },
            "tool": { "prismatic": { "between": ["lower.tool", "slide"], "axis": [1, 0, 0] } },
        },
        "forces": {
            "shoulder": { "motor": {
                "between": ["ground.shoulder", "upper"], "axis": [0, 1, 0],
                "torque": "-0.5*rate - 0.1*tanh(1000*rate)",
            } },
            "tool": { "bushing": {
                "between": ["lower.tool", "slide"], "stiffness": [0, 0, 0, 0, 0, 0], "damping": [2, 0, 0, 0, 0, 0],
            } },
        },
    }));
    let end = |mechanism: &mbsbench_mechanisms::Mechanism| {
        let model = mechanism.model();
        let state = states(&*model, &*Dop853::default().method(), &[0.5], Settings::tolerance(1e-11, 1e-11)).remove(0);
        observed(&*model, 0.5, &state, &["slide_x", "slide_y", "slide_z", "energy_change"])
    };
    let (robot, by_hand) = (end(&robot), end(&by_hand));
    for (a, b) in robot.iter().zip(&by_hand) {
        assert_abs_diff_eq!(a, b, epsilon = 1e-9);
    }
    assert!(robot[3] < -0.01, "nothing is lost in the joints: {robot:?}");
}

#[test]
fn mistakes_are_shown_with_their_position() {
    let at = |from: &str, to: &str, place: &str| {
        let text = ARM.replacen(from, to, 1);
        assert_ne!(text, ARM, "{from}");
        let error = try_read(&text).map(|robot| robot.mechanism).expect_err(to);
        assert!(
            text[error.start..].starts_with(place),
            "{error} at {:?}",
            &text[error.start..].chars().take(30).collect::<String>()
        );
    };
    at("<child link=\"lower\"/>", "<child link=\"upper-arm\"/>", "<joint name=\"bend\"");
    at("<mass value=\"1\"/>", "<mass value=\"one\"/>", "<mass value=\"one\"");
    at("<mass value=\"1\"/>", "<mass value=\"-1\"/>", "<mass value=\"-1\"");
    at("type=\"continuous\"", "type=\"ball\"", "<joint name=\"bend\"");
    at("<parent link=\"elbow\"/>", "<parent link=\"nothing\"/>", "<parent link=\"nothing\"");
    at("xyz=\"0.4 0 0\"", "xyz=\"0.4 0\"", "<origin xyz=\"0.4 0\"");
    at("<link name=\"slide\">", "<link name=\"elbow\">", "<link name=\"elbow\">");
    at(
        "</robot>",
        "<joint name=\"a\" type=\"fixed\"><parent link=\"slide\"/><child link=\"base\"/></joint></robot>",
        "<robot",
    );
    at("<axis xyz=\"1 0 0\"/>", "<mimic joint=\"bent\"/>", "<mimic");
    at("<axis xyz=\"1 0 0\"/>", "<mimic joint=\"extension\"/>", "<mimic");
    // multi-byte characters count as one
    at("<link name=\"base\"/>", "<link name=\"ééé\"/></link>", "</link>");
    at("<robot name=\"arm\">", "<robots name=\"arm\">", "</robot>");
}

#[test]
fn a_floating_base_is_at_its_joint() {
    let text = r#"<robot name="r"><link name="world"/>
        <link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
        <joint name="j" type="floating"><parent link="world"/><child link="b"/><origin xyz="1 2 3"/></joint></robot>"#;
    let robot = mechanism(read(text).mechanism);
    let initial: Vec<f64> = Formulated::<f64>::initial_state(&*robot.model());
    assert_eq!(&initial[..3], &[1.0, 2.0, 3.0]);
}

/// Checks the only error of a text, whose place begins with `place`.
#[track_caller]
fn refused(text: &str, place: &str, message: &str) {
    let error = try_read(text).map(|robot| robot.mechanism).expect_err(message);
    let found: String = text[error.start..].chars().take(100).collect();
    assert!(found.starts_with(place), "{error} at {found}");
    assert!(error.to_string().contains(message), "{error}");
}

fn link(name: &str) -> String {
    let inertial = r#"<inertial><origin xyz="0.1 0.02 0.03" rpy="0.3 -0.4 0.7"/><mass value="2"/>
        <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0.001" ixz="-0.002" iyz="0.003"/></inertial>"#;
    format!("<link name=\"{name}\">{inertial}</link>")
}

fn joint(name: &str, kind: &str, parent: &str, child: &str, more: &str) -> String {
    format!("<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/>{more}</joint>")
}

/// A double pendulum with these names of links and joints.
fn pendulum(links: [&str; 3], joints: [&str; 2]) -> String {
    let first = joint(joints[0], "continuous", links[0], links[1], "<axis xyz=\"0 1 0\"/>");
    let second = joint(joints[1], "continuous", links[1], links[2], "<origin xyz=\"0.5 0 0\"/><axis xyz=\"0 0 1\"/>");
    format!(
        "<robot name=\"r\"><link name=\"{}\"/>{}{}{first}{second}</robot>",
        links[0],
        link(links[1]),
        link(links[2])
    )
}

/// The two bodies after half a second in joint coordinates, by name.
fn swung(text: &str, bodies: [&str; 2]) -> Vec<f64> {
    let mut written = read(text).mechanism;
    written["formulation"] = json!("minimal");
    let robot = mechanism(written);
    let model = robot.model();
    let state = states(&*model, &*Dop853::default().method(), &[0.5], Settings::tolerance(1e-11, 1e-11)).remove(0);
    let names = [format!("{}_x", bodies[0]), format!("{}_z", bodies[0]), format!("{}_z", bodies[1])];
    let mut values = observed(&*model, 0.5, &state, &names.each_ref().map(String::as_str));
    values.push(state.len() as f64);
    values
}

#[test]
fn distinct_links_and_joints_get_distinct_names() {
    let expected = swung(&pendulum(["base", "one", "two"], ["a", "b"]), ["one", "two"]);
    // by pinocchio 4.1.0 with 5000 steps of the classical Runge–Kutta method
    assert_abs_diff_eq!(expected[1], -0.104_252_113_921, epsilon = 1e-10);
    assert_abs_diff_eq!(expected[2], -0.575_522_458_311, epsilon = 1e-10);
    for (links, joints, bodies) in [
        (["base", "one", "two"], ["j-1", "j_1"], ["one", "two"]),
        (["base", "one", "two"], ["肩部", "肘部"], ["one", "two"]),
        (["base", "l-1", "l.1"], ["γόνατο", "αγκώνας"], ["l_1", "l_1_2"]),
        (["base", "ground", "two"], ["ground", "two"], ["ground_2", "two"]),
        // names of markers of joints on observed bodies, and of damping
        (["base", "arm", "arm_wrist"], ["arm", "wrist"], ["arm", "arm_wrist"]),
        (["a", "1", "link_1"], ["x", "x_axis"], ["link_1_2", "link_1"]),
    ] {
        assert_eq!(swung(&pendulum(links, joints), bodies), expected, "{links:?} {joints:?}");
    }
    let notes = read(&pendulum(["base", "l-1", "two"], ["肩", "b"])).notes.summary();
    assert_eq!(notes, ["renamed: link `l-1` to `l_1`, joint `肩` to `u80a9_`"]);
}

/// Speed, angular velocity and displacement after half a second of a body of 2 kg with moments of 0.5 kg m² on a joint
/// of this type with a slanting axis, from the given speed along a direction `d` and angular velocity about an axis `n`
/// that the joint allows. The direction and the axis are returned as well.
fn slid(kind: &str, dynamics: &str, gravity: f64, [speed, rate]: [f64; 2]) -> ([f64; 2], [Vector3<f64>; 3]) {
    let inertial = r#"<inertial><mass value="2"/><inertia ixx="0.5" iyy="0.5" izz="0.5"/></inertial>"#;
    let place = r#"<origin xyz="0.3 -0.2 0.5" rpy="0.3 -0.4 0.7"/><axis xyz="1 2 -2"/>"#;
    let text = [
        "<robot name=\"r\"><link name=\"base\"/><link name=\"b\">",
        inertial,
        "</link><link name=\"tip\"/>",
        &joint("j", kind, "base", "b", &format!("{place}{dynamics}")),
        // harmless
        &joint("f", "fixed", "b", "tip", dynamics),
        "</robot>",
    ];
    let turn = Rotation3::from_euler_angles(0.3, -0.4, 0.7);
    let n = turn * Vector3::new(1.0, 2.0, -2.0) / 3.0;
    let d = if kind == "prismatic" { n } else { turn * Vector3::new(2.0, 1.0, 2.0) / 3.0 };
    let mut written = read(&text.concat()).mechanism;
    written["gravity"] = json!([0.0, 0.0, -gravity]);
    written["bodies"]["b"]["velocity"] = json!((d * speed).as_slice());
    written["bodies"]["b"]["spin"] = json!((n * rate).as_slice());
    let model = mechanism(written).model();
    let method = Dop853::default().method();
    let end = states(&*model, &*method, &[0.5], Settings::tolerance(1e-11, 1e-11)).remove(0);
    let (slides, turns) = match kind {
        "prismatic" => (1, 0),
        "planar" => (2, 1),
        "floating" => (3, 3),
        _ => (0, 1),
    };
    let velocities = &end[end.len() - slides - turns..];
    let norm = |part: &[f64]| part.iter().map(|x| x * x).sum::<f64>().sqrt();
    let at = Vector3::from_vec(observed(&*model, 0.5, &end, &["b_x", "b_y", "b_z"])) - Vector3::new(0.3, -0.2, 0.5);
    ([norm(&velocities[..slides]), norm(&velocities[slides..])], [at, d, n])
}

/// Damping `c` and friction `f` of joints of all types against closed forms: `v = v₀ exp(−c t/m)`, and
/// `sinh(v/w) = sinh(v₀/w) exp(−f t/(m w))` with the width `w` of friction; and the free fall that a joint allows.
#[test]
fn each_type_of_joint_moves_by_its_formula() {
    let (t, mass, moment, width): (f64, f64, f64, f64) = (0.5, 2.0, 0.5, 1e-3);
    for (kind, slides, turns) in [
        ("revolute", false, true),
        ("continuous", false, true),
        ("prismatic", true, false),
        ("planar", true, true),
        ("floating", true, true),
    ] {
        let start = [if slides { 0.8 } else { 0.0 }, if turns { 1.5 } else { 0.0 }];
        let (found, [at, d, _]) = slid(kind, "<dynamics damping=\"3\"/>", 0.0, start);
        let decay = |inertia: f64| (-3.0 * t / inertia).exp();
        assert_abs_diff_eq!(found[..], [start[0] * decay(mass), start[1] * decay(moment)][..], epsilon = 1e-9);
        let way = d * (start[0] * mass / 3.0 * (1.0 - decay(mass)));
        assert_abs_diff_eq!(at, way, epsilon = 1e-9);

        // it slides more slowly than the width only at the end
        let slow =
            |speed: f64, inertia: f64| width * ((speed / width).sinh() * (-2e-3 * t / (inertia * width)).exp()).asinh();
        let start = start.map(|speed| 3e-3 * speed);
        let (found, _) = slid(kind, "<dynamics friction=\"0.002\"/>", 0.0, start);
        assert_abs_diff_eq!(found[..], [slow(start[0], mass), slow(start[1], moment)][..], epsilon = 1e-8);

        let (_, [at, _, n]) = slid(kind, "", 9.81, [0.0; 2]);
        let down = Vector3::new(0.0, 0.0, -9.81);
        let along = n * n.dot(&down);
        let fall = match kind {
            "prismatic" => along,
            "planar" => down - along,
            "floating" => down,
            _ => Vector3::zeros(),
        };
        assert_abs_diff_eq!(at, fall * (0.5 * t * t), epsilon = 1e-9);
    }
}

#[test]
fn duplicate_names_are_refused_at_the_second() {
    let text = pendulum(["base", "one", "two"], ["a", "b"]);
    let twice = text.replace("name=\"b\"", "name=\"a\"");
    let first = twice.find("<joint name=\"a\"").unwrap();
    let error = try_read(&twice).expect_err("two joints `a`");
    assert!(error.start > first && twice[error.start..].starts_with("<joint name=\"a\""), "{error}");
    refused(
        &text.replace("<link name=\"two\">", "<link name=\"one\">"),
        "<link name=\"one\">",
        "two links are called `one`",
    );
}

/// Checks positions of the centre of a body and of one in its child, for a joint origin with this
/// rotation, by matrices.
#[test]
fn joints_may_be_turned_in_all_ways() {
    use nalgebra::Unit;
    let quarter = std::f64::consts::FRAC_PI_2;
    let angles = |k: u32| [k % 4, k / 4 % 4, k / 16].map(|k| quarter * f64::from(k));
    let mut turns: Vec<[f64; 3]> = (0..64).map(angles).collect();
    for by in [1e-16, -1e-16, 1e-12, 1e-9, -1e-9] {
        turns.extend((0..64).map(angles).map(|[roll, pitch, yaw]| [roll + by, pitch - by, yaw + by]));
    }
    for k in 1..40 {
        let axis =
            Unit::new_normalize(Vector3::new(f64::from(k).sin(), f64::from(2 * k).cos(), f64::from(3 * k).sin()));
        let (roll, pitch, yaw) = Rotation3::from_axis_angle(&axis, std::f64::consts::PI).euler_angles();
        turns.push([roll, pitch, yaw]);
    }
    let one = Vector3::new(0.3, 0.1, 0.2);
    for [roll, pitch, yaw] in turns {
        let origin = format!("<origin xyz=\"0 0 1\" rpy=\"{roll:?} {pitch:?} {yaw:?}\"/>");
        for (kind, second) in [("continuous", "continuous"), ("floating", "fixed")] {
            let text = [
                "<robot name=\"r\"><link name=\"base\"/><link name=\"one\"><inertial><origin xyz=\"0.3 0.1 0.2\"/>",
                "<mass value=\"2\"/><inertia ixx=\"0.02\" iyy=\"0.03\" izz=\"0.04\"/></inertial></link>",
                &link("two"),
                &joint("j", kind, "base", "one", &origin),
                &joint("k", second, "one", "two", &origin),
                "</robot>",
            ];
            let robot = mechanism(read(&text.concat()).mechanism);
            let model = robot.model();
            let state: Vec<f64> = Formulated::<f64>::initial_state(&*model);
            let (turn, up) = (Rotation3::from_euler_angles(roll, pitch, yaw), Vector3::z());
            let two = up + turn * Vector3::new(0.1, 0.02, 0.03);
            let (body, right) = match second {
                "fixed" => ("one_two", [up + turn * ((one + two) / 2.0), up + turn * up]),
                _ => ("two", [up + turn * one, up + turn * two]),
            };
            let names = ["one_x", "one_y", "one_z"].map(str::to_owned).into_iter();
            let names: Vec<String> = names.chain(["x", "y", "z"].map(|axis| format!("{body}_{axis}"))).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let found = observed(&*model, 0.0, &state, &names);
            for (found, right) in found.iter().zip(right.iter().flat_map(|at| at.iter())) {
                assert!((found - right).abs() < 1e-14, "{kind} {roll:?} {pitch:?} {yaw:?}: {found} {right}");
            }
        }
    }
}

#[test]
fn inertia_without_mass_is_kept() {
    let arm = "<link name=\"arm\"><inertial><origin xyz=\"1 0 0\"/><mass value=\"1\"/>\
               <inertia ixx=\"0.1\" iyy=\"0.1\" izz=\"0.1\"/></inertial></link>";
    let rotor = "<link name=\"rotor\"><inertial><origin rpy=\"0 0 1.5707963267948966\"/><mass value=\"0\"/>\
                 <inertia ixx=\"0.9\" iyy=\"0.6\" izz=\"0.6\"/></inertial></link>";
    let text = |kind| {
        let swing = joint("j", "continuous", "base", "arm", "<axis xyz=\"0 1 0\"/>");
        format!(
            "<robot name=\"r\"><link name=\"base\"/>{arm}{rotor}{swing}{}</robot>",
            joint("f", kind, "arm", "rotor", "")
        )
    };
    // by SciPy's DOP853 at 1e-13 for a pendulum with the sum of both inertias
    let found = swung(&text("fixed"), ["arm", "arm"]);
    assert_abs_diff_eq!(found[0], 0.822_170_201_290_020, epsilon = 1e-9);
    assert_abs_diff_eq!(found[1], -0.569_241_741_363_657, epsilon = 1e-9);
    // a rotor with a joint of its own turns about its axis alone
    assert!(swung(&text("continuous"), ["arm", "rotor"])[0].is_finite());
}

#[test]
fn incomplete_robots_are_refused() {
    let text = pendulum(["base", "one", "two"], ["a", "b"]);
    let with = |more: &str| text.replace("</robot>", &format!("{more}</robot>"));
    let circle = [link("x"), link("y"), joint("p", "continuous", "x", "y", ""), joint("q", "continuous", "y", "x", "")];
    refused(&with(&circle.concat()), "<joint name=\"p\"", "its joints form a cycle");
    refused(&with(&[link("x"), link("y")].concat()), "<link name=\"x\">", "links `base`, `x` and 1 more");
    refused("<robot name=\"r\"/>", "<robot", "the robot has no links");
    let declared = with("<xacro:include filename=\"arm.xacro\"/>")
        .replace("<robot ", "<robot xmlns:xacro=\"http://www.ros.org/wiki/xacro\" ");
    refused(&declared, "<xacro:include", "`<xacro:include>` is not resolved");
    refused(
        &text.replace("name=\"two\"", "name=\"${prefix}two\""),
        "name=\"${prefix}two\"",
        "`${prefix}two` is not resolved",
    );
    refused(&with("<link name=\"$(arg x)\"/>"), "name=\"$(arg x)\"", "is not resolved");
    let undeclared = with("<xacro:include filename=\"arm.xacro\"/>");
    refused(&undeclared, "<xacro:include", "`<xacro:include>` is not resolved");
    refused(&text.replace("<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 0 0\"/>"), "<axis", "the axis is zero");
    refused(
        &text.replace("<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 0 1\"/><axis xyz=\"0 1 0\"/>"),
        "<axis xyz=\"0 1 0\"",
        "more than one `<axis>`",
    );
    refused(
        &text.replace("rpy=\"0.3 -0.4 0.7\"", "quat_xyzw=\"0 0 1 0\""),
        "<origin",
        "`<origin>` has the attribute `quat_xyzw`",
    );
    // prefixes without a declaration, and declared but unused names, do no harm
    let sensors = with("<sensor:camera sensor:rate='2'/><drake:joint name='a'></drake:joint>");
    assert!(try_read(&sensors).is_ok());
    let declared = text.replace("<robot ", "<robot xmlns:xacro=\"http://www.ros.org/wiki/xacro\" ");
    assert!(try_read(&declared).is_ok());
}

#[test]
fn unused_elements_are_listed() {
    let more =
        r#"<gazebo/><gazebo><link name="x"/></gazebo><transmission name="t"><joint name="a"/></transmission></robot>"#;
    let drawn = "<link name=\"one\" type=\"x\"><visual><geometry><sphere radius=\"0\"/></geometry></visual>\
                 <collision><geometry><sphere radius=\"1\"/></geometry></collision>";
    let fixed = joint("f", "fixed", "two", "tip", "<dynamics damping=\"0.1\"/>");
    let text = pendulum(["base", "one", "two"], ["a", "b"])
        .replace("<link name=\"base\"/>", &link("base").replace("</link>", "<visual/><sensor/></link>"))
        .replace(
            "<axis xyz=\"0 0 1\"/>",
            "<axis xyz=\"0 0 1\"/><limit effort=\"1\"/><dynamics damping=\"2\"/><mimic joint=\"a\" multiplier=\"2\"/>",
        )
        .replace("<link name=\"one\">", drawn)
        .replace("</robot>", &[link("tip"), fixed, more.to_owned()].concat());
    let robot = read(&text);
    assert_eq!(
        robot.notes.summary(),
        [
            "ignored: mass of the root link `base` (2 kg), which is the ground",
            "merged: link `tip` into `two.tip`",
            "ignored: 1 `<sensor>` of `<link>`",
            "ignored: 1 `type` of `<link>`",
            "ignored: 1 `<limit>` of `<joint>`",
            "ignored: 2 `<gazebo>` of `<robot>`",
            "ignored: 1 `<transmission>` of `<robot>`",
            "ignored: 1 `<visual>` of `<link>`",
            "left out: 1 `<visual>` with `<sphere>` of size zero",
            "ignored: 1 `<dynamics>` of a `fixed` joint",
        ]
    );
    let all = robot.notes.all();
    for (start, line) in [
        ("<link name=\"one\"", "kept: link `one` as the body `one`, 2 kg"),
        ("<link name=\"base\"", "kept: link `base` as the ground"),
        ("<collision", "kept: `<collision>` with `<sphere>` as the drawing of `one`"),
        ("<joint name=\"b\"", "kept: joint `b`, continuous"),
        ("<dynamics damping=\"2\"", "kept: damping 2 and friction 0 of `b`"),
        ("<mimic", "kept: `<mimic>` of joint `b`, 2 times `a` plus 0"),
        ("<joint name=\"f\"", "kept: joint `f`, fixed"),
        ("<link name=\"tip\"", "merged: link `tip` into `two.tip`"),
        ("<transmission", "ignored: `<transmission>` of `<robot>`"),
    ] {
        assert!(all.contains(&(text.find(start).unwrap(), line.to_owned())), "{line}: {all:?}");
    }
    for part in ["<link", "<joint", "<visual", "<collision", "<dynamics", "<mimic", "<gazebo", "<sensor", "<limit"] {
        for (start, _) in text[..text.find("<gazebo").unwrap() + 7].match_indices(part) {
            assert!(all.iter().any(|(own, _)| *own == start), "no note on {}", &text[start..start + 30]);
        }
    }
    assert_eq!(robot.mechanism["bodies"]["one"]["shape"], json!({ "ball": { "radius": 1.0 } }));
}

#[test]
fn files_beyond_limits_are_refused_with_the_limit() {
    let many = |count: usize, each: &dyn Fn(usize) -> String| (0..count).map(each).collect::<String>();
    let robot =
        |inside: &str| pendulum(["base", "one", "two"], ["a", "b"]).replace("</robot>", &format!("{inside}</robot>"));
    let attributes = |count| robot(&format!("<g {}/>", many(count, &|k| format!("a{k}='>' "))));
    refused(&attributes(300), "<g", "300 attributes; accepted: at most 256");
    assert!(try_read(&attributes(256)).is_ok());
    assert!(try_read(&robot(&format!("<!-- {} -->", "a='' ".repeat(1000)))).is_ok());
    let names = robot(&many(201, &|k| format!("<g xmlns:a{k}='u{k}'/>")));
    refused(&names, "xmlns", "at most 200 namespaces");
    let arms = |count: usize| {
        robot(&many(count, &|k| {
            link(&format!("l{k}")) + &joint(&format!("j{k}"), "continuous", "base", &format!("l{k}"), "")
        }))
    };
    assert!(try_read(&arms(998)).is_ok());
    refused(&arms(999), "<link name=\"two\">", "more than 1000 moving links");
    refused(&robot(&"<g/>".repeat(400_001)), "", "at most 400000 elements");
}

#[test]
fn motors_act_about_the_axis_of_their_joint() {
    let turned = pendulum(["base", "one", "two"], ["a", "b"]).replace("<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 1 1\"/>");
    let end = |motor: serde_json::Value| {
        let mut written = read(&turned).mechanism;
        written["forces"] = json!({ "drive": motor });
        let robot: mbsbench_mechanisms::Mechanism = serde_json::from_value(written).expect("a mechanism");
        robot.check().map_err(|error| error.to_string())?;
        let model = robot.model();
        let state = states(&*model, &*Dop853::default().method(), &[0.2], Settings::tolerance(1e-10, 1e-10)).remove(0);
        Ok::<_, String>(observed(&*model, 0.2, &state, &["two_x", "two_y", "two_z"]))
    };
    let (by_joint, by_axis) = (
        end(json!({ "motor": { "joint": "b", "torque": "1 - 0.1*angle" } })),
        end(json!({ "motor": { "between": ["one.b", "two"], "axis": [0, 1, 1], "torque": "1 - 0.1*angle" } })),
    );
    assert_eq!(by_joint, by_axis);
    assert_ne!(by_joint, end(json!({ "motor": { "joint": "a", "torque": "1 - 0.1*angle" } })));
    for (motor, message) in [
        (
            json!({ "motor": { "between": ["one", "two"], "torque": 1 } }),
            "`forces.drive.motor.axis` is missing, and `b` does not turn or slide along [0.0, 0.0, 1.0]",
        ),
        (
            json!({ "torsion-spring": { "between": ["two", "one"], "stiffness": 1 } }),
            "`forces.drive.torsion-spring.axis` is missing",
        ),
        (
            json!({ "motor": { "joint": "c", "torque": 1 } }),
            "unknown joint `c`; accepted: the name of a revolute joint",
        ),
        (json!({ "motor": { "joint": "b", "axis": [0, 0, 1], "torque": 1 } }), "both `joint` and `axis` are given"),
        (
            json!({ "motor": { "joint": "b", "between": ["one", "two"], "torque": 1 } }),
            "both `joint` and `between` are given",
        ),
        (
            json!({ "motor": { "torque": 1 } }),
            "`forces.drive.motor` has neither `joint` nor `between`; accepted: `joint`",
        ),
    ] {
        let error = end(motor.clone()).expect_err(message);
        assert!(error.contains(message), "{motor}: {error}");
    }
    assert!(end(json!({ "motor": { "between": ["one", "two"], "axis": [0, 0, 1], "torque": 1 } })).is_ok());
}

/// Links without simple shapes, as most have meshes, are drawn from each joint to the next, the last to its
/// centre of mass.
#[test]
fn links_are_drawn_from_joint_to_joint() {
    let link = |name: &str, centre: f64| {
        format!(
            r#"<link name="{name}"><inertial><origin xyz="{centre} 0 0"/><mass value="1"/>
            <inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>
            <visual><geometry><mesh filename="a.stl"/></geometry></visual></link>"#
        )
    };
    let joint = |name: &str, [parent, child]: [&str; 2], at: &str| {
        format!(
            r#"<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>
            <origin xyz="{at}"/><axis xyz="0 1 0"/></joint>"#
        )
    };
    let text = [
        r#"<robot name="arm"><link name="base"/>"#.to_owned(),
        link("upper", 0.2),
        link("lower", 0.15),
        link("hand", 0.1),
        joint("shoulder", ["base", "upper"], "0 0 1"),
        joint("elbow", ["upper", "lower"], "0.4 0 0.1"),
        joint("wrist", ["lower", "hand"], "0.3 0 0"),
        "</robot>".to_owned(),
    ];
    let model = mechanism(read(&text.concat()).mechanism).model();
    let view = model.views(&Formulated::<f64>::initial_state(&*model)).remove(0);
    let lines = view.parts.iter().filter_map(|(part, shape)| match shape {
        Shape::Line(points) if *part == "body" => Some(points.clone()),
        _ => None,
    });
    let lines: Vec<Vec<[f64; 2]>> = lines.collect();
    let expected = [[[0.0, 1.0], [0.4, 1.1]], [[0.4, 1.1], [0.7, 1.1]], [[0.7, 1.1], [0.8, 1.1]]];
    assert_eq!(lines.len(), expected.len(), "{lines:?}");
    for (line, expected) in lines.iter().zip(expected) {
        for (point, expected) in line.iter().zip(expected) {
            assert_abs_diff_eq!(point[0], expected[0], epsilon = 1e-12);
            assert_abs_diff_eq!(point[1], expected[1], epsilon = 1e-12);
        }
    }
}

/// A box at the origin of its `<visual>`, half a turn about `y` and half a metre from the joint, seen from the front.
#[test]
fn shapes_are_drawn_at_their_own_origin() {
    let visual = r#"<visual><origin xyz="0.5 0 0.1" rpy="0 1.5707963267948966 0"/>
        <geometry><box size="0.2 0.1 0.6"/></geometry></visual>"#;
    let text = ARM.replace(r#"<visual><geometry><box size="0.4 0.05 0.05"/></geometry></visual>"#, visual);
    let text = text.replace(r#"rpy="0 0.3 0"/><axis"#, r#"rpy="0 0 0"/><axis"#);
    assert!(text.contains(visual));
    let model = mechanism(read(&text).mechanism).model();
    let view = model.views(&Formulated::<f64>::initial_state(&*model)).remove(0);
    let corners: Vec<[f64; 2]> = view
        .parts
        .iter()
        .filter(|(part, _)| *part == "body")
        .flat_map(|(_, shape)| match shape {
            Shape::Outline(corners) => corners.clone(),
            _ => Vec::new(),
        })
        .collect();
    let bounds = |i: usize| {
        let values = || corners.iter().map(|corner| corner[i]);
        [values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max)]
    };
    for (bounds, expected) in [(bounds(0), [0.2, 0.8]), (bounds(1), [1.0, 1.2])] {
        for (bound, expected) in bounds.into_iter().zip(expected) {
            assert_abs_diff_eq!(bound, expected, epsilon = 1e-12);
        }
    }
}

/// Final values of a robot of the folder `robots` after half a second.
#[track_caller]
fn run(name: &str, seen: &[&str]) -> Vec<f64> {
    let path = format!("{}/tests/robots/{name}.urdf", env!("CARGO_MANIFEST_DIR"));
    let robot = mechanism(read(&std::fs::read_to_string(path).unwrap()).mechanism);
    let model = robot.model();
    let state = states(&*model, &*Dop853::default().method(), &[0.5], Settings::tolerance(1e-12, 1e-12)).remove(0);
    observed(&*model, 0.5, &state, seen)
}

/// Values of SciPy's DOP853 at 1e-13 for pendulums, and of pinocchio 4.1.0 for two joints.
#[test]
fn robots_move_as_they_are_described() {
    let pendulum = [0.479_014_626_725, -0.877_806_919_193];
    for (name, body, expected) in [
        // the tip is at the joint, so that the centre of both is half as far away
        ("damped-fixed", "elbow", [0.418_941_618_061_329, -0.272_924_752_736_272]),
        ("zero-radius", "elbow", pendulum),
        ("link-ground", "ground_2", pendulum),
        ("same-name", "elbow", pendulum),
        ("massless-between", "arm", pendulum),
        ("point-mass", "elbow", [0.391_048_791_550_573, -0.920_369_948_785_181]),
        ("rotor-without-mass", "arm", [0.822_170_201_290_020, -0.569_241_741_363_657]),
        ("mimic", "left", [0.451_754_142_068_656, -0.892_142_474_677_566]),
        ("mimic", "right", [-0.451_754_142_068_656, -0.892_142_474_677_566]),
    ] {
        let found = run(name, &[&format!("{body}_x"), &format!("{body}_z"), "energy_change", "constraint"]);
        assert_abs_diff_eq!(found[..2], expected[..], epsilon = 1e-9);
        assert_abs_diff_eq!(found[2..], [0.0; 2][..], epsilon = 1e-10);
    }
    let found = run("joint-names", &["one_z", "two_z"]);
    assert_abs_diff_eq!(found[..], [-0.104_252_113_921, -0.575_522_458_311][..], epsilon = 1e-9);
    let found = run("half-turn", &["one_y"]);
    assert_abs_diff_eq!(found[0], 0.2, epsilon = 1e-12);
}

fn with_options(text: &str, options: serde_json::Value) -> mbsbench_mechanisms::Mechanism {
    let options: urdf::Options = serde_json::from_value(options).unwrap();
    mechanism(urdf::read(text, &options).unwrap_or_else(|error| panic!("{error}")).mechanism)
}

#[track_caller]
fn moved(robot: &mbsbench_mechanisms::Mechanism, seen: &[&str]) -> Vec<f64> {
    let model = robot.model();
    let state = states(&*model, &*Dop853::default().method(), &[0.5], Settings::tolerance(1e-12, 1e-12)).remove(0);
    observed(&*model, 0.5, &state, seen)
}

/// A chain of gears, whose last joint slides, and a base that floats; the right values are the closed form of a
/// pendulum, conserved quantities, and the relations themselves.
#[test]
fn joints_follow_others_in_chains() {
    let arm = |name: &str, mimic: &str| joint(name, "continuous", "base", &format!("l{name}"), mimic);
    let axis = "<axis xyz=\"0 1 0\"/>";
    let slide = joint("d", "prismatic", "lb", "ld", "<axis xyz=\"0 0 2\"/><mimic joint=\"b\" multiplier=\"0.2\"/>");
    let text = [
        "<robot name=\"r\">".to_owned(),
        ["base", "la", "lb", "lc", "ld"].map(link).concat(),
        arm("c", &format!("{axis}<mimic joint=\"b\" offset=\"-0.1\"/>")),
        slide,
        arm("b", &format!("{axis}<mimic joint=\"a\" multiplier=\"-2\" offset=\"0.3\"/>")),
        arm("a", axis),
        "</robot>".to_owned(),
    ]
    .concat();
    let seen = ["a_angle", "b_angle", "c_angle", "energy_change", "constraint", "la_vx", "lb_vx"];
    for (base, length) in [("fixed", 2), ("floating", 7 + 6 + 2)] {
        let robot = with_options(&text, json!({ "base": base }));
        assert_eq!(Formulated::<f64>::initial_state(&*robot.model()).len(), length);
        let found = moved(&robot, &seen);
        let [a, b, c, energy, constraint, ..] = found[..] else { panic!("{found:?}") };
        assert_abs_diff_eq!([b, c][..], [0.3 - 2.0 * a, 0.2 - 2.0 * a][..], epsilon = 1e-12);
        assert_abs_diff_eq!([energy, constraint][..], [0.0; 2][..], epsilon = 1e-9);
        assert!(base == "floating" || a.abs() > 0.1, "{found:?}");
    }
    let circle = text.replace(
        &format!("name=\"a\" type=\"continuous\"><parent link=\"base\"/><child link=\"la\"/>{axis}"),
        &format!(
            "name=\"a\" type=\"continuous\"><parent link=\"base\"/><child link=\"la\"/>{axis}<mimic joint=\"c\"/>"
        ),
    );
    assert_ne!(circle, text);
    let error = serde_json::from_value::<mbsbench_mechanisms::Mechanism>(read(&circle).mechanism).unwrap().check();
    assert!(error.unwrap_err().to_string().contains("the second joint follows itself"));
    let mut absolute = read(&text).mechanism;
    absolute["formulation"] = json!("acceleration-level");
    let error = serde_json::from_value::<mbsbench_mechanisms::Mechanism>(absolute).unwrap().check();
    assert!(error.unwrap_err().to_string().ends_with("accepted: `formulation: minimal`"));
    refused(&text.replace("joint=\"a\"", "joint=\"x\""), "<mimic joint=\"x\"", "unknown joint `x`");
}

/// The centre of mass of a robot with a floating base falls freely, and so does a robot on a floating joint.
#[test]
fn bases_and_bodies_float() {
    let text = pendulum(["base", "one", "two"], ["a", "b"]).replace("<link name=\"base\"/>", &link("base"));
    let robot = with_options(&text, json!({ "base": "floating" }));
    let found = moved(&robot, &["base_z", "one_z", "two_z", "base_x", "one_x", "two_x", "energy_change"]);
    let centre = |k: usize| (found[k] + found[k + 1] + found[k + 2]) / 3.0;
    assert_abs_diff_eq!(centre(0), 0.03 - 0.5 * 9.81 * 0.25, epsilon = 1e-9);
    assert_abs_diff_eq!(centre(3), 0.1 + 0.5 / 3.0, epsilon = 1e-9);
    let free = text.replace("name=\"b\" type=\"continuous\"", "name=\"b\" type=\"floating\"");
    let found = moved(&mechanism(read(&free).mechanism), &["two_x", "two_z"]);
    assert_abs_diff_eq!(found[..], [0.6, 0.03 - 0.5 * 9.81 * 0.25][..], epsilon = 1e-9);
    // a plane at 45 degrees
    let plane = text
        .replace("name=\"a\" type=\"continuous\"", "name=\"a\" type=\"planar\"")
        .replace("<axis xyz=\"0 1 0\"/>", "<axis xyz=\"1 0 1\"/>")
        .replace("name=\"b\" type=\"continuous\"", "name=\"b\" type=\"fixed\"");
    let found = moved(&mechanism(read(&plane).mechanism), &["one_x", "one_z"]);
    assert_abs_diff_eq!(found[..], [0.35 + 0.25 * 9.81 * 0.25, 0.03 - 0.25 * 9.81 * 0.25][..], epsilon = 1e-9);
}

/// Forces of joints of a robot without a regular mass matrix in absolute coordinates are those of a robot that nearly
/// has one.
#[test]
fn joints_of_massless_links_have_forces() {
    let chain = |mass: f64| {
        let cross = format!(
            "<link name=\"cross\"><inertial><mass value=\"{mass}\"/>\
             <inertia ixx=\"{mass}\" iyy=\"{mass}\" izz=\"{mass}\"/></inertial></link>"
        );
        pendulum(["base", "cross", "two"], ["a", "b"]).replace(&link("cross"), &cross)
    };
    let seen = ["a_fx", "a_fy", "a_fz", "b_fx", "b_fy", "b_fz", "two_x", "power"];
    let [without, with] = [0.0, 1e-6].map(|mass| moved(&mechanism(read(&chain(mass)).mechanism), &seen));
    assert_abs_diff_eq!(without[..], with[..], epsilon = 1e-3);
    let error = |text: &str, formulation: &str| {
        let mut written = read(text).mechanism;
        written["formulation"] = json!(formulation);
        serde_json::from_value::<mbsbench_mechanisms::Mechanism>(written).unwrap().check().unwrap_err().to_string()
    };
    let absolute = error(&chain(0.0), "acceleration-level");
    assert!(absolute.starts_with("`bodies.cross.mass` is 0; accepted: a finite number above zero, or zero with"));
    assert!(absolute.contains("`formulation: minimal`"), "{absolute}");
    let parallel = chain(0.0).replace("<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 1 0\"/>").replace("xyz=\"0.5 0 0\"", "");
    let singular = error(&parallel, "minimal");
    assert!(singular.contains("the mass matrix is singular in the initial position"), "{singular}");
}

#[test]
fn masses_without_moments_are_points() {
    let path = format!("{}/tests/robots/point-mass.urdf", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let without = text.replace("<inertia ixx=\"0\" iyy=\"0\" izz=\"0\"/>", "");
    assert_ne!(without, text);
    assert_eq!(read(&without).mechanism, read(&text).mechanism);
    assert_eq!(read(&without).notes.summary(), ["taken as zero: 1 missing `<inertia>` of `<inertial>`"]);
}

/// A pendulum about `y` needs one moment only; with a negative one it falls upwards.
#[test]
fn moments_that_no_mass_has_are_accepted() {
    let path = format!("{}/tests/robots/point-mass.urdf", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let with = |x: f64, y: f64, z: f64| {
        let turned = text.replace("ixx=\"0\" iyy=\"0\" izz=\"0\"", &format!("ixx=\"{x}\" iyy=\"{y}\" izz=\"{z}\""));
        assert_ne!(turned, text);
        read(&turned)
    };
    let end = |robot: urdf::Robot, gravity: f64| {
        let mut written = robot.mechanism;
        written["gravity"] = json!([0, 0, -gravity]);
        moved(&mechanism(written), &["elbow_x", "elbow_z", "energy_change"])
    };
    let proper = end(with(0.5, 0.5, 0.5), 9.81);
    for moments in [[0.1, 0.5, 0.1], [-0.1, 0.5, 0.4], [0.0, 0.5, 0.0]] {
        let [x, y, z] = moments;
        let robot = with(x, y, z);
        let note = format!(
            "accepted: moments of inertia of the body `elbow`, which no mass has: [{x:?}, {y:?}, {z:?}, 0.0, 0.0, 0.0]"
        );
        assert_eq!(robot.notes.summary(), [note]);
        let mut absolute = robot.mechanism.clone();
        absolute["formulation"] = json!("acceleration-level");
        let error = serde_json::from_value::<mbsbench_mechanisms::Mechanism>(absolute).unwrap().check().unwrap_err();
        assert!(error.to_string().contains("above zero") || error.to_string().contains("any-inertia"), "{error}");
        assert_abs_diff_eq!(end(robot, 9.81)[..], proper[..], epsilon = 1e-9);
    }
    assert_abs_diff_eq!(end(with(0.0, -2.0, 0.0), 9.81)[..2], end(with(1.0, 0.0, 1.0), -9.81)[..2], epsilon = 1e-9);
    let singular = serde_json::from_value::<mbsbench_mechanisms::Mechanism>(with(0.1, -1.0, 0.1).mechanism);
    let error = singular.unwrap().check().unwrap_err().to_string();
    assert!(error.contains("the mass matrix is singular"), "{error}");
}
