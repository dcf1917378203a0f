//! Runs made by engines: if workers are killed or lost, the results are still those of one program. Scripts with the
//! interface of the real engines replace them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use super::parts::{Place, assert_same};

/// Finds `last`, the number of the last task, and leaves the command of a task as the arguments.
const HQ: &str = "\
while [ \"$1\" != -- ]; do
    [ \"$1\" != --array ] || last=${2#0-}
    shift
done
shift
";

/// Runs all tasks in order.
const ALL: &str = "for part in $(seq 0 $last); do HQ_TASK_ID=$part \"$@\"; done\n";

/// Two workers with every second task each. One is killed in its first task and repeats it; the other is killed in its
/// second task and does not return.
const KILLED: &str = "\
worker() {
    part=$1 dies=$2 returns=$3
    shift 3
    while [ $part -le $last ]; do
        if [ $part = $dies ]; then
            HQ_TASK_ID=$part timeout -s KILL 0.01 \"$@\"
            [ $returns = yes ] || return
        fi
        HQ_TASK_ID=$part \"$@\"
        part=$((part + 2))
    done
}
worker 0 0 yes \"$@\" &
worker 1 3 no \"$@\" &
wait
";

/// The command under test.
const RUN: &str = "run experiment.yaml --out results --cache store --parts 6 --engine";

/// Replacements for the programs of engines, which record each submission in a line.
struct Engines(Place);

impl Engines {
    fn new(stand_ins: &[(&str, String)]) -> Self {
        let place = Place::new();
        fs::create_dir(place.path("bin")).unwrap();
        for (name, script) in stand_ins {
            let path = place.path("bin").join(name);
            fs::write(&path, format!("#!/bin/sh\necho \"$*\" >> submitted\n{script}")).unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Self(place)
    }

    fn command(&self, arguments: &str) -> Command {
        let mut command = self.0.command(arguments);
        let path = std::env::var("PATH").unwrap();
        command.env("PATH", format!("{}:{path}", self.0.path("bin").display()));
        command
    }

    /// The output of a command, with its exit code.
    fn said(&self, arguments: &str) -> (Option<i32>, String) {
        let Output { status, stdout, stderr } = self.command(arguments).output().unwrap();
        (status.code(), String::from_utf8([stdout, stderr].concat()).unwrap())
    }

    /// Checks that an engine reproduces the results of one program, and returns the output.
    fn reproduced(&self, engine: &str, local: &BTreeMap<PathBuf, Vec<u8>>) -> String {
        let (code, said) = self.said(&format!("{RUN} {engine}"));
        assert_eq!(code, Some(0), "{said}");
        assert_same(local, &self.0.files("results"));
        assert_same(&self.0.entries("whole"), &self.0.entries("store"));
        said
    }

    /// The number of submissions.
    fn submissions(&self) -> usize {
        fs::read_to_string(self.0.path("submitted")).unwrap_or_default().lines().count()
    }
}

#[test]
fn lost_workers_do_not_change_the_results() {
    let engines = Engines::new(&[("hq", format!("{HQ}{KILLED}"))]);
    let local = engines.0.local();
    let said = engines.reproduced("hyperqueue", &local);
    assert!(said.contains("part 6 of 6 was lost: it left no exit status; this machine computes its runs"), "{said}");
    assert_eq!(said.matches(" is lost: ").count(), 2, "{said}");
    engines.reproduced("hyperqueue", &local);
    assert_eq!(engines.submissions(), 1, "existing results are not recomputed");
}

#[test]
fn all_engines_give_the_same_results() {
    let slurm = "\
for argument; do
    case $argument in --array=*) last=${argument##*-} ;; esac
done
for part in $(seq 0 $last); do SLURM_ARRAY_TASK_ID=$part sh \"$argument\"; done
";
    let snakemake = "\
for argument; do :; done
cd \"$argument\"
last=$(sed -n 's/.*range(\\([0-9]*\\)).*/\\1/p' Snakefile)
for part in $(seq 0 $((last - 1))); do sh task.sh $part; done
";
    for (engine, program, script) in [
        ("hyperqueue", "hq", format!("{HQ}{ALL}")),
        ("slurm", "sbatch", slurm.to_owned()),
        ("snakemake", "snakemake", snakemake.to_owned()),
    ] {
        let engines = Engines::new(&[(program, script)]);
        let said = engines.reproduced(engine, &engines.0.local());
        assert!(said.contains("48 runs, 48 from the cache"), "nothing is left for this machine: {said}");
        assert_eq!(engines.submissions(), 1, "{said}");
        assert!(!said.contains("part 1 of "), "no part is lost or failed: {said}");
    }
}

#[test]
fn failed_parts_are_computed_on_this_machine() {
    let fails = "echo 'the disk is full' > ${2%task.sh}0.log && echo 3 > ${2%task.sh}0.ended\n";
    let other = "[ $last = 0 ] || for part in $(seq 1 $last); do HQ_TASK_ID=$part \"$@\"; done\n";
    let engines = Engines::new(&[("hq", [HQ, fails, other].concat())]);
    let said = engines.reproduced("hyperqueue", &engines.0.local());
    assert!(said.contains("part 1 of 6 failed: the disk is full; this machine computes its runs"), "{said}");
}

#[test]
fn a_killed_program_resumes() {
    let stops = "HQ_TASK_ID=0 \"$@\"; [ $(wc -l < submitted) != 1 ] || sleep 600\n";
    let engines = Engines::new(&[("hq", [HQ, stops, ALL].concat())]);
    let local = engines.0.local();
    let mut program = engines.command(&format!("{RUN} hyperqueue")).stderr(Stdio::null()).spawn().unwrap();
    while engines.0.entries("store").is_empty() {
        assert!(program.try_wait().unwrap().is_none(), "it ended by itself");
        sleep(Duration::from_millis(20));
    }
    program.kill().unwrap();
    program.wait().unwrap();
    let folder = engines.0.path("store/.parts");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "the script for the tasks of the killed program");
    // The task continues without the program, and writes into this folder until it ends.
    while !fs::read_dir(&folder).unwrap().any(|part| part.unwrap().path().join("0.ended").exists()) {
        sleep(Duration::from_millis(20));
    }
    engines.reproduced("hyperqueue", &local);
}

#[test]
fn timed_runs_are_timed_on_this_machine() {
    let engines = Engines::new(&[("hq", format!("{HQ}{ALL}"))]);
    let (code, said) = engines.said("run timed.yaml --out results --cache store --engine hyperqueue");
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("2 runs, 2 from the cache") && engines.0.path("results/times/parts/timed/timings.csv").exists()
    );
}

#[test]
fn an_engine_without_tasks_is_reported() {
    let engines = Engines::new(&[("hq", "exit 1\n".to_owned()), ("sbatch", format!("{HQ}{ALL}"))]);
    let (code, said) = engines.said(&format!("{RUN} hyperqueue"));
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("error: hq: it ended with exit status: 1, and no part was computed"), "{said}");
    let (code, said) = engines.said(&format!("{RUN} hyperqueue --fresh"));
    assert!(code == Some(2) && said.contains("`--fresh` cannot be combined with `--engine`"), "{said}");
    fs::remove_file(engines.0.path("bin/hq")).unwrap();
    let bin = engines.0.path("bin");
    let output = engines.command(&format!("{RUN} hyperqueue")).env("PATH", bin).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(3) && said.contains("hq: No such file"), "{said}");
    assert!(engines.0.entries("store").is_empty() && !engines.0.path("results").exists());
}
