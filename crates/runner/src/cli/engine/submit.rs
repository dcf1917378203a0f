//! The engines: what differs between them is the command that has the tasks 0 … N−1 made and waits for them.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use clap::ValueEnum;

/// What makes runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// This machine.
    Local,
    /// Workers of HyperQueue, whose server runs (`hq`).
    Hyperqueue,
    /// Nodes of Slurm (`sbatch`); its variables, such as `SBATCH_PARTITION`, say which.
    Slurm,
    /// What a profile of Snakemake says, with as many tasks at a time as this machine has cores where it says nothing.
    Snakemake,
}

impl Engine {
    /// What gives the tasks to other machines; nothing where there are none.
    pub(super) fn scheduler(self) -> Option<Scheduler> {
        match self {
            Self::Local => None,
            Self::Hyperqueue => Some(Scheduler { program: "hq", tell: hyperqueue }),
            Self::Slurm => Some(Scheduler { program: "sbatch", tell: slurm }),
            Self::Snakemake => Some(Scheduler { program: "snakemake", tell: snakemake }),
        }
    }
}

/// A program that takes tasks. Each of them is `task.sh` in a folder, which finds its number in a variable of the engine or as its argument.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scheduler {
    /// What it is called.
    pub program: &'static str,
    /// Adds arguments for so many tasks of a folder.
    tell: fn(&mut Command, &Path, usize) -> io::Result<()>,
}

impl Scheduler {
    /// Submits so many tasks and waits for them in a program of its own.
    pub fn submitted(self, folder: &Path, tasks: usize) -> io::Result<Child> {
        let mut command = Command::new(self.program);
        (self.tell)(&mut command, folder, tasks)?;
        command.stdin(Stdio::null()).stdout(Stdio::null()).spawn()
    }
}

fn hyperqueue(command: &mut Command, folder: &Path, tasks: usize) -> io::Result<()> {
    command.args(["submit", "--name", "mbsbench", "--array", &format!("0-{}", tasks - 1), "--wait"]);
    command.args(["--stdout", "none", "--stderr", "none", "--", "sh"]).arg(folder.join("task.sh"));
    Ok(())
}

fn slurm(command: &mut Command, folder: &Path, tasks: usize) -> io::Result<()> {
    command.args(["--job-name=mbsbench", "--ntasks=1", "--output=/dev/null", "--wait"]);
    command.arg(format!("--array=0-{}", tasks - 1)).arg(folder.join("task.sh"));
    Ok(())
}

/// Its tasks are known by the files that they write.
fn snakemake(command: &mut Command, folder: &Path, tasks: usize) -> io::Result<()> {
    const FILE: &str = "\
rule all:
    input: expand(\"{part}.ended\", part=range(TASKS))
rule part:
    output: \"{part}.ended\"
    shell: \"sh task.sh {wildcards.part}\"
";
    let file = folder.join("Snakefile");
    fs::write(&file, FILE.replace("TASKS", &tasks.to_string()))?;
    command.args(["--cores", "all", "--keep-going", "--quiet", "all", "--snakefile"]).arg(&file);
    command.arg("--directory").arg(folder);
    Ok(())
}
