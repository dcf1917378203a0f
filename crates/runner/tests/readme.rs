//! Compares the commands, outputs and names in the README, the guide and the page on the comparison with the program
//! and the files.
//!
//! | in a document | check |
//! |---|---|
//! | `console` | a shell runs every command, and its output is compared |
//! | derived tables and numbers | recomputed from the results and the registry, and compared |
//! | `sh`: `mbsbench …` | parsed by the program and run, possibly as in [`SHORTENED`] |
//! | `sh`: `cargo run … -- …` | the part after `--` likewise; packages, binaries and tests that are named exist |
//! | `sh`: `cargo install …` | there is a program in the folder; `.ci/long` installs it |
//! | `sh`: `make …` | expanded by `make -n`; not run |
//! | `sh`: `scripts/…` | executable, with a syntax that its shell accepts (`bash -n`); not run |
//! | `python` | run if the package is installed; else compiled, if there is Python |
//! | `sh`: `pip install …` | the package exists; `make python` installs it |
//! | `sh`: [`UNCHECKED`] | none: it needs the network, or a shell of the reader |
//! | commands within a sentence | as in `sh`, but no `mbsbench` command is run |
//! | links | their targets exist |
//!
//! Any other line is an error. Everything is run in a copy of the experiments, results and scripts, with an empty
//! cache. Another processor may change last digits, and numbers that roundoff dominates by a factor.
//! `UPDATE_README=1 cargo test --release -p mbsbench --test readme` updates outputs and derived parts.

mod chapter;
mod document;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use chapter::copy;
use document::{Part, parts, same};
use mbsbench::Registry;
use mbsbench::claims::BoundFrom;
use mbsbench::claims::Evidence;
use mbsbench::claims::record::GROUNDS;
use mbsbench::cli::Arguments;
use mbsbench::comparison::{Ranked, near, rank, words};
use mbsbench::input::Document;
use mbsbench::publication::{FILE, MainClaim, Publication};
use serde_json::Value;
use tempfile::TempDir;

/// Commands that take minutes, and shorter replacements that are run.
const SHORTENED: [(&str, &str); 4] = [
    ("mbsbench reproduce gil2013", "mbsbench reproduce gil2013 --quick"),
    ("mbsbench reproduce comparison", "mbsbench runs plan comparison"),
    ("mbsbench ledger reference zhang2022/shaft-convergence", "mbsbench runs plan zhang2022/shaft-convergence"),
    (
        "mbsbench reconstruct compere2001/rolling-spheres-motion",
        "mbsbench reconstruct compere2001/rolling-spheres-motion --samples 2",
    ),
];

/// Commands that cannot be run here.
const UNCHECKED: [&str; 4] = [
    "mbsbench reproduce zhang2022 --guest examples/methods/cash-karp.yaml",
    "mbsbench reproduce gil2013 --guest dopri5 --out mine",
    "mbsbench reproduce zhang2022 --guest \"{ bathe: { rho-inf: 0.3 } }\"",
    "git clone <this repository> mbsbench && cd mbsbench",
];

/// The documents, by their paths in the repository.
const DOCUMENTS: [&str; 3] = ["README.md", "docs/guide.md", "docs/comparison.md"];

/// A mistake of each kind that the README shows.
const MISTAKEN: &str = "\
id: mine/pendulum
model: { pendulum: { mass: -12.0 } }
span: [0.0, 5.0]
step: 0.02
method: { rk5: { advanced: higher } }
measures: [energy_variation]
";

const VERDICTS: [&str; 4] = ["reproduced", "partly", "not-reproduced", "open"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text_of(document: &str) -> String {
    fs::read_to_string(root().join(document)).unwrap()
}

/// All documents, one after the other.
fn all() -> String {
    DOCUMENTS.map(text_of).concat()
}

/// The lines of all blocks in one language.
fn blocks<'r>(text: &'r str, language: &str) -> Vec<Vec<&'r str>> {
    let block = |part| match part {
        Part::Block(found, lines) if found == language => Some(lines),
        _ => None,
    };
    parts(text).into_iter().filter_map(block).collect()
}

/// A copy of the parts of the repository that the commands of the documents need.
struct Scratch(TempDir);

impl Scratch {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["experiments", "results", "scripts", "examples/mechanisms", "examples/methods"] {
            copy(&root().join(name), &folder.path().join(name));
        }
        copy(&root().join("results/gil2013"), &folder.path().join("elsewhere/gil2013"));
        for lines in blocks(text, "yaml") {
            let name = lines[0].strip_prefix("# ").expect("an experiment begins with the name of its file");
            fs::write(folder.path().join(name), lines.join("\n")).unwrap();
        }
        fs::write(folder.path().join("mistaken.yaml"), MISTAKEN).unwrap();
        Self(folder)
    }

    fn shell(&self, line: &str) -> Output {
        document::shell(self.0.path(), line)
    }

    fn succeeds(&self, line: &str) {
        let output = self.shell(line);
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(output.status.success(), "`{line}` fails:\n{said}");
    }
}

/// Returns a document with updated outputs and derived parts.
fn renewed(document: &str, scratch: &Scratch) -> String {
    let mut text = String::new();
    for part in parts(document) {
        match part {
            Part::Text(line) => writeln!(text, "{line}").unwrap(),
            Part::Derived(name) => {
                writeln!(text, "<!-- derived: {name} -->\n{}<!-- /derived -->", derived(name)).unwrap();
            }
            Part::Block("console", lines) => {
                writeln!(text, "```console").unwrap();
                for command in lines.iter().filter_map(|line| line.strip_prefix("$ ")) {
                    writeln!(text, "$ {command}").unwrap();
                    let printed = document::printed(scratch.0.path(), command);
                    let is_error = printed.lines().any(|line| line.starts_with("error:"));
                    assert!(!is_error, "{document} is not to show an error: `{command}` prints\n{printed}");
                    printed.lines().for_each(|line| writeln!(text, "{line}").unwrap());
                }
                writeln!(text, "```").unwrap();
            }
            Part::Block(language, lines) => writeln!(text, "```{language}\n{}\n```", lines.join("\n")).unwrap(),
        }
    }
    text
}

#[test]
fn output_and_numbers_in_the_documents_are_real() {
    let scratch = Scratch::new(&all());
    assert!(all().matches("\n$ mbsbench ").count() >= 10);
    for document in DOCUMENTS {
        let text = text_of(document);
        let renewed = renewed(&text, &scratch);
        if std::env::var_os("UPDATE_README").is_some() {
            fs::write(root().join(document), renewed).unwrap();
            continue;
        }
        for (shown, real) in text.lines().zip(renewed.lines()) {
            let update = "run `UPDATE_README=1 cargo test --release -p mbsbench --test readme`";
            assert!(same(shown, real), "{document}:\n{shown}\n{real}\n{update}");
        }
        assert_eq!(text.lines().count(), renewed.lines().count(), "{document}");
    }
}

#[test]
fn the_readme_is_short() {
    let readme = text_of("README.md");
    assert!(readme.lines().count() <= 180 && readme.len() <= 9 * 1024, "{} bytes", readme.len());
}

/// The contents of a derived part.
fn derived(name: &str) -> String {
    match name {
        "counts" => counts(),
        "scorecard" => scorecard(),
        "bounds" => bounds(),
        "claims" => main_claims(),
        "cheapest" => cheapest(),
        other => panic!("nothing is known of `{other}`"),
    }
}

/// The papers, in the order of the report, without the sets of benchmark problems.
fn papers() -> Vec<String> {
    let listed = document::printed(&root(), "mbsbench list papers --format json");
    let listed: Vec<Value> = serde_json::from_str(&listed).unwrap();
    let papers = listed.iter().filter(|each| each["kind"] == "paper");
    papers.map(|paper| paper["id"].as_str().unwrap().to_owned()).collect()
}

/// The judged statements of a paper, or our findings.
fn statements(paper: &str, is_finding: bool) -> Vec<Value> {
    let text = fs::read_to_string(root().join("results").join(paper).join("claims.json")).unwrap();
    let all: Vec<Value> = serde_json::from_str(&text).unwrap();
    all.into_iter().filter(|statement| statement["finding"] == is_finding).collect()
}

fn checks(statements: &[Value]) -> Vec<&Value> {
    statements.iter().flat_map(|statement| statement["checks"].as_array().unwrap()).collect()
}

fn counts() -> String {
    let registry = Registry::builtin();
    let all = papers();
    let of = |is_finding| all.iter().flat_map(|paper| statements(paper, is_finding)).collect::<Vec<_>>();
    let (papers, ours) = (of(false), of(true));
    let (methods, models) = (registry.methods().len(), registry.models().len());
    format!(
        "So far: {} statements of {} papers, tested by {} checks, and {} findings of ours; \
         {methods} methods, {models} models.\n",
        papers.len(),
        all.len(),
        checks(&papers).len(),
        ours.len()
    )
}

/// For each paper, the number of statements with each outcome, by mark.
fn scorecard() -> String {
    let mut text = format!(
        "| paper | mark | {} |\n|---|---|{}\n",
        VERDICTS.join(" | ").replace("partly", "partly reproduced").replace("not-", "not "),
        "---|".repeat(VERDICTS.len())
    );
    for paper in papers() {
        let statements = statements(&paper, false);
        let mut name = format!("[`{paper}`](papers/{paper}.md)");
        for (ground, marks) in GROUNDS {
            let rests = |statement: &&Value| {
                marks
                    .iter()
                    .any(|mark| statement["rests_on"].as_str() == mark.map(mbsbench::experiment::Provenance::name))
            };
            let counts = VERDICTS.map(|verdict| {
                statements.iter().filter(rests).filter(|statement| statement["verdict"] == verdict).count()
            });
            if counts.iter().sum::<usize>() == 0 {
                continue;
            }
            let cells = counts.map(|count| if count == 0 { "–".to_owned() } else { count.to_string() }).join(" | ");
            writeln!(text, "| {name} | {ground} | {cells} |").unwrap();
            name.clear();
        }
        let known = statements.iter().all(|each| VERDICTS.iter().any(|verdict| each["verdict"] == *verdict));
        assert!(known, "{paper} has other verdicts");
    }
    text
}

fn publication(paper: &str) -> Publication {
    let file = root().join("experiments").join(paper).join(FILE);
    let document = Document::parse(&file, &fs::read(&file).unwrap()).unwrap();
    Publication::read(&document).unwrap()
}

/// For each paper, its main claims with the symbols of their outcomes.
fn main_claims() -> String {
    let mut text = "| paper | main claims |\n|---|---|\n".to_owned();
    for paper in papers() {
        let judged = statements(&paper, false);
        let of = |id: &String| {
            let is_it = |each: &&Value| each["id"] == id.as_str();
            let verdict = judged.iter().find(is_it).and_then(|each| each["verdict"].as_str());
            VERDICTS.into_iter().find(|one| Some(*one) == verdict).unwrap_or_else(|| panic!("{paper}: no {id}"))
        };
        let line = |claim: MainClaim| {
            let outcome = outcome_of(&claim.statements.iter().map(of).collect::<Vec<_>>());
            format!("{outcome} {}", claim.says)
        };
        let claims = publication(&paper).claims.into_iter().map(line).collect::<Vec<_>>().join("<br>");
        writeln!(text, "| [`{paper}`](docs/papers/{paper}.md) | {claims} |").unwrap();
    }
    text
}

/// The symbol for the outcome of a main claim with these outcomes of its statements; see `MainClaim::outcome`.
fn outcome_of(statements: &[&str]) -> &'static str {
    let decided: Vec<&str> = statements.iter().copied().filter(|&one| one != "open").collect();
    let is_all = |wanted: &str| decided.iter().all(|&one| one == wanted);
    match (decided.len() < statements.len(), is_all("reproduced"), is_all("not-reproduced")) {
        (true, true, _) => "?",
        (false, true, _) => "✓",
        (_, _, true) => "✗",
        _ => "≈",
    }
}

/// The origins of the bounds of all checks on the papers' statements, and the number of bounds that were set late.
fn bounds() -> String {
    let papers: Vec<Value> = papers().iter().flat_map(|paper| statements(paper, false)).collect();
    let bounded: Vec<&Value> = checks(&papers).into_iter().filter(|check| check["bound_from"].is_string()).collect();
    let count = |key: &str, value: &str| bounded.iter().filter(|check| check[key] == value).count();
    let parts: Vec<String> = BoundFrom::ALL
        .into_iter()
        .map(|from| format!("{} `{}`", count("bound_from", from.name()), from.name()))
        .collect();
    let text = format!(
        "The checks have {} bounds, {} of them set or changed after their result was known. They come from:\n{}.",
        bounded.len(),
        count("bound_set", "after"),
        parts.join(", ")
    );
    format!("{text}\n")
}

/// For each model, the methods whose cost does not differ significantly from the cheapest at each accuracy, by
/// right-hand sides and the first ranked error. They are computed from the committed runs, like the tables of the
/// report.
fn cheapest() -> String {
    let files = fs::read_dir(root().join("experiments/comparison")).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "yaml")).collect();
    files.sort();
    let plans = mbsbench::cli::load(&Registry::builtin(), &files, false).unwrap();
    let evidence = Evidence::read(&root().join("results"), &plans, |_| true).unwrap();
    let ranked: Vec<Ranked<'_>> = plans.iter().flat_map(|plan| rank(plan, &evidence, &[])).collect();
    // "Squeezer, positions": the model is named before the comma; only its first error is used.
    let model = |ranked: &Ranked<'_>| ranked.spec.title.split(',').next().unwrap().to_owned();
    let mut models: Vec<String> = Vec::new();
    let accuracies = [1e-3, 1e-6, 1e-9];
    let heads = accuracies.map(|accuracy| format!("{accuracy:e}")).join(" | ");
    let mut text = format!("| model | {heads} |\n|---|{}\n", "---|".repeat(accuracies.len()));
    for ranked in &ranked {
        if models.contains(&model(ranked)) {
            continue;
        }
        models.push(model(ranked));
        let work = ranked.spec.work.0.iter().position(|(head, _)| head == "right-hand sides").unwrap();
        let cell = |accuracy: &f64| {
            let level = ranked.spec.accuracies.iter().position(|own| own == accuracy);
            let places = level.map_or(&[][..], |level| near(&ranked.places[level][work]));
            let named = places.iter().map(|place| format!("{} {}", place.method, words::cost_of(&place.cost)));
            let named: Vec<String> = named.collect();
            if named.is_empty() { "–".to_owned() } else { named.join(", ") }
        };
        writeln!(text, "| {} | {} |", model(ranked), accuracies.iter().map(cell).collect::<Vec<_>>().join(" | "))
            .unwrap();
    }
    text
}

/// A line of an `sh` block without its comment.
fn without_comment(line: &str) -> &str {
    line.split(" #").next().unwrap_or_default().trim()
}

#[test]
fn commands_of_the_documents_are_valid() {
    let text = all();
    let scratch = Scratch::new(&text);
    let commands: Vec<&str> = blocks(&text, "sh").into_iter().flatten().map(without_comment).collect();
    for line in SHORTENED.iter().map(|(line, _)| line).chain(&UNCHECKED) {
        assert!(commands.contains(line), "no document has `{line}`");
    }
    for command in commands {
        if !UNCHECKED.contains(&command) {
            check(command, Some(&scratch));
        }
    }
    let sentences = parts(&text);
    for sentence in sentences.iter().filter_map(|part| if let Part::Text(line) = part { Some(line) } else { None }) {
        for command in sentence.split('`').skip(1).step_by(2).filter(|code| is_command(code)) {
            check(command, None);
        }
    }
}

/// True if code within a sentence is a complete command.
fn is_command(code: &str) -> bool {
    let tools = ["mbsbench ", "make ", "cargo ", "UPDATE_README=1 cargo "];
    tools.iter().any(|tool| code.starts_with(tool)) && !code.contains("COMMAND") && !code.ends_with(" reconstruct")
}

/// Checks a command as described at the top of this file. Without a scratch folder, no `mbsbench` command is run.
fn check(command: &str, scratch: Option<&Scratch>) {
    let words: Vec<&str> = command.split_whitespace().skip_while(|word| word.contains('=')).collect();
    match words[..] {
        ["mbsbench", ..] => check_mbsbench(command, scratch),
        ["make", target] => {
            let dry = Command::new("make").args(["-n", target]).current_dir(root()).output().unwrap();
            let expanded = !dry.stdout.is_empty() && dry.status.success();
            assert!(expanded, "`{command}`: {}", String::from_utf8_lossy(&dry.stderr));
        }
        ["cargo", "run" | "test", ref options @ ..] => check_cargo(command, options, scratch),
        ["cargo", "install", "--locked", "--path", folder] => {
            let manifest = fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap_or_default();
            assert!(manifest.contains("[[bin]]"), "`{command}`: {folder} has no program");
        }
        ["pip", "install", folder] => {
            assert!(root().join(folder).join("pyproject.toml").is_file(), "`{command}`: {folder} is not a package");
        }
        [script] if script.starts_with("scripts/") => check_script(&root().join(script)),
        _ => panic!("nothing is known of `{command}`"),
    }
}

fn check_mbsbench(command: &str, scratch: Option<&Scratch>) {
    let given = command.split(['|', '>']).next().unwrap_or_default();
    if let Err(wrong) = Arguments::read(given.split_whitespace()) {
        panic!("`{command}` is not understood:\n{wrong}");
    }
    if let Some(scratch) = scratch {
        let shortened = SHORTENED.iter().find(|(line, _)| *line == command).map(|(_, instead)| *instead);
        scratch.succeeds(shortened.unwrap_or(command));
    }
}

/// Checks that packages, binaries and tests exist; the words after `--` are arguments of `mbsbench`.
fn check_cargo(command: &str, options: &[&str], scratch: Option<&Scratch>) {
    let mut options = options.iter();
    while let Some(&option) = options.next() {
        let mut named = || *options.next().unwrap_or_else(|| panic!("`{command}`: {option} names nothing"));
        match option {
            "--release" => {}
            "-p" => {
                let name = named();
                let folder = root().join("crates").join(name.trim_start_matches("mbsbench-"));
                let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
                assert!(manifest.contains(&format!("name = \"{name}\"")), "`{command}`: there is no {name}");
            }
            "--bin" => assert_eq!(named(), "mbsbench", "`{command}`"),
            "--test" => {
                let file = format!("crates/runner/tests/{}.rs", named());
                assert!(root().join(&file).is_file(), "`{command}`: there is no {file}");
            }
            "--" => {
                let rest: Vec<&str> = options.by_ref().copied().collect();
                check_mbsbench(&format!("mbsbench {}", rest.join(" ")), scratch);
            }
            other => panic!("`{command}`: nothing is known of {other}"),
        }
    }
}

fn check_script(path: &Path) {
    let read = Command::new("bash").arg("-n").arg(path).output().unwrap();
    assert!(read.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&read.stderr));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(path).unwrap().permissions().mode();
        assert!(mode & 0o111 != 0, "{} may not be executed", path.display());
    }
}

#[test]
fn python_of_the_documents_works() {
    let text = all();
    let scratch = Scratch::new(&text);
    let blocks = blocks(&text, "python");
    assert!(!blocks.is_empty());
    let can = |line: &str| scratch.shell(line).status.success();
    for block in blocks {
        fs::write(scratch.0.path().join("shown.py"), block.join("\n")).unwrap();
        if can("python3 -c 'import mbsbench'") {
            scratch.succeeds("python3 shown.py");
        } else if can("python3 --version") {
            scratch.succeeds("python3 -m py_compile shown.py");
        }
    }
}

/// The fragments that links to the headings of a document use.
fn fragments(text: &str) -> Vec<String> {
    text.lines()
        .filter_map(|line| Some(line.strip_prefix("##")?.trim_start_matches('#').trim()))
        .map(|heading| heading.to_lowercase().replace(' ', "-").replace([',', '?', '\''], ""))
        .collect()
}

#[test]
fn links_of_the_documents_are_valid() {
    for document in DOCUMENTS {
        let text = text_of(document);
        let folder = root().join(document).parent().unwrap().to_owned();
        let links: Vec<&str> = text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
        assert!(links.len() > 10, "{document}");
        for link in links.into_iter().filter(|link| !link.starts_with("https://")) {
            let (path, fragment) = link.split_once('#').map_or((link, None), |(path, name)| (path, Some(name)));
            let target = if path.is_empty() { root().join(document) } else { folder.join(path) };
            assert!(target.exists(), "{document}: {link} is not there");
            if let Some(fragment) = fragment {
                let there = fragments(&fs::read_to_string(target).unwrap());
                assert!(there.iter().any(|known| known == fragment), "{document}: no heading {link}");
            }
        }
    }
}

#[test]
fn mistakes_in_commands_are_found() {
    let fails = |command: &'static str| std::panic::catch_unwind(|| check(command, None)).is_err();
    for wrong in [
        "make nothing",
        "mbsbench reproduces",
        "mbsbench verify gil2013 --short",
        "cargo run --release --bin mbsbench -- lists papers",
        "cargo test --release -p mbsbench --test nothing",
        "cargo install --locked --path crates/judge",
        "scripts/nothing.sh",
        "curl somewhere",
    ] {
        assert!(fails(wrong), "`{wrong}` passes");
    }
    assert!(!fails("make quick") && !fails("mbsbench verify gil2013 --brief"));
}
