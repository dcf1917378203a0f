//! The threads on which a Python method is making a step.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;

/// The threads on which `step` of a Python class runs, by Python's identifiers, with the number of active calls.
static STEPPING: Mutex<BTreeMap<u64, u64>> = Mutex::new(BTreeMap::new());

fn stepping() -> MutexGuard<'static, BTreeMap<u64, u64>> {
    STEPPING.lock().unwrap_or_else(PoisonError::into_inner)
}

thread_local! {
    /// Python's identifier of this thread, or zero before it is known.
    static NUMBER: Cell<u64> = const { Cell::new(0) };
}

/// Registers this thread as running `step` until the value is dropped.
pub struct Stepping(u64);

impl Stepping {
    /// Registers the current thread.
    pub fn begin() -> Self {
        let mut number = NUMBER.get();
        if number == 0 {
            let ask = |py: Python<'_>| py.import("threading")?.getattr("get_ident")?.call0()?.extract();
            number = Python::attach(ask).unwrap_or(0);
            NUMBER.set(number);
        }
        *stepping().entry(number).or_default() += 1;
        Self(number)
    }
}

impl Drop for Stepping {
    fn drop(&mut self) {
        let mut stepping = stepping();
        if let Some(count) = stepping.get_mut(&self.0) {
            *count -= 1;
            if *count == 0 {
                stepping.remove(&self.0);
            }
        }
    }
}

/// Returns the threads on which a `step` is running.
#[pyfunction]
pub fn stepping_threads() -> Vec<u64> {
    stepping().keys().copied().collect()
}
