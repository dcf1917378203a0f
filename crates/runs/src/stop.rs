//! That all work be stopped: what a caller says who has this program as a library, where a process would be ended by a signal.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

static ASKED: AtomicU64 = AtomicU64::new(0);

/// Asks everything that is under way in this process to end: no further run is begun, and those that have begun end as `interrupted` after
/// their present step. What is finished is kept. Work that begins later is not meant.
pub fn ask() {
    ASKED.fetch_add(1, Ordering::Relaxed);
}

/// What ends a call that was asked to end.
pub(crate) fn interrupted() -> io::Error {
    io::ErrorKind::Interrupted.into()
}

/// When a piece of work began.
#[derive(Debug, Clone, Copy)]
pub struct Stop(u64);

impl Stop {
    /// Of work that begins now.
    pub fn now() -> Self {
        Self(ASKED.load(Ordering::Relaxed))
    }

    /// Whether it has been [asked](ask) to end.
    pub fn is_asked(self) -> bool {
        ASKED.load(Ordering::Relaxed) != self.0
    }
}
