//! The part of SUNDIALS' C interface that this crate uses, for versions 6.2 to 7 in double precision.
//!
//! Names and meanings are as in its user guides. All functions that return [`c_int`] return zero or a positive
//! number on success and a negative one on failure.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_long, c_void};

/// An opaque object of the library, known only by its address.
#[repr(C)]
pub struct Opaque {
    private: [u8; 0],
}

/// `SUNContext`.
pub type ContextPointer = *mut Opaque;
/// `N_Vector`.
pub type VectorPointer = *mut Opaque;
/// `SUNMatrix`.
pub type MatrixPointer = *mut Opaque;
/// `SUNLinearSolver`.
pub type LinearSolverPointer = *mut Opaque;
/// `SUNNonlinearSolver`.
pub type NonlinearSolverPointer = *mut Opaque;
/// `sunindextype`.
#[cfg(sundials_short_index)]
pub type Index = i32;
/// `sunindextype`.
#[cfg(not(sundials_short_index))]
pub type Index = i64;

/// `SUNComm` of a version 7 library without MPI.
#[cfg(all(sundials_7, not(sundials_mpi)))]
pub type Communicator = c_int;
/// `SUNComm` of a library with MPI: a pointer, or an integer passed like one. Version 6 takes a pointer to it.
#[cfg(not(all(sundials_7, not(sundials_mpi))))]
pub type Communicator = *mut c_void;

/// `CVRhsFn`: time, state, rate (output).
pub type RightHandSide = unsafe extern "C" fn(f64, VectorPointer, VectorPointer, *mut c_void) -> c_int;
/// `CVRootFn`: time, state, values (output).
pub type Roots = unsafe extern "C" fn(f64, VectorPointer, *mut f64, *mut c_void) -> c_int;
/// `CVLsJacFn`: time, state, its rate, matrix (output).
pub type JacobianOfRate = unsafe extern "C" fn(
    f64,
    VectorPointer,
    VectorPointer,
    MatrixPointer,
    *mut c_void,
    VectorPointer,
    VectorPointer,
    VectorPointer,
) -> c_int;
/// `IDAResFn`: time, state, its rate, residual (output).
pub type Residual = unsafe extern "C" fn(f64, VectorPointer, VectorPointer, VectorPointer, *mut c_void) -> c_int;
/// `IDARootFn`: time, state, its rate, values (output).
pub type RootsOfResidual = unsafe extern "C" fn(f64, VectorPointer, VectorPointer, *mut f64, *mut c_void) -> c_int;
/// `IDALsJacFn`: time, `c_j`, state, its rate, residual, matrix (output).
pub type JacobianOfResidual = unsafe extern "C" fn(
    f64,
    f64,
    VectorPointer,
    VectorPointer,
    VectorPointer,
    MatrixPointer,
    *mut c_void,
    VectorPointer,
    VectorPointer,
    VectorPointer,
) -> c_int;
/// `CVLsLinSysFn`: time, state, its rate, matrix, whether to keep the Jacobian, whether it is new (output), `γ`.
pub type SystemOfRate = unsafe extern "C" fn(
    f64,
    VectorPointer,
    VectorPointer,
    MatrixPointer,
    c_int,
    *mut c_int,
    f64,
    *mut c_void,
    VectorPointer,
    VectorPointer,
    VectorPointer,
) -> c_int;
/// `CVErrHandlerFn` and `IDAErrHandlerFn` of version 6: code, module, function, message.
#[cfg(not(sundials_7))]
pub type ErrorHandler = unsafe extern "C" fn(c_int, *const c_char, *const c_char, *mut c_char, *mut c_void);
/// `SUNErrHandlerFn` of version 7: line, function, file, message, code.
#[cfg(sundials_7)]
pub type ErrorHandler =
    unsafe extern "C" fn(c_int, *const c_char, *const c_char, *const c_char, c_int, *mut c_void, ContextPointer);

/// A matrix of the library with our operations: the beginning of `_generic_SUNMatrix`.
#[repr(C)]
pub struct Matrix {
    /// Data of the operations.
    pub content: *mut c_void,
    /// The operations.
    pub operations: *mut MatrixOperations,
}

/// The beginning of `_generic_SUNMatrix_Ops`, which is the same in all versions.
#[repr(C)]
pub struct MatrixOperations {
    /// Returns the kind of the matrix.
    pub kind: Option<unsafe extern "C" fn(MatrixPointer) -> c_int>,
    /// `clone` and `destroy`.
    copies: [Option<unsafe extern "C" fn()>; 2],
    /// Sets all entries to zero.
    pub zero: Option<unsafe extern "C" fn(MatrixPointer) -> c_int>,
}

/// A linear solver with our operations: the beginning of `_generic_SUNLinearSolver`.
#[repr(C)]
pub struct LinearSolver {
    /// Data of the operations.
    pub content: *mut c_void,
    /// The operations.
    pub operations: *mut LinearSolverOperations,
}

/// Number of operations between `kind` and `initialize`.
const BETWEEN: usize = if cfg!(sundials_options) { 6 } else { 5 };

/// The beginning of `_generic_SUNLinearSolver_Ops`.
#[repr(C)]
pub struct LinearSolverOperations {
    /// Returns the kind of the solver, direct or iterative.
    pub kind: Option<unsafe extern "C" fn(LinearSolverPointer) -> c_int>,
    /// `getid`, `setatimes`, `setpreconditioner`, `setscalingvectors`, `setoptions` (later versions only) and
    /// `setzeroguess`.
    between: [Option<unsafe extern "C" fn()>; BETWEEN],
    /// Called once before the first step.
    pub initialize: Option<unsafe extern "C" fn(LinearSolverPointer) -> c_int>,
    /// Called for each new matrix.
    pub setup: Option<unsafe extern "C" fn(LinearSolverPointer, MatrixPointer) -> c_int>,
    /// Solves a system: solution, right-hand side, tolerance of an iterative solver.
    pub solve:
        Option<unsafe extern "C" fn(LinearSolverPointer, MatrixPointer, VectorPointer, VectorPointer, f64) -> c_int>,
}

/// `SUNLINEARSOLVER_DIRECT`.
pub const DIRECT: c_int = 0;
/// `SUNMATRIX_CUSTOM`, or a number that none of the library's kinds has.
pub const CUSTOM: c_int = 9;

pub const CV_ADAMS: c_int = 1;
pub const CV_BDF: c_int = 2;
/// `CV_ONE_STEP` and `IDA_ONE_STEP`.
pub const ONE_STEP: c_int = 2;
/// `CV_ROOT_RETURN` and `IDA_ROOT_RETURN`.
pub const ROOT_RETURN: c_int = 2;

/// Declares the functions that CVODE and IDA share: its documentation, its field in [`Library`], its arguments after
/// the solver's memory, and its names in both solvers.
macro_rules! common {
    ($($(#[$about:meta])* $field:ident: fn($($argument:ty),*) = $cvode:ident, $ida:ident;)*) => {
        /// The functions that CVODE and IDA share.
        pub struct Library {
            $($(#[$about])* pub $field: unsafe extern "C" fn(*mut c_void $(, $argument)*) -> c_int,)*
            pub free: unsafe extern "C" fn(*mut *mut c_void),
            /// Returns the name of a flag, allocated by the C library; the caller frees it with [`free`].
            pub flag_name: unsafe extern "C" fn(c_long) -> *mut c_char,
            #[cfg(not(sundials_7))]
            pub set_error_handler: unsafe extern "C" fn(*mut c_void, ErrorHandler, *mut c_void) -> c_int,
            /// Flags that report a failure of our callbacks: right-hand side or residual, roots or Jacobian.
            pub ours: [c_int; 6],
        }

        /// CVODE.
        pub static CVODE: Library = Library {
            $($field: $cvode,)*
            free: CVodeFree,
            flag_name: CVodeGetReturnFlagName,
            #[cfg(not(sundials_7))]
            set_error_handler: CVodeSetErrHandlerFn,
            ours: [-6, -8, -9, -10, -11, -12],
        };

        /// IDA.
        pub static IDA: Library = Library {
            $($field: $ida,)*
            free: IDAFree,
            flag_name: IDAGetReturnFlagName,
            #[cfg(not(sundials_7))]
            set_error_handler: IDASetErrHandlerFn,
            ours: [-6, -8, -9, -10, -12, -14],
        };

        unsafe extern "C" {
            $(
                fn $cvode(memory: *mut c_void $(, _: $argument)*) -> c_int;
                fn $ida(memory: *mut c_void $(, _: $argument)*) -> c_int;
            )*
        }
    };
}

common! {
    set_user_data: fn(*mut c_void) = CVodeSetUserData, IDASetUserData;
    set_tolerances: fn(f64, VectorPointer) = CVodeSVtolerances, IDASVtolerances;
    set_max_order: fn(c_int) = CVodeSetMaxOrd, IDASetMaxOrd;
    set_initial_step: fn(f64) = CVodeSetInitStep, IDASetInitStep;
    set_max_step: fn(f64) = CVodeSetMaxStep, IDASetMaxStep;
    set_stop_time: fn(f64) = CVodeSetStopTime, IDASetStopTime;
    set_linear_solver: fn(LinearSolverPointer, MatrixPointer) = CVodeSetLinearSolver, IDASetLinearSolver;
    silence_inactive_roots: fn() = CVodeSetNoInactiveRootWarn, IDASetNoInactiveRootWarn;
    read_roots: fn(*mut c_int) = CVodeGetRootInfo, IDAGetRootInfo;
    interpolate: fn(f64, c_int, VectorPointer) = CVodeGetDky, IDAGetDky;
    error_test_failures: fn(*mut c_long) = CVodeGetNumErrTestFails, IDAGetNumErrTestFails;
    /// Steps whose implicit equations were not solved.
    convergence_failures: fn(*mut c_long) = CVodeGetNumStepSolveFails, IDAGetNumStepSolveFails;
    iterations: fn(*mut c_long) = CVodeGetNumNonlinSolvIters, IDAGetNumNonlinSolvIters;
    factorizations: fn(*mut c_long) = CVodeGetNumLinSolvSetups, IDAGetNumLinSolvSetups;
    jacobians: fn(*mut c_long) = CVodeGetNumJacEvals, IDAGetNumJacEvals;
    /// Evaluations for the library's own difference quotients.
    calls_for_jacobians: fn(*mut c_long) = CVodeGetNumLinRhsEvals, IDAGetNumLinResEvals;
}

unsafe extern "C" {
    pub fn SUNContext_Create(communicator: Communicator, context: *mut ContextPointer) -> c_int;
    pub fn SUNContext_Free(context: *mut ContextPointer) -> c_int;
    #[cfg(sundials_7)]
    pub fn SUNContext_ClearErrHandlers(context: ContextPointer) -> c_int;
    #[cfg(sundials_7)]
    pub fn SUNContext_PushErrHandler(context: ContextPointer, handler: ErrorHandler, data: *mut c_void) -> c_int;

    pub fn N_VNew_Serial(length: Index, context: ContextPointer) -> VectorPointer;
    pub fn N_VDestroy(vector: VectorPointer);
    pub fn N_VGetArrayPointer(vector: VectorPointer) -> *mut f64;

    pub fn SUNDenseMatrix(rows: Index, columns: Index, context: ContextPointer) -> MatrixPointer;
    pub fn SUNMatDestroy(matrix: MatrixPointer);
    pub fn SUNDenseMatrix_Data(matrix: MatrixPointer) -> *mut f64;
    pub fn SUNLinSol_Dense(y: VectorPointer, matrix: MatrixPointer, context: ContextPointer) -> LinearSolverPointer;
    pub fn SUNMatNewEmpty(context: ContextPointer) -> MatrixPointer;
    pub fn SUNMatFreeEmpty(matrix: MatrixPointer);
    pub fn SUNLinSolNewEmpty(context: ContextPointer) -> LinearSolverPointer;
    pub fn SUNLinSolFreeEmpty(solver: LinearSolverPointer);
    pub fn SUNLinSolFree(solver: LinearSolverPointer) -> c_int;
    pub fn SUNNonlinSol_FixedPoint(y: VectorPointer, m: c_int, context: ContextPointer) -> NonlinearSolverPointer;
    pub fn SUNNonlinSolFree(solver: NonlinearSolverPointer) -> c_int;

    pub fn CVodeCreate(formula: c_int, context: ContextPointer) -> *mut c_void;
    pub fn CVodeFree(memory: *mut *mut c_void);
    pub fn CVodeInit(memory: *mut c_void, f: RightHandSide, t: f64, y: VectorPointer) -> c_int;
    pub fn CVodeReInit(memory: *mut c_void, t: f64, y: VectorPointer) -> c_int;
    #[cfg(not(sundials_7))]
    pub fn CVodeSetErrHandlerFn(memory: *mut c_void, handler: ErrorHandler, data: *mut c_void) -> c_int;
    pub fn CVodeSetMaxHnilWarns(memory: *mut c_void, count: c_int) -> c_int;
    pub fn CVodeSetNonlinearSolver(memory: *mut c_void, solver: NonlinearSolverPointer) -> c_int;
    pub fn CVodeSetJacFn(memory: *mut c_void, jacobian: JacobianOfRate) -> c_int;
    pub fn CVodeSetLinSysFn(memory: *mut c_void, system: SystemOfRate) -> c_int;
    pub fn CVodeRootInit(memory: *mut c_void, count: c_int, roots: Roots) -> c_int;
    pub fn CVode(memory: *mut c_void, t_out: f64, y: VectorPointer, t: *mut f64, task: c_int) -> c_int;
    pub fn CVodeGetReturnFlagName(flag: c_long) -> *mut c_char;

    pub fn IDACreate(context: ContextPointer) -> *mut c_void;
    pub fn IDAFree(memory: *mut *mut c_void);
    pub fn IDAInit(memory: *mut c_void, f: Residual, t: f64, y: VectorPointer, rate: VectorPointer) -> c_int;
    pub fn IDAReInit(memory: *mut c_void, t: f64, y: VectorPointer, rate: VectorPointer) -> c_int;
    #[cfg(not(sundials_7))]
    pub fn IDASetErrHandlerFn(memory: *mut c_void, handler: ErrorHandler, data: *mut c_void) -> c_int;
    pub fn IDASetJacFn(memory: *mut c_void, jacobian: JacobianOfResidual) -> c_int;
    pub fn IDASetId(memory: *mut c_void, is_differential: VectorPointer) -> c_int;
    pub fn IDASetSuppressAlg(memory: *mut c_void, suppress: c_int) -> c_int;
    pub fn IDARootInit(memory: *mut c_void, count: c_int, roots: RootsOfResidual) -> c_int;
    pub fn IDASolve(
        memory: *mut c_void,
        t_out: f64,
        t: *mut f64,
        y: VectorPointer,
        rate: VectorPointer,
        task: c_int,
    ) -> c_int;
    pub fn IDAGetReturnFlagName(flag: c_long) -> *mut c_char;

    pub fn free(memory: *mut c_void);
    #[cfg(all(sundials_7, sundials_mpi))]
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// "No communicator": version 6 takes a pointer to a communicator, version 7 the communicator itself.
#[cfg(not(sundials_7))]
pub fn no_communicator() -> Communicator {
    std::ptr::null_mut()
}

/// "No communicator": `SUN_COMM_NULL`.
#[cfg(all(sundials_7, not(sundials_mpi)))]
pub fn no_communicator() -> Communicator {
    0
}

/// "No communicator": `MPI_COMM_NULL`, which is the address of an object in Open MPI and the integer 0x04000000 in
/// MPICH and its derivatives. SUNDIALS itself has loaded one of them.
#[cfg(all(sundials_7, sundials_mpi))]
pub fn no_communicator() -> Communicator {
    let everywhere = if cfg!(target_os = "macos") { -2_isize as *mut c_void } else { std::ptr::null_mut() };
    // SAFETY: the name ends with a zero; the first argument is the C library's RTLD_DEFAULT.
    let object = unsafe { dlsym(everywhere, c"ompi_mpi_comm_null".as_ptr()) };
    if object.is_null() { 0x0400_0000 as *mut c_void } else { object }
}
