//! The output of `run` and `reproduce` fits on a screen, and their arguments are files or names.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

/// Number of lines that fit on a screen.
const MOST_LINES: usize = 40;

const EXPERIMENT: &str = "\
id: mine/pendulum
model: pendulum
span: [0.0, 0.2]
method: [rk3, rk5]
step: [0.1, 0.05]
measures: [rhs_evaluations]
tables: [{ id: cost, rows: step, columns: method, value: rhs_evaluations }]
";

/// A folder with an experiment, and a folder for caches.
fn place(experiment: &str) -> [TempDir; 2] {
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    fs::write(folders[0].path().join("mine.yaml"), experiment).unwrap();
    folders
}

/// Exit code, standard output and standard error.
fn mbsbench([here, cache]: &[TempDir; 2], arguments: &str) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_mbsbench"))
        .current_dir(here.path())
        .env("XDG_CACHE_HOME", cache.path())
        .args(arguments.split_whitespace())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Standard output of a command that succeeds.
fn done(place: &[TempDir; 2], arguments: &str) -> String {
    let (code, out, err) = mbsbench(place, arguments);
    assert_eq!(code, 0, "{arguments}: {out}{err}");
    out
}

fn lines(text: &str) -> usize {
    text.lines().count()
}

#[test]
fn a_table_is_printed_if_it_fits_and_otherwise_with_show() {
    let short = place(EXPERIMENT);
    let out = done(&short, "run mine.yaml");
    assert!(out.contains("│ 0.1 ") && lines(&out) <= MOST_LINES, "{out}");

    let steps: Vec<String> = (1..=60).map(|k| format!("{}", 0.1 / f64::from(k))).collect();
    let long = place(&EXPERIMENT.replace("[0.1, 0.05]", &format!("[{}]", steps.join(", "))));
    for command in ["run mine.yaml", "reproduce mine.yaml"] {
        let out = done(&long, command);
        assert!(out.starts_with("tables: 66 lines; `--show` prints them\n") && lines(&out) < 10, "{out}");
        let out = done(&long, &format!("{command} --show"));
        assert!(out.contains("│ 0.1 ") && (69..75).contains(&lines(&out)), "{out}");
    }
}

#[test]
fn many_failed_runs_are_shown_by_a_few() {
    let steps: Vec<String> = (1..=60).map(|k| format!("{}", 0.01 / f64::from(k))).collect();
    let text = EXPERIMENT.replace("[0.1, 0.05]", &format!("[{}]", steps.join(", ")));
    let place = place(&(text + "settings: { max_steps: 10 }\n"));
    let (code, out, err) = mbsbench(&place, "run mine.yaml");
    assert_eq!(code, 1, "{out}{err}");
    assert!(out.contains("mine/pendulum: none of 120 runs reached its end") && out.contains("120 failed"), "{out}");
    assert!(lines(&err) < 10 && err.contains("more runs failed; `run` writes all messages to `runs.csv`"), "{err}");
}

/// Verdicts by their statements.
fn verdicts(file: &Path) -> BTreeMap<String, String> {
    let statements: Vec<Value> = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    statements.iter().map(|statement| (text(&statement["id"]), text(&statement["verdict"]))).collect()
}

#[test]
fn verdicts_in_an_empty_folder_match_the_repository() {
    let place = place(EXPERIMENT);
    let here = |path: &str| place[0].path().join(path);
    let committed = |path: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    let out = done(&place, "reproduce gil2013");
    assert!(lines(&out) <= MOST_LINES && out.starts_with("tables: "), "{out}");
    assert!(out.contains(" statements: ") && out.contains("\nreport: results/report/index.html\n"), "{out}");
    let paper = "results/gil2013/claims.json";
    assert_eq!(verdicts(&here(paper)), verdicts(&committed(paper)));
    let times = "results/times/gil2013/bouncing-pair/timings.csv";
    assert_eq!(fs::read(here(times)).unwrap(), fs::read(committed(times)).unwrap());
}

#[test]
fn files_and_names_are_accepted_by_both() {
    let place = place(EXPERIMENT);
    let has = |path: &str| place[0].path().join(path).exists();
    let out = done(&place, "reproduce mine.yaml");
    assert!(has("results/mine/pendulum/runs.csv") && !out.contains("report"), "{out}");
    done(&place, "run gil2013/linear-exactness --out other");
    assert!(has("other/gil2013/linear-exactness/runs.csv") && !has("results/gil2013"));
    // The file of an experiment and its name are equivalent.
    done(&place, "init .");
    let own = done(&place, "reproduce experiments/gil2013/linear-exactness.yaml");
    assert_eq!(done(&place, "reproduce gil2013/linear-exactness"), own);
    for command in ["run", "reproduce"] {
        let (code, _, err) = mbsbench(&place, &format!("{command} gil2013/linear-exactnes"));
        assert!(code == 2 && err.contains("did you mean `gil2013/linear-exactness`?"), "{err}");
    }
}
