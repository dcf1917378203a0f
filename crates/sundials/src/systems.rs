//! Linear systems of Newton's method: dense ones by the library, or any others by the equations.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::rc::Rc;

use mbsbench_problem::Failure;

use crate::callbacks::{Lengths, enter};
use crate::ffi;
use crate::objects::{Context, Vector, components, components_mut, index, made};
use crate::solver::Equations;

/// The solver of the linear systems of Newton's method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Systems {
    /// The library, with a dense matrix of its own difference quotients.
    Differences,
    /// The library, with a dense matrix of the equations' derivatives.
    Dense,
    /// The equations themselves.
    Own,
}

/// The failure of equations that leave linear systems to the library.
pub(crate) fn no_systems() -> Failure {
    Failure::NotApplicable { reason: "the equations leave linear systems to the library".to_owned() }
}

/// Matrix and solver attached to the library's memory: either a dense matrix, or an empty placeholder for the matrix
/// kept by the equations, with a solver that calls them. The library decides when to recompute the matrix, and scales
/// solutions if the step has changed since, as it does with its own matrices.
pub struct LinearSolver {
    /// Address of the matrix.
    pub matrix: ffi::MatrixPointer,
    /// Address of the solver.
    pub solver: ffi::LinearSolverPointer,
    is_own: bool,
    _context: Rc<Context>,
}

impl LinearSolver {
    /// Creates a solver for systems of the size of `y`. `data` is from
    /// [`Callbacks::data`](crate::callbacks::Callbacks::data) of equations of that type, which outlive this solver.
    pub fn new<E: Equations>(systems: Systems, y: &Vector, data: *mut c_void) -> Result<Self, Failure> {
        let (size, is_own) = (index(y.components().len()), systems == Systems::Own);
        let (context, time) = (y.context.pointer, y.context.time);
        // SAFETY: the context is alive.
        let matrix =
            unsafe { if is_own { ffi::SUNMatNewEmpty(context) } else { ffi::SUNDenseMatrix(size, size, context) } };
        let matrix = made(time, "SUNMatNewEmpty or SUNDenseMatrix", matrix)?;
        let mut new = Self { matrix, solver: std::ptr::null_mut(), is_own, _context: y.context.clone() };
        // SAFETY: vector, matrix and context are alive, and of one size.
        let solver = unsafe {
            if is_own { ffi::SUNLinSolNewEmpty(context) } else { ffi::SUNLinSol_Dense(y.pointer, matrix, context) }
        };
        new.solver = made(time, "SUNLinSolNewEmpty or SUNLinSol_Dense", solver)?;
        if is_own {
            // SAFETY: both are new and unshared, begin as declared in all versions, and own their tables of operations.
            unsafe {
                let operations = &mut *(*matrix.cast::<ffi::Matrix>()).operations;
                operations.kind = Some(custom);
                operations.zero = Some(zero);
                let solver = &mut *new.solver.cast::<ffi::LinearSolver>();
                solver.content = data;
                let operations = &mut *solver.operations;
                operations.kind = Some(direct);
                operations.initialize = Some(initialize);
                operations.setup = Some(setup);
                operations.solve = Some(solve::<E>);
            }
        }
        Ok(new)
    }
}

impl Drop for LinearSolver {
    fn drop(&mut self) {
        // SAFETY: made by the constructors that match these functions, or null, which the functions for empty objects
        // accept; the context is alive.
        unsafe {
            if self.is_own {
                ffi::SUNLinSolFreeEmpty(self.solver);
                ffi::SUNMatFreeEmpty(self.matrix);
                return;
            }
            if !self.solver.is_null() {
                ffi::SUNLinSolFree(self.solver);
            }
            if !self.matrix.is_null() {
                ffi::SUNMatDestroy(self.matrix);
            }
        }
    }
}

unsafe extern "C" fn custom(_: ffi::MatrixPointer) -> c_int {
    ffi::CUSTOM
}

unsafe extern "C" fn zero(_: ffi::MatrixPointer) -> c_int {
    0
}

unsafe extern "C" fn direct(_: ffi::LinearSolverPointer) -> c_int {
    ffi::DIRECT
}

unsafe extern "C" fn initialize(_: ffi::LinearSolverPointer) -> c_int {
    0
}

/// Does nothing: the matrix is factorized when it is computed.
unsafe extern "C" fn setup(_: ffi::LinearSolverPointer, _: ffi::MatrixPointer) -> c_int {
    0
}

/// The library's call of [`Equations::solve`].
unsafe extern "C" fn solve<E: Equations>(
    solver: ffi::LinearSolverPointer,
    _: ffi::MatrixPointer,
    x: ffi::VectorPointer,
    right: ffi::VectorPointer,
    _: f64,
) -> c_int {
    // SAFETY: the solver is one of `LinearSolver`'s own, with the data of equations of this type. The library passes
    // two vectors like the initial state, which may be the same vector.
    unsafe {
        let data = (*solver.cast::<ffi::LinearSolver>()).content;
        enter::<E>(data, |equations, Lengths { state: n, .. }| {
            if x != right {
                components_mut(x, n).copy_from_slice(components(right, n));
            }
            equations.solve(components_mut(x, n))
        })
    }
}
