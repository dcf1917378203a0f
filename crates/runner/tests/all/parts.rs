//! Runs made in parts, as on several machines. Together they are bitwise identical to those of one machine, whatever is
//! killed, and untrustworthy entries are refused.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use mbsbench::Registry;
use mbsbench::cache::Cache;
use mbsbench::execute::run::Record;
use serde_json::Value;
use tempfile::TempDir;

/// Runs with and without reference, at different times of the same reference, with and without recording, and some that
/// fail.
const EXPERIMENT: &str = "\
id: parts/pendulum
title: Pendulum in parts
model: { pendulum: { formulation: minimal, mass: 12.0, length: 0.7, angle: 35.0 } }
span: [0.0, 4.0]
matrix:
  method: [rk3, rk5, rk8]
  step: [0.04, 0.02, 0.01, 0.005]
cases:
  - { case: often, measures: [{ error: { of: theta, every: 0.5 } }], \
    reference: &reference { method: rk8, step: 0.005, \
    check: { method: dopri5, tolerance: { rel: 1.0e-12, abs: 1.0e-12 } } } }
  - { case: once, measures: [{ error: { of: theta } }, steps_accepted], reference: *reference }
  - { case: free, measures: [energy_variation] }
  - { case: short, measures: [energy_variation], settings: { max_steps: 150 } }
plots:
  - { id: motion, x: t, y: theta, series: method, where: { case: free, step: 0.04 } }
";

/// Two runs with timing.
const TIMED: &str = "\
id: parts/timed
model: { pendulum: { formulation: minimal } }
span: [0.0, 0.5]
matrix: { method: [rk3, rk5], step: [0.01] }
measures: [energy_variation]
timing: { repeat: 3 }
";

const RUNS: usize = 48;

pub(super) struct Place {
    folder: TempDir,
}

impl Place {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("experiment.yaml"), EXPERIMENT).unwrap();
        fs::write(folder.path().join("timed.yaml"), TIMED).unwrap();
        Self { folder }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mbsbench"));
        command.current_dir(self.folder.path()).args(arguments.split_whitespace());
        command
    }

    fn output(&self, arguments: &str) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Standard output of a command that succeeds.
    fn said(&self, arguments: &str) -> String {
        let output = self.output(arguments);
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Standard error of a command that ends with `code`.
    fn refused(&self, arguments: &str, code: i32) -> String {
        let output = self.output(arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments}: {said}");
        said
    }

    /// The files of a folder, by their relative paths.
    pub(super) fn files(&self, folder: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
            for entry in fs::read_dir(folder).into_iter().flatten() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    collect(root, &path, files);
                } else {
                    files.insert(path.strip_prefix(root).unwrap().to_owned(), fs::read(&path).unwrap());
                }
            }
        }
        let (root, mut files) = (self.path(folder), BTreeMap::new());
        collect(&root, &root, &mut files);
        files
    }

    /// The entries of a cache.
    pub(super) fn entries(&self, store: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut entries = self.files(store);
        entries.retain(|path, _| path.extension().is_some_and(|extension| extension == "json"));
        entries
    }

    /// Writes the output of a command without parts: results in `local`, the cache in `whole`. Returns the results.
    pub(super) fn local(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        self.said("run experiment.yaml --out local --cache whole");
        let files = self.files("local");
        assert!(files.contains_key(Path::new("parts/pendulum/runs.csv")), "{:?}", files.keys());
        files
    }

    /// One of the entries of a cache that belong to a run.
    fn one_of_a_run(&self, store: &str) -> (PathBuf, String) {
        let entries = self.entries(store).into_iter().map(|(path, bytes)| (path, String::from_utf8(bytes).unwrap()));
        entries.into_iter().find(|(_, text)| head(text)["name"].as_str().unwrap().starts_with("run ")).unwrap()
    }
}

/// The header of an entry.
fn head(entry: &str) -> Value {
    serde_json::from_str(entry.lines().next().unwrap()).unwrap()
}

pub(super) fn assert_same(one: &BTreeMap<PathBuf, Vec<u8>>, other: &BTreeMap<PathBuf, Vec<u8>>) {
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
    for (path, content) in one {
        assert!(other[path] == *content, "{} differs", path.display());
    }
}

#[test]
fn merged_parts_are_bitwise_equal_to_one_machine() {
    let place = Place::new();
    let local = place.local();
    for part in 1..=5 {
        place.said(&format!("runs shard {part}/5 experiment.yaml --cache part{part}"));
        assert!(place.entries(&format!("part{part}")).len() < RUNS, "part {part} is the whole");
    }
    // Files left by other tools and killed writers.
    fs::write(place.path("part1/.timestamp"), "").unwrap();
    fs::write(place.path("part2/.half.part"), "{").unwrap();
    fs::create_dir(place.path("part2/.parts")).unwrap();
    fs::write(place.path("part2/.parts/0.keys"), "").unwrap();
    let said = place.said("runs merge part1 part2 part3 part4 part5 --cache merged");
    assert!(said.contains(&format!("merged: {} added", RUNS + 1)), "the runs and the reference: {said}");
    assert_same(&place.entries("whole"), &place.entries("merged"));
    let said = place.said("run experiment.yaml --out results --cache merged");
    assert!(said.contains(&format!("{RUNS} runs, {RUNS} from the cache")), "{said}");
    assert_same(&local, &place.files("results"));
    let said = place.said("runs merge part1 part3 --cache merged");
    assert!(said.contains("merged: 0 added"), "what is there is not written again: {said}");
}

#[test]
fn runs_of_the_plan_are_bitwise_equal_to_one_machine() {
    let place = Place::new();
    let local = place.local();
    let plan = place.said("runs plan experiment.yaml --format json");
    let runs: Vec<Value> = plan.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(runs.len(), RUNS);
    for run in &runs {
        assert_eq!((&run["experiment"], &run["timing"]), (&"parts/pendulum".into(), &false.into()), "{run}");
        assert!(["case", "method", "step"].iter().all(|axis| run["axes"][axis].is_string()), "{run}");
        let key = run["key"].as_str().unwrap();
        let said = place.said(&format!("runs one {key} experiment.yaml --cache cells"));
        assert!(said.starts_with(&format!("{key} parts/pendulum ")), "{said}");
    }
    assert_same(&place.entries("whole"), &place.entries("cells"));
    place.said("run experiment.yaml --out results --cache cells");
    assert_same(&local, &place.files("results"));
}

#[test]
fn a_part_does_not_depend_on_other_planned_runs() {
    let place = Place::new();
    place.said("runs shard 2/3 experiment.yaml --cache alone");
    place.said("runs shard 2/3 timed.yaml --cache alone");
    place.said("runs shard 2/3 timed.yaml experiment.yaml --cache beside");
    assert_same(&place.entries("alone"), &place.entries("beside"));
}

#[test]
fn a_killed_part_leaves_complete_entries_and_resumes() {
    let place = Place::new();
    place.local();
    let whole = place.entries("whole");
    let mut killed = 0;
    for delay in [2, 4, 8, 12, 18, 25, 35, 50, 80] {
        let mut command = place.command("runs shard 1/1 experiment.yaml --cache part");
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        sleep(Duration::from_millis(delay));
        // SIGKILL on Unix: no handler runs.
        child.kill().unwrap();
        killed += usize::from(!child.wait().unwrap().success());
        for (path, content) in place.entries("part") {
            assert!(whole[&path] == content, "{} is half written", path.display());
        }
        if place.path("part").exists() {
            place.said("runs merge part --cache merged");
        }
    }
    assert!(killed > 0, "no kill came in time: the experiment is too short for this test");
    place.said("runs shard 1/1 experiment.yaml --cache part");
    place.said("runs merge part --cache merged");
    assert_same(&whole, &place.entries("merged"));
}

#[test]
fn untrusted_entries_are_refused_and_the_rest_merged() {
    let place = Place::new();
    let whole = {
        place.local();
        place.entries("whole")
    };
    let (path, text) = place.one_of_a_run("whole");
    let code = head(&text)["code"].as_str().unwrap().to_owned();
    let other_code = text.replacen(&code, &"0".repeat(code.len()), 1);
    let digit = text.rfind(|c: char| c.is_ascii_digit()).unwrap();
    let mut flipped = text.clone().into_bytes();
    flipped[digit] ^= 1;
    let elsewhere = Path::new("00/00000000000000000000000000000000.json");
    let half_a_head = head(&text).to_string().len() / 2;
    let cases: [(&str, &Path, &[u8], &str); 7] = [
        ("a changed digit", &path, &flipped, "checksum"),
        ("all but the end", &path, &text.as_bytes()[..text.len() - 1], "checksum"),
        ("half of what it says of itself", &path, &text.as_bytes()[..half_a_head], "not an entry of a run cache"),
        ("nothing", &path, b"", "not an entry of a run cache"),
        ("a file of something else", Path::new("notes.txt"), b"to do:\n- merge\n", "not an entry of a run cache"),
        ("another place", elsewhere, text.as_bytes(), "moved or renamed"),
        ("another code, in the place of this", &path, other_code.as_bytes(), "moved or renamed"),
    ];
    for (case, at, content, reason) in cases {
        place.said("runs merge whole --cache foreign");
        fs::remove_file(place.path("foreign").join(&path)).unwrap();
        fs::create_dir_all(place.path("foreign").join(at).parent().unwrap()).unwrap();
        fs::write(place.path("foreign").join(at), content).unwrap();
        let said = place.refused("runs merge foreign --cache here", 1);
        assert!(said.contains(&at.display().to_string()) && said.contains(reason), "{case}: {said}");
        let mut expected = whole.clone();
        expected.remove(&path);
        assert_same(&expected, &place.files("here"));
        fs::remove_dir_all(place.path("foreign")).unwrap();
        fs::remove_dir_all(place.path("here")).unwrap();
    }
}

#[test]
fn entries_of_other_code_are_refused_by_name() {
    let place = Place::new();
    place.local();
    let (_, text) = place.one_of_a_run("whole");
    let name = head(&text)["name"].as_str().unwrap().to_owned();
    let record: Record = serde_json::from_str(text.lines().nth(1).unwrap()).unwrap();
    Cache::new(place.path("foreign"), "another compiler").save(&name, &record).unwrap();
    let said = place.refused("runs merge foreign --cache here", 1);
    assert!(said.contains("computed by other code") && said.contains("another compiler"), "{said}");
    assert!(place.files("here").is_empty());
    // Entries that look valid but belong to no run or reference of this program.
    let own = Cache::new(place.path("strange"), mbsbench::fingerprint(&Registry::builtin()));
    own.save(&name, &"no record").unwrap();
    own.save("weather tomorrow", &record).unwrap();
    let said = place.refused("runs merge strange --cache here", 1);
    assert_eq!(said.matches("its record was not written by this program").count(), 2, "{said}");
    assert!(place.files("here").is_empty());
}

/// Entries with a correct checksum that this program did not write.
#[test]
fn forged_entries_are_recomputed_and_not_merged() {
    let place = Place::new();
    let local = place.local();
    let whole = place.entries("whole");
    let texts = whole.values().map(|bytes| String::from_utf8(bytes.clone()).unwrap());
    let record = |text: &String| -> Value { serde_json::from_str(text.lines().nth(1).unwrap()).unwrap() };
    let all: Vec<(String, Value)> =
        texts.map(|text| (head(&text)["name"].as_str().unwrap().to_owned(), record(&text))).collect();
    let find =
        |is_meant: &dyn Fn(&str, &Value) -> bool| all.iter().find(|(name, record)| is_meant(name, record)).unwrap();
    let (drawn, curves) = find(&|_, record| record["trajectory"].is_object());
    let (of_reference, reference) = find(&|name, _| name.starts_with("reference "));
    let changed = |record: &Value, path: &str, value: Value| {
        let mut record = record.clone();
        *record.pointer_mut(path).unwrap() = value;
        record
    };
    let empty = || Value::Array(Vec::new());
    // The flag is true if the forgery is detected without the plan; otherwise only the requested run reveals it.
    let forged = [
        (drawn, changed(curves, "/values", empty()), true),
        (drawn, changed(curves, "/trajectory/columns", empty()), true),
        (drawn, changed(curves, "/trajectory/units", empty()), true),
        (drawn, changed(curves, "/trajectory/times", empty()), true),
        (drawn, changed(curves, "/trajectory", Value::Null), false),
        (drawn, changed(curves, "/columns/0", "weight".into()), false),
        (of_reference, changed(reference, "/values", empty()), true),
        (of_reference, changed(reference, "/bounds/0", empty()), true),
        (of_reference, changed(reference, "/bounds/0/0", (-1.0).into()), true),
    ];
    let fingerprint = mbsbench::fingerprint(&Registry::builtin());
    for (name, record, is_refused) in forged {
        let store = Cache::new(place.path("whole"), fingerprint.clone());
        store.save(name, &record).unwrap();
        if is_refused {
            let said = place.refused("runs merge whole --cache merged", 1);
            assert!(said.contains("its record was not written by this program: "), "{record}: {said}");
            fs::remove_dir_all(place.path("merged")).unwrap();
        }
        let output = place.output("run experiment.yaml --out again --cache whole");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{record}: {said}");
        assert!(
            said.contains("not written by this program: ")
                && said.contains("the entry is discarded and computed again"),
            "{record}: {said}"
        );
        assert_same(&local, &place.files("again"));
        assert_same(&whole, &place.entries("whole"));
    }
    // A folder has the path of an entry, and the message names it.
    let (path, _) = place.one_of_a_run("whole");
    fs::remove_file(place.path("whole").join(&path)).unwrap();
    fs::create_dir(place.path("whole").join(&path)).unwrap();
    let said = place.refused("run experiment.yaml --out again --cache whole", 3);
    assert!(said.contains(&path.display().to_string()), "{said}");
}

#[test]
fn a_contradiction_names_the_run_and_nothing_is_merged() {
    let place = Place::new();
    place.said("runs shard 1/2 experiment.yaml --cache one");
    let (_, text) = place.one_of_a_run("one");
    let name = head(&text)["name"].as_str().unwrap().to_owned();
    let mut record: Record = serde_json::from_str(text.lines().nth(1).unwrap()).unwrap();
    record.t_reached += 1.0;
    place.said("runs shard 2/2 experiment.yaml --cache other");
    Cache::new(place.path("other"), mbsbench::fingerprint(&Registry::builtin())).save(&name, &record).unwrap();
    let key = &name.split_whitespace().nth(1).unwrap()[..20];
    let said = place.refused("runs merge one other --cache here", 2);
    assert!(said.contains(&format!("run {key} differs between one/")) && said.contains("other/"), "{said}");
    assert!(place.files("here").is_empty(), "nothing is merged");
    // The same conflict with an existing entry.
    place.said("runs merge one --cache here");
    let before = place.files("here");
    let said = place.refused("runs merge other --cache here", 2);
    assert!(said.contains(key) && said.contains("here/"), "{said}");
    assert_same(&before, &place.files("here"));
}

#[test]
fn timed_runs_are_computed_in_parts_and_timed_once() {
    let place = Place::new();
    let plan = place.said("runs plan timed.yaml --format json");
    let runs: Vec<Value> = plan.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(runs.len() == 2 && runs.iter().all(|run| run["timing"] == true), "{plan}");
    assert!(place.said("runs plan timed.yaml").contains("parts/timed: 2 runs, all timed"));
    place.said(&format!("runs one {} timed.yaml --cache store", runs[0]["key"].as_str().unwrap()));
    assert!(place.said("runs shard 1/1 timed.yaml --cache store").contains("2 runs, 1 from the cache"));
    assert!(!place.path("results").exists());
    place.said("run timed.yaml --out results --cache elsewhere");
    assert!(place.path("results/times/parts/timed/timings.csv").exists());
    let said = place.said("runs merge elsewhere --cache store");
    assert!(said.contains("store: 0 added, 2 already present"), "{said}");
}

#[test]
fn command_line_mistakes_are_reported_and_harmless() {
    let place = Place::new();
    let plan = place.said("runs plan experiment.yaml --format json");
    let first: Value = serde_json::from_str(plan.lines().next().unwrap()).unwrap();
    let key = first["key"].as_str().unwrap();
    let said = place.refused(&format!("runs one {} experiment.yaml --cache store", &key[..19]), 2);
    assert!(said.contains("no run has the key") && said.contains(&format!("did you mean `{key}`?")), "{said}");
    let said = place.refused("runs one 17 experiment.yaml --cache store", 2);
    assert!(said.contains("`mbsbench runs plan` lists the runs") && !said.contains("did you mean"), "{said}");
    for shard in ["0/4", "5/4", "4", "a/b", "1/0"] {
        let said = place.refused(&format!("runs shard {shard} experiment.yaml --cache store"), 2);
        assert!(said.contains("accepted: I/N"), "{said}");
    }
    fs::write(place.path("broken.yaml"), EXPERIMENT.replace("rk3", "rk33")).unwrap();
    for command in ["runs plan", "runs shard 1/2", "runs one 0123"] {
        let said = place.refused(&format!("{command} broken.yaml"), 2);
        assert!(said.contains("broken.yaml:6:12") && said.contains("did you mean `rk3`?"), "{said}");
    }
    let said = place.refused("runs merge nowhere --cache store", 2);
    assert!(said.contains("nowhere"), "{said}");
    fs::create_dir(place.path("experiments")).unwrap();
    fs::rename(place.path("timed.yaml"), place.path("experiments/timed.yaml")).unwrap();
    let said = place.refused("runs shard 1/2 party --cache store", 2);
    assert!(said.contains("unknown paper or experiment `party`") && said.contains("did you mean `parts`?"), "{said}");
    assert!(place.said("runs plan parts --format json").lines().count() == 2, "papers are found by name");
    assert!(!place.path("store").exists() && !place.path("target").exists());
}
