//! `verify --recompute`: what is stored is made again, and what was forged is found.

use std::fs;
use std::path::{Path, PathBuf};

use mbsbench::Registry;
use mbsbench::cli::{self, Exit};

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
    let [experiments, cache] = ["experiments", "cache"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let all = [&["mbsbench", "--experiments", &experiments], arguments, &["--cache", &cache]].concat();
    let exit = cli::run(&Registry::builtin(), all, &mut stdout, &mut stderr, false);
    (exit, String::from_utf8([stdout, stderr].concat()).unwrap())
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let of = |folder: PathBuf| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut entries: Vec<PathBuf> = of(folder.to_owned()).filter(|path| path.is_dir()).flat_map(of).collect();
    entries.sort();
    entries
}

/// Changes a number of an entry and gives it the checksum of its new content.
fn forge(path: &Path) -> bool {
    let text = fs::read_to_string(path).unwrap();
    let (head, record) = text.split_once('\n').unwrap();
    let Some((before, after)) = record.split_once("\"values\":[\"") else { return false };
    let forged = format!("{before}\"values\":[\"{}{after}", if after.starts_with('9') { "1" } else { "9" });
    let record = forged.trim_end_matches('\n');
    let old = head.split("\"sum\":\"").nth(1).unwrap().split('"').next().unwrap();
    let new = blake3::hash(record.as_bytes()).to_hex().to_string();
    fs::write(path, format!("{}\n{forged}", head.replace(old, &new))).unwrap();
    true
}

#[test]
fn a_forged_entry_is_found_where_its_run_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let mine = folder.path().join("experiments/mine");
    fs::create_dir_all(&mine).unwrap();
    fs::write(mine.join("pendulum.yaml"), EXPERIMENT).unwrap();
    fs::write(mine.join("claims.yaml"), CLAIMS).unwrap();
    let (exit, said) = end(folder.path(), &["reproduce", "mine"]);
    assert_eq!(exit, Exit::Done, "{said}");

    let again = |share: &str, seed: &str| end(folder.path(), &["verify", "mine", "--recompute", share, "--seed", seed]);
    let (exit, said) = again("100%", "7");
    assert_eq!(exit, Exit::Done, "{said}");
    assert!(said.contains("6 stored runs made again with --seed 7: 0 differ"), "{said}");
    // A seed draws the same runs each time.
    let some: Vec<String> = (0..20).map(|seed| again("50%", &seed.to_string()).1).collect();
    assert_eq!(some[3], again("50%", "3").1);
    assert!(some.iter().any(|one| !one.contains("3 stored runs")) && some.iter().all(|one| one.contains(": 0 differ")));

    let is_forged: Vec<bool> = entries(&folder.path().join("cache")).iter().map(|path| forge(path)).collect();
    assert_eq!(is_forged.iter().filter(|&&is| is).count(), 6, "runs, and no reference");
    // What has the right checksum is believed, and made again only where somebody asks.
    let (exit, said) = end(folder.path(), &["reproduce", "mine"]);
    assert!(exit == Exit::Done && said.contains("6 runs, 6 from the store"), "{said}");
    let (exit, said) = again("100%", "1");
    assert_eq!(exit, Exit::Differs, "{said}");
    assert!(said.contains("not as stored: mine/pendulum method=rk3, step=0.01 ("), "{said}");
    assert!(said.contains("6 stored runs made again with --seed 1: 6 differ"), "{said}");
}
