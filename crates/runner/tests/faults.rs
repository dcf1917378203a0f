//! Errors of the file system at every call, and a clock that goes back. The program must name the path and leave no
//! incomplete file; afterwards it must compute the same results as if nothing had happened.
//!
//! The default is one error at each call of a small run that changes a file. `FAULTS=all cargo test --release -p
//! mbsbench --test faults -- --nocapture` covers `reproduce`, `reconstruct`, `verify`, `render` and `runs shard`, too,
//! and calls that open and read files.
//!
//! strace injects the errors. It counts the calls of each thread, so that one try may hit a call in each. Closing a
//! folder is left out, because the standard library panics if that fails.
#![cfg(target_os = "linux")]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SMALL: &str = "\
id: mine/small
model: pendulum
span: [0.0, 0.1]
known: { defaults: printed }
method: rk4
step: 0.1
measures: [energy_variation]
tables: [{ id: one, rows: step, columns: method, value: energy_variation }]
";
const LARGE: &str = "\
id: mine/large
model: pendulum
span: [0.0, 1.0]
known: { defaults: printed }
method: [rk3, dopri5]
step: [1e-2, 2e-2]
measures: [energy_variation, rhs_evaluations]
timing: { repeat: 1 }
plots: [{ id: swing, x: t, y: [theta, energy], series: method, where: { step: 2e-2 } }]
undetermined: { model.mass: { range: [1.0, 100.0], why: not printed } }
";
const CLAIMS: &str = "\
schema: 2
paper: mine
statements:
  - id: small
    place: Section 1
    says: The energy varies little.
    bound: { of: { experiment: large, column: energy_variation, reduce: max }, below: 1.0 }
    why: only a test
    bound_from: ours
";

/// Calls that get errors, and those of them that only read.
const CALLS: [&str; 20] = [
    "openat",
    "write",
    "pwrite64",
    "rename",
    "renameat",
    "renameat2",
    "fsync",
    "fdatasync",
    "mkdir",
    "mkdirat",
    "unlink",
    "unlinkat",
    "rmdir",
    "close",
    "ftruncate",
    "fchmod",
    "flock",
    "linkat",
    "read",
    "getdents64",
];
const READING: [&str; 2] = ["read", "getdents64"];

fn program(folder: &Path, with: &[&str], arguments: &[&str]) -> Output {
    let all: Vec<&str> =
        with.iter().copied().chain([env!("CARGO_BIN_EXE_mbsbench")]).chain(arguments.iter().copied()).collect();
    let mut command = Command::new(all[0]);
    command.args(&all[1..]).current_dir(folder).env("XDG_CACHE_HOME", folder.join("home")).env("RUST_BACKTRACE", "0");
    command.output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs the program under strace, with an error injected if `inject` says so; returns its output and strace's log.
fn traced(folder: &Path, log: &Path, calls: &str, inject: Option<&str>, arguments: &[&str]) -> (Output, String) {
    let (trace, inject) = (format!("trace={calls}"), inject.map(|inject| format!("inject={inject}")));
    let mut with = vec!["strace", "-f", "--seccomp-bpf", "-y", "-s", "400", "-o", log.to_str().unwrap(), "-e", &trace];
    with.extend(inject.iter().flat_map(|inject| ["-e", inject]));
    let output = program(folder, &with, arguments);
    (output, fs::read_to_string(log).unwrap_or_default())
}

/// The name of the call in a line of strace's log and the path that it concerns, if that is below `folder`.
fn call<'l>(line: &'l str, folder: &Path) -> Option<(&'l str, Option<PathBuf>)> {
    let (name, rest) = line.split_once(' ')?.1.trim_start().split_once('(')?;
    let rest = rest.split(" = ").next()?;
    let paths: Vec<&str> = if rest.starts_with(['A', '"']) {
        rest.split('"').skip(1).step_by(2).collect()
    } else {
        rest.split('<').skip(1).filter_map(|part| part.split('>').next()).filter(|path| path.starts_with('/')).collect()
    };
    let below = |path: &&str| folder.join(path).strip_prefix(folder).ok().map(Path::to_owned);
    Some((name, paths.first().and_then(below)))
}

/// The calls in strace's log that failed by injection, each with its arguments.
fn injected(log: &str) -> Vec<&str> {
    let mut begun = HashMap::new();
    let mut found = Vec::new();
    for line in log.lines() {
        let thread = line.split(' ').next();
        if line.contains("<unfinished") {
            begun.insert(thread, line);
        }
        if line.contains("(INJECTED)") {
            found.push(if line.contains(" resumed>") { begun[&thread] } else { line });
        }
    }
    found
}

/// The contents of the files below a folder, by path, without recorded times and the date in a manifest.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = walkdir::WalkDir::new(folder).into_iter().filter_map(Result::ok);
    let content = |path: &Path| {
        let bytes = fs::read(path).unwrap();
        let is_date = |line: &&[u8]| line.trim_ascii_start().starts_with(b"\"date\"");
        bytes.split_inclusive(|&byte| byte == b'\n').filter(|line| !is_date(line)).collect::<Vec<_>>().concat()
    };
    let files = files.filter(|entry| entry.file_type().is_file() && entry.file_name() != "timings.csv");
    files.map(|entry| (entry.path().strip_prefix(folder).unwrap().to_owned(), content(entry.path()))).collect()
}

/// True if a manifest lists nothing but files that are there, with their hashes. It is rewritten after each file.
fn lists_what_is_there(path: &Path, files: &BTreeMap<PathBuf, Vec<u8>>) -> bool {
    let Ok(manifest) = serde_json::from_slice::<serde_json::Value>(&files[path]) else { return false };
    let is_there = |(name, hash): (&String, &serde_json::Value)| {
        let content = files.get(&path.with_file_name(name));
        content.is_some_and(|content| *hash == *blake3::hash(content).to_hex())
    };
    manifest["outputs"].as_object().is_some_and(|outputs| outputs.iter().all(is_there))
}

/// The paths at which two folders differ.
fn differing(one: &BTreeMap<PathBuf, Vec<u8>>, other: &BTreeMap<PathBuf, Vec<u8>>) -> Vec<PathBuf> {
    let paths: BTreeSet<&PathBuf> = one.keys().chain(other.keys()).collect();
    paths.into_iter().filter(|path| one.get(*path) != other.get(*path)).cloned().collect()
}

fn copy(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from).into_iter().map(Result::unwrap) {
        let place = to.join(entry.path().strip_prefix(from).unwrap());
        if entry.file_type().is_dir() {
            fs::create_dir_all(place).unwrap()
        } else {
            fs::copy(entry.path(), place).map(drop).unwrap()
        }
    }
}

/// Injects an error into each call of a command that concerns a file below `start`, a folder in the state before the
/// command. Returns the number of errors, and what went wrong. Afterwards the folder is in the state after the command.
fn inject(start: &Path, arguments: &[&str], all: bool) -> (usize, Vec<String>) {
    let work = tempfile::tempdir().unwrap();
    let (folder, log) = (work.path().canonicalize().unwrap().join("work"), work.path().join("log"));
    let names = CALLS.join(",");
    let traced = |inject: Option<&str>| traced(&folder, &log, &names, inject, arguments);
    copy(start, &folder);
    let before = contents(&folder.join("results"));
    let (whole, trace) = traced(None);
    let expected = contents(&folder.join("results"));
    let mut counts: HashMap<(&str, &str), usize> = HashMap::new();
    let mut places = BTreeSet::new();
    for line in trace.lines() {
        let Some((name, path)) = call(line, &folder) else { continue };
        let count = counts.entry((line.split(' ').next().unwrap_or_default(), name)).or_default();
        *count += 1;
        let is_reading = READING.contains(&name) || (name == "openat" && !line.contains("O_CREAT"));
        if path.is_some_and(|path| name != "close" || !folder.join(path).is_dir()) && (all || !is_reading) {
            places.insert((name, *count));
        }
    }
    assert!(places.len() > 10, "{trace}");
    let (mut tried, mut wrong) = (0, Vec::new());
    for (name, count) in places {
        fs::remove_dir_all(&folder).unwrap();
        copy(start, &folder);
        let (output, trace) = traced(Some(&format!("{name}:error={}:when={count}", ["EIO", "ENOSPC"][count % 2])));
        let (calls, said) = (injected(&trace), said(&output));
        // a call of the loader, before the program itself begins, or a call that was not repeated
        if calls.is_empty() || output.status.code() == Some(127) || said.contains("during closedir") {
            continue;
        }
        tried += 1;
        let mut fail =
            |what: String| wrong.push(format!("{arguments:?}: {what}\n  {calls:?}\n  {:?}: {said}", output.status));
        let now = contents(&folder.join("results"));
        let is_whole = |path: &PathBuf| {
            let content = now.get(path);
            path.extension().is_some_and(|end| end == "part")
                || content == before.get(path)
                || content == expected.get(path)
                || path.ends_with("manifest.json") && lists_what_is_there(path, &now)
        };
        if let Some(path) = differing(&now, &expected).iter().find(|path| !is_whole(path)) {
            fail(format!("{} is incomplete or wrong", path.display()));
        }
        let is_named = |line: &&str| {
            let path = call(line, &folder).and_then(|(_, path)| path).unwrap_or_default();
            let mut above = path.ancestors().filter(|path| *path != Path::new(""));
            line.contains(" write(2<") || above.any(|path| said.contains(&*path.to_string_lossy()))
        };
        match output.status.code() {
            _ if said.contains("panicked") => fail("a panic".to_owned()),
            code if code == whole.status.code() && now == expected => {}
            code if code == whole.status.code() => fail(format!("success without {:?}", differing(&now, &expected))),
            Some(1..=3) if calls.iter().any(is_named) => {}
            _ => fail("the path is not named".to_owned()),
        }
        let again = program(&folder, &[], arguments);
        let now = contents(&folder.join("results"));
        if again.status.code() != whole.status.code() || now != expected {
            fail(format!("then {:?} without errors, with other {:?}", again.status, differing(&now, &expected)));
        }
    }
    let end = program(start, &[], arguments);
    assert_eq!(end.status.code(), whole.status.code(), "{}", said(&end));
    (tried, wrong)
}

#[test]
fn an_error_at_any_call_is_reported_and_harms_nothing() {
    let probe = Command::new("strace").args(["-f", "--seccomp-bpf", "-e", "trace=write", "true"]).output();
    if !probe.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped, because strace is missing or may not trace");
        return;
    }
    let all = std::env::var_os("FAULTS").is_some();
    let folder = tempfile::tempdir().unwrap();
    let mine = folder.path().join("experiments/mine");
    fs::create_dir_all(&mine).unwrap();
    fs::write(mine.join("small.yaml"), SMALL).unwrap();
    let mut commands = vec![vec!["run", "experiments/mine/small.yaml", "--jobs", "1"]];
    if all {
        fs::write(mine.join("large.yaml"), LARGE).unwrap();
        fs::write(mine.join("claims.yaml"), CLAIMS).unwrap();
        commands.extend([
            vec!["runs", "shard", "1/2", "mine", "--jobs", "1"],
            vec!["reproduce", "--jobs", "1"],
            vec!["reconstruct", "experiments/mine/large.yaml", "--samples", "4", "--jobs", "1"],
            vec!["verify", "mine"],
            vec!["render", "--to", "html"],
        ]);
    }
    let mut wrong = Vec::new();
    for command in commands {
        let (tried, found) = inject(folder.path(), &command, all);
        eprintln!("{command:?}: {tried} errors injected, {} not handled", found.len());
        wrong.extend(found);
    }
    assert!(wrong.is_empty(), "{} errors\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_clock_of_the_day_may_be_wrong_and_go_back() {
    let work = tempfile::tempdir().unwrap();
    let library = work.path().join("clock.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clock.c");
    let built = Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).args([&library, &source]).status();
    if !built.is_ok_and(|status| status.success()) {
        eprintln!("skipped, because there is no C compiler");
        return;
    }
    let mut expected = None;
    // before 1970, in 1970 and then before it, now, after the year 9999
    for start in ["-1000000000", "86400", "1764200000", "400000000000"] {
        let folder = work.path().join(start);
        let mine = folder.join("experiments/mine");
        fs::create_dir_all(&mine).unwrap();
        fs::write(mine.join("large.yaml"), LARGE).unwrap();
        fs::write(mine.join("claims.yaml"), CLAIMS).unwrap();
        let at = |name: &str| folder.join("results/mine/large").join(name);
        fs::create_dir_all(at("")).unwrap();
        let held = File::create(at(".aB3dE9.part")).unwrap();
        held.lock().unwrap();
        fs::write(at(".Zz9Zz9.part"), "left").unwrap();
        let (library, start) = (format!("LD_PRELOAD={}", library.display()), format!("CLOCK_START={start}"));
        let with = ["env", &library, &start];
        for arguments in [vec!["reproduce"], vec!["verify", "mine", "--recompute", "100%"], vec!["reproduce"]] {
            let output = program(&folder, &with, &arguments);
            assert_eq!(output.status.code(), Some(0), "{start}: {arguments:?}: {}", said(&output));
        }
        assert!(at(".aB3dE9.part").exists(), "{start}: another program is writing this file");
        assert!(!at(".Zz9Zz9.part").exists(), "{start}: this file was left by a killed program");
        drop(held);
        fs::remove_file(at(".aB3dE9.part")).unwrap();
        let mut now = contents(&folder.join("results"));
        let timings = fs::read_to_string(folder.join("results/times/mine/large/timings.csv")).unwrap();
        assert!(
            !timings.split([',', '\n']).any(|cell| cell.parse().is_ok_and(|number: f64| number < 0.0)),
            "{timings}"
        );
        // The manifest has hashes of the recorded times.
        now.retain(|path, _| !path.ends_with("manifest.json"));
        let expected = expected.get_or_insert_with(|| now.clone());
        assert_eq!(differing(&now, expected), [] as [PathBuf; 0], "{start}");
    }
}
