//! The walk of `docs/your-paper.md`, gone by a program: files are written as shown, commands are given, and what they print is compared.
//!
//! `UPDATE_DOCS=1 cargo test --release -p mbsbench-runner --test your_paper` writes what they print anew.

mod document;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use document::{Part, parts, printed, same};

#[test]
fn a_paper_is_reproduced_without_rust_by_what_the_page_says() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/your-paper.md");
    let shown = fs::read_to_string(&page).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::new();
    for part in parts(&shown) {
        match part {
            Part::Text(line) => writeln!(text, "{line}").unwrap(),
            Part::Derived(name) => panic!("nothing is known of `{name}`"),
            Part::Block("console", lines) => {
                writeln!(text, "```console").unwrap();
                for command in lines.iter().filter_map(|line| line.strip_prefix("$ ")) {
                    writeln!(text, "$ {command}").unwrap();
                    printed(folder.path(), command).lines().for_each(|line| writeln!(text, "{line}").unwrap());
                }
                writeln!(text, "```").unwrap();
            }
            Part::Block(language, lines) => {
                let body = lines.join("\n") + "\n";
                if let Some((_, file)) = language.split_once(' ') {
                    let path = folder.path().join(file);
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
    assert!(shown.matches("\n$ mbsbench ").count() >= 8);
    for (shown, real) in shown.lines().zip(text.lines()) {
        assert!(same(shown, real), "{shown}\n{real}\nthe head of this test says how the page is renewed");
    }
    assert_eq!(shown.lines().count(), text.lines().count());
    assert!(folder.path().join("results/report/mine2026.html").exists());
}
