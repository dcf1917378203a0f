//! Results that were changed after they were written: seals detect an edit, and `verify --recompute` also detects one
//! that was sealed again.

use std::fs;
use std::path::{Path, PathBuf};

use mbsbench::Registry;
use mbsbench::cli::{self, Exit};
use serde_json::{Value, json};

const EXPERIMENT: &str = "\
id: mine/pendulum
model: pendulum
span: [0.0, 0.5]
known: { defaults: printed }
method: [rk3, rk5, rk8]
step: [0.01, 0.02]
measures: [energy_variation, { error: { of: theta } }]
reference: { method: rk8, step: 0.005, check: { method: gbs, step: 0.01 } }
plots: [{ id: swing, x: t, y: theta }]
";

const CLAIMS: &str = "\
schema: 2
paper: mine
statements:
  - id: swings
    place: Section 1
    says: It swings.
    failure: { experiment: pendulum, completes: true }
";

fn end(folder: &Path, arguments: &[&str]) -> (Exit, String) {
    let experiments = folder.join("experiments");
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let all = [&["mbsbench", "--experiments", experiments.to_str().unwrap()], arguments].concat();
    let exit = cli::run(&Registry::builtin(), all, &mut stdout, &mut stderr, false);
    (exit, String::from_utf8([stdout, stderr].concat()).unwrap())
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let of = |folder: PathBuf| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut entries: Vec<PathBuf> = of(folder.to_owned()).filter(|path| path.is_dir()).flat_map(of).collect();
    entries.sort();
    entries
}

/// Changes a number in an entry and updates its checksum.
fn forge(path: &Path) -> bool {
    let text = fs::read_to_string(path).unwrap();
    let Some((before, after)) = text.split_once("\"values\":[\"") else { return false };
    let forged = format!("{before}\"values\":[\"{}{after}", if after.starts_with('9') { "1" } else { "9" });
    write_sealed(path, forged.split_once('\n').unwrap());
    true
}

/// Writes an entry with the right checksum.
fn write_sealed(path: &Path, (head, record): (&str, &str)) {
    let old = head.split("\"sum\":\"").nth(1).unwrap().split('"').next().unwrap();
    let new = blake3::hash(record.as_bytes()).to_hex().to_string();
    fs::write(path, format!("{}\n{record}", head.replace(old, &new))).unwrap();
}

/// Sets the findings of all runs in a cache.
fn find(cache: &Path, findings: &Value) {
    for path in entries(cache) {
        let text = fs::read_to_string(&path).unwrap();
        let (head, record) = text.split_once('\n').unwrap();
        let mut record: Value = serde_json::from_str(record).unwrap();
        if record.get("findings").is_some() {
            record["findings"] = findings.clone();
            write_sealed(&path, (head, &record.to_string()));
        }
    }
}

/// A folder with an experiment that was reproduced.
fn reproduced() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mine = folder.path().join("experiments/mine");
    fs::create_dir_all(&mine).unwrap();
    fs::write(mine.join("pendulum.yaml"), EXPERIMENT).unwrap();
    fs::write(mine.join("claims.yaml"), CLAIMS).unwrap();
    let (exit, said) = reproduce(folder.path());
    assert_eq!(exit, Exit::Done, "{said}");
    folder
}

fn reproduce(folder: &Path) -> (Exit, String) {
    end(folder, &["reproduce", "mine", "--cache", folder.join("cache").to_str().unwrap()])
}

fn again(folder: &Path, share: &str, seed: &str) -> (Exit, String) {
    let cache = folder.join("cache");
    end(folder, &["verify", "mine", "--recompute", share, "--seed", seed, "--cache", cache.to_str().unwrap()])
}

/// Sets the energy variation of all runs.
fn edit(folder: &Path) {
    let path = folder.join("results/mine/pendulum/runs.csv");
    let rows = fs::read_to_string(&path).unwrap();
    let edited = rows.lines().enumerate().map(|(number, row)| {
        let mut cells: Vec<&str> = row.split(',').collect();
        if number > 0 {
            cells[5] = "1e-12";
        }
        cells.join(",") + "\n"
    });
    fs::write(&path, edited.collect::<String>()).unwrap();
}

/// The commands that rely on results.
const READERS: [&[&str]; 6] = [
    &["verify", "mine"],
    &["verify"],
    &["render", "--to", "html"],
    &["explain", "mine/swings"],
    &["render", "mine/swings", "--to", "csv"],
    &["render", "mine/swing", "--to", "pgfplots"],
];

#[test]
fn every_command_refuses_edited_results() {
    let folder = reproduced();
    let at = |name: &str| folder.path().join("results").join(name);
    let whole = fs::read_to_string(at("mine/pendulum/runs.csv")).unwrap();
    for reader in READERS {
        let (exit, said) = end(folder.path(), reader);
        assert!(exit == Exit::Done && !said.contains("sealed"), "{reader:?}: {said}");
    }
    // The content of a file after git converted its line ends.
    fs::write(at("mine/pendulum/runs.csv"), whole.replace('\n', "\r\n")).unwrap();
    for reader in READERS {
        assert_eq!(end(folder.path(), reader).0, Exit::Done, "{reader:?}");
    }
    edit(folder.path());
    fs::remove_file(at("mine/claims.json")).unwrap();
    fs::remove_dir_all(at("report")).unwrap();
    for reader in READERS {
        let (exit, said) = end(folder.path(), reader);
        assert_eq!(exit, Exit::Differs, "{reader:?}: {said}");
        assert!(said.contains("runs.csv was changed after it was written"), "{reader:?}: {said}");
        assert!(said.contains("`mbsbench reproduce mine/pendulum` computes them again"), "{reader:?}: {said}");
        assert!(!said.contains("reproduced"), "{reader:?}: {said}");
    }
    assert!(!at("mine/claims.json").exists() && !at("report").exists(), "nothing is written either");
    let (exit, said) = again(folder.path(), "100%", "1");
    assert_eq!(exit, Exit::Differs, "{said}");

    // Recomputed results are as before.
    let (exit, said) = reproduce(folder.path());
    assert_eq!(exit, Exit::Done, "{said}");
    assert_eq!(fs::read_to_string(at("mine/pendulum/runs.csv")).unwrap(), whole);
    assert_eq!(end(folder.path(), READERS[0]).0, Exit::Done);

    // A figure is not exported with numbers other than those it was drawn with.
    let figure = at("mine/pendulum/swing.csv");
    fs::write(&figure, fs::read_to_string(&figure).unwrap().replacen("0.", "1.", 1)).unwrap();
    let (exit, said) = end(folder.path(), READERS[5]);
    assert!(exit == Exit::Differs && said.contains("swing.csv was changed after it was written"), "{said}");
}

#[test]
fn results_without_a_seal_are_used_with_a_note() {
    let folder = reproduced();
    fs::remove_file(folder.path().join("results/mine/pendulum/manifest.json")).unwrap();
    for reader in READERS {
        let (exit, said) = end(folder.path(), reader);
        assert_eq!(exit, Exit::Done, "{reader:?}: {said}");
        assert!(said.contains("are not sealed: no manifest lists them"), "{reader:?}: {said}");
    }
    assert_eq!(reproduce(folder.path()).0, Exit::Done);
    assert!(!end(folder.path(), READERS[0]).1.contains("sealed"));
}

#[test]
fn judged_results_are_compared_with_recomputed_runs() {
    let folder = reproduced();
    let (exit, said) = again(folder.path(), "100%", "7");
    assert_eq!(exit, Exit::Done, "{said}");
    assert!(said.contains("6 runs recomputed with --seed 7: 0 differ"), "{said}");
    // A seed selects the same runs each time.
    let some: Vec<String> = (0..20).map(|seed| again(folder.path(), "50%", &seed.to_string()).1).collect();
    assert_eq!(some[3], again(folder.path(), "50%", "3").1);
    assert!(some.iter().any(|one| !one.contains("3 runs")) && some.iter().all(|one| one.contains(": 0 differ")));

    // An edit that was sealed again is detected with or without a cache.
    edit(folder.path());
    fs::remove_file(folder.path().join("results/mine/pendulum/manifest.json")).unwrap();
    for cache in ["cache", "elsewhere"] {
        let cache = folder.path().join(cache);
        let cache = cache.to_str().unwrap();
        let (exit, said) =
            end(folder.path(), &["verify", "mine", "--recompute", "100%", "--seed", "1", "--cache", cache]);
        assert_eq!(exit, Exit::Differs, "{said}");
        assert!(said.contains("pendulum/runs.csv: mine/pendulum method=rk3, step=0.01 ("), "{said}");
        assert!(said.contains("energy_variation was 1e-12 and is "), "{said}");
        assert!(said.contains("6 runs recomputed with --seed 1: 6 differ from the results"), "{said}");
    }
}

#[test]
fn refuted_runs_are_named_and_have_no_rank() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let ranking = "rankings: [{ title: a, error: error(theta), meaning: of the angle, work: { cost: rhs_cost } }]\n\
                   tables: [{ id: energy, rows: step, columns: method, value: energy_variation }]\n";
    let text = EXPERIMENT.replace("measures: [", "measures: [rhs_cost, ") + ranking;
    fs::write(at("pendulum.yaml"), &text).unwrap();
    let [file, out, cache] = ["pendulum.yaml", "out", "cache"].map(|name| at(name).display().to_string());
    let run = || end(folder.path(), &["run", &file, "--out", &out, "--cache", &cache]);
    let read = |name: &str| fs::read_to_string(at("out/mine/pendulum").join(name)).unwrap();
    let (exit, said) = run();
    assert!(exit == Exit::Done && said.contains(" 0 refuted\n"), "{said}");
    assert!(read("runs.csv").starts_with("method,step,status,assurance,t_reached,"));
    let key = |row: &str| row.rsplit(',').nth(1).unwrap().to_owned();
    let keys: Vec<String> = read("runs.csv").lines().skip(1).map(key).collect();
    assert!(keys.len() == 6 && keys.iter().any(|key| read("ranking.csv").contains(key)));

    // A contradiction refutes a run regardless of what its experiment expects.
    find(&at("cache"), &json!({ "refuted": "a missed event\nin mine.py", "doubts": [] }));
    fs::write(at("pendulum.yaml"), text.clone() + "expects: [drift, energy, wrong]\n").unwrap();
    let (exit, said) = run();
    assert_eq!(exit, Exit::Differs, "{said}");
    let first = keys.iter().min().unwrap();
    assert!(said.contains(&format!("6 refuted runs: {first} and 5 other runs: a missed event\n")), "{said}");
    assert!(said.contains("\n0 vouched, 0 unvouched, 6 refuted\n") && !said.contains("reached its end"), "{said}");
    assert!(read("runs.csv").contains(",ok,refuted: a missed event,0.5,"));
    assert!(!keys.iter().any(|key| read("ranking.csv").contains(key)), "{}", read("ranking.csv"));
    assert!(read("ranking.md").contains("including 6 that contradict their own equations"));
    assert!(read("energy.csv").contains(",refuted,0.5"), "{}", read("energy.csv"));

    // What an experiment expects is not part of the keys of its runs.
    find(&at("cache"), &json!({ "refuted": null, "doubts": [{ "about": "drift", "why": "it drifts" }] }));
    let assured = |counts: &str| {
        let (exit, said) = run();
        assert!(exit == Exit::Done && said.contains("6 runs, 6 from the cache"), "{said}");
        assert!(said.contains(&format!("\n{counts}\n")), "{said}");
    };
    assured("6 vouched, 0 unvouched, 0 refuted");
    for expects in ["", "expects: energy\n"] {
        fs::write(at("pendulum.yaml"), text.clone() + expects).unwrap();
        assured("0 vouched, 6 unvouched: it drifts, 0 refuted");
    }
    let cases = "expects: energy\ncases: [{ case: one }, { case: two, expects: drift }]\n";
    let cased = text.replace("step, columns: method", "[case, step], columns: method") + cases;
    fs::write(at("pendulum.yaml"), cased).unwrap();
    let (_, said) = run();
    assert!(said.contains("\n6 vouched, 6 unvouched: it drifts, 0 refuted\n"), "{said}");

    // Every solved run has findings.
    find(&at("cache"), &Value::Null);
    let (_, said) = run();
    assert!(said.contains("its findings belong to another run; the entry is discarded"), "{said}");
}

#[test]
fn a_forged_entry_of_the_store_is_found_by_its_results() {
    let folder = reproduced();
    let is_forged: Vec<bool> = entries(&folder.path().join("cache")).iter().map(|path| forge(path)).collect();
    assert_eq!(is_forged.iter().filter(|&&is| is).count(), 6, "runs, and no reference");
    // An entry with a correct checksum is used, and recomputed only on request.
    let (exit, said) = reproduce(folder.path());
    assert!(exit == Exit::Done && said.contains("6 runs, 6 from the cache"), "{said}");
    let (exit, said) = again(folder.path(), "100%", "1");
    assert_eq!(exit, Exit::Differs, "{said}");
    assert!(said.contains("6 runs recomputed with --seed 1: 6 differ from the results"), "{said}");
}
