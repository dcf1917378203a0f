//! In a folder without the repository: the built-in experiments, and `mbsbench init`.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// A folder, and one for caches.
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

    // Verdicts of single experiments rest on studies, which come with them.
    place.done("reproduce gil2013/linear-exactness");
    assert!(place.has("results/gil2013/linear-exactness/runs.csv"));
    assert!(place.has("results/gil2013/linear-exactness/robustness.csv"));
    assert!(!place.has("experiments"));
}

#[test]
fn methods_are_ranked_among_the_built_in_results() {
    let (out, _) = Place::new().done("rank dop853 comparison/car-axis");
    assert!(out.contains("dop853"), "{out}");
}

#[test]
fn built_in_experiments_are_not_asked_for_where_files_are_or_nothing_is() {
    let place = Place::new();
    fs::write(
        place.here.path().join("mine.yaml"),
        "id: mine/p\ntitle: p\nmodel: pendulum\nmethod: rk3\nstep: 0.1\nspan: [0, 1]\n",
    )
    .unwrap();
    for arguments in ["run mine.yaml", "plan mine.yaml", "check mine.yaml", "list methods", "new paper mine2026"] {
        let (_, err) = place.done(arguments);
        assert!(!err.contains("built-in"), "{arguments}: {err}");
    }
    assert_eq!(fs::read_dir(place.cache.path()).unwrap().count(), 0);
    // Now there is a folder of one's own, and it is the one.
    let (out, _) = place.done("list papers");
    assert!(out.starts_with("mine2026") && out.lines().count() == 1, "{out}");
}

#[test]
fn built_in_experiments_are_not_changed() {
    let place = Place::new();
    for arguments in ["lock gil2013", "reference zhang2022/shaft-convergence"] {
        let (code, _, err) = place.mbsbench(arguments);
        assert_eq!(code, 2, "{arguments}: {err}");
        assert!(err.contains("mbsbench init"), "{err}");
    }
    let (code, _, err) = place.mbsbench("list papers --experiments experiments");
    assert_eq!(code, 2, "a folder that is named has to be there: {err}");
}

#[test]
fn experiments_that_are_written_out_are_in_order_and_never_overwritten() {
    let place = Place::new();
    let (out, _) = place.done("init .");
    assert!(out.contains("next: mbsbench"), "{out}");
    let (out, err) = place.done("check --strict experiments/gil2013/claims.yaml experiments/comparison/bicycle.yaml");
    assert!(out.contains("36 statements") && err.is_empty(), "{out}{err}");
    let (out, _) = place.done("init .");
    assert!(out.contains("all files exist already"), "{out}");

    let paper = Path::new("experiments/gil2013/paper.yaml");
    fs::write(place.here.path().join(paper), "mine").unwrap();
    let (code, _, err) = place.mbsbench("init .");
    assert_eq!(code, 2, "{err}");
    assert!(err.contains(paper.to_str().unwrap()) && err.contains("nothing was written"), "{err}");
    assert_eq!(fs::read_to_string(place.here.path().join(paper)).unwrap(), "mine");
}

#[test]
fn where_nothing_can_be_unpacked_the_way_out_is_said() {
    let place = Place::new();
    fs::write(place.cache.path().join("mbsbench"), "a file where a folder is to be").unwrap();
    let (code, _, err) = place.mbsbench("list papers");
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("XDG_CACHE_HOME") && err.contains("mbsbench init"), "{err}");
}
