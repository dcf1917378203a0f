//! A solve by CVODE (linear multistep formulas for `y' = f(t, y)`) or by IDA (backward differentiation for
//! `F(t, y, y') = 0`).
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};

use mbsbench_integrators::stepper::finite;
use mbsbench_problem::{Failure, Statistics};

use crate::callbacks::{Callbacks, Lengths, enter};
use crate::ffi::{self, MatrixPointer, VectorPointer};
use crate::objects::{Context, FixedPoint, Memory, Reached, Vector, components, components_mut, entries_mut};
use crate::settings::Kind;
use crate::systems::{LinearSolver, Systems, no_systems};

/// A point at which the library evaluates the equations.
#[derive(Debug, Clone, Copy)]
pub struct Point<'p> {
    /// Time, s.
    pub t: f64,
    /// State.
    pub y: &'p [f64],
    /// `y'` for IDA; empty for CVODE.
    pub rate: &'p [f64],
    /// The factor in Newton's matrix, if the matrix is requested: `γ` of `1 − γ ∂f/∂y` or `c_j` of
    /// `∂F/∂y + c_j ∂F/∂y'`.
    pub factor: f64,
}

/// Equations for [`Solver`]: `f(t, y)` for CVODE, `F(t, y, y')` for IDA.
pub trait Equations {
    /// Number of unknowns.
    fn dimension(&self) -> usize;

    /// Writes `f` or `F`. The solver tries a smaller step if a result is not finite.
    ///
    /// # Errors
    /// Returns a [`Failure`], which ends the solve unless it is [`Failure::NonFinite`].
    fn evaluate(&mut self, at: Point<'_>, value: &mut [f64]) -> Result<(), Failure>;

    /// Writes `∂f/∂y` or `∂F/∂y + c_j ∂F/∂y'`, column by column; `value` is `f` or `F` at the point. Called with
    /// [`Systems::Dense`].
    fn jacobian(&mut self, at: Point<'_>, value: &[f64], jacobian: &mut [f64]) -> Result<(), Failure>;

    /// Prepares solves with Newton's matrix. Evaluates the derivatives at the point or, if `keep` (CVODE only), reuses
    /// the last ones. Called with [`Systems::Own`].
    fn prepare(&mut self, _at: Point<'_>, _keep: bool) -> Result<(), Failure> {
        Err(no_systems())
    }

    /// Solves with the matrix prepared last; `x` holds the right-hand side on entry and the solution on return.
    ///
    /// # Errors
    /// Returns a [`Failure`], which ends the solve.
    fn solve(&mut self, _x: &mut [f64]) -> Result<(), Failure> {
        Err(no_systems())
    }

    /// Number of functions whose roots are located.
    fn root_count(&self) -> usize {
        0
    }

    /// Writes the values of these functions into `values`.
    ///
    /// # Errors
    /// Returns a [`Failure`], which ends the solve.
    fn roots(&mut self, _t: f64, _y: &[f64], _values: &mut [f64]) -> Result<(), Failure> {
        Ok(())
    }
}

/// Options of a [`Solver`].
#[derive(Debug, Clone, Copy)]
pub struct Options<'o> {
    /// The solver of the library.
    pub kind: Kind,
    /// Highest order.
    pub max_order: u32,
    /// Solver of the linear systems of Newton's method.
    pub systems: Systems,
    /// True for each component in the error test; IDA treats the others as algebraic unknowns.
    pub tested: &'o [bool],
    /// Relative tolerance.
    pub rel: f64,
    /// Absolute tolerance of each component.
    pub abs: &'o [f64],
    /// First step, s; the library's own estimate if none is given.
    pub initial_step: Option<f64>,
    /// Largest step, s.
    pub max_step: Option<f64>,
    /// Time that no step passes, s.
    pub t_stop: f64,
}

/// A solve in progress.
pub struct Solver<E> {
    memory: Memory,
    callbacks: Callbacks<E>,
    // Attached to the memory, which is freed before them.
    linear: Option<LinearSolver>,
    fixed_point: Option<FixedPoint>,
    t: f64,
    t_stop: f64,
    state: Vector,
    /// `y'`, for IDA only.
    rate: Option<Vector>,
    within: Vector,
    found: Vec<c_int>,
    /// Counters before the last restart, at which the library resets its own.
    before: Statistics,
}

impl<E: Equations> Solver<E> {
    /// Creates a solve from `y` at `t` and, for IDA, its `rate`; both have to satisfy the equations.
    ///
    /// # Errors
    /// Returns [`Failure::SolverFailed`] if the library refuses the options.
    ///
    /// # Panics
    /// Panics if state, rate, tolerances or tested components do not match the number of equations.
    pub fn new(equations: E, t: f64, (y, rate): (&[f64], &[f64]), options: &Options<'_>) -> Result<Self, Failure> {
        let (n, of_rate) = (equations.dimension(), if options.kind.is_ida() { y.len() } else { 0 });
        let lengths = [y.len(), rate.len(), options.abs.len(), options.tested.len()];
        assert_eq!(lengths, [n, of_rate, n, n], "state, rate, tolerances and tested components");
        let context = Context::new(t)?;
        let state = Vector::new(&context, y)?;
        let lengths = Lengths { state: y.len(), roots: equations.root_count() };
        let callbacks = Callbacks::new(equations, lengths);
        let has_newton = options.kind.has_newton();
        let linear = || LinearSolver::new::<E>(options.systems, &state, callbacks.data());
        let mut solver = Self {
            memory: Memory::new(&context, options.kind)?,
            linear: has_newton.then(linear).transpose()?,
            fixed_point: (!has_newton).then(|| FixedPoint::new(&state)).transpose()?,
            t,
            t_stop: options.t_stop,
            rate: options.kind.is_ida().then(|| Vector::new(&context, rate)).transpose()?,
            within: Vector::new(&context, y)?,
            state,
            found: vec![0; lengths.roots],
            before: Statistics::default(),
            callbacks,
        };
        solver.set_up(options)?;
        Ok(solver)
    }

    fn set_up(&mut self, options: &Options<'_>) -> Result<(), Failure> {
        let context = &self.state.context;
        let tolerances = Vector::new(context, options.abs)?;
        let kinds: Vec<f64> = options.tested.iter().map(|&tested| f64::from(u8::from(tested))).collect();
        let kinds = Vector::new(context, &kinds)?;
        let (memory, t, y) = (self.memory.pointer, self.t, self.state.pointer);
        let library = self.memory.library;
        let check = |flag| self.memory.check(t, flag);
        let order = c_int::try_from(options.max_order).unwrap_or(c_int::MAX);
        let roots = c_int::try_from(self.found.len()).unwrap_or(c_int::MAX);
        // SAFETY: the memory belongs to the library's solver. Vectors, matrix and solvers share its context and size
        // and live as long as the memory, except for tolerances and kinds, which are copied. The data are those that
        // the functions of `E` expect, and live equally long.
        unsafe {
            check(match &self.rate {
                None => ffi::CVodeInit(memory, right_hand_side::<E>, t, y),
                Some(rate) => ffi::IDAInit(memory, residual::<E>, t, y, rate.pointer),
            })?;
            check((library.set_user_data)(memory, self.callbacks.data()))?;
            check((library.set_tolerances)(memory, options.rel, tolerances.pointer))?;
            check((library.set_max_order)(memory, order))?;
            check((library.set_initial_step)(memory, options.initial_step.unwrap_or(0.0)))?;
            check((library.set_max_step)(memory, options.max_step.unwrap_or(0.0)))?;
            check((library.set_stop_time)(memory, options.t_stop))?;
            if self.rate.is_none() {
                // Version 7 prints warnings without calling its error handlers. A step that does not advance the time
                // fails here.
                check(ffi::CVodeSetMaxHnilWarns(memory, -1))?;
            } else if options.tested.contains(&false) {
                check(ffi::IDASetId(memory, kinds.pointer))?;
                check(ffi::IDASetSuppressAlg(memory, 1))?;
            }
            if let Some(linear) = &self.linear {
                check((library.set_linear_solver)(memory, linear.solver, linear.matrix))?;
                check(match (options.systems, &self.rate) {
                    (Systems::Differences, _) => 0,
                    (Systems::Dense, None) => ffi::CVodeSetJacFn(memory, jacobian_of_rate::<E>),
                    (Systems::Dense, Some(_)) => ffi::IDASetJacFn(memory, jacobian_of_residual::<E>),
                    (Systems::Own, None) => ffi::CVodeSetLinSysFn(memory, system_of_rate::<E>),
                    (Systems::Own, Some(_)) => ffi::IDASetJacFn(memory, system_of_residual::<E>),
                })?;
            }
            if let Some(fixed_point) = &self.fixed_point {
                check(ffi::CVodeSetNonlinearSolver(memory, fixed_point.solver))?;
            }
            if roots > 0 {
                check(match &self.rate {
                    None => ffi::CVodeRootInit(memory, roots, self::roots::<E>),
                    Some(_) => ffi::IDARootInit(memory, roots, roots_of_residual::<E>),
                })?;
                check((library.silence_inactive_roots)(memory))?;
            }
        }
        Ok(())
    }

    /// Lets the next step end at `t` (s), if not before.
    ///
    /// # Errors
    /// Returns [`Failure::SolverFailed`] if the library refuses the time.
    pub fn stop_at(&mut self, t: f64) -> Result<(), Failure> {
        // SAFETY: the memory belongs to the library's solver and is set up.
        let flag = unsafe { (self.memory.library.set_stop_time)(self.memory.pointer, t) };
        self.memory.check(self.t, flag)
    }

    /// Makes one step whose size the library chooses, or stops at the first root within it.
    ///
    /// # Errors
    /// Returns the failure of the equations, [`Failure::StepTooSmall`], or [`Failure::SolverFailed`] with the library's
    /// name of the flag.
    ///
    /// # Panics
    /// Panics if the equations panic.
    pub fn step(&mut self) -> Result<Reached, Failure> {
        let mut t = self.t;
        let (memory, y, place) = (self.memory.pointer, self.state.pointer, &raw mut t);
        // SAFETY: the memory belongs to the library's solver and is set up. State, rate and the place for the time are
        // valid, and no reference to their components is alive.
        let flag = unsafe {
            match &self.rate {
                None => ffi::CVode(memory, self.t_stop, y, place, ffi::ONE_STEP),
                Some(rate) => ffi::IDASolve(memory, self.t_stop, place, y, rate.pointer, ffi::ONE_STEP),
            }
        };
        let failure = self.callbacks.failure()?;
        let reached = self.memory.reached([self.t, t], flag, failure)?;
        if reached.is_root {
            // SAFETY: the array has one entry for each function.
            let flag = unsafe { (self.memory.library.read_roots)(memory, self.found.as_mut_ptr()) };
            self.memory.check(self.t, flag)?;
        }
        self.t = t;
        Ok(reached)
    }

    /// The state reached by the last step.
    pub fn state(&self) -> &[f64] {
        self.state.components()
    }

    /// Numbers of the functions that are zero at the state, if it is at a root.
    pub fn found_roots(&self) -> impl Iterator<Item = usize> + '_ {
        self.found.iter().enumerate().filter(|&(_, &sign)| sign != 0).map(|(index, _)| index)
    }

    /// Writes the first components of the state at `t` (s) within the last step of the library, from the interpolating
    /// polynomial of its formula.
    ///
    /// # Errors
    /// Returns [`Failure::SolverFailed`] if `t` is outside that step.
    pub fn state_within(&mut self, t: f64, y: &mut [f64]) -> Result<(), Failure> {
        // SAFETY: the memory belongs to the library's solver; the vector is as long as the state, and no reference to
        // its components is alive.
        let flag = unsafe { (self.memory.library.interpolate)(self.memory.pointer, t, 0, self.within.pointer) };
        self.memory.check(self.t, flag)?;
        y.copy_from_slice(&self.within.components()[..y.len()]);
        Ok(())
    }

    /// Restarts from `y` at `t` and, for IDA, its `rate`, after the equations have changed.
    ///
    /// # Errors
    /// Returns [`Failure::SolverFailed`] if the library refuses the restart.
    pub fn restart(&mut self, t: f64, (y, rate): (&[f64], &[f64])) -> Result<(), Failure> {
        self.before = self.counters();
        self.state.components_mut().copy_from_slice(y);
        self.t = t;
        let (memory, y) = (self.memory.pointer, self.state.pointer);
        // SAFETY: the memory belongs to the library's solver and is initialised; state and rate have their former
        // lengths.
        let flag = unsafe {
            match &mut self.rate {
                None => ffi::CVodeReInit(memory, t, y),
                Some(vector) => {
                    vector.components_mut().copy_from_slice(rate);
                    ffi::IDAReInit(memory, t, y, vector.pointer)
                }
            }
        };
        self.memory.check(t, flag)
    }

    /// The counters since the start of the solve.
    pub fn counters(&self) -> Statistics {
        self.before.with(&self.memory.counters(self.linear.is_some()))
    }

    /// Calls `work` with the equations.
    pub fn with_equations<T>(&self, work: impl FnOnce(&mut E) -> T) -> T {
        self.callbacks.with(work)
    }
}

/// Calls [`Equations::evaluate`] with the library's `(y, y')`; `rate` is null for CVODE.
///
/// # Safety
/// The data are those that were set, and the vectors are distinct and like the initial one.
unsafe fn evaluate<E: Equations>(
    t: f64,
    [y, rate]: [VectorPointer; 2],
    value: VectorPointer,
    data: *mut c_void,
) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        enter::<E>(data, |equations, Lengths { state: n, .. }| {
            let value = components_mut(value, n);
            equations.evaluate(point(t, [y, rate], 0.0, n), value)?;
            finite(t, value)
        })
    }
}

/// Calls [`Equations::jacobian`] in the same way.
///
/// # Safety
/// As for [`evaluate`], and the matrix is like the attached one.
unsafe fn jacobian<E: Equations>(
    t: f64,
    [y, rate]: [VectorPointer; 2],
    (factor, value): (f64, VectorPointer),
    jacobian: MatrixPointer,
    data: *mut c_void,
) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        enter::<E>(data, |equations, Lengths { state: n, .. }| {
            let jacobian = entries_mut(jacobian, n);
            equations.jacobian(point(t, [y, rate], factor, n), components(value, n), jacobian)?;
            finite(t, jacobian)
        })
    }
}

/// # Safety
/// The vectors have `n` components, the second may be null, and neither is written to during `'p`.
unsafe fn point<'p>(t: f64, [y, rate]: [VectorPointer; 2], factor: f64, n: usize) -> Point<'p> {
    // SAFETY: as the caller promises.
    let [y, rate] = unsafe { [components(y, n), components(rate, if rate.is_null() { 0 } else { n })] };
    Point { t, y, rate, factor }
}

/// Calls [`Equations::roots`] in the same way.
///
/// # Safety
/// As for [`evaluate`], and `values` has one place for each function.
unsafe extern "C" fn roots<E: Equations>(t: f64, y: VectorPointer, values: *mut f64, data: *mut c_void) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        enter::<E>(data, |equations, lengths| {
            let values = std::slice::from_raw_parts_mut(values, lengths.roots);
            equations.roots(t, components(y, lengths.state), values)
        })
    }
}

/// No rate.
const NONE: VectorPointer = std::ptr::null_mut();

// The library passes the data that were set, vectors like the initial one, and a matrix like the attached one to all
// functions below.

unsafe extern "C" fn right_hand_side<E: Equations>(
    t: f64,
    y: VectorPointer,
    rate: VectorPointer,
    data: *mut c_void,
) -> c_int {
    // SAFETY: see above.
    unsafe { evaluate::<E>(t, [y, NONE], rate, data) }
}

unsafe extern "C" fn residual<E: Equations>(
    t: f64,
    y: VectorPointer,
    rate: VectorPointer,
    residual: VectorPointer,
    data: *mut c_void,
) -> c_int {
    // SAFETY: see above.
    unsafe { evaluate::<E>(t, [y, rate], residual, data) }
}

unsafe extern "C" fn jacobian_of_rate<E: Equations>(
    t: f64,
    y: VectorPointer,
    rate: VectorPointer,
    matrix: MatrixPointer,
    data: *mut c_void,
    _: VectorPointer,
    _: VectorPointer,
    _: VectorPointer,
) -> c_int {
    // SAFETY: see above.
    unsafe { jacobian::<E>(t, [y, NONE], (0.0, rate), matrix, data) }
}

unsafe extern "C" fn jacobian_of_residual<E: Equations>(
    t: f64,
    c_j: f64,
    y: VectorPointer,
    rate: VectorPointer,
    residual: VectorPointer,
    matrix: MatrixPointer,
    data: *mut c_void,
    _: VectorPointer,
    _: VectorPointer,
    _: VectorPointer,
) -> c_int {
    // SAFETY: see above.
    unsafe { jacobian::<E>(t, [y, rate], (c_j, residual), matrix, data) }
}

unsafe extern "C" fn system_of_rate<E: Equations>(
    t: f64,
    y: VectorPointer,
    _: VectorPointer,
    _: MatrixPointer,
    keep: c_int,
    is_new: *mut c_int,
    gamma: f64,
    data: *mut c_void,
    _: VectorPointer,
    _: VectorPointer,
    _: VectorPointer,
) -> c_int {
    let keep = keep != 0;
    // SAFETY: see above; the pointer for the answer is valid.
    unsafe {
        *is_new = c_int::from(!keep);
        enter::<E>(data, |equations, lengths| equations.prepare(point(t, [y, NONE], gamma, lengths.state), keep))
    }
}

unsafe extern "C" fn system_of_residual<E: Equations>(
    t: f64,
    c_j: f64,
    y: VectorPointer,
    rate: VectorPointer,
    _: VectorPointer,
    _: MatrixPointer,
    data: *mut c_void,
    _: VectorPointer,
    _: VectorPointer,
    _: VectorPointer,
) -> c_int {
    // SAFETY: see above.
    unsafe { enter::<E>(data, |equations, lengths| equations.prepare(point(t, [y, rate], c_j, lengths.state), false)) }
}

unsafe extern "C" fn roots_of_residual<E: Equations>(
    t: f64,
    y: VectorPointer,
    _: VectorPointer,
    values: *mut f64,
    data: *mut c_void,
) -> c_int {
    // SAFETY: see above; the array has one place for each function.
    unsafe { roots::<E>(t, y, values, data) }
}
