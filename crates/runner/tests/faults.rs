//! Errors of the file system at every call, and a clock that goes back. The program must name the path and leave no
//! incomplete file; afterwards it must compute the same results as if nothing had happened.
//!
//! One error at each call that writes, of a small run, is the default. `FAULTS=all cargo test --release -p mbsbench
//! --test faults -- --nocapture` covers `run`, `reproduce`, `reconstruct`, `verify`, `render` and `runs shard`, all
//! calls that read, and two kinds of errors at each.
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

/// Calls that change files, and those that only read.
const WRITING: [&str; 18] = [
    "openat", "write", "pwrite64", "rename", "renameat", "renameat2", "fsync", "fdatasync", "mkdir", "mkdirat", "unlink",
    "unlinkat", "rmdir", "close", "ftruncate", "fchmod", "flock", "linkat",
];
const READING: [&str; 5] = ["read", "statx", "newfstatat", "getdents64", "lseek"];

fn program(folder: &Path, with: &[&str], arguments: &[&str]) -> Output {
    let all: Vec<&str> = with.iter().copied().chain([env!("CARGO_BIN_EXE_mbsbench")]).chain(arguments.iter().copied()).collect();
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
    let quoted = rest.split('"').skip(1).step_by(2);
    let opened = rest.split('<').skip(1).filter_map(|part| part.split('>').next());
    let paths: Vec<&str> = if rest.starts_with("AT_FDCWD") || rest.starts_with('"') { quoted.collect() } else { opened.take(1).collect() };
    let below = |path: &&str| folder.join(path).strip_prefix(folder).ok().map(Path::to_owned);
    Some((name, paths.iter().find_map(below)))
}

/// The contents of the files below a folder, by path, without the date in a manifest.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = walkdir::WalkDir::new(folder).into_iter().filter_map(Result::ok).filter(|entry| entry.file_type().is_file());
    let content = |path: &Path| {
        let bytes = fs::read(path).unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if !path.ends_with("manifest.json") { bytes } else { text.lines().filter(|line| !line.contains("\"date\"")).collect::<String>().into_bytes() }
    };
    files.map(|entry| (entry.path().strip_prefix(folder).unwrap().to_owned(), content(entry.path()))).collect()
}

fn copy(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from).into_iter().map(Result::unwrap) {
        let place = to.join(entry.path().strip_prefix(from).unwrap());
        if entry.file_type().is_dir() { fs::create_dir_all(place).unwrap() } else { fs::copy(entry.path(), place).map(drop).unwrap() }
    }
}

/// Injects an error into each call of a command that concerns a file below `start`, a folder in the state before the
/// command. Returns the number of errors, and what went wrong. Afterwards the folder is in the state after the command.
fn inject(start: &Path, arguments: &[&str], all: bool) -> (usize, Vec<String>) {
    let work = tempfile::tempdir().unwrap();
    let (folder, log) = (work.path().canonicalize().unwrap().join("work"), work.path().join("log"));
    let names = if all { [&WRITING[..], &READING[..]].concat() } else { WRITING.to_vec() };
    let names = names.join(",");
    copy(start, &folder);
    let (whole, trace) = traced(&folder, &log, &names, None, arguments);
    let expected = contents(&folder.join("results"));
    let mut counts: HashMap<(&str, &str), usize> = HashMap::new();
    let mut places = BTreeSet::new();
    for line in trace.lines() {
        let Some((name, path)) = call(line, &folder) else { continue };
        let count = counts.entry((line.split(' ').next().unwrap_or_default(), name)).or_default();
        *count += 1;
        let is_read = name == "openat" && !line.contains("O_CREAT");
        if path.is_some() && (all || !is_read) {
            places.insert((name, *count));
        }
    }
    assert!(places.len() > 10, "{trace}");
    let (mut tried, mut wrong) = (0, Vec::new());
    for (name, count) in places {
        for error in ["EIO", "ENOSPC"].into_iter().skip(if all { 0 } else { count % 2 }).take(if all { 2 } else { 1 }) {
            fs::remove_dir_all(&folder).unwrap();
            copy(start, &folder);
            let (output, trace) = traced(&folder, &log, &names, Some(&format!("{name}:error={error}:when={count}")), arguments);
            let Some(line) = trace.lines().find(|line| line.contains("(INJECTED)")) else { continue };
            tried += 1;
            let said = said(&output);
            let mut fail = |what: &str| wrong.push(format!("{arguments:?}: {what}\n  {line}\n  {:?}: {said}", output.status));
            let now = contents(&folder.join("results"));
            let is_part = |path: &Path| path.extension().is_some_and(|end| end == "part");
            if now.iter().any(|(path, content)| !is_part(path) && expected.get(path) != Some(content) && contents(&start.join("results")).get(path) != Some(content)) {
                fail("an incomplete or wrong file");
            }
            let path = call(line, &folder).and_then(|(_, path)| path).unwrap_or_default();
            let is_named = |path: &Path| said.contains(&*path.to_string_lossy());
            match output.status.code() {
                _ if said.contains("panicked") => fail("a panic"),
                code if code == whole.status.code() => {
                    if expected.iter().any(|(path, content)| now.get(path) != Some(content)) {
                        fail("success with files missing");
                    }
                }
                Some(1..=3) if is_named(&path) || path.parent().is_some_and(|parent| parent != Path::new("") && is_named(parent)) => {}
                Some(1..=3) => fail("the path is not named"),
                _ => fail("an unexpected end"),
            }
            let again = program(&folder, &[], arguments);
            let now = contents(&folder.join("results"));
            if again.status.code() != whole.status.code() || now != expected {
                let differing: Vec<_> = now.iter().filter(|(path, content)| expected.get(*path) != Some(content)).map(|(path, _)| path).collect();
                fail(&format!("afterwards without errors: {:?}, differing {differing:?}", again.status));
            }
        }
    }
    let end = program(start, &[], arguments);
    assert_eq!(end.status.code(), whole.status.code(), "{}", self::said(&end));
    (tried, wrong)
}

#[test]
fn an_error_at_any_call_is_reported_and_harms_nothing() {
    if !Command::new("strace").args(["-f", "--seccomp-bpf", "-o", "/dev/null", "true"]).status().is_ok_and(|status| status.success()) {
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
            vec!["reproduce", "mine", "--jobs", "1"],
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
        for arguments in [vec!["reproduce", "mine"], vec!["verify", "mine", "--recompute", "100%"], vec!["reproduce", "mine"]] {
            let output = program(&folder, &with, &arguments);
            assert_eq!(output.status.code(), Some(0), "{start}: {arguments:?}: {}", said(&output));
        }
        assert!(at(".aB3dE9.part").exists(), "{start}: another program is writing this file");
        assert!(!at(".Zz9Zz9.part").exists(), "{start}: this file was left by a killed program");
        drop(held);
        fs::remove_file(at(".aB3dE9.part")).unwrap();
        let mut now = contents(&folder.join("results"));
        let times: String = now.values().map(|content| String::from_utf8_lossy(content).into_owned()).collect();
        assert!(!times.contains("1969-") && !times.contains("1938-"), "{start}");
        let timings = String::from_utf8(fs::read(at("timings.csv")).unwrap()).unwrap();
        assert!(!timings.split([',', '\n']).any(|cell| cell.parse().is_ok_and(|number: f64| number < 0.0)), "{timings}");
        now.retain(|path, _| !path.to_string_lossy().contains("times") && !path.ends_with("timings.csv") && !path.ends_with("manifest.json"));
        let expected = expected.get_or_insert_with(|| now.clone());
        let differing: Vec<_> = now.iter().filter(|(path, content)| expected.get(*path) != Some(content)).map(|(path, _)| path).collect();
        assert!(differing.is_empty() && now.len() == expected.len(), "{start}: {differing:?}");
    }
}
