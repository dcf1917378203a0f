//! Results do not depend on accidents of the program. If it is killed at any moment, with any number of threads, or run
//! again from scratch, the files are bitwise identical.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use tempfile::TempDir;

/// Enough runs, some of them long, that a kill happens in the middle; all renderers are used.
const EXPERIMENT: &str = "\
id: accidents/pendulum
title: Pendulum for accidents
model: { pendulum: { formulation: sliding-mode, mass: 12.0, length: 0.7, angle: 35.0 } }
span: [0.0, 8.0]
matrix:
  method: [rk3, rk5, rk8]
  step: [0.02, 0.01, 0.005, 0.002, 0.001, 0.0005]
measures: [energy_variation, constraint_max, rhs_evaluations, { sample: { of: theta, at: [1, 2.50] } }]
tables:
  - { id: energy, rows: step, columns: method, value: energy_variation }
plots:
  - { id: energy-vs-step, x: step, y: energy_variation, series: method, scale: log-log }
  - { id: motion, x: t, y: theta, series: method, where: { step: 0.02 } }
";

struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("experiment.yaml"), EXPERIMENT).unwrap();
        Self { folder }
    }

    fn command(&self, jobs: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mbsbench"));
        command
            .current_dir(self.folder.path())
            .args(["run", "experiment.yaml", "--out", "results", "--cache", "cache", "--jobs", jobs])
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    fn run(&self, jobs: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        let status = self.command(jobs).status().unwrap();
        assert!(status.success(), "{status}");
        self.results()
    }

    fn results(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        self.files("results")
    }

    fn files(&self, folder: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let root = self.folder.path().join(folder);
        collect(&root, &root, &mut files);
        files
    }

    fn half_written(&self) -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> = self.files("").into_keys().collect();
        paths.retain(|path| path.to_string_lossy().ends_with(".part"));
        paths
    }
}

fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, files);
        } else {
            // A running program may rename a file between the two calls.
            match fs::read(&path) {
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                content => drop(files.insert(path.strip_prefix(root).unwrap().to_owned(), content.unwrap())),
            }
        }
    }
}

fn assert_same(one: &BTreeMap<PathBuf, Vec<u8>>, other: &BTreeMap<PathBuf, Vec<u8>>) {
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
    for (path, content) in one {
        assert!(other[path] == *content, "{} differs", path.display());
    }
}

#[test]
fn results_do_not_depend_on_threads_or_repetition() {
    let one = Place::new().run("1");
    assert!(one.contains_key(Path::new("accidents/pendulum/runs.csv")), "{:?}", one.keys());
    assert!(one.contains_key(Path::new("accidents/pendulum/motion.svg")), "{:?}", one.keys());
    assert_same(&one, &Place::new().run("2"));
    assert_same(&one, &Place::new().run("2"));
}

#[test]
fn a_killed_run_resumes_to_the_same_bits() {
    let undisturbed = Place::new().run("2");
    let place = Place::new();
    let mut killed = 0;
    for delay in [1, 3, 5, 8, 12, 18, 25, 35, 50, 80] {
        let mut child = place.command("2").spawn().unwrap();
        sleep(Duration::from_millis(delay));
        // SIGKILL on Unix: no handler runs.
        child.kill().unwrap();
        killed += usize::from(!child.wait().unwrap().success());
        // Every existing file is complete: it is a file of the undisturbed run.
        for (path, content) in place.results() {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if !name.ends_with(".part") {
                assert!(undisturbed[&path] == content, "{} is half written", path.display());
            }
        }
    }
    assert!(killed > 0, "no kill came in time: the experiment is too short for this test");
    // Files left behind by a killed writer.
    let left =
        ["results/accidents/pendulum/.aB3dE9.part", "cache/00/.Zz9Zz9.part"].map(|path| place.folder.path().join(path));
    for path in &left {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "half").unwrap();
    }
    assert_same(&undisturbed, &place.run("2"));
    assert_eq!(place.half_written(), [] as [PathBuf; 0]);
}

#[test]
fn a_diverging_run_is_a_row_and_the_others_finish() {
    let folder = tempfile::tempdir().unwrap();
    let text = "\
id: accidents/diverging
title: A step that is far too long
model: { pendulum: { formulation: sliding-mode, gravity: 1.0e12 } }
span: [0.0, 5.0]
matrix: { method: [rk3, rk8], step: [0.5, 1.0e-7] }
settings: { max_steps: 1000 }
measures: [energy_variation, steps_accepted]
";
    fs::write(folder.path().join("diverging.yaml"), text).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_mbsbench"))
        .current_dir(folder.path())
        .args(["run", "diverging.yaml", "--out", "results", "--cache", "cache"])
        .output()
        .unwrap();
    // No run completes, which is reported as unexpected.
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let mut reader = csv::Reader::from_path(folder.path().join("results/accidents/diverging/runs.csv")).unwrap();
    let headers = reader.headers().unwrap().clone();
    let column = |name: &str| headers.iter().position(|header| header == name).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 4, "every run has a row");
    for row in &rows {
        let expected = if &row[column("step")] == "1.0e-7" { "budget-exhausted" } else { "" };
        let status = &row[column("status")];
        assert!(status == expected || (expected.is_empty() && !status.is_empty()), "{row:?}");
        assert!(!row[column("t_reached")].is_empty(), "{row:?}");
        assert!(!row[column("steps_accepted")].is_empty(), "counters of a failed run hold: {row:?}");
        assert_eq!(column("message"), row.len() - 1);
        let said = &row[column("message")];
        assert_eq!(
            status == "budget-exhausted",
            said.contains("`settings: { max_steps }` raises the limit"),
            "{row:?}"
        );
        assert!(said.contains(" at t = "), "{row:?}");
    }
}

/// Two drives of one hinge agree for half a second, so that the equations contain only one of them, and differ
/// afterwards.
#[test]
fn a_joint_that_opens_fails_the_run_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let text = "\
id: accidents/opening
title: A joint that opens
model:
  mechanism:
    bodies: { rod: { mass: 1, shape: { rod: { length: 1 } }, markers: { a: [-0.5, 0] } } }
    joints:
      pin: { revolute: { between: [ground, rod.a] } }
      drive: { rotation: { between: [ground, rod.a], law: t^2 } }
      again: { rotation: { between: [ground, rod.a], law: 't^2 + max(0, t - 0.5)' } }
cases:
  - { case: absolute, method: [generalized-alpha, rk4], step: 1.0e-3 }
  - { case: minimal, model: { mechanism: { formulation: minimal } }, method: radau5, tolerance: 1.0e-6 }
span: [0.0, 1.0]
measures: [{ max_abs: { of: constraint } }]
";
    fs::write(folder.path().join("opening.yaml"), text).unwrap();
    Command::new(env!("CARGO_BIN_EXE_mbsbench"))
        .current_dir(folder.path())
        .args(["run", "opening.yaml", "--out", "results", "--cache", "cache"])
        .output()
        .unwrap();
    let mut reader = csv::Reader::from_path(folder.path().join("results/accidents/opening/runs.csv")).unwrap();
    let headers = reader.headers().unwrap().clone();
    let column = |name: &str| headers.iter().position(|header| header == name).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 3);
    for row in &rows {
        assert_eq!(&row[column("status")], "joint-open", "{row:?}");
        assert!(row[column("message")].contains("joint `again` is open by"), "{row:?}");
        let reached: f64 = row[column("t_reached")].parse().unwrap();
        assert!((0.5..=1.0).contains(&reached), "{row:?}");
        assert!(row[column("max_abs(constraint)")].parse::<f64>().unwrap() > 1e-6, "{row:?}");
    }
}

/// More runs than two threads complete in the available time; the last ones are long.
#[cfg(unix)]
const LONG: &str = "\
id: accidents/long
title: Runs to be interrupted
model: { pendulum: { formulation: sliding-mode } }
span: [0.0, 2.0]
matrix: { method: [rk3], step: [0.02, 0.01, 0.005, 1.0e-8] }
settings: { max_steps: 1000000000 }
measures: [energy_variation]
";

#[cfg(unix)]
#[test]
fn a_signal_ends_the_program_without_partial_files() {
    use std::process::Child;
    use std::time::Instant;

    for (signal, code, name) in [("-INT", 130, "SIGINT"), ("-TERM", 143, "SIGTERM")] {
        let place = Place::new();
        fs::write(place.folder.path().join("experiment.yaml"), LONG).unwrap();
        let stored = || {
            let mut files = place.files("cache");
            files.retain(|path, _| path.extension().is_some_and(|end| end == "json"));
            files.len()
        };
        let child: Child = place.command("2").stderr(Stdio::piped()).spawn().unwrap();
        let begun = Instant::now();
        while stored() < 3 && begun.elapsed() < Duration::from_secs(60) {
            sleep(Duration::from_millis(5));
        }
        // A run is reported as finished a moment after it is stored.
        sleep(Duration::from_millis(200));
        let told = Instant::now();
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        let (took, said) = (told.elapsed(), String::from_utf8_lossy(&output.stderr).into_owned());
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(took < Duration::from_secs(2), "{took:?}");
        assert!(
            said.contains(&format!("ended by {name}: 3 of 4 runs are finished and kept; run the same command")),
            "{said}"
        );
        assert_eq!((stored(), place.half_written()), (3, Vec::new()));
    }
}

#[test]
fn the_number_of_threads_is_limited() {
    let place = Place::new();
    let output = place.command("100000").stderr(Stdio::piped()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(said.contains("--jobs 100000: ") && said.contains("two per core"), "{said}");
    let refused = place.command("0").stderr(Stdio::piped()).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn environment_variables_cannot_create_many_threads() {
    let place = Place::new();
    for name in ["RAYON_NUM_THREADS", "RAYON_RS_NUM_CPUS"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mbsbench"));
        let output =
            command.current_dir(place.folder.path()).args(["runs", "plan", "experiment.yaml"]).env(name, "100000");
        let output = output.output().unwrap();
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
