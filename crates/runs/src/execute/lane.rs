//! The parallel lane: runs that are not in the store go to all cores, each is kept as soon as it is finished.

use std::collections::HashSet;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use mbsbench_problem::Status;
use rayon::prelude::*;

use super::caught::caught;
use super::run::Record;
use crate::progress::Progress;
use crate::store::Store;
use crate::store::shape::Misshapen;

/// What is wrong with a record of the store that is said to be of a run.
type Fits<'p> = dyn Fn(&Record) -> Result<(), Misshapen> + Send + Sync + 'p;

/// A run to be made, if the store does not have it.
pub struct Pending<'p> {
    /// The run's key.
    pub key: String,
    /// What stands in messages: experiment and axis values.
    pub title: String,
    /// Whether the key says all that it is made of: otherwise nothing is taken from the store or kept there.
    pub is_kept: bool,
    /// Makes the run.
    pub make: Box<dyn Fn() -> Record + Send + Sync + 'p>,
    /// What keeps a record from being that of the run.
    pub fits: Box<Fits<'p>>,
}

/// Gives the record of every run, in order. With `fresh` nothing is taken from the store that was there before. A run that
/// several experiments ask for is made once. One in which the program panics has the status `panicked` and is not kept.
///
/// The result is bitwise the same for any number of threads: a run is one thread, and nothing is shared
/// between runs.
///
/// # Errors
/// Those of the file system, and [`Interrupted`](io::ErrorKind::Interrupted) where all was [asked](crate::stop::ask) to end; the runs
/// finished by then are kept.
pub fn run_all(pending: &[Pending<'_>], store: &Store, fresh: bool, progress: &Progress) -> io::Result<Vec<Record>> {
    let mut seen = HashSet::new();
    let (first, again): (Vec<_>, Vec<_>) = pending.iter().enumerate().partition(|(_, run)| seen.insert(&run.key));
    let mut records = run_each(&first, store, fresh, progress)?;
    records.extend(run_each(&again, store, false, progress)?);
    records.sort_by_key(|&(place, _)| place);
    Ok(records.into_iter().map(|(_, record)| record).collect())
}

fn interrupted() -> io::Error {
    io::ErrorKind::Interrupted.into()
}

/// Gives the record of each of some runs with its place; no two have the same key.
fn run_each(
    pending: &[(usize, &Pending<'_>)],
    store: &Store,
    fresh: bool,
    progress: &Progress,
) -> io::Result<Vec<(usize, Record)>> {
    let stop = AtomicBool::new(false);
    pending
        .par_iter()
        .map(|&(place, run)| {
            if let Some(record) = (!fresh && run.is_kept).then(|| store.load(&run.key, &run.fits)).flatten() {
                progress.kept(record.status);
                return Ok((place, record));
            }
            if progress.is_stopped() {
                return Err(interrupted());
            }
            if stop.load(Ordering::Relaxed) {
                return Err(io::Error::other("another run could not be kept"));
            }
            progress.started(&run.title);
            let record = caught(|| (run.make)()).unwrap_or_else(Record::panicked);
            if record.status == Status::Interrupted {
                return Err(interrupted());
            }
            let is_lost = record.status == Status::Panicked || !run.is_kept;
            let kept = if is_lost { Ok(()) } else { store.save(&run.key, &record) };
            stop.fetch_or(kept.is_err(), Ordering::Relaxed);
            progress.finished(&run.title, &record);
            kept.map(|()| (place, record))
        })
        .collect()
}
