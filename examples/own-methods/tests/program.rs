//! The program, run on its experiment files.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

type Row = HashMap<String, String>;

/// Runs an experiment file of this crate with an empty cache and returns the rows of `runs.csv`.
fn runs(file: &str, id: &str) -> Vec<Row> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = Command::new(env!("CARGO_BIN_EXE_own-methods"))
        .current_dir(&folder)
        .args(["run", "--out", "results", "--cache", "store"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments").join(file))
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let path = folder.path().join("results").join(id).join("runs.csv");
    let rows = csv::Reader::from_path(path).expect("runs.csv is there").into_deserialize();
    rows.collect::<Result<_, _>>().expect("every row has its columns")
}

fn number(row: &Row, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|_| panic!("`{column}` is {:?}", row[column]))
}

#[test]
fn errors_have_the_orders_of_the_methods_and_the_energy_is_kept() {
    let rows = runs("bead-on-hoop.yaml", "own-methods/bead-on-hoop");
    assert!(rows.iter().all(|row| row["status"] == "ok"));
    for (method, order, energy) in [("rk3", 3.0, 2e-5), ("three-eighths", 4.0, 5e-9), ("rk5", 5.0, 1e-9)] {
        let rows: Vec<&Row> = rows.iter().filter(|row| row["method"] == method).collect();
        assert_eq!(rows.len(), 4, "{method}: one row a step");
        for pair in rows.windows(2) {
            let [coarse, fine] = [pair[0], pair[1]].map(|row| number(row, "error(phi)"));
            let ratio = number(pair[0], "step") / number(pair[1], "step");
            let measured = (coarse / fine).ln() / ratio.ln();
            // closer to the order than to any other whole number
            assert!((measured - order).abs() < 0.5, "{method}: {coarse:e} and {fine:e} give order {measured:.2}");
        }
        // The remaining variation at the finest step; the energy is −5.4 J.
        let left = number(rows[3], "energy_variation");
        assert!(left < energy, "{method}: the energy varies by {left:e} J");
    }
}

/// Measured in positions and velocities, on a mechanism with five constraints.
#[test]
fn methods_of_order_three_have_it_on_constrained_mechanics() {
    let rows = runs("slider-crank.yaml", "own-methods/slider-crank");
    assert!(rows.iter().all(|row| row["status"] == "ok"));
    for (name, order) in [("nstiff", 2.0), ("lms3", 2.0), ("bdf3", 3.0), ("half-explicit", 3.0)] {
        let rows: Vec<&Row> = rows.iter().filter(|row| row["method"].starts_with(name)).collect();
        for column in ["position_error", "velocity_error"] {
            let [coarse, fine] = [rows[2], rows[3]].map(|row| number(row, column));
            let measured = (coarse / fine).log2();
            assert!((measured - order).abs() < 0.35, "{name}, {column}: {coarse:e} and {fine:e} give {measured:.2}");
        }
    }
}

#[test]
fn both_rules_of_order_four_cost_the_same() {
    let rows = runs("pendulum.yaml", "own-methods/pendulum");
    let evaluations: Vec<f64> = rows.iter().map(|row| number(row, "rhs_evaluations")).collect();
    // four stages a step; 250 and 500 steps
    assert_eq!(evaluations, [1000.0, 2000.0, 1000.0, 2000.0]);
    // The two methods are different: their energy variations differ, by less than their own size.
    let energies: Vec<f64> = rows.iter().map(|row| number(row, "energy_variation")).collect();
    for (rk4, three_eighths) in [(energies[0], energies[2]), (energies[1], energies[3])] {
        assert!(rk4 != three_eighths && (rk4 / three_eighths - 1.0).abs() < 0.5, "{rk4:e}, {three_eighths:e}");
    }
}

#[test]
fn panels_are_drawn_and_their_data_lie_beside() {
    // `runs` fails if a file of a figure cannot be written.
    let rows = runs("panels.yaml", "own-methods/panels");
    assert_eq!(rows.len(), 12);
    assert!(rows.iter().all(|row| row["status"] == "ok"));
}
