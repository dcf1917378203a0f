//! The commands that judge: exit codes, files and output.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::chapter::{copy, experiments};

fn run(folder: &Path, arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mbsbench"))
        .current_dir(folder)
        .args(arguments.split_whitespace())
        .env("NO_COLOR", "1")
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .output()
        .unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.as_slice(), &output.stderr].concat()).into_owned()
}

/// A folder with the experiments of the paper and its committed results.
fn reproduced() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy(&experiments(), &folder.path().join("experiments/compere2001"));
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results/compere2001");
    copy(&results, &folder.path().join("results/compere2001"));
    folder
}

#[test]
fn published_values_decide_verdicts_and_exit_code() {
    let folder = reproduced();
    let at = |name: &str| folder.path().join(name);
    let output = run(folder.path(), "verify");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).contains("compere2001: "), "the verdicts are counted");
    assert_eq!(run(folder.path(), "render --to html").status.code(), Some(0));
    assert!(at("results/report/index.html").exists() && at("results/report/compere2001.html").exists());
    for page in ["index", "compere2001", "compere2001-appendix"] {
        let text = fs::read_to_string(at(&format!("results/report/{page}.html"))).unwrap();
        for word in ["depends", "contradicted", "inconclusive", "untestable"] {
            let is_outcome = |(k, _): (usize, &str)| {
                let before = text[..k].trim_end_matches([' ', '±', '✗', '?', '–']);
                before.ends_with(['>', '"']) && text[k + word.len()..].starts_with(['<', '"'])
            };
            assert!(!text.match_indices(word).any(is_outcome), "{page} has the outcome {word}");
        }
    }
    let statements: Vec<serde_json::Value> =
        serde_json::from_slice(&fs::read(at("results/compere2001/claims.json")).unwrap()).unwrap();
    assert!(statements.len() >= 55);
    let checks: Vec<&serde_json::Value> =
        statements.iter().flat_map(|statement| statement["checks"].as_array().unwrap()).collect();
    for claim in checks {
        let judged = claim["kind"] != "open";
        assert!(!judged || claim["evidence"].as_array().is_some_and(|keys| !keys.is_empty()), "{claim:#}");
        let has_margin = ["value", "bound", "ratio", "difference", "order", "ordering", "shape"];
        let needs_margin = judged && has_margin.iter().any(|kind| claim["kind"] == **kind);
        assert!(!needs_margin || claim["margin"].is_number(), "{claim:#}");
    }

    // The lock detects a changed number of a table before any verdict; here the verdict is tested.
    copy(&at("results"), &at("before"));
    let table = at("experiments/compere2001/published/table-3.1.csv");
    let published = fs::read_to_string(&table).unwrap();
    fs::write(&table, published.replace("1.8e-1", "1.7e-1")).unwrap();
    let output = run(folder.path(), "verify compere2001");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output).contains("the definition of `table-3.1/0.05/rk3` differs from its entry"),
        "{}",
        text(&output)
    );
    fs::remove_file(at("experiments/compere2001/bounds.lock")).unwrap();
    let output = run(folder.path(), "verify compere2001");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output).contains("`table-3.1/0.05/rk3` or its runs have changed"), "{}", text(&output));
    fs::remove_file(at("results/compere2001/pendulum-dae/reconstruction.csv")).unwrap();
    let output = run(folder.path(), "verify compere2001");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains("not as expected: table-3.1"), "{}", text(&output));

    let output = run(folder.path(), "diff before results");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains("check table-3.1/0.05/rk3: reproduced and not-reproduced"), "{}", text(&output));

    fs::write(&table, published).unwrap();
    copy(&at("before"), &at("results"));
    assert_eq!(run(folder.path(), "verify compere2001").status.code(), Some(0));
    assert_eq!(run(folder.path(), "diff before results").status.code(), Some(0));
}

#[test]
fn every_kind_of_claim_is_explained() {
    let folder = reproduced();
    for (claim, parts) in [
        ("table-3.1", ["holds in 12 of 12", "table-3.1/0.05/rk3", "reproduce   mbsbench"]),
        ("table-3.1/0.05/rk3", ["1.8e-1 to the printed digits", "margin", "as printed"]),
        ("figure-3.8/constraints", ["required    at most", "evidence", "margin"]),
        ("figures/curves", ["open: not public: the plotted data", "it says", "outcome"]),
    ] {
        let output = run(folder.path(), &format!("explain {claim}"));
        let said = text(&output);
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(parts.iter().all(|part| said.contains(part)), "{claim}: {said}");
    }
    for name in ["table-3.1/0.05/rk4", "compere2001/tabel-3.1"] {
        let output = run(folder.path(), &format!("explain {name}"));
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output).contains("did you mean `table-3.1"), "{}", text(&output));
    }
}

#[test]
fn missing_and_outdated_results_name_the_command() {
    let folder = reproduced();
    let path = folder.path().join("results/compere2001/pendulum-ode/runs.csv");
    // As an older program left it, without a seal, which would detect the truncation.
    let _ = fs::remove_file(path.with_file_name("manifest.json"));
    let rows = fs::read_to_string(&path).unwrap();
    fs::write(&path, rows.lines().take(3).map(|line| line.to_owned() + "\n").collect::<String>()).unwrap();
    let output = run(folder.path(), "verify");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output).contains("mbsbench reproduce compere2001/pendulum-ode"), "{}", text(&output));
    fs::remove_file(&path).unwrap();
    let output = run(folder.path(), "verify");
    assert_eq!(output.status.code(), Some(2));
    let said = "no results of compere2001/pendulum-ode in results\n\
                help: `mbsbench reproduce compere2001/pendulum-ode` computes them";
    assert!(text(&output).contains(said), "{}", text(&output));
    // If several experiments lack results, the paper is named instead of each of them.
    fs::remove_file(path.parent().unwrap().with_file_name("pendulum-dae").join("runs.csv")).unwrap();
    let output = run(folder.path(), "explain table-3.1");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output).contains("help: `mbsbench reproduce compere2001/pendulum-ode` computes them"),
        "{}",
        text(&output)
    );
    let output = run(folder.path(), "verify");
    let said = "no results of compere2001/pendulum-dae and compere2001/pendulum-ode in results\n\
                help: `mbsbench reproduce compere2001` computes them";
    assert!(text(&output).contains(said), "{}", text(&output));
}

/// A paper with one experiment whose runs are timed, and claims about the times.
const TIMED: &str = "\
id: timed/pendulum
known: { defaults: printed }
model: pendulum
span: [0.0, 1.0]
step: 0.01
method: [rk3, rk8]
measures: [rhs_evaluations]
timing: { repeat: 3, relative_to: rk3 }
";

const CLAIMS: &str = "\
schema: 2
paper: timed
statements:
  - id: slower
    place: Table 1
    says: RK-8 takes four times as long.
    bound_from: ours
    why: only a test
    value:
      of: { experiment: pendulum, where: { method: rk8 }, column: timing.ratio }
      published: \"4.0\"
      tolerance: { relative: 0.2 }
  - id: quotient
    place: Table 1
    says: The same, from the two times.
    bound_from: ours
    why: only a test
    ratio:
      of: { experiment: pendulum, where: { method: rk8 }, column: timing.median_s }
      to: { experiment: pendulum, where: { method: rk3 }, column: timing.median_s }
      published: \"4.0\"
      tolerance: { relative: 0.2 }
  - id: order
    place: Table 1
    says: RK-3 is faster by far.
    bound_from: ours
    why: only a test
    ordering:
      smallest_first:
        - { experiment: pendulum, where: { method: rk3 }, column: timing.median_s }
        - { experiment: pendulum, where: { method: rk8 }, column: timing.median_s }
      by_factor: 3.3
";

#[test]
fn claims_about_time_are_open_if_the_spread_is_wide() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("experiments/timed")).unwrap();
    fs::write(at("experiments/timed/pendulum.yaml"), TIMED).unwrap();
    fs::write(at("experiments/timed/claims.yaml"), CLAIMS).unwrap();
    run(folder.path(), "lock timed");
    let output = run(folder.path(), "run experiments/timed/pendulum.yaml");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let path = at("results/times/timed/pendulum/timings.csv");
    let mut reader = csv::Reader::from_path(&path).unwrap();
    let keys: Vec<String> = reader
        .deserialize::<std::collections::HashMap<String, String>>()
        .map(|row| row.unwrap()["run"].clone())
        .collect();
    // Artificial times, so that nothing depends on the machine: eight rounds, in which both runs are slower or faster
    // together.
    let verdict = |name: &str, ratio: f64, noise: f64| {
        let rounds = |of: f64, noise: f64| {
            let load = |round: u32| if round.is_multiple_of(3) { 1.5 } else { 1.0 };
            let seconds = (0..8).map(|round| of * load(round) * (1.0 + noise * (f64::from(round) / 3.5 - 1.0)));
            seconds.map(|seconds| format!("{seconds:.6}")).collect::<Vec<_>>().join(" ")
        };
        let rows = format!(
            "method,step_ns,samples_s,run\nrk3,1,{},{}\nrk8,1,{},{}\n",
            rounds(1.0, 0.0),
            keys[0],
            rounds(ratio, noise),
            keys[1]
        );
        fs::write(&path, rows).unwrap();
        let output = run(folder.path(), "verify timed");
        let said = text(&output);
        let verdicts = ["not reproduced", "reproduced", "open: timing undecided"];
        let start = format!(" {name} ");
        let line = said.lines().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("{said}")).to_owned();
        // The first one is the verdict; an unexpected verdict is followed by the expected one.
        let first = verdicts.into_iter().filter_map(|verdict| Some((line.find(verdict)?, verdict))).min().unwrap().1;
        (first, output.status.code())
    };
    // As a ratio in the file, as a quotient of two medians, and as an order: all are judged from the rounds.
    for name in ["slower", "quotient", "order"] {
        assert_eq!(verdict(name, 4.2, 0.01), ("reproduced", Some(0)), "{name}");
        assert_eq!(verdict(name, 4.2, 0.9), ("open: timing undecided", Some(0)), "{name}: no surprise on a time");
        assert_eq!(verdict(name, 0.9, 0.01), ("not reproduced", Some(0)), "{name}: times decide no exit code");
    }
    let said = text(&run(folder.path(), "verify timed"));
    assert!(said.contains("not as expected by the recorded times, which do not affect the exit code: "), "{said}");
    assert!(said.contains("not reproduced, expected reproduced"), "{said}");
    let (placed, _) = verdict("order", 3.4, 0.01);
    assert_eq!(placed, "open: timing undecided", "within five per cent of the factor, which code placement may cause");
    let output = run(folder.path(), "explain timed/quotient");
    assert!(text(&output).contains("times: 95 % interval"), "{}", text(&output));
}

#[test]
fn claims_on_unavailable_methods_are_open_as_expected() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("experiments/elsewhere")).unwrap();
    fs::write(at("experiments/elsewhere/pendulum.yaml"), PENDULUM).unwrap();
    let output = run(folder.path(), "run experiments/elsewhere/pendulum.yaml");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    fs::write(at("experiments/elsewhere/claims.yaml"), UNAVAILABLE).unwrap();
    // The file as written without the library by an earlier program, which did not record assurances and messages.
    let path = at("results/elsewhere/pendulum/runs.csv");
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_path(&path).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let is_old = |place: &usize| !["assurance", "message"].contains(&&rows[0][*place]);
    let old = |row: &csv::StringRecord| {
        let cells: Vec<&str> = (0..row.len()).filter(is_old).map(|place| &row[place]).collect();
        match cells[0] {
            "cvode-bdf" => format!("cvode-bdf,1e-4,unavailable,0,,,{}", cells[6]),
            _ => cells.join(","),
        }
    };
    let without: Vec<String> = rows.iter().map(old).collect();
    assert_eq!(without[0], "method,tolerance,status,t_reached,rhs_evaluations,steps_accepted,run");
    fs::write(&path, without.join("\n")).unwrap();
    fs::remove_file(path.with_file_name("manifest.json")).unwrap();
    let output = run(folder.path(), "verify elsewhere");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let judged: serde_json::Value =
        serde_json::from_slice(&fs::read(at("results/elsewhere/claims.json")).unwrap()).unwrap();
    let of = |id: &str| judged.as_array().unwrap().iter().find(|claim| claim["id"] == id).unwrap().clone();
    for id in ["evaluations", "against-another", "order-of-costs", "completes", "fails"] {
        let claim = of(id);
        let said = ["verdict", "reason", "detail"].map(|key| claim[key].as_str().unwrap());
        assert_eq!(said, ["open", "not installed here", "`cvode-bdf`"], "{claim}");
    }
    assert_eq!(of("another")["verdict"], "reproduced");

    // A run that did not pass our own checks is not evidence against a paper.
    let without = without.join("\n");
    let with = without.replace("status,", "status,assurance,").replace(",ok,", ",ok,vouched,");
    let open = without.replace(",unavailable,", ",joint-open,");
    let refuted = with.replace(",unavailable,", ",ok,refuted: a missed event,");
    for (rows, told) in [(open, None), (refuted, Some("1 vouched, 0 unvouched, 1 refuted"))] {
        fs::write(&path, rows).unwrap();
        let output = run(folder.path(), "verify elsewhere");
        assert_eq!(output.status.code(), Some(1));
        let judged: Vec<serde_json::Value> =
            serde_json::from_slice(&fs::read(at("results/elsewhere/claims.json")).unwrap()).unwrap();
        let open: Vec<_> = judged.iter().filter(|claim| claim["reason"] == "refuted by its own checks").collect();
        assert_eq!(open.len(), 5, "{judged:#?}");
        let said = text(&output);
        assert!(told.is_none_or(|told| said.contains(&format!("elsewhere: runs: {told}\n"))), "{said}");
        assert_eq!(said.contains("elsewhere: runs: 1 refuted run: "), told.is_some(), "{said}");
    }
    fs::write(&path, with.replace(",vouched,", ",believed,")).unwrap();
    let output = run(folder.path(), "verify elsewhere");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output).contains(":2: `believed` in the column `assurance` is not a valid assurance"));
}

const PENDULUM: &str = "\
id: elsewhere/pendulum
model: pendulum
span: [0.0, 1.0]
tolerance: 1e-4
known: { defaults: printed }
method: [dopri5, cvode-bdf]
measures: [rhs_evaluations, steps_accepted]
";

const UNAVAILABLE: &str = "\
schema: 2
paper: elsewhere
statements:
  - id: evaluations
    place: Table 1
    says: There are some evaluations.
    bound: { of: { experiment: pendulum, where: { method: cvode-bdf }, column: rhs_evaluations }, above: 1 }
    why: only a test
    bound_from: ours
  - id: another
    place: Table 1
    says: There are some evaluations.
    bound: { of: { experiment: pendulum, where: { method: dopri5 }, column: rhs_evaluations }, above: 1 }
    why: only a test
    bound_from: ours
  - id: against-another
    place: Table 1
    says: One takes some of the evaluations of the other.
    ratio:
      of: { experiment: pendulum, where: { method: cvode-bdf }, column: rhs_evaluations }
      to: { experiment: pendulum, where: { method: dopri5 }, column: rhs_evaluations }
      above: 0.001
    why: only a test
    bound_from: ours
  - id: order-of-costs
    place: Table 1
    says: One takes no more than the other.
    ordering:
      smallest_first:
        - { experiment: pendulum, where: { method: dopri5 }, column: rhs_evaluations }
        - { experiment: pendulum, where: { method: cvode-bdf }, column: rhs_evaluations }
      by_factor: 0.001
    why: only a test
    bound_from: ours
  - id: completes
    place: Table 1
    says: It reaches the end.
    failure: { experiment: pendulum, where: { method: cvode-bdf }, completes: true }
    why: only a test
    bound_from: ours
  - id: fails
    place: Table 1
    says: It fails.
    failure: { experiment: pendulum, where: { method: cvode-bdf } }
    why: only a test
    bound_from: ours
";

/// The distance that `agreement` finds, recomputed from the tables beside the runs.
#[test]
fn agreement_with_published_tables_counts_cells() {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results/ivptestset");
    let mut distances: Vec<(String, f64)> = Vec::new();
    for problem in ["car-axis", "andrews", "slider-crank", "wheelset", "fekete", "pendulum"] {
        for entry in fs::read_dir(results.join(problem)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if !(name.starts_with("mebdf") && name.ends_with(".csv")) || name.contains("digits") {
                continue;
            }
            for record in csv::Reader::from_path(&path).unwrap().records() {
                let record = record.unwrap();
                if let (Ok(published), Ok(measured)) = (record[2].parse::<f64>(), record[3].parse::<f64>()) {
                    distances.push((record[1].to_owned(), (measured / published - 1.0).abs()));
                }
            }
        }
    }
    assert_eq!(distances.len(), 3 * 141);
    let statements: Vec<serde_json::Value> =
        serde_json::from_slice(&fs::read(results.join("claims.json")).unwrap()).unwrap();
    let checks: Vec<&serde_json::Value> =
        statements.iter().flat_map(|each| each["checks"].as_array().unwrap()).collect();
    for counter in ["steps", "evaluations", "jacobians"] {
        let mut own: Vec<f64> =
            distances.iter().filter(|(of, _)| of == counter).map(|&(_, distance)| distance).collect();
        own.sort_by(f64::total_cmp);
        // the 71st and the 127th of 141
        for (id, rank) in [(format!("mebdf/half-of-{counter}"), 70), (format!("mebdf/most-of-{counter}"), 126)] {
            let check = checks.iter().find(|check| check["id"] == id.as_str()).unwrap();
            let measured = check["measured"].as_f64().unwrap();
            assert!((measured - own[rank]).abs() < 1e-12, "{id}: {measured} and {}", own[rank]);
        }
    }
}

/// A table for a terminal is wrapped between words: "Equation 18" must not become "Equation 1".
#[test]
fn positions_are_not_broken_inside_words() {
    let folder = reproduced();
    let said = text(&run(folder.path(), "verify compere2001"));
    let ledger = fs::read_to_string(folder.path().join("experiments/compere2001/claims.yaml")).unwrap();
    let places = ledger.lines().filter_map(|line| line.trim().strip_prefix("place: "));
    let known: std::collections::HashSet<&str> = places.flat_map(str::split_whitespace).chain(["place"]).collect();
    let cells = said.lines().filter_map(|line| line.split('|').nth(1));
    let words: Vec<&str> = cells.flat_map(str::split_whitespace).collect();
    assert!(words.len() > 100, "{said}");
    let broken: Vec<&&str> = words.iter().filter(|word| !known.contains(*word)).collect();
    assert!(broken.is_empty(), "{broken:?}");
}
