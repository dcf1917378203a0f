//! The state of one call of the program, and its means of computing runs.

use std::io;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use mbsbench_experiment::Plan;
use mbsbench_input::Problem;
use mbsbench_problem::Status;
use mbsbench_runs::costs::Costs;
use mbsbench_runs::pipeline::{Certificate, results_of};
use mbsbench_runs::{Cache, FileError, Memory, Outcome, Progress, Resources, fingerprint};
use rayon::ThreadPool;
use rayon::prelude::*;

use super::{CommandError, Library, Machine, Result, RunOptions, Strict, counted, refuted};
use crate::output::Output;

/// The experiments of a call, and its output.
pub struct Session<'s> {
    pub(super) library: &'s Library<'s>,
    pub(super) output: Output<'s>,
}

impl Session<'_> {
    /// Returns the results of plans, computing those that are not in the cache, and the workshop that made them.
    pub(super) fn make(&mut self, plans: &[Plan], options: &RunOptions) -> Result<(Workshop, Vec<Outcome>)> {
        let runs = plans.iter().map(|plan| plan.runs.len()).sum();
        let (workshop, outcomes) = self.keep(Progress::new(runs), options, |resources| results_of(plans, resources))?;
        for (plan, outcome) in plans.iter().zip(&outcomes) {
            self.report_doubts(&outcome.certificates, |_| format!("{}: reference", plan.experiment.id));
        }
        Ok((workshop, outcomes))
    }

    /// Computes runs, keeps them in the cache, and records their durations beside the entries of the cache.
    pub(super) fn keep<T: Send>(
        &mut self,
        progress: Progress,
        options: &RunOptions,
        make: impl FnOnce(Resources<'_>) -> io::Result<T> + Send,
    ) -> Result<(Workshop, T)> {
        let workshop = Workshop::open(&options.machine, progress, self)?;
        let made = workshop.make(self, |resources| make(Resources { fresh: options.fresh, ..resources }));
        let folder = &options.machine.cache;
        workshop.progress.costs().learnt(folder).map_err(FileError::of(folder))?;
        let made = made.map_err(FileError::of(folder))?;
        Ok((workshop, made))
    }

    /// Returns the results of plans, all of which are required. Reports the refuted runs on standard error.
    pub(super) fn made(&mut self, plans: &[Plan], options: &RunOptions) -> Result<Vec<Outcome>> {
        if plans.is_empty() {
            return Ok(Vec::new());
        }
        let (workshop, outcomes) = self.make(plans, options)?;
        none_lost(&workshop.progress)?;
        let rows = outcomes.iter().flat_map(|outcome| &outcome.results.rows);
        refuted(rows).iter().for_each(|line| self.output.eprintln(line));
        Ok(outcomes)
    }

    /// Reports the references that failed or whose two methods disagree, by name.
    pub(super) fn report_doubts(&mut self, certificates: &[Certificate], name: impl Fn(&Certificate) -> String) {
        for (certificate, doubt) in certificates.iter().filter_map(|each| Some((each, each.doubt()?))) {
            self.output.eprintln(format!("warning: {}: {doubt}", name(certificate)));
        }
    }

    /// Reports on standard error the parts of files that have no effect, and their number.
    ///
    /// # Errors
    /// Fails if there are any and `strict` is set.
    pub(super) fn report_warnings(&mut self, plans: &[Plan], strict: Strict) -> Result<()> {
        let warned: Vec<(String, Problem)> = plans.par_iter().flat_map_iter(Plan::warnings).collect();
        let count = warned.len();
        for (position, Problem { message, help, .. }) in warned {
            let help = help.map_or_else(String::new, |help| format!("; {help}"));
            self.output.eprintln(format!("warning: {position}: {message}{help}"));
        }
        strict.refuse(count)?;
        if count > 0 {
            self.output.eprintln(counted(count, "warning"));
        }
        Ok(())
    }

    /// Returns lines on the number of methods that `every` selects and leaves out. Reports on standard error the
    /// methods that are left out because the state of the model jumps.
    pub(super) fn report_left_out(&mut self, plans: &[Plan]) -> Vec<String> {
        let mut accounts = Vec::new();
        for plan in plans {
            let id = &plan.experiment.id;
            accounts.extend(plan.accounts().into_iter().map(|line| format!("{id}: {line}")));
            for left_out in plan.left_out().iter().filter(|left_out| !left_out.is_written) {
                self.output.eprintln(format!("{id}: left out: {left_out}"));
            }
        }
        accounts
    }
}

/// Threads, memory and cache of a call that computes runs, with its progress.
pub(super) struct Workshop {
    pub(super) pool: ThreadPool,
    pub(super) cache: Cache,
    pub(super) progress: Progress,
    memory: Memory,
    costs: Costs,
}

impl Workshop {
    /// Creates the threads, and removes files that killed programs left in the cache.
    pub(super) fn open(machine: &Machine, progress: Progress, session: &mut Session<'_>) -> Result<Self> {
        let Session { library, output } = session;
        let cache = Cache::new(&machine.cache, fingerprint(library.registry));
        cache.tidy();
        let (pool, memory) = (machine.pool(output)?, machine.memory());
        let costs = Costs::known(&machine.cache, &library.recorded());
        Ok(Self { pool, cache, progress, memory, costs })
    }

    /// Computes runs on all threads, and reports entries of the cache that were refused.
    pub(super) fn make<T: Send>(&self, session: &mut Session<'_>, make: impl FnOnce(Resources<'_>) -> T + Send) -> T {
        let Self { cache, memory, progress, costs, .. } = self;
        let (done, over) = channel::<()>();
        let made = std::thread::scope(|scope| {
            scope.spawn(move || {
                while over.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                    progress.tick();
                }
            });
            let resources = Resources { cache, memory, progress, costs: Some(costs), fresh: false };
            let made = self.pool.install(|| make(resources));
            drop(done);
            made
        });
        progress.clear();
        self.report_discarded(&mut session.output);
        made
    }

    /// Reports the entries of the cache that were refused.
    pub(super) fn report_discarded(&self, output: &mut Output<'_>) {
        for (path, refusal) in self.cache.refused() {
            output.eprintln(format!("{}: {refusal}; the entry is discarded and computed again", path.display()));
        }
    }
}

/// Fails with the names of the runs that the program or the machine ended, if there are any.
pub(super) fn none_lost(progress: &Progress) -> Result<()> {
    let [panicked, memory] = [Status::Panicked, Status::Memory].map(|status| progress.all_lost(status));
    match (panicked.is_empty(), memory.is_empty()) {
        (false, _) => Err(CommandError::Panicked(panicked)),
        (_, false) => Err(CommandError::Memory(memory)),
        _ => Ok(()),
    }
}
