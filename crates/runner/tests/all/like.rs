//! `mbsbench like`: the nearest models, and what the committed runs say of methods on these.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn mbsbench(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mbsbench")).current_dir(root()).args(arguments).output().unwrap()
}

fn like(arguments: &[&str]) -> Value {
    let output = mbsbench(&[&["like"], arguments, &["--format", "json"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn nearest(answer: &Value) -> Vec<(&str, f64)> {
    let nearest = answer["nearest"].as_array().unwrap().iter();
    nearest.map(|near| (near["model"].as_str().unwrap(), near["distance"].as_f64().unwrap())).collect()
}

#[test]
fn a_model_of_the_comparison_is_nearest_to_itself() {
    let answer = like(&["squeezer"]);
    let near = nearest(&answer);
    assert_eq!((near[0], near.len()), (("Squeezer", 0.0), 3));
    assert!(near.is_sorted_by(|a, b| a.1 <= b.1), "{near:?}");
    // On that model alone methods have the ratios of `rank`.
    let alone = like(&["squeezer", "--nearest", "1", "--accuracy", "1e-3"]);
    let ranked = mbsbench(&["rank", "rk8", "comparison/squeezer", "--format", "json"]);
    let ranked: Value = serde_json::from_slice(&ranked.stdout).unwrap();
    let place = &ranked["rankings"][0]["places"][0];
    assert_eq!((place["work"].as_str(), place["accuracy"].as_f64()), (Some("right-hand sides"), Some(1e-3)));
    let methods = alone["methods"].as_array().unwrap();
    let found = methods.iter().position(|method| method["method"] == "rk8").unwrap();
    assert_eq!(methods[found]["ratios"][0], place["ratio"]);
    assert_eq!(
        (found + 1, methods.len()),
        (place["rank"].as_u64().unwrap() as usize, place["of"].as_u64().unwrap() as usize)
    );
    assert_eq!(methods[0]["mean_ratio"], 1.0);
}

#[test]
fn mechanisms_from_files_find_mechanisms() {
    let answer = like(&["examples/mechanisms/crane.yaml", "--span", "2"]);
    let near = nearest(&answer);
    // Both have two constraints in the plane.
    assert_eq!((near[0].0, near[1].0), ("Car axis", "Slider crank"), "{near:?}");
    assert_eq!((&answer["traits"]["states"], &answer["traits"]["constraints"]), (&12.into(), &2.into()));
    // Twice the span is twice as stiff, but for where the motion has come to by then.
    let longer = like(&["examples/mechanisms/crane.yaml", "--span", "4"]);
    let stiffness = |answer: &Value| answer["traits"]["stiffness"].as_f64().unwrap();
    assert!((stiffness(&longer) / stiffness(&answer) - 2.0).abs() < 0.5);
    let space = like(&["examples/mechanisms/bricard.yaml"]);
    assert_eq!(space["traits"]["is_spatial"], true);
    let experiment = like(&["experiments/comparison/slider-crank.yaml"]);
    assert_eq!(nearest(&experiment)[0], ("Slider crank", 0.0), "its first run");
    // With the paper's start it is another one.
    let started = like(&["experiments/negrut2007/slider-crank-order.yaml"]);
    assert!(nearest(&started).iter().all(|(_, distance)| *distance > 0.0), "{started}");
    assert_eq!(mbsbench(&["like", "slider-crenk"]).status.code(), Some(2));
}
