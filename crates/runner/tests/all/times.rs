//! Times: recorded ones change only when that is asked for, and a reader's own go elsewhere.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Short runs of the same cost, so that nothing is known of their ratio but by measuring it.
const EXPERIMENT: &str = "\
id: timed/pendulum
known: { defaults: printed }
model: pendulum
span: [0.0, 0.2]
step: 0.01
method: [rk3, rk8]
measures: [rhs_evaluations, linear_algebra_flops]
timing: { repeat: 7, until: 0.5, most: 27, relative_to: rk3 }
tables:
  - { id: cost, rows: method, values: { time (s): timing.median_s, relative: timing.ratio, step: timing.step_ns } }
plots:
  - { id: bars, kind: bars, x: method, y: timing.median_s }
";

const CLAIMS: &str = "\
schema: 2
paper: timed
statements:
  - id: positive
    place: Table 1
    says: It takes time.
    bound_from: ours
    why: nothing but a test
    ratio:
      of: { experiment: pendulum, where: { method: rk8 }, column: timing.median_s }
      to: { experiment: pendulum, where: { method: rk3 }, column: timing.median_s }
      above: 1.0e-9
";

fn run(folder: &Path, arguments: &str) -> String {
    let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_mbsbench"))
        .current_dir(folder)
        .args(arguments.split_whitespace())
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned();
    assert_eq!(status.code(), Some(0), "{said}");
    said
}

/// All files below a folder with what is in them.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.append(&mut contents(&path));
        } else {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    found
}

#[test]
fn recorded_times_change_only_when_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("experiments/timed")).unwrap();
    fs::write(at("experiments/timed/pendulum.yaml"), EXPERIMENT).unwrap();
    fs::write(at("experiments/timed/claims.yaml"), CLAIMS).unwrap();
    let (recorded, own) = (at("results/timed/pendulum/timings.csv"), at("target/times/timed/pendulum/timings.csv"));

    // Nothing is recorded yet, so the first times are.
    run(folder.path(), "lock timed");
    run(folder.path(), "reproduce timed");
    assert!(recorded.exists() && !own.exists());
    let header = fs::read_to_string(&recorded).unwrap();
    assert!(
        header.starts_with("method,step,median_s,spread_s,ratio,low,high,step_ns,samples_s,setup_s,run,machine\n"),
        "{header}"
    );
    let before = contents(&at("results"));

    // Times are taken again, tables and figures are drawn again, and not a byte of what is recorded has changed.
    for command in ["reproduce timed --fresh", "run experiments/timed/pendulum.yaml --fresh"] {
        let said = run(folder.path(), command);
        assert!(said.contains("target/times/timed/pendulum/timings.csv"), "{said}");
        assert!(own.exists() && fs::read(&own).unwrap() != before[&recorded]);
        assert!(contents(&at("results")) == before, "{command}");
    }

    // Beside them are all results with the reader's times, and a report.
    let here = |name: &str| at("target/here").join(name);
    let said = run(folder.path(), "reproduce timed --fresh");
    assert!(said.contains("timed/pendulum, times of this machine:") && said.contains("target/here/report/index.html"));
    assert_eq!(fs::read(here("timed/pendulum/timings.csv")).unwrap(), fs::read(&own).unwrap());
    assert_eq!(fs::read(here("timed/pendulum/runs.csv")).unwrap(), before[&at("results/timed/pendulum/runs.csv")]);
    let page = fs::read_to_string(here("report/timed.html")).unwrap();
    assert_ne!(page.as_bytes(), before[&at("results/report/timed.html")]);
    assert!(contents(&at("results")) == before);
    // Where nothing has changed they stay; a file that results have no more goes with the next ones.
    fs::write(here("timed/old.csv"), "").unwrap();
    run(folder.path(), "reproduce timed");
    assert!(here("timed/old.csv").exists());
    run(folder.path(), "reproduce timed --fresh");
    assert!(!here("timed/old.csv").exists() && here("timed/pendulum/bars.svg").exists());

    // They are what is judged; those of the reader are not.
    fs::write(&own, "").unwrap();
    let said = run(folder.path(), "verify timed");
    assert!(said.contains("1 reproduced"), "{said}");

    run(folder.path(), "reproduce timed --record-times");
    assert!(fs::read(&recorded).unwrap() != before[&recorded], "times differ from one run to the next");
    let table = at("results/timed/pendulum/cost.csv");
    assert!(fs::read(&table).unwrap() != before[&table]);
}

#[test]
fn an_experiment_that_has_changed_says_which_times_are_missing() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("pendulum.yaml"), EXPERIMENT).unwrap();
    run(folder.path(), "run pendulum.yaml");
    fs::write(at("pendulum.yaml"), EXPERIMENT.replace("rk8", "rk5")).unwrap();
    let said = run(folder.path(), "run pendulum.yaml");
    assert!(said.contains("1 runs have no recorded time; `--record-times`"), "{said}");
    run(folder.path(), "run pendulum.yaml --record-times");
    assert!(fs::read_to_string(at("results/timed/pendulum/timings.csv")).unwrap().contains("rk5"));
}

/// What is not counted is refused before anything is run, and never a zero.
#[test]
fn operations_are_measured_of_methods_that_count_them_only() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("counted.yaml");
    let check = |method: &str| {
        fs::write(&file, EXPERIMENT.replace("rk3", "rk5").replace("rk8", method)).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_mbsbench")).args(["check", file.to_str().unwrap()]).output();
        let output = output.unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for method in ["ode45", "ode23s", "rk3"] {
        assert_eq!(check(method), (Some(0), String::new()), "{method}");
    }
    let (code, said) = check("radau5");
    assert_eq!(code, Some(2));
    assert!(said.contains("`radau5` does not count the operations of its linear algebra"), "{said}");
}
