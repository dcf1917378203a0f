//! The pages of the report as files: valid links, unique names, nothing loaded, limited sizes.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use walkdir::WalkDir;

/// Largest size of a page, bytes.
const LARGEST_PAGE: u64 = 2_000_000;
/// Largest size of the page of a method, bytes.
const LARGEST_METHOD: usize = 120_000;
/// Largest size of all committed results, bytes.
const LARGEST_RESULTS: u64 = 16_000_000;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A copy of the committed results with their report.
pub(super) fn results() -> &'static Path {
    static RESULTS: OnceLock<PathBuf> = OnceLock::new();
    RESULTS.get_or_init(|| {
        let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join("results");
        let _ = fs::remove_dir_all(&copy);
        let committed = root().join("results");
        for file in files(&committed) {
            let to = copy.join(file.strip_prefix(&committed).unwrap());
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(file, to).unwrap();
        }
        let mut program = Command::new(env!("CARGO_BIN_EXE_mbsbench"));
        let output =
            program.args(["render", "--to", "html", "--results"]).arg(&copy).current_dir(root()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        copy
    })
}

/// All files in a folder of results except those of the report.
fn files(results: &Path) -> impl Iterator<Item = PathBuf> {
    let report = results.join("report");
    let paths = WalkDir::new(results).into_iter().map(|entry| entry.unwrap().into_path());
    paths.filter(move |path| path.is_file() && !path.starts_with(&report))
}

/// The pages of the report by name.
fn pages() -> HashMap<String, String> {
    let entries = fs::read_dir(results().join("report")).unwrap().map(|entry| entry.unwrap().path());
    let pages = entries.filter(|path| path.extension().is_some_and(|end| end == "html"));
    let read =
        |path: PathBuf| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read_to_string(&path).unwrap());
    pages.map(read).collect()
}

/// The values of an attribute.
fn values<'t>(page: &'t str, attribute: &str) -> Vec<&'t str> {
    let pieces = page.split(&format!(" {attribute}=\"")).skip(1).collect::<Vec<_>>();
    pieces.into_iter().map(|rest| rest.split('"').next().unwrap()).collect()
}

#[test]
fn links_are_valid_and_names_unique() {
    let pages = pages();
    assert!(pages.len() > 10);
    let names: HashMap<&str, HashSet<&str>> = pages
        .iter()
        .map(|(name, text)| {
            let all = values(text, "id");
            let names: HashSet<&str> = all.iter().copied().collect();
            let twice: Vec<_> =
                names.iter().filter(|name| all.iter().filter(|other| other == name).count() > 1).collect();
            assert!(twice.is_empty(), "{name}: more than once there are {twice:?}");
            (name.as_str(), names)
        })
        .collect();
    let mut links = 0;
    for (name, text) in &pages {
        for link in values(text, "href").into_iter().filter(|link| !link.starts_with("https://")) {
            links += 1;
            let (file, target) = link.split_once('#').unwrap_or((link, ""));
            let file = if file.is_empty() { name } else { file };
            match names.get(file) {
                Some(names) => assert!(target.is_empty() || names.contains(target), "{name}: nothing is at {link}"),
                None => assert!(results().join("report").join(file).exists(), "{name}: there is no {link}"),
            }
        }
    }
    assert!(links > 1000, "{links}");
}

#[test]
fn pages_are_self_contained_and_small() {
    for (name, text) in pages() {
        assert!((text.len() as u64) < LARGEST_PAGE, "{name} has {} bytes", text.len());
        let markup = text.split("<script>").next().unwrap();
        // Animations are files beside the pages, which are loaded when they become visible.
        for frame in markup.split("<iframe ").skip(1) {
            let file = frame.strip_prefix("src=\"../").and_then(|rest| rest.split_once("\"")).map(|(file, _)| file);
            let file = file.unwrap_or_else(|| panic!("{name}: a frame begins with {}", &frame[..60]));
            assert!(file.ends_with(".svg") && results().join(file).exists(), "{name} shows {file}");
            assert!(frame.split('>').next().unwrap().contains(" loading=\"lazy\""), "{name} loads {file} at once");
        }
        let markup = markup.replace("<iframe src=\"../", "<");
        for part in [" src=", " style=", "<link", "<iframe", "<img", "@import", "url(", " onclick=", " onload="] {
            assert!(!markup.contains(part), "{name} has `{part}`");
        }
        let script = text.rsplit("<script>").next().unwrap();
        assert!(!script.contains("fetch(") && !script.contains("XMLHttpRequest"), "{name} fetches");
        assert_eq!(text.matches("<script>").count(), 1, "{name}: all scripts are one file");
    }
}

/// Rankings, figures and the search lead to the pages of methods.
#[test]
fn methods_have_small_pages_with_links() {
    let pages = pages();
    let methods: Vec<_> = pages.iter().filter(|(name, _)| name.starts_with("method-")).collect();
    assert!(methods.len() > 40, "{}", methods.len());
    for (name, text) in methods {
        assert!(text.len() < LARGEST_METHOD && text.contains("<section id=\"ranks\">"), "{name}: {}", text.len());
        assert!(pages["index.html"].contains(&format!("href=\"{name}\"")), "{name}");
    }
    for (name, method) in [("comparison", "hht-i3"), ("comparison-pendulum", "dop853"), ("negrut2007", "hht-i3")] {
        assert!(pages[&format!("{name}.html")].contains(&format!("href=\"method-{method}.html\"")), "{name}");
    }
}

#[test]
fn the_front_page_begins_with_a_decided_claim() {
    let front = &pages()["index.html"];
    let (_, example) = front.split_once("<ol class=\"way\"").unwrap();
    let (example, _) = example.split_once("</ol>").unwrap();
    assert!(example.contains("\"badge reproduced\"") || example.contains("\"badge not-reproduced\""), "{example}");
}

#[test]
fn all_results_together_are_small() {
    let bytes: u64 = files(&root().join("results")).map(|path| fs::metadata(path).unwrap().len()).sum();
    assert!(bytes < LARGEST_RESULTS, "{bytes} bytes");
}

/// Our findings compare our own numbers, and no page calls these published.
#[test]
fn no_page_calls_our_numbers_published() {
    let mut findings = 0;
    for (name, text) in pages() {
        let Some((_, section)) = text.split_once("<section id=\"findings\">") else { continue };
        let (section, _) = section.split_once("</section>").unwrap();
        findings += section.matches("class=\"required\"").count();
        assert!(!section.contains("class=\"required\">published"), "{name}");
    }
    assert!(findings > 20, "{findings} numbers of findings");
}

/// Legends have at most eight entries; further curves have their names at their ends.
#[test]
fn no_figure_has_a_long_legend() {
    use mbsbench::render::{Axis, Figure, Kind, Panel, Series, Style, lay_out};
    let of = |count: usize| {
        let series = (0..count)
            .map(|k| Series::new(Kind::Both, format!("m{k}"), Style::of_index(k), [[0.0, k as f64], [1.0, 2.0]]));
        let panel = Panel {
            x: Axis::linear("t", "s"),
            y: Axis::linear("x", "m"),
            series: series.collect(),
            ..Panel::default()
        };
        lay_out(&Figure { id: "f".into(), title: "f".into(), columns: 1, panels: vec![panel] })
    };
    let is_below = |count: usize| {
        let drawing = of(count);
        drawing.legends[0].top > drawing.frames[0].bottom
    };
    assert!(is_below(8) && !is_below(9) && !is_below(30));
}
