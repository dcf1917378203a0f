//! Calls of the functions of a user's model in one solve, and the errors in them.

use std::cell::{Cell, RefCell};

use mbsbench_problem::Failure;
use nalgebra::DMatrix;
use pyo3::prelude::*;

use crate::arrays::{take, take_matrix, take_number};
use crate::failures::of_exception;

/// Calls the functions of a model and keeps their errors.
///
/// Most functions of a mechanical system cannot return an error to a method. After an exception they return `nan` and
/// are not called again until [`cause`](Self::cause) has returned the failure. A run therefore ends with its first
/// exception, which is reported once.
#[derive(Debug)]
pub struct Calls {
    raised: RefCell<Option<Failure>>,
    /// The last call with a result that is not finite: its time, s, and a description.
    undefined: RefCell<Option<(f64, String)>>,
    /// The time of the last call that had a time, s; a mass matrix has none.
    time: Cell<f64>,
}

impl Default for Calls {
    fn default() -> Self {
        Self { raised: RefCell::default(), undefined: RefCell::default(), time: Cell::new(f64::NAN) }
    }
}

/// The memory that a call writes to.
pub enum Target<'t> {
    /// A number.
    Number(&'t mut f64),
    /// A vector.
    Vector(&'t mut [f64]),
    /// A matrix.
    Matrix(&'t mut DMatrix<f64>),
}

impl Target<'_> {
    fn values(&mut self) -> &mut [f64] {
        match self {
            Self::Number(number) => std::slice::from_mut(number),
            Self::Vector(vector) => vector,
            Self::Matrix(matrix) => matrix.as_mut_slice(),
        }
    }

    fn take(&mut self, found: &Bound<'_, PyAny>, what: &str) -> PyResult<()> {
        match self {
            Self::Number(number) => take_number(found, what, number),
            Self::Vector(vector) => take(found, what, vector),
            Self::Matrix(matrix) => take_matrix(found, what, matrix),
        }
    }

    /// Returns the first value that is not finite, with its place.
    fn undefined(&mut self) -> Option<String> {
        let (place, value) = self.values().iter().copied().enumerate().find(|(_, value)| !value.is_finite())?;
        let value = value.to_string().to_lowercase();
        Some(match self {
            Self::Number(_) => value,
            Self::Vector(_) => format!("{value} in component {place}"),
            Self::Matrix(matrix) => {
                format!("{value} in row {}, column {}", place % matrix.nrows(), place / matrix.nrows())
            }
        })
    }
}

impl Calls {
    /// Sets the time, s, of the following calls.
    pub fn at(&self, t: f64) {
        self.time.set(t);
    }

    /// Calls a function.
    ///
    /// # Errors
    /// Fails if the function raises an exception, or if its result has another shape or type.
    pub fn call(
        &self,
        what: &str,
        into: &mut Target<'_>,
        call: impl for<'py> FnOnce(Python<'py>) -> PyResult<Bound<'py, PyAny>>,
    ) -> Result<(), Failure> {
        let time = self.time.get();
        Python::attach(|py| {
            let made = call(py).and_then(|found| into.take(&found, what));
            made.map_err(|error| of_exception(py, &error, time))
        })?;
        if let Some(found) = into.undefined() {
            self.undefined.replace(Some((time, format!("{what} returned {found}"))));
        }
        Ok(())
    }

    /// Calls a function for a caller that cannot return an error: after an exception the target is `nan`.
    pub fn call_or_keep(
        &self,
        what: &str,
        mut into: Target<'_>,
        call: impl for<'py> FnOnce(Python<'py>) -> PyResult<Bound<'py, PyAny>>,
    ) {
        if self.raised.borrow().is_none() {
            match self.call(what, &mut into, call) {
                Ok(()) => return,
                Err(failure) => drop(self.raised.replace(Some(failure))),
            }
        }
        into.values().fill(f64::NAN);
    }

    /// Returns the failure of the first exception. Without one, returns the failure that a method reports, or an
    /// undefined value that explains it.
    pub fn cause(&self, reported: Option<Failure>) -> Option<Failure> {
        if let Some(raised) = self.raised.take() {
            return Some(raised);
        }
        let reported = reported?;
        let undefined = self.undefined.take();
        let may_follow = matches!(
            reported,
            Failure::NonFinite { .. }
                | Failure::StepTooSmall { .. }
                | Failure::SingularMatrix { .. }
                | Failure::NewtonDiverged { .. }
                | Failure::AccelerationsDiverged { .. }
                | Failure::StageDiverged { .. }
        );
        // An undefined value in an accepted step did not stop the method.
        match undefined {
            // A time difference may have been evaluated slightly earlier.
            Some((time, found))
                if may_follow && reported.time().is_some_and(|end| time >= end - 1e-5 * end.abs().max(1.0)) =>
            {
                Some(Failure::UndefinedValue { time, found })
            }
            _ => Some(reported),
        }
    }

    /// Returns the description of the last result that is not finite, and clears it.
    ///
    /// # Errors
    /// Returns the failure of the first exception.
    pub fn undefined(&self) -> Result<Option<String>, Failure> {
        let undefined = self.undefined.take();
        match self.raised.take() {
            Some(raised) => Err(raised),
            None => Ok(undefined.map(|(_, found)| found)),
        }
    }
}
