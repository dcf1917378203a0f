//! Converts failures of solves into exceptions and exceptions into failures.

use mbsbench_problem::Failure;
use pyo3::create_exception;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTracebackMethods;

create_exception!(
    _mbsbench,
    InputError,
    PyValueError,
    "An input cannot be used; the text says where, what was found, and what is accepted."
);
create_exception!(
    _mbsbench,
    ProblemError,
    PyRuntimeError,
    "A problem has no value at a state, or a budget is exhausted. If a method does not catch it, the run ends with \
     this failure."
);

/// Returns the failure of a run whose method or model has raised an exception at `time`, s.
pub fn of_exception(py: Python<'_>, error: &PyErr, time: f64) -> Failure {
    if error.is_instance_of::<PyKeyboardInterrupt>(py) {
        return Failure::Interrupted { time };
    }
    let name = error.get_type(py).name().map_or_else(|_| "exception".to_owned(), |name| name.to_string());
    let traceback = error.traceback(py).and_then(|traceback| traceback.format().ok()).unwrap_or_default();
    Failure::SolverFailed { time, flag: name, reason: format!("{}\n{}", error.value(py), traceback.trim_end()) }
}

/// Returns the exception for a problem that has no value at a state.
pub fn problem_error(failure: &Failure) -> PyErr {
    ProblemError::new_err(failure.to_string())
}

/// Returns the exception for invalid input.
pub fn input_error(text: impl ToString) -> PyErr {
    InputError::new_err(text.to_string())
}
