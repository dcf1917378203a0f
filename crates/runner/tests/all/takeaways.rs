//! The texts of `paper.yaml` are valid only as long as their verdicts and numbers are.

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
        ("in 17 % and", "in 18 % and", "`18` has no source"),
        ("in 17 % and", "in many and", "the text does not have the number `17`"),
        ("share: figure-2/energy-ode45", "share: figure-2/energy-ode54", "did you mean `figure-2/energy-ode45`?"),
        ("share: figure-2/energy-ode45", "measured: time/ode45", "is a time, which another machine does not have"),
    ] {
        assert!(text.contains(from), "{from}");
        fs::write(&file, text.replacen(from, to, 1)).unwrap();
        let (code, found) = check(std::slice::from_ref(&file));
        assert!(code == Some(2) && found.contains(said) && found.contains("paper.yaml:"), "{to}: {found}");
    }
    fs::write(&file, text).unwrap();
    assert_eq!(check(&[file]).0, Some(0));
}

/// Exit code and output of `verify` on a copy of the results of a paper, which is changed before.
fn verify(paper: &str, experiments: &Path, change: impl Fn(&Path)) -> (Option<i32>, String) {
    let results = tempfile::tempdir().unwrap();
    chapter::copy(&root().join("results").join(paper), &results.path().join(paper));
    change(results.path());
    let mut command = Command::new(env!("CARGO_BIN_EXE_mbsbench"));
    command.args(["verify", paper, "--results"]).arg(results.path()).arg("--experiments").arg(experiments);
    let output = command.env("NO_COLOR", "1").output().unwrap();
    (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}

#[test]
fn numbers_of_texts_are_those_of_the_results() {
    let experiments = root().join("experiments");
    for paper in ["compere2001", "modin2005", "negrut2007", "gil2013", "zhang2022"] {
        let (code, said) = verify(paper, &experiments, |_| ());
        assert!(matches!(code, Some(0 | 1)) && !said.contains("paper.yaml: "), "{said}");
    }

    // A number that the results do not bear out is named, and is not as expected.
    let folder = tempfile::tempdir().unwrap();
    let paper = folder.path().join("modin2005");
    chapter::copy(&experiments.join("modin2005"), &paper);
    let file = paper.join("paper.yaml");
    let text = fs::read_to_string(&file).unwrap();
    let (code, said) = verify("modin2005", folder.path(), |_| ());
    assert_eq!(code, Some(0), "{said}");
    fs::write(&file, text.replace("so in 6 % and", "so in 7 % and").replace("\"6\":", "\"7\":")).unwrap();
    let (code, said) = verify("modin2005", folder.path(), |_| ());
    let stale = "the text has 7 for the share of samples in which `savings/twice` holds, and it is 6.25";
    assert!(code == Some(1) && said.contains(&format!("modin2005/paper.yaml: {stale}")), "{said}");

    // Without CVODE, which not every machine has, nothing can be said of the numbers that rest on it.
    let (_, said) = verify("modin2005", &experiments, without_cvode);
    assert!(said.contains("savings/fast") && !said.contains("paper.yaml: "), "{said}");
}

/// Makes the runs of CVODE unavailable.
fn without_cvode(results: &Path) {
    let file = results.join("modin2005/bearing/runs.csv");
    let mut reader = csv::Reader::from_path(&file).unwrap();
    let heads = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let mut writer = csv::Writer::from_path(&file).unwrap();
    writer.write_record(&heads).unwrap();
    for row in rows {
        let cell = |(head, text): (&str, &str)| match head {
            "status" if row[0].starts_with("CV") => "unavailable".to_owned(),
            "t_reached" if row[0].starts_with("CV") => "0".to_owned(),
            "case" | "method" | "tolerance" | "run" => text.to_owned(),
            _ if row[0].starts_with("CV") => String::new(),
            _ => text.to_owned(),
        };
        writer.write_record(heads.iter().zip(&row).map(cell)).unwrap();
    }
    writer.flush().unwrap();
    // Nothing says any more that the file was another one.
    fs::remove_file(results.join("modin2005/bearing/manifest.json")).unwrap();
}
