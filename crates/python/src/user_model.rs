//! Models defined by Python functions.

use std::sync::Arc;

use mbsbench_experiment::registry::AnyModel;
use mbsbench_problem::{
    AccelerationLevel, Class, DoubleDouble, Failure, Formulated, Model, Observable, Observation, Ode, Properties,
};
use nalgebra::DMatrix;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::arrays::{Vector, frozen};
use crate::calls::{Calls, Target};
use crate::checks::{self, Checked};
use crate::failures::input_error;
use crate::user_mechanics::{Full, PythonMechanics};

/// A model with the functions of an `mbsbench.Ode` or `mbsbench.Mechanics` object.
#[derive(Debug, Clone)]
pub struct PythonModel {
    functions: Arc<Functions>,
}

/// The functions and data of the object.
#[derive(Debug)]
pub struct Functions {
    /// The name of the model, for messages.
    pub name: String,
    /// `f(t, y)` of `y' = f(t, y)`.
    pub rhs: Option<Py<PyAny>>,
    /// `∂f/∂y`, or `∂Φ/∂q` of a mechanical system.
    pub jacobian: Option<Py<PyAny>>,
    /// `M(q)`.
    pub mass: Option<Py<PyAny>>,
    /// `D(t, q, v)`.
    pub forces: Option<Py<PyAny>>,
    /// `Φ(t, q)`.
    pub constraints: Option<Py<PyAny>>,
    /// `E(t, y)`, J.
    pub energy: Option<Py<PyAny>>,
    /// The initial state: `y`, or `(q ; v)`.
    initial: Vec<f64>,
    /// The numbers of coordinates and constraints of a mechanical system.
    pub full: Full,
}

impl PythonModel {
    /// Reads the functions of an object.
    ///
    /// # Errors
    /// Returns a `TypeError` if one of them is not callable.
    pub fn of(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        let function = |name: &str| {
            let found = object.getattr_opt(name)?.filter(|found| !found.is_none());
            match found {
                Some(found) if !found.is_callable() => Err(PyTypeError::new_err(format!("`{name}` is not a function"))),
                found => Ok(found.map(Bound::unbind)),
            }
        };
        let state: Vector<'_> = object.getattr("initial")?.extract()?;
        let initial: Vec<f64> = state.0.as_array().to_vec();
        let mass = function("mass")?;
        let constraint_count: usize = object.getattr("constraint_count")?.extract()?;
        let coordinates = if mass.is_some() { initial.len() / 2 } else { 0 };
        let flag = |name: &str, default| object.getattr_opt(name)?.map_or(Ok(default), |found| found.extract());
        let (constant_mass, velocity_forces) = (flag("constant_mass", false)?, flag("velocity_forces", true)?);
        let mut functions = Functions {
            name: name.to_owned(),
            rhs: function("rhs")?,
            jacobian: function("jacobian")?,
            mass,
            forces: function("forces")?,
            constraints: function("constraints")?,
            energy: function("energy")?,
            initial,
            full: Full { coordinates, constraints: constraint_count, constant_mass, velocity_forces },
        };
        if object.getattr("start")?.extract::<&str>()? == "assembled" {
            functions.initial = checks::assembled(&functions, &functions.initial).map_err(input_error)?;
        }
        Ok(Self { functions: Arc::new(functions) })
    }
}

impl Functions {
    /// Calls a function of `(t, y)`, such as `rhs` or `energy`.
    ///
    /// # Errors
    /// Returns the failure if the function raises an exception.
    pub fn of_state(
        &self,
        calls: &Calls,
        (what, function): (&str, &Py<PyAny>),
        t: f64,
        y: &[f64],
        mut into: Target<'_>,
    ) -> Result<(), Failure> {
        calls.at(t);
        calls.call(what, &mut into, |py| function.bind(py).call1((t, frozen(py, y))))
    }

    /// Returns the failure of a run whose start or model is refused.
    pub fn refused(&self, wrong: &str) -> Failure {
        Failure::NotApplicable { reason: format!("model `{}`: {wrong}", self.name) }
    }
}

impl AnyModel for PythonModel {
    fn model(&self) -> Arc<dyn Model> {
        Arc::new(self.clone())
    }
}

impl Formulated<f64> for PythonModel {
    fn ode(&self) -> Box<dyn Ode + '_> {
        if self.functions.mass.is_some() {
            return Box::new(AccelerationLevel::new(PythonMechanics::new(&self.functions)));
        }
        Box::new(PythonOde { functions: &self.functions, calls: Calls::default(), checked: None })
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
        let about = "component of the state, in the unit of the model";
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
        let constraints = vec![0.0; self.functions.full.constraints];
        Box::new(PythonObservation { functions: &self.functions, calls: Calls::default(), constraints, failure: None })
    }

    fn classes(&self) -> Vec<Class> {
        let (n, is_mechanics) = (self.functions.initial.len(), self.functions.mass.is_some());
        let class = |i| if is_mechanics && i >= n / 2 { Class::Velocity } else { Class::Position };
        (0..n).map(class).collect()
    }
}

/// The observables: the state, the energy and the largest constraint.
struct PythonObservation<'f> {
    functions: &'f Functions,
    calls: Calls,
    constraints: Vec<f64>,
    failure: Option<Failure>,
}

impl Observation for PythonObservation<'_> {
    fn observe(&mut self, t: f64, y: &[f64], values: &mut [f64]) {
        let Self { functions, calls, constraints, failure } = self;
        let (state, mut further) = values.split_at_mut(y.len());
        state.copy_from_slice(y);
        if let Some(energy) = &functions.energy {
            let (value, rest) = further.split_first_mut().expect("a place for each observable");
            let called = functions.of_state(calls, ("`energy`", energy), t, y, Target::Number(value));
            keep_first(failure, called, value);
            further = rest;
        }
        if let (Some(function), Some(value)) = (&functions.constraints, further.first_mut()) {
            let (q, into) = (&y[..functions.full.coordinates], Target::Vector(constraints));
            let called = functions.of_state(calls, ("`constraints`", function), t, q, into);
            *value = constraints.iter().fold(0.0, |most, phi| phi.abs().max(most));
            keep_first(failure, called, value);
        }
    }

    fn failure(&mut self) -> Option<Failure> {
        self.failure.take()
    }
}

/// Keeps the first failure of an observable and sets its value to `nan`.
fn keep_first(kept: &mut Option<Failure>, called: Result<(), Failure>, value: &mut f64) {
    if let Err(failure) = called {
        *value = f64::NAN;
        kept.get_or_insert(failure);
    }
}

/// The equations `y' = f(t, y)` with a Python function `f`.
pub struct PythonOde<'f> {
    pub functions: &'f Functions,
    pub calls: Calls,
    checked: Checked,
}

impl Ode for PythonOde<'_> {
    fn dimension(&self) -> usize {
        self.functions.initial.len()
    }

    fn rhs(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Failure> {
        let Some(rhs) = &self.functions.rhs else { return Err(double_only()) };
        self.functions.of_state(&self.calls, ("`rhs`", rhs), t, y, Target::Vector(dydt))
    }

    fn properties(&self) -> Properties<'_> {
        Properties { has_jacobian: self.functions.jacobian.is_some(), ..Properties::default() }
    }

    fn jacobian(&mut self, t: f64, y: &[f64], jacobian: &mut DMatrix<f64>) -> Result<(), Failure> {
        let Some(function) = &self.functions.jacobian else { return Err(double_only()) };
        self.functions.of_state(&self.calls, ("`jacobian`", function), t, y, Target::Matrix(jacobian))
    }

    /// Computes a central difference, since the Python Jacobian does not include the time derivative.
    fn time_derivative(&mut self, t: f64, y: &[f64], rate: &mut [f64]) -> Result<(), Failure> {
        let h = f64::EPSILON.cbrt() * t.abs().max(1e-3);
        let mut before = vec![0.0; rate.len()];
        self.rhs(t - h, y, &mut before)?;
        self.rhs(t + h, y, rate)?;
        rate.iter_mut().zip(&before).for_each(|(rate, before)| *rate = (*rate - before) / (2.0 * h));
        Ok(())
    }

    fn check_start(&mut self, t: f64, y: &[f64]) -> Result<(), Failure> {
        let start = Some((t, y.to_vec()));
        if self.checked != start {
            checks::ode(self, t, y)?;
            self.checked = start;
        }
        Ok(())
    }

    fn cause(&mut self, reported: Option<Failure>) -> Option<Failure> {
        self.calls.cause(reported)
    }
}

/// The equations in double-double arithmetic, which Python functions do not support.
struct DoubleOnly(usize);

fn double_only() -> Failure {
    let reason = "Python models support double precision only; set `precision: double` for the reference".to_owned();
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
