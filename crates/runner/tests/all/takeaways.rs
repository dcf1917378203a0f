//! What is to be taken away of a paper stands only as long as its verdicts do.

use crate::chapter;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Exit code and output of `check`.
fn check(files: &[PathBuf]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mbsbench"));
    let output = command.arg("check").args(files).env("NO_COLOR", "1").output().unwrap();
    (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}

#[test]
fn all_texts_agree_with_the_verdicts_that_we_stand_by() {
    let folders = fs::read_dir(root().join("experiments")).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<PathBuf> = folders.map(|folder| folder.join("paper.yaml")).filter(|file| file.exists()).collect();
    assert!(files.len() >= 7);
    let (code, said) = check(&files);
    assert_eq!(code, Some(0), "{said}");
    for file in files {
        assert!(fs::read_to_string(&file).unwrap().contains("\nresult:"), "{} has no result", file.display());
    }
}

#[test]
fn a_stale_text_is_told_at_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let paper = folder.path().join("gil2013");
    chapter::copy(&root().join("experiments/gil2013"), &paper);
    let file = paper.join("paper.yaml");
    let text = fs::read_to_string(&file).unwrap();
    for (from, to, said) in [
        (
            "order/two: reproduced",
            "order/two: partly",
            "`order/two` is reproduced by now, and this text was written for partly",
        ),
        ("order/two: reproduced", "order/too: reproduced", "did you mean `order/two`?"),
        ("shows: eq35-local-error/figure-6", "shows: eq35-local-error/figure-7", "unknown figure or table"),
        ("figure-6/slope: reproduced }", "figure-6/slope: reproducible }", "accepted"),
    ] {
        assert!(text.contains(from), "{from}");
        fs::write(&file, text.replacen(from, to, 1)).unwrap();
        let (code, found) = check(std::slice::from_ref(&file));
        assert!(code == Some(2) && found.contains(said) && found.contains("paper.yaml:"), "{to}: {found}");
    }
    fs::write(&file, text).unwrap();
    assert_eq!(check(&[file]).0, Some(0));
}
