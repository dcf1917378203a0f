//! Special files, endless files and cycles of links are refused before they are read.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const EXPERIMENT: &str = "id: mine/p\ntitle: p\nmodel: pendulum\nmethod: rk3\nstep: 0.1\nspan: [0, 1]\n";

/// Exit code and output; panics if the program waits for input that never comes.
fn mbsbench(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let (out, err) = (folder.join("said.out"), folder.join("said.err"));
    let file = |path| Stdio::from(fs::File::create(path).unwrap());
    let mut child = Command::new(env!("CARGO_BIN_EXE_mbsbench"))
        .current_dir(folder)
        .args(arguments)
        .env("NO_COLOR", "1")
        .stdout(file(&out))
        .stderr(file(&err))
        .spawn()
        .unwrap();
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            let said = [out, err].map(|path| fs::read_to_string(path).unwrap()).concat();
            return (status.code().unwrap(), said);
        }
        if start.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{arguments:?} does not end");
        }
        sleep(Duration::from_millis(10));
    }
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn pipes_and_devices_are_refused_before_they_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    pipe(&at("pipe.yaml"));
    symlink("/dev/zero", at("zero.yaml")).unwrap();
    fs::create_dir(at("folder.yaml")).unwrap();
    fs::File::create(at("large.yaml")).unwrap().set_len(1 << 36).unwrap();
    let said = ["is a pipe", "a device", "is a folder", "has 68719476736 bytes; accepted: a file of at most 4194304"];
    for (name, said) in ["pipe.yaml", "zero.yaml", "folder.yaml", "large.yaml"].into_iter().zip(said) {
        for command in [&["check", name][..], &["list", name], &["compare", name]] {
            let (code, message) = mbsbench(folder.path(), command);
            assert_eq!(code, 2, "{command:?}: {message}");
            assert!(message.contains(said) && message.contains(name), "{command:?}: {message}");
        }
    }
    for (part, name) in [("mechanism", "pipe.yaml"), ("mechanism", "zero.yaml")] {
        let text = EXPERIMENT.replace("model: pendulum", &format!("model: {{ {part}: {name} }}"));
        fs::write(at("p.yaml"), text).unwrap();
        let (code, message) = mbsbench(folder.path(), &["check", "p.yaml"]);
        assert_eq!(code, 2, "{message}");
        assert!(message.contains("p.yaml:3:") && message.contains("a pipe, a socket or a device"), "{message}");
    }
}

#[test]
fn results_and_stores_must_be_regular_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["one", "other", "store/ab", "target"] {
        fs::create_dir_all(at(name)).unwrap();
    }
    fs::write(at("one/runs.csv"), "status,run\nok,1\n").unwrap();
    symlink("/dev/zero", at("other/zero")).unwrap();
    fs::File::create(at("other/runs.csv")).unwrap().set_len(1 << 36).unwrap();
    let (code, message) = mbsbench(folder.path(), &["diff", "one", "other"]);
    assert_eq!(code, 2, "{message}");
    assert!(message.contains("has 68719476736 bytes"), "{message}");
    pipe(&at("store/ab/entry"));
    let (code, message) = mbsbench(folder.path(), &["runs", "merge", "store", "--cache", "target"]);
    assert_ne!(code, 0, "{message}");
    assert!(message.contains("is a pipe"), "{message}");
}

#[test]
fn links_in_a_circle_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let mine = folder.path().join("experiments/mine");
    fs::create_dir_all(&mine).unwrap();
    fs::write(mine.join("p.yaml"), EXPERIMENT).unwrap();
    // Editors mark open files by dangling links.
    symlink("nobody@nowhere", mine.join(".#p.yaml")).unwrap();
    let (code, message) = mbsbench(folder.path(), &["list", "experiments"]);
    assert_eq!((code, message.matches("mine/p").count()), (0, 1), "{message}");
    symlink("..", mine.join("circle")).unwrap();
    for command in [&["list", "experiments"][..], &["runs", "plan", "mine"]] {
        let (code, message) = mbsbench(folder.path(), command);
        assert_eq!(code, 2, "{message}");
        assert!(message.contains("a circular link") && message.contains("circle"), "{message}");
    }
}
