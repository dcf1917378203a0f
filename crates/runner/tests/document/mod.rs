//! Documents read by tests: their blocks, and the commands in them, which are executed by a shell.

use std::path::Path;
use std::process::{Command, Output};

/// A piece of a document.
pub enum Part<'d> {
    /// Lines outside of blocks and derived parts.
    Text(&'d str),
    /// A fenced block: its info string, which begins with the language, and its lines.
    Block(&'d str, Vec<&'d str>),
    /// The part between `<!-- derived: NAME -->` and `<!-- /derived -->`, by its name.
    Derived(&'d str),
}

/// Splits a document into parts.
pub fn parts(document: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        let derived = line.strip_prefix("<!-- derived: ").and_then(|rest| rest.strip_suffix(" -->"));
        parts.push(match (line.strip_prefix("```"), derived) {
            (Some(language), _) => Part::Block(language, lines.by_ref().take_while(|&line| line != "```").collect()),
            (_, Some(name)) => {
                assert!(lines.any(|line| line == "<!-- /derived -->"), "the end of `{name}`");
                Part::Derived(name)
            }
            _ => Part::Text(line),
        });
    }
    parts
}

/// Runs a line in a shell in which `mbsbench` is this build.
pub fn shell(folder: &Path, line: &str) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_mbsbench"));
    assert_eq!(program.file_stem().unwrap(), "mbsbench");
    let folders = [program.parent().unwrap().to_owned()];
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::env::join_paths(folders.into_iter().chain(std::env::split_paths(&paths))).unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).current_dir(folder).env("PATH", paths).env("NO_COLOR", "1");
    shell.output().unwrap()
}

/// The output of a line, without trailing spaces.
pub fn printed(folder: &Path, line: &str) -> String {
    let output = shell(folder, line);
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    text.lines().map(|line| line.trim_end().to_owned() + "\n").collect::<String>().trim_matches('\n').to_owned()
}

/// True if two lines have the same words, and numbers within a factor of two.
pub fn same(shown: &str, real: &str) -> bool {
    let number = |word: &str| word.parse::<f64>().ok();
    let close = |(a, b): (&str, &str)| match (number(a), number(b)) {
        (Some(x), Some(y)) => x == y || (0.5..=2.0).contains(&(x / y)),
        _ => a == b,
    };
    shown.split_whitespace().count() == real.split_whitespace().count()
        && shown.split_whitespace().zip(real.split_whitespace()).all(close)
}
