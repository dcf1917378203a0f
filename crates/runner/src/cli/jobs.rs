//! How many threads make runs.

use std::num::NonZero;
use std::thread::available_parallelism;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::CommandError;
use crate::output::Output;

/// Threads for each core of the machine at most: more only wait for each other.
const EACH: usize = 2;

/// The option `--jobs`.
#[derive(Debug, Clone, clap::Args)]
pub struct Jobs {
    /// Threads, at most twice as many as the machine has cores; one for each core where not given. The results do not depend on it.
    #[arg(long)]
    jobs: Option<NonZero<usize>>,
}

impl Jobs {
    /// The threads. Where more are asked for than make sense, there are as many as do, and that is said.
    pub(super) fn pool(&self, output: &mut Output<'_>) -> Result<ThreadPool, CommandError> {
        let cores = available_parallelism().map_or(1, NonZero::get);
        let asked = self.jobs.map_or(cores, NonZero::get);
        let threads = asked.min(EACH * cores);
        if threads < asked {
            output.beside(format!("--jobs {asked}: {threads} threads are made, twice as many as there are cores"));
        }
        Ok(ThreadPoolBuilder::new().num_threads(threads).build()?)
    }
}
