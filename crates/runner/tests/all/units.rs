//! Every number among the parameters of a model has a unit, and angles apparently given in degrees cause a warning.

use std::fs;
use std::process::{Command, Output};

use mbsbench::Registry;
use serde_json::Value;

/// Paths of numbers without a unit in a schema; each reference is followed once.
fn without_unit(root: &Value, schema: &Value, path: &str, seen: &mut Vec<String>, found: &mut Vec<String>) {
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let path = format!("{path}.{name}");
        if is_number(root, property) && property.get("unit").and_then(Value::as_str).is_none_or(str::is_empty) {
            found.push(path.clone());
        }
        without_unit(root, property, &path, seen, found);
    }
    for key in ["oneOf", "anyOf"] {
        for alternative in schema.get(key).and_then(Value::as_array).into_iter().flatten() {
            without_unit(root, alternative, path, seen, found);
        }
    }
    for inner in ["items", "additionalProperties"].iter().filter_map(|key| schema.get(key)) {
        without_unit(root, inner, path, seen, found);
    }
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str)
        && !seen.iter().any(|known| known == reference)
    {
        seen.push(reference.to_owned());
        let target = root.pointer(reference.trim_start_matches('#')).unwrap_or(&Value::Null);
        without_unit(root, target, path, seen, found);
    }
}

fn is_number(root: &Value, schema: &Value) -> bool {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return root.pointer(reference.trim_start_matches('#')).is_some_and(|target| is_number(root, target));
    }
    let named = |kind: &Value| kind == "number";
    let is_own =
        schema.get("type").is_some_and(|kind| named(kind) || kind.as_array().is_some_and(|k| k.iter().any(named)));
    is_own || schema.get("items").is_some_and(|items| is_number(root, items))
}

#[test]
fn every_number_of_a_model_has_a_unit() {
    let registry = Registry::builtin();
    let mut numbers = 0;
    for entry in registry.models() {
        let schema = entry.schema().to_value();
        let mut found = Vec::new();
        without_unit(&schema, &schema, entry.name, &mut Vec::new(), &mut found);
        assert!(found.is_empty(), "without a unit (`1` if they have none): {found:?}");
        numbers += schema.to_string().matches("\"unit\":").count();
    }
    assert!(numbers > 300, "{numbers}");
}

fn check(model: &str, options: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        "schema: 2\nid: mine/angle\n{model}\nmethod: rk4\nstep: 0.01\nspan: [0, 0.1]\nmeasures: [energy_variation]\n"
    );
    fs::write(folder.path().join("a.yaml"), text).unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_mbsbench"));
    program.args(["check", "a.yaml"]).args(options).current_dir(folder.path()).output().unwrap()
}

const BAR: &str = "model:
  mechanism:
    gravity: [0, -9.81]
    ground: { A: [0, 0] }
    bodies: { bar: { mass: 1, shape: { rod: { length: 1 } }, markers: { a: [-0.5, 0] } } }
    joints: { pin: { revolute: { between: [ground.A, bar.a], angle: ANGLE } } }";

#[test]
fn warns_about_degrees_in_place_of_radians() {
    let mechanism = BAR.replace("ANGLE", "34");
    for (model, place, path) in [
        (
            "model: { slider-crank: { crank-angle: -90 } }",
            "a.yaml:3:39",
            "`crank-angle` is -90 rad, which is -14.3 turns",
        ),
        (&*mechanism, "a.yaml:8:69", "`joints.pin.revolute.angle` is 34 rad, which is 5.4 turns"),
    ] {
        let out = check(model, &[]);
        let said = String::from_utf8(out.stderr).unwrap();
        assert_eq!(out.status.code(), Some(0), "{said}");
        assert!(said.contains(&format!("warning: {place}: {path}")) && said.contains("write radians: "), "{said}");
        assert_eq!(check(model, &["--strict"]).status.code(), Some(2));
    }
    let small = BAR.replace("ANGLE", "34*pi/180");
    for model in ["model: { pendulum: { angle: 80 } }", "model: { slider-crank: { crank-angle: 6 } }", &small] {
        let out = check(model, &["--strict"]);
        assert_eq!(out.status.code(), Some(0), "{model}: {}", String::from_utf8_lossy(&out.stderr));
    }
}

#[test]
fn units_behind_numbers_are_refused_with_a_way_to_write_them() {
    for (model, help) in [
        (BAR.replace("ANGLE", "34deg"), "`34deg` is in degrees; `34*pi/180` is the same in radians"),
        ("model: { slider-crank: { crank-angle: 34deg } }".to_owned(), "a number without a unit"),
    ] {
        let out = check(&model, &[]);
        let said = String::from_utf8(out.stderr).unwrap();
        assert!(out.status.code() == Some(2) && said.contains(help), "{said}");
    }
}
