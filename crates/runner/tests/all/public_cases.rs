//! Small inputs that stand for reports about multibody and ODE programs: each gives its right value, or is refused.
//!
//! The first lines of each file say what is expected of all its runs, `# right: COLUMN VALUE` (within 1e-6), or
//! `# refused: PART OF THE MESSAGE`. Robots are those of the tests of mechanisms. Right values come from closed forms,
//! from SciPy's DOP853 at 1e-13 (pendulums), and from Pinocchio 4.1.0 (two joints).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Copies all files of a folder below `crates`.
fn copy(from: &str, to: &Path) -> Vec<PathBuf> {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(from);
    let files = fs::read_dir(&from).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
    let copied = files.map(|file| {
        let file = file.unwrap().path();
        let new = to.join(file.file_name().unwrap());
        fs::copy(&file, &new).unwrap();
        new
    });
    copied.collect()
}

#[test]
fn each_public_case_has_its_right_value_or_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    copy("mechanisms/tests/robots", folder.path());
    let files = copy("runner/tests/public_cases", folder.path());
    assert!(files.len() > 10);
    for file in files {
        let name = file.file_stem().unwrap().to_str().unwrap();
        let text = fs::read_to_string(&file).unwrap();
        let lines = |key: &str| text.lines().filter_map(move |line| line.strip_prefix(key)).collect::<Vec<_>>();
        let output = Command::new(env!("CARGO_BIN_EXE_mbsbench"))
            .current_dir(folder.path())
            .args(["run", &format!("{name}.yaml"), "--out", "results", "--cache", "cache"])
            .output()
            .unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        let (refused, right) = (lines("# refused: "), lines("# right: "));
        assert_eq!(output.status.code(), Some(if refused.is_empty() { 0 } else { 2 }), "{name}: {err}");
        assert!(!refused.is_empty() || !right.is_empty(), "{name}");
        refused.iter().for_each(|part| assert!(err.contains(part), "{name}: {err}"));
        if right.is_empty() {
            continue;
        }
        let mut reader = csv::Reader::from_path(folder.path().join(format!("results/cases/{name}/runs.csv"))).unwrap();
        let headers = reader.headers().unwrap().clone();
        let column = |name: &str| headers.iter().position(|own| own == name).unwrap_or_else(|| panic!("{name}"));
        for row in reader.records().map(Result::unwrap) {
            let value = |name: &str| row[column(name)].parse::<f64>().unwrap_or(f64::NAN);
            for line in &right {
                let (of, expected) = line.split_once(' ').unwrap();
                let error = (value(of) - expected.parse::<f64>().unwrap()).abs();
                assert!(error <= 1e-6, "{name}: {of} is {}: {row:?}", value(of));
            }
        }
    }
}
