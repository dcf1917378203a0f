//! What a method that is written in Python asks of its problem, for the time of a step.

use mbsbench_problem::{Counted, Failure, Settings};
use nalgebra::DMatrix;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::arrays::{Array, Array2, Vector};
use crate::asked::{self, Asked, Of, Sizes, Source, asks};
use crate::failures::problem_error;

scoped_tls_hkt::scoped_thread_local!(
    /// The problem of the step that is being made on this thread.
    static mut SESSION: for<'a> &'a mut dyn InStep
);

/// Evaluations that a step of the same start need not make again.
#[derive(Debug, Clone, Default)]
pub struct Known {
    entries: [Entry; 2],
}

#[derive(Debug, Clone, Default)]
struct Entry {
    is_known: bool,
    t: f64,
    y: Vec<f64>,
    dydt: Vec<f64>,
}

impl Known {
    /// Memory for states of so many components.
    pub fn new(dimension: usize) -> Self {
        let entry = Entry { is_known: false, t: 0.0, y: vec![0.0; dimension], dydt: vec![0.0; dimension] };
        Self { entries: [entry.clone(), entry] }
    }

    /// Nothing is known.
    pub fn forget(&mut self) {
        self.entries.iter_mut().for_each(|entry| entry.is_known = false);
    }

    /// The derivative at a state, where it was evaluated there last, or at the start of the step.
    pub fn at(&self, t: f64, y: &[f64]) -> Option<&[f64]> {
        let same = |entry: &&Entry| {
            let bits = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits();
            entry.is_known && entry.t == t && entry.y.iter().zip(y).all(bits)
        };
        self.entries.iter().find(same).map(|entry| &entry.dydt[..])
    }

    /// The step begins at a state: what is known there is kept from here on.
    pub fn begin(&mut self, t: f64, y: &[f64]) {
        if self.entries[0].is_known && self.entries[0].t == t && self.entries[0].y == y {
            return;
        }
        self.entries.swap(0, 1);
        if self.at(t, y).is_none() {
            self.forget();
        }
        let start = &mut self.entries[0];
        start.t = t;
        start.y.copy_from_slice(y);
    }

    /// It was evaluated at a state.
    pub fn keep(&mut self, t: f64, y: &[f64], dydt: &[f64]) {
        let [start, last] = &mut self.entries;
        let is_start = !start.is_known && start.t == t && start.y == y;
        let entry = if is_start { start } else { last };
        entry.is_known = true;
        entry.t = t;
        entry.y.copy_from_slice(y);
        entry.dydt.copy_from_slice(dydt);
    }
}

/// A problem with what a step may ask of it, and what went wrong with that.
pub struct Session<'s, 'p> {
    problem: &'s mut Counted<'p>,
    settings: &'s Settings,
    known: &'s mut Known,
    failure: Option<Failure>,
}

impl<'s, 'p> Session<'s, 'p> {
    /// Of a step under budgets.
    pub fn new(problem: &'s mut Counted<'p>, settings: &'s Settings, known: &'s mut Known) -> Self {
        Self { problem, settings, known, failure: None }
    }

    /// Calls `work`, in which the [`Problem`] of Python is this one, and gives the failure that came of an exception, if one did.
    pub fn during<T>(mut self, work: impl FnOnce() -> T) -> (T, Option<Failure>) {
        let done = SESSION.set(&mut self, work);
        (done, self.failure)
    }
}

/// A problem in a step.
trait InStep: Asked {
    /// Keeps the failure that an exception stands for.
    fn fail(&mut self, failure: Failure);
}

impl Asked for Session<'_, '_> {
    fn sizes(&mut self) -> Sizes {
        self.problem.sizes()
    }

    fn rhs(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Failure> {
        if let Some(known) = self.known.at(t, y) {
            dydt.copy_from_slice(known);
            return Ok(());
        }
        self.settings.afford_evaluations(t, self.problem.statistics().rhs_evaluations, 1)?;
        self.problem.rhs(t, y, dydt)?;
        self.known.keep(t, y, dydt);
        Ok(())
    }

    fn jacobian(&mut self, t: f64, y: &[f64], jacobian: &mut DMatrix<f64>) -> Result<(), Failure> {
        Asked::jacobian(self.problem, t, y, jacobian)
    }

    fn mechanics(&mut self, of: Of, t: f64, q: &[f64], v: &[f64], into: &mut DMatrix<f64>) -> Result<(), Failure> {
        if of == Of::Forces {
            self.settings.afford_evaluations(t, self.problem.statistics().rhs_evaluations, 1)?;
        }
        Asked::mechanics(self.problem, of, t, q, v, into)
    }
}

impl InStep for Session<'_, '_> {
    fn fail(&mut self, failure: Failure) {
        self.failure = Some(failure);
    }
}

/// The problem that a step is given. It has what a `Model` has, and counts what is asked of it.
///
/// It is good for the time of the step that it was given to: afterwards, and on other threads, it raises `RuntimeError`.
#[pyclass(module = "mbsbench", frozen)]
#[derive(Debug)]
pub struct Problem;

impl Source for Problem {
    fn ask<T: Send>(&self, work: impl FnOnce(&mut dyn Asked) -> Result<T, Failure> + Send) -> PyResult<T> {
        if !SESSION.is_set() {
            return Err(PyRuntimeError::new_err("the problem can be asked while `step` runs, and on its thread only"));
        }
        SESSION.with(|session| {
            work(&mut *session).map_err(|failure| {
                let error = problem_error(&failure);
                session.fail(failure);
                error
            })
        })
    }
}

asks!(Problem {});
