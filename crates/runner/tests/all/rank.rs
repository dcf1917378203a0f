//! `mbsbench compare`: ranks are compared with an independent computation from `runs.csv`, and a method from a file
//! with the same method by name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use mbsbench::{Registry, cli};
use mbsbench_integrators::Rk4;
use mbsbench_problem::{Method, MethodDefinition, Parameters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

type Line = BTreeMap<String, String>;

/// The classical formula of order four, as a file would have it.
const RK4: &str = "
source: the classical formula
runge-kutta:
  rows: [[], [1/2], [0, 1/2], [0, 0, 1]]
  weights: [1/6, 1/3, 1/3, 1/6]
";

/// An experiment with constant steps and tolerances, and three errors.
const EXPERIMENT: &str = "comparison/slider-crank";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn mbsbench(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mbsbench")).current_dir(root()).args(arguments).output().unwrap()
}

fn ranked(method: &str, cache: &Path) -> Value {
    let cache = cache.to_str().unwrap();
    let output = mbsbench(&["compare", method, EXPERIMENT, "--cache", cache, "--format", "json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn committed() -> Vec<Line> {
    let mut reader = csv::Reader::from_path(root().join("results").join(EXPERIMENT).join("runs.csv")).unwrap();
    reader.deserialize().collect::<Result<_, _>>().unwrap()
}

/// The cost of an accuracy for each method, interpolated linearly in decimal logarithms between the runs of one case.
fn costs(runs: &[Line], error: &str, scale: f64, accuracy: f64) -> BTreeMap<String, f64> {
    let mut curves: BTreeMap<(String, String), Vec<Option<[f64; 2]>>> = BTreeMap::new();
    for run in runs {
        let number = |column: &str| run[column].parse::<f64>().ok();
        let point = || {
            let bound = number(&error.replace("error", "error_bound")).unwrap_or(0.0);
            Some([(number(error)? + bound) / scale, number("rhs_cost")?])
        };
        let point = if run["status"] == "ok" { point() } else { None };
        curves.entry((run["method"].clone(), run["case"].clone())).or_default().push(point);
    }
    let mut costs: BTreeMap<String, f64> = BTreeMap::new();
    for ((method, _), points) in curves {
        let mut least = f64::INFINITY;
        for (index, point) in points.iter().enumerate() {
            let Some([fine, cost]) = point.filter(|[error, _]| *error <= accuracy) else { continue };
            least = least.min(cost);
            let neighbours = [index.checked_sub(1), Some(index + 1)];
            let neighbours = neighbours.into_iter().flatten().filter_map(|at| *points.get(at)?);
            for [coarse, other] in neighbours.filter(|[error, _]| *error > accuracy) {
                let part = (accuracy.log10() - fine.log10()) / (coarse.log10() - fine.log10());
                least = least.min(10f64.powf(cost.log10() + part * (other.log10() - cost.log10())));
            }
        }
        let known = costs.entry(method).or_insert(f64::INFINITY);
        *known = known.min(least);
    }
    costs.retain(|_, cost| cost.is_finite());
    costs
}

#[test]
fn ranks_match_the_committed_runs() {
    let (runs, folder) = (committed(), tempfile::tempdir().unwrap());
    let (mut reached, mut missed) = (0, 0);
    for method in ["dop853", "rk4", "hht-i3", "ode15s", "esdirk436l2sa2"] {
        let answer = ranked(method, folder.path());
        for (ranking, error, scale) in
            [(0, "position_error", 1.0), (1, "velocity_error", 1.0), (2, "multiplier_error", 10.0)]
        {
            let places = answer["rankings"][ranking]["places"].as_array().unwrap();
            for place in places.iter().filter(|place| place["work"] == "right-hand sides") {
                let costs = costs(&runs, error, scale, place["accuracy"].as_f64().unwrap());
                let Some(&own) = costs.get(method) else {
                    assert_eq!((&place["result"], &place["by_others"]), (&"not-reached".into(), &costs.len().into()));
                    missed += 1;
                    continue;
                };
                // Interpolated costs are accurate to rounding, so costs within that count as equal.
                let close = |value: &Value, expected: f64| (value.as_f64().unwrap() / expected - 1.0).abs() < 1e-12;
                assert!(close(&place["cost"], own), "{method} {error} {place}: {own}");
                let before = costs.values().filter(|cost| **cost < own * (1.0 - 1e-12)).count();
                assert_eq!((&place["rank"], &place["of"]), (&(before + 1).into(), &costs.len().into()), "{place}");
                let best = costs.values().copied().fold(f64::INFINITY, f64::min);
                assert!(close(&place["best"]["cost"], best) && close(&place["ratio"], own / best), "{method} {place}");
                reached += 1;
            }
        }
        let own = |run: &&Line| run["method"] == method;
        let failed = runs.iter().filter(own).filter(|run| run["status"] != "ok").count();
        let summary = &answer["summary"];
        assert_eq!((&summary["runs"], &summary["failed"]), (&runs.iter().filter(own).count().into(), &failed.into()));
    }
    assert!(reached > 20 && missed > 5, "{reached} reached and {missed} missed: both are tested");
}

#[test]
fn recorded_times_are_ranked() {
    let folder = tempfile::tempdir().unwrap();
    let answer = ranked("dop853", folder.path());
    let places = answer["rankings"][0]["places"].as_array().unwrap();
    let timed: Vec<&Value> = places.iter().filter(|place| place["work"] == "time (s)").collect();
    assert!(timed.iter().all(|place| place["result"] == "reached"), "{timed:?}");
    let free = places.iter().filter(|place| place["work"] == "factorisations");
    assert!(free.clone().count() == 3 && free.clone().all(|place| place["result"] == "free"), "it factorizes nothing");
}

#[test]
fn a_method_ranks_the_same_by_name_and_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.yaml");
    std::fs::write(&file, RK4).unwrap();
    let (from_file, by_name) = (ranked(file.to_str().unwrap(), folder.path()), ranked("rk4", folder.path()));
    assert_eq!(from_file["method"], "mine");
    let rankings = |answer: &Value| answer["rankings"].as_array().unwrap().clone();
    let mut compared = 0;
    for (one, other) in rankings(&from_file).iter().zip(rankings(&by_name)) {
        assert_eq!((&one["runs"], &one["failed"]), (&other["runs"], &other["failed"]));
        for (one, other) in one["places"].as_array().unwrap().iter().zip(other["places"].as_array().unwrap()) {
            if one["work"] != "right-hand sides" {
                continue;
            }
            for key in ["accuracy", "result", "rank", "cost", "ratio"] {
                assert_eq!(one[key], other[key], "{key} of {one} and {other}");
            }
            compared += usize::from(one["result"] == "reached");
            // The method from the file is ranked in addition to the one by name.
            let more = usize::from(one["result"] == "reached");
            assert_eq!(one["of"].as_u64(), other["of"].as_u64().map(|of| of + more as u64));
        }
    }
    assert_eq!(compared, 9, "three errors at three accuracies");
}

#[test]
fn rankings_are_named_by_model() {
    let output = mbsbench(&["compare", "dop853", "slider-crank"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("Slider crank") && !text.contains("Squeezer"), "{text}");
}

#[test]
fn differing_settings_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.yaml");
    std::fs::write(&file, "multistep: { alpha: [1], beta: [1/2, 1/2] }\ncharts: stage\n").unwrap();
    let file = file.to_str().unwrap();
    let differing = |answer: &Value| answer["rankings"][0]["unequal"].clone();
    let own = differing(&ranked(file, folder.path()));
    let setting =
        |all: &Value, name: &str| all.as_array().unwrap().iter().find(|each| each["setting"] == name).cloned();
    let charts = setting(&own, "charts").unwrap();
    assert_eq!(charts["values"][0]["methods"], serde_json::json!(["mine"]));
    let others = differing(&ranked("lms2", folder.path()));
    assert_eq!(setting(&others, "charts"), None, "none of the others has them elsewhere");
    let stops = setting(&others, "newton-stop").unwrap();
    let values = stops["values"].as_array().unwrap();
    for (method, stop) in [
        ("lms2", "residual ≤ 1e-6"),
        ("newmark", "correction of accelerations ≤ 1e-10 (1 + size)"),
        ("rattle", "correction of velocities ≤ 1e-12 (1 + size)"),
        ("ida", "estimated error ≤ 0.33 of the tolerance"),
    ] {
        let own = values.iter().find(|value| value["methods"].as_array().unwrap().contains(&method.into())).unwrap();
        assert_eq!(own["value"], stop, "{method}");
    }
    let output = mbsbench(&["compare", file, EXPERIMENT, "--cache", folder.path().to_str().unwrap()]);
    let text = String::from_utf8(output.stdout).unwrap();
    for part in [
        "settings of other methods that differ from those of mine on Slider crank, positions and 2 other rankings:",
        "\n- charts stage in mine, step in the other 26\n",
    ] {
        assert!(text.contains(part), "{text}");
    }
    // The longest line names the eleven methods that end Newton's iteration by the correction of accelerations.
    assert!(text.lines().all(|line| line.chars().count() <= 220), "{text}");
}

/// A method of another crate, which is not in the committed results.
#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
struct Elsewhere {}

impl Parameters for Elsewhere {}

impl MethodDefinition for Elsewhere {
    const NAME: &'static str = "elsewhere";
    const SUMMARY: &'static str = "the classical formula under another name";
    const SOURCE: &'static str = "";
    const FAMILY: &'static str = "explicit-runge-kutta";

    fn method(&self) -> Box<dyn Method> {
        Rk4::default().method()
    }
}

#[test]
fn a_method_of_another_crate_is_run_and_ranked() {
    let folder = tempfile::tempdir().unwrap();
    let registry = Registry::builtin().method::<Elsewhere>();
    let experiments = root().join("experiments");
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let arguments = ["mbsbench", "compare", "elsewhere", EXPERIMENT, "--format", "json", "--experiments"];
    let paths = [experiments.to_str().unwrap(), "--cache", folder.path().to_str().unwrap()];
    let exit = cli::run(&registry, arguments.into_iter().chain(paths), &mut stdout, &mut stderr, false);
    assert_eq!(exit, cli::Exit::Done, "{}", String::from_utf8_lossy(&stderr));
    let own: Value = serde_json::from_slice(&stdout).unwrap();
    let known = ranked("rk4", folder.path());
    let ranks = |answer: &Value| -> Vec<Value> {
        let rankings = answer["rankings"].as_array().unwrap().iter();
        rankings.flat_map(|ranking| ranking["places"].as_array().unwrap()).map(|place| place["rank"].clone()).collect()
    };
    let (own_ranks, known_ranks) = (ranks(&own), ranks(&known));
    let counted = own_ranks.iter().zip(&known_ranks).filter(|(own, _)| own.is_number());
    assert!(counted.clone().count() == 9 && counted.clone().all(|(own, known)| own == known), "{own:#}");
}

#[test]
fn a_line_summarises_ranks_and_explains_omissions() {
    let output = mbsbench(&["compare", "newmark", EXPERIMENT, "comparison/rolling-spheres"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success());
    assert!(text.contains("not run on Rolling spheres: the method needs"), "{text}");
    let last = text.lines().last().unwrap();
    assert!(last.starts_with("newmark: reaches ") && last.contains("of 1 models; median cost"), "{last}");
    for (arguments, message) in
        [(["compare", "rk44"], "did you mean `rk4`?"), (["compare", "nowhere.yaml"], "nowhere.yaml")]
    {
        let refused = mbsbench(&arguments);
        assert_eq!(refused.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&refused.stderr).contains(message), "{arguments:?}");
    }
}

#[test]
fn pictures_show_the_method_the_others_and_the_front() {
    let folder = tempfile::tempdir().unwrap();
    let figures = folder.path().to_str().unwrap();
    let output = mbsbench(&["compare", "dop853", EXPERIMENT, "--figures", figures]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut names: Vec<String> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["1", "2", "3"].map(|number| format!("comparison-slider-crank-{number}.svg")));
    for name in names {
        let path = folder.path().join(name);
        let text = std::fs::read_to_string(&path).unwrap();
        for shown in ["dop853", "all others", "front of the others", "right-hand sides"] {
            assert!(text.contains(shown), "{shown}");
        }
        assert!(String::from_utf8_lossy(&output.stdout).contains(path.to_str().unwrap()));
    }
}
