//! Conversion of numbers between NumPy and Rust.

use std::borrow::Cow;

use nalgebra::DMatrix;
use numpy::ndarray::{Dimension, Ix1, Ix2};
use numpy::{
    PyArray, PyArray1, PyArray2, PyArrayDescrMethods, PyArrayMethods, PyReadonlyArray, PyReadonlyArray1,
    PyReadwriteArray1, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::Borrowed;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyList};

/// A vector that is returned to Python.
pub type Array<'py> = Bound<'py, PyArray1<f64>>;

/// A matrix that is returned to Python.
pub type Array2<'py> = Bound<'py, PyArray2<f64>>;

/// A vector of real numbers from Python: an array of any real type, or anything that NumPy converts into one. Complex
/// numbers are refused, even without an imaginary part.
pub struct Vector<'py>(pub PyReadonlyArray1<'py, f64>);

impl<'py> FromPyObject<'_, 'py> for Vector<'py> {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let refused = |found: String| PyTypeError::new_err(format!("{found}; accepted: a vector of real numbers"));
        real::<Ix1>(&given).map(Self).map_err(refused)
    }
}

/// Returns the numbers of an array of this dimension as doubles, without a copy if they are doubles already.
///
/// # Errors
/// Returns a description of an argument that is not such an array.
fn real<'py, D: Dimension>(given: &Bound<'py, PyAny>) -> Result<PyReadonlyArray<'py, f64, D>, String> {
    if let Ok(array) = given.cast::<PyArray<f64, D>>() {
        return array.try_readonly().map_err(|_| "an array that is being written".to_owned());
    }
    let py = given.py();
    let convert = || {
        let array = py.import("numpy")?.call_method1("asarray", (given,))?.cast_into::<PyUntypedArray>()?;
        // Accepts booleans, integers, floats, and objects such as fractions, whose own conversion fails if they are not
        // real.
        if !b"biufO".contains(&array.dtype().kind()) {
            return Ok(None);
        }
        Ok(Some(array.call_method1("astype", ("float64",))?))
    };
    let converted: PyResult<Option<Bound<'py, PyAny>>> = convert();
    let Some(array) = converted.ok().flatten() else { return Err(described(given)) };
    let array = array.cast_into::<PyArray<f64, D>>().map_err(|_| described(given))?;
    Ok(array.readonly())
}

/// Describes an argument in a message: the shape and type of numbers, or the name of a type.
fn described(given: &Bound<'_, PyAny>) -> String {
    let name = given.get_type().name().map_or_else(|_| "something else".to_owned(), |name| name.to_string());
    let numbers = || -> PyResult<String> {
        let array = given.py().import("numpy")?.call_method1("asarray", (given,))?;
        let array = array.cast_into::<PyUntypedArray>()?;
        let (shape, dtype) = (shape_of(array.shape()), array.dtype());
        Ok(match dtype.kind() {
            b'b' | b'i' | b'u' | b'f' => format!("shape {shape}"),
            b'c' => format!("complex numbers ({dtype}, shape {shape})"),
            _ => name.clone(),
        })
    };
    // A list whose rows differ in length is not an array and is described by its type.
    numbers().unwrap_or(name)
}

/// Returns a shape as Python writes it: `(3,)`, `(2, 3)`.
fn shape_of(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        _ => format!("({})", shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// Returns the error for a function that has not returned real numbers of the required shape.
fn refusal<const N: usize>(what: &str, shape: [usize; N]) -> impl Fn(String) -> PyErr {
    move |found| {
        let accepted = shape_of(&shape);
        PyValueError::new_err(format!("{what} returned {found}; accepted: real numbers, shape {accepted}"))
    }
}

/// Returns the numbers of a vector that must have `length` components, without a copy if they are contiguous.
///
/// # Errors
/// Returns a `ValueError` that names `what` if the length differs.
pub fn numbers<'a>(vector: &'a Vector<'_>, what: &str, length: usize) -> PyResult<Cow<'a, [f64]>> {
    let found = match vector.0.as_slice() {
        Ok(slice) => Cow::Borrowed(slice),
        Err(_) => Cow::Owned(vector.0.as_array().iter().copied().collect()),
    };
    if found.len() == length {
        return Ok(found);
    }
    Err(PyValueError::new_err(format!("`{what}` has {} components; accepted: {length}", found.len())))
}

/// Returns the caller's memory for `length` numbers.
///
/// # Errors
/// Returns a `TypeError` or `ValueError` that describes an unsuitable argument.
pub fn writable<'py>(out: &Bound<'py, PyAny>, length: usize) -> PyResult<PyReadwriteArray1<'py, f64>> {
    let accepted = format!("accepted: an array of dtype float64 with shape ({length},)");
    let Ok(array) = out.cast::<PyUntypedArray>() else {
        let name = out.get_type().name()?;
        return Err(PyTypeError::new_err(format!("`out` is of type {name}; {accepted}")));
    };
    let Ok(doubles) = out.cast::<PyArray1<f64>>() else {
        let (dtype, shape) = (array.dtype(), shape_of(array.shape()));
        return Err(PyTypeError::new_err(format!("`out` has dtype {dtype} and shape {shape}; {accepted}")));
    };
    if doubles.len() != length {
        return Err(PyValueError::new_err(format!("`out` has {} components; accepted: {length}", doubles.len())));
    }
    if !doubles.is_contiguous() {
        return Err(PyValueError::new_err(format!("`out` is not contiguous; {accepted}, contiguous")));
    }
    doubles.try_readwrite().map_err(|_| PyValueError::new_err("`out` cannot be written"))
}

/// Returns a new array with these numbers.
pub fn vector<'py>(py: Python<'py>, numbers: &[f64]) -> Array<'py> {
    PyArray1::from_slice(py, numbers)
}

/// Returns a new read-only array, as an argument of a user's function.
pub fn frozen<'py>(py: Python<'py>, numbers: &[f64]) -> Array<'py> {
    let array = vector(py, numbers);
    array.readwrite().make_nonwriteable();
    array
}

/// Returns a new array with the entries of a matrix, row by row.
pub fn matrix<'py>(py: Python<'py>, matrix: &DMatrix<f64>) -> PyResult<Array2<'py>> {
    let (rows, columns) = matrix.shape();
    let by_rows = (0..rows).flat_map(|i| (0..columns).map(move |j| matrix[(i, j)]));
    PyArray1::from_iter(py, by_rows).reshape([rows, columns])
}

/// Writes the numbers that the function `what` has returned into a vector, whose length they must have.
///
/// # Errors
/// Returns a `ValueError` with the function, its result, and the accepted shape.
pub fn take(found: &Bound<'_, PyAny>, what: &str, into: &mut [f64]) -> PyResult<()> {
    if let Ok(list) = found.cast::<PyList>()
        && list.len() == into.len()
        && list.iter().zip(&mut *into).all(|(item, into)| item.cast::<PyFloat>().map(|x| *into = x.value()).is_ok())
    {
        return Ok(());
    }
    let refused = refusal(what, [into.len()]);
    let numbers = real::<Ix1>(found).map_err(&refused)?;
    let numbers = numbers.as_array();
    if numbers.len() != into.len() {
        return Err(refused(described(found)));
    }
    into.iter_mut().zip(numbers).for_each(|(into, &number)| *into = number);
    Ok(())
}

/// Writes the numbers that the function `what` has returned into a matrix, whose shape they must have.
///
/// # Errors
/// Returns a `ValueError`, as [`take`].
pub fn take_matrix(found: &Bound<'_, PyAny>, what: &str, into: &mut DMatrix<f64>) -> PyResult<()> {
    let refused = refusal(what, [into.nrows(), into.ncols()]);
    let numbers = real::<Ix2>(found).map_err(&refused)?;
    let numbers = numbers.as_array();
    if numbers.shape() != [into.nrows(), into.ncols()] {
        return Err(refused(described(found)));
    }
    numbers.indexed_iter().for_each(|((i, j), &value)| into[(i, j)] = value);
    Ok(())
}

/// Writes the single number that the function `what` has returned.
///
/// # Errors
/// Returns a `ValueError`, as [`take`].
pub fn take_number(found: &Bound<'_, PyAny>, what: &str, into: &mut f64) -> PyResult<()> {
    if let Ok(number) = found.cast::<PyFloat>() {
        *into = number.value();
        return Ok(());
    }
    let reshaped = found.py().import("numpy")?.call_method1("atleast_1d", (found,))?;
    take(&reshaped, what, std::slice::from_mut(into))
        .map_err(|_| PyValueError::new_err(format!("{what} returned {}; accepted: one real number", described(found))))
}
