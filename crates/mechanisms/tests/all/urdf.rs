//! Robots from their usual files.

use crate::common::{mechanism, observed, states};
use approx::assert_abs_diff_eq;
use mbsbench_integrators::Dop853;
use mbsbench_mechanisms::urdf;
use mbsbench_problem::{Formulated, MethodDefinition, ModelDefinition, Settings};
use serde_json::json;

const ARM: &str = r#"<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper-arm">
    <inertial><origin xyz="0.2 0 0" rpy="0 0 1.5707963267948966"/><mass value="2"/><inertia ixx="0.03" iyy="0.01" izz="0.03"/></inertial>
    <visual><geometry><box size="0.4 0.05 0.05"/></geometry></visual>
  </link>
  <link name="elbow"/>
  <link name="lower"><inertial><origin xyz="0.15 0 0"/><mass value="1"/><inertia ixx="0.001" iyy="0.01" izz="0.01"/></inertial></link>
  <link name="slide"><inertial><mass value="0.5"/><inertia ixx="0.001" iyy="0.001" izz="0.001"/></inertial></link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper-arm"/><origin xyz="0 0 1" rpy="0 0.3 0"/><axis xyz="0 1 0"/><limit effort="1" velocity="1"/>
    <dynamics damping="0.5" friction="0.1"/>
  </joint>
  <joint name="extension" type="fixed"><parent link="upper-arm"/><child link="elbow"/><origin xyz="0.4 0 0"/></joint>
  <joint name="bend" type="continuous"><parent link="elbow"/><child link="lower"/><axis xyz="0 1 0"/></joint>
  <joint name="tool" type="prismatic">
    <parent link="lower"/><child link="slide"/><origin xyz="0.3 0 0"/><axis xyz="1 0 0"/><dynamics damping="2"/>
  </joint>
</robot>"#;

/// The same arm, by hand: the second link's frame is at the elbow of the first.
#[test]
fn a_robot_is_the_mechanism_that_it_describes() {
    let robot = mechanism(urdf::mechanism(ARM).unwrap_or_else(|error| panic!("{error}")));
    let by_hand = mechanism(json!({
        "motion": "spatial", "gravity": [0, 0, -9.81],
        "ground": { "shoulder": { "at": [0, 0, 1], "rotation": [0, 0.3, 0] } },
        "bodies": {
            "upper": { "mass": 2, "inertia": [0.01, 0.03, 0.03], "centre": [0.2, 0, 0], "markers": { "elbow": [0.4, 0, 0] } },
            "lower": { "mass": 1, "inertia": [0.001, 0.01, 0.01], "centre": [0.15, 0, 0], "markers": { "tool": [0.3, 0, 0] } },
            "slide": { "mass": 0.5, "inertia": [0.001, 0.001, 0.001] },
        },
        "joints": {
            "shoulder": { "revolute": { "between": ["ground.shoulder", "upper"], "axis": [0, 1, 0] } },
            "bend": { "revolute": { "between": ["upper.elbow", "lower"], "axis": [0, 1, 0] } },
            "tool": { "prismatic": { "between": ["lower.tool", "slide"], "axis": [1, 0, 0] } },
        },
        "forces": {
            "shoulder": { "motor": { "between": ["ground.shoulder", "upper"], "axis": [0, 1, 0], "torque": "-0.5*rate - 0.1*tanh(1000*rate)" } },
            "tool": { "bushing": { "between": ["lower.tool", "slide"], "stiffness": [0, 0, 0, 0, 0, 0], "damping": [2, 0, 0, 0, 0, 0] } },
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
fn what_is_wrong_is_shown_at_its_place() {
    let at = |from: &str, to: &str, place: &str| {
        let text = ARM.replacen(from, to, 1);
        assert_ne!(text, ARM, "{from}");
        let error = urdf::mechanism(&text).expect_err(to);
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
    at("type=\"fixed\"", "type=\"revolute\"", "<link name=\"elbow\"");
    at("<link name=\"slide\">", "<link name=\"elbow\">", "<link name=\"elbow\">");
    at(
        "</robot>",
        "<joint name=\"a\" type=\"fixed\"><parent link=\"slide\"/><child link=\"base\"/></joint></robot>",
        "<robot",
    );
    at("<axis xyz=\"1 0 0\"/>", "<mimic joint=\"bend\"/>", "<mimic");
    // characters of several bytes count as one
    at("<link name=\"base\"/>", "<link name=\"ééé\"/></link>", "</link>");
    at("<robot name=\"arm\">", "<robots name=\"arm\">", "</robot>");
}

#[test]
fn a_floating_base_is_where_its_joint_is() {
    let text = r#"<robot name="r"><link name="world"/>
        <link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
        <joint name="j" type="floating"><parent link="world"/><child link="b"/><origin xyz="1 2 3"/></joint></robot>"#;
    let robot = mechanism(urdf::mechanism(text).expect("a robot"));
    let initial: Vec<f64> = Formulated::<f64>::initial_state(&*robot.model());
    assert_eq!(&initial[..3], &[1.0, 2.0, 3.0]);
}
