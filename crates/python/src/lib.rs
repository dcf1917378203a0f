//! The Python module `_mbsbench`, the native part of the package `mbsbench`.
//!
//! ```text
//! Python class ──method──▶ Entry<MethodKind> ─┐
//! Python functions ──user_model──▶ Entry<ModelKind> ─┴─ registry ──▶ solve, run, command
//! ```
//!
//! A method written in Python is a [`Stepper`](mbsbench_integrators::Stepper) like those of `integrators` and runs in
//! the common loop: budgets, step sizes, events, projection and observers are the same. Its calls of the problem reach
//! the [`Counted`](mbsbench_problem::Counted) problem through [`session`], so that it cannot misreport its cost.

mod arrays;
mod calls;
mod checks;
mod failures;
mod method;
mod model;
mod queries;
mod registered;
mod run;
mod session;
mod solve;
mod stepping;
mod user_mechanics;
mod user_model;

use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;

/// The native part of `mbsbench`; see the package.
#[pymodule]
mod _mbsbench {
    #[pymodule_export]
    use crate::failures::{InputError, ProblemError};
    #[pymodule_export]
    use crate::model::{Model, model, model_in_file};
    #[pymodule_export]
    use crate::registered::{forget, names, register_method, register_model};
    #[pymodule_export]
    use crate::run::{builtin, command, run, stop, unsealed};
    #[pymodule_export]
    use crate::session::Problem;
    #[pymodule_export]
    use crate::solve::{Solution, solve};
    #[pymodule_export]
    use crate::stepping::stepping_threads;

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        mbsbench::processor::check().map_err(PyImportError::new_err)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
