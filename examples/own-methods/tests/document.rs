//! Checks the code of this crate, the changes to the workspace, and the commands with their output that
//! `docs/extending.md` shows, against the files and the program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(path: impl AsRef<Path>) -> String {
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.as_ref().display()))
}

/// The fenced blocks of the document in one language.
fn blocks(language: &str) -> Vec<String> {
    let document = text(root().join("docs/extending.md"));
    let mut found = Vec::new();
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        if let Some(fence) = line.strip_prefix("```") {
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            if fence == language {
                found.push(block.join("\n"));
            }
        }
    }
    assert!(!found.is_empty(), "the document shows {language}");
    found
}

fn is_in_one_of(language: &str, files: &[&str]) {
    let sources: Vec<String> = files.iter().map(|file| text(root().join("examples/own-methods").join(file))).collect();
    for block in blocks(language) {
        assert!(sources.iter().any(|source| source.contains(&block)), "in none of {files:?}:\n{block}");
    }
}

#[test]
fn code_is_that_of_this_crate() {
    is_in_one_of(
        "rust",
        &["src/main.rs", "src/three_eighths.rs", "src/bdf3.rs", "src/half_explicit.rs", "src/bead_on_hoop.rs"],
    );
    is_in_one_of("toml", &["Cargo.toml"]);
    let experiments = ["pendulum", "bead-on-hoop", "panels"];
    let experiments = experiments.iter().map(|name| format!("experiments/{name}.yaml"));
    let files: Vec<String> = experiments.chain(["src/three-eighths.yaml".to_owned()]).collect();
    is_in_one_of("yaml", &files.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn changes_fit_the_files_that_they_change() {
    for block in blocks("diff") {
        let mut lines = block.lines();
        let first = lines.next().expect("a block has lines");
        if first == "--- /dev/null" {
            let path = lines.next().and_then(|line| line.strip_prefix("+++ ")).expect("the new file is named");
            assert!(!root().join(path).exists(), "{path} already exists");
            continue;
        }
        let path = first.strip_prefix("+++ ").expect("the changed file is named");
        let file = text(root().join(path));
        let mut rest = file.lines();
        let mut new = Vec::new();
        for line in lines {
            match line.split_at(1) {
                (" " | "-", line) => {
                    assert!(rest.any(|there| fits(line, there)), "{path} has no such line after the last one:\n{line}");
                }
                ("+", line) => new.push(line),
                _ => panic!("neither context nor a change: {line}"),
            }
        }
        assert!(!new.is_empty() && !file.contains(&new.join("\n")), "{path} has this already:\n{new:?}");
    }
}

/// True if a line of the file is the one shown, in which `…` matches any text.
fn fits(shown: &str, there: &str) -> bool {
    match shown.split_once('…') {
        None => shown == there,
        Some((start, end)) => there.strip_prefix(start).is_some_and(|rest| rest.ends_with(end)),
    }
}

/// Commands with the output that the document shows for each.
fn commands(block: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, Vec<&str>)> = Vec::new();
    for line in block.lines() {
        match (line.strip_prefix("$ "), found.last_mut()) {
            (Some(command), _) => found.push((command.to_owned(), Vec::new())),
            (None, Some((_, output))) => output.push(line),
            (None, None) => panic!("output before any command: {line}"),
        }
    }
    found.into_iter().map(|(command, output)| (command, output.join("\n"))).collect()
}

/// True if two outputs are the same except for the width of columns and the last digits of numbers, which depend on the
/// processor.
fn agree(shown: &str, printed: &str) -> bool {
    let words = |line: &str| -> Vec<String> {
        line.split([' ', ',']).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let same = |shown: &String, printed: &String| match (shown.parse::<f64>(), printed.parse::<f64>()) {
        _ if shown == printed => true,
        // 1e-3: four digits in a table, the last of them rounded differently; counts are exact
        (Ok(a), Ok(b)) => a.fract() != 0.0 && (a - b).abs() <= 1e-3 * b.abs(),
        _ => false,
    };
    shown.lines().count() == printed.lines().count()
        && shown.lines().zip(printed.lines()).all(|(shown, printed)| {
            let (shown, printed) = (words(shown), words(printed));
            shown.len() == printed.len() && shown.iter().zip(&printed).all(|(shown, printed)| same(shown, printed))
        })
}

#[test]
fn commands_print_what_is_shown() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let inner = folder.path().join("examples/own-methods");
    fs::create_dir_all(inner.join("experiments")).expect("folders can be made");
    for file in ["pendulum.yaml", "bead-on-hoop.yaml"] {
        let file = Path::new("experiments").join(file);
        fs::copy(root().join("examples/own-methods").join(&file), inner.join(&file)).expect("files can be copied");
    }
    fs::create_dir_all(folder.path().join("experiments/comparison")).expect("folders can be made");
    for file in ["experiments/comparison/linear-analysis.yaml", "experiments/comparison/rolling-spheres.yaml"] {
        fs::copy(root().join(file), folder.path().join(file)).expect("files can be copied");
    }
    let mut run = 0;
    for (command, shown) in blocks("console").iter().flat_map(|block| commands(block)) {
        // These `cargo` commands would compile the workspace with the changes made.
        if command.starts_with("cargo ") {
            continue;
        }
        let (script, place) = if let Some(arguments) = command.strip_prefix("own-methods ") {
            (format!("\"$PROGRAM\" {arguments}"), inner.as_path())
        } else if let Some(arguments) = command.strip_prefix("mbsbench ") {
            (format!("\"$PROGRAM\" {arguments}"), folder.path())
        } else {
            (command.clone(), folder.path())
        };
        let output = Command::new("sh")
            .args(["-c", &format!("({script}) 2>&1")])
            .env("PROGRAM", env!("CARGO_BIN_EXE_own-methods"))
            .env("NO_COLOR", "1")
            .current_dir(place)
            .output()
            .expect("there is a shell");
        let printed = String::from_utf8(output.stdout).expect("the program prints text");
        let printed: Vec<&str> = printed.lines().map(str::trim_end).collect();
        let printed = printed.join("\n");
        assert!(agree(&shown, printed.trim_end()), "{command}\nis shown with\n{shown}\nand prints\n{printed}");
        run += 1;
    }
    assert!(run >= 8, "the document runs {run} commands");
}

#[test]
fn comparisons_see_differences() {
    assert!(agree("rk4,0.02,ok,1.08953e-5,1000", "rk4,0.02,ok,1.08954e-5,1000"));
    assert!(!agree("rk4,0.02,ok,1.0895e-5,1000", "rk4,0.02,ok,1.1895e-5,1000"));
    assert!(!agree("rk4,0.02,ok,1.0895e-5,1000", "rk4,0.02,ok,1.0895e-5,1001"));
    assert!(!agree("12 runs", "12 runs more"));
    assert!(!agree("rk4", "rk5"));
    assert!(!agree("rk4\nrk5", "rk4 rk5"));
    assert!(agree("rk4  four stages", "rk4     four stages"));
    assert!(fits("a {…};", "a {b, c};") && fits("a…", "a") && !fits("a {…};", "a {b, c}") && !fits("a", "a b"));
}
