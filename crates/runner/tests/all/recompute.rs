//! Results that were changed after they were written: seals detect an edit, the manifest of all results and `verify
//! --recompute` also one that was sealed again in its folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

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

    // A contradiction that is no deviation refutes a run whatever its experiment expects.
    find(&at("cache"), &json!({ "refuted": { "about": null, "why": "a missed event\nin mine.py" }, "doubts": [] }));
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
        assured("0 vouched, 6 unvouched, 0 refuted\n  6 unvouched: it drifts");
    }
    let cases = "expects: energy\ncases: [{ case: one }, { case: two, expects: drift }]\n";
    let cased = text.replace("step, columns: method", "[case, step], columns: method") + cases;
    fs::write(at("pendulum.yaml"), cased).unwrap();
    let (_, said) = run();
    assert!(said.contains("\n6 vouched, 6 unvouched, 0 refuted\n  6 unvouched: it drifts\n"), "{said}");

    // Every solved run has findings.
    find(&at("cache"), &Value::Null);
    let (_, said) = run();
    assert!(said.contains("its findings belong to another run; the entry is discarded"), "{said}");
}

#[test]
fn a_forged_entry_of_the_store_is_found_by_its_results() {
    let folder = reproduced();
    let runs = folder.path().join("results/mine/pendulum/runs.csv");
    let whole = fs::read_to_string(&runs).unwrap();
    let is_forged: Vec<bool> = entries(&folder.path().join("cache")).iter().map(|path| forge(path)).collect();
    assert_eq!(is_forged.iter().filter(|&&is| is).count(), 6, "runs, and no reference");
    // An entry with a correct checksum is used, and recomputed only on request.
    let (exit, said) = reproduce(folder.path());
    assert!(exit == Exit::Done && said.contains("6 runs, 6 from the cache"), "{said}");
    let (exit, said) = again(folder.path(), "100%", "1");
    assert_eq!(exit, Exit::Differs, "{said}");
    assert!(said.contains("6 runs recomputed with --seed 1: 6 differ from the results"), "{said}");
    assert_eq!(said.matches("the cache entry differs from the recomputed run and was deleted").count(), 6, "{said}");
    let (exit, said) = reproduce(folder.path());
    assert!(exit == Exit::Done && said.contains("6 runs, 0 from the cache"), "{said}");
    assert_eq!(fs::read_to_string(&runs).unwrap(), whole);

    // An entry that no result was made from is found, too.
    assert!(entries(&folder.path().join("cache")).iter().any(|path| forge(path)));
    let (exit, said) = again(folder.path(), "100%", "1");
    assert!(exit == Exit::Differs && said.contains(": 0 differ from the results"), "{said}");
    assert!(said.matches("was deleted").count() == 1, "{said}");
    let (exit, said) = again(folder.path(), "100%", "1");
    assert!(exit == Exit::Done && !said.contains("was deleted"), "{said}");
    let (exit, said) = reproduce(folder.path());
    assert!(exit == Exit::Done && said.contains("6 runs, 5 from the cache"), "{said}");
    assert_eq!(fs::read_to_string(&runs).unwrap(), whole);
}

const SECOND: &str = "\
id: mine/second
model: pendulum
span: [0.0, 0.5]
known: { defaults: printed }
method: [dopri5, radau5]
tolerance: [1e-4, 1e-6]
measures: [energy_variation]
";

/// Runs the program in a folder.
fn mbsbench(folder: &Path, arguments: &str) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mbsbench"));
    let ended = command.current_dir(folder).args(arguments.split_whitespace()).output().unwrap();
    (ended.status.code(), String::from_utf8([ended.stdout, ended.stderr].concat()).unwrap())
}

/// A folder with two experiments that were reproduced, and a manifest of all results.
fn whole() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mine = folder.path().join("experiments/mine");
    fs::create_dir_all(&mine).unwrap();
    fs::write(mine.join("pendulum.yaml"), EXPERIMENT).unwrap();
    fs::write(mine.join("second.yaml"), SECOND).unwrap();
    fs::write(mine.join("claims.yaml"), CLAIMS).unwrap();
    assert_eq!(mbsbench(folder.path(), "reproduce").0, Some(0));
    folder
}

/// Returns the root of a map of hashes, as `docs/trust.md` describes it.
fn root(hashes: &Value) -> String {
    let hashes = hashes.as_object().unwrap().iter().map(|(name, hash)| format!("{} {name}\n", hash.as_str().unwrap()));
    let mut lines: Vec<String> = hashes.collect();
    lines.sort_by(|one, other| one.split_once(' ').unwrap().1.cmp(other.split_once(' ').unwrap().1));
    blake3::hash(lines.concat().as_bytes()).to_hex().to_string()
}

/// Changes the manifest in a folder.
fn remake(folder: &Path, change: impl FnOnce(&mut Value)) -> Value {
    let path = folder.join("manifest.json");
    let mut manifest = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut manifest);
    fs::write(&path, manifest.to_string()).unwrap();
    manifest
}

/// Lists the present content of `runs.csv` in the manifest of its folder and, if asked, in that of all results.
fn reseal(results: &Path, id: &str, in_both: bool) {
    let folder = results.join(id);
    let hash = blake3::hash(&fs::read(folder.join("runs.csv")).unwrap()).to_hex().to_string();
    let own = remake(&folder, |manifest| manifest["outputs"]["runs.csv"] = hash.into());
    if in_both {
        remake(results, |manifest| {
            manifest["folders"][id] = root(&own["outputs"]).into();
            manifest["root"] = root(&manifest["folders"]).into();
        });
    }
}

/// Edits the text of `runs.csv` in one of eight ways.
fn edited(text: &str, kind: usize, other: &str, mut below: impl FnMut(usize) -> usize) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let row = 1 + below(lines.len() - 1);
    match kind {
        1 => drop(lines.remove(row)),
        2 => lines.swap(row, if row == 1 { 2 } else { row - 1 }),
        3 => {
            let mut cells: Vec<&str> = lines[row].split(',').collect();
            let full: Vec<usize> = (0..cells.len()).filter(|&cell| !cells[cell].is_empty()).collect();
            cells[full[below(full.len())]] = "";
            lines[row] = cells.join(",");
        }
        4 => lines.push(lines[row].clone()),
        5 => lines[row] = lines[row].replace(",ok,", ",newton-diverged,"),
        6 => return other.to_owned(),
        // A digit changes, for the last kind with the seal of the folder.
        _ => {
            let digits: Vec<usize> = lines[row].match_indices(|c: char| c.is_ascii_digit()).map(|at| at.0).collect();
            let at = digits[below(digits.len())];
            let digit = (lines[row].as_bytes()[at] - b'0' + 1) % 10;
            lines[row].replace_range(at..=at, &digit.to_string());
        }
    }
    lines.join("\n") + "\n"
}

#[test]
fn every_edit_is_named() {
    let folder = whole();
    let results = folder.path().join("results");
    let ids = ["mine/pendulum", "mine/second"];
    let texts = ids.map(|id| fs::read_to_string(results.join(id).join("runs.csv")).unwrap());
    let [first, second, all] =
        [ids[0], ids[1], "."].map(|id| fs::read(results.join(id).join("manifest.json")).unwrap());
    let mut state = 49_u64;
    let mut below = |count: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % count
    };
    for number in 0..64 {
        let (kind, which) = (number % 8, below(2));
        let path = results.join(ids[which]).join("runs.csv");
        let text = edited(&texts[which], kind, &texts[1 - which], &mut below);
        assert_ne!(text, texts[which], "edit {number}");
        fs::write(&path, &text).unwrap();
        if kind == 7 {
            reseal(&results, ids[which], false);
        }
        let name = if kind == 7 { "manifest.json" } else { "runs.csv" };
        let said = format!("{}/{name} was changed after it was written", ids[which]);
        let (exit, output) = end(folder.path(), &["verify", "mine"]);
        assert!(exit == Exit::Differs && output.contains(&said), "edit {number}: {output}");
        fs::write(&path, &texts[which]).unwrap();
        fs::write(path.with_file_name("manifest.json"), [&first, &second][which]).unwrap();
        assert_eq!(end(folder.path(), &["verify", "mine"]).0, Exit::Done, "edit {number} is undone");
    }
    // If all manifests are replaced, only a signature or a recomputation notices an edit.
    edit(folder.path());
    reseal(&results, ids[0], true);
    let (exit, output) = end(folder.path(), &["verify", "mine"]);
    assert!(exit == Exit::Done && !output.contains("sealed"), "{output}");
    assert_eq!(again(folder.path(), "100%", "1").0, Exit::Differs);
    fs::write(results.join("manifest.json"), all).unwrap();
    assert_eq!(end(folder.path(), &["verify", "mine"]).0, Exit::Differs);
}

#[test]
fn results_made_later_raise_no_alarm() {
    let folder = whole();
    let at = |name: &str| folder.path().join(name);
    let manifest = fs::read(at("results/manifest.json")).unwrap();
    assert_eq!(mbsbench(folder.path(), "reproduce --fresh").0, Some(0));
    assert!(fs::read(at("results/manifest.json")).unwrap() == manifest, "the same results, the same manifest");
    fs::write(at("experiments/mine/second.yaml"), SECOND.replace("1e-6", "1e-7")).unwrap();
    fs::write(at("experiments/mine/third.yaml"), SECOND.replace("second", "third")).unwrap();
    for arguments in [
        "run experiments/mine/second.yaml",
        "run experiments/mine/third.yaml",
        "render mine/pendulum --to svg",
        "reproduce mine/second mine/third",
        "reproduce mine",
        "reproduce",
    ] {
        let (code, said) = mbsbench(folder.path(), arguments);
        assert!(code == Some(0) && !said.contains("sealed"), "{arguments}: {said}");
        let (code, said) = mbsbench(folder.path(), "verify");
        assert!(code == Some(0) && !said.contains("sealed"), "after {arguments}: {said}");
    }
    // An edit that was sealed again is overwritten by the next run.
    edit(folder.path());
    reseal(&at("results"), "mine/pendulum", false);
    assert_eq!(mbsbench(folder.path(), "verify").0, Some(1));
    assert_eq!(mbsbench(folder.path(), "reproduce mine/pendulum").0, Some(0));
    assert_eq!(mbsbench(folder.path(), "verify --recompute 100%").0, Some(0));
}

#[test]
fn signatures_of_the_manifest_are_checked() {
    let keygen = |folder: &Path, arguments: &[&str]| {
        Command::new("ssh-keygen").current_dir(folder).args(arguments).output().map(|ended| ended.status.success())
    };
    if keygen(Path::new("."), &["-?"]).is_err() {
        eprintln!("ssh-keygen is not installed: signatures were not tested");
        return;
    }
    let folder = whole();
    let at = |name: &str| folder.path().join(name);
    for key in ["key", "other"] {
        assert!(keygen(folder.path(), &["-q", "-t", "ed25519", "-N", "", "-f", key]).unwrap());
        let public = fs::read_to_string(at(&format!("{key}.pub"))).unwrap();
        fs::write(at(&format!("{key}s")), format!("{key}@example.org {public}")).unwrap();
    }
    let verify = |signers: &str| mbsbench(folder.path(), &format!("verify {signers}"));
    let (code, said) = verify("--signers keys");
    assert!(code == Some(1) && said.contains("results/manifest.json: the signature is not valid: "), "{said}");
    assert!(
        keygen(folder.path(), &["-q", "-Y", "sign", "-n", "mbsbench", "-f", "key", "results/manifest.json"]).unwrap()
    );
    let (code, said) = verify("");
    assert!(code == Some(0) && said.contains("results/manifest.json.sig: not checked; use `--signers FILE`"), "{said}");
    let (code, said) = verify("--signers keys");
    assert!(code == Some(0) && said.contains("results/manifest.json: signed by key@example.org"), "{said}");
    let (code, said) = verify("--signers others");
    assert!(code == Some(1) && said.contains("the signature is not valid"), "{said}");
    let (code, said) = verify("--signers nowhere");
    assert!(code == Some(1) && said.contains("the signature is not valid"), "{said}");
    // The same results keep their signature; others, even with all manifests replaced, do not.
    assert_eq!(mbsbench(folder.path(), "run experiments/mine/second.yaml --fresh").0, Some(0));
    assert_eq!(verify("--signers keys").0, Some(0));
    edit(folder.path());
    reseal(&at("results"), "mine/pendulum", true);
    let (code, said) = verify("--signers keys");
    assert!(code == Some(1) && said.contains("the signature is not valid"), "{said}");
}

#[test]
fn audits_show_the_worst_runs_and_change_no_exit_code() {
    let folder = whole();
    let (code, said) = mbsbench(folder.path(), "verify --audit=100% --seed 3");
    assert_eq!(code, Some(0), "{said}");
    for part in ["difference at the end", "constant step", "| 1e-6", "above the accuracy asked"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(said.contains("10 runs audited with --seed 3: ") && said.contains("; 0 others"), "{said}");
    assert!(!mbsbench(folder.path(), "verify").1.contains("audited"));
    let (code, said) = mbsbench(folder.path(), "verify --audit");
    assert!(code == Some(0) && said.contains(" audited with --seed "), "{said}");
    for (arguments, what) in [("verify --seed 3", "--recompute"), ("verify --audit=0%", "from above 0%")] {
        let (code, said) = mbsbench(folder.path(), arguments);
        assert!(code == Some(2) && said.contains(what), "{said}");
    }
}
