//! Small files that would need much time, memory or stack are refused within limits of the operating system.

use std::fs;
use std::process::Command;

const MECHANISM: &str = "\
id: mine/limits
model: { mechanism: PARTS }
span: [0, 0.01]
method: rk4
step: 0.001
measures: [steps_accepted]
";

const ROD: &str = "bodies: { rod: { mass: 1, shape: { rod: { length: 1 } }, markers: { pin: [-0.5, 0] } } }";

/// Files by name, and part of the message that refuses them.
fn cases() -> Vec<(&'static str, String, String, &'static str)> {
    let signs = format!(
        "{{ {ROD}, joints: {{ pin: {{ revolute: {{ between: [ground, rod.pin] }} }} }}, \
         forces: {{ d: {{ motor: {{ between: [ground, rod], torque: \"{}1\" }} }} }} }}",
        "-".repeat(3990)
    );
    let bodies =
        |block: u32| format!("{{ for: {{ i: 100000 }}, bodies: {{ 'b{block}_{{i}}': {{ mass: 1, inertia: [1] }} }} }}");
    let bodies: Vec<String> = (0..10).map(bodies).collect();
    let bodies = format!("{{ {ROD}, repeat: [{}] }}", bodies.join(", "));
    let torques = format!(
        "{{ {ROD}, repeat: [{{ for: {{ i: 100000 }}, \
         forces: {{ 'f{{i}}': {{ torque: {{ on: rod, torque: 1 }} }} }} }}] }}"
    );
    let joints = format!(
        "{{ {ROD}, repeat: [{{ for: {{ i: 400 }}, \
         joints: {{ 'j{{i}}': {{ revolute: {{ between: [ground, rod.pin] }} }} }} }}] }}"
    );
    let attributes: Vec<String> = (0..350_000).map(|number| format!("a{number}=\"\"")).collect();
    let robot = format!("<robot name=\"r\"><g {}/><link name=\"base\"/></robot>", attributes.join(" "));
    let file = |parts: &str| MECHANISM.replace("PARTS", parts);
    let expanded = "characters with all repetitions expanded";
    vec![
        ("signs", file(&signs), String::new(), "nests more than 50 parentheses, calls, signs and powers"),
        ("bodies", file(&bodies), String::new(), expanded),
        ("torques", file(&torques), String::new(), expanded),
        ("joints", file(&joints), String::new(), "more than 200 constraints are redundant"),
        ("attributes", file("robot.urdf"), robot, "an element has 350000 attributes"),
    ]
}

/// The limits, 10 s of processor time and 4 GB of addresses, are far above what a refusal needs, even without
/// optimisation, and far below what the files would need.
#[test]
fn files_that_would_take_all_time_or_memory_are_refused() {
    for (name, experiment, robot, expected) in cases() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("robot.urdf"), robot).unwrap();
        fs::write(folder.path().join("file.yaml"), experiment).unwrap();
        for command in ["check", "run"] {
            let limited = "ulimit -t 10; ulimit -v 4000000; exec \"$0\" \"$1\" file.yaml";
            let output = Command::new("sh")
                .current_dir(folder.path())
                .args(["-c", limited, env!("CARGO_BIN_EXE_mbsbench"), command])
                .output()
                .unwrap();
            let err = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{command} {name}: {:?} {err}", output.status);
            assert!(err.contains(expected), "{command} {name}: {err}");
        }
    }
}
