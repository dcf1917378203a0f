//! Mechanisms, robots and methods in separate files: they may lie beside experiments, and commands recognise them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

const EXPERIMENT: &str = "\
id: mine2026/energy
known: { defaults: printed }
model: { mechanism: top.yaml }
span: [0.0, 0.5]
method: [rk5, { tableau: cash-karp.yaml }]
step: 0.05
measures: [energy_variation]
";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Exit code, standard output and standard error.
fn mbsbench(folder: &Path, arguments: &str) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_mbsbench"))
        .current_dir(folder)
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .args(arguments.split_whitespace())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// An experiment on a mechanism beside it, and files that no experiment names.
fn place() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let papers = folder.path().join("experiments/mine2026");
    fs::create_dir_all(&papers).unwrap();
    let top = fs::read_to_string(root().join("experiments/iftomm/mechanisms/pendulum.yaml")).unwrap();
    fs::write(papers.join("top.yaml"), top).unwrap();
    fs::copy(root().join("examples/mechanisms/chain.yaml"), papers.join("chain.yaml")).unwrap();
    fs::copy(root().join("examples/methods/cash-karp.yaml"), papers.join("cash-karp.yaml")).unwrap();
    fs::copy(root().join("examples/methods/bdf3.yaml"), papers.join("bdf3.yaml")).unwrap();
    fs::copy(root().join("crates/runner/tests/robots/arm.urdf"), papers.join("arm.urdf")).unwrap();
    fs::write(papers.join("energy.yaml"), EXPERIMENT).unwrap();
    folder
}

#[test]
fn other_files_next_to_experiments_are_harmless() {
    let place = place();
    let done = |arguments: &str| {
        let (code, out, err) = mbsbench(place.path(), arguments);
        assert_eq!(code, 0, "{arguments}: {err}");
        out
    };
    done("new statement mine2026/falls --experiment energy");
    for arguments in
        ["ledger lock", "ledger lock mine2026", "runs plan mine2026", "check experiments/mine2026/claims.yaml"]
    {
        done(arguments);
    }
    let (code, out, err) = mbsbench(place.path(), "reproduce mine2026");
    assert!(code < 2 && out.contains("2 runs"), "{err}");
    let listed = done("list experiments");
    let own: Vec<&str> = listed.lines().filter(|line| line.starts_with("mine2026/")).collect();
    assert_eq!(own.len(), 1, "{listed}");
}

#[test]
fn experiment_commands_identify_other_files() {
    let place = place();
    let file = |name: &str| format!("experiments/mine2026/{name}");
    for (name, is) in [
        ("top.yaml", "is a mechanism, not an experiment"),
        ("chain.yaml", "is a mechanism, not an experiment"),
        ("arm.urdf", "is a robot, not an experiment"),
        ("cash-karp.yaml", "is a method, not an experiment"),
        ("bdf3.yaml", "is a method, not an experiment"),
    ] {
        for command in ["run", "runs plan", "reproduce"] {
            let (code, _, err) = mbsbench(place.path(), &format!("{command} {}", file(name)));
            assert!(code == 2 && err.contains(is) && err.lines().count() == 2, "{command} {name}: {err}");
        }
    }
    for (name, is) in [("top.yaml", "a mechanism"), ("arm.urdf", "a robot"), ("energy.yaml", "an experiment")] {
        for command in ["list", "compare --examine"] {
            let (code, _, err) = mbsbench(place.path(), &format!("{command} {}", file(name)));
            let said = format!("is {is}, not a method");
            assert!(code == 2 && err.contains(&said) && err.lines().count() == 2, "{command} {name}: {err}");
        }
    }
    // A mistake in an experiment is still reported as such.
    fs::write(place.path().join("wrong.yaml"), "id: mine/wrong\nbodies: {}\n").unwrap();
    let (code, _, err) = mbsbench(place.path(), "run wrong.yaml");
    assert!(code == 2 && err.contains("bodies") && !err.contains("is a mechanism"), "{err}");
}

#[test]
fn check_and_render_accept_mechanisms_and_methods() {
    let place = place();
    let files = "check experiments/mine2026/top.yaml experiments/mine2026/chain.yaml experiments/mine2026/arm.urdf \
                 experiments/mine2026/cash-karp.yaml";
    let (code, out, err) = mbsbench(place.path(), files);
    assert_eq!(code, 0, "{err}");
    let line = |name: &str| out.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{name}: {out}"));
    assert!(line("top.yaml").contains("a mechanism with 1 body, 1 joint, "), "{out}");
    assert!(line("chain.yaml").contains("a mechanism with 120 states and 40 constraints"), "{out}");
    assert!(line("arm.urdf").contains("states"), "{out}");
    assert!(line("cash-karp.yaml").contains("of order 5"), "{out}");

    for arguments in
        ["check nowhere.urdf", "compare nowhere.urdf", "check nowhere.yaml", "render nowhere.yaml --to gif"]
    {
        let (code, _, err) = mbsbench(place.path(), arguments);
        assert!(code == 2 && err.starts_with("error: nowhere."), "{arguments}: {err}");
    }

    // The mechanism is checked, and mistakes are reported in its own file.
    let top = place.path().join("experiments/mine2026/top.yaml");
    let text = fs::read_to_string(&top).unwrap();
    fs::write(&top, text.replace("mass:", "mas:")).unwrap();
    let (code, _, err) = mbsbench(place.path(), "check experiments/mine2026/top.yaml");
    assert!(code == 2 && err.contains("top.yaml:") && err.contains("mas"), "{err}");
    fs::write(&top, text).unwrap();

    let (code, out, err) = mbsbench(place.path(), "check experiments/mine2026/top.yaml");
    assert!(code == 0 && out.contains(" of freedom"), "{out}{err}");
    let png = mbsbench(place.path(), "render experiments/mine2026/top.yaml --to png");
    assert!(png.0 == 2 && png.2.contains("`--to svg`, `gif` or `apng`"), "{}", png.2);
    let by = "render experiments/mine2026/top.yaml --to gif --frames 3 --out by --method rk4,dop853";
    let (code, out, err) = mbsbench(place.path(), by);
    assert_eq!((code, out.as_str()), (0, "by/mechanism/top/mechanism.gif\n"), "{err}");

    // A run that ends early is drawn to its end, and its message is reported.
    let failing = "bodies: { a_b: { mass: 1, shape: { rod: { length: 1 } }, markers: { a: [-0.5, 0] } } }\n\
                   gravity: [0, -9.81]\n\
                   joints: { pin: { revolute: { between: [ground, a_b.a], angle: 34 } } }\n\
                   forces: { end: { motor: { joint: pin, torque: \"ln(1 - t)\" } } }\n";
    fs::write(place.path().join("ends_early.yaml"), failing).unwrap();
    let (code, out, err) = mbsbench(place.path(), "render ends_early.yaml --to gif --frames 21");
    assert_eq!((code, out.as_str()), (0, "target/animations/mechanism/ends-early/mechanism.gif\n"), "{err}");
    assert!(err.contains("warning: mechanism/ends-early: drawn to "), "{err}");
    let (code, _, err) = mbsbench(place.path(), "check ends_early.yaml");
    assert!(code == 0 && err.contains("warning: ends_early.yaml:3:63: `joints.pin.revolute.angle` is 34 rad"), "{err}");

    let (code, out, err) = mbsbench(place.path(), "render experiments/mine2026/top.yaml --to gif --frames 3");
    assert_eq!(code, 0, "{err}");
    assert_eq!(out, "target/animations/mechanism/top/mechanism.gif\n");
    assert!(place.path().join(out.trim_end()).exists());
}

#[test]
fn refusals_show_the_accepted_form() {
    let place = place();
    let good = "id: mine/rod\nmodel: { mechanism: { gravity: [0, -9.81], \
                bodies: { rod: { mass: 2, shape: { rod: { length: 1 } } } } } }\n\
                span: [0, 1]\nmethod: rk4\nstep: 0.1\nmeasures: [steps_accepted]\n";
    fs::write(place.path().join("label.yaml"), "label: 1\nrunge-kutta: { rows: [[]], weights: [1] }\n").unwrap();
    for (from, to, at, said) in [
        ("[0, -9.81]", "9.81", "rod.yaml:2:32", "accepted: a vector: `[0, 0, -9.81]` in space"),
        ("[0, -9.81]", "[0, 0, -9.81]", "rod.yaml:2:32", "or `motion: spatial`"),
        ("[steps_accepted]", "[final(rod_x)]", "rod.yaml:6:12", "did you mean `{ final: { of: rod_x } }`?"),
        ("[steps_accepted]", "[{ final: rod_x }]", "rod.yaml:6:21", "accepted: a map, `{ of: … }`"),
        ("[0, 1]", "1", "rod.yaml:3:7", "accepted: a list of length 2, `[…, …]`"),
        ("rk4", "{ tableau: label.yaml }", "label.yaml:1:8", "accepted: text"),
    ] {
        fs::write(place.path().join("rod.yaml"), good.replacen(from, to, 1)).unwrap();
        let (code, _, err) = mbsbench(place.path(), "check rod.yaml");
        assert!(code == 2 && err.contains(at) && err.contains(said), "{to}: {err}");
    }
    fs::write(place.path().join("rod.yaml"), good).unwrap();
    let (code, out, err) = mbsbench(place.path(), "check rod.yaml");
    assert!(code == 0 && out.contains("mine/rod with 1 run\n"), "{out}{err}");
}

#[test]
fn check_lists_the_parts_of_robots() {
    let folder = tempfile::tempdir().unwrap();
    let arm = folder.path().join("arm.urdf");
    fs::copy(root().join("crates/runner/tests/robots/arm.urdf"), &arm).unwrap();
    let (code, out, err) = mbsbench(folder.path(), "check --read arm.urdf");
    assert_eq!(code, 0, "{err}");
    for line in [
        "4:3: ignored: mass of the root link `base` (3 kg), which is the ground",
        "5:3: kept: link `upper-arm` as the body `upper_arm`, 2 kg",
        "5:3: renamed: link `upper-arm` to `upper_arm`",
        "14:3: merged: link `elbow` into `upper_arm.elbow`",
        "18:5: ignored: `<visual>` with `<mesh>` of `<link>`",
    ] {
        assert!(out.contains(&format!("  {line}\n")), "{line}: {out}");
    }
    let (_, out, _) = mbsbench(folder.path(), "check arm.urdf");
    assert!(out.contains("merged: link `elbow` into `upper_arm.elbow`, link `rotor` into"), "{out}");

    // Options are keys beside the file.
    let run = |options: &str| {
        let model = format!("model: {{ mechanism: {{ file: arm.urdf, {options} }} }}");
        fs::write(folder.path().join("run.yaml"), EXPERIMENT.replace("model: { mechanism: top.yaml }", &model))
            .unwrap();
        mbsbench(folder.path(), "check run.yaml")
    };
    fs::copy(root().join("examples/methods/cash-karp.yaml"), folder.path().join("cash-karp.yaml")).unwrap();
    let (code, out, err) = run("base: floating, friction-width: 0.1");
    assert!(code == 0 && !out.contains("which is the ground"), "{out} {err}");
    let (code, _, err) = run("friction-width: 0");
    assert!(code == 2 && err.contains("`friction-width` is 0"), "{err}");

    // Moments of inertia are checked for a body with all its links.
    let text = fs::read_to_string(&arm).unwrap();
    fs::write(&arm, text.replace("ixx=\"0.03\" iyy=\"0.01\" izz=\"0.03\"", "ixx=\"0.9\" iyy=\"0.01\" izz=\"0.03\""))
        .unwrap();
    let (code, out, err) = mbsbench(folder.path(), "check arm.urdf");
    assert!(code == 0 && out.contains("accepted: moments of inertia of the body `upper_arm`"), "{out} {err}");
}
