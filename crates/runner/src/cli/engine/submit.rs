//! The engines. They differ in the command that starts the tasks 0 … N−1 and waits for them.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use clap::ValueEnum;

/// A system that makes runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// This machine.
    Local,
    /// Workers of HyperQueue, whose server runs (`hq`).
    Hyperqueue,
    /// Nodes of Slurm (`sbatch`); its variables, such as `SBATCH_PARTITION`, say which.
    Slurm,
    /// Snakemake with the user's profile; without one, as many simultaneous tasks as this machine has cores.
    Snakemake,
}

impl Engine {
    /// The program that distributes tasks to other machines; `None` for this machine.
    pub(super) fn program(self) -> Option<&'static str> {
        match self {
            Self::Local => None,
            Self::Hyperqueue => Some("hq"),
            Self::Slurm => Some("sbatch"),
            Self::Snakemake => Some("snakemake"),
        }
    }

    /// Lets `program` run `tasks` tasks and waits for them. Each of them runs `task.sh` in `folder`, which finds its
    /// number in a variable of the engine or as its argument.
    pub(super) fn submit(self, program: &str, folder: &Path, tasks: usize) -> io::Result<ExitStatus> {
        let mut command = Command::new(program);
        let (task, array) = (folder.join("task.sh"), format!("0-{}", tasks - 1));
        match self {
            Self::Local => {}
            Self::Hyperqueue => {
                command.args(["submit", "--name", "mbsbench", "--array", &array, "--wait"]);
                command.args(["--stdout", "none", "--stderr", "none", "--", "sh"]).arg(task);
            }
            Self::Slurm => {
                command.args(["--job-name=mbsbench", "--ntasks=1", "--output=/dev/null", "--wait"]);
                command.arg(format!("--array={array}")).arg(task);
            }
            Self::Snakemake => {
                let file = folder.join("Snakefile");
                fs::write(&file, SNAKEFILE.replace("TASKS", &tasks.to_string()))?;
                command.args(["--cores", "all", "--keep-going", "--quiet", "all", "--snakefile"]).arg(file);
                command.arg("--directory").arg(folder);
            }
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).status()
    }
}

/// Snakemake identifies tasks by the files that they write.
const SNAKEFILE: &str = "\
rule all:
    input: expand(\"{part}.ended\", part=range(TASKS))
rule part:
    output: \"{part}.ended\"
    shell: \"sh task.sh {wildcards.part}\"
";
