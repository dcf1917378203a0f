//! `mbsbench compare` with the file of a model. Only the structure of the answer is tested, because the methods that
//! are cut depend on times.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

const OSCILLATOR: &str = "states: { x: 1, v: 0 }\nrates: { x: v, v: -4*x - 0.1*v }\n";

const PENDULUM: &str = "\
gravity: [0, -9.81]
bodies: { rod: { mass: 1, shape: { rod: { length: 1 } }, markers: { pin: [-0.5, 0] } } }
joints: { pin: { revolute: { between: [ground, rod.pin], angle: 0.5 } } }
";

const FOUR_BAR: &str = "\
gravity: [0, -9.81]
ground: { right: [2, 0] }
bodies:
  crank: { mass: 1, shape: { rod: { length: 1 } }, markers: { a: [-0.5, 0], b: [0.5, 0] } }
  coupler: { mass: 1, shape: { rod: { length: 2 } }, markers: { b: [-1, 0], c: [1, 0] } }
  rocker: { mass: 1, shape: { rod: { length: 1.5 } }, markers: { c: [0.75, 0], d: [-0.75, 0] } }
joints:
  a: { revolute: { between: [ground, crank.a], angle: 1 } }
  b: { revolute: { between: [crank.b, coupler.b], angle: -0.8 } }
  d: { revolute: { between: [ground.right, rocker.d], angle: 1.5 } }
  c: { revolute: { between: [coupler.c, rocker.c] } }
";

/// Exit code, standard output and standard error of the program in a folder.
fn mbsbench(folder: &Path, arguments: &str) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_mbsbench"))
        .current_dir(folder)
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .args(arguments.split_whitespace())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Writes a file with this name and returns the answer for it.
fn answer(folder: &Path, name: &str, text: &str, options: &str) -> Value {
    fs::write(folder.join(name), text).unwrap();
    let (code, out, err) = mbsbench(folder, &format!("compare {name} {options} --format json"));
    assert_eq!(code, 0, "{err}");
    serde_json::from_str(&out).unwrap()
}

fn rows<'a>(answer: &'a Value, accuracy: f64, work: &str) -> Vec<&'a Value> {
    let is_meant = |row: &&Value| row["accuracy"] == accuracy && row["work"] == work;
    answer["rows"].as_array().unwrap().iter().filter(is_meant).collect()
}

#[test]
fn the_written_experiment_gives_the_same_ranking() {
    let folder = tempfile::tempdir().unwrap();
    let options = "--span 2 --budget 30 --accuracy 1e-2,1e-4 --out mine";
    let found = answer(folder.path(), "oscillator.yaml", OSCILLATOR, options);
    for accuracy in [1e-2, 1e-4] {
        for work in ["right-hand sides", "time (s)"] {
            let ratios: Vec<f64> =
                rows(&found, accuracy, work).iter().map(|row| row["ratio"].as_f64().unwrap()).collect();
            assert!(ratios[0] == 1.0 && ratios.is_sorted() && ratios.iter().all(|&ratio| ratio <= 2.0), "{ratios:?}");
        }
    }
    let reference = found["about"][1].as_str().unwrap();
    assert!(reference.starts_with("reference: ") && reference.ends_with("digits"), "{reference}");
    let (code, _, err) = mbsbench(folder.path(), "run mine/oscillator-methods.yaml");
    assert_eq!(code, 0, "{err}");
    let ranking = folder.path().join("results/compare/oscillator-methods/ranking.csv");
    let mut reader = csv::Reader::from_path(ranking).unwrap();
    let lines: Vec<Vec<String>> = reader.deserialize().collect::<Result<_, _>>().unwrap();
    for accuracy in [1e-2, 1e-4] {
        let again = lines.iter().filter(|line| line[2] == format!("{accuracy:e}") && line[5] == "right-hand sides");
        let again: Vec<(&str, f64)> = again.map(|line| (line[7].as_str(), line[9].parse().unwrap())).collect();
        let own = rows(&found, accuracy, "right-hand sides").into_iter();
        let own: Vec<_> = own.map(|row| (row["method"].as_str().unwrap(), row["cost"].as_f64().unwrap())).collect();
        assert_eq!(own, again, "accuracy {accuracy:e}");
    }
    let page = fs::read_to_string(folder.path().join("mine/oscillator-methods.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("id: compare/oscillator-methods"));
}

#[test]
fn trees_get_joint_coordinates_and_loops_absolute_ones() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text, formulation) in
        [("pendulum.yaml", PENDULUM, "in joint coordinates"), ("four-bar.yaml", FOUR_BAR, "in absolute coordinates")]
    {
        let options = "--span 0.5 --budget 20s --accuracy 1e-2 --html page.html";
        let found = answer(folder.path(), name, text, options);
        let about = found["about"][0].as_str().unwrap();
        assert!(about.ends_with(formulation), "{about}");
        assert!(!rows(&found, 1e-2, "right-hand sides").is_empty());
        let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
        assert!(page.contains("data:image/gif;base64,"), "the model in motion");
    }
}

#[test]
fn an_answer_without_a_reference_or_a_model_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("oscillator.yaml"), OSCILLATOR).unwrap();
    let (code, _, err) = mbsbench(folder.path(), "compare oscillator.yaml --span 1e6 --budget 0.01s");
    assert!(code == 2 && err.contains("no two methods agree") && err.contains("radau5 and mebdf: "), "{err}");
    assert!(!folder.path().join("oscillator-methods.yaml").exists());
    for (arguments, said) in [
        ("compare rk4 --html a.html", "`--html` does not apply to a ranking"),
        ("compare oscillator.yaml --budget 0", "not a number of seconds above 0"),
        ("compare oscillator.yaml --accuracy 1e-3,2", "not a number from 1e-10 to below 1"),
    ] {
        let (code, _, err) = mbsbench(folder.path(), arguments);
        assert!(code == 2 && err.contains(said), "{arguments}: {err}");
    }
}
