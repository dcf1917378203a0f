//! Numbers between NumPy and here.

use std::borrow::Cow;

use nalgebra::DMatrix;
use numpy::{AllowTypeChange, PyArray1, PyArray2, PyArrayLike1, PyArrayLike2, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A vector as callers give it: an array, or anything that NumPy makes one of.
pub type Vector<'py> = PyArrayLike1<'py, f64, AllowTypeChange>;

/// A matrix, likewise.
pub type Table<'py> = PyArrayLike2<'py, f64, AllowTypeChange>;

/// Its numbers, where `what` has to have so many; not copied where they lie one after the other.
pub fn numbers<'a>(vector: &'a PyReadonlyArray1<'_, f64>, what: &str, length: usize) -> PyResult<Cow<'a, [f64]>> {
    let found = match vector.as_slice() {
        Ok(slice) => Cow::Borrowed(slice),
        Err(_) => Cow::Owned(vector.as_array().iter().copied().collect()),
    };
    if found.len() == length {
        return Ok(found);
    }
    Err(PyValueError::new_err(format!("`{what}` has {} components; accepted: {length}", found.len())))
}

/// A new array of these numbers.
pub fn vector<'py>(py: Python<'py>, numbers: &[f64]) -> Bound<'py, PyArray1<f64>> {
    PyArray1::from_slice(py, numbers)
}

/// The same, which cannot be written: what a method is given to step from.
pub fn frozen<'py>(py: Python<'py>, numbers: &[f64]) -> Bound<'py, PyArray1<f64>> {
    let array = vector(py, numbers);
    array.readwrite().make_nonwriteable();
    array
}

/// A new array of a matrix, row by row.
pub fn matrix<'py>(py: Python<'py>, matrix: &DMatrix<f64>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (rows, columns) = matrix.shape();
    let by_rows = (0..rows).flat_map(|i| (0..columns).map(move |j| matrix[(i, j)]));
    PyArray1::from_iter(py, by_rows).reshape([rows, columns])
}

/// Writes the numbers that a function of `what` has returned, into a vector of its length.
pub fn take(found: &Bound<'_, PyAny>, what: &str, into: &mut [f64]) -> PyResult<()> {
    let found: Vector<'_> = found
        .extract()
        .map_err(|_| PyValueError::new_err(format!("{what} returned {}, not a vector of numbers", kind(found))))?;
    let found = numbers(&found, what, into.len()).map_err(|_| {
        PyValueError::new_err(format!("{what} returned {} numbers; accepted: {}", found.len().unwrap_or(0), into.len()))
    })?;
    into.copy_from_slice(&found);
    Ok(())
}

/// The same for a matrix; a list of rows, where it is none.
pub fn take_matrix(found: &Bound<'_, PyAny>, what: &str, into: &mut DMatrix<f64>) -> PyResult<()> {
    let found: Table<'_> = found
        .extract()
        .map_err(|_| PyValueError::new_err(format!("{what} returned {}, not a matrix of numbers", kind(found))))?;
    let found = found.as_array();
    let (rows, columns) = into.shape();
    if found.shape() != [rows, columns] {
        let (r, c) = (found.shape()[0], found.shape()[1]);
        return Err(PyValueError::new_err(format!("{what} returned a {r} × {c} matrix; accepted: {rows} × {columns}")));
    }
    for ((i, j), &value) in found.indexed_iter() {
        into[(i, j)] = value;
    }
    Ok(())
}

fn kind(found: &Bound<'_, PyAny>) -> String {
    found.get_type().name().map_or_else(|_| "something else".to_owned(), |name| name.to_string())
}
