//! Models that are functions of Python.

use std::sync::Arc;

use mbsbench_experiment::registry::AnyModel;
use mbsbench_problem::{
    AccelerationLevel, Class, DoubleDouble, Failure, Formulated, Model, Observable, Observation, Ode,
};
use nalgebra::DMatrix;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::arrays::{Vector, frozen, take, take_matrix};
use crate::failures::of_exception;
use crate::own_mechanics::{Full, PythonMechanics};

/// Functions of an object of `mbsbench.Ode` or `mbsbench.Mechanics`.
#[derive(Debug, Clone)]
pub struct PythonModel {
    functions: Arc<Functions>,
}

/// What the object has.
#[derive(Debug)]
pub struct Functions {
    /// Of `y' = f(t, y)`.
    rhs: Option<Py<PyAny>>,
    /// `∂f/∂y`, or of a mechanical system `∂Φ/∂q`.
    pub jacobian: Option<Py<PyAny>>,
    /// `M(q)`.
    pub mass: Option<Py<PyAny>>,
    /// `D(t, q, v)`.
    pub forces: Option<Py<PyAny>>,
    /// `Φ(t, q)`.
    pub constraints: Option<Py<PyAny>>,
    energy: Option<Py<PyAny>>,
    /// `y`, or `(q ; v)`.
    initial: Vec<f64>,
    /// Coordinates and constraints of a mechanical system.
    pub sizes: [usize; 2],
    pub full: Full,
}

impl PythonModel {
    /// Takes the functions of an object.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let function = |name: &str| {
            let found = object.getattr_opt(name)?.filter(|found| !found.is_none());
            match found {
                Some(found) if !found.is_callable() => Err(PyTypeError::new_err(format!("`{name}` is not a function"))),
                found => Ok(found.map(Bound::unbind)),
            }
        };
        let state: Vector<'_> = object.getattr("initial")?.extract()?;
        let initial: Vec<f64> = state.as_array().to_vec();
        let mass = function("mass")?;
        let constraint_count: usize = object.getattr("constraint_count")?.extract()?;
        let coordinates = if mass.is_some() { initial.len() / 2 } else { 0 };
        let functions = Functions {
            rhs: function("rhs")?,
            jacobian: function("jacobian")?,
            mass,
            forces: function("forces")?,
            constraints: function("constraints")?,
            energy: function("energy")?,
            initial,
            sizes: [coordinates, constraint_count],
            full: Full { coordinates, constraints: constraint_count },
        };
        Ok(Self { functions: Arc::new(functions) })
    }
}

impl Functions {
    /// Calls `f(t, y)` or the like.
    fn of_state(&self, function: &Py<PyAny>, what: &str, t: f64, y: &[f64], into: &mut [f64]) -> Result<(), Failure> {
        Python::attach(|py| {
            let mut call = || take(function.bind(py).call1((t, frozen(py, y)))?.as_any(), what, into);
            call().map_err(|error: PyErr| of_exception(py, &error, t))
        })
    }
}

impl AnyModel for PythonModel {
    fn model(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }
}

impl Formulated<f64> for PythonModel {
    fn ode(&self) -> Box<dyn Ode + '_> {
        if self.functions.mass.is_some() {
            return Box::new(AccelerationLevel::new(PythonMechanics::new(&self.functions)));
        }
        Box::new(PythonOde(&self.functions))
    }

    fn initial_state(&self) -> Vec<f64> {
        self.functions.initial.clone()
    }
}

impl Formulated<DoubleDouble> for PythonModel {
    fn ode(&self) -> Box<dyn Ode<DoubleDouble> + '_> {
        Box::new(DoubleOnly(self.functions.initial.len()))
    }

    fn initial_state(&self) -> Vec<DoubleDouble> {
        self.functions.initial.iter().map(|&x| x.into()).collect()
    }
}

impl Model for PythonModel {
    fn observables(&self) -> Vec<Observable> {
        let Functions { initial, mass, constraints, energy, .. } = &*self.functions;
        let about = "component of the state, in its own unit";
        let state = (0..initial.len()).map(|i| match (mass, i < initial.len() / 2) {
            (None, _) => Observable::new(format!("y{i}"), "1", about).of_class(Class::Position),
            (_, true) => Observable::new(format!("q{i}"), "1", about).of_class(Class::Position),
            _ => Observable::new(format!("v{}", i - initial.len() / 2), "1", about).of_class(Class::Velocity),
        });
        let energy = energy.iter().map(|_| Observable::new("energy", "J", "total energy"));
        let constraint =
            constraints.iter().map(|_| Observable::new("constraint", "1", "largest magnitude among the constraints"));
        state.chain(energy).chain(constraint).collect()
    }

    fn observation(&self) -> Box<dyn Observation + '_> {
        let Functions { initial, energy, constraints, sizes, .. } = &*self.functions;
        let mut phi = vec![0.0; sizes[1]];
        Box::new(move |t: f64, y: &[f64], values: &mut [f64]| {
            let n = initial.len();
            values[..n].copy_from_slice(y);
            let mut rest = values[n..].iter_mut();
            if let Some((energy, value)) = energy.as_ref().and_then(|energy| Some((energy, rest.next()?))) {
                *value = Python::attach(|py| {
                    let found = energy.bind(py).call1((t, frozen(py, y))).and_then(|found| found.extract());
                    found.unwrap_or(f64::NAN)
                });
            }
            if let (Some(constraints), Some(value)) = (constraints, rest.next()) {
                let called = self.functions.of_state(constraints, "`constraints`", t, &y[..n / 2], &mut phi);
                *value = called.map_or(f64::NAN, |()| phi.iter().fold(0.0, |most, phi| phi.abs().max(most)));
            }
        })
    }

    fn classes(&self) -> Vec<Class> {
        let (n, is_mechanics) = (self.functions.initial.len(), self.functions.mass.is_some());
        let class = |i| if is_mechanics && i >= n / 2 { Class::Velocity } else { Class::Position };
        (0..n).map(class).collect()
    }
}

/// `y' = f(t, y)` by a function of Python.
struct PythonOde<'f>(&'f Functions);

impl Ode for PythonOde<'_> {
    fn dimension(&self) -> usize {
        self.0.initial.len()
    }

    fn rhs(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Failure> {
        let Some(rhs) = &self.0.rhs else { return Err(double_only()) };
        self.0.of_state(rhs, "`rhs`", t, y, dydt)
    }

    fn has_jacobian(&mut self) -> bool {
        self.0.jacobian.is_some()
    }

    fn jacobian(&mut self, t: f64, y: &[f64], jacobian: &mut DMatrix<f64>) -> Result<(), Failure> {
        let Some(function) = &self.0.jacobian else { return Err(double_only()) };
        Python::attach(|py| {
            let mut call = || take_matrix(&function.bind(py).call1((t, frozen(py, y)))?, "`jacobian`", jacobian);
            call().map_err(|error: PyErr| of_exception(py, &error, t))
        })
    }

    /// By a central difference: the Jacobian of Python does not have it.
    fn time_derivative(&mut self, t: f64, y: &[f64], rate: &mut [f64]) -> Result<(), Failure> {
        let h = f64::EPSILON.cbrt() * t.abs().max(1e-3);
        let mut before = vec![0.0; rate.len()];
        self.rhs(t - h, y, &mut before)?;
        self.rhs(t + h, y, rate)?;
        rate.iter_mut().zip(&before).for_each(|(rate, before)| *rate = (*rate - before) / (2.0 * h));
        Ok(())
    }
}

/// What stands for the equations in double-double arithmetic, which functions of Python do not have.
struct DoubleOnly(usize);

fn double_only() -> Failure {
    let reason =
        "a model of Python is there in double precision only; `precision: double` makes its reference".to_owned();
    Failure::NotApplicable { reason }
}

impl Ode<DoubleDouble> for DoubleOnly {
    fn dimension(&self) -> usize {
        self.0
    }

    fn rhs(&mut self, _: DoubleDouble, _: &[DoubleDouble], _: &mut [DoubleDouble]) -> Result<(), Failure> {
        Err(double_only())
    }
}
