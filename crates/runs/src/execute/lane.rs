//! The parallel lane: runs that are not in the store go to all cores, each is kept as soon as it is finished.

use std::collections::HashSet;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mbsbench_experiment::plan::RunKey;
use mbsbench_problem::Status;
use rayon::prelude::*;

use super::caught::caught;
use super::queue::longest_first;
use super::run::Record;
use crate::pipeline::Means;
use crate::store::shape::Misshapen;

/// What is wrong with a record of the store that is said to be of a run.
type Fits<'p> = dyn Fn(&Record) -> Result<(), Misshapen> + Send + Sync + 'p;

/// A run to be made, if the store does not have it.
pub struct Pending<'p> {
    /// What it is called in the store.
    pub key: String,
    /// The run's own name, under which its cost is known.
    pub run: &'p RunKey,
    /// What stands in messages: experiment and axis values.
    pub title: String,
    /// Whether the key says all that it is made of: otherwise nothing is taken from the store or kept there.
    pub is_kept: bool,
    /// What it takes, as far as that is known.
    pub expected: Duration,
    /// Bytes of memory that it needs.
    pub needs: Box<dyn Fn() -> u64 + Send + Sync + 'p>,
    /// Makes the run.
    pub make: Box<dyn Fn() -> Record + Send + Sync + 'p>,
    /// What keeps a record from being that of the run.
    pub fits: Box<Fits<'p>>,
}

impl Pending<'_> {
    /// Makes the run, in the memory that there is.
    pub(crate) fn made(&self, means: Means<'_>) -> Record {
        let made = caught(|| match means.memory.reserve((self.needs)()) {
            Ok(_reserved) => means.progress.timed(self.run, self.expected, || (self.make)()),
            Err(too_large) => Record::lost(Status::Memory, too_large.to_string()),
        });
        made.unwrap_or_else(|said| Record::lost(Status::Panicked, said))
    }
}

/// Gives the record of every run, in order. With `fresh` nothing is taken from the store that was there before. A run that
/// several experiments ask for is made once. One in which the program panics has the status `panicked`, one for which there is too
/// little memory `memory`, and neither is kept.
///
/// The result is bitwise the same for any number of threads: a run is one thread, and nothing is shared
/// between runs.
///
/// # Errors
/// Those of the file system, and [`Interrupted`](io::ErrorKind::Interrupted) where all was [asked](crate::stop::ask) to end; the runs
/// finished by then are kept.
pub fn run_all(pending: &[Pending<'_>], means: Means<'_>) -> io::Result<Vec<Record>> {
    let mut seen = HashSet::new();
    let (first, again): (Vec<_>, Vec<_>) = pending.iter().enumerate().partition(|(_, run)| seen.insert(&run.key));
    let mut records = run_each(&first, means)?;
    records.extend(run_each(&again, Means { fresh: false, ..means })?);
    records.sort_by_key(|&(place, _)| place);
    Ok(records.into_iter().map(|(_, record)| record).collect())
}

/// What ends a call that was asked to end.
pub(crate) fn interrupted() -> io::Error {
    io::ErrorKind::Interrupted.into()
}

/// Gives the record of each of some runs with its place; no two have the same key.
fn run_each(pending: &[(usize, &Pending<'_>)], means: Means<'_>) -> io::Result<Vec<(usize, Record)>> {
    let Means { store, memory, progress, fresh, .. } = means;
    let stored = |&(place, run): &(usize, &Pending<'_>)| {
        let record = (!fresh && run.is_kept).then(|| store.load(&run.key, &run.fits)).flatten()?;
        progress.kept(&run.title, &record);
        memory.keep(record.trajectory.as_ref());
        Some((place, record))
    };
    let stored: Vec<Option<(usize, Record)>> = pending.par_iter().map(stored).collect();
    let lacking: Vec<_> = pending.iter().zip(&stored).filter(|each| each.1.is_none()).map(|each| each.0).collect();
    progress.expect(lacking.iter().map(|(_, run)| run.expected).sum());
    let stop = AtomicBool::new(false);
    let make = |&&(place, run): &&(usize, &Pending<'_>)| {
        if progress.is_stopped() {
            return Err(interrupted());
        }
        if stop.load(Ordering::Relaxed) {
            return Err(io::Error::other("another run could not be kept"));
        }
        progress.started(&run.title);
        let record = run.made(means);
        if record.status == Status::Interrupted {
            return Err(interrupted());
        }
        memory.keep(record.trajectory.as_ref());
        let is_kept = run.is_kept && !record.status.is_lost();
        let saved = if is_kept { store.save(&run.key, &record) } else { Ok(()) };
        stop.fetch_or(saved.is_err(), Ordering::Relaxed);
        progress.finished(&run.title, &record, is_kept && saved.is_ok());
        saved.map(|()| (place, record))
    };
    let made = longest_first(&lacking, |(_, run)| run.expected, make);
    stored.into_iter().flatten().map(Ok).chain(made).collect()
}
