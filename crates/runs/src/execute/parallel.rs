//! The parallel lane: executes runs that are not in the cache on all cores, and caches each as soon as it is finished.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mbsbench_experiment::{Plan, RunSpec};
use mbsbench_measures::stepwise::drawable;
use mbsbench_problem::Status;
use rayon::prelude::*;

use super::panics::catch_panic;
use super::queue::longest_first;
use super::run::{Record, execute, is_of_method};
use crate::cache::consistency::{self, Consistency};
use crate::costs::Estimate;
use crate::memory;
use crate::references::{Certificate, NO_CONTENT};
use crate::resources::Resources;
use crate::stop::interrupted;
use crate::titles::Titles;

/// A run to be executed unless it is in the cache.
pub struct Pending<'p> {
    /// The plan.
    pub plan: &'p Plan,
    /// The run.
    pub run: &'p RunSpec,
    /// The titles of the runs of the plan.
    pub titles: Arc<Titles<'p>>,
    /// The reference, if there is one.
    pub certificate: Option<&'p Certificate>,
    /// The costs of runs, as far as they are known.
    pub estimate: &'p Estimate<'p>,
}

impl Pending<'_> {
    /// Returns the name in the cache.
    pub(crate) fn key(&self) -> String {
        cache_key(self.run, self.certificate)
    }

    /// Returns the title in messages: experiment and axis values.
    pub(crate) fn title(&self) -> String {
        format!("{} {}", self.plan.experiment.id, self.titles.of_run(self.run))
    }

    fn expected(&self) -> Duration {
        self.estimate.of_run(self.plan, self.run)
    }

    /// Executes the run within the available memory.
    pub(crate) fn record(&self, resources: Resources<'_>) -> Record {
        let reference = self.certificate.and_then(|certificate| certificate.outcome.as_ref().ok());
        let made = catch_panic(|| match resources.memory.reserve(memory::of_run(self.run)) {
            Ok(_reserved) => {
                let (progress, key) = (resources.progress, self.run.key());
                progress.timed(&self.title(), key, self.expected(), || execute(self.run, reference))
            }
            Err(too_large) => Record::lost(Status::Memory, too_large.to_string()),
        });
        made.unwrap_or_else(|said| Record::lost(Status::Panicked, said))
    }
}

/// Returns the name of a run in the cache.
pub(crate) fn cache_key(run: &RunSpec, certificate: Option<&Certificate>) -> String {
    // Recordings are not part of a run's key, but the cached record has to contain them.
    let content = certificate.map_or(NO_CONTENT, Certificate::content);
    format!("run {}\ntrajectories {}\nreference times {content}", run.key().full(), run.recording)
}

/// Checks that a record is complete and belongs to the run.
fn fits_run(run: &RunSpec, record: &Record) -> Consistency {
    consistency::of_record(record)?;
    consistency::ensure(run.columns() == record.columns, "its columns belong to another run")?;
    let is_watched = record.status.is_of_a_run() && !is_of_method(run);
    consistency::ensure(record.findings.is_some() == is_watched, "its findings belong to another run")?;
    let asked = &run.recording.trajectories;
    let is_drawn = match &record.trajectory {
        Some(curves) => curves.observables.iter().all(|name| asked.contains(name)),
        None => {
            asked.is_empty() || {
                let model = run.model.object.model();
                !drawable(model.as_ref()).iter().any(|observable| asked.contains(&observable.name))
            }
        }
    };
    consistency::ensure(is_drawn, "its trajectories belong to another run")
}

/// Returns the records of all runs in order. With `fresh`, earlier entries of the cache are ignored. A run of several
/// experiments is executed once. A run that panics ends as `panicked`, and one for which there is too little memory as
/// `memory`; neither is cached.
///
/// The result is bitwise the same for any number of threads, because each run is a single thread and runs share
/// nothing.
///
/// # Errors
/// Fails if a file cannot be read or written. Returns [`Interrupted`](io::ErrorKind::Interrupted) if all work was
/// [asked](crate::stop::ask) to end. Runs that have finished are cached.
pub fn run_all(pending: &[Pending<'_>], resources: Resources<'_>) -> io::Result<Vec<Record>> {
    let keyed: Vec<_> = pending.par_iter().map(|run| (run, run.key())).collect();
    let mut seen = HashSet::new();
    let (first, again): (Vec<_>, Vec<_>) = keyed.iter().enumerate().partition(|(_, (_, key))| seen.insert(key));
    let mut records = run_each(&first, resources)?;
    records.extend(run_each(&again, Resources { fresh: false, ..resources })?);
    records.sort_by_key(|&(place, _)| place);
    Ok(records.into_iter().map(|(_, record)| record).collect())
}

/// A run with its index and its name in the cache.
type Keyed<'k> = (usize, &'k (&'k Pending<'k>, String));

/// Returns the records of some runs with their indices; no two runs may have the same key.
fn run_each(pending: &[Keyed<'_>], resources: Resources<'_>) -> io::Result<Vec<(usize, Record)>> {
    let Resources { cache, memory, progress, fresh, .. } = resources;
    let stored = |&(place, (run, key)): &Keyed<'_>| {
        let record =
            (!fresh && run.run.is_kept()).then(|| cache.load(key, |record| fits_run(run.run, record))).flatten()?;
        progress.kept(|| run.title(), &record);
        memory.keep(record.trajectory.as_ref());
        Some((place, record))
    };
    let stored: Vec<Option<(usize, Record)>> = pending.par_iter().map(stored).collect();
    let lacking: Vec<_> = pending.iter().zip(&stored).filter(|each| each.1.is_none()).map(|each| each.0).collect();
    progress.expect(lacking.iter().map(|(_, (run, _))| run.expected()).sum());
    let stop = AtomicBool::new(false);
    let make = |&&(place, (run, key)): &&Keyed<'_>| {
        if progress.is_stopped() {
            return Err(interrupted());
        }
        if stop.load(Ordering::Relaxed) {
            return Err(io::Error::other("another run could not be cached"));
        }
        progress.started(&run.title());
        let record = run.record(resources);
        if record.status == Status::Interrupted && progress.is_stopped() {
            return Err(interrupted());
        }
        memory.keep(record.trajectory.as_ref());
        let is_kept = run.run.is_kept() && !record.status.is_lost();
        let saved = if is_kept { cache.save(key, &record) } else { Ok(()) };
        stop.fetch_or(saved.is_err(), Ordering::Relaxed);
        progress.finished(&run.title(), &record, is_kept && saved.is_ok());
        saved.map(|()| (place, record))
    };
    let made = longest_first(&lacking, |(_, (run, _))| run.expected(), make);
    stored.into_iter().flatten().map(Ok).chain(made).collect()
}
