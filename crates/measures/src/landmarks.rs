//! Landmarks of a curve: zero crossings, turning points, events.

use mbsbench_problem::parameters;

use super::{Ending, Measure, MeasureContext, MeasureDefinition, Observed};

/// Columns `name@1` to `name@count`.
pub(super) fn numbered(name: &str, count: usize) -> impl Iterator<Item = String> + '_ {
    (1..=count).map(move |k| format!("{name}@{k}"))
}

/// The first `count` values, with gaps after the last.
pub(super) fn padded(mut values: Vec<f64>, count: usize) -> Vec<Option<f64>> {
    values.truncate(count);
    let missing = count - values.len();
    values.into_iter().map(Some).chain(std::iter::repeat_n(None, missing)).collect()
}

parameters! {
    /// Times at which an observable passes through a level.
    pub struct Crossings {
        /// Observable.
        of: String = String::new(),
        /// Level, in the observable's unit.
        level: f64 = 0.0,
        /// Number of crossings to report; the first ones.
        count: usize [from 1, to 10_000] = 1,
    }
}

impl MeasureDefinition for Crossings {
    const NAME: &'static str = "crossings";
    const SUMMARY: &'static str = "times (s) at which an observable passes through a level";

    fn columns(&self) -> Vec<String> {
        numbered(&format!("crossing({})", self.of), self.count).collect()
    }
    fn observables(&self) -> Vec<String> {
        vec![self.of.clone()]
    }
    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
        Box::new(Passing {
            index: context.index(&self.of),
            level: self.level,
            count: self.count,
            scratch: vec![0.0; context.observables.len()],
            times: Vec::with_capacity(self.count),
        })
    }
}

struct Passing {
    index: Option<usize>,
    level: f64,
    count: usize,
    scratch: Vec<f64>,
    times: Vec<f64>,
}

/// Time (s) inside a step at which an observable passes through a level; none where it does not, or did so at the start, which
/// was found with the step before. `scratch` is as long as the observables.
pub(super) fn passage(step: &mut Observed<'_>, index: usize, level: f64, scratch: &mut [f64]) -> Option<f64> {
    let (mut left, mut right) = (step.start[index] - level, step.end[index] - level);
    if left == 0.0 || left * right > 0.0 || !(left * right).is_finite() {
        return None;
    }
    let (mut a, mut b) = (step.t_start, step.t_end);
    // Illinois variant of regula falsi on the method's own solution inside the step.
    for _ in 0..60 {
        if right == 0.0 || (b - a).abs() <= 1e-15 * b.abs().max(1e-3) {
            break;
        }
        let time = ((a * right - b * left) / (right - left)).clamp(a.min(b), a.max(b));
        step.within.observables_at(time, scratch).ok()?;
        let value = scratch[index] - level;
        if value * right < 0.0 {
            (a, left) = (b, right);
        } else {
            left *= 0.5;
        }
        let moved = (time - b).abs();
        (b, right) = (time, value);
        if moved <= 1e-15 * b.abs() {
            break;
        }
    }
    Some(b)
}

impl Measure for Passing {
    fn step(&mut self, step: &mut Observed<'_>) {
        if let Some(index) = self.index.filter(|_| self.times.len() < self.count) {
            self.times.extend(passage(step, index, self.level, &mut self.scratch));
        }
    }

    fn finish(self: Box<Self>, _ending: &Ending<'_>) -> Vec<Option<f64>> {
        padded(self.times, self.count)
    }
}

parameters! {
    /// Turning points of an observable: values and times, from the parabola through three successive states.
    pub struct Extrema {
        /// Observable.
        of: String = String::new(),
        /// Number of turning points to report; the first ones.
        count: usize [from 1, to 10_000] = 1,
    }
}

impl MeasureDefinition for Extrema {
    const NAME: &'static str = "extrema";
    const SUMMARY: &'static str = "turning points of an observable, values and times (s)";

    fn columns(&self) -> Vec<String> {
        numbered(&format!("extremum({})", self.of), self.count)
            .chain(numbered(&format!("extremum_time({})", self.of), self.count))
            .collect()
    }
    fn observables(&self) -> Vec<String> {
        vec![self.of.clone()]
    }
    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
        Box::new(Turning {
            index: context.index(&self.of),
            count: self.count,
            before: None,
            values: Vec::with_capacity(self.count),
            times: Vec::with_capacity(self.count),
        })
    }
}

struct Turning {
    index: Option<usize>,
    count: usize,
    /// The state before the step's start.
    before: Option<(f64, f64)>,
    values: Vec<f64>,
    times: Vec<f64>,
}

impl Measure for Turning {
    fn step(&mut self, step: &mut Observed<'_>) {
        let Some(index) = self.index.filter(|_| self.values.len() < self.count) else { return };
        let (t1, y1) = (step.t_start, step.start[index]);
        let (t2, y2) = (step.t_end, step.end[index]);
        if let Some((t0, y0)) = self.before {
            // Newton's divided differences; a turning point lies where the slopes on both sides differ in sign.
            let (first, second) = ((y1 - y0) / (t1 - t0), (y2 - y1) / (t2 - t1));
            if first * second < 0.0 || (second == 0.0 && first != 0.0) {
                let curvature = (second - first) / (t2 - t0);
                let time = 0.5 * (t0 + t1) - 0.5 * first / curvature;
                self.times.push(time);
                self.values.push(y0 + (time - t0) * (first + (time - t1) * curvature));
            }
        }
        self.before = Some((t1, y1));
    }

    fn finish(self: Box<Self>, _ending: &Ending<'_>) -> Vec<Option<f64>> {
        let mut columns = padded(self.values, self.count);
        columns.extend(padded(self.times, self.count));
        columns
    }
}

parameters! {
    /// Times at which events were located, in the order of the event functions.
    pub struct EventTimes {
        /// Number of event functions to report; for each the time of its first event.
        count: usize [from 1, to 10_000] = 1,
    }
}

impl MeasureDefinition for EventTimes {
    const NAME: &'static str = "event_times";
    const SUMMARY: &'static str = "time (s) of the first event of each event function";

    fn columns(&self) -> Vec<String> {
        numbered("event_time", self.count).collect()
    }
    fn start(&self, _context: &MeasureContext<'_>) -> Box<dyn Measure> {
        struct Times(Vec<Option<f64>>);
        impl Measure for Times {
            fn step(&mut self, step: &mut Observed<'_>) {
                for &index in step.further.events {
                    if let Some(slot @ None) = self.0.get_mut(index) {
                        *slot = Some(step.t_end);
                    }
                }
            }
            fn finish(self: Box<Self>, _ending: &Ending<'_>) -> Vec<Option<f64>> {
                self.0
            }
        }
        Box::new(Times(vec![None; self.count]))
    }
}

parameters! {
    /// Times at which events were located, in the order of time.
    pub struct EventSequence {
        /// Number of events to report; the first ones.
        count: usize [from 1, to 10_000] = 1,
    }
}

impl MeasureDefinition for EventSequence {
    const NAME: &'static str = "event_sequence";
    const SUMMARY: &'static str = "times (s) of the first events, whichever functions they belong to";

    fn columns(&self) -> Vec<String> {
        numbered("event", self.count).collect()
    }
    fn start(&self, _context: &MeasureContext<'_>) -> Box<dyn Measure> {
        struct Times(Vec<f64>, usize);
        impl Measure for Times {
            fn step(&mut self, step: &mut Observed<'_>) {
                if !step.further.events.is_empty() && self.0.len() < self.1 {
                    self.0.push(step.t_end);
                }
            }
            fn finish(self: Box<Self>, _ending: &Ending<'_>) -> Vec<Option<f64>> {
                padded(self.0, self.1)
            }
        }
        Box::new(Times(Vec::with_capacity(self.count), self.count))
    }
}
