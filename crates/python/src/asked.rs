//! What Python can ask of a problem, in a step and outside, and the methods of both classes that do.

use mbsbench_problem::{Dimensions, Failure, Mechanics, Ode};
use nalgebra::DMatrix;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

use crate::arrays::{Vector, matrix, numbers, vector, writable};

/// Components from which on others may use the interpreter while a function is evaluated: to let go of it takes a tenth of a microsecond.
const LARGE: usize = 32;

/// What can be asked.
pub trait Asked {
    /// How large it is.
    fn sizes(&mut self) -> Sizes;

    /// See [`Ode::rhs`].
    fn rhs(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Failure>;

    /// See [`Ode::jacobian`].
    fn jacobian(&mut self, t: f64, y: &[f64], jacobian: &mut DMatrix<f64>) -> Result<(), Failure>;

    /// A quantity of the mechanical system.
    fn mechanics(&mut self, of: Of, t: f64, q: &[f64], v: &[f64], room: Room<'_>) -> Result<(), Failure>;
}

/// Where it is asked.
pub trait Source {
    /// Calls `work` with it.
    fn ask<T: Send>(&self, work: impl FnOnce(&mut dyn Asked) -> Result<T, Failure> + Send) -> PyResult<T>;

    /// The same without holding the interpreter where that may take a while.
    fn ask_long<T: Send>(
        &self,
        py: Python<'_>,
        size: usize,
        work: impl FnOnce(&mut dyn Asked) -> Result<T, Failure> + Send,
    ) -> PyResult<T>
    where
        Self: Sync,
    {
        if size < LARGE { self.ask(work) } else { py.detach(|| self.ask(work)) }
    }

    /// How large it is.
    fn sizes(&self) -> PyResult<Sizes> {
        self.ask(|asked| Ok(asked.sizes()))
    }
}

/// What a mechanical system gives.
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
    /// What the constraints on accelerations are at `v' = 0`.
    Bias,
    /// `H(q) v`.
    PositionRate,
}

/// Where it goes.
pub enum Room<'r> {
    /// A vector.
    Vector(&'r mut [f64]),
    /// A matrix.
    Matrix(&'r mut DMatrix<f64>),
}

/// How large a problem is.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sizes {
    /// Components of the state.
    pub dimension: usize,
    /// Coordinates, velocities and constraints of the mechanical system; zero where there is none.
    pub mechanics: [usize; 3],
}

/// A problem that nobody counts.
pub struct Uncounted<'o>(pub &'o mut dyn Ode);

impl Asked for Uncounted<'_> {
    fn sizes(&mut self) -> Sizes {
        let dimension = self.0.dimension();
        let mechanics = self.0.form().mechanics();
        let sizes = mechanics.map_or(Dimensions::vectors(0, 0), |mechanics| mechanics.dimensions());
        let mechanics = [sizes.coordinates, sizes.velocities, sizes.constraints()];
        Sizes { dimension, mechanics }
    }

    fn rhs(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Failure> {
        self.0.rhs(t, y, dydt)
    }

    fn jacobian(&mut self, t: f64, y: &[f64], jacobian: &mut DMatrix<f64>) -> Result<(), Failure> {
        self.0.jacobian(t, y, jacobian)
    }

    fn mechanics(&mut self, of: Of, t: f64, q: &[f64], v: &[f64], room: Room<'_>) -> Result<(), Failure> {
        let mechanics: &mut dyn Mechanics = self.0.form().mechanics()?;
        match (of, room) {
            (Of::Mass, Room::Matrix(mass)) => mechanics.mass(q, mass),
            (Of::ConstraintJacobian, Room::Matrix(jacobian)) => mechanics.constraint_jacobian(t, q, v, jacobian),
            (Of::Forces, Room::Vector(forces)) => mechanics.forces(t, q, v, forces),
            (Of::Constraints, Room::Vector(values)) => mechanics.constraint_values(t, q, v, values),
            (Of::Bias, Room::Vector(bias)) => mechanics.acceleration_bias(t, q, v, bias),
            (Of::PositionRate, Room::Vector(rate)) => mechanics.position_rate(q, v, rate),
            _ => unreachable!("matrices are asked for as matrices"),
        }
        self.0.cause(None).map_or(Ok(()), Err)
    }
}

/// `f(t, y)`, written into `out` if there is one.
pub fn rhs<'py>(
    source: &(impl Source + Sync),
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

/// `∂f/∂y` at `(t, y)`.
pub fn jacobian<'py>(
    source: &(impl Source + Sync),
    py: Python<'py>,
    t: f64,
    y: &Vector<'py>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let n = source.sizes()?.dimension;
    let y = numbers(y, "y", n)?;
    let mut into = DMatrix::zeros(n, n);
    source.ask_long(py, n, |asked| asked.jacobian(t, &y, &mut into))?;
    matrix(py, &into)
}

/// Where a quantity of the mechanical system is asked for: time (s), positions, and velocities, zero where none are given.
type Point<'p, 'py> = (f64, &'p Vector<'py>, Option<&'p Vector<'py>>);

/// Asks for a quantity of the mechanical system, in what `room` makes of its sizes.
fn quantity<'py, R: Send>(
    source: &(impl Source + Sync),
    py: Python<'py>,
    of: Of,
    (t, q, v): Point<'_, 'py>,
    room: impl FnOnce([usize; 3]) -> R,
    into: impl FnOnce(&mut R) -> Room<'_> + Send,
) -> PyResult<R> {
    let sizes @ [coordinates, velocities, _] = source.sizes()?.mechanics;
    let q = numbers(q, "q", coordinates)?;
    let v = v.map_or_else(|| Ok(vec![0.0; velocities].into()), |v| numbers(v, "v", velocities))?;
    let mut found = room(sizes);
    source.ask_long(py, velocities, |asked| asked.mechanics(of, t, &q, &v, into(&mut found)))?;
    Ok(found)
}

/// A vector of the mechanical system.
pub fn vector_of<'py>(
    source: &(impl Source + Sync),
    py: Python<'py>,
    of: Of,
    point: Point<'_, 'py>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let room = |[coordinates, velocities, constraints]: [usize; 3]| match of {
        Of::Constraints | Of::Bias => vec![0.0; constraints],
        Of::PositionRate => vec![0.0; coordinates],
        _ => vec![0.0; velocities],
    };
    let found = quantity(source, py, of, point, room, |found| Room::Vector(found))?;
    Ok(vector(py, &found))
}

/// A matrix of the mechanical system.
pub fn matrix_of<'py>(
    source: &(impl Source + Sync),
    py: Python<'py>,
    of: Of,
    point: Point<'_, 'py>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let room = |[_, velocities, constraints]: [usize; 3]| {
        DMatrix::zeros(if of == Of::Mass { velocities } else { constraints }, velocities)
    };
    matrix(py, &quantity(source, py, of, point, room, |found| Room::Matrix(found))?)
}

/// The methods of a class that is a [`Source`], and others.
macro_rules! asks {
    ($type:ident { $($others:tt)* }) => {
        #[pymethods]
        impl $type {
            /// Number of components of the state.
            #[getter]
            fn dimension(&self) -> PyResult<usize> {
                Ok(Source::sizes(self)?.dimension)
            }

            /// Number of position coordinates of the mechanical system; 0 where there is none.
            #[getter]
            fn coordinates(&self) -> PyResult<usize> {
                Ok(Source::sizes(self)?.mechanics[0])
            }

            /// Number of velocity coordinates of the mechanical system; 0 where there is none.
            #[getter]
            fn velocities(&self) -> PyResult<usize> {
                Ok(Source::sizes(self)?.mechanics[1])
            }

            /// Number of constraints, nonholonomic and holonomic.
            #[getter]
            fn constraint_count(&self) -> PyResult<usize> {
                Ok(Source::sizes(self)?.mechanics[2])
            }

            /// `f(t, y)`, written into `out` if it is given: a contiguous array of doubles.
            ///
            /// In a step it counts as one evaluation, and as none if it repeats the one at the start of the step, or the last one.
            #[pyo3(signature = (t, y, out=None))]
            fn rhs<'py>(
                &self,
                py: Python<'py>,
                t: f64,
                y: Vector<'py>,
                out: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                asked::rhs(self, py, t, &y, out)
            }

            /// `∂f/∂y` at `(t, y)`, exact to roundoff.
            fn jacobian<'py>(&self, py: Python<'py>, t: f64, y: Vector<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
                asked::jacobian(self, py, t, &y)
            }

            /// `M(q)` of the mechanical system.
            fn mass<'py>(&self, py: Python<'py>, q: Vector<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
                asked::matrix_of(self, py, Of::Mass, (0.0, &q, None))
            }

            /// `D(t, q, v)`, the forces.
            ///
            /// In a step they count as one evaluation of the right-hand side, of which mass and constraints at the same state are part.
            fn forces<'py>(
                &self,
                py: Python<'py>,
                t: f64,
                q: Vector<'py>,
                v: Vector<'py>,
            ) -> PyResult<Bound<'py, PyArray1<f64>>> {
                asked::vector_of(self, py, Of::Forces, (t, &q, Some(&v)))
            }

            /// `(Γ(t, q, v) ; Φ(t, q))`, the constraints, nonholonomic first.
            #[pyo3(signature = (t, q, v=None))]
            fn constraints<'py>(
                &self,
                py: Python<'py>,
                t: f64,
                q: Vector<'py>,
                v: Option<Vector<'py>>,
            ) -> PyResult<Bound<'py, PyArray1<f64>>> {
                asked::vector_of(self, py, Of::Constraints, (t, &q, v.as_ref()))
            }

            /// `J`, the derivatives of the constraints: of Γ in `v`, of Φ in `q`.
            #[pyo3(signature = (t, q, v=None))]
            fn constraint_jacobian<'py>(
                &self,
                py: Python<'py>,
                t: f64,
                q: Vector<'py>,
                v: Option<Vector<'py>>,
            ) -> PyResult<Bound<'py, PyArray2<f64>>> {
                asked::matrix_of(self, py, Of::ConstraintJacobian, (t, &q, v.as_ref()))
            }

            /// What the constraints on accelerations are at `v' = 0`: they read `J v' + bias = 0`.
            fn acceleration_bias<'py>(
                &self,
                py: Python<'py>,
                t: f64,
                q: Vector<'py>,
                v: Vector<'py>,
            ) -> PyResult<Bound<'py, PyArray1<f64>>> {
                asked::vector_of(self, py, Of::Bias, (t, &q, Some(&v)))
            }

            /// `q' = H(q) v`.
            fn position_rate<'py>(
                &self,
                py: Python<'py>,
                q: Vector<'py>,
                v: Vector<'py>,
            ) -> PyResult<Bound<'py, PyArray1<f64>>> {
                asked::vector_of(self, py, Of::PositionRate, (0.0, &q, Some(&v)))
            }

            $($others)*
        }
    };
}
pub(crate) use asks;
