//! Options shared by several commands, and the numbers of threads and bytes for runs.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use bytesize::ByteSize;
use mbsbench_experiment::Plan;
use mbsbench_runs::Memory;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::{CommandError, Library, Need, Result, counted, is_yaml, load};
use crate::output::Output;

/// The default run cache.
pub(super) const CACHE: &str = "target/mbsbench-cache";
/// The folder for results of shortened experiments.
pub(super) const QUICK: &str = "target/quick";

/// The folder for results with a guest.
pub(super) const GUEST: &str = "target/guest";

/// The share of the free memory at start that runs may use by default.
const SHARE: f64 = 0.75;

/// Largest number of threads per core; more of them would only wait for each other.
const EACH: usize = 2;

/// Stack size of a thread, bytes: at least that of the main thread, so that an input that passes `check` there does not
/// overflow here. Memory is only used as far as the stack grows.
const STACK: usize = 16 << 20;

/// Experiments named on the command line.
#[derive(Debug, Clone, clap::Args)]
pub struct Wanted {
    /// Experiment files, or names of papers or experiments [default: all papers].
    #[arg(value_name = "NAME|FILE")]
    pub wanted: Vec<PathBuf>,
}

impl Wanted {
    pub(super) fn need(&self) -> Need {
        match self.wanted.is_empty() {
            true => Need::ReadAll,
            false if self.wanted.iter().all(|path| is_named_file(path)) => Need::Nothing,
            false => Need::Read,
        }
    }

    /// Plans of the named files, or of the named papers and experiments. Without names, plans of all papers of the
    /// user.
    pub(super) fn plans(&self, library: &Library<'_>, quick: bool) -> Result<Vec<Plan>> {
        let (files, names): (Vec<PathBuf>, Vec<PathBuf>) =
            self.wanted.iter().cloned().partition(|path| is_named_file(path));
        let names: Vec<String> = names.iter().map(|name| name.to_string_lossy().into_owned()).collect();
        let named = if files.is_empty() || !names.is_empty() { library.named(&names, quick)? } else { Vec::new() };
        Ok(load(library.registry, &files, quick)?.into_iter().chain(named).collect())
    }
}

/// True if a word of the command line names a file instead of a paper or an experiment.
fn is_named_file(path: &Path) -> bool {
    path.is_file() || is_yaml(path)
}

/// The resources with which runs are computed.
#[derive(Debug, Clone, clap::Args)]
pub struct Machine {
    /// Threads; results do not depend on their number [default: one per core].
    #[arg(long, value_name = "N")]
    jobs: Option<NonZero<usize>>,
    /// Memory for all runs together, `8 GB` [default: 3/4 of free memory].
    #[arg(long, value_name = "SIZE")]
    memory: Option<ByteSize>,
    /// Run cache.
    #[arg(long, value_name = "DIR", default_value = CACHE)]
    pub cache: PathBuf,
}

impl Machine {
    /// The memory for all runs.
    pub(super) fn memory(&self) -> Memory {
        self.memory.map_or_else(memory_of_machine, |size| Memory::new(size.as_u64()))
    }

    /// Creates the threads. If more threads are requested than are useful, the number is reduced and a message is
    /// written.
    pub(super) fn pool(&self, output: &mut Output<'_>) -> Result<ThreadPool> {
        let threads = threads(self.jobs);
        if let Some(asked) = self.jobs.filter(|asked| asked.get() > threads) {
            output.eprintln(format!("--jobs {asked}: limited to {threads} threads, two per core"));
        }
        Ok(ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build()?)
    }
}

/// Options for computing runs, shared by all commands that compute them.
#[derive(Debug, Clone, clap::Args)]
pub struct RunOptions {
    /// Threads, memory and cache.
    #[command(flatten)]
    pub machine: Machine,
    /// Compute every run, even if it is in the cache.
    #[arg(long)]
    pub fresh: bool,
    /// Use the shorter settings under `quick:`.
    #[arg(long)]
    pub quick: bool,
}

/// The option `--strict`.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub struct Strict {
    /// Treat warnings as errors.
    #[arg(long)]
    strict: bool,
}

impl Strict {
    /// Fails if there are warnings and they are treated as errors.
    pub(super) fn refuse(self, warnings: usize) -> Result<()> {
        let found = counted(warnings, "warning");
        let refused = || CommandError::Refused(format!("{found}; `--strict` treats warnings as errors"));
        if warnings > 0 && self.strict { Err(refused()) } else { Ok(()) }
    }
}

/// The results that a command reads.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Seen {
    /// Results directory [default: beside the experiments].
    #[arg(long, value_name = "DIR")]
    pub results: Option<PathBuf>,
}

impl Seen {
    /// The folder to which verdicts and reports on the results are written.
    pub(super) fn folder(&self, library: &Library<'_>) -> PathBuf {
        self.results.clone().unwrap_or_else(|| library.results())
    }
}

/// Creates the threads for all work outside of runs. By default, rayon creates as many as `RAYON_NUM_THREADS` says,
/// even a hundred thousand; here this number is limited like `--jobs`.
pub(super) fn make_global_pool() {
    let wish = std::env::var("RAYON_NUM_THREADS").ok().and_then(|number| number.parse().ok());
    // An earlier call in this process created them.
    let _ = ThreadPoolBuilder::new().num_threads(threads(wish)).stack_size(STACK).build_global();
}

/// The number of threads for runs: the requested number, limited to two per core; by default one per core.
pub fn threads(asked: Option<NonZero<usize>>) -> usize {
    let cores = available_parallelism().map_or(1, NonZero::get);
    asked.map_or(cores, NonZero::get).min(EACH * cores)
}

/// The default memory for runs: a share of the memory that is free on this machine and in the control group of this
/// process. If the free memory is unknown, there is no limit.
pub fn memory_of_machine() -> Memory {
    let Ok(mut system) = sysinfo::System::new() else { return Memory::new(u64::MAX) };
    system.refresh_memory();
    let of_group = system.cgroup_limits().filter(|group| group.total_memory < system.total_memory());
    let free = of_group.map_or(u64::MAX, |group| group.free_memory).min(system.available_memory());
    Memory::new(if free == 0 { u64::MAX } else { (SHARE * free as f64) as u64 })
}
