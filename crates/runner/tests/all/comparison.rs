//! The comparison across papers: its runs, its cheapest methods, and its place in the report.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

const COMPARED: &str = "
id: comparison/pendulum
model: pendulum
span: [0.0, 1.0]
cases:
  - case: to a tolerance
    method: { every: { except: { dode: without events it is its pair } } }
    tolerance: [1e-4, 1e-6, 1e-8]
  - { case: constant step, method: every, step: [2^-4, 2^-6, 2^-8] }
measures: [{ error: { of: theta, every: 0.25 } }, rhs_cost, factorizations, all_rhs_evaluations, jacobian_columns]
reference: { method: rk8, step: 2^-9, precision: double, \
  check: { method: { gbs: { order: 12 } }, step: 2^-6 }, digits: 8 }
rankings:
  - title: Angle of the pendulum
    error: error(theta)
    meaning: absolute, in rad
    work: { right-hand sides: rhs_cost, factorizations: factorizations }
plots:
  - { id: work, x: rhs_cost, y: error(theta), series: method, scale: log-log }
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

type Rows = Vec<HashMap<String, String>>;

fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|_| panic!("`{text}`"))
}

/// The column of `runs.csv` behind a kind of work.
fn column(work: &str) -> &'static str {
    if work == "factorizations" { "factorizations" } else { "rhs_cost" }
}

/// The error of a completed run, including the bound on the error of its reference.
fn error(run: &HashMap<String, String>) -> Option<f64> {
    (run["status"] == "ok").then(|| number(&run["error(theta)"]) + number(&run["error_bound(theta)"]))
}

/// Digits are those of the named run, and costs are those of the summary, which has more digits.
fn costs_are_of_the_runs(costs: &Rows, summary: &Rows, runs: &Rows) {
    let (mut digits, mut read_off) = (0, 0);
    for line in costs {
        if let Some(run) = runs.iter().find(|run| run["run"] == line["run"]) {
            let own = -error(run).unwrap().log10() / number(&run[column(&line["work"])]).log10();
            assert!((number(&line["digits per decade"]) - own).abs() < 1e-4 * own, "{line:?}");
            digits += 1;
        }
        for accuracy in ["1e-3", "1e-6", "1e-9"] {
            let is_own = |other: &&HashMap<String, String>| {
                ["method", "work"].iter().all(|key| other[*key] == line[*key]) && other["accuracy"] == accuracy
            };
            let Some(named) = summary.iter().find(is_own) else { continue };
            let [one, other] = [&line[&format!("cost for {accuracy}")], &named["cost"]].map(|cost| number(cost));
            assert!((one / other - 1.0).abs() < 1e-4, "{line:?} {named:?}");
            read_off += 1;
        }
    }
    assert!(digits > 20 && read_off > 4, "{digits} {read_off}");
}

/// A cost lies between the costs of two runs, one of which misses the accuracy and one of which reaches it, or is the
/// cost of a single run.
fn costs_lie_between_runs(summary: &Rows, runs: &Rows) {
    let (mut between, mut of_runs) = (0, 0);
    for line in summary.iter().filter(|line| !line["method"].is_empty()) {
        let (work, accuracy) = (column(&line["work"]), number(&line["accuracy"]));
        let [cost, at_most] = ["cost", "at_most"].map(|key| number(&line[key]));
        let fine = runs.iter().find(|run| run["run"] == line["run"]).unwrap();
        assert!(number(&fine[work]) == at_most && error(fine).unwrap() <= accuracy && cost <= at_most, "{line:?}");
        let own = |run: &&HashMap<String, String>| run["method"] == line["method"] && run["case"] == fine["case"];
        if line["at_least"].is_empty() {
            assert_eq!(cost, at_most, "{line:?}");
            of_runs += 1;
        } else {
            let at_least = number(&line["at_least"]);
            let misses = |run: &HashMap<String, String>| error(run).is_some_and(|error| error > accuracy);
            let coarse = runs.iter().filter(own).find(|run| number(&run[work]) == at_least && misses(run));
            assert!(coarse.is_some() && at_least < cost, "{line:?}");
            between += 1;
        }
        let later = |run: &HashMap<String, String>| {
            error(run).is_some_and(|error| error > accuracy) && number(&run[work]) > at_most
        };
        assert_eq!(line["unsteady"] == "yes", runs.iter().filter(own).any(later), "{line:?}");
    }
    assert!(between > 8 && of_runs > 2, "{between} {of_runs}");
}

/// Columns of exact Jacobians are counted as cost although no right-hand side was evaluated for them.
fn jacobians_are_charged(runs: &Rows) {
    let of = |method: &str, column: &str| -> f64 {
        let done = runs.iter().filter(|run| run["method"] == method && run["status"] == "ok");
        done.map(|run| number(&run[column])).sum()
    };
    for (method, is_charged) in [("dop853", false), ("mebdf", true), ("lms2", true)] {
        let columns = of(method, "jacobian_columns");
        assert_eq!(columns > 0.0, is_charged, "{method}");
        assert_eq!(of(method, "rhs_cost"), of(method, "all_rhs_evaluations") + columns, "{method}");
    }
}

/// The summary, the page, the ranking of every method and the ranking on a model name the same methods at the same
/// costs.
fn all_name_the_same(folder: &Path, summary: &Rows, runs: &Rows, page: &str) {
    let methods: BTreeSet<&str> = runs.iter().map(|run| run["method"].as_str()).collect();
    let mut ranked: BTreeMap<(String, String), Vec<(String, f64)>> = BTreeMap::new();
    for method in methods {
        let answer: Value =
            serde_json::from_str(&mbsbench(folder, &format!("compare {method} --format json --results results")))
                .unwrap();
        for place in answer["rankings"][0]["places"].as_array().unwrap() {
            let cell =
                (format!("{:e}", place["accuracy"].as_f64().unwrap()), place["work"].as_str().unwrap().to_owned());
            let is_near = place["ratio"].as_f64().is_some_and(|ratio| ratio <= 2.0);
            let named = is_near.then(|| (method.to_owned(), place["cost"].as_f64().unwrap()));
            ranked.entry(cell).or_default().extend(named);
        }
    }
    assert_eq!(ranked.len(), 6);
    for ((accuracy, work), mut named) in ranked {
        named.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        let lines = summary.iter().filter(|line| line["accuracy"] == accuracy && line["work"] == work);
        let lines: Vec<_> = lines.filter(|line| !line["method"].is_empty()).collect();
        let of_summary: Vec<(String, f64)> =
            lines.iter().map(|line| (line["method"].clone(), number(&line["cost"]))).collect();
        assert_eq!(of_summary, named, "{accuracy} {work}");
        if work == "right-hand sides" {
            let cell = lines.iter().map(|line| {
                let [most, unsteady] = [(line["at_least"].is_empty(), "≤ "), (line["unsteady"] == "yes", "?")]
                    .map(|(holds, sign)| if holds { sign } else { "" });
                let (name, cost) = (&line["method"], number(&line["cost"]).round());
                format!("<a href=\"method-{name}.html\">{name}</a> {most}{cost}{unsteady}")
            });
            let cell = cell.collect::<Vec<_>>().join(", ");
            assert!(page.contains(&format!("<td>{cell}</td>")), "{accuracy}: {cell}");
            let ranked = mbsbench(folder, "compare pendulum --format json --results results");
            let ranked: Value = serde_json::from_str(&ranked).unwrap();
            let near = ranked.as_array().unwrap().iter().filter(|place| {
                place["work"] == work
                    && place["accuracy"].as_f64() == accuracy.parse().ok()
                    && place["ratio"].as_f64().unwrap() <= 2.0
            });
            let near: BTreeSet<&str> = near.map(|method| method["method"].as_str().unwrap()).collect();
            assert_eq!(near, named.iter().map(|(name, _)| name.as_str()).collect(), "{accuracy}");
        }
    }
}

#[test]
fn the_comparison_runs_on_request() {
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
    costs_lie_between_runs(&summary, &runs);
    jacobians_are_charged(&runs);
    all_name_the_same(folder.path(), &summary, &runs, &all);
    costs_are_of_the_runs(&rows(&at("results/comparison/costs.csv")), &summary, &runs);
    let markdown = fs::read_to_string(at("results/comparison/summary.md")).unwrap();
    assert!(markdown.contains("| 1e-6 |") && markdown.contains("## Angle of the pendulum"));

    // a user's experiment is ranked beside its results
    let said = mbsbench(folder.path(), "run experiments/comparison/pendulum.yaml --out mine");
    assert!(said.contains("ranking: mine/comparison/pendulum/ranking.md"), "{said}");
    let read = |name: &str| fs::read_to_string(at(name)).unwrap();
    assert_eq!(read("mine/comparison/pendulum/ranking.csv"), read("results/comparison/summary.csv"));
    assert!(!at("mine/comparison/summary.csv").exists());

    a_contender_joins(folder.path());
}

/// A method added by one line in one file appears in the tables and, in bold, in the figures; no other result changes.
fn a_contender_joins(folder: &Path) {
    let at = |name: &str| folder.join(name);
    let read = |name: &str| fs::read_to_string(at(name)).unwrap();
    let before = ["runs.csv", "references.csv"].map(|name| read(&format!("results/comparison/pendulum/{name}")));
    let derived = ["results/comparison/summary.csv", "results/comparison/costs.csv", "results/report/comparison.html"];
    let without = derived.map(read);
    fs::write(at("mine.yaml"), "runge-kutta: { rows: [[], [1]], weights: [1/2, 1/2] }\n").unwrap();
    fs::write(at("experiments/comparison/contenders.yaml"), "contenders: [{ tableau: ../../mine.yaml }, dop853]\n")
        .unwrap();
    let said = mbsbench(folder, "render --to html");
    assert!(said.contains("contenders mine, dop853"), "{said}");
    assert_eq!(before, ["runs.csv", "references.csv"].map(|name| read(&format!("results/comparison/pendulum/{name}"))));
    let costs = rows(&at("results/comparison/costs.csv"));
    let own: Vec<_> = costs.iter().filter(|line| line["method"] == "mine").collect();
    assert!(own.len() == 1 && own[0]["runs"] == "3" && own[0]["failed"] == "0", "{own:?}");
    let summary = rows(&at("results/comparison/summary.csv"));
    let is_marked = |line: &&HashMap<String, String>| line["contender"] == "yes";
    assert!(summary.iter().filter(is_marked).all(|line| ["mine", "dop853"].contains(&line["method"].as_str())));
    assert!(summary.iter().any(|line| is_marked(&line) && line["method"] == "dop853"));
    assert!(read("results/comparison/summary.md").contains("**dop853** "));
    let (all, one) = (read(derived[2]), read("results/report/comparison-pendulum.html"));
    assert!(all.contains("<strong class=\"contender\">mine</strong>") && one.contains("dop853</strong>"));
    assert!(!without[2].contains("class=\"contender\""));
    let is_bold = |page: &str, name: &str| {
        let begin = format!("<g data-series=\"{name}\"");
        let series = page.split(&begin).skip(1);
        series.filter_map(|rest| rest.split("</g>").next()).any(|group| group.contains("<path stroke-width=\"27\""))
    };
    for page in [&all, &one] {
        assert!(["mine", "dop853"].iter().all(|name| is_bold(page, name)));
        assert!(!is_bold(page, "rk8") && page.contains("data-series=\"rk8\""));
    }
    assert!(!is_bold(&without[2], "dop853"));
    // The same holds for the ranking of one method.
    let of = |said: &str| {
        let start = said.find('{').unwrap();
        let answer: Value = serde_json::from_str(&said[start..=said.rfind('}').unwrap()]).unwrap();
        answer["rankings"][0]["methods"].as_u64().unwrap()
    };
    let with = of(&mbsbench(folder, "compare rk4 --format json --results results"));
    fs::rename(at("experiments/comparison/contenders.yaml"), at("aside.yaml")).unwrap();
    assert_eq!(with, 1 + of(&mbsbench(folder, "compare rk4 --format json --results results")));
    fs::rename(at("aside.yaml"), at("experiments/comparison/contenders.yaml")).unwrap();
    let checked = mbsbench(folder, "check experiments/comparison/contenders.yaml");
    assert!(checked.contains("contenders.yaml: mine, dop853"), "{checked}");

    for (text, place, message) in [
        ("contenders: [dop835]\n", ":1:14", "unknown method `dop835`"),
        ("contender: []\n", ":1:1", "unknown key `contender`"),
        ("contenders: dop853\n", ":1:13", "must be a list of methods"),
        ("contenders: [{ bathe: { label: own, rho-inf: 2 } }]\n", ":1:46", "2"),
        ("contenders: [dop853, dop853]\n", ":1:22", "duplicate contender `dop853`"),
        ("contenders: [{ tableau: none.yaml }]\n", ":1:25", "none.yaml"),
    ] {
        fs::write(at("experiments/comparison/contenders.yaml"), text).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_mbsbench"))
            .current_dir(folder)
            .args(["render", "--to", "html"])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(&format!("contenders.yaml{place}")) && said.contains(message), "{text}{said}");
    }
    fs::remove_file(at("experiments/comparison/contenders.yaml")).unwrap();
    mbsbench(folder, "render --to html");
    assert_eq!(without, derived.map(read), "as if it had never been there");
}
