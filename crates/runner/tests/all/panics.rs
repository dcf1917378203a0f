//! A panic of the program in one run, or not enough memory for it: all other runs complete, the result of this run is
//! not kept, and nothing is judged by it.

use std::fs;
use std::path::Path;

use mbsbench::Registry;
use mbsbench::cli::{self, Exit};
use mbsbench_problem::{Counted, Method, MethodDefinition, Observer, Parameters, Solution, Task};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tempfile::TempDir;

/// A method that accepts every problem and panics when it has to solve it.
#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
struct Mistaken {}

impl Parameters for Mistaken {}

impl MethodDefinition for Mistaken {
    const NAME: &'static str = "mistaken";
    const SUMMARY: &'static str = "a mistake of the program";
    const SOURCE: &'static str = "";
    const FAMILY: &'static str = "explicit-runge-kutta";

    fn method(&self) -> Box<dyn Method> {
        Box::new(self.clone())
    }
}

impl Method for Mistaken {
    fn order(&self) -> u32 {
        1
    }

    fn solve(&self, _: Counted<'_>, _: &Task<'_>, _: &mut dyn Observer) -> Solution {
        panic!("a mistake\nof two lines")
    }
}

/// A method that needs nearly all of the stack of a main thread, 8 MB.
#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
struct Deep {}

impl Parameters for Deep {}

impl MethodDefinition for Deep {
    const NAME: &'static str = "deep";
    const SUMMARY: &'static str = "a method that needs much stack";
    const SOURCE: &'static str = "";
    const FAMILY: &'static str = "explicit-runge-kutta";

    fn method(&self) -> Box<dyn Method> {
        Box::new(self.clone())
    }
}

impl Method for Deep {
    fn order(&self) -> u32 {
        1
    }

    fn solve(&self, _: Counted<'_>, _: &Task<'_>, _: &mut dyn Observer) -> Solution {
        fn descend(kilobytes: u32) -> u64 {
            let frame = std::hint::black_box([kilobytes; 256]);
            if kilobytes == 0 { 0 } else { descend(kilobytes - 1) + u64::from(frame[7]) }
        }
        panic!("the sum is {}", descend(7000))
    }
}

const SQUEEZER: &str = "\
id: broken/squeezer
model: squeezer
span: [0.0, 0.001]
known: { defaults: printed }
method: [mistaken, rk4]
step: 1e-4
measures: [rhs_evaluations, steps_accepted]
drawings: [{ id: states, views: [plane], at: [0.0, 0.0005], where: { method: mistaken } }]
";

const REFERENCE: &str = "\
id: broken/reference
model: pendulum
span: [0.0, 1.0]
known: { defaults: printed }
method: rk4
step: 0.1
measures: [{ error: { of: theta } }]
reference: { method: mistaken, step: 0.1, precision: double, check: { method: rk8, step: 0.1 } }
";

const CLAIMS: &str = "\
schema: 2
paper: broken
statements:
  - id: evaluations
    place: Table 1
    says: There are some evaluations.
    bound: { of: { experiment: squeezer, where: { method: mistaken }, column: rhs_evaluations }, above: 1 }
    why: only a test
    bound_from: ours
  - id: another
    place: Table 1
    says: There are some evaluations.
    bound: { of: { experiment: squeezer, where: { method: rk4 }, column: rhs_evaluations }, above: 1 }
    why: only a test
    bound_from: ours
  - id: fails
    place: Table 1
    says: It fails.
    failure: { experiment: squeezer, where: { method: mistaken } }
    why: only a test
    bound_from: ours
  - id: completes
    place: Table 1
    says: It reaches the end.
    failure: { experiment: squeezer, where: { method: mistaken }, completes: true }
    why: only a test
    bound_from: ours
";

/// A study with a method that panics and a method that does not.
const STUDY: &str = "\
id: broken/NAME
model: pendulum
span: [0.0, 0.1]
known: { defaults: printed }
method: METHOD
step: 0.05
measures: [rhs_evaluations]
undetermined: { model.mass: { range: [1.0, 100.0], why: not printed } }
";

const STUDIED: &str = "\
schema: 2
paper: broken
statements:
  - id: ID
    place: Table 1
    says: There are some evaluations.
    bound: { of: { experiment: ID, column: rhs_evaluations }, above: 1 }
    why: only a test
    bound_from: ours
";

/// Two methods, one of which stores six matrices of 2000 rows: 192 MB.
const BALLS: &str = "\
id: broken/squeezer
model: { bouncing-balls: { count: 1000 } }
span: [0.0, 0.001]
known: { defaults: printed }
method: [{ radau5: { label: mistaken } }, rk4]
step: 1e-4
measures: [rhs_evaluations]
";

struct Place(TempDir);

impl Place {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("experiments/broken")).unwrap();
        for (name, text) in files {
            fs::write(folder.path().join("experiments/broken").join(name), text).unwrap();
        }
        Self(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    /// The exit code of a command, its output and its messages.
    fn end(&self, arguments: &[&str]) -> (Exit, String, String) {
        let registry = Registry::builtin().method::<Mistaken>().method::<Deep>();
        let experiments = self.path("experiments");
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let all = [&["mbsbench", "--experiments", &experiments], arguments].concat();
        let exit = cli::run(&registry, all, &mut stdout, &mut stderr, false);
        let [stdout, stderr] = [stdout, stderr].map(|said| String::from_utf8(said).unwrap());
        (exit, stdout, stderr)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }
}

fn entries(folder: &Path) -> usize {
    let folders = fs::read_dir(folder).unwrap().map(|folder| folder.unwrap().path()).filter(|path| path.is_dir());
    folders.map(|folder| fs::read_dir(folder).unwrap().count()).sum()
}

#[test]
fn a_panic_is_the_failure_of_its_run_alone() {
    let place = Place::new(&[("squeezer.yaml", SQUEEZER), ("claims.yaml", CLAIMS)]);
    let cache = place.path("cache");
    let (exit, _, said) = place.end(&["reproduce", "broken", "--cache", &cache, "--jobs", "1"]);
    assert_eq!(exit, Exit::System, "{said}");
    assert!(said.contains("the program panicked in broken/squeezer method=mistaken; all other runs"), "{said}");
    let rows = place.read("results/broken/squeezer/runs.csv");
    let row = |method: &str| rows.lines().find(|row| row.starts_with(method)).unwrap();
    assert!(row("mistaken,").contains(",panicked,,,,"), "no number of it is believed: {rows}");
    assert!(
        row("mistaken,").contains(",panicked: a mistake of two lines (") && !row("mistaken,").contains("/crates/"),
        "{rows}"
    );
    assert!(
        row("rk4,").contains(",ok,") && row("rk4,").contains(",0.001,") && row("rk4,").ends_with(','),
        "nothing is said of what did not fail: {rows}"
    );
    assert_eq!(entries(Path::new(&cache)), 1, "it is not kept");

    let (exit, text, _) = place.end(&["verify", "broken"]);
    assert_eq!(exit, Exit::System, "{text}");
    assert!(text.contains("broken/squeezer: the program panicked in the run "), "{text}");
    let judged: Value = serde_json::from_str(&place.read("results/broken/claims.json")).unwrap();
    for id in ["evaluations", "fails", "completes"] {
        let claim = judged.as_array().unwrap().iter().find(|claim| claim["id"] == id).unwrap();
        assert_eq!(claim["verdict"], "open", "{claim}");
        assert!(claim["detail"].as_str().unwrap().contains("the program panicked in the run"), "{claim}");
    }
    assert_eq!(judged.as_array().unwrap().iter().filter(|claim| claim["verdict"] == "reproduced").count(), 1);

    // Without the mistake, only the missing run is made.
    let mended = SQUEEZER.replace("mistaken", "rk3");
    fs::write(place.path("experiments/broken/squeezer.yaml"), mended).unwrap();
    let (file, out) = (place.path("experiments/broken/squeezer.yaml"), place.path("out"));
    let (exit, text, _) = place.end(&["run", &file, "--out", &out, "--cache", &cache]);
    assert!(exit == Exit::Done && text.contains("2 runs, 1 from the cache\n"), "{text}");
}

#[test]
fn every_command_that_computes_runs_reports_panics() {
    let place = Place::new(&[("squeezer.yaml", SQUEEZER)]);
    let (file, out, cache) = (place.path("experiments/broken/squeezer.yaml"), place.path("out"), place.path("cache"));
    for arguments in
        [&["run", &file, "--out", &out][..], &["render", &file, "--out", &out], &["runs", "shard", "1/1", &file]]
    {
        let (exit, _, said) = place.end(&[arguments, &["--cache", &cache]].concat());
        assert_eq!(exit, Exit::System, "{arguments:?}: {said}");
        assert!(said.contains("the program panicked in broken/squeezer method=mistaken"), "{arguments:?}: {said}");
    }
}

#[test]
fn a_panic_in_a_reference_leaves_runs_without_reference() {
    let place = Place::new(&[("reference.yaml", REFERENCE)]);
    let (file, out, cache) = (place.path("experiments/broken/reference.yaml"), place.path("out"), place.path("cache"));
    let (exit, _, said) = place.end(&["run", &file, "--out", &out, "--cache", &cache]);
    assert_eq!(exit, Exit::System, "{said}");
    assert!(said.contains("reference: panicked: a mistake of two lines (") && said.contains("panics.rs:"), "{said}");
    assert!(place.read("out/broken/reference/runs.csv").contains(",1,,,"), "there is a row without an error");
}

#[test]
fn a_panic_in_a_study_leaves_other_studies() {
    let study = |name: &str, method: &str| STUDY.replace("NAME", name).replace("METHOD", method);
    let claims =
        [STUDIED.replace("ID", "bad"), STUDIED.replace("ID", "good").split_once("statements:\n").unwrap().1.to_owned()]
            .concat();
    let (bad, good) = (study("bad", "mistaken"), study("good", "rk4"));
    let place = Place::new(&[("bad.yaml", &bad), ("good.yaml", &good), ("claims.yaml", &claims)]);
    let files = ["bad.yaml", "good.yaml"].map(|name| place.path(&format!("experiments/broken/{name}")));
    let (out, cache) = (place.path("out"), place.path("cache"));
    let (exit, text, said) =
        place.end(&["reconstruct", &files[0], &files[1], "--samples", "4", "--out", &out, "--cache", &cache]);
    assert_eq!(exit, Exit::System, "{said}");
    assert!(said.contains("broken/bad: the run ") && said.contains("`panicked`: panicked: a mistake"), "{said}");
    assert!(said.contains("cannot reconstruct broken/bad: a run that it needs did not finish"), "{said}");
    assert!(text.contains("broken/good:\n  4 samples of the ranges"), "{text}");
    assert!(!Path::new(&out).join("broken/bad/reconstruction.csv").exists());
    assert!(Path::new(&out).join("broken/good/reconstruction.csv").exists());
}

#[test]
fn a_run_that_needs_too_much_memory_fails_alone() {
    let place = Place::new(&[("squeezer.yaml", BALLS), ("claims.yaml", CLAIMS)]);
    let cache = place.path("cache");
    let (exit, _, said) = place.end(&["reproduce", "broken", "--cache", &cache, "--memory", "100 MB"]);
    assert_eq!(exit, Exit::System, "{said}");
    assert!(said.contains("not enough memory for broken/squeezer method=mistaken; all other runs"), "{said}");
    let rows = place.read("results/broken/squeezer/runs.csv");
    let row = |method: &str| rows.lines().find(|row| row.starts_with(method)).unwrap();
    assert!(row("mistaken,").contains(",memory,,,") && row("rk4,").contains(",0.001,"), "{rows}");
    assert!(row("mistaken,").contains("of memory, more than is available; raise the limit with `--memory`"), "{rows}");
    assert_eq!(entries(Path::new(&cache)), 1, "it is not kept");
    let (exit, text, _) = place.end(&["verify", "broken"]);
    assert_eq!(exit, Exit::System, "{text}");
    assert!(text.contains("not enough memory for the run "), "{text}");
    let judged: Value = serde_json::from_str(&place.read("results/broken/claims.json")).unwrap();
    assert_eq!(judged.as_array().unwrap().iter().filter(|claim| claim["verdict"] == "open").count(), 3);

    let file = place.path("experiments/broken/squeezer.yaml");
    let (exit, text, _) = place.end(&["run", &file, "--out", &place.path("out"), "--cache", &cache, "--memory", "1GB"]);
    assert!(exit == Exit::Done && text.contains("2 runs, 1 from the cache\n"), "{text}");
}

#[test]
fn a_run_has_the_stack_of_a_main_thread() {
    let text = SQUEEZER.replace("mistaken", "deep");
    let place = Place::new(&[("squeezer.yaml", &text)]);
    let (file, cache, out) = (place.path("experiments/broken/squeezer.yaml"), place.path("cache"), place.path("out"));
    place.end(&["run", &file, "--out", &out, "--cache", &cache]);
    // The recursion reaches seven thousand kilobytes and ends by its own panic.
    let rows = place.read("out/broken/squeezer/runs.csv");
    assert!(rows.contains(",panicked,") && rows.contains("the sum is 24503500"), "{rows}");
}

/// Two experiments, one of which has only runs that fail.
const FAILING: &str = "\
id: broken/failing
model: pendulum
span: [0.0, 1.0]
known: { defaults: printed }
method: METHODS
step: 0.1
measures: [rhs_evaluations]
fails_when: [{ observable: theta, above: -10.0 }]
";

#[test]
fn the_exit_code_reports_that_no_run_reached_its_end() {
    let failing = FAILING.replace("METHODS", "[rk3, rk4]");
    let works = FAILING.replace("broken/failing", "broken/works").replace("METHODS", "[rk3]");
    let works = works.split_inclusive('\n').filter(|line| !line.starts_with("fails_when")).collect::<String>();
    let place = Place::new(&[("failing.yaml", &failing), ("works.yaml", &works)]);
    let [failing, works] = ["failing", "works"].map(|name| place.path(&format!("experiments/broken/{name}.yaml")));
    let (out, cache) = (place.path("out"), place.path("cache"));
    let run = |files: &[&str]| place.end(&[&["run"], files, &["--out", &out, "--cache", &cache]].concat());
    for files in [vec![failing.as_str()], vec![&works, &failing]] {
        let (exit, text, said) = run(&files);
        assert_eq!(exit, Exit::Differs, "{said}");
        assert!(text.contains("broken/failing: none of 2 runs reached its end: 2 rule"), "{text}");
        assert!(text.contains(" file"), "the results are written: {text}");
    }
    assert_eq!(run(&[&works]).0, Exit::Done);
}
