//! Callbacks of the library: our equations behind an untyped pointer.
#![allow(unsafe_code)]

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use mbsbench_problem::Failure;

/// The callback succeeded.
const SUCCESS: c_int = 0;
/// The callback failed at this state; a smaller step may help.
const RECOVERABLE: c_int = 1;
/// The callback failed, and a smaller step does not help.
const FATAL: c_int = -1;

/// The name of Newton's matrix in failures. A different step size changes it.
pub const NEWTON_MATRIX: &str = "Newton's matrix";

/// Lengths that stay fixed during a solve, even if the equations later report others.
#[derive(Debug, Clone, Copy)]
pub struct Lengths {
    /// Number of components of the state.
    pub state: usize,
    /// Number of functions whose roots are to be found.
    pub roots: usize,
}

/// Equations that the library calls back, and their last failure.
struct Shared<E> {
    equations: RefCell<E>,
    lengths: Lengths,
    failure: RefCell<Option<Failure>>,
    /// True if the failure is final: a panic, or a failure that no smaller step avoids.
    is_over: Cell<bool>,
    panic: Cell<Option<Box<dyn Any + Send>>>,
}

/// Owner of equations at a fixed address. Both this crate and the library access them by shared reference only.
pub struct Callbacks<E>(*mut Shared<E>);

impl<E> Callbacks<E> {
    /// Takes ownership of the equations.
    pub fn new(equations: E, lengths: Lengths) -> Self {
        let shared = Shared {
            equations: RefCell::new(equations),
            lengths,
            failure: RefCell::default(),
            is_over: Cell::new(false),
            panic: Cell::new(None),
        };
        Self(Box::into_raw(Box::new(shared)))
    }

    /// Returns the data for the library's calls to [`enter`] with this type; valid for the lifetime of this value.
    pub fn data(&self) -> *mut c_void {
        self.0.cast()
    }

    fn shared(&self) -> &Shared<E> {
        // SAFETY: from `Box::into_raw`, freed by `drop` only, and accessed by shared reference only.
        unsafe { &*self.0 }
    }

    /// Calls `work` with the equations, between calls of the library.
    pub fn with<T>(&self, work: impl FnOnce(&mut E) -> T) -> T {
        work(&mut self.shared().equations.borrow_mut())
    }

    /// Returns the last failure of the equations since the previous call, if any, and resumes their panic.
    ///
    /// # Errors
    /// Fails if no smaller step avoids the failure, however the library reported it. The failure is then kept.
    pub fn failure(&self) -> Result<Option<Failure>, Failure> {
        let shared = self.shared();
        if let Some(panic) = shared.panic.take() {
            resume_unwind(panic);
        }
        let last = shared.failure.take();
        if let Some(failure) = last.as_ref().filter(|_| shared.is_over.get()) {
            shared.failure.replace(Some(failure.clone()));
            return Err(failure.clone());
        }
        Ok(last)
    }
}

impl<E> Drop for Callbacks<E> {
    fn drop(&mut self) {
        // SAFETY: from `Box::into_raw` in `new`; no reference is left, and the library makes callbacks only while it
        // runs.
        drop(unsafe { Box::from_raw(self.0) });
    }
}

/// Calls `work` with the equations behind `data`, unless they have failed for good: functional iterations continue
/// after a failed evaluation. The values that `work` writes are not checked; see [`finite`].
///
/// # Safety
/// `data` is from [`Callbacks::data`] of a value of the same type that is alive.
pub unsafe fn enter<E>(data: *mut c_void, work: impl FnOnce(&mut E, Lengths) -> Result<(), Failure>) -> c_int {
    // SAFETY: as the caller promises.
    let shared = unsafe { &*data.cast::<Shared<E>>() };
    if shared.is_over.get() {
        return FATAL;
    }
    // State left half changed by a panic is never read again: the solve ends with the panic.
    match catch_unwind(AssertUnwindSafe(|| work(&mut shared.equations.borrow_mut(), shared.lengths))) {
        Ok(Ok(())) => SUCCESS,
        Ok(Err(failure)) => {
            let is_recoverable =
                matches!(failure, Failure::NonFinite { .. } | Failure::SingularMatrix { matrix: NEWTON_MATRIX, .. });
            shared.failure.replace(Some(failure));
            shared.is_over.set(!is_recoverable);
            if is_recoverable { RECOVERABLE } else { FATAL }
        }
        Err(panic) => {
            shared.is_over.set(true);
            shared.panic.set(Some(panic));
            FATAL
        }
    }
}
