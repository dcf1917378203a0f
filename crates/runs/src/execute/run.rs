//! A single run: solve, measure, record.

use std::ops::ControlFlow;

use mbsbench_experiment::{Recording, Rule, RunSpec};
use mbsbench_measures::stepwise::{drawable, properties};
use mbsbench_measures::{Ending, Measure, MeasureContext, Observed, ReferenceTrajectory};
use mbsbench_numbers::Decimator;
use mbsbench_problem::{
    Failure, Findings, Formulated, Method, Model, Observation, Observer, Ode, Probe, Statistics, Status, Step,
    StepControl, Task,
};
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::scrutiny::Scrutiny;
use crate::stop::Stop;

/// The stored result of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The status at the end.
    pub status: Status,
    /// The description of the failure, or a warning about a run that reached its end.
    pub message: Option<String>,
    /// The time reached, s.
    #[serde(with = "exact")]
    pub t_reached: f64,
    /// The columns that the measures fill.
    pub columns: Vec<String>,
    /// The values of the columns.
    #[serde(with = "exact_options")]
    pub values: Vec<Option<f64>>,
    /// The findings of the watches over the run; `None` if its method did not begin to step.
    #[serde(default)]
    pub findings: Option<Findings>,
    /// Thinned trajectories, if a plot needs them.
    pub trajectory: Option<Trajectory>,
}

/// Observables over time, thinned to the resolution of a figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trajectory {
    /// The names of the observables.
    pub observables: Vec<String>,
    /// The units of the observables.
    pub units: Vec<String>,
    /// The times, s.
    pub times: Vec<f64>,
    /// One column for each observable; values may be infinite or NaN.
    #[serde(with = "exact_columns")]
    pub columns: Vec<Vec<f64>>,
}

impl Record {
    /// Returns the record of a run that ended normally or by a failure of its own, without trajectories.
    fn of(run: &RunSpec, failure: Option<&Failure>, t_reached: f64, values: Vec<Option<f64>>) -> Self {
        let (status, message) = (Status::of(failure), failure.map(ToString::to_string));
        Self { status, message, t_reached, columns: run.columns(), values, findings: None, trajectory: None }
    }

    /// Returns the record of a run ended by the program or the machine, for the reason `said`. The time it reached is
    /// unknown.
    pub fn lost(status: Status, said: String) -> Self {
        let (message, columns, values) = (Some(said), Vec::new(), Vec::new());
        Self { status, message, t_reached: f64::NAN, columns, values, findings: None, trajectory: None }
    }

    /// Returns the value in a column; `None` if the run does not fill it.
    pub fn value(&self, column: &str) -> Option<f64> {
        self.values[self.columns.iter().position(|name| name == column)?]
    }
}

/// Solves a run and measures it, against its reference if a measure needs one. Does not panic if the run diverges:
/// failures are in the record.
pub fn execute(run: &RunSpec, reference: Option<&ReferenceTrajectory>) -> Record {
    let (model, method) = (run.model.object.model(), run.method.object.method());
    let (model, method): (&dyn Model, &dyn Method) = (model.as_ref(), method.as_ref());
    let (observables, classes): (Vec<String>, Vec<_>) =
        model.observables().into_iter().map(|observable| (observable.name, observable.class)).unzip();
    let step = match run.settings.control {
        StepControl::Fixed { step } => Some(step),
        StepControl::Tolerance { .. } => None,
    };
    let context =
        MeasureContext { observables: &observables, classes: &classes, span: run.span, method, step, reference };
    if is_of_method(run) {
        return analyse(run, &context);
    }
    let initial = Formulated::<f64>::initial_state(model);
    let drawable = drawable(model);
    let recording = &run.recording;
    let places: Vec<usize> =
        recording.trajectories.iter().filter_map(|name| drawable.iter().position(|o| o.name == *name)).collect();
    let place_of = |rule: &Rule| observables.iter().position(|name| *name == rule.observable);
    let count = places.len();
    let mut ode = Formulated::<f64>::ode(model);
    let make = move || Formulated::<f64>::ode(model);
    let problem = (run.span, &*initial, model.classes());
    // The times at which matrices are looked at depend on the run alone.
    let seed = u64::from_str_radix(&run.key().to_string()[..8], 16).unwrap_or_default();
    let scrutiny = Scrutiny::new(ode.as_mut(), make, problem, (&run.settings, method.properties()), seed);
    let mut watch = Watch {
        observation: model.observation(),
        inside: model.observation(),
        measures: run.measures.iter().map(|measure| measure.object.start(&context)).collect(),
        rules: run.rules.iter().filter_map(|rule| Some((place_of(rule)?, rule))).collect(),
        before: vec![0.0; observables.len()],
        after: vec![0.0; observables.len()],
        state: initial.clone(),
        recorder: (count > 0).then(|| Recorder {
            places,
            row: vec![0.0; count],
            decimator: decimator(recording, count),
            sign: (run.span[1] - run.span[0]).signum(),
            every: recording.every,
            inner: vec![0.0; observables.len()],
            size_before: None,
        }),
        contacts: (!gaps(model.observation().as_mut(), &initial).is_empty()).then(|| Formulated::<f64>::ode(model)),
        passed: None,
        probe: Probe::new(ode.as_mut(), make, (run.span, &run.breaks), &run.settings),
        scrutiny,
        balance: ["energy", "power"].map(|name| observables.iter().position(|known| known == name)),
        inner: vec![0.0; observables.len()],
        stop: Stop::of_run(),
    };
    let functions = ode.form().events().map_or(0, |functions| {
        // If the event functions cannot be prepared, the solve reports the failure.
        let prepared = functions.prepare(run.span[0], &initial, 0.0);
        prepared.map_or(0, |()| (0..functions.count()).filter(|&index| functions.is_watched(index)).count())
    });
    let task = Task { t_start: run.span[0], t_end: run.span[1], initial: &initial, settings: run.settings };
    let solution = task.solve_with_breaks(&run.breaks, method, ode.as_mut(), &mut watch);

    let ending = Ending {
        t_reached: solution.t_reached,
        statistics: &solution.statistics,
        observables: &watch.after,
        failure: solution.failure.as_ref(),
        states: initial.len(),
        functions,
    };
    let values = watch.measures.into_iter().flat_map(|measure| measure.finish(&ending)).collect();
    let trajectory = watch.recorder.map(|Recorder { places, decimator, sign, .. }| {
        let (mut times, mut columns) = decimator.finish();
        if sign < 0.0 {
            times.iter_mut().for_each(|t| *t = -*t);
            std::iter::once(&mut times).chain(&mut columns).for_each(|column| column.reverse());
        }
        Trajectory {
            observables: places.iter().map(|&place| drawable[place].name.clone()).collect(),
            units: places.iter().map(|&place| drawable[place].unit.to_owned()).collect(),
            times,
            columns,
        }
    });
    let record = Record::of(run, solution.failure.as_ref(), solution.t_reached, values);
    let message = record.message.or(watch.passed).or(watch.probe.and_then(Probe::warning));
    let warning = message.as_deref().filter(|_| record.status == Status::Ok);
    let findings = record.status.is_of_a_run().then(|| watch.scrutiny.finish(warning));
    Record { message, findings, trajectory, ..record }
}

/// Returns a decimator that keeps as much of a trajectory as is drawn, for the given number of columns.
pub(crate) fn decimator(recording: &Recording, columns: usize) -> Decimator {
    let decimator = if recording.orbits { Decimator::of_orbit(columns) } else { Decimator::new(columns) };
    decimator.looking_at(&recording.windows).on_logarithmic_axes(recording.logarithmic)
}

/// True if all measures depend on the method alone, so that nothing is solved.
pub(super) fn is_of_method(run: &RunSpec) -> bool {
    !run.measures.is_empty()
        && run.recording.trajectories.is_empty()
        && run.measures.iter().all(|measure| measure.object.is_of_method())
}

/// Returns the record of a run that needs no solve.
fn analyse(run: &RunSpec, context: &MeasureContext<'_>) -> Record {
    let (t_reached, statistics) = (run.span[0], &Statistics::default());
    let ending = Ending { t_reached, statistics, observables: &[], failure: None, states: 0, functions: 0 };
    let measured = run.measures.iter().map(|measure| measure.object.start(context).finish(&ending));
    let values: Vec<Option<f64>> = measured.flatten().collect();
    let reason = || "the method does not provide its formula for an oscillator, or its step is not constant".to_owned();
    let failure = values.iter().all(Option::is_none).then(|| Failure::NotApplicable { reason: reason() });
    Record::of(run, failure.as_ref(), run.span[0], values)
}

/// The observer that computes observables from states and passes them to measures and recorder.
struct Watch<'m> {
    observation: Box<dyn Observation + 'm>,
    inside: Box<dyn Observation + 'm>,
    measures: Vec<Box<dyn Measure>>,
    rules: Vec<(usize, &'m Rule)>,
    before: Vec<f64>,
    after: Vec<f64>,
    state: Vec<f64>,
    recorder: Option<Recorder>,
    /// The equations, if bodies may touch.
    contacts: Option<Box<dyn Ode + 'm>>,
    /// A warning about bodies that have passed through each other.
    passed: Option<String>,
    probe: Option<Probe<'m>>,
    scrutiny: Scrutiny<'m>,
    /// Indices of the energy and its power among the observables.
    balance: [Option<usize>; 2],
    /// Observables of a state that the scrutiny asks for.
    inner: Vec<f64>,
    stop: Stop,
}

/// Returns the gaps between bodies at a state, m.
fn gaps(observation: &mut dyn Observation, state: &[f64]) -> Vec<f64> {
    let mut gaps = Vec::new();
    observation.gaps(state, &mut gaps);
    gaps
}

impl Watch<'_> {
    /// Looks at steps in which a contact begins, ends or is in reach, and warns of bodies that are apart at both ends
    /// of a step and overlap where the motion inside it leads.
    fn watch_contacts(&mut self, step: &mut Step<'_>) {
        let Some(ode) = &mut self.contacts else { return };
        let [start, end] = [step.start, step.end].map(|state| gaps(self.inside.as_mut(), state));
        let mut t = step.t_start + ode.step_limit(step.t_start, step.start);
        if t < step.t_end || start.iter().zip(&end).any(|(start, end)| (*start < 0.0) != (*end < 0.0)) {
            self.scrutiny.crossing(step, 1);
        }
        for _ in 0..3 {
            if t.is_nan() || t >= step.t_end || step.within.state_at(t, &mut self.state).is_err() {
                return;
            }
            let mut inside = gaps(self.inside.as_mut(), &self.state).into_iter().zip(start.iter().zip(&end));
            if inside.any(|(gap, (&start, &end))| gap < 0.0 && start > 0.0 && end > 0.0) {
                self.passed = Some(format!("bodies pass through each other near t = {t} s, within a step"));
                self.contacts = None;
                return;
            }
            t += ode.step_limit(t, &self.state);
        }
    }
}

/// Records the observables to be drawn.
struct Recorder {
    /// Indices into the model's observables followed by the properties of steps.
    places: Vec<usize>,
    row: Vec<f64>,
    decimator: Decimator,
    /// The sign of times in the decimator, where they increase.
    sign: f64,
    /// The largest distance of recorded states, s.
    every: Option<f64>,
    /// The observables inside a step.
    inner: Vec<f64>,
    /// The size of the previous step, s.
    size_before: Option<f64>,
}

impl Recorder {
    /// Records the observables of a state and the properties of its step.
    fn record(&mut self, t: f64, values: &[f64], properties: &[f64]) {
        for (cell, &place) in self.row.iter_mut().zip(&self.places) {
            *cell = values.get(place).copied().unwrap_or_else(|| properties[place - values.len()]);
        }
        self.decimator.push(self.sign * t, &self.row);
    }

    /// Records states inside a step that is longer than the largest distance.
    fn record_inside(&mut self, step: &mut Step<'_>, observation: &mut dyn Observation, state: &mut [f64]) {
        let Some(every) = self.every else { return };
        let length = step.t_end - step.t_start;
        let parts = (length.abs() / every).ceil();
        let mut inner = std::mem::take(&mut self.inner);
        let mut part = 1.0;
        while part < parts {
            let t = step.t_start + length * part / parts;
            // A state that cannot be computed leaves a gap in the recording.
            if step.within.state_at(t, state).is_ok() {
                observation.observe(t, state, &mut inner);
                self.record(t, &inner, &properties(step, part / parts, self.size_before));
            }
            part += 1.0;
        }
        self.inner = inner;
    }
}

impl Observer for Watch<'_> {
    fn watches_newton_matrices(&self) -> bool {
        self.measures.iter().any(|measure| measure.watches_newton_matrices())
    }

    fn newton_matrix(&mut self, _t: f64, matrix: &DMatrix<f64>) {
        for measure in &mut self.measures {
            measure.newton_matrix(matrix, None);
        }
    }

    fn wrong_newton_matrix(&mut self, _t: f64, matrix: &DMatrix<f64>, exact: &DMatrix<f64>) {
        for measure in &mut self.measures {
            measure.newton_matrix(matrix, Some(exact));
        }
    }

    fn start(&mut self, t: f64, y: &[f64]) {
        self.observation.observe(t, y, &mut self.after);
        for measure in &mut self.measures {
            measure.begin(t, &self.after);
        }
        let [energy, power] = self.balance.map(|of| of.map(|index| self.after[index]));
        self.scrutiny.start(energy, power);
    }

    fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
        std::mem::swap(&mut self.before, &mut self.after);
        self.observation.observe(step.t_end, step.end, &mut self.after);
        if !step.further.multipliers.is_empty() {
            self.observation.observe_multipliers(step.further.multipliers, &mut self.after);
        }
        let mut inside = |t: f64, values: &mut [f64]| {
            step.within.state_at(t, &mut self.state)?;
            self.inside.observe(t, &self.state, values);
            Ok(())
        };
        let mut observed = Observed {
            t_start: step.t_start,
            t_end: step.t_end,
            start: &self.before,
            end: &self.after,
            state: step.end,
            further: step.further,
            within: &mut inside,
        };
        for measure in &mut self.measures {
            measure.step(&mut observed);
        }
        if let Some(recorder) = &mut self.recorder {
            // The properties of the first step become known at its end, but their curves begin at its start.
            if step.index == 1 {
                recorder.record(step.t_start, &self.before, &properties(step, 0.0, None));
            }
            recorder.record_inside(step, self.inside.as_mut(), &mut self.state);
            recorder.record(step.t_end, &self.after, &properties(step, 1.0, recorder.size_before));
            recorder.size_before = Some(step.t_end - step.t_start);
        }
        if let Some(failure) = self.observation.failure().or_else(|| self.inside.failure()) {
            return ControlFlow::Break(failure);
        }
        self.watch_contacts(step);
        if let Some(probe) = &mut self.probe {
            probe.step(step)?;
        }
        let balance = self.balance.map(|of| of.map(|index| self.after[index]));
        self.scrutiny.step(step, balance, &mut |t, y| {
            self.inside.observe(t, y, &mut self.inner);
            self.balance[0].map_or(f64::NAN, |index| self.inner[index])
        });
        match self.rules.iter().find(|(index, rule)| rule.is_broken_by(self.after[*index])) {
            Some((_, rule)) => ControlFlow::Break(Failure::Rule { time: step.t_end, rule: rule.describe() }),
            None if self.stop.is_asked() => ControlFlow::Break(Failure::Interrupted { time: step.t_end }),
            None => ControlFlow::Continue(()),
        }
    }
}

/// Writes doubles as text that reads back to the same bits, since JSON has no infinities and no NaN.
mod exact {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{value:?}"))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Writes lists of optional doubles in the same way.
mod exact_options {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Exact(#[serde(with = "super::exact")] f64);

    pub fn serialize<S: Serializer>(values: &[Option<f64>], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(|value| value.map(Exact)))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Option<f64>>, D::Error> {
        let values = Vec::<Option<Exact>>::deserialize(deserializer)?;
        Ok(values.into_iter().map(|value| value.map(|Exact(value)| value)).collect())
    }
}

/// Writes columns in the same way, except that finite values remain numbers.
mod exact_columns {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Cell {
        Finite(f64),
        Other(#[serde(with = "super::exact")] f64),
    }

    pub fn serialize<S: Serializer>(columns: &[Vec<f64>], serializer: S) -> Result<S::Ok, S::Error> {
        let cell = |&value: &f64| if value.is_finite() { Cell::Finite(value) } else { Cell::Other(value) };
        serializer.collect_seq(columns.iter().map(|column| column.iter().map(cell).collect::<Vec<_>>()))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Vec<f64>>, D::Error> {
        let value = |cell| match cell {
            Cell::Finite(value) | Cell::Other(value) => value,
        };
        let columns = Vec::<Vec<Cell>>::deserialize(deserializer)?;
        Ok(columns.into_iter().map(|column| column.into_iter().map(value).collect()).collect())
    }
}
