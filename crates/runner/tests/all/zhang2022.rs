//! zhang2022 compared with the authors' own program: histories of all 26 methods, at common ends of steps.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A quantity of a method at the times of a file, each as written there.
type History = HashMap<String, Vec<(String, f64)>>;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/zhang2022")
}

/// The histories in a file, by method.
fn history(name: &str) -> History {
    let path = folder().join("authors-code").join(name);
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_path(path).unwrap();
    let heads = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let methods = heads.iter().enumerate().skip(1).map(|(place, head)| (place, head.rsplit_once(" [").unwrap().0));
    let of = |place: usize| rows.iter().map(|row| (row[0].to_owned(), row[place].parse().unwrap())).collect();
    methods.map(|(place, method)| (method.to_owned(), of(place))).collect()
}

#[test]
fn the_squeezer_moves_as_in_the_authors_program() {
    let place = tempfile::tempdir().unwrap();
    let program = Command::new(env!("CARGO_BIN_EXE_mbsbench"))
        .args(["run", "--out", "results", "--cache", "store"])
        .arg(folder().join("squeezer-coarse.yaml"))
        .current_dir(place.path())
        .output()
        .unwrap();
    assert!(program.status.success(), "{}", String::from_utf8_lossy(&program.stderr));
    let text = fs::read_to_string(place.path().join("results/zhang2022/squeezer-coarse/runs.csv")).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let runs: Vec<HashMap<String, String>> = reader.deserialize().map(Result::unwrap).collect();
    let mut compared = 0;
    // Relative to the largest angular velocity, 1287 rad/s, and the energy at the start, 1.436 J, this is 4.6 and 5
    // digits. The authors' program uses other first steps for LMS3 and LMS4.
    for (figure, observable, most) in [("figure-9", "omega", 0.03), ("figure-10", "energy_balance", 1.4e-5)] {
        for case in ["rho-0", "rho-0.6", "higher-order"] {
            for (method, values) in history(&format!("{figure}-{case}.csv")) {
                let run = runs.iter().find(|run| run["case"] == case && run["method"] == method).unwrap();
                for (t, theirs) in values {
                    let ours: f64 = run[&format!("{observable}@{t}")].parse().unwrap();
                    assert!(
                        (ours - theirs).abs() < most,
                        "{observable} of {method}, {case}, at {t} s: {ours}, {theirs}"
                    );
                }
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 2 * 26);
}
