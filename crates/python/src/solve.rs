//! A single solve of a model.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use mbsbench_problem::{
    Events, Failure, Formulated, Observer, Ode, Probe, Settings, Solution as Solved, Statistics, Status, Step,
    StepControl, Task, for_each_counter,
};
use numpy::PyArrayMethods;
use pyo3::prelude::*;

use crate::arrays::{Array, Array2, vector};
use crate::failures::input_error;
use crate::model::{Model, chosen_method};

/// The solution of a model: states at times, and the cost.
#[pyclass(module = "mbsbench", frozen)]
pub struct Solution {
    times: Vec<f64>,
    states: Vec<f64>,
    multipliers: Vec<f64>,
    solved: Solved,
    method: String,
    warning: Option<String>,
}

#[pymethods]
impl Solution {
    /// Times, s: the requested ones, or the ends of all accepted steps.
    #[getter]
    fn t<'py>(&self, py: Python<'py>) -> Array<'py> {
        vector(py, &self.times)
    }

    /// States, one row for each time.
    #[getter]
    fn y<'py>(&self, py: Python<'py>) -> PyResult<Array2<'py>> {
        let columns = self.solved.state.len();
        vector(py, &self.states).reshape([self.times.len(), columns])
    }

    /// Multipliers of the constraints at the end; empty if the method has none.
    #[getter]
    fn multipliers<'py>(&self, py: Python<'py>) -> Array<'py> {
        vector(py, &self.multipliers)
    }

    /// Time of the last accepted state, s.
    #[getter]
    fn t_reached(&self) -> f64 {
        self.solved.t_reached
    }

    /// Status at the end: `ok`, `budget-exhausted`, `newton-diverged`, …
    #[getter]
    fn status(&self) -> String {
        Status::of(self.solved.failure.as_ref()).to_string()
    }

    /// Reason for an early end, or a warning; empty if there is neither.
    #[getter]
    fn message(&self) -> String {
        self.solved.failure.as_ref().map(ToString::to_string).or(self.warning.clone()).unwrap_or_default()
    }

    /// True if the solve reached its end.
    #[getter]
    fn success(&self) -> bool {
        self.solved.failure.is_none()
    }

    /// Counters of the cost: `steps_accepted`, `rhs_evaluations`, …
    #[getter]
    fn statistics(&self) -> BTreeMap<&'static str, u64> {
        let statistics = &self.solved.statistics;
        macro_rules! named {
            ($($(#[$about:meta])* $name:ident $what:literal;)*) => {
                BTreeMap::from([$((stringify!($name), statistics.$name)),*])
            };
        }
        for_each_counter!(named)
    }

    fn __repr__(&self) -> String {
        let Statistics { steps_accepted, rhs_evaluations, .. } = self.solved.statistics;
        format!(
            "<mbsbench.Solution by {}: {} at t = {}, {steps_accepted} steps, {rhs_evaluations} evaluations>",
            self.method,
            self.status(),
            self.solved.t_reached
        )
    }
}

/// Records states and handles interruptions by the user.
struct Recorder<'m> {
    /// The requested times that have not been reached, the last one first.
    asked: Option<Vec<f64>>,
    /// The sign of steps.
    sign: f64,
    probe: Option<Probe<'m>>,
    times: Vec<f64>,
    states: Vec<f64>,
    multipliers: Vec<f64>,
    state: Vec<f64>,
    looked: Instant,
    interrupt: Option<PyErr>,
}

impl Recorder<'_> {
    fn keep(&mut self, t: f64, y: &[f64]) {
        self.times.push(t);
        self.states.extend_from_slice(y);
    }

    /// Returns the next requested time, if the solve does not reach it after `t`.
    fn next_until(&mut self, t: f64) -> Option<f64> {
        self.asked.as_mut()?.pop_if(|asked| self.sign * (*asked - t) <= 0.0)
    }

    /// Lets Python handle signals from time to time; a handler may raise an exception.
    fn look(&mut self, t: f64) -> ControlFlow<Failure> {
        if self.looked.elapsed() < Duration::from_millis(100) {
            return ControlFlow::Continue(());
        }
        self.looked = Instant::now();
        match Python::attach(|py| py.check_signals()) {
            Ok(()) => ControlFlow::Continue(()),
            Err(raised) => {
                self.interrupt = Some(raised);
                ControlFlow::Break(Failure::Interrupted { time: t })
            }
        }
    }
}

impl Observer for Recorder<'_> {
    fn start(&mut self, t: f64, y: &[f64]) {
        if self.asked.is_none() {
            self.keep(t, y);
        }
        while self.next_until(t).is_some() {
            self.keep(t, y);
        }
    }

    fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
        self.multipliers.clear();
        self.multipliers.extend_from_slice(step.further.multipliers);
        if self.asked.is_none() {
            self.keep(step.t_end, step.end);
        }
        while let Some(t) = self.next_until(step.t_end) {
            if t == step.t_end {
                self.state.copy_from_slice(step.end);
            } else if let Err(failure) = step.within.state_at(t, &mut self.state) {
                return ControlFlow::Break(failure);
            }
            self.times.push(t);
            self.states.extend_from_slice(&self.state);
        }
        if let Some(probe) = &mut self.probe {
            probe.step(step)?;
        }
        self.look(step.t_end)
    }
}

/// The choice of steps, and the budgets.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Control {
    step: Option<f64>,
    tolerance: Option<(f64, f64)>,
    first_step: Option<f64>,
    max_step: Option<f64>,
    max_steps: Option<u64>,
    max_evaluations: Option<u64>,
    events: String,
    breaks: Vec<f64>,
}

impl Control {
    fn settings(&self) -> PyResult<Settings> {
        let mut settings = match (self.step, self.tolerance) {
            (Some(step), None) => Settings::fixed(step),
            (None, Some((rel, abs))) => Settings::tolerance(rel, abs),
            _ => return Err(input_error("give either `step` or `tolerance`")),
        };
        if let StepControl::Tolerance { initial_step, max_step, .. } = &mut settings.control {
            (*initial_step, *max_step) = (self.first_step, self.max_step);
        } else if self.first_step.is_some() || self.max_step.is_some() {
            let text = "`first_step` and `max_step` require `tolerance`; with `step`, all steps have this size";
            return Err(input_error(text));
        }
        settings.max_steps = self.max_steps.unwrap_or(settings.max_steps);
        settings.max_rhs_evaluations = self.max_evaluations.unwrap_or(settings.max_rhs_evaluations);
        settings.events = match self.events.as_str() {
            "located" => Events::Located,
            "ignored" => Events::Ignored,
            other => return Err(input_error(format!("`events` is `{other}`; accepted: `located` or `ignored`"))),
        };
        Ok(settings)
    }
}

/// Checks the start of a solve. If a function raises an exception there, the solve itself fails.
///
/// # Errors
/// Returns a description if the start, or the model at the start, is refused.
pub fn refuse_start(equations: &mut dyn Ode, t: f64, initial: &[f64]) -> Result<(), String> {
    if initial.len() != equations.dimension() {
        return Ok(());
    }
    match equations.check_start(t, initial) {
        Err(Failure::NotApplicable { reason }) => Err(reason),
        _ => Ok(()),
    }
}

/// Solves a model by a method over a span, from `start` or from the model's own initial state.
#[pyfunction]
#[pyo3(signature = (model, method, span, control, at=None, start=None))]
pub fn solve(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    method: &str,
    span: (f64, f64),
    control: Control,
    at: Option<Vec<f64>>,
    start: Option<Vec<f64>>,
) -> PyResult<Solution> {
    let choice = chosen_method(method)?;
    let settings = control.settings()?;
    let (sign, way) = if span.0 <= span.1 { (1.0, "increasing") } else { (-1.0, "decreasing") };
    if let Some(at) = &at {
        let inside = |t: &f64| sign * span.0 <= sign * t && sign * t <= sign * span.1;
        if !(at.is_sorted_by(|a, b| sign * a < sign * b) && at.iter().all(inside)) {
            return Err(input_error(format!("`at` must contain {way} times between {} and {}", span.0, span.1)));
        }
    }
    let behind = std::sync::Arc::clone(&model.get().model);
    py.detach(|| {
        let initial = start.unwrap_or_else(|| Formulated::<f64>::initial_state(&*behind));
        let method = choice.object.method();
        let make = || Formulated::<f64>::ode(&*behind);
        let mut equations = make();
        let probe = Probe::new(equations.as_mut(), make, ([span.0, span.1], &control.breaks), &settings);
        let mut recorder = Recorder {
            asked: at.map(|at| at.into_iter().rev().collect()),
            sign,
            probe,
            times: Vec::new(),
            states: Vec::new(),
            multipliers: Vec::new(),
            state: initial.clone(),
            looked: Instant::now(),
            interrupt: None,
        };
        let task = Task { t_start: span.0, t_end: span.1, initial: &initial, settings };
        refuse_start(equations.as_mut(), task.t_start, task.initial).map_err(input_error)?;
        let solved = task.solve_with_breaks(&control.breaks, &*method, equations.as_mut(), &mut recorder);
        let Recorder { times, states, multipliers, interrupt, probe, .. } = recorder;
        let warning = probe.and_then(Probe::warning);
        match interrupt {
            Some(raised) => Err(raised),
            // Python also handles signals inside `step`, and raised the exception there.
            None if matches!(solved.failure, Some(Failure::Interrupted { .. })) => {
                Err(pyo3::exceptions::PyKeyboardInterrupt::new_err(()))
            }
            None => Ok(Solution { times, states, multipliers, solved, method: choice.label(), warning }),
        }
    })
}
