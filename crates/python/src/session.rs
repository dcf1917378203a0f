//! Access of a Python method to its problem during a step.

use mbsbench_problem::{Counted, Failure, Settings};
use nalgebra::DMatrix;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::arrays::{Array, Array2, Vector, matrix, vector};
use crate::failures::problem_error;
use crate::queries::{self, Of, Queries, Sizes, Source, asks};

scoped_tls_hkt::scoped_thread_local!(
    /// The problem of the current step on this thread.
    static mut SESSION: for<'a> &'a mut dyn Queries
);

/// Evaluations that another step from the same start can reuse.
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
    /// Allocates memory for states with this number of components.
    pub fn new(dimension: usize) -> Self {
        let entry = Entry { is_known: false, t: 0.0, y: vec![0.0; dimension], dydt: vec![0.0; dimension] };
        Self { entries: [entry.clone(), entry] }
    }

    /// Forgets all evaluations.
    pub fn forget(&mut self) {
        self.entries.iter_mut().for_each(|entry| entry.is_known = false);
    }

    /// Returns the derivative at a state if it is that of the last evaluation or of the start of the step.
    pub fn at(&self, t: f64, y: &[f64]) -> Option<&[f64]> {
        let same = |entry: &&Entry| {
            let bits = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits();
            entry.is_known && entry.t == t && entry.y.iter().zip(y).all(bits)
        };
        self.entries.iter().find(same).map(|entry| &entry.dydt[..])
    }

    /// Begins a step at a state; an evaluation there is kept during the step.
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

    /// Stores an evaluation at a state.
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

/// A problem during a step: the functions that the step may call, and the failures in them.
pub struct Session<'s, 'p> {
    problem: &'s mut Counted<'p>,
    settings: &'s Settings,
    known: &'s mut Known,
    failure: Option<Failure>,
}

impl<'s, 'p> Session<'s, 'p> {
    /// Creates the session of a step with budgets.
    pub fn new(problem: &'s mut Counted<'p>, settings: &'s Settings, known: &'s mut Known) -> Self {
        Self { problem, settings, known, failure: None }
    }

    /// Calls `work` with this problem as Python's [`Problem`], and returns the failure behind an exception, if there
    /// was one.
    pub fn during<T>(mut self, work: impl FnOnce() -> T) -> (T, Option<Failure>) {
        let done = SESSION.set(&mut self, work);
        (done, self.failure)
    }
}

impl Queries for Session<'_, '_> {
    fn sizes(&mut self) -> Sizes {
        self.problem.sizes()
    }

    fn rhs(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Failure> {
        if let Some(known) = self.known.at(t, y) {
            dydt.copy_from_slice(known);
            return Ok(());
        }
        self.settings.check_evaluations(t, self.problem.statistics().rhs_evaluations, 1)?;
        self.problem.rhs(t, y, dydt)?;
        self.known.keep(t, y, dydt);
        Ok(())
    }

    fn jacobian(&mut self, t: f64, y: &[f64], jacobian: &mut DMatrix<f64>) -> Result<(), Failure> {
        Queries::jacobian(self.problem, t, y, jacobian)
    }

    fn mechanics(&mut self, of: Of, t: f64, q: &[f64], v: &[f64], into: &mut DMatrix<f64>) -> Result<(), Failure> {
        if of == Of::Forces {
            self.settings.check_evaluations(t, self.problem.statistics().rhs_evaluations, 1)?;
        }
        Queries::mechanics(self.problem, of, t, q, v, into)
    }

    fn fail(&mut self, failure: Failure) {
        self.failure = Some(failure);
    }
}

/// The problem that `step` receives. It has the evaluation functions of a `Model` and counts every evaluation.
///
/// It is valid only during that step: afterwards, and on other threads, its functions raise `RuntimeError`.
#[pyclass(module = "mbsbench", frozen)]
#[derive(Debug)]
pub struct Problem;

impl Source for Problem {
    fn ask<T: Send>(&self, work: impl FnOnce(&mut dyn Queries) -> Result<T, Failure> + Send) -> PyResult<T> {
        if !SESSION.is_set() {
            return Err(PyRuntimeError::new_err("the problem can only be used while `step` runs, on the same thread"));
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
