//! `mbsbench migrate`: files of an older format in the present one, with all else as it was.

use std::fs;

use mbsbench::Registry;
use mbsbench::cli::Exit;

use crate::bad_input::with;

const OLD: &str = "\
# A comment that stays.
schema: 1
id: mine/oscillator
model: linear-oscillator
span: [0, 1]
matrix:
  method: [rk4, { lms2: { rho: 0.8 } }, { bathe: { \"rho\": 0.7, label: rho } }]   # two with an old word
  step: [0.1]
measures: [{ final: { of: position } }]
";

fn mbsbench(arguments: &[&str]) -> (Exit, String, String) {
    with(&Registry::builtin(), arguments)
}

fn keys(path: &str) -> Vec<String> {
    let (exit, plan, said) = mbsbench(&["plan", "--format", "json", path]);
    assert_eq!(exit, Exit::Done, "{said}");
    let key = |line: &str| serde_json::from_str::<serde_json::Value>(line).expect("JSON")["key"].to_string();
    plan.lines().map(key).collect()
}

#[test]
fn words_are_renamed_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("old.yaml");
    let path = file.to_str().expect("UTF-8");
    fs::write(&file, OLD).expect("written");
    let (exit, _, said) = mbsbench(&["check", path]);
    assert_eq!(exit, Exit::Done, "{said}");
    assert!(said.contains("7:27: `rho` of `lms2` is now called `rho-inf`"), "{said}");
    let before = keys(path);

    let (exit, out, said) = mbsbench(&["migrate", path]);
    assert_eq!(
        (exit, out.as_str()),
        (Exit::Done, format!("{path}: format 2, 2 parameters renamed\n").as_str()),
        "{said}"
    );
    let new = fs::read_to_string(&file).expect("there");
    let expected = OLD
        .replace("schema: 1", "schema: 2")
        .replace("{ rho: 0.8 }", "{ rho-inf: 0.8 }")
        .replace("\"rho\": 0.7", "\"rho-inf\": 0.7");
    assert_eq!(new, expected);
    assert_eq!((keys(path), before.len()), (before.clone(), 3));
    assert_eq!(mbsbench(&["check", "--strict", path]).0, Exit::Done);
    assert!(mbsbench(&["migrate", path]).1.contains("has the present format"));

    // An old word is none of the present format.
    fs::write(&file, OLD.replace("schema: 1", "schema: 2")).expect("written");
    let (exit, _, said) = mbsbench(&["check", path]);
    assert!(exit == Exit::BadInput && said.contains("`mbsbench migrate`"), "{said}");
}

#[test]
fn one_that_names_no_format_gets_one_and_a_bad_one_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let [old, bad] = ["old.yaml", "bad.yaml"].map(|name| folder.path().join(name));
    let [old_path, bad_path] = [&old, &bad].map(|path| path.to_str().expect("UTF-8"));
    let bare = OLD.replace("schema: 1\n", "");
    fs::write(&old, &bare).expect("written");
    fs::write(&bad, OLD.replace("rk4", "rk44")).expect("written");
    let (exit, _, said) = mbsbench(&["migrate", old_path, bad_path]);
    assert!(exit == Exit::BadInput && said.contains("`rk44`"), "{said}");
    assert_eq!(fs::read_to_string(&old).expect("there"), bare, "all are read before one is written");
    assert_eq!(mbsbench(&["migrate", old_path]).0, Exit::Done);
    let new = fs::read_to_string(&old).expect("there");
    assert!(new.starts_with("# A comment that stays.\nschema: 2\nid: mine/oscillator\n"), "{new}");
}
