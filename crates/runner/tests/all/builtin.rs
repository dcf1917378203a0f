//! The program in a folder without the repository: built-in experiments, and `mbsbench init`.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// A working folder, and a folder for caches.
struct Place {
    here: TempDir,
    cache: TempDir,
}

impl Place {
    fn new() -> Self {
        let [here, cache] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        Self { here, cache }
    }

    /// Exit code, standard output and standard error.
    fn mbsbench(&self, arguments: &str) -> (i32, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_mbsbench"))
            .current_dir(self.here.path())
            .env("XDG_CACHE_HOME", self.cache.path())
            .args(arguments.split_whitespace())
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    /// Standard output and standard error of a command that succeeds.
    fn done(&self, arguments: &str) -> (String, String) {
        let (code, out, err) = self.mbsbench(arguments);
        assert_eq!(code, 0, "{arguments}: {err}");
        (out, err)
    }

    fn has(&self, path: &str) -> bool {
        self.here.path().join(path).exists()
    }
}

#[test]
fn an_empty_folder_is_enough_to_reproduce_a_paper() {
    let place = Place::new();
    let (out, err) = place.done("reproduce gil2013 --quick");
    assert!(out.contains("target/quick/gil2013"), "{out}");
    let said: Vec<&str> = err.lines().filter(|line| line.contains("built-in")).collect();
    assert!(matches!(said[..], [line] if line.contains(place.cache.path().to_str().unwrap())), "{err}");

    // Verdicts on single experiments depend on studies, which are copied with them.
    place.done("reproduce gil2013/linear-exactness");
    assert!(place.has("results/gil2013/linear-exactness/runs.csv"));
    assert!(place.has("results/gil2013/linear-exactness/reconstruction.csv"));
    assert!(!place.has("experiments"));
}

#[test]
fn an_empty_folder_is_enough_to_ask_about_results() {
    let place = Place::new();
    for (arguments, answer, about) in [
        ("explain gil2013/linear/exact", "outcome     reproduced", "gil2013"),
        ("verify gil2013", " statements with", "gil2013"),
        ("render gil2013/figure-6 --to csv", "series,x,y", "gil2013/eq35-local-error"),
        ("render gil2013/linear/exact --to tex", "\\cite{gil2013}", "gil2013"),
        ("compare dop853 comparison/car-axis", "dop853 by right-hand sides", "comparison/car-axis"),
        ("compare pendulum", "by right-hand sides", "comparison/pendulum"),
    ] {
        let (out, err) = place.done(arguments);
        assert!(out.contains(answer), "{arguments}: {out}");
        assert_eq!(err, format!("no results of {about} here: using the built-in results\n"), "{arguments}");
    }
    assert!(place.has("results/gil2013/claims.json") && !place.has("results/comparison"));

    // Figures are not built in, so pages cannot be written.
    let (code, _, err) = place.mbsbench("render --to html");
    assert!(code == 2 && err.contains("mbsbench reproduce gil2013"), "{code}: {err}");
}

#[test]
fn own_results_take_precedence_over_built_in_ones() {
    let place = Place::new();
    place.done("reproduce gil2013/linear-exactness");
    let (out, err) = place.done("explain gil2013/linear/exact");
    assert!(out.contains("reproduced") && err.contains("here: using the built-in results"), "{out}{err}");
    assert!(!err.contains("linear-exactness"), "{err}");
    let runs = place.here.path().join("results/gil2013/linear-exactness/runs.csv");
    fs::write(&runs, fs::read_to_string(&runs).unwrap() + "\n").unwrap();
    let (code, _, err) = place.mbsbench("explain gil2013/linear/exact");
    assert!(code == 1 && err.contains("was changed after it was written"), "{code}: {err}");
}

#[test]
fn a_sample_of_built_in_runs_can_be_recomputed() {
    let (out, _) = Place::new().done("verify gil2013 --brief --recompute 2% --seed 7");
    assert!(out.contains("runs recomputed with --seed 7"), "{out}");
}

const MINE: &str = "\
id: mine2026/energy
known: { defaults: printed }
model: pendulum
span: [0.0, 1.0]
method: [rk3, rk5]
step: [0.1, 0.05]
measures: [energy_variation]
";

/// A place with a paper of the user.
fn with_a_paper() -> Place {
    let place = Place::new();
    place.done("new paper mine2026");
    fs::write(place.here.path().join("experiments/mine2026/energy.yaml"), MINE).unwrap();
    place.done("new statement mine2026/falls --experiment energy");
    place
}

#[test]
fn built_in_papers_coexist_with_those_of_the_user() {
    let place = with_a_paper();
    let (out, err) = place.done("list experiments");
    let line = |id: &str| out.lines().find(|line| line.starts_with(id)).unwrap_or_else(|| panic!("{id}: {out}"));
    assert!(line("gil2013/linear-exactness").ends_with("(built in)") && !line("mine2026/energy").contains("built in"));
    assert_eq!(err, "");
    let (out, _) = place.done("list papers");
    assert!(out.lines().any(|line| line.starts_with("mine2026")) && out.contains("(built in)"), "{out}");

    // Without names, the user's own papers are selected.
    let (code, out, err) = place.mbsbench("reproduce");
    assert!(out.contains("mine2026: 1 statement") && !out.contains("gil2013"), "{code} {out}{err}");
    assert!(err.contains("no paper was named: using those in `experiments`"), "{err}");
    let report = fs::read_to_string(place.here.path().join("results/report/index.html")).unwrap();
    assert!(report.contains("mine2026") && !report.contains("zhang2022.html"));
    let (_, out, _) = place.mbsbench("verify");
    assert!(out.contains("mine2026: 1 statement") && !out.contains("gil2013"), "{out}");

    for (arguments, answer) in [
        ("explain gil2013/linear/exact", "outcome     reproduced"),
        ("explain linear/exact", "gil2013/linear/exact"),
        ("explain gil2013", " gil2013/linear/exact"),
        ("list statements gil2013", "gil2013/linear/exact"),
        (
            "check experiments/mine2026",
            "experiments/mine2026/claims.yaml: 1 statement and 0 findings of ours with 1 check",
        ),
        ("compare dop853 comparison/car-axis", "dop853 by right-hand sides"),
        ("compare pendulum", "by right-hand sides"),
        ("verify gil2013 --brief", " statements with"),
        ("runs plan gil2013/linear-exactness", "20 runs"),
        ("reproduce gil2013/linear-exactness", "results/gil2013/linear-exactness"),
    ] {
        let (out, err) = place.done(arguments);
        assert!(out.contains(answer), "{arguments}: {out}{err}");
    }
    let (out, err) = place.done("explain mine2026/falls");
    assert!(out.starts_with("mine2026/falls") && err.is_empty(), "{out}{err}");

    let (code, _, err) = place.mbsbench("compare dop853 mine2026");
    assert!(code == 2 && err.contains("unknown experiment with rankings `mine2026`"), "{err}");
    for arguments in ["ledger lock gil2013", "ledger reference zhang2022/shaft-convergence"] {
        let (code, _, err) = place.mbsbench(arguments);
        assert!(code == 2 && err.contains("the built-in experiments cannot be changed"), "{arguments}: {err}");
    }
}

#[test]
fn a_users_paper_replaces_the_built_in_one() {
    let place = Place::new();
    let (_, err) = place.done("new experiment gil2013/energy");
    assert!(err.contains("replaces the built-in paper `gil2013`"), "{err}");
    let (out, _) = place.done("list experiments");
    let of = |paper: &str| out.lines().filter(|line| line.starts_with(paper)).count();
    assert!(of("gil2013/") == 1 && of("zhang2022/") > 1, "{out}");
    let (code, _, err) = place.mbsbench("explain gil2013/linear/exact");
    assert_eq!(code, 2, "its built-in statements and results are not those of this one: {err}");
}

#[test]
fn a_folder_without_papers_is_ignored() {
    let place = Place::new();
    fs::create_dir(place.here.path().join("experiments")).unwrap();
    fs::write(place.here.path().join("experiments/notes.txt"), "to do").unwrap();
    let (out, err) = place.done("runs plan gil2013/linear-exactness");
    assert!(out.contains("20 runs") && err.contains("using the built-in experiments"), "{out}{err}");
    // A folder replaces a built-in paper only if it contains a paper.
    fs::create_dir(place.here.path().join("experiments/gil2013")).unwrap();
    fs::write(place.here.path().join("experiments/gil2013/notes.txt"), "to do").unwrap();
    let (out, err) = place.done("runs plan gil2013/linear-exactness");
    assert!(out.contains("20 runs") && err.contains("using the built-in experiments"), "{out}{err}");
}

#[test]
fn a_new_paper_is_shown_the_next_step() {
    let place = Place::new();
    place.done("new paper mine2026");
    for arguments in ["reproduce", "verify"] {
        let (code, _, err) = place.mbsbench(arguments);
        assert!(code == 2 && err.contains("mbsbench new experiment mine2026/NAME"), "{arguments}: {err}");
    }
    assert_eq!(fs::read_dir(place.cache.path()).unwrap().count(), 0, "nothing is unpacked unless needed");
}

#[test]
fn built_in_experiments_are_used_only_if_needed() {
    let place = Place::new();
    fs::write(
        place.here.path().join("mine.yaml"),
        "id: mine/p\ntitle: p\nmodel: pendulum\nmethod: rk3\nstep: 0.1\nspan: [0, 1]\n",
    )
    .unwrap();
    for arguments in ["run mine.yaml", "runs plan mine.yaml", "check mine.yaml", "list methods", "new paper mine2026"] {
        let (_, err) = place.done(arguments);
        assert!(!err.contains("built-in"), "{arguments}: {err}");
    }
    assert_eq!(fs::read_dir(place.cache.path()).unwrap().count(), 0);
}

#[test]
fn built_in_experiments_are_not_changed() {
    let place = Place::new();
    for arguments in ["ledger lock gil2013", "ledger reference zhang2022/shaft-convergence"] {
        let (code, _, err) = place.mbsbench(arguments);
        assert_eq!(code, 2, "{arguments}: {err}");
        assert!(err.contains("mbsbench init"), "{err}");
    }
    let (code, _, err) = place.mbsbench("list papers --experiments experiments");
    assert_eq!(code, 2, "a folder that is named has to be there: {err}");
}

#[test]
fn copied_experiments_are_valid_and_never_overwritten() {
    let place = Place::new();
    let (out, _) = place.done("init .");
    assert!(out.contains("next: mbsbench"), "{out}");
    let check = "check --strict experiments/gil2013/claims.yaml experiments/comparison/bicycle.yaml";
    let (out, err) = place.done(check);
    assert!(out.contains(" statements and ") && out.contains(" runs\n") && err.is_empty(), "{out}{err}");
    let mut own = Command::new(env!("CARGO_BIN_EXE_mbsbench"));
    let own = own.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).args(check.split(' ')).output().unwrap();
    assert_eq!(out, String::from_utf8_lossy(&own.stdout), "as the files of the repository");
    let (out, _) = place.done("init .");
    assert!(out.contains("all files already exist"), "{out}");

    let paper = Path::new("experiments/gil2013/paper.yaml");
    fs::write(place.here.path().join(paper), "mine").unwrap();
    let (code, _, err) = place.mbsbench("init .");
    assert_eq!(code, 2, "{err}");
    assert!(err.contains(paper.to_str().unwrap()) && err.contains("nothing was written"), "{err}");
    assert_eq!(fs::read_to_string(place.here.path().join(paper)).unwrap(), "mine");
}

#[test]
fn failed_unpacking_suggests_a_remedy() {
    let place = Place::new();
    fs::write(place.cache.path().join("mbsbench"), "a file in place of a folder").unwrap();
    let (code, _, err) = place.mbsbench("list papers");
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("XDG_CACHE_HOME") && err.contains("mbsbench init"), "{err}");
}
