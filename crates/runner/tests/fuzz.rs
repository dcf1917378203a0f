//! Mutates inputs many times and checks that nothing panics or takes long: experiments, robots, ledgers, `paper.yaml`,
//! entries of the cache, stored references, published tables, `runs.csv` and `diff`.
//!
//! The default is a few hundred inputs for each; `make fuzz` runs for ten minutes. `FUZZ_SECONDS` sets the duration,
//! `FUZZ_SEED` the mutations. An input that fails is written to `target/fuzz/`.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fastrand::Rng;
use mbsbench::Registry;
use mbsbench::cache::{Cache, consistency};
use mbsbench::claims::{Book, Evidence, Ledger};
use mbsbench::cli;
use mbsbench::execute::panics::catch_panic;
use mbsbench::execute::run::{Record, Trajectory};
use mbsbench::experiment::Published;
use mbsbench::input::Document;
use mbsbench::plan::{Plan, StoredReference};
use mbsbench_problem::{Findings, Status};

/// Longest time for an input, including delays on a loaded machine.
const LONGEST: Duration = Duration::from_secs(10);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Files of the repository below a folder whose paths `ends` accepts, except large ones.
fn corpus(folder: &str, ends: impl Fn(&str) -> bool) -> Vec<(PathBuf, Vec<u8>)> {
    let files = walkdir::WalkDir::new(root().join(folder)).sort_by_file_name().into_iter().filter_map(Result::ok);
    let files = files.filter(|file| ends(&file.path().to_string_lossy().replace('\\', "/")));
    let read = files.map(|file| (file.path().to_owned(), fs::read(file.path()).unwrap()));
    let found: Vec<_> = read.filter(|(_, bytes)| bytes.len() < 130_000).collect();
    assert!(!found.is_empty(), "{folder}");
    found
}

/// Words that break careless parsers.
const WORDS: [&str; 34] = [
    "0",
    "-1",
    "1e308",
    "-1e308",
    "5e-324",
    "1e999",
    ".inf",
    "-.inf",
    ".nan",
    "2^-1074",
    "2^99999",
    "9007199254740993",
    "18446744073709551616",
    "''",
    "\"\\u0000\"",
    "~",
    "true",
    "[]",
    "{}",
    "[[[[",
    "}}",
    "&a [*a, *a]",
    "*a",
    "!!binary x",
    "|",
    "- -",
    "? :",
    "\t",
    "\r\n",
    "\u{202e}",
    "\u{feff}",
    "../../x",
    "con",
    "every",
];

/// Changes a text in some places: bytes, words, lines, indentation, parts of other files.
fn mutated(rng: &mut Rng, text: &[u8], others: &[(PathBuf, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = text.to_vec();
    for _ in 0..=rng.usize(..4) {
        let at = rng.usize(..=bytes.len());
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-+^".contains(byte);
        let end = at + bytes[at..].iter().take_while(|byte| is_word(byte)).count();
        let start = at - bytes[..at].iter().rev().take_while(|byte| is_word(byte)).count();
        let line = bytes[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |place| place + 1);
        let next = bytes[at..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |place| at + place + 1);
        let other = &rng.choice(others).expect("a corpus").1;
        let lines: Vec<&[u8]> = other.split_inclusive(|&byte| byte == b'\n').collect();
        match rng.u8(..10) {
            0 if at < bytes.len() => bytes[at] ^= 1 << rng.u8(..8),
            1 => drop(bytes.splice(start..end, rng.choice(WORDS).unwrap_or_default().bytes())),
            2 => drop(bytes.splice(start..end, rng.f64().to_string().bytes())),
            3 => drop(bytes.drain(line..next)),
            4 => {
                let copy = bytes[line..next].to_vec();
                drop(bytes.splice(next..next, copy));
            }
            5 => drop(bytes.splice(line..line, rng.choice(&lines).copied().unwrap_or_default().to_vec())),
            6 => drop(bytes.splice(line..line, vec![b' '; rng.usize(..5)])),
            7 => bytes.truncate(at),
            8 => drop(bytes.splice(at..at, rng.choice(WORDS).unwrap_or_default().bytes())),
            _ => {
                let words: Vec<&[u8]> = other.split(|byte| !is_word(byte)).filter(|word| !word.is_empty()).collect();
                drop(bytes.splice(start..end, rng.choice(&words).copied().unwrap_or_default().to_vec()));
            }
        }
    }
    bytes
}

/// Tries mutations of a corpus for the given time; each is either read or refused.
fn fuzz(name: &str, corpus: &[(PathBuf, Vec<u8>)], mut read: impl FnMut(&Path, &[u8]) -> bool) {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("a whole number"));
    let (seconds, seed) = (number("FUZZ_SECONDS"), number("FUZZ_SEED").unwrap_or(1));
    let (mut rng, begin) = (Rng::with_seed(seed), Instant::now());
    let (mut inputs, mut accepted, mut slowest) = (0_u64, 0_u64, Duration::ZERO);
    while seconds.map_or(inputs < 300, |seconds| begin.elapsed().as_secs() < seconds) {
        let (path, text) = rng.choice(corpus).expect("a corpus");
        let bytes = mutated(&mut rng, text, corpus);
        let one = Instant::now();
        let outcome = catch_panic(|| read(path, &bytes));
        let took = one.elapsed();
        slowest = slowest.max(took);
        inputs += 1;
        accepted += u64::from(outcome == Ok(true));
        if outcome.is_err() || took > LONGEST {
            let kept = root().join(format!("target/fuzz/{name}-{seed}-{inputs}"));
            fs::create_dir_all(kept.parent().unwrap()).unwrap();
            fs::write(&kept, &bytes).unwrap();
            panic!("{name}: {outcome:?} in {took:?} of {}, kept in {}", path.display(), kept.display());
        }
    }
    assert!(
        accepted > 0,
        "{name}: nothing of {inputs} inputs was read, so that nothing behind the first refusal was tried"
    );
    eprintln!("{name}: {inputs} inputs, {accepted} of them read, slowest {slowest:?}, seed {seed}");
}

#[test]
fn experiments() {
    let registry = Registry::builtin();
    let corpus = corpus("experiments", |path| {
        path.ends_with(".yaml") && path.split("experiments/").last().is_some_and(|path| path.matches('/').count() == 1)
    });
    fuzz("experiments", &corpus, |path, bytes| Plan::read(path, bytes, &registry, false).is_ok());
}

#[test]
fn robots() {
    const RUN: &[u8] = b"id: a/robot\nmodel: { mechanism: r.urdf }\nspan: [0, 1]\nmethod: dopri5\ntolerance: 1e-6\n";
    let corpus = corpus("crates/runner/tests/robots", |path| path.ends_with(".urdf"));
    let registry = Registry::builtin();
    let folder = tempfile::tempdir().unwrap();
    fuzz("robots", &corpus, |_, bytes| {
        fs::write(folder.path().join("r.urdf"), bytes).unwrap();
        Plan::read(&folder.path().join("run.yaml"), RUN, &registry, false).is_ok()
    });
}

#[test]
fn ledgers() {
    let registry = Registry::builtin();
    let book = |path: &str| match path.rsplit('/').next() {
        Some("claims.yaml") => Some(Book::Claims),
        Some("anchors.yaml") => Some(Book::Anchors),
        _ => None,
    };
    let corpus = corpus("experiments", |path| book(path).is_some());
    let plans_beside = |ledger: &Path| -> Vec<Plan> {
        let files = fs::read_dir(ledger.parent().unwrap()).unwrap().map(|file| file.unwrap().path());
        let experiments = files.filter(|path| path.extension().is_some_and(|ending| ending == "yaml"));
        experiments.filter_map(|path| Plan::read(&path, &fs::read(&path).ok()?, &registry, false).ok()).collect()
    };
    let plans: HashMap<&PathBuf, Vec<Plan>> = corpus.iter().map(|(path, _)| (path, plans_beside(path))).collect();
    fuzz("ledgers", &corpus, |path, bytes| {
        let book = book(&path.to_string_lossy().replace('\\', "/")).unwrap();
        let plans = plans.iter().find(|(own, _)| own.as_path() == path).unwrap().1;
        Document::parse(path, bytes).and_then(|document| Ledger::read_unlocked(&document, book, plans)).is_ok()
    });
}

#[test]
fn publications() {
    let corpus = corpus("experiments", |path| path.ends_with("/paper.yaml"));
    let registry = Registry::builtin();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("paper.yaml");
    fuzz("publications", &corpus, |_, bytes| {
        fs::write(&path, bytes).unwrap();
        let all = ["mbsbench", "check", path.to_str().unwrap()];
        cli::run(&registry, all, &mut Vec::new(), &mut Vec::new(), false) == cli::Exit::Done
    });
}

#[test]
fn entries_of_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::new(folder.path(), "code");
    let curves = Trajectory {
        observables: vec!["x".to_owned(), "y".to_owned()],
        units: vec!["m".to_owned(); 2],
        times: vec![0.0, 0.5, 1.0],
        columns: vec![vec![0.5, f64::NEG_INFINITY, 1e-300]; 2],
    };
    let record = Record {
        status: Status::Ok,
        message: Some("a word".to_owned()),
        t_reached: 1.0,
        columns: vec!["a".to_owned(), "b".to_owned()],
        values: vec![Some(0.1), None],
        findings: Some(Findings::doubt("nobody looked")),
        trajectory: Some(curves),
    };
    cache.save("run", &record).unwrap();
    let file = walkdir::WalkDir::new(folder.path()).into_iter().filter_map(Result::ok);
    let path = file.map(walkdir::DirEntry::into_path).find(|path| path.is_file()).unwrap();
    let corpus = [(path.clone(), fs::read(&path).unwrap())];
    fuzz("entries", &corpus, |_, bytes| {
        // A correct checksum is needed to reach the code behind its check.
        let text = String::from_utf8_lossy(bytes);
        let sum = text.split_once('\n').map(|(_, record)| blake3::hash(record.as_bytes()).to_hex().to_string());
        let own = text.split_once("\"sum\":\"").and_then(|(_, rest)| rest.split('"').next()).unwrap_or_default();
        let sealed =
            sum.filter(|_| own.len() == 64).map_or_else(|| text.to_string(), |sum| text.replacen(own, &sum, 1));
        fs::write(&path, sealed).unwrap();
        let loaded = cache.load("run", consistency::of_record);
        let _ = cache.refused();
        loaded.is_some()
    });
}

#[test]
fn stored_references() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reference.csv");
    let file = root().join("experiments/zhang2022/references/rotating-shaft.csv");
    let text: Vec<u8> =
        fs::read(&file).unwrap().split_inclusive(|&byte| byte == b'\n').take(12).collect::<Vec<_>>().concat();
    fuzz("references", &[(file, text)], |_, bytes| {
        // As with entries, the checksum has to be correct.
        let own = |line: &&str| line.starts_with("# checksum: ");
        let text = String::from_utf8_lossy(bytes);
        let lines: String = text.lines().filter(|line| !own(line)).flat_map(|line| [line, "\n"]).collect();
        let sealed = format!("# checksum: {}\n{lines}", blake3::hash(lines.as_bytes()).to_hex());
        fs::write(&path, sealed).unwrap();
        StoredReference::read(&path).is_ok()
    });
}

#[test]
fn published_tables() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    let corpus = corpus("experiments", |path| path.contains("/published/") && path.ends_with(".csv"));
    fuzz("published", &corpus, |_, bytes| {
        fs::write(&path, bytes).unwrap();
        Published::read(&path).is_ok()
    });
}

#[test]
fn results() {
    let registry = Registry::builtin();
    let file = root().join("experiments/compere2001/pendulum-dae.yaml");
    let plan = Plan::read(&file, &fs::read(&file).unwrap(), &registry, false).unwrap();
    let results = tempfile::tempdir().unwrap();
    let path = results.path().join("compere2001/pendulum-dae/runs.csv");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let corpus = corpus("results/compere2001/pendulum-dae", |path| path.ends_with("/runs.csv"));
    let plans = [plan];
    fuzz("results", &corpus, |_, bytes| {
        fs::write(&path, bytes).unwrap();
        Evidence::read(results.path(), &plans, |_| true).is_ok()
    });
}

#[test]
fn differences() {
    let registry = Registry::builtin();
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
    let corpus = corpus("results/compere2001", |path| {
        path.ends_with("/runs.csv") || path.ends_with("pendulum-dae/table-3.1.csv")
    });
    for folder in [&one, &other] {
        fs::create_dir_all(folder).unwrap();
    }
    fs::write(one.join("runs.csv"), &corpus[0].1).unwrap();
    fuzz("diff", &corpus, |_, bytes| {
        fs::write(other.join("runs.csv"), bytes).unwrap();
        let all = ["mbsbench", "diff", one.to_str().unwrap(), other.to_str().unwrap()];
        let (mut said, mut beside) = (Vec::new(), Vec::new());
        let exit = cli::run(&registry, all, &mut said, &mut beside, false);
        assert!(!said.is_empty() || !beside.is_empty(), "it ends without a word");
        matches!(exit, cli::Exit::Done | cli::Exit::Differs)
    });
}
