//! The README shows what the program prints. Another processor may change last digits, and numbers that roundoff decides by
//! a factor. `UPDATE_README=1 cargo test --test readme` writes it anew.

mod chapter;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use chapter::copy;
use tempfile::TempDir;

/// A mistake of each kind that a reader of the README is shown.
const MISTAKEN: &str = "\
id: mine/pendulum
model: { pendulum: { mass: -12.0 } }
span: [0.0, 5.0]
step: 0.02
method: rk9
measures: [energy_variation]
";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder with the files that the examples name.
fn place(readme: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let (_, yaml) = readme.split_once("```yaml\n# my-pendulum.yaml\n").expect("the README shows an experiment");
    let (yaml, _) = yaml.split_once("```").unwrap();
    fs::write(folder.path().join("my-pendulum.yaml"), yaml).unwrap();
    fs::write(folder.path().join("mistaken.yaml"), MISTAKEN).unwrap();
    copy(&root().join("experiments"), &folder.path().join("experiments"));
    output(folder.path(), "reproduce compere2001");
    folder
}

/// What the program prints, lines without spaces at their ends.
fn output(folder: &Path, arguments: &str) -> String {
    let out = Command::new(env!("CARGO_BIN_EXE_mbsbench"))
        .current_dir(folder)
        .args(arguments.split_whitespace())
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let text = [out.stdout, out.stderr].concat();
    let text = String::from_utf8(text).unwrap();
    text.lines().map(|line| line.trim_end().to_owned() + "\n").collect::<String>().trim_matches('\n').to_owned()
}

/// The README with the output of every command in a `console` block put in.
fn renewed(readme: &str, folder: &Path) -> String {
    let mut text = String::new();
    let mut lines = readme.lines();
    while let Some(line) = lines.next() {
        writeln!(text, "{line}").unwrap();
        if line != "```console" {
            continue;
        }
        for line in lines.by_ref().take_while(|&line| line != "```") {
            if let Some(arguments) = line.strip_prefix("$ mbsbench ") {
                writeln!(text, "{line}\n{}", output(folder, arguments)).unwrap();
            }
        }
        writeln!(text, "```").unwrap();
    }
    text
}

#[test]
fn output_in_the_readme_is_real() {
    let path = root().join("README.md");
    let readme = fs::read_to_string(&path).unwrap();
    assert!(readme.matches("$ mbsbench ").count() >= 8);
    let renewed = renewed(&readme, place(&readme).path());
    if std::env::var_os("UPDATE_README").is_some() {
        fs::write(&path, renewed).unwrap();
        return;
    }
    for (shown, real) in readme.lines().zip(renewed.lines()) {
        assert!(same(shown, real), "{shown}\n{real}\nrun `UPDATE_README=1 cargo test --release --test readme`");
    }
    assert_eq!(readme.lines().count(), renewed.lines().count());
}

/// Whether two lines say the same: the same words, numbers within a factor of two.
fn same(shown: &str, real: &str) -> bool {
    let number = |word: &str| word.parse::<f64>().ok();
    let close = |(a, b): (&str, &str)| match (number(a), number(b)) {
        (Some(x), Some(y)) => x == y || (0.5..=2.0).contains(&(x / y)),
        _ => a == b,
    };
    shown.split_whitespace().count() == real.split_whitespace().count()
        && shown.split_whitespace().zip(real.split_whitespace()).all(close)
}
