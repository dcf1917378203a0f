//! Stops all work on request: for callers that use this program as a library and cannot end the process by a signal.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

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

/// The point at which a piece of work began.
#[derive(Debug, Clone, Copy)]
pub struct Stop(u64);

impl Stop {
    /// Returns the present point, for work that begins now.
    pub fn now() -> Self {
        Self(ASKED.load(Ordering::Relaxed))
    }

    /// True if the work has been [asked](ask) to end.
    pub fn is_asked(self) -> bool {
        ASKED.load(Ordering::Relaxed) != self.0
    }
}
