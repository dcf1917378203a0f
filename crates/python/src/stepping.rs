//! Threads on which a method that is written in Python makes a step.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;

/// Threads on which `step` of a class of Python runs, as Python numbers them.
static STEPPING: Mutex<BTreeMap<u64, u64>> = Mutex::new(BTreeMap::new());

fn stepping() -> MutexGuard<'static, BTreeMap<u64, u64>> {
    STEPPING.lock().unwrap_or_else(PoisonError::into_inner)
}

thread_local! {
    /// The number of this thread, once it is known.
    static NUMBER: Cell<u64> = const { Cell::new(0) };
}

/// That this thread calls `step`, for as long as it lives.
pub struct Stepping(u64);

impl Stepping {
    /// From now on.
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

/// Threads on which a `step` runs at this moment.
#[pyfunction]
pub fn stepping_threads() -> Vec<u64> {
    stepping().keys().copied().collect()
}
