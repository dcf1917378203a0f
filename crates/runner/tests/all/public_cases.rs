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
        let within = lines("# within: ").first().map_or(1e-6, |within| within.parse::<f64>().unwrap());
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
                assert!(error <= within, "{name}: {of} is {}: {row:?}", value(of));
            }
        }
    }
}

/// Gravity under which no step of this size can be solved: relative to the accelerations, corrections are small that
/// move the bodies out of reach of their joints.
const PULLED: &str = "\
id: cases/pulled
model:
  mechanism:
    gravity: [0, -GRAVITY]
    bodies:
      one: { mass: 1, shape: { rod: { length: 1 } }, markers: { left: [-0.5, 0], right: [0.5, 0] } }
      two: { mass: 1, shape: { rod: { length: 1 } }, markers: { left: [-0.5, 0] } }
    joints:
      first: { revolute: { between: [ground, one.left] } }
      second: { revolute: { between: [one.right, two.left] } }
span: [0, 0.3]
method:
  [hht-i3, newmark, nstiff, hht-add, hht-si2, nstiff-si2, generalized-alpha, generalized-alpha-i2,
   generalized-alpha-si2, lie-generalized-alpha, bliedf, rattle, shake, lms2, bathe, mssth4, radau5]
step: 0.01
measures: [constraint_max]
";

#[test]
fn iterations_converge_only_near_the_constraints() {
    for gravity in ["1e20", "1e150", "1e300"] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("pulled.yaml"), PULLED.replace("GRAVITY", gravity)).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_mbsbench"));
        command.current_dir(folder.path()).args(["run", "pulled.yaml", "--out", "results", "--cache", "cache"]);
        let output = command.output().unwrap();
        let rows = fs::read_to_string(folder.path().join("results/cases/pulled/runs.csv"));
        let rows = rows.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        assert_eq!(rows.lines().count(), 18, "{rows}");
        for row in rows.lines().skip(1) {
            let cells: Vec<&str> = row.split(',').collect();
            assert!(cells[2] != "ok" || cells[4].parse::<f64>().unwrap() < 0.1, "{gravity}: {row}");
        }
    }
}
