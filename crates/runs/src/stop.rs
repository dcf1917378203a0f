//! Stops all work on request: for callers that use this program as a library and cannot end the process by a signal.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

static ASKED: AtomicU64 = AtomicU64::new(0);

/// Asks all work in progress in this process to end: no further run begins, and runs that have begun end as
/// `interrupted` after the current step. Finished runs remain cached. Work that begins later is not affected.
pub fn ask() {
    ASKED.fetch_add(1, Ordering::Relaxed);
}

/// The error of a call that was asked to end.
pub(crate) fn interrupted() -> io::Error {
    io::ErrorKind::Interrupted.into()
}

/// The longest duration of a run, and the time at which all runs end.
static LIMIT: Mutex<Option<(Duration, Instant)>> = Mutex::new(None);

fn limit() -> MutexGuard<'static, Option<(Duration, Instant)>> {
    LIMIT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Limits the time of all runs and references of this process that begin before it is dropped. A run that exceeds its
/// time ends as `interrupted` after the current step and is not cached; all others continue.
#[derive(Debug)]
pub struct Limited(());

impl Limited {
    /// Ends each run after the duration `each`, and all runs at the time `end`.
    pub fn new(each: Duration, end: Instant) -> Self {
        *limit() = Some((each, end));
        Self(())
    }
}

impl Drop for Limited {
    fn drop(&mut self) {
        *limit() = None;
    }
}

/// The point at which a piece of work began, and its end if its time is limited.
#[derive(Debug, Clone, Copy)]
pub struct Stop(u64, Option<Instant>);

impl Stop {
    /// Returns the present point, for work that begins now.
    pub fn now() -> Self {
        Self(ASKED.load(Ordering::Relaxed), None)
    }

    /// Returns the present point, for a run that begins now and whose time may be [`Limited`].
    pub(crate) fn of_run() -> Self {
        Self(Self::now().0, limit().map(|(each, end)| end.min(Instant::now() + each)))
    }

    /// True if the work has been [asked](ask) to end or has exceeded its time.
    pub fn is_asked(self) -> bool {
        ASKED.load(Ordering::Relaxed) != self.0 || self.1.is_some_and(|end| Instant::now() >= end)
    }
}
