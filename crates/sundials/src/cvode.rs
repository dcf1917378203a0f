//! CVODE: variable-order, variable-step Adams formulas and backward differentiation for `y' = f(t, y)`.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};

use mbsbench_problem::Failure;

use crate::callbacks::{Callbacks, Counters, Lengths, enter, finite};
use crate::objects::{
    Context, FixedPoint, Memory, OutOfMemory, Reached, Vector, components, components_mut, entries_mut,
};
use crate::systems::{LinearSolver, Solve, Systems, no_systems};
use crate::{Iteration, ffi};

/// Equations for [`Solver`].
pub trait Equations: Solve {
    /// Number of components of the state.
    fn dimension(&self) -> usize;

    /// Writes `f(t, y)` into `rate`. A result that is not finite makes the solver try a smaller step.
    ///
    /// # Errors
    /// A [`Failure`], which ends the solve, but for [`Failure::NonFinite`].
    fn rate(&mut self, t: f64, y: &[f64], rate: &mut [f64]) -> Result<(), Failure>;

    /// Writes `∂f/∂y` at `(t, y)`, where `f` is `rate`, column by column into `jacobian`. Called with [`Systems::Dense`].
    ///
    /// # Errors
    /// Those of [`rate`](Self::rate).
    fn jacobian(&mut self, t: f64, y: &[f64], rate: &[f64], jacobian: &mut [f64]) -> Result<(), Failure>;

    /// Prepares solutions with `1 − γ ∂f/∂y`: takes the derivatives at `(t, y)`, or keeps those that it took last. Called with
    /// [`Systems::Own`].
    ///
    /// # Errors
    /// Those of [`rate`](Self::rate).
    fn prepare(&mut self, _t: f64, _y: &[f64], _gamma: f64, _keep: bool) -> Result<(), Failure> {
        Err(no_systems())
    }

    /// Number of functions whose roots are to be found.
    fn root_count(&self) -> usize {
        0
    }

    /// Writes the values of these functions into `values`.
    ///
    /// # Errors
    /// A [`Failure`], which ends the solve.
    fn roots(&mut self, _t: f64, _y: &[f64], _values: &mut [f64]) -> Result<(), Failure> {
        Ok(())
    }
}

/// A family of linear multistep formulas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Formula {
    /// Adams–Moulton, of order 1 to 12.
    Adams,
    /// Backward differentiation, of order 1 to 5.
    BackwardDifferentiation,
}

/// How [`Solver`] solves.
#[derive(Debug, Clone, Copy)]
pub struct Options<'o> {
    /// The formulas.
    pub formula: Formula,
    /// Highest order.
    pub max_order: u32,
    /// How implicit equations are solved.
    pub iteration: Iteration,
    /// How the linear systems of Newton's method are solved.
    pub systems: Systems,
    /// Relative tolerance.
    pub rel: f64,
    /// Absolute tolerance of each component.
    pub abs: &'o [f64],
    /// First step, s; the library's own estimate where none is given.
    pub initial_step: Option<f64>,
    /// Largest step, s.
    pub max_step: Option<f64>,
    /// Time that no step goes beyond, s.
    pub t_stop: f64,
}

/// A solve under way.
pub struct Solver<E> {
    memory: Memory,
    callbacks: Callbacks<E>,
    iteration: Iteration,
    // Attached to the memory, which is freed before them.
    linear: Option<LinearSolver>,
    fixed_point: Option<FixedPoint>,
    t: f64,
    t_stop: f64,
    state: Vector,
    within: Vector,
    found: Vec<c_int>,
    /// What was counted before the last restart, at which the library begins anew.
    before: Counters,
}

impl<E: Equations> Solver<E> {
    /// A solve from `y` at `t`.
    ///
    /// # Errors
    /// [`Failure::SolverFailed`] for options that the library refuses.
    ///
    /// # Panics
    /// Where `y` or the tolerances have another number of components than the equations.
    pub fn new(equations: E, t: f64, y: &[f64], options: &Options<'_>) -> Result<Self, Failure> {
        let dimension = equations.dimension();
        assert_eq!((y.len(), options.abs.len()), (dimension, dimension), "state and tolerances");
        let mut solver = Self::allocate(equations, t, y, options).map_err(|error| error.at(t))?;
        solver.set_up(options)?;
        Ok(solver)
    }

    fn allocate(equations: E, t: f64, y: &[f64], options: &Options<'_>) -> Result<Self, OutOfMemory> {
        let context = Context::new()?;
        let formula = match options.formula {
            Formula::Adams => ffi::CV_ADAMS,
            Formula::BackwardDifferentiation => ffi::CV_BDF,
        };
        let state = Vector::new(&context, y)?;
        let lengths = Lengths { state: y.len(), roots: equations.root_count() };
        let is_newton = options.iteration == Iteration::Newton;
        let callbacks = Callbacks::new(equations, lengths);
        let linear = || LinearSolver::new::<E>(options.systems, &state, callbacks.data());
        Ok(Self {
            memory: Memory::cvode(&context, formula)?,
            iteration: options.iteration,
            linear: is_newton.then(linear).transpose()?,
            fixed_point: (!is_newton).then(|| FixedPoint::new(&state)).transpose()?,
            t,
            t_stop: options.t_stop,
            within: Vector::new(&context, y)?,
            state,
            found: vec![0; lengths.roots],
            before: Counters::default(),
            callbacks,
        })
    }

    fn set_up(&mut self, options: &Options<'_>) -> Result<(), Failure> {
        let tolerances = Vector::new(self.state.context(), options.abs).map_err(|error| error.at(self.t))?;
        let (memory, t) = (self.memory.pointer(), self.t);
        let check = |flag| self.memory.check(t, flag);
        let order = c_int::try_from(options.max_order).unwrap_or(c_int::MAX);
        let roots = c_int::try_from(self.found.len()).unwrap_or(c_int::MAX);
        // SAFETY: the memory is that of CVODE; vectors, matrix and solvers are of the same context and size, and live as
        // long as the memory, but for the tolerances, which are copied. The data are those that `rate::<E>`,
        // `jacobian::<E>`, `system::<E>` and `roots::<E>` expect, and live as long too.
        unsafe {
            check(ffi::CVodeInit(memory, rate::<E>, t, self.state.pointer()))?;
            check(ffi::CVodeSetUserData(memory, self.callbacks.data()))?;
            check(ffi::CVodeSVtolerances(memory, options.rel, tolerances.pointer()))?;
            check(ffi::CVodeSetMaxOrd(memory, order))?;
            check(ffi::CVodeSetInitStep(memory, options.initial_step.unwrap_or(0.0)))?;
            check(ffi::CVodeSetMaxStep(memory, options.max_step.unwrap_or(0.0)))?;
            check(ffi::CVodeSetStopTime(memory, options.t_stop))?;
            // Version 7 prints warnings past its error handlers. A step that does not advance the time is a failure here.
            check(ffi::CVodeSetMaxHnilWarns(memory, -1))?;
            if let Some(linear) = &self.linear {
                check(ffi::CVodeSetLinearSolver(memory, linear.solver(), linear.matrix()))?;
                match options.systems {
                    Systems::Differences => {}
                    Systems::Dense => check(ffi::CVodeSetJacFn(memory, jacobian::<E>))?,
                    Systems::Own => check(ffi::CVodeSetLinSysFn(memory, system::<E>))?,
                }
            }
            if let Some(fixed_point) = &self.fixed_point {
                check(ffi::CVodeSetNonlinearSolver(memory, fixed_point.solver()))?;
            }
            if roots > 0 {
                check(ffi::CVodeRootInit(memory, roots, self::roots::<E>))?;
                check(ffi::CVodeSetNoInactiveRootWarn(memory))?;
            }
        }
        Ok(())
    }

    /// Makes one step of the library's choice, to the first root within it.
    ///
    /// # Errors
    /// What the equations failed with, [`Failure::StepTooSmall`], or [`Failure::SolverFailed`] with the library's name for it.
    ///
    /// # Panics
    /// Where the equations panic.
    pub fn step(&mut self) -> Result<Reached, Failure> {
        let mut t = self.t;
        // SAFETY: the memory is that of CVODE and set up; state and place for the time are valid, and no reference to the
        // state's components is alive.
        let flag =
            unsafe { ffi::CVode(self.memory.pointer(), self.t_stop, self.state.pointer(), &raw mut t, ffi::ONE_STEP) };
        let failure = self.callbacks.failure()?;
        let reached = self.memory.reached([self.t, t], flag, failure, &ffi::CV_OURS)?;
        if reached.is_root {
            // SAFETY: as many places as there are functions.
            let flag = unsafe { ffi::CVodeGetRootInfo(self.memory.pointer(), self.found.as_mut_ptr()) };
            self.memory.check(self.t, flag)?;
        }
        self.t = t;
        Ok(reached)
    }

    /// The state that the last step reached.
    #[must_use]
    pub fn state(&self) -> &[f64] {
        self.state.components()
    }

    /// Numbers of the functions that are zero there, where it is a root.
    pub fn found_roots(&self) -> impl Iterator<Item = usize> + '_ {
        self.found.iter().enumerate().filter(|&(_, &sign)| sign != 0).map(|(index, _)| index)
    }

    /// Writes the state at `t` (s) within the last step of the library, by the polynomial that its formula rests on.
    ///
    /// # Errors
    /// [`Failure::SolverFailed`] for times outside.
    pub fn state_within(&mut self, t: f64, y: &mut [f64]) -> Result<(), Failure> {
        // SAFETY: the memory is that of CVODE; the vector is as long as the state, and no reference to its components is
        // alive.
        let flag = unsafe { ffi::CVodeGetDky(self.memory.pointer(), t, 0, self.within.pointer()) };
        self.memory.check(self.t, flag)?;
        y.copy_from_slice(self.within.components());
        Ok(())
    }

    /// Begins anew from `y` at `t`, where the equations have changed.
    ///
    /// # Errors
    /// [`Failure::SolverFailed`].
    pub fn restart(&mut self, t: f64, y: &[f64]) -> Result<(), Failure> {
        self.before = self.counters();
        self.state.components_mut().copy_from_slice(y);
        self.t = t;
        // SAFETY: the memory is that of CVODE and initialised, the state as long as before.
        let flag = unsafe { ffi::CVodeReInit(self.memory.pointer(), t, self.state.pointer()) };
        self.memory.check(t, flag)
    }

    /// What was counted so far.
    #[must_use]
    pub fn counters(&self) -> Counters {
        let mut counters = self.before;
        // SAFETY: functions of CVODE, whose memory it is.
        unsafe {
            let count = |read| self.memory.count(read);
            let is_newton = self.iteration == Iteration::Newton;
            let count_of_newton = |read| if is_newton { self.memory.count(read) } else { 0 };
            counters += Counters {
                error_test_failures: count(ffi::CVodeGetNumErrTestFails),
                convergence_failures: count(ffi::CVodeGetNumStepSolveFails),
                iterations: count(ffi::CVodeGetNumNonlinSolvIters),
                factorizations: count_of_newton(ffi::CVodeGetNumLinSolvSetups),
                jacobians: count_of_newton(ffi::CVodeGetNumJacEvals),
                calls_for_jacobians: count_of_newton(ffi::CVodeGetNumLinRhsEvals),
            };
        }
        counters
    }

    /// Does something with the equations.
    pub fn with_equations<T>(&self, work: impl FnOnce(&mut E) -> T) -> T {
        self.callbacks.with(work)
    }
}

/// The library's way to [`Equations::rate`].
unsafe extern "C" fn rate<E: Equations>(
    t: f64,
    y: ffi::VectorPointer,
    rate: ffi::VectorPointer,
    data: *mut c_void,
) -> c_int {
    // SAFETY: the library passes the data set, and two different vectors like the initial one.
    unsafe {
        enter::<E>(data, |equations, Lengths { state: n, .. }| {
            let rate = components_mut(rate, n);
            equations.rate(t, components(y, n), rate)?;
            finite(t, rate)
        })
    }
}

/// The library's way to [`Equations::jacobian`].
unsafe extern "C" fn jacobian<E: Equations>(
    t: f64,
    y: ffi::VectorPointer,
    rate: ffi::VectorPointer,
    jacobian: ffi::MatrixPointer,
    data: *mut c_void,
    _: ffi::VectorPointer,
    _: ffi::VectorPointer,
    _: ffi::VectorPointer,
) -> c_int {
    // SAFETY: the library passes the data set, vectors like the initial one, and a matrix like the one attached.
    unsafe {
        enter::<E>(data, |equations, Lengths { state: n, .. }| {
            let jacobian = entries_mut(jacobian, n);
            equations.jacobian(t, components(y, n), components(rate, n), jacobian)?;
            finite(t, jacobian)
        })
    }
}

/// The library's way to [`Equations::prepare`].
unsafe extern "C" fn system<E: Equations>(
    t: f64,
    y: ffi::VectorPointer,
    _: ffi::VectorPointer,
    _: ffi::MatrixPointer,
    keep: c_int,
    is_new: *mut c_int,
    gamma: f64,
    data: *mut c_void,
    _: ffi::VectorPointer,
    _: ffi::VectorPointer,
    _: ffi::VectorPointer,
) -> c_int {
    let keep = keep != 0;
    // SAFETY: the library passes the data set, a vector like the initial one, and a place for its answer.
    unsafe {
        *is_new = c_int::from(!keep);
        enter::<E>(data, |equations, Lengths { state: n, .. }| equations.prepare(t, components(y, n), gamma, keep))
    }
}

/// The library's way to [`Equations::roots`].
unsafe extern "C" fn roots<E: Equations>(t: f64, y: ffi::VectorPointer, values: *mut f64, data: *mut c_void) -> c_int {
    // SAFETY: the library passes the data set, a vector like the initial one, and as many places as there are functions.
    unsafe {
        enter::<E>(data, |equations, lengths| {
            let values = std::slice::from_raw_parts_mut(values, lengths.roots);
            equations.roots(t, components(y, lengths.state), values)
        })
    }
}
