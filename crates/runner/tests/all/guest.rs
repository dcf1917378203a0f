//! `mbsbench reproduce --guest`: a method of the user in the tables and figures of papers.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A row of `runs.csv`.
type Row = HashMap<String, String>;

const CASH_KARP: &str = "examples/methods/cash-karp.yaml";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn reproduce(experiment: &str, guest: &str, options: &[&str], place: &TempDir) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mbsbench"))
        .current_dir(root())
        .args(["reproduce", experiment, "--guest", guest, "--show", "--cache"])
        .arg(place.path().join("cache"))
        .args(options)
        .output()
        .unwrap()
}

/// The standard output of a guest's experiment, and the folder of its results.
fn done(experiment: &str, guest: &str, options: &[&str]) -> (String, TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("out");
    let output = reproduce(experiment, guest, &[options, &["--out", out.to_str().unwrap()]].concat(), &place);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (String::from_utf8(output.stdout).unwrap(), place, out.join(experiment))
}

fn runs(folder: &Path) -> Vec<Row> {
    let mut reader = csv::Reader::from_path(folder.join("runs.csv")).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

#[test]
fn a_method_of_the_paper_has_the_same_results_as_a_guest() {
    for (experiment, guest, own) in [
        // Parameters that all methods of a case share, such as the tolerance of Newton's iteration, are the guest's.
        ("zhang2022/nonlinear-order", "esdirk436l2sa2", "ESDIRK4(3)6L[2]SA2"),
        ("zhang2022/linear-analysis", "bathe", "Bathe"),
        ("compere2001/pendulum-dae", "rk5", "rk5"),
    ] {
        let (_, _place, folder) = done(experiment, guest, &["--quick"]);
        let runs = runs(&folder);
        let label = format!("{guest} (guest)");
        let of = |label: &str| runs.iter().filter(|run| run["method"] == label).cloned().collect::<Vec<_>>();
        let mut compared = 0;
        for mut own in of(own) {
            own.insert("method".to_owned(), label.clone());
            assert!(of(&label).contains(&own), "{experiment}: {own:?}");
            compared += 1;
        }
        assert!(compared > 0, "{experiment}");
    }
}

#[test]
fn a_method_from_a_file_joins_tables_and_figures_in_bold() {
    let (out, _place, folder) = done("compere2001/pendulum-dae", CASH_KARP, &[]);
    let table = fs::read_to_string(folder.join("table-3.2.md")).unwrap();
    assert!(table.lines().any(|line| line.contains("rk8") && line.contains("cash-karp (guest)")), "{table}");
    assert!(out.contains("cash-karp (guest)") && out.contains("takes part in 1 of 1 experiment"), "{out}");
    let svg = fs::read_to_string(folder.join("energy-vs-step.svg")).unwrap();
    assert!(svg.contains("cash-karp (guest)"), "the legend names it");
    // The cells of the paper's methods are those without a guest.
    let own = fs::read_to_string(root().join("results/compere2001/pendulum-dae/runs.csv")).unwrap();
    let with = fs::read_to_string(folder.join("runs.csv")).unwrap();
    assert!(with.starts_with(&own) && with.len() > own.len());
}

#[test]
fn panels_of_one_method_and_of_cases_show_the_guest_too() {
    let (_, _place, folder) = done("compere2001/pendulum-motion", CASH_KARP, &[]);
    let legend = |figure: &str| fs::read_to_string(folder.join(figure)).unwrap();
    assert!(legend("figure-3.8.svg").contains("frozen-control, cash-karp (guest)"));
    let rows = ["algorithm-1", "cash-karp (guest)"];
    let (out, ..) = done("modin2005/ball-constant-steps", CASH_KARP, &[]);
    assert!(!out.contains(rows[0]) && out.contains(rows[1]), "{out}");
}

#[test]
fn the_summary_says_where_the_guest_does_not_take_part() {
    let (out, ..) = done("gil2013/linear-exactness", "hht-i3", &["--quick"]);
    let expected = "gil2013/linear-exactness: without the guest: cannot solve ";
    assert!(out.contains(expected) && out.contains("takes part in 0 of 1 experiment"), "{out}");
    // The cases with constant steps suit a method without error control, the others do not.
    let (out, _place, folder) = done("modin2005/ball-constant-steps", "{ rk4: { label: mine } }", &["--quick"]);
    assert!(out.contains("without the guest: it has no error control"), "{out}");
    assert!(runs(&folder).iter().any(|run| run["method"] == "mine (guest)" && run["case"] == "constant"));
}

#[test]
fn results_of_papers_and_unknown_methods_are_refused() {
    let place = tempfile::tempdir().unwrap();
    for (guest, out, said) in [
        (CASH_KARP, "results", "own results"),
        (CASH_KARP, "./results/../results/mine", "own results"),
        ("dopri6", "target/guest", "dopri5"),
        ("{ bathe: { rho: 0 } }", "target/guest", "--guest:1:"),
    ] {
        let output = reproduce("compere2001/pendulum-dae", guest, &["--out", out], &place);
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && err.contains(said), "{guest} {out}: {err}");
    }
}
