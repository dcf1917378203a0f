//! The functions of a problem that Python can call, inside and outside of a step, and the methods of the two classes
//! that have them.

use mbsbench_problem::{Counted, Dimensions, Failure};
use nalgebra::DMatrix;
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::arrays::{Array2, Vector, matrix, numbers, writable};

/// The number of components from which on the interpreter is released while a function is evaluated; releasing it takes
/// a tenth of a microsecond.
const LARGE: usize = 32;

/// The functions that Python can call.
pub trait Queries {
    /// Returns the sizes of the problem.
    fn sizes(&mut self) -> Sizes;

    /// See [`Ode::rhs`](mbsbench_problem::Ode::rhs).
    fn rhs(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Failure>;

    /// See [`Ode::jacobian`](mbsbench_problem::Ode::jacobian).
    fn jacobian(&mut self, t: f64, y: &[f64], jacobian: &mut DMatrix<f64>) -> Result<(), Failure>;

    /// Evaluates a quantity of the mechanical system.
    fn mechanics(&mut self, of: Of, t: f64, q: &[f64], v: &[f64], into: &mut DMatrix<f64>) -> Result<(), Failure>;

    /// Keeps the failure that is reported as an exception.
    fn fail(&mut self, _failure: Failure) {}
}

/// A source of problems: the model itself, or the problem of the current step.
pub trait Source: Sync {
    /// Calls `work` with the problem.
    fn ask<T: Send>(&self, work: impl FnOnce(&mut dyn Queries) -> Result<T, Failure> + Send) -> PyResult<T>;

    /// Calls `work` with the problem, and releases the interpreter if that may take a while.
    fn ask_long<T: Send>(
        &self,
        py: Python<'_>,
        size: usize,
        work: impl FnOnce(&mut dyn Queries) -> Result<T, Failure> + Send,
    ) -> PyResult<T> {
        if size < LARGE { self.ask(work) } else { py.detach(|| self.ask(work)) }
    }

    /// Returns the sizes of the problem.
    fn sizes(&self) -> PyResult<Sizes> {
        self.ask(|asked| Ok(asked.sizes()))
    }
}

/// A quantity of a mechanical system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// `M(q)`.
    Mass,
    /// `D(t, q, v)`.
    Forces,
    /// `(Γ ; Φ)`.
    Constraints,
    /// `J`.
    ConstraintJacobian,
    /// The constraints on accelerations at `v' = 0`.
    Bias,
    /// `H(q) v`.
    PositionRate,
}

/// The sizes of a problem.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    /// The number of components of the state.
    pub dimension: usize,
    /// The sizes of the mechanical system; zero if there is none.
    pub mechanics: Dimensions,
}

impl Queries for Counted<'_> {
    fn sizes(&mut self) -> Sizes {
        let dimension = self.dimension();
        let mechanics = Self::mechanics(self).map_or(Dimensions::vectors(0, 0), |mechanics| mechanics.dimensions());
        Sizes { dimension, mechanics }
    }

    fn rhs(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Failure> {
        Self::rhs(self, t, y, dydt)
    }

    fn jacobian(&mut self, t: f64, y: &[f64], jacobian: &mut DMatrix<f64>) -> Result<(), Failure> {
        if !self.properties().has_jacobian {
            let reason = "the problem does not provide the Jacobian of its right-hand side".to_owned();
            return Err(Failure::NotApplicable { reason });
        }
        Self::jacobian(self, t, y, jacobian)
    }

    fn mechanics(&mut self, of: Of, t: f64, q: &[f64], v: &[f64], into: &mut DMatrix<f64>) -> Result<(), Failure> {
        let mut mechanics = Self::mechanics(self)?;
        match of {
            Of::Mass => mechanics.mass(q, into),
            Of::ConstraintJacobian => mechanics.constraint_jacobian(t, q, v, into),
            Of::Forces => mechanics.forces(t, q, v, into.as_mut_slice()),
            Of::Constraints => mechanics.constraint_values(t, q, v, into.as_mut_slice()),
            Of::Bias => mechanics.acceleration_bias(t, q, v, into.as_mut_slice()),
            Of::PositionRate => mechanics.position_rate(q, v, into.as_mut_slice()),
        }
        self.cause(None).map_or(Ok(()), Err)
    }
}

/// Returns `f(t, y)`, written into `out` if it is given.
pub fn rhs<'py>(
    source: &impl Source,
    py: Python<'py>,
    t: f64,
    y: &Vector<'py>,
    out: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let n = source.sizes()?.dimension;
    let y = numbers(y, "y", n)?;
    let out = out.unwrap_or_else(|| PyArray1::<f64>::zeros(py, [n], false).into_any());
    let mut array = writable(&out, n)?;
    let into = array.as_slice_mut()?;
    source.ask_long(py, n, |asked| asked.rhs(t, &y, into))?;
    drop(array);
    Ok(out)
}

/// Returns `∂f/∂y` at `(t, y)`.
pub fn jacobian<'py>(source: &impl Source, py: Python<'py>, t: f64, y: &Vector<'py>) -> PyResult<Array2<'py>> {
    let n = source.sizes()?.dimension;
    let y = numbers(y, "y", n)?;
    let mut into = DMatrix::zeros(n, n);
    source.ask_long(py, n, |asked| asked.jacobian(t, &y, &mut into))?;
    matrix(py, &into)
}

/// The arguments of a quantity of the mechanical system: time (s), positions, and velocities, which are zero if
/// omitted.
type Point<'p, 'py> = (f64, &'p Vector<'py>, Option<&'p Vector<'py>>);

/// Returns a quantity of the mechanical system; a vector is a matrix with one column.
pub fn quantity(source: &impl Source, py: Python<'_>, of: Of, (t, q, v): Point<'_, '_>) -> PyResult<DMatrix<f64>> {
    let sizes = source.sizes()?.mechanics;
    let (coordinates, velocities, constraints) = (sizes.coordinates, sizes.velocities, sizes.constraints());
    let q = numbers(q, "q", coordinates)?;
    let v = v.map_or_else(|| Ok(vec![0.0; velocities].into()), |v| numbers(v, "v", velocities))?;
    let mut found = match of {
        Of::Mass => DMatrix::zeros(velocities, velocities),
        Of::ConstraintJacobian => DMatrix::zeros(constraints, velocities),
        Of::Forces => DMatrix::zeros(velocities, 1),
        Of::Constraints | Of::Bias => DMatrix::zeros(constraints, 1),
        Of::PositionRate => DMatrix::zeros(coordinates, 1),
    };
    source.ask_long(py, velocities, |asked| asked.mechanics(of, t, &q, &v, &mut found))?;
    Ok(found)
}

/// Defines the methods of a class that is a [`Source`], and the methods given in braces.
macro_rules! asks {
    ($type:ident { $($others:tt)* }) => {
        #[pymethods]
        impl $type {
            /// Number of components of the state.
            #[getter]
            fn dimension(&self) -> PyResult<usize> {
                Ok(Source::sizes(self)?.dimension)
            }

            /// Number of position coordinates of the mechanical system; 0 if there is none.
            #[getter]
            fn coordinates(&self) -> PyResult<usize> {
                Ok(Source::sizes(self)?.mechanics.coordinates)
            }

            /// Number of velocity coordinates of the mechanical system; 0 if there is none.
            #[getter]
            fn velocities(&self) -> PyResult<usize> {
                Ok(Source::sizes(self)?.mechanics.velocities)
            }

            /// Number of constraints, nonholonomic and holonomic together.
            #[getter]
            fn constraint_count(&self) -> PyResult<usize> {
                Ok(Source::sizes(self)?.mechanics.constraints())
            }

            /// Returns `f(t, y)`, written into `out` if it is given: a contiguous array of doubles.
            ///
            /// Inside a step, a call counts as one evaluation, or as none if it repeats the evaluation at the start of
            /// the step or the last one.
            #[pyo3(signature = (t, y, out=None))]
            fn rhs<'py>(
                &self,
                py: Python<'py>,
                t: f64,
                y: Vector<'py>,
                out: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                queries::rhs(self, py, t, &y, out)
            }

            /// Returns `∂f/∂y` at `(t, y)`, exact to roundoff.
            fn jacobian<'py>(&self, py: Python<'py>, t: f64, y: Vector<'py>) -> PyResult<Array2<'py>> {
                queries::jacobian(self, py, t, &y)
            }

            /// Returns the mass matrix `M(q)` of the mechanical system.
            fn mass<'py>(&self, py: Python<'py>, q: Vector<'py>) -> PyResult<Array2<'py>> {
                matrix(py, &queries::quantity(self, py, Of::Mass, (0.0, &q, None))?)
            }

            /// Returns the forces `D(t, q, v)`.
            ///
            /// Inside a step, a call counts as one evaluation of the right-hand side, which includes mass matrix and
            /// constraints at the same state.
            fn forces<'py>(&self, py: Python<'py>, t: f64, q: Vector<'py>, v: Vector<'py>) -> PyResult<Array<'py>> {
                Ok(vector(py, queries::quantity(self, py, Of::Forces, (t, &q, Some(&v)))?.as_slice()))
            }

            /// Returns the constraints `(Γ(t, q, v) ; Φ(t, q))`, nonholonomic first.
            #[pyo3(signature = (t, q, v=None))]
            fn constraints<'py>(
                &self,
                py: Python<'py>,
                t: f64,
                q: Vector<'py>,
                v: Option<Vector<'py>>,
            ) -> PyResult<Array<'py>> {
                Ok(vector(py, queries::quantity(self, py, Of::Constraints, (t, &q, v.as_ref()))?.as_slice()))
            }

            /// Returns the constraint Jacobian `J`: the derivatives of Γ with respect to `v` and of Φ with respect to
            /// `q`.
            #[pyo3(signature = (t, q, v=None))]
            fn constraint_jacobian<'py>(
                &self,
                py: Python<'py>,
                t: f64,
                q: Vector<'py>,
                v: Option<Vector<'py>>,
            ) -> PyResult<Array2<'py>> {
                matrix(py, &queries::quantity(self, py, Of::ConstraintJacobian, (t, &q, v.as_ref()))?)
            }

            /// Returns the bias of the constraints on accelerations, which are `J v' + bias = 0`.
            fn acceleration_bias<'py>(
                &self,
                py: Python<'py>,
                t: f64,
                q: Vector<'py>,
                v: Vector<'py>,
            ) -> PyResult<Array<'py>> {
                Ok(vector(py, queries::quantity(self, py, Of::Bias, (t, &q, Some(&v)))?.as_slice()))
            }

            /// Returns `q' = H(q) v`.
            fn position_rate<'py>(&self, py: Python<'py>, q: Vector<'py>, v: Vector<'py>) -> PyResult<Array<'py>> {
                Ok(vector(py, queries::quantity(self, py, Of::PositionRate, (0.0, &q, Some(&v)))?.as_slice()))
            }

            $($others)*
        }
    };
}
pub(crate) use asks;
