//! Observables at chosen times.

use mbsbench_problem::{OutOfRange, Verbatim, parameters};

use super::simple::{at_end, not_empty, of_one};
use super::{Ending, Measure, MeasureContext, MeasureDefinition, Observed};

of_one! {
    /// The initial value of an observable.
    Initial "initial" ["initial"] "value of an observable at the start", |index| {
        Box::new(Samples { index, visit: Visit::new(vec![f64::NEG_INFINITY], 0, [0.0, 1.0]), values: vec![None] })
    };
    /// The final value of an observable, for a run that did not fail.
    Final "final" ["final"] "value of an observable at the end", |index| at_end(move |ending| {
        vec![index.filter(|_| ending.failure.is_none()).map(|index| ending.observables[index])]
    });
}

parameters! {
    /// The values of an observable at given times: at the end of a step if it is close, otherwise inside the step by
    /// an evaluation that is not counted.
    #[derive(Default)]
    pub struct Sample in snake_case where times_increase {
        /// Observable.
        of: String,
        /// Times, s, increasing.
        at: Vec<Verbatim<f64>>,
    }
}

impl Sample {
    fn times_increase(&self) -> Result<(), OutOfRange> {
        check_increasing("at", &self.times())
    }

    fn times(&self) -> Vec<f64> {
        self.at.iter().map(|at| at.value).collect()
    }
}

/// Fails unless the list is non-empty and strictly increasing.
pub(super) fn check_increasing(field: &str, times: &[f64]) -> Result<(), OutOfRange> {
    not_empty(field, times)?;
    match times.windows(2).position(|pair| pair[0] >= pair[1]) {
        None => Ok(()),
        Some(k) => {
            Err(OutOfRange::new(format!("{field}.{}", k + 1), times[k + 1], format!("a time after {}", times[k])))
        }
    }
}

impl MeasureDefinition for Sample {
    const NAME: &'static str = "sample";
    const SUMMARY: &'static str = "values of an observable at given times";

    fn columns(&self) -> Vec<String> {
        self.at.iter().map(|t| format!("{}@{}", self.of, t.text)).collect()
    }
    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
        Box::new(Samples {
            index: context.index(&self.of),
            visit: Visit::new(self.times(), context.observables.len(), context.span),
            values: vec![None; self.at.len()],
        })
    }
}

struct Samples {
    index: Option<usize>,
    visit: Visit,
    values: Vec<Option<f64>>,
}

impl Measure for Samples {
    fn begin(&mut self, t: f64, observables: &[f64]) {
        let (Some(index), values) = (self.index, &mut self.values) else { return };
        self.visit.begin(t, observables, |k, observables| values[k] = Some(observables[index]));
    }
    fn step(&mut self, step: &mut Observed<'_>) {
        let (Some(index), values) = (self.index, &mut self.values) else { return };
        self.visit.step(step, |k, observables| values[k] = Some(observables[index]));
    }
    fn finish(self: Box<Self>, _ending: &Ending<'_>) -> Vec<Option<f64>> {
        self.values
    }
}

/// Distance (s) from the end of a step within which a time counts as the end: grids computed as `k · h` and by
/// summation differ in the last digits.
pub fn slack(t_start: f64, t_end: f64) -> f64 {
    1e-9 * (t_end - t_start).abs()
}

/// Follows the steps through given times, and shows the observables at each of them.
pub struct Visit {
    times: Vec<f64>,
    visited: usize,
    /// True if the span runs backwards, so that the last time comes first.
    is_backward: bool,
    scratch: Vec<f64>,
}

impl Visit {
    /// A visit of `times` (s), which increase or run with the span, for `observables` observables.
    pub fn new(times: Vec<f64>, observables: usize, span: [f64; 2]) -> Self {
        Self { times, visited: 0, is_backward: span[1] < span[0], scratch: vec![0.0; observables] }
    }

    /// The number and the time of the next time up to `t`.
    fn next(&self, t: f64) -> Option<(usize, f64)> {
        let decreases = self.times.first() > self.times.last();
        let k =
            if self.is_backward && !decreases { self.times.len().checked_sub(self.visited + 1)? } else { self.visited };
        let time = *self.times.get(k)?;
        (if self.is_backward { time >= t } else { time <= t }).then_some((k, time))
    }

    /// Shows the times at the very start.
    pub fn begin(&mut self, t: f64, observables: &[f64], mut show: impl FnMut(usize, &[f64])) {
        while let Some((k, _)) = self.next(t) {
            show(k, observables);
            self.visited += 1;
        }
    }

    /// Shows the times inside or at the end of a step. Times [close to the end](slack) count as the end.
    pub fn step(&mut self, step: &mut Observed<'_>, mut show: impl FnMut(usize, &[f64])) {
        let slack = slack(step.t_start, step.t_end);
        let until = if self.is_backward { step.t_end - slack } else { step.t_end + slack };
        while let Some((k, time)) = self.next(until) {
            if (time - step.t_end).abs() <= slack {
                show(k, step.end);
            } else if step.within.observables_at(time, &mut self.scratch).is_ok() {
                show(k, &self.scratch);
            }
            self.visited += 1;
        }
    }
}
