//! Owned objects of SUNDIALS: context, vectors, fixed-point iteration, solver memory.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_int, c_long, c_void};
use std::ptr;
use std::rc::Rc;

use mbsbench_problem::{Failure, Statistics};

use crate::ffi;
use crate::settings::Kind;

/// The context of all other objects. They keep it alive, so owners can be dropped in any order.
pub struct Context {
    /// The address, for calls of the library.
    pub pointer: ffi::ContextPointer,
    /// The library's last error message.
    said: *mut RefCell<String>,
    /// The start of the run, s.
    pub time: f64,
}

impl Context {
    /// Creates a context that prints nothing, for a run that starts at `time` (s).
    pub fn new(time: f64) -> Result<Rc<Self>, Failure> {
        let mut pointer = ptr::null_mut();
        // SAFETY: the place for the result is valid; no communicator is needed for serial objects.
        let flag = unsafe { ffi::SUNContext_Create(ffi::no_communicator(), &raw mut pointer) };
        let pointer = made(time, "SUNContext_Create", if flag < 0 { ptr::null_mut() } else { pointer })?;
        let context = Self { pointer, said: Box::into_raw(Box::default()), time };
        // SAFETY: the context is alive, and the data of the handler lives until after it is freed.
        #[cfg(sundials_7)]
        unsafe {
            ffi::SUNContext_ClearErrHandlers(pointer);
            ffi::SUNContext_PushErrHandler(pointer, hear, context.listener());
        }
        Ok(Rc::new(context))
    }

    /// Data for [`hear`]; valid for the lifetime of this context.
    pub fn listener(&self) -> *mut c_void {
        self.said.cast()
    }

    /// Takes the last message and clears it.
    pub fn last_words(&self) -> String {
        // SAFETY: made by `Box::into_raw` and freed by `drop` only; all access is by shared reference.
        let said = unsafe { &*self.said };
        said.take()
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: made by `SUNContext_Create`, and no object of this context is left: each holds an `Rc` of it.
        unsafe { ffi::SUNContext_Free(&raw mut self.pointer) };
        // SAFETY: from `Box::into_raw` in `new`; the library had a copy and no longer uses the context.
        drop(unsafe { Box::from_raw(self.said) });
    }
}

/// Receives the library's errors and warnings.
#[cfg(not(sundials_7))]
pub unsafe extern "C" fn hear(
    _code: c_int,
    _module: *const c_char,
    _function: *const c_char,
    message: *mut c_char,
    data: *mut c_void,
) {
    // SAFETY: the library passes a null-terminated text and the data registered with this function.
    unsafe { remember(message, data) };
}

/// Receives the library's errors and warnings.
#[cfg(sundials_7)]
pub unsafe extern "C" fn hear(
    _line: c_int,
    _function: *const c_char,
    _file: *const c_char,
    message: *const c_char,
    _code: c_int,
    data: *mut c_void,
    _context: ffi::ContextPointer,
) {
    // SAFETY: the library passes a null-terminated text or null, and the data registered with this function.
    unsafe { remember(message, data) };
}

/// # Safety
/// `message` is null or null-terminated; `data` is from [`Context::listener`] of a context that is alive.
unsafe fn remember(message: *const c_char, data: *mut c_void) {
    if message.is_null() {
        return;
    }
    // SAFETY: as the caller promises.
    let (message, said) = unsafe { (CStr::from_ptr(message), &*data.cast::<RefCell<String>>()) };
    if let Ok(mut said) = said.try_borrow_mut() {
        said.clear();
        said.push_str(message.to_string_lossy().trim());
    }
}

/// Returns the object created by `maker` for a run that starts at `time` (s), or an error if it is null.
pub fn made<T>(time: f64, maker: &str, object: *mut T) -> Result<*mut T, Failure> {
    if !object.is_null() {
        return Ok(object);
    }
    let (flag, reason) = ("SUN_ERR_MEM_FAIL".to_owned(), format!("{maker} returned a null pointer"));
    Err(Failure::SolverFailed { time, flag, reason })
}

/// A number of components as the library's index type.
pub fn index(length: usize) -> ffi::Index {
    ffi::Index::try_from(length).expect("a state fits into memory")
}

/// A serial vector.
pub struct Vector {
    /// The address, for calls of the library.
    pub pointer: ffi::VectorPointer,
    length: usize,
    /// The context of this vector.
    pub context: Rc<Context>,
}

impl Vector {
    /// Creates a vector with these components.
    pub fn new(context: &Rc<Context>, components: &[f64]) -> Result<Self, Failure> {
        let length = components.len();
        // SAFETY: the context is alive.
        let pointer = unsafe { ffi::N_VNew_Serial(index(length), context.pointer) };
        let pointer = made(context.time, "N_VNew_Serial", pointer)?;
        let mut vector = Self { pointer, length, context: Rc::clone(context) };
        vector.components_mut().copy_from_slice(components);
        Ok(vector)
    }

    /// The components.
    pub fn components(&self) -> &[f64] {
        // SAFETY: a vector of that length, to which only this value gives access; the library writes to it only in
        // calls that take `&mut self` of the owner.
        unsafe { components(self.pointer, self.length) }
    }

    /// The components, mutable.
    pub fn components_mut(&mut self) -> &mut [f64] {
        // SAFETY: as in `components`.
        unsafe { components_mut(self.pointer, self.length) }
    }
}

impl Drop for Vector {
    fn drop(&mut self) {
        // SAFETY: made by `N_VNew_Serial`; its context is alive.
        unsafe { ffi::N_VDestroy(self.pointer) };
    }
}

/// The components of a vector owned by the library.
///
/// # Safety
/// The vector is serial, of that length, and not written to for `'v`.
pub unsafe fn components<'v>(vector: ffi::VectorPointer, length: usize) -> &'v [f64] {
    // SAFETY: as the caller promises; an empty vector has no array.
    unsafe { if length == 0 { &[] } else { std::slice::from_raw_parts(ffi::N_VGetArrayPointer(vector), length) } }
}

/// The components of a vector owned by the library, mutable.
///
/// # Safety
/// The vector is serial, of that length, and nobody else accesses its components during `'v`.
pub unsafe fn components_mut<'v>(vector: ffi::VectorPointer, length: usize) -> &'v mut [f64] {
    // SAFETY: as the caller promises; an empty vector has no array.
    unsafe {
        if length == 0 { &mut [] } else { std::slice::from_raw_parts_mut(ffi::N_VGetArrayPointer(vector), length) }
    }
}

/// The entries of a square matrix owned by the library, column by column.
///
/// # Safety
/// The matrix is dense, `size × size`, and nobody else accesses its entries during `'m`.
pub unsafe fn entries_mut<'m>(matrix: ffi::MatrixPointer, size: usize) -> &'m mut [f64] {
    // SAFETY: as the caller promises.
    unsafe { std::slice::from_raw_parts_mut(ffi::SUNDenseMatrix_Data(matrix), size * size) }
}

/// A fixed-point iteration without acceleration.
pub struct FixedPoint {
    /// Address of the iteration.
    pub solver: ffi::NonlinearSolverPointer,
    _context: Rc<Context>,
}

impl FixedPoint {
    /// Creates an iteration for vectors like `y`.
    pub fn new(y: &Vector) -> Result<Self, Failure> {
        // SAFETY: vector and context are alive.
        let solver = unsafe { ffi::SUNNonlinSol_FixedPoint(y.pointer, 0, y.context.pointer) };
        let solver = made(y.context.time, "SUNNonlinSol_FixedPoint", solver)?;
        Ok(Self { solver, _context: y.context.clone() })
    }
}

impl Drop for FixedPoint {
    fn drop(&mut self) {
        // SAFETY: made by `SUNNonlinSol_FixedPoint`; its context is alive.
        unsafe { ffi::SUNNonlinSolFree(self.solver) };
    }
}

/// The memory of CVODE or IDA.
pub struct Memory {
    /// The address, for calls of the library.
    pub pointer: *mut c_void,
    /// The functions of this solver.
    pub library: &'static ffi::Library,
    context: Rc<Context>,
}

/// The point that a step has reached.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reached {
    /// Time of the state, s.
    pub t: f64,
    /// True if the state is at a root, and not at the end of the library's step.
    pub is_root: bool,
}

impl Memory {
    /// Creates the memory of the given solver.
    pub fn new(context: &Rc<Context>, kind: Kind) -> Result<Self, Failure> {
        // SAFETY: the context is alive.
        let (pointer, library) = unsafe {
            match kind {
                Kind::CvodeAdams(_) => (ffi::CVodeCreate(ffi::CV_ADAMS, context.pointer), &ffi::CVODE),
                Kind::CvodeBdf => (ffi::CVodeCreate(ffi::CV_BDF, context.pointer), &ffi::CVODE),
                Kind::Ida(_) => (ffi::IDACreate(context.pointer), &ffi::IDA),
            }
        };
        let pointer = made(context.time, "CVodeCreate or IDACreate", pointer)?;
        let memory = Self { pointer, library, context: Rc::clone(context) };
        #[cfg(not(sundials_7))]
        // SAFETY: the memory is alive, and so is the context, which owns the handler's data and outlives the memory.
        unsafe {
            (library.set_error_handler)(pointer, hear, context.listener());
        }
        Ok(memory)
    }

    /// Returns the point reached by a step from `from` to `t` (s) that returned `flag`. A `failure` of the equations is
    /// reported if the flag says so or if time did not advance.
    ///
    /// # Errors
    /// Returns the failure of the equations, [`Failure::StepTooSmall`], or [`Failure::SolverFailed`] with the library's
    /// name of the flag.
    pub fn reached(&self, [from, t]: [f64; 2], flag: c_int, failure: Option<Failure>) -> Result<Reached, Failure> {
        if flag < 0 {
            let failure = failure.filter(|_| self.library.ours.contains(&flag));
            return Err(failure.unwrap_or_else(|| self.failure(from, flag)));
        }
        if t <= from {
            return Err(failure.unwrap_or(Failure::StepTooSmall { time: from, step: t - from }));
        }
        Ok(Reached { t, is_root: flag == ffi::ROOT_RETURN })
    }

    /// The meaning of a negative flag at `time`, in the library's words.
    pub fn failure(&self, time: f64, flag: c_int) -> Failure {
        let reason = self.context.last_words();
        // SAFETY: the function accepts any number and returns null, or a null-terminated text that the caller frees.
        let text = unsafe { (self.library.flag_name)(flag.into()) };
        let flag = if text.is_null() {
            flag.to_string()
        } else {
            // SAFETY: not null, and allocated with the C library's `malloc` for the caller.
            unsafe {
                let owned = CStr::from_ptr(text).to_string_lossy().into_owned();
                ffi::free(text.cast());
                owned
            }
        };
        Failure::SolverFailed { time, flag, reason }
    }

    /// Checks a flag.
    ///
    /// # Errors
    /// Returns [`Failure::SolverFailed`] with the name of the flag if the flag is negative.
    pub fn check(&self, time: f64, flag: c_int) -> Result<(), Failure> {
        if flag < 0 { Err(self.failure(time, flag)) } else { Ok(()) }
    }

    /// The library's counters; those of Newton's method only if the solver uses it. Iterations of any kind are counted.
    pub fn counters(&self, has_newton: bool) -> Statistics {
        let count = |read: unsafe extern "C" fn(*mut c_void, *mut c_long) -> c_int| {
            let mut count = 0;
            // SAFETY: the memory is alive, and the function belongs to its solver.
            let flag = unsafe { read(self.pointer, &raw mut count) };
            if flag < 0 { 0 } else { u64::try_from(count).unwrap_or(0) }
        };
        let of_newton = |read| if has_newton { count(read) } else { 0 };
        let convergence_failures = count(self.library.convergence_failures);
        Statistics {
            steps_rejected: count(self.library.error_test_failures) + convergence_failures,
            convergence_failures,
            newton_iterations: count(self.library.iterations),
            factorizations: of_newton(self.library.factorizations),
            jacobian_evaluations: of_newton(self.library.jacobians),
            jacobian_rhs_evaluations: of_newton(self.library.calls_for_jacobians),
            ..Statistics::default()
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: made by the constructor that matches this function; its context is alive.
        unsafe { (self.library.free)(&raw mut self.pointer) };
    }
}
