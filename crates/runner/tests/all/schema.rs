//! The JSON Schema accepts what the program accepts and rejects simple mistakes, so that an editor that uses it does
//! not mislead.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn schema(of: &str) -> Value {
    let out = Command::new(env!("CARGO_BIN_EXE_mbsbench")).args(["schema", of]).output().unwrap();
    assert!(out.status.success());
    serde_json::from_slice(&out.stdout).unwrap()
}

fn yaml(text: &str) -> Value {
    serde_yaml::from_str(text).unwrap()
}

#[test]
fn accepts_every_experiment_of_the_project() {
    let validator = jsonschema::validator_for(&schema("experiment")).unwrap();
    let mut files = 0;
    for paper in fs::read_dir(root().join("experiments")).unwrap() {
        for file in fs::read_dir(paper.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
            let is_other = ["claims", "anchors", "paper"].contains(&&*stem);
            if path.extension().is_none_or(|extension| extension != "yaml") || is_other {
                continue;
            }
            let document = yaml(&fs::read_to_string(&path).unwrap());
            let errors: Vec<String> =
                validator.iter_errors(&document).map(|error| format!("{}: {error}", error.instance_path)).collect();
            assert!(errors.is_empty(), "{}: {errors:#?}", path.display());
            files += 1;
        }
    }
    assert!(files >= 6);
}

#[test]
fn every_key_has_a_meaning_and_a_valid_example() {
    let schema = schema("experiment");
    let validator = jsonschema::validator_for(&schema).unwrap();
    for (key, value) in schema["properties"].as_object().unwrap() {
        assert!(value["description"].as_str().is_some_and(|about| about.ends_with('.')), "{key}");
        let examples = value["examples"].as_array().unwrap();
        assert_eq!(examples.len(), 1, "{key}");
        let mut file = serde_json::json!({ "id": "mine/example" });
        file[key] = examples[0].clone();
        let errors: Vec<String> = validator.iter_errors(&file).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{key}: {errors:#?}");
    }
}

#[test]
fn refuses_plain_mistakes() {
    let validator = jsonschema::validator_for(&schema("experiment")).unwrap();
    let good = "{ id: a/b, model: pendulum, method: rk5, step: 0.1, span: [0, 1], measures: [energy_variation] }";
    assert!(validator.is_valid(&yaml(good)));
    for (from, to) in [
        ("pendulum", "pendulun"),
        ("pendulum", "{ pendulum: { mas: 1 } }"),
        ("pendulum", "{ pendulum: { mass: -12 } }"),
        ("pendulum", "{ pendulum: { formulation: { sliding-mode: { sigma: -1 } } } }"),
        ("pendulum", "{ squeezer: { of: { length: 0, mass: 1, centre: [0, 0], inertia: 1 } } }"),
        ("rk5", "rk9"),
        ("rk5", "[]"),
        ("[0, 1]", "[0, 1, 2]"),
        ("energy_variation", "energy_variaton"),
        ("step", "stepp"),
        ("id: a/b, ", ""),
    ] {
        let bad = good.replacen(from, to, 1);
        assert!(!validator.is_valid(&yaml(&bad)), "{bad}");
    }
}

#[test]
fn accepts_the_ledgers_and_refuses_plain_mistakes_in_them() {
    let validator = jsonschema::validator_for(&schema("claims")).unwrap();
    for name in ["claims", "anchors"] {
        let path = root().join(format!("experiments/compere2001/{name}.yaml"));
        let text = fs::read_to_string(&path).unwrap();
        let document = yaml(&text);
        let errors: Vec<String> =
            validator.iter_errors(&document).map(|error| format!("{}: {error}", error.instance_path)).collect();
        assert!(errors.is_empty(), "{}: {errors:#?}", path.display());
        for (from, to) in [("  - id:", "  - ids:"), ("tolerance:", "tolerence:"), ("experiment:", "experiments:")] {
            assert!(!validator.is_valid(&yaml(&text.replacen(from, to, 1))), "{to}");
        }
    }
}

#[test]
fn accepts_citations_and_refuses_plain_mistakes() {
    let validator = jsonschema::validator_for(&schema("paper")).unwrap();
    let mut files = 0;
    for folder in fs::read_dir(root().join("experiments")).unwrap() {
        let path = folder.unwrap().path().join("paper.yaml");
        let Ok(text) = fs::read_to_string(&path) else { continue };
        assert!(validator.is_valid(&yaml(&text)), "{}", path.display());
        for (from, to) in
            [("schema: 1", "schema: 7"), ("title:", "titel:"), ("year: ", "year: x"), ("authors: [", "author: [")]
        {
            assert!(text.contains(from) && !validator.is_valid(&yaml(&text.replacen(from, to, 1))), "{to}");
        }
        files += 1;
    }
    assert!(files >= 5);
}
