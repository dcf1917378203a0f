//! The main claims of `paper.yaml` name statements of the ledger, and their outcomes follow from those of the
//! statements.

use crate::chapter;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Exit code and output of `check`.
fn check(files: &[PathBuf]) -> (Option<i32>, String) {
    said_by(Command::new(env!("CARGO_BIN_EXE_mbsbench")).arg("check").args(files))
}

/// Exit code and output of a command.
fn said_by(command: &mut Command) -> (Option<i32>, String) {
    let output = command.env("NO_COLOR", "1").output().unwrap();
    (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}

#[test]
fn every_paper_has_main_claims_of_its_ledger() {
    let folders = fs::read_dir(root().join("experiments")).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<PathBuf> = folders.map(|folder| folder.join("paper.yaml")).filter(|file| file.exists()).collect();
    assert!(files.len() >= 7);
    let (code, said) = check(&files);
    assert_eq!(code, Some(0), "{said}");
    for file in files {
        assert!(fs::read_to_string(&file).unwrap().contains("\nclaims:"), "{} has no main claims", file.display());
    }
}

#[test]
fn a_main_claim_without_statement_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let paper = folder.path().join("gil2013");
    chapter::copy(&root().join("experiments/gil2013"), &paper);
    let file = paper.join("paper.yaml");
    let text = fs::read_to_string(&file).unwrap();
    let start = text.split("\nclaims:").next().unwrap();
    let claim = |says: &str, statements: &str| format!("  - {{ says: {says}, statements: [{statements}] }}\n");
    let good = claim("It is exact.", "linear/exact");
    for (claims, said) in [
        (format!("{good}{good}{}", claim("It is of order two.", "order/too")), "did you mean `order/two`?"),
        (format!("{good}{good}{}", claim("It is of order two.", "")), "no statement"),
        (format!("{good}{good}{}", claim("' '", "order/two")), "the text is empty"),
        (good.repeat(7), "7 main claims"),
        (format!("{good}{good}{good}errata: [{{ place: '', says: A sign. }}]\n"), "the text is empty"),
    ] {
        fs::write(&file, format!("{start}\nclaims:\n{claims}")).unwrap();
        let (code, found) = check(std::slice::from_ref(&file));
        assert!(code == Some(2) && found.contains(said) && found.contains("paper.yaml:"), "{claims}: {found}");
        for words in [["verify", "gil2013"].as_slice(), &["explain", "linear/exact"], &["reproduce", "gil2013"]] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_mbsbench"));
            let (code, found) =
                said_by(command.args(words).arg("--experiments").arg(folder.path()).current_dir(folder.path()));
            assert!(code == Some(2) && found.contains(said) && found.contains("paper.yaml:"), "{words:?}: {found}");
        }
    }
}

#[test]
fn the_letter_asks_the_most_decisive_questions_first() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mbsbench"));
    let output = command.args(["explain", "modin2005", "--open"]).current_dir(root()).output().unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.starts_with("Dear K. Modin, D. Fritzson, C. Führer, G. Söderlind,\nwe reran"), "{said}");
    let settled: Vec<usize> =
        said.lines().filter_map(|line| line.split_once(" would settle ")?.1.split(' ').next()?.parse().ok()).collect();
    assert!(!settled.is_empty() && settled.is_sorted_by(|a, b| a >= b), "{said}");
}
