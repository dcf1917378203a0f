//! Solves a model with a constant step and records its observables, for all integration tests of this crate.
#![allow(dead_code)] // each test file uses its own part

pub mod bounces;
pub mod lagrange;
pub mod solving;
pub mod squeezer;
pub mod swing;

use std::ops::ControlFlow;

use mbsbench_models::{Pendulum, RollingSpheres};
use mbsbench_problem::sliding_mode::{EquivalentControl, Metric, PositionCorrection};
use mbsbench_problem::{
    Clock, Counted, Failure, Formulated, Formulation, Method, MethodDefinition, Model, ModelDefinition, Observer,
    Settings, SlidingModeSettings, Step, Task,
};

/// Steps of a run, and the observables at their ends.
#[derive(Debug, Default)]
pub struct Record {
    /// Names of the observables, in the order of `rows`.
    pub names: Vec<String>,
    /// Times of the initial state and of the end of each step, s.
    pub times: Vec<f64>,
    /// Observables at these times.
    pub rows: Vec<Vec<f64>>,
    /// States at these times.
    pub states: Vec<Vec<f64>>,
    /// Observables before the corrections at the end of each step.
    pub uncorrected: Vec<Vec<f64>>,
    /// Largest change that the post-stabilisation made to any component of the state.
    pub adjustment: f64,
    /// Times and numbers of the events.
    pub events: Vec<(f64, usize)>,
}

impl Record {
    /// Values of an observable over the run.
    pub fn column(&self, name: &str) -> impl Iterator<Item = f64> {
        let index = self.names.iter().position(|n| n == name).unwrap_or_else(|| panic!("no observable {name}"));
        self.rows.iter().map(move |row| row[index])
    }

    /// Largest minus smallest value of an observable.
    pub fn variation(&self, name: &str) -> f64 {
        let (low, high) =
            self.column(name).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        high - low
    }

    /// Largest magnitude of an observable.
    pub fn largest(&self, name: &str) -> f64 {
        self.column(name).fold(0.0, |largest: f64, x| largest.max(x.abs()))
    }

    /// Value of an observable at the end of the step that ends at `t`, up to roundoff of the clock.
    pub fn at(&self, name: &str, t: f64) -> f64 {
        self.column(name).nth(self.index_at(t)).expect("as many rows as times")
    }

    /// Value of an observable before the corrections at the end of the step.
    pub fn before(&self, name: &str, t: f64) -> f64 {
        let index = self.names.iter().position(|n| n == name).unwrap_or_else(|| panic!("no observable {name}"));
        self.uncorrected[self.index_at(t)][index]
    }

    fn index_at(&self, t: f64) -> usize {
        self.times.iter().position(|&end| (end - t).abs() < 1e-9).unwrap_or_else(|| panic!("no step ends at {t}"))
    }
}

struct Watch<'r> {
    record: &'r mut Record,
    observation: Box<dyn mbsbench_problem::Observation + 'r>,
}

impl Watch<'_> {
    fn observe(&mut self, t: f64, y: &[f64]) -> Vec<f64> {
        let mut values = vec![f64::NAN; self.record.names.len()];
        self.observation.observe(t, y, &mut values);
        assert!(values.iter().all(|x| x.is_finite()), "an observable was not written, or is not finite");
        values
    }

    fn see(&mut self, t: f64, y: &[f64], uncorrected: &[f64]) {
        let (values, before) = (self.observe(t, y), self.observe(t, uncorrected));
        self.record.times.push(t);
        self.record.rows.push(values);
        self.record.uncorrected.push(before);
        self.record.states.push(y.to_vec());
    }
}

impl Observer for Watch<'_> {
    fn start(&mut self, t: f64, y: &[f64]) {
        self.see(t, y, y);
    }
    fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
        for (end, before) in step.end.iter().zip(step.before_projection()) {
            self.record.adjustment = self.record.adjustment.max((end - before).abs());
        }
        self.record.events.extend(step.further.events.iter().map(|&index| (step.t_end, index)));
        self.see(step.t_end, step.end, step.before_projection());
        ControlFlow::Continue(())
    }
}

/// Solves `model` from zero to `t_end` with constant steps and the dissertation's accumulating clock.
pub fn run(model: &dyn Model, method: &dyn Method, step: f64, t_end: f64) -> Record {
    solved(model, method, [0.0, t_end], Settings { clock: Clock::Accumulating, ..Settings::fixed(step) })
}

/// Solves `model` over a span.
fn solved(model: &dyn Model, method: &dyn Method, [t_start, t_end]: [f64; 2], settings: Settings) -> Record {
    let mut record = Record { names: model.observables().into_iter().map(|o| o.name).collect(), ..Record::default() };
    let initial: Vec<f64> = Formulated::<f64>::initial_state(model);
    let mut ode = Formulated::<f64>::ode(model);
    assert_eq!((initial.len(), model.classes().len()), (ode.dimension(), ode.dimension()));
    let task = Task { t_start, t_end, initial: &initial, settings };
    let mut watch = Watch { record: &mut record, observation: model.observation() };
    let solution = method.solve(Counted::new(&mut *ode), &task, &mut watch);
    assert_eq!(solution.failure, None);
    drop(watch);
    record
}

/// Solves a named model with a named method.
pub fn run_with<D: MethodDefinition>(model: &impl ModelDefinition, step: f64, t_end: f64) -> Record {
    model.check().expect("parameters in range");
    run(&*model.model(), &*D::default().method(), step, t_end)
}

/// Solves a named model with a method over a span with constant steps, which must divide the span.
pub fn run_from(model: &impl ModelDefinition, method: &impl MethodDefinition, span: [f64; 2], step: f64) -> Record {
    model.check().expect("parameters in range");
    solved(&*model.model(), &*method.method(), span, Settings::fixed(step))
}

/// Sliding-mode settings, changed from the default.
pub fn sliding(change: impl FnOnce(&mut SlidingModeSettings)) -> Formulation {
    let mut settings = SlidingModeSettings::default();
    change(&mut settings);
    Formulation::SlidingMode(settings)
}

/// The published pendulum in a formulation.
pub fn pendulum(formulation: Formulation) -> Pendulum {
    Pendulum { formulation, ..Pendulum::default() }
}

/// The published spheres, from consistent initial values, in a formulation.
pub fn spheres(formulation: Formulation) -> RollingSpheres {
    RollingSpheres { formulation, ..RollingSpheres::default() }
}

/// Post-stabilisation in the mass metric.
pub fn mass_metric(settings: &mut SlidingModeSettings) {
    settings.metric = Metric::Mass;
}

/// No post-stabilisation.
pub fn unprojected(settings: &mut SlidingModeSettings) {
    settings.post_stabilization_passes = 0;
}

/// Only Φ corrects positions.
pub fn holonomic_only(settings: &mut SlidingModeSettings) {
    settings.position_correction = PositionCorrection::Holonomic;
}

/// The faulty hybrid of compere2001, figure 3.8.
pub fn frozen(settings: &mut SlidingModeSettings) {
    settings.equivalent_control = EquivalentControl::Frozen;
    settings.acceleration_stabilization = false;
}

/// Asserts that `found` rounds to the three significant digits of `expected`, which were computed with
/// another implementation of the same formulas.
#[track_caller]
pub fn assert_digits(found: f64, expected: f64, what: &str) {
    let unit = 10f64.powf(expected.abs().log10().floor() - 2.0);
    // half a unit for the rounding of the expected value, plus a little for the comparison
    assert!((found - expected).abs() <= 0.51 * unit, "{what}: {found:e}, expected {expected:e}");
}
