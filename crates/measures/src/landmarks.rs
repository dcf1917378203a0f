//! Landmarks of a curve: zero crossings and events.

use mbsbench_problem::parameters;

use super::sampled::{PARTS, Sampled};
use super::simple::over_steps;
use super::{Measure, MeasureContext, MeasureDefinition, Observed};

/// Columns `name@1` to `name@count`.
pub(super) fn numbered(name: &str, count: usize) -> impl Iterator<Item = String> + '_ {
    (1..=count).map(move |k| format!("{name}@{k}"))
}

/// The first `count` values, padded with empty ones.
pub(super) fn padded(mut values: Vec<f64>, count: usize) -> Vec<Option<f64>> {
    values.truncate(count);
    let missing = count - values.len();
    values.into_iter().map(Some).chain(std::iter::repeat_n(None, missing)).collect()
}

parameters! {
    /// The times at which an observable crosses a level, in the order of time.
    ///
    /// Each step is divided into ten equal parts, and the solution is evaluated at their ends. These evaluations are
    /// not counted as the method's work. A crossing is located, to rounding, in each part at whose ends the
    /// observable is on different sides of the level. Two crossings within one part are not found.
    pub struct Crossings {
        /// Observable.
        of: String = String::new(),
        /// Level, in the observable's unit.
        level: f64 = 0.0,
        /// Number of crossings to report, counted from the first.
        count: usize [from 1, to 10_000] = 1,
    }
}

impl MeasureDefinition for Crossings {
    const NAME: &'static str = "crossings";
    const SUMMARY: &'static str = "times (s) at which an observable crosses a level";

    fn columns(&self) -> Vec<String> {
        numbered(&format!("crossing({})", self.of), self.count).collect()
    }
    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
        let (index, level, count) = (context.index(&self.of), self.level, self.count);
        let mut sampled = Sampled::new(context.observables.len());
        let look = move |times: &mut Vec<f64>, step: &mut Observed<'_>| {
            let Some(index) = index.filter(|_| times.len() < count) else { return };
            sampled.look(step, index);
            // a state that could not be computed joins two parts
            let mut from = 0;
            for to in (1..=PARTS).filter(|&to| to == PARTS || !sampled.values[to].is_nan()) {
                let ends = [from, to].map(|end| (sampled.times[end], sampled.values[end]));
                from = to;
                if times.len() < count {
                    times.extend(passage_between(step, index, level, ends, &mut sampled.scratch));
                }
            }
        };
        over_steps(Vec::with_capacity(count), look, move |times, _| padded(times, count))
    }
}

/// The time (s) inside a step at which an observable crosses a level; none if it does not, or if it did so at the
/// start, where the step before has found it. `scratch` is as long as the list of observables.
pub(super) fn passage(step: &mut Observed<'_>, index: usize, level: f64, scratch: &mut [f64]) -> Option<f64> {
    let ends = [(step.t_start, step.start[index]), (step.t_end, step.end[index])];
    passage_between(step, index, level, ends, scratch)
}

/// Like [`passage`], between two times in the step, each given with the value of the observable.
fn passage_between(
    step: &mut Observed<'_>,
    index: usize,
    level: f64,
    [(mut a, left), (mut b, right)]: [(f64, f64); 2],
    scratch: &mut [f64],
) -> Option<f64> {
    let (mut left, mut right) = (left - level, right - level);
    if left == 0.0 || left * right > 0.0 || !(left * right).is_finite() {
        return None;
    }
    // Illinois variant of regula falsi on the method's own solution inside the step.
    for _ in 0..60 {
        if right == 0.0 || (b - a).abs() <= 1e-15 * b.abs().max(1e-3) {
            break;
        }
        let time = ((a * right - b * left) / (right - left)).clamp(a.min(b), a.max(b));
        step.within.observables_at(time, scratch).ok()?;
        let value = scratch[index] - level;
        if value.is_nan() {
            return None;
        }
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

parameters! {
    /// The times at which events were located, in the order of the event functions.
    pub struct EventTimes {
        /// Number of event functions to report, each with the time of its first event.
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
        let look = |times: &mut Vec<Option<f64>>, step: &mut Observed<'_>| {
            for &index in step.further.events {
                if let Some(slot @ None) = times.get_mut(index) {
                    *slot = Some(step.t_end);
                }
            }
        };
        over_steps(vec![None; self.count], look, |times, _| times)
    }
}

parameters! {
    /// The times at which events were located, in the order of time.
    pub struct EventSequence {
        /// Number of events to report, counted from the first.
        count: usize [from 1, to 10_000] = 1,
    }
}

impl MeasureDefinition for EventSequence {
    const NAME: &'static str = "event_sequence";
    const SUMMARY: &'static str = "times (s) of the first events, of any event function";

    fn columns(&self) -> Vec<String> {
        numbered("event", self.count).collect()
    }
    fn start(&self, _context: &MeasureContext<'_>) -> Box<dyn Measure> {
        let count = self.count;
        let look = move |times: &mut Vec<f64>, step: &mut Observed<'_>| {
            if !step.further.events.is_empty() && times.len() < count {
                times.push(step.t_end);
            }
        };
        over_steps(Vec::new(), look, move |times, _| padded(times, count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{ended, through};

    fn crossings(count: usize, level: f64, times: &[f64], curve: impl Fn(f64) -> f64) -> Vec<Option<f64>> {
        let measure = Crossings { of: "q".to_owned(), level, count };
        ended(through(&measure, times, |t| vec![curve(t)]), false)
    }

    #[test]
    fn all_crossings_inside_one_step_are_found() {
        // (x + 6)(x² − 4) with x = t − 8
        let found = crossings(4, 0.0, &[0.0, 12.0], |t| (t - 2.0) * ((t - 8.0).powi(2) - 4.0));
        for (found, expected) in found.iter().zip([2.0, 6.0, 10.0]) {
            assert!((found.unwrap() - expected).abs() < 1e-13, "{found:?}");
        }
        assert_eq!(found[3], None);
        assert_eq!(crossings(1, 0.0, &[0.0, 12.0], |t| (t - 2.0) * ((t - 8.0).powi(2) - 4.0)).len(), 1);
    }

    #[test]
    fn a_crossing_at_a_step_boundary_is_found_once() {
        // 0.5 and 1 are ends of parts, 1 also of a step
        for at in [0.5, 1.0, 0.55] {
            assert_eq!(crossings(2, 3.0, &[0.0, 1.0, 2.0], |t| 3.0 + (t - at)).iter().flatten().count(), 1, "{at}");
        }
    }

    #[test]
    fn a_crossing_is_found_next_to_missing_states() {
        let found = crossings(2, 0.0, &[0.0, 1.0], |t| if t > 0.0 && t < 0.35 { f64::NAN } else { t - 0.15 });
        assert_eq!(found.iter().flatten().count(), 0, "no event is located");
        let found = crossings(2, 0.0, &[0.0, 1.0], |t| if t > 0.0 && t < 0.35 { f64::NAN } else { t - 0.75 });
        assert!((found[0].unwrap() - 0.75).abs() < 1e-14 && found[1].is_none());
    }
}
