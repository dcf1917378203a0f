//! `mbsbench ledger reference`: stored references equal computed ones, and outdated ones are refused.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use mbsbench_experiment::plan::StoredReference;

const EXPERIMENT: &str = "\
id: stored/pendulum
title: Pendulum with a stored reference
model: { pendulum: { mass: 12.0, length: 0.7, angle: 35.0 } }
span: [0.0, 1.0]
method: [rk3, rk5]
step: 0.01
measures: [{ error: { of: theta, every: 0.25 } }]
reference:
  stored: references/pendulum.csv
  method: rk8
  step: 0.01
  check: { method: { gbs: { order: 12 } }, step: 0.01 }
  digits: 10
";

const GATHERED: &str = "\
id: stored/gathered
gathers: [{ experiment: pendulum }]
plots: [{ id: errors, title: Errors, x: method, y: error(theta), kind: bars }]
";

const FILE: &str = "experiments/stored/pendulum.yaml";
const STORED: &str = "experiments/stored/references/pendulum.csv";

fn folder(experiment: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("experiments/stored")).unwrap();
    fs::write(folder.path().join(FILE), experiment).unwrap();
    folder
}

fn mbsbench(folder: &Path, arguments: &str) -> (i32, String) {
    let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_mbsbench"))
        .current_dir(folder)
        .args(arguments.split_whitespace())
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    (status.code().unwrap(), String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned())
}

/// Errors and bounds of the two runs.
fn errors(folder: &Path) -> Vec<String> {
    let (code, said) = mbsbench(folder, &format!("run {FILE}"));
    assert_eq!(code, 0, "{said}");
    let runs = fs::read_to_string(folder.join("results/stored/pendulum/runs.csv")).unwrap();
    let heads: Vec<&str> = runs.lines().next().unwrap().split(',').collect();
    let wanted = |name: &str| heads.iter().position(|head| *head == name).unwrap();
    let (error, bound) = (wanted("error(theta)"), wanted("error_bound(theta)"));
    let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
    runs.lines().skip(1).map(cells).flat_map(|cells| [cells[error].clone(), cells[bound].clone()]).collect()
}

#[test]
fn references_whose_methods_disagree_are_warnings_or_strict_errors() {
    let fresh = EXPERIMENT.replace("  stored: references/pendulum.csv\n", "");
    let place = folder(&fresh.replace("step: 0.01 }\n  digits: 10", "step: 0.01 }\n  digits: 30"));
    let (code, said) = mbsbench(place.path(), &format!("run {FILE}"));
    assert!(
        code == 0 && said.contains("warning: stored/pendulum: reference: the two methods agree to only 1"),
        "{said}"
    );
    assert!(said.contains("digits (30 required)"), "{said}");
    let (code, said) = mbsbench(place.path(), &format!("run {FILE} --strict"));
    assert!(code == 2 && said.contains("1 warning; `--strict` treats warnings as errors"), "{said}");
}

#[test]
fn stored_and_fresh_references_give_equal_errors() {
    let stored = folder(EXPERIMENT);
    let (code, said) = mbsbench(stored.path(), "ledger reference stored/pendulum");
    assert_eq!(code, 0, "{said}");
    let text = fs::read_to_string(stored.path().join(STORED)).unwrap();
    assert!(text.starts_with("# mbsbench ledger reference stored/pendulum\n"), "{text}");

    // This also works beside an experiment that gathers its runs, which cannot be read before the reference exists.
    fs::write(stored.path().join("experiments/stored/gathered.yaml"), GATHERED).unwrap();
    fs::remove_file(stored.path().join(STORED)).unwrap();
    let (code, said) = mbsbench(stored.path(), "ledger reference stored/pendulum");
    assert_eq!((code, fs::read_to_string(stored.path().join(STORED)).unwrap()), (0, text.clone()), "{said}");

    let fresh = folder(&EXPERIMENT.replace("  stored: references/pendulum.csv\n", ""));
    let expected = errors(fresh.path());
    assert!(expected.iter().all(|cell| cell.parse::<f64>().is_ok_and(|error| error > 0.0)), "{expected:?}");
    assert_eq!(errors(stored.path()), expected);

    // Errors are measured against its numbers, even if runs are in the cache.
    let path = stored.path().join(STORED);
    let mut other = StoredReference::read(&path).unwrap();
    let row = other.trajectory.row(0.5).unwrap();
    other.trajectory.values[row][0] -= 1.0;
    other.write(&path, "mbsbench ledger reference stored/pendulum").unwrap();
    assert_ne!(errors(stored.path()), expected);

    let (code, _) = mbsbench(stored.path(), "ledger reference stored/pendulum");
    assert_eq!(
        (code, fs::read_to_string(stored.path().join(STORED)).unwrap()),
        (0, text),
        "the reference can be recomputed"
    );
}

#[test]
fn an_edited_reference_is_refused_with_a_remedy() {
    let folder = folder(EXPERIMENT);
    assert_eq!(mbsbench(folder.path(), "ledger reference stored/pendulum").0, 0);
    let path = folder.path().join(STORED);
    let good = fs::read_to_string(&path).unwrap();
    let sum = good.lines().find(|line| line.starts_with("# checksum: ")).unwrap();
    for (bad, said) in [
        (good.replacen("0.5,-0.", "0.5,-1.", 1), "does not match its checksum"),
        (good.replace(&format!("{sum}\n"), ""), "has no line `# checksum: …`"),
    ] {
        assert_ne!(bad, good);
        fs::write(&path, bad).unwrap();
        let (code, message) = mbsbench(folder.path(), &format!("check {FILE}"));
        assert_eq!(code, 2, "{message}");
        assert!(message.contains(said) && message.contains("mbsbench ledger reference stored/pendulum"), "{message}");
        assert!(message.contains(&format!("{FILE}:9:11: ")), "{message}");
    }
}

#[test]
fn a_reference_for_another_request_is_refused() {
    for (from, to, said) in [
        ("mass: 12.0, length: 0.7", "mass: 12.0, length: 0.8", "was computed for another model"),
        ("every: 0.25", "every: 0.2", "has no values at t = 0.2 s"),
    ] {
        let folder = folder(EXPERIMENT);
        assert_eq!(mbsbench(folder.path(), "ledger reference stored/pendulum").0, 0);
        fs::write(folder.path().join(FILE), EXPERIMENT.replace(from, to)).unwrap();
        let (code, message) = mbsbench(folder.path(), &format!("run {FILE}"));
        assert_eq!(code, 2, "{message}");
        assert!(message.contains(said) && message.contains("mbsbench ledger reference stored/pendulum"), "{message}");
        assert!(message.contains(&format!("{FILE}:9:11: ")), "{message}");
        assert!(!folder.path().join("results").exists());
    }
}

#[test]
fn references_with_too_few_digits_are_not_stored() {
    let folder = folder(&EXPERIMENT.replace("digits: 10", "digits: 30"));
    let (code, said) = mbsbench(folder.path(), "ledger reference stored/pendulum");
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("nothing was written"), "{said}");
    assert!(!folder.path().join(STORED).exists());
}

#[test]
fn experiments_without_a_stored_reference_are_named() {
    let folder = folder(EXPERIMENT);
    let (code, said) = mbsbench(folder.path(), "ledger reference stored/pendulun");
    assert_eq!(code, 2);
    assert!(said.contains("did you mean `stored/pendulum`?"), "{said}");
}

/// An experiment whose reference is a trajectory from a file.
const GIVEN: &str = "\
id: stored/pendulum
title: Pendulum against another code
model: { pendulum: { mass: 12.0, length: 0.7, angle: 35.0 } }
span: [0.0, 1.0]
method: [rk3, rk5]
step: 0.01
measures: [{ error: { of: theta, every: 0.25 } }]
reference: { file: references/other.csv, by: another code, bound: 1e-7 }
";

const OTHER: &str = "experiments/stored/references/other.csv";

/// The values of the stored reference in degrees, as another code could have written them.
fn degrees() -> String {
    let stored = folder(EXPERIMENT);
    assert_eq!(mbsbench(stored.path(), "ledger reference stored/pendulum").0, 0);
    let text = fs::read_to_string(stored.path().join(STORED)).unwrap();
    let rows = text.lines().filter(|line| line.starts_with(|first: char| first.is_ascii_digit()));
    let rows = rows.map(|line| {
        let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
        format!("{}, {:.12}\n", cells[0], cells[1].to_degrees())
    });
    format!("# another code\nt [s], theta [deg]\n{}", rows.collect::<String>())
}

fn with_other(experiment: &str, other: &str) -> tempfile::TempDir {
    let given = folder(experiment);
    fs::create_dir_all(given.path().join(OTHER).parent().unwrap()).unwrap();
    fs::write(given.path().join(OTHER), other).unwrap();
    given
}

#[test]
fn errors_against_a_given_trajectory_use_its_numbers() {
    let (other, solved) = (degrees(), folder(&EXPERIMENT.replace("  stored: references/pendulum.csv\n", "")));
    let given = with_other(GIVEN, &other);
    let numbers = |cells: Vec<String>| cells.iter().map(|cell| cell.parse().unwrap()).collect::<Vec<f64>>();
    let (found, expected) = (numbers(errors(given.path())), numbers(errors(solved.path())));
    for (found, expected) in found.chunks(2).zip(expected.chunks(2)) {
        assert!((found[0] - expected[0]).abs() < 1e-13, "{found:?} and {expected:?}");
        // the bound is in the unit of the model
        assert_eq!(found[1], 1e-7);
    }
    // Other numbers give other errors, even if runs are in the cache.
    fs::write(given.path().join(OTHER), other.replace("0.5, -", "0.5, -1")).unwrap();
    assert!(numbers(errors(given.path()))[0] > 1.0);
}

#[test]
fn mistakes_in_a_given_trajectory_are_located() {
    let other = degrees();
    let refused = |experiment: &str, other: &str, place: &str, said: &str| {
        let given = with_other(experiment, other);
        let (code, message) = mbsbench(given.path(), &format!("run {FILE}"));
        assert_eq!(code, 2, "{message}");
        assert!(message.contains(said) && message.contains(place), "{message}");
        assert!(!given.path().join("results").exists());
    };
    let csv = |line: usize, column: usize| format!("other.csv:{line}:{column}");
    refused(GIVEN, &other.replace("theta", "phi"), &csv(2, 8), "phi");
    refused(GIVEN, &other.replace("[deg]", ""), &csv(2, 8), "has no unit");
    refused(GIVEN, &other.replace("[deg]", "[m]"), &csv(2, 8), "`m` cannot be converted to `rad`");
    refused(GIVEN, &other.replace("0.5, ", "0.5, nan"), &csv(4, 6), "found `nan");
    refused(GIVEN, &other.replace("0.5, ", "0.2, "), &csv(4, 1), "does not come after 0.25 s");
    let at = format!("{FILE}:8:20");
    refused(&GIVEN.replace("every: 0.25", "every: 0.2"), &other, &at, "has no values at t = 0.2 s");
    refused(&GIVEN.replace("of: theta", "of: omega"), &other, &at, "has no `omega`");
    refused(&GIVEN.replace("other.csv", "none.csv"), &other, &at, "none.csv");
    refused(&GIVEN.replace("references/", "/references/"), &other, &at, "/references/other.csv");
}
