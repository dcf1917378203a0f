//! Pages of `docs/` executed by a program: files are written as shown, commands are run, and their output is compared.
//!
//! `UPDATE_DOCS=1 cargo test --release -p mbsbench --test walks` updates the output in the pages.

mod chapter;
mod document;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use chapter::copy;
use document::{Part, parts, printed, same};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Executes a page in a folder.
fn walk(page: &str, folder: &Path) {
    let page = root().join("docs").join(page);
    let shown = fs::read_to_string(&page).unwrap();
    let mut text = String::new();
    for part in parts(&shown) {
        match part {
            Part::Text(line) => writeln!(text, "{line}").unwrap(),
            Part::Derived(name) => panic!("nothing is known of `{name}`"),
            Part::Block("console", lines) => {
                writeln!(text, "```console").unwrap();
                for command in lines.iter().filter_map(|line| line.strip_prefix("$ ")) {
                    writeln!(text, "$ {command}").unwrap();
                    printed(folder, command).lines().for_each(|line| writeln!(text, "{line}").unwrap());
                }
                writeln!(text, "```").unwrap();
            }
            Part::Block(language, lines) => {
                let body = lines.join("\n") + "\n";
                if let Some((_, file)) = language.split_once(' ') {
                    let path = folder.join(file);
                    fs::create_dir_all(path.parent().unwrap()).unwrap();
                    fs::write(path, &body).unwrap();
                }
                writeln!(text, "```{language}\n{body}```").unwrap();
            }
        }
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(page, text).unwrap();
        return;
    }
    assert!(shown.matches("\n$ mbsbench ").count() >= 4);
    for (shown, real) in shown.lines().zip(text.lines()) {
        assert!(same(shown, real), "{shown}\n{real}\nthe comment above this test explains how to update the page");
    }
    assert_eq!(shown.lines().count(), text.lines().count());
}

#[test]
fn a_paper_is_reproduced_without_rust() {
    let folder = tempfile::tempdir().unwrap();
    walk("your-paper.md", folder.path());
    assert!(folder.path().join("results/report/mine2026.html").exists());
}

#[test]
fn methods_from_files_are_ranked_with_all_others() {
    let folder = tempfile::tempdir().unwrap();
    copy(&root().join("examples/methods"), &folder.path().join("examples/methods"));
    walk("methods.md", folder.path());
}
