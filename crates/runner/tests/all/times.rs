//! Recorded times change only on request.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Short runs of similar cost, so that only a measurement can determine their ratio.
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
    why: only a test
    ratio:
      of: { experiment: pendulum, where: { method: rk8 }, column: timing.median_s }
      to: { experiment: pendulum, where: { method: rk3 }, column: timing.median_s }
      above: 1.0e-9
";

fn run(folder: &Path, arguments: &str) -> String {
    let (code, said) = end(folder, arguments);
    assert_eq!(code, Some(0), "{said}");
    said
}

/// Exit code and output.
fn end(folder: &Path, arguments: &str) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_mbsbench"))
        .current_dir(folder)
        .args(arguments.split_whitespace())
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    (status.code(), String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned())
}

/// A folder with the experiment and a ledger with this bound on the ratio; its first times are recorded.
fn recorded(bound: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("experiments/timed")).unwrap();
    fs::write(folder.path().join("experiments/timed/pendulum.yaml"), EXPERIMENT).unwrap();
    fs::write(folder.path().join("experiments/timed/claims.yaml"), CLAIMS.replace("above: 1.0e-9", bound)).unwrap();
    run(folder.path(), "ledger lock timed");
    run(folder.path(), "reproduce timed");
    folder
}

/// Multiplies the recorded times of `rk8` by a factor, as if another machine had measured them.
fn slow_down(file: &Path, factor: f64) {
    let mut reader = csv::Reader::from_path(file).unwrap();
    let head = reader.headers().unwrap().clone();
    let samples = head.iter().position(|name| name == "samples_s").unwrap();
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(&head).unwrap();
    for record in reader.records() {
        let mut cells: Vec<String> = record.unwrap().iter().map(str::to_owned).collect();
        if cells[0] == "rk8" {
            let slower = cells[samples].split(' ').map(|time| (factor * time.parse::<f64>().unwrap()).to_string());
            cells[samples] = slower.collect::<Vec<_>>().join(" ");
        }
        writer.write_record(&cells).unwrap();
    }
    fs::write(file, writer.into_inner().unwrap()).unwrap();
}

/// All files below a folder with their contents.
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
fn recorded_times_change_only_on_request() {
    let folder = recorded("above: 1.0e-9");
    let at = |name: &str| folder.path().join(name);
    let recorded = at("results/times/timed/pendulum/timings.csv");
    let header = fs::read_to_string(&recorded).unwrap();
    assert!(
        header.starts_with("method,step,median_s,spread_s,ratio,low,high,step_ns,samples_s,setup_s,run,machine\n"),
        "{header}"
    );
    let before = contents(&at("results"));

    // Runs are repeated, and tables and figures are rewritten, without changing a byte.
    for command in ["reproduce timed --fresh", "run experiments/timed/pendulum.yaml --fresh"] {
        let said = run(folder.path(), command);
        assert!(contents(&at("results")) == before && !said.contains("times of this machine"), "{command}: {said}");
    }
    assert!(run(folder.path(), "verify timed").contains("1 reproduced"));

    let said = run(folder.path(), "reproduce timed --record-times");
    assert!(said.contains("timed/pendulum: times of this machine are recorded in results/times"), "{said}");
    assert!(fs::read(&recorded).unwrap() != before[&recorded], "times differ from one run to the next");
    let table = at("results/timed/pendulum/cost.csv");
    assert!(fs::read(&table).unwrap() != before[&table]);
}

#[test]
fn verdicts_on_times_do_not_affect_the_exit_code() {
    // Thirteen stages compared with three.
    let folder = recorded("below: 12");
    let times = folder.path().join("results/times/timed/pendulum/timings.csv");
    for (factor, verdict) in [(10.0, "not reproduced"), (0.01, "reproduced")] {
        slow_down(&times, factor);
        let said = run(folder.path(), "reproduce timed");
        assert!(said.contains(&format!("1 statement: 1 {verdict}")), "{said}");
        for command in ["reproduce timed", "verify timed"] {
            let said = run(folder.path(), command);
            let differs = said.contains("not as expected by the recorded times");
            assert_eq!(differs, verdict == "not reproduced", "{said}");
            assert!(!said.contains("not as expected: "), "{said}");
        }
    }
}

#[test]
fn verdicts_not_only_on_times_decide_the_exit_code() {
    let folder = recorded("below: 12");
    let ledger = folder.path().join("experiments/timed/claims.yaml");
    let work = "  - id: work
    place: Table 1
    says: It takes less work.
    bound_from: ours
    why: only a test
    checks:
      - id: work/time
        about: time
        ratio:
          of: { experiment: pendulum, where: { method: rk8 }, column: timing.median_s }
          to: { experiment: pendulum, where: { method: rk3 }, column: timing.median_s }
          below: 1.0e-9
      - id: work/calls
        about: calls
        ratio:
          of: { experiment: pendulum, where: { method: rk8 }, column: rhs_evaluations }
          to: { experiment: pendulum, where: { method: rk3 }, column: rhs_evaluations }
          below: BOUND
";
    for (bound, code) in [("100", 0), ("1", 1)] {
        fs::write(&ledger, CLAIMS.replace("above: 1.0e-9", "below: 12") + &work.replace("BOUND", bound)).unwrap();
        let _ = fs::remove_file(folder.path().join("experiments/timed/bounds.lock"));
        let (found, said) = end(folder.path(), "reproduce timed");
        assert_eq!(found, Some(code), "{bound}: {said}");
        assert!(said.contains("work is not reproduced, expected reproduced"), "{said}");
    }
}

#[test]
fn an_experiment_with_new_runs_is_timed_again() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for method in ["rk8", "rk5"] {
        fs::write(at("pendulum.yaml"), EXPERIMENT.replace("rk8", method)).unwrap();
        let said = run(folder.path(), "run pendulum.yaml");
        assert!(said.contains("times of this machine are recorded in results/times"), "{said}");
        assert!(fs::read_to_string(at("results/times/timed/pendulum/timings.csv")).unwrap().contains(method));
    }
}

/// A cost that a method does not count is refused before anything is run, and is never zero.
#[test]
fn only_methods_that_count_operations_are_measured() {
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
