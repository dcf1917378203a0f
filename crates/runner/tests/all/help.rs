//! Help pages are short, and their examples are accepted commands on existing items.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::ArgMatches;
use mbsbench::cli::Arguments;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn said(words: &[&str]) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_mbsbench"));
    let out = program.args(words).current_dir(root()).output().unwrap();
    assert!(out.status.success(), "{words:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

/// All commands with their full names, `["new", "paper"]`.
fn commands(command: &clap::Command, above: &[String]) -> Vec<(Vec<String>, clap::Command)> {
    let below = command.get_subcommands().filter(|below| below.get_name() != "help");
    below
        .flat_map(|below| {
            let path = [above, &[below.get_name().to_owned()]].concat();
            [vec![(path.clone(), below.clone())], commands(below, &path)].concat()
        })
        .collect()
}

fn page(path: &[String]) -> String {
    said(&path.iter().map(String::as_str).chain(["--help"]).collect::<Vec<_>>())
}

/// The examples of a help page, without their comments.
fn examples(page: &str) -> Vec<String> {
    let lines = page.lines().skip_while(|line| *line != "Examples:").skip(1);
    lines.map(|line| line.split(" #").next().unwrap_or_default().trim().to_owned()).collect()
}

fn all() -> Vec<(Vec<String>, clap::Command)> {
    commands(&Arguments::program(), &[])
}

#[test]
fn help_pages_are_short_and_say_what_each_option_accepts() {
    let front = said(&["--help"]);
    assert!(front.lines().count() <= 25, "{} lines:\n{front}", front.lines().count());
    let program = Arguments::program();
    let shown: Vec<&clap::Command> = program.get_subcommands().filter(|command| !command.is_hide_set()).collect();
    assert!(shown.len() <= 14, "{} commands", shown.len());
    for name in shown.into_iter().map(clap::Command::get_name) {
        assert!(front.lines().any(|line| line.starts_with(&format!("  {name} "))), "{name} is not listed\n{front}");
    }
    for code in ["0 ", "1 ", "2 ", "3 ", "130"] {
        assert!(front.lines().last().is_some_and(|line| line.contains(code)), "{front}");
    }
    for (path, command) in all() {
        let page = page(&path);
        assert!(page.lines().count() <= 60, "{path:?}:\n{page}");
        for value in command.get_arguments().filter(|argument| argument.get_action().takes_values()) {
            for accepted in value.get_possible_values() {
                assert!(page.contains(accepted.get_name()), "{path:?}: {} is not named\n{page}", accepted.get_name());
            }
        }
        // The word for a cache is the same everywhere, and an option has one line on a terminal.
        assert!(!page.to_lowercase().contains("store of"), "{path:?}:\n{page}");
        for line in page.lines().chain(front.lines()) {
            assert!(line.chars().count() <= 100, "{path:?}: {line}");
        }
    }
}

#[test]
fn help_examples_are_accepted_and_name_what_exists() {
    let mut known: BTreeSet<String> = BTreeSet::new();
    for kind in ["models", "methods", "measures", "experiments", "papers", "statements"] {
        let names: serde_json::Value = serde_json::from_str(&said(&["list", kind, "--format", "json"])).unwrap();
        let names = names.as_array().unwrap().iter();
        known.extend(names.map(|item| {
            let text = |key: &str| item.get(key).and_then(|value| value.as_str());
            let name = text("name").or(text("id")).unwrap();
            if kind == "statements" { format!("{}/{name}", text("paper").unwrap()) } else { name.to_owned() }
        }));
    }
    for (path, _) in all() {
        let lines = examples(&page(&path));
        assert!((1..=3).contains(&lines.len()), "{path:?}: {lines:?}");
        for line in lines {
            let words: Vec<&str> = line.split(" > ").next().unwrap_or_default().split_whitespace().collect();
            let wrong = |what: &str| panic!("`{line}`: {what}");
            if let Err(error) = Arguments::read(&words) {
                wrong(&error.to_string());
            }
            let matches = Arguments::program().try_get_matches_from(&words).unwrap();
            let (name, own) = matches.subcommand().unwrap();
            assert_eq!(name, path[0], "`{line}` is an example of another command");
            check(name, own, &known, &wrong);
        }
    }
}

/// Checks that the positional words of a command exist: files in the repository, or names in `list`.
fn check(command: &str, given: &ArgMatches, known: &BTreeSet<String>, wrong: &dyn Fn(&str)) {
    // These names denote new items, or items of a user.
    if ["new", "init", "diff", "schema"].contains(&command) {
        return;
    }
    if let Some((below, given)) = given.subcommand() {
        if below != "merge" {
            check(below, given, known, wrong);
        }
        return;
    }
    // Figures and tables are exported, which fails if there is none.
    let form = words(given, "to").pop().filter(|form| ["tex", "pgfplots", "csv"].contains(&form.as_str()));
    if let Some(form) = form {
        said(&["render", &words(given, "wanted")[0], "--to", &form]);
        return;
    }
    for id in ["files", "wanted", "paper", "statement", "id", "name", "what"] {
        for word in words(given, id) {
            let is_kind = id == "what" && ["models", "methods", "measures", "statements"].contains(&&*word);
            let is_path = word.contains('/') && root().join(&word).exists();
            if !is_kind && !is_path && !known.contains(&word) {
                wrong(&format!("there is no `{word}`"));
            }
        }
    }
}

fn words(given: &ArgMatches, id: &str) -> Vec<String> {
    let raw = given.try_get_raw(id).ok().flatten().into_iter().flatten();
    raw.map(|word| word.to_string_lossy().into_owned()).collect()
}
