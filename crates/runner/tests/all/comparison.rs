//! The comparison across the papers: what it runs, what it names the cheapest, where it stands in the report.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;

const COMPARED: &str = "
id: comparison/pendulum
model: pendulum
span: [0.0, 1.0]
cases:
  - case: to a tolerance
    method: { every: { except: { dode: without events it is its pair } } }
    tolerance: [1e-4, 1e-6, 1e-8]
  - { case: constant step, method: every, step: [2^-4, 2^-6, 2^-8] }
measures: [{ error: { of: theta, every: 0.25 } }, all_rhs_evaluations, factorizations]
reference: { method: rk8, step: 2^-9, precision: double, check: { method: { gbs: { order: 12 } }, step: 2^-6 }, digits: 8 }
rankings:
  - title: Angle of the pendulum
    error: error(theta)
    meaning: absolute, in rad
    work: { right-hand sides: all_rhs_evaluations, factorizations: factorizations }
plots:
  - { id: work, x: all_rhs_evaluations, y: error(theta), series: method, scale: log-log }
";

const OWN: &str = "
id: own/pendulum
model: pendulum
span: [0.0, 1.0]
method: rk4
step: 0.1
measures: [energy_variation]
";

fn mbsbench(folder: &Path, arguments: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_mbsbench"))
        .current_dir(folder)
        .args(arguments.split_whitespace())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&[output.stdout.as_slice(), &output.stderr].concat()).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    said
}

fn rows(path: &Path) -> Vec<HashMap<String, String>> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    reader.deserialize().collect::<Result<_, _>>().unwrap()
}

/// The least cost of an accuracy, read off `runs.csv`.
fn least(runs: &[HashMap<String, String>], work: &str, accuracy: f64) -> f64 {
    let number = |run: &HashMap<String, String>, column: &str| run[column].parse::<f64>().unwrap();
    let good = |run: &&HashMap<String, String>| {
        run["status"] == "ok" && number(run, "error(theta)") + number(run, "error_bound(theta)") <= accuracy
    };
    runs.iter().filter(good).map(|run| number(run, work)).filter(|&cost| cost > 0.0).fold(f64::INFINITY, f64::min)
}

/// Digits are those of the run that is named, and what is read off between runs is no more than the least of them costs.
fn costs_are_of_the_runs(
    costs: &[HashMap<String, String>],
    summary: &[HashMap<String, String>],
    runs: &[HashMap<String, String>],
) {
    let number = |text: &str| text.parse::<f64>().unwrap();
    let (mut digits, mut read_off) = (0, 0);
    for line in costs {
        let work = if line["work"] == "factorizations" { "factorizations" } else { "all_rhs_evaluations" };
        if let Some(run) = runs.iter().find(|run| run["run"] == line["run"]) {
            let error = number(&run["error(theta)"]) + number(&run["error_bound(theta)"]);
            let own = -error.log10() / number(&run[work]).log10();
            assert!((number(&line["digits per decade"]) - own).abs() < 1e-4 * own, "{line:?}");
            digits += 1;
        }
        for accuracy in ["1e-3", "1e-6", "1e-9"] {
            let is_own = |other: &&HashMap<String, String>| {
                ["method", "work"].iter().all(|key| other[*key] == line[*key]) && other["accuracy"] == accuracy
            };
            let Some(least) = summary.iter().find(is_own) else { continue };
            assert!(number(&line[&format!("cost for {accuracy}")]) <= number(&least["cost"]) * 1.0001, "{line:?}");
            read_off += 1;
        }
    }
    assert!(digits > 20 && read_off > 4, "{digits} {read_off}");
}

#[test]
fn the_comparison_is_made_when_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for (name, text) in [("comparison", COMPARED), ("own", OWN)] {
        fs::create_dir_all(at(&format!("experiments/{name}"))).unwrap();
        fs::write(at(&format!("experiments/{name}/pendulum.yaml")), text).unwrap();
    }
    mbsbench(folder.path(), "reproduce");
    assert!(at("results/own/pendulum/runs.csv").exists() && !at("results/comparison").exists());
    assert!(!fs::read_to_string(at("results/report/index.html")).unwrap().contains("comparison.html"));

    mbsbench(folder.path(), "reproduce comparison");
    assert!(fs::read_to_string(at("results/report/index.html")).unwrap().contains("comparison.html"));
    let page = |name: &str| fs::read_to_string(at("results/report").join(name)).unwrap();
    let (all, one) = (page("comparison.html"), page("comparison-pendulum.html"));
    for part in
        ["Angle of the pendulum", "absolute, in rad", "href=\"comparison-pendulum.html\"", "id=\"drawing-profiles-0\""]
    {
        assert!(all.contains(part), "{part}");
    }
    for part in ["<svg", "without events it is its pair", "id=\"drawing-best-of-families\"", "id=\"drawing-by-family\""]
    {
        assert!(one.contains(part), "{part}");
    }

    let runs = rows(&at("results/comparison/pendulum/runs.csv"));
    for (method, is_there) in [("dopri5", true), ("rk4", true), ("lms2", true), ("dode", false), ("newmark", false)] {
        assert_eq!(runs.iter().any(|run| run["method"] == method), is_there, "{method}");
    }
    let summary = rows(&at("results/comparison/summary.csv"));
    let first = summary.iter().filter(|line| line["rank"] == "1");
    let mut compared = 0;
    for line in first {
        let work = if line["work"] == "factorizations" { "factorizations" } else { "all_rhs_evaluations" };
        let accuracy: f64 = line["accuracy"].parse().unwrap();
        assert_eq!(line["cost"].parse::<f64>().unwrap(), least(&runs, work, accuracy), "{line:?}");
        assert!(runs.iter().any(|run| run["run"] == line["run"] && run[work] == line["cost"]), "{line:?}");
        compared += 1;
    }
    assert!(compared >= 4, "{compared}");
    costs_are_of_the_runs(&rows(&at("results/comparison/costs.csv")), &summary, &runs);
    let markdown = fs::read_to_string(at("results/comparison/summary.md")).unwrap();
    assert!(markdown.contains("| 1e-6 |") && markdown.contains("## Angle of the pendulum"));

    // an experiment of one's own is ranked beside its results
    let said = mbsbench(folder.path(), "run experiments/comparison/pendulum.yaml --out mine");
    assert!(said.contains("ranking: mine/comparison/pendulum/ranking.md"), "{said}");
    let read = |name: &str| fs::read_to_string(at(name)).unwrap();
    assert_eq!(read("mine/comparison/pendulum/ranking.csv"), read("results/comparison/summary.csv"));
    assert!(!at("mine/comparison/summary.csv").exists());
}
