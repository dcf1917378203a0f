//! What the library calls: equations of ours behind an untyped address.
#![allow(unsafe_code)]

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use mbsbench_problem::Failure;

/// The function called succeeded.
const SUCCESS: c_int = 0;
/// It failed at this state; a smaller step may help.
const RECOVERABLE: c_int = 1;
/// It failed, and a smaller step does not help.
const FATAL: c_int = -1;

/// What failures call the matrix of Newton's method, which another step changes.
pub const NEWTON_MATRIX: &str = "Newton's matrix";

/// Lengths that do not change during a solve, whatever the equations say later.
#[derive(Debug, Clone, Copy)]
pub struct Lengths {
    /// Number of components of the state.
    pub state: usize,
    /// Number of functions whose roots are to be found.
    pub roots: usize,
}

/// Equations that the library calls back, and what went wrong in them.
struct Shared<E> {
    equations: RefCell<E>,
    lengths: Lengths,
    failure: RefCell<Option<Failure>>,
    /// Whether the failure is one that no smaller step mends, or a panic.
    is_over: Cell<bool>,
    panic: Cell<Option<Box<dyn Any + Send>>>,
}

/// Owner of equations at a fixed address. All access to them, from here and from the library, is by shared reference.
pub struct Callbacks<E>(*mut Shared<E>);

impl<E> Callbacks<E> {
    /// Takes equations over.
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

    /// The data for the library's calls to [`enter`] with this type; valid as long as this value.
    pub fn data(&self) -> *mut c_void {
        self.0.cast()
    }

    fn shared(&self) -> &Shared<E> {
        // SAFETY: from `Box::into_raw`, freed by `drop` only, and never referred to otherwise than by shared reference.
        unsafe { &*self.0 }
    }

    /// Does something with the equations, between calls of the library.
    pub fn with<T>(&self, work: impl FnOnce(&mut E) -> T) -> T {
        work(&mut self.shared().equations.borrow_mut())
    }

    /// The last failure of the equations since this was asked before, if there was one. Goes on with their panic.
    ///
    /// # Errors
    /// A failure that no smaller step mends, whatever the library has made of it; it stays.
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
        // SAFETY: from `Box::into_raw` in `new`; no reference is left, and the library calls only while it is called.
        drop(unsafe { Box::from_raw(self.0) });
    }
}

/// Calls `work` with the equations behind `data`, unless they have failed for good: functional iterations go on after a
/// function has failed. What it writes is not looked at; see [`finite`].
///
/// # Safety
/// `data` is from [`Callbacks::data`] of a value of the same type that is alive.
pub unsafe fn enter<E>(data: *mut c_void, work: impl FnOnce(&mut E, Lengths) -> Result<(), Failure>) -> c_int {
    // SAFETY: as the caller promises.
    let shared = unsafe { &*data.cast::<Shared<E>>() };
    if shared.is_over.get() {
        return FATAL;
    }
    // What a panic leaves half done is not looked at again: the solve ends with it.
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

/// Fails where a result of the equations at `time` is not finite.
///
/// # Errors
/// [`Failure::NonFinite`].
pub fn finite(time: f64, values: &[f64]) -> Result<(), Failure> {
    if values.iter().all(|value| value.is_finite()) { Ok(()) } else { Err(Failure::NonFinite { time }) }
}
