//! Broken experiment files. Each message gives the place, the mistake, and the accepted input; the exit code is 2, and
//! nothing is written.
//!
//! The first line of each file of the corpus has the expected message:
//! `# LINE:COLUMN | part of the message | part of the help`.

use crate::bad_input_fixture as fixture;

use std::path::{Path, PathBuf};
use std::process::Command;

use mbsbench::Registry;
use mbsbench::cli::{self, Exit};

/// Exit code, standard output and standard error of `mbsbench` with the registry of the fixture.
fn mbsbench(arguments: &[&str]) -> (Exit, String, String) {
    with(&fixture::registry(), arguments)
}

/// Runs `mbsbench` with any registry.
pub(super) fn with(registry: &Registry, arguments: &[&str]) -> (Exit, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let all = std::iter::once("mbsbench").chain(arguments.iter().copied());
    let exit = cli::run(registry, all, &mut out, &mut err, false);
    (exit, String::from_utf8(out).expect("UTF-8"), String::from_utf8(err).expect("UTF-8"))
}

/// The files of a corpus.
fn corpus(name: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name);
    let files = std::fs::read_dir(folder).expect("the corpus").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "yaml")).collect();
    files.sort();
    files
}

/// The names in a folder, to check that nothing was written.
fn names(folder: &Path) -> Vec<PathBuf> {
    let mut names: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    names.sort();
    names
}

#[test]
fn every_broken_file_is_refused_at_the_right_place() {
    refused_at_their_places(&fixture::registry(), "bad_input", 60);
}

/// Checks mechanisms with the registry of the program.
#[test]
fn every_broken_mechanism_is_refused_at_the_right_place() {
    refused_at_their_places(&Registry::builtin(), "bad_mechanisms", 40);
}

/// Checks equations in experiments.
#[test]
fn every_broken_equation_is_refused_at_the_right_place() {
    refused_at_their_places(&Registry::builtin(), "bad_equations", 10);
}

/// Checks methods that are defined in files.
#[test]
fn every_broken_method_is_refused_at_the_right_place() {
    refused_at_their_places(&Registry::builtin(), "bad_methods", 8);
}

fn refused_at_their_places(registry: &Registry, name: &str, least: usize) {
    let files = corpus(name);
    assert!(files.len() >= least, "{} files", files.len());
    let mut wrong = Vec::new();
    for file in &files {
        let bytes = std::fs::read(file).expect("a file");
        let first = String::from_utf8_lossy(bytes.split(|&byte| byte == b'\n').next().expect("a line")).into_owned();
        let expected: Vec<&str> = first.trim_start_matches(['\u{feff}', '#']).split('|').map(str::trim).collect();
        let [position, message, help] = expected[..] else { panic!("{}: {first}", file.display()) };
        let (exit, out, err) = with(registry, &["check", file.to_str().expect("UTF-8")]);
        let headline = format!("{}:{position}: ", file.display());
        let has_message = err.lines().any(|line| line.contains(&headline) && line.contains(message));
        let has_help = err.lines().any(|line| line.contains("help: ") && line.contains(help));
        if exit != Exit::BadInput || !out.is_empty() || !has_message || !has_help {
            wrong.push(format!("{first}\n{exit:?} {out}{err}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} files\n{}", wrong.len(), files.len(), wrong.join("\n"));
    assert_eq!(corpus(name), files, "nothing is written beside the files");
}

#[test]
fn each_file_has_one_problem() {
    // A second message would only be a consequence of the first.
    for file in corpus("bad_input") {
        let (_, _, err) = mbsbench(&["check", file.to_str().expect("UTF-8")]);
        assert_eq!(err.matches(&format!("{}:", file.display())).count(), 1, "{err}");
    }
}

#[test]
fn empty_files_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, bytes) in [("empty", &b""[..]), ("mark", "\u{feff}".as_bytes()), ("blank", b"\n\n  \n"), ("nul", b"\0")]
    {
        let file = folder.path().join(format!("{name}.yaml"));
        std::fs::write(&file, bytes).expect("a file");
        let (exit, _, err) = mbsbench(&["runs", "plan", file.to_str().expect("UTF-8")]);
        assert_eq!(exit, Exit::BadInput, "{name}: {err}");
        assert!(err.contains(&format!("{}:1:1: ", file.display())), "{name}: {err}");
    }
}

#[test]
fn missing_files_are_refused() {
    for argument in ["no/such/file.yaml", env!("CARGO_MANIFEST_DIR")] {
        let (exit, _, err) = mbsbench(&["check", argument]);
        assert_eq!(exit, Exit::BadInput, "{err}");
        assert!(err.contains(argument), "{err}");
    }
}

#[test]
fn two_files_with_one_id_are_both_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "id: mine/same\nmodel: pendulum\nmethod: rk3\nstep: 0.1\nspan: [0, 1]\n";
    let files: Vec<String> = ["one.yaml", "two.yaml"]
        .iter()
        .map(|name| {
            let file = folder.path().join(name);
            std::fs::write(&file, text).expect("a file");
            file.to_str().expect("UTF-8").to_owned()
        })
        .collect();
    let (exit, _, err) = mbsbench(&["check", &files[0]]);
    assert_eq!(exit, Exit::Done, "{err}");
    let (exit, _, err) = mbsbench(&["check", &files[0], &files[1]]);
    assert_eq!(exit, Exit::BadInput);
    let headline = format!("{}:1:5: duplicate experiment id `mine/same`; first used at {}:1:5", files[1], files[0]);
    assert!(err.contains(&headline), "{err}");
}

#[test]
fn several_problems_are_shown_together() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("several.yaml");
    std::fs::write(&file, "id: Mine\nmodel: pendulm\nmethod: rk4\nstep: 0.1\nspan: [1, 1]\n").expect("a file");
    let (exit, _, err) = mbsbench(&["check", file.to_str().expect("UTF-8")]);
    assert_eq!(exit, Exit::BadInput);
    for position in ["1:5", "2:8", "3:9", "5:7"] {
        assert!(err.contains(&format!("{}:{position}: ", file.display())), "{position}\n{err}");
    }
}

#[test]
fn unknown_names_suggest_the_nearest() {
    let (exit, _, err) = mbsbench(&["list", "models", "pendulom"]);
    assert_eq!(exit, Exit::BadInput);
    assert!(err.contains("unknown model `pendulom`") && err.contains("did you mean `pendulum`?"), "{err}");
    let (exit, _, err) = mbsbench(&["chek"]);
    assert_eq!(exit, Exit::BadInput);
    assert!(err.contains("check"), "{err}");
}

#[test]
fn the_program_itself_refuses_bad_input_and_writes_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["duplicate-key", "alias-bomb", "id-leaves-the-folder", "unknown-model"] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/bad_input/{name}.yaml"));
        for command in ["check", "run"] {
            let output = Command::new(env!("CARGO_BIN_EXE_mbsbench"))
                .args([command, file.to_str().expect("UTF-8")])
                .current_dir(folder.path())
                .output()
                .expect("the program runs");
            assert_eq!(output.status.code(), Some(2), "{name}: {}", String::from_utf8_lossy(&output.stderr));
            assert!(output.stdout.is_empty(), "{name}");
        }
    }
    assert!(names(folder.path()).is_empty(), "{:?}", names(folder.path()));
}

#[test]
fn a_valid_file_passes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("good.yaml");
    std::fs::write(&file, include_str!("../bad_input/good.txt")).expect("a file");
    std::fs::write(folder.path().join("published.csv"), "step,rk3,rk5\n5e-2,1.0,2.0\n0.01,3.0,4.0\n").expect("a file");
    let (exit, out, err) = mbsbench(&["check", file.to_str().expect("UTF-8")]);
    assert_eq!((exit, err.as_str()), (Exit::Done, ""));
    assert!(out.contains("compere2001/pendulum with 7 runs"), "{out}");
}

#[test]
fn unsuitable_methods_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("unsuitable.yaml");
    let text = "id: mine/unsuitable\nmodel: { pendulum: { formulation: minimal } }\n\
                span: [0, 1]\nstep: 0.1\nmatrix:\n  \
                method: [rk3, hht-i3]\n";
    std::fs::write(&file, text).expect("a file");
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let arguments = ["mbsbench", "check", file.to_str().expect("UTF-8")];
    let exit = cli::run(&Registry::builtin(), arguments, &mut out, &mut err, false);
    let err = String::from_utf8(err).expect("UTF-8");
    assert_eq!(exit, Exit::BadInput);
    assert!(err.contains(&format!("{}:6:17: `hht-i3` cannot solve `pendulum`", file.display())), "{err}");
    assert!(err.contains("the method needs a mechanical system with its constraints"), "{err}");
}
