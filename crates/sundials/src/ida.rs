//! IDA: backward differentiation of variable order and step for `F(t, y, y') = 0`.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};

use mbsbench_problem::Failure;

use crate::callbacks::{Callbacks, Counters, Lengths, enter, finite};
use crate::ffi;
use crate::objects::{Context, Memory, OutOfMemory, Reached, Vector, components, components_mut, entries_mut};
use crate::systems::{LinearSolver, Solve, Systems, no_systems};

/// Equations for [`Solver`].
pub trait Equations: Solve {
    /// Number of components of the state.
    fn dimension(&self) -> usize;

    /// Writes `F(t, y, y')` into `residual`. A result that is not finite makes the solver try a smaller step.
    ///
    /// # Errors
    /// A [`Failure`], which ends the solve, but for [`Failure::NonFinite`].
    fn residual(&mut self, t: f64, y: &[f64], rate: &[f64], residual: &mut [f64]) -> Result<(), Failure>;

    /// Writes `∂F/∂y + c_j ∂F/∂y'`, column by column, into `jacobian`; `residual` is `F` there. Called with
    /// [`Systems::Dense`].
    ///
    /// # Errors
    /// Those of [`residual`](Self::residual).
    fn jacobian(
        &mut self,
        t: f64,
        c_j: f64,
        y: &[f64],
        rate: &[f64],
        residual: &[f64],
        jacobian: &mut [f64],
    ) -> Result<(), Failure>;

    /// Prepares solutions with `∂F/∂y + c_j ∂F/∂y'` at this point. Called with [`Systems::Own`].
    ///
    /// # Errors
    /// Those of [`residual`](Self::residual).
    fn prepare(&mut self, _t: f64, _c_j: f64, _y: &[f64], _rate: &[f64]) -> Result<(), Failure> {
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
    fn roots(&mut self, _t: f64, _y: &[f64], _rate: &[f64], _values: &mut [f64]) -> Result<(), Failure> {
        Ok(())
    }
}

/// How [`Solver`] solves.
#[derive(Debug, Clone, Copy)]
pub struct Options<'o> {
    /// Highest order, 1 to 5.
    pub max_order: u32,
    /// How the linear systems of Newton's method are solved.
    pub systems: Systems,
    /// Which components the error test is about; the others are taken for algebraic unknowns.
    pub tested: &'o [bool],
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
    // Attached to the memory, which is freed before it.
    linear: LinearSolver,
    t: f64,
    t_stop: f64,
    state: Vector,
    rate: Vector,
    within: Vector,
    found: Vec<c_int>,
    /// What was counted before the last restart, at which the library begins anew.
    before: Counters,
}

impl<E: Equations> Solver<E> {
    /// A solve from `y` and its `rate` at `t`, which satisfy the equations.
    ///
    /// # Errors
    /// [`Failure::SolverFailed`] for options that the library refuses.
    ///
    /// # Panics
    /// Where state, rate or tolerances have another number of components than the equations.
    pub fn new(equations: E, t: f64, y: &[f64], rate: &[f64], options: &Options<'_>) -> Result<Self, Failure> {
        let n = equations.dimension();
        let lengths = [y.len(), rate.len(), options.abs.len(), options.tested.len()];
        assert_eq!(lengths, [n; 4], "state, rate, tolerances and tested components");
        let mut solver = Self::allocate(equations, t, y, rate, options).map_err(|error| error.at(t))?;
        solver.set_up(options)?;
        Ok(solver)
    }

    fn allocate(equations: E, t: f64, y: &[f64], rate: &[f64], options: &Options<'_>) -> Result<Self, OutOfMemory> {
        let context = Context::new()?;
        let state = Vector::new(&context, y)?;
        let lengths = Lengths { state: y.len(), roots: equations.root_count() };
        let callbacks = Callbacks::new(equations, lengths);
        Ok(Self {
            memory: Memory::ida(&context)?,
            linear: LinearSolver::new::<E>(options.systems, &state, callbacks.data())?,
            t,
            t_stop: options.t_stop,
            rate: Vector::new(&context, rate)?,
            within: Vector::new(&context, y)?,
            state,
            found: vec![0; lengths.roots],
            before: Counters::default(),
            callbacks,
        })
    }

    fn set_up(&mut self, options: &Options<'_>) -> Result<(), Failure> {
        let vector = |components| Vector::new(self.state.context(), components).map_err(|error| error.at(self.t));
        let tolerances = vector(options.abs)?;
        let kinds: Vec<f64> = options.tested.iter().map(|&tested| f64::from(u8::from(tested))).collect();
        let kinds = options.tested.contains(&false).then(|| vector(&kinds)).transpose()?;
        let (memory, t) = (self.memory.pointer(), self.t);
        let check = |flag| self.memory.check(t, flag);
        let order = c_int::try_from(options.max_order).unwrap_or(c_int::MAX);
        let roots = c_int::try_from(self.found.len()).unwrap_or(c_int::MAX);
        // SAFETY: the memory is that of IDA; vectors, matrix and solver are of the same context and size, and live as long
        // as the memory, but for tolerances and kinds, which are copied. The data are those that `residual::<E>`,
        // `jacobian::<E>`, `system::<E>` and `roots::<E>` expect, and live as long too.
        unsafe {
            check(ffi::IDAInit(memory, residual::<E>, t, self.state.pointer(), self.rate.pointer()))?;
            check(ffi::IDASetUserData(memory, self.callbacks.data()))?;
            check(ffi::IDASVtolerances(memory, options.rel, tolerances.pointer()))?;
            check(ffi::IDASetMaxOrd(memory, order))?;
            check(ffi::IDASetInitStep(memory, options.initial_step.unwrap_or(0.0)))?;
            check(ffi::IDASetMaxStep(memory, options.max_step.unwrap_or(0.0)))?;
            check(ffi::IDASetStopTime(memory, options.t_stop))?;
            if let Some(kinds) = &kinds {
                check(ffi::IDASetId(memory, kinds.pointer()))?;
                check(ffi::IDASetSuppressAlg(memory, 1))?;
            }
            check(ffi::IDASetLinearSolver(memory, self.linear.solver(), self.linear.matrix()))?;
            match options.systems {
                Systems::Differences => {}
                Systems::Dense => check(ffi::IDASetJacFn(memory, jacobian::<E>))?,
                Systems::Own => check(ffi::IDASetJacFn(memory, system::<E>))?,
            }
            if roots > 0 {
                check(ffi::IDARootInit(memory, roots, self::roots::<E>))?;
                // Version 7 prints warnings past its error handlers.
                check(ffi::IDASetNoInactiveRootWarn(memory))?;
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
        // SAFETY: the memory is that of IDA and set up; state, rate and place for the time are valid, and no
        // reference to their components is alive.
        let flag = unsafe {
            let (memory, y, rate) = (self.memory.pointer(), self.state.pointer(), self.rate.pointer());
            ffi::IDASolve(memory, self.t_stop, &raw mut t, y, rate, ffi::ONE_STEP)
        };
        let failure = self.callbacks.failure()?;
        let reached = self.memory.reached([self.t, t], flag, failure, &ffi::IDA_OURS)?;
        if reached.is_root {
            // SAFETY: as many places as there are functions.
            let flag = unsafe { ffi::IDAGetRootInfo(self.memory.pointer(), self.found.as_mut_ptr()) };
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

    /// Writes the first components of the state at `t` (s) within the last step of the library, by the polynomial that its formula
    /// rests on.
    ///
    /// # Errors
    /// [`Failure::SolverFailed`] for times outside.
    pub fn state_within(&mut self, t: f64, y: &mut [f64]) -> Result<(), Failure> {
        // SAFETY: the memory is that of IDA; the vector is as long as the state, and no reference to its components is
        // alive.
        let flag = unsafe { ffi::IDAGetDky(self.memory.pointer(), t, 0, self.within.pointer()) };
        self.memory.check(self.t, flag)?;
        y.copy_from_slice(&self.within.components()[..y.len()]);
        Ok(())
    }

    /// Begins anew from `y` and its `rate` at `t`, where the equations have changed.
    ///
    /// # Errors
    /// [`Failure::SolverFailed`].
    pub fn restart(&mut self, t: f64, y: &[f64], rate: &[f64]) -> Result<(), Failure> {
        self.before = self.counters();
        self.state.components_mut().copy_from_slice(y);
        self.rate.components_mut().copy_from_slice(rate);
        self.t = t;
        // SAFETY: the memory is that of IDA and initialised, state and rate as long as before.
        let flag = unsafe { ffi::IDAReInit(self.memory.pointer(), t, self.state.pointer(), self.rate.pointer()) };
        self.memory.check(t, flag)
    }

    /// What was counted so far.
    #[must_use]
    pub fn counters(&self) -> Counters {
        let mut counters = self.before;
        // SAFETY: functions of IDA, whose memory it is.
        unsafe {
            let count = |read| self.memory.count(read);
            counters += Counters {
                error_test_failures: count(ffi::IDAGetNumErrTestFails),
                convergence_failures: count(ffi::IDAGetNumStepSolveFails),
                iterations: count(ffi::IDAGetNumNonlinSolvIters),
                factorizations: count(ffi::IDAGetNumLinSolvSetups),
                jacobians: count(ffi::IDAGetNumJacEvals),
                calls_for_jacobians: count(ffi::IDAGetNumLinResEvals),
            };
        }
        counters
    }

    /// Does something with the equations.
    pub fn with_equations<T>(&self, work: impl FnOnce(&mut E) -> T) -> T {
        self.callbacks.with(work)
    }
}

/// The library's way to [`Equations::residual`].
unsafe extern "C" fn residual<E: Equations>(
    t: f64,
    y: ffi::VectorPointer,
    rate: ffi::VectorPointer,
    residual: ffi::VectorPointer,
    data: *mut c_void,
) -> c_int {
    // SAFETY: the library passes the data set, and three different vectors like the initial one.
    unsafe {
        enter::<E>(data, |equations, Lengths { state: n, .. }| {
            let residual = components_mut(residual, n);
            equations.residual(t, components(y, n), components(rate, n), residual)?;
            finite(t, residual)
        })
    }
}

/// The library's way to [`Equations::jacobian`].
unsafe extern "C" fn jacobian<E: Equations>(
    t: f64,
    c_j: f64,
    y: ffi::VectorPointer,
    rate: ffi::VectorPointer,
    residual: ffi::VectorPointer,
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
            let (y, rate, residual) = (components(y, n), components(rate, n), components(residual, n));
            equations.jacobian(t, c_j, y, rate, residual, jacobian)?;
            finite(t, jacobian)
        })
    }
}

/// The library's way to [`Equations::prepare`].
unsafe extern "C" fn system<E: Equations>(
    t: f64,
    c_j: f64,
    y: ffi::VectorPointer,
    rate: ffi::VectorPointer,
    _: ffi::VectorPointer,
    _: ffi::MatrixPointer,
    data: *mut c_void,
    _: ffi::VectorPointer,
    _: ffi::VectorPointer,
    _: ffi::VectorPointer,
) -> c_int {
    // SAFETY: the library passes the data set, and vectors like the initial one.
    unsafe {
        enter::<E>(data, |equations, Lengths { state: n, .. }| {
            equations.prepare(t, c_j, components(y, n), components(rate, n))
        })
    }
}

/// The library's way to [`Equations::roots`].
unsafe extern "C" fn roots<E: Equations>(
    t: f64,
    y: ffi::VectorPointer,
    rate: ffi::VectorPointer,
    values: *mut f64,
    data: *mut c_void,
) -> c_int {
    // SAFETY: the library passes the data set, vectors like the initial one, and as many places as there are functions.
    unsafe {
        enter::<E>(data, |equations, Lengths { state: n, roots }| {
            let values = std::slice::from_raw_parts_mut(values, roots);
            equations.roots(t, components(y, n), components(rate, n), values)
        })
    }
}
