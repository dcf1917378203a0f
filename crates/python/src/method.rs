//! A method written as a Python class: its `step` makes a step, and the loop of `integrators` does everything else.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use mbsbench_experiment::registry::AnyMethod;
use mbsbench_integrators::control::ControllerSettings;
use mbsbench_integrators::hermite::hermite;
use mbsbench_integrators::{Stepper, drive, low_order};
use mbsbench_problem::{
    AsOde, Counted, DoubleDouble, Failure, Method, MethodProperties, Observer, Ode, OdeModel, Scalar, Settings,
    Solution, Task, Unsuitable,
};
use nalgebra::{Complex, DMatrix};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrays::{frozen, take};
use crate::failures::of_exception;
use crate::session::{Known, Problem, Session};
use crate::stepping::Stepping;

/// The attributes of a class.
#[derive(Debug, Clone)]
pub struct PythonMethod {
    class: Arc<Py<PyAny>>,
    order: u32,
    /// The power of the step with which the error estimate decreases; `None` without an estimate.
    error_order: Option<u32>,
    /// The largest number of evaluations in a step, if the class declares it.
    evaluations: u64,
    /// True if a step depends on earlier steps.
    remembers: bool,
    /// True if the method requires a mechanical system.
    needs_mechanics: bool,
    has_multipliers: bool,
    is_pi: bool,
}

impl PythonMethod {
    /// Reads the attributes of a class.
    pub fn of(class: &Bound<'_, PyAny>) -> PyResult<Self> {
        let step = class.getattr("step").map_err(|_| {
            PyTypeError::new_err("the class has no `step`; accepted: a function `step(self, problem, t, y, h)`")
        })?;
        if !step.is_callable() {
            return Err(PyTypeError::new_err("`step` is not a function"));
        }
        let optional = |name: &str| class.getattr_opt(name).map(|found| found.filter(|found| !found.is_none()));
        let order: u32 = class
            .getattr_opt("order")?
            .ok_or_else(|| PyTypeError::new_err("the class has no `order`; accepted: a whole number, 1 or greater"))?
            .extract()
            .map_err(|_| PyValueError::new_err("`order` is not a number; accepted: a whole number, 1 or greater"))?;
        if order == 0 {
            return Err(PyValueError::new_err("`order` is 0; accepted: a whole number, 1 or greater"));
        }
        let flag = |name: &str| optional(name)?.map_or(Ok(false), |found| found.extract());
        // True for the second of two words; false for the first and if the attribute is missing.
        let second = |name: &str, [first, second]: [&str; 2]| -> PyResult<bool> {
            let found: Option<String> = optional(name)?.map(|found| found.extract()).transpose()?;
            match found {
                Some(other) if other != first && other != second => {
                    Err(PyValueError::new_err(format!("`{name}` is {other:?}; accepted: {first:?}, {second:?}")))
                }
                found => Ok(found.is_some_and(|found| found == second)),
            }
        };
        Ok(Self {
            class: Arc::new(class.clone().unbind()),
            order,
            error_order: optional("error_order")?.map(|found| found.extract()).transpose()?,
            evaluations: optional("evaluations")?.map_or(Ok(0), |found| found.extract())?,
            remembers: flag("remembers")?,
            needs_mechanics: second("needs", ["rhs", "mechanics"])?,
            has_multipliers: flag("has_multipliers")?,
            is_pi: second("controller", ["elementary", "pi"])?,
        })
    }

    fn stepper(&self, dimension: usize, settings: Settings, multipliers: usize) -> Result<PythonStepper, Failure> {
        let instance = Python::attach(|py| {
            self.class.call0(py).map(Arc::new).map_err(|error| of_exception(py, &error, f64::NAN))
        })?;
        Ok(PythonStepper {
            method: self.clone(),
            instance,
            settings,
            known: Known::new(dimension),
            start_derivative: vec![0.0; dimension],
            errors: vec![0.0; if self.error_order.is_some() { dimension } else { 0 }],
            multipliers: vec![0.0; multipliers],
            last: Arc::new(Mutex::new(vec![0.0; dimension])),
            is_shadow: false,
            time: f64::NAN,
            raised: Arc::default(),
        })
    }
}

impl AnyMethod for PythonMethod {
    fn method(&self) -> Box<dyn Method> {
        Box::new(self.clone())
    }

    fn precise(&self) -> Option<Box<dyn Method<DoubleDouble>>> {
        None
    }
}

impl Method for PythonMethod {
    fn order(&self) -> u32 {
        self.order
    }

    fn properties(&self) -> MethodProperties {
        MethodProperties { adapts: self.error_order.is_some(), ..MethodProperties::default() }
    }

    fn suits(&self, problem: &mut dyn Ode) -> Result<(), Unsuitable> {
        if self.needs_mechanics {
            return low_order::suits(problem);
        }
        if self.remembers {
            let equations = "equations that do not change from step to step, because it uses earlier steps";
            Unsuitable::unless_lasting(problem, equations)?;
        }
        Unsuitable::with_mass(problem)?;
        Unsuitable::without_rhs(problem)
    }

    /// Returns the matrix of one step of `x' = ωh v, v' = −ωh x` over unit time, column by column. `None` if the method
    /// requires a mechanical system, remembers steps, or is not linear.
    fn amplification(&self, omega_h: f64) -> Option<DMatrix<Complex<f64>>> {
        if self.needs_mechanics || self.remembers {
            return None;
        }
        let oscillator = Oscillator(omega_h);
        let image = |x: f64, v: f64| {
            let mut stepper = self.stepper(2, Settings::fixed(1.0), 0).ok()?;
            let mut end = [0.0; 2];
            stepper.step(&mut Counted::new(&mut AsOde(&oscillator)), 0.0, 1.0, &[x, v], &mut end).ok()?;
            Some(end)
        };
        let ([a, c], [b, d], [p, q]) = (image(1.0, 0.0)?, image(0.0, 1.0)?, image(1.0, 2.0)?);
        let size = a.abs().max(b.abs()).max(c.abs()).max(d.abs());
        let differs = |found: f64, one: f64, other: f64| (found - one - 2.0 * other).abs() > 1e-12 * (1.0 + size);
        if differs(p, a, b) || differs(q, c, d) {
            return None;
        }
        Some(DMatrix::from_row_slice(2, 2, &[a, b, c, d].map(|entry| Complex::new(entry, 0.0))))
    }

    fn details(&self) -> Vec<String> {
        vec!["written in Python".to_owned()]
    }

    fn solve(&self, problem: Counted<'_>, task: &Task<'_>, observer: &mut dyn Observer) -> Solution {
        let mut raised = Arc::default();
        let control = if self.is_pi { ControllerSettings::dopri5() } else { ControllerSettings::elementary() };
        let solution = drive::solve(self, problem, task, observer, control, |problem| {
            let multipliers = match self.has_multipliers {
                true => problem.mechanics().map_or(0, |mechanics| mechanics.dimensions().constraints()),
                false => 0,
            };
            let stepper = self.stepper(problem.dimension(), task.settings, multipliers)?;
            raised = Arc::clone(&stepper.raised);
            Ok(stepper)
        });
        Solution { failure: raised.get().cloned().or(solution.failure), ..solution }
    }
}

/// The oscillator `x' = ω v, v' = −ω x`.
struct Oscillator(f64);

impl OdeModel for Oscillator {
    fn dimension(&self) -> usize {
        2
    }

    fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
        dydt.copy_from_slice(&[y[1] * self.0, -(y[0] * self.0)]);
    }
}

/// Makes steps with an instance of the class.
struct PythonStepper {
    method: PythonMethod,
    instance: Arc<Py<PyAny>>,
    settings: Settings,
    known: Known,
    start_derivative: Vec<f64>,
    /// The estimated errors of the last step.
    errors: Vec<f64>,
    multipliers: Vec<f64>,
    /// The end of the last step, shared with the observer's stepper.
    last: Arc<Mutex<Vec<f64>>>,
    is_shadow: bool,
    /// The start of the last step, s.
    time: f64,
    /// The first exception of the class in a solve. It is kept here because not every caller can return an error.
    raised: Arc<OnceLock<Failure>>,
}

/// Clones the stepper for the observer, with an instance of its own, so that the observer's steps do not affect the
/// original.
impl Clone for PythonStepper {
    fn clone(&self) -> Self {
        let instance = Python::attach(|py| {
            let made = self.method.class.call0(py).map(Arc::new);
            made.inspect_err(|error| _ = self.raised.set(of_exception(py, error, self.time)))
        });
        Self {
            method: self.method.clone(),
            instance: instance.unwrap_or_else(|_| Arc::clone(&self.instance)),
            time: self.time,
            raised: self.raised.clone(),
            settings: self.settings,
            known: Known::new(self.start_derivative.len()),
            start_derivative: self.start_derivative.clone(),
            errors: self.errors.clone(),
            multipliers: self.multipliers.clone(),
            last: Arc::clone(&self.last),
            is_shadow: true,
        }
    }
}

impl PythonStepper {
    /// Calls `step` and stores its result.
    fn call(&mut self, py: Python<'_>, t: f64, h: f64, start: &[f64], end: &mut [f64]) -> PyResult<()> {
        let arguments = (Problem, t, frozen(py, start), h);
        let found = self.instance.bind(py).call_method1("step", arguments)?;
        let (state, error) = match found.cast::<PyTuple>() {
            Ok(pair) if pair.len() == 2 => (pair.get_item(0)?, Some(pair.get_item(1)?)),
            Ok(tuple) => {
                let text = format!("`step` returned {} values; accepted: y_new, or (y_new, error)", tuple.len());
                return Err(PyValueError::new_err(text));
            }
            Err(_) => (found, None),
        };
        take(&state, "`step`", end)?;
        match (error, self.errors.is_empty()) {
            (Some(error), false) => take(&error, "the estimate of `step`", &mut self.errors)?,
            (None, true) => {}
            (Some(_), true) => {
                let text = "`step` returned a pair (y_new, error), but the class has no `error_order`; return y_new \
                            alone, or set `error_order` to the power of the step with which the estimate decreases";
                return Err(PyValueError::new_err(text));
            }
            (None, false) => {
                let text = "the class has an `error_order`, but `step` returned no estimate; accepted: (y_new, error)";
                return Err(PyValueError::new_err(text));
            }
        }
        if !self.multipliers.is_empty() {
            take(&self.instance.bind(py).getattr("multipliers")?, "`multipliers`", &mut self.multipliers)?;
        }
        Ok(())
    }

    /// Calls an optional function of the instance.
    fn tell(&self, name: &str) {
        if self.method.remembers {
            Python::attach(|py| {
                let function = self.instance.bind(py).getattr_opt(name);
                if let Err(error) = function.and_then(|found| found.map_or(Ok(()), |found| found.call0().map(drop))) {
                    _ = self.raised.set(of_exception(py, &error, self.time));
                }
            });
        }
    }
}

impl Stepper<f64> for PythonStepper {
    fn step(&mut self, ode: &mut Counted<'_>, t: f64, h: f64, start: &[f64], end: &mut [f64]) -> Result<(), Failure> {
        self.raised.get().cloned().map_or(Ok(()), Err)?;
        self.time = t;
        let (settings, mut known) = (self.settings, std::mem::take(&mut self.known));
        known.begin(t, start);
        if ode.functions_to_locate() > 0 && known.at(t, start).is_none() {
            ode.rhs(t, start, &mut self.start_derivative)?;
            known.keep(t, start, &self.start_derivative);
        }
        let _stepping = Stepping::begin();
        let (made, failure) = Session::new(ode, &settings, &mut known).during(|| {
            Python::attach(|py| self.call(py, t, h, start, end).map_err(|error| of_exception(py, &error, t)))
        });
        if let Some(derivative) = known.at(t, start) {
            self.start_derivative.copy_from_slice(derivative);
        }
        self.known = known;
        if let Err(raised) = made {
            let is_of_problem = matches!(&raised, Failure::SolverFailed { flag, .. } if flag == "ProblemError");
            let raised = failure.filter(|_| is_of_problem).unwrap_or(raised);
            if matches!(raised, Failure::SolverFailed { .. }) {
                _ = self.raised.set(raised.clone());
            }
            return Err(raised);
        }
        if !self.is_shadow && self.method.remembers {
            self.last.lock().unwrap_or_else(PoisonError::into_inner).copy_from_slice(end);
        }
        Ok(())
    }

    fn state_within(
        &mut self,
        problem: &mut Counted<'_>,
        (t, h): (f64, f64),
        start: &[f64],
        t_within: f64,
        y: &mut [f64],
    ) -> Result<(), Failure> {
        if !self.method.remembers {
            self.restart();
            return self.step(problem, t, t_within - t, start, y);
        }
        // A step of another length is not one that the method would have made.
        let end = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut rates = [vec![0.0; start.len()], vec![0.0; start.len()]];
        problem.rhs(t, start, &mut rates[0])?;
        problem.rhs(t + h, &end, &mut rates[1])?;
        for (i, y) in y.iter_mut().enumerate() {
            *y = hermite((t_within - t) / h, (start[i], h * rates[0][i]), (end[i], h * rates[1][i]));
        }
        Ok(())
    }

    fn error(&mut self, _h: f64, start: &[f64], end: &[f64], rel: f64, abs: f64) -> Option<f64> {
        if self.errors.is_empty() {
            return None;
        }
        let scale = |i: usize| abs + rel * start[i].abs().max(end[i].abs());
        let squares: f64 = self.errors.iter().enumerate().map(|(i, error)| (error / scale(i)).powi(2)).sum();
        Some((squares / start.len() as f64).sqrt())
    }

    fn error_estimate(&self) -> &[f64] {
        &self.errors
    }

    fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    fn error_order(&self) -> Option<u32> {
        self.method.error_order
    }

    fn accepted(&mut self, same_end: bool) {
        if !same_end {
            self.known.forget();
        }
        self.tell("accepted");
    }

    fn restart(&mut self) {
        self.known.forget();
        self.tell("restart");
    }

    fn start_derivative(&self) -> &[f64] {
        &self.start_derivative
    }

    fn evaluate_start(&mut self, problem: &mut Counted<'_>, t: f64, start: &[f64]) -> Result<(), Failure> {
        problem.rhs(t, start, &mut self.start_derivative)?;
        self.known.begin(t, start);
        self.known.keep(t, start, &self.start_derivative);
        Ok(())
    }

    fn evaluations(&self) -> u64 {
        self.method.evaluations
    }
}
