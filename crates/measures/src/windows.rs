//! An observable over a part of the span.

use mbsbench_problem::{OutOfRange, Verbatim, parameters};

use super::{Ending, Measure, MeasureContext, MeasureDefinition, Observed};

parameters! {
    /// The mean over time, the range and the total variation of an observable between two times. The mean uses the
    /// trapezoidal rule; all use accepted states and the ends of the window. Empty if the run ends before the window
    /// does.
    #[derive(Default)]
    pub struct Window in snake_case where it_has_a_length {
        /// Observable.
        of: String,
        /// Start of the window, s.
        from: Verbatim<f64>,
        /// End of the window, s.
        to: Verbatim<f64>,
    }
}

impl Window {
    fn it_has_a_length(&self) -> Result<(), OutOfRange> {
        check_window(&self.from, &self.to)
    }
}

/// Fails unless the time `to` comes after `from`.
pub(super) fn check_window(from: &Verbatim<f64>, to: &Verbatim<f64>) -> Result<(), OutOfRange> {
    let (from, to) = (from.value, to.value);
    if to > from { Ok(()) } else { Err(OutOfRange::new("to", to, format!("a time after {from}"))) }
}

impl MeasureDefinition for Window {
    const NAME: &'static str = "window";
    const SUMMARY: &'static str = "mean, range and total variation of an observable between two times";

    fn columns(&self) -> Vec<String> {
        let name = |what| format!("{what}({}, {}..{})", self.of, self.from.text, self.to.text);
        ["mean", "range", "variation"].map(name).to_vec()
    }
    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
        Box::new(Running {
            index: context.index(&self.of),
            window: [self.from.value, self.to.value],
            observables: vec![0.0; context.observables.len()],
            last: None,
            integral: 0.0,
            variation: 0.0,
            lowest: f64::INFINITY,
            highest: f64::NEG_INFINITY,
            failed: false,
        })
    }
}

struct Running {
    index: Option<usize>,
    window: [f64; 2],
    observables: Vec<f64>,
    /// Time and value of the last point in the window.
    last: Option<(f64, f64)>,
    integral: f64,
    variation: f64,
    lowest: f64,
    highest: f64,
    /// True if a value at an end of the window could not be computed.
    failed: bool,
}

impl Running {
    fn value_at(&mut self, t: f64, step: &mut Observed<'_>, index: usize) -> f64 {
        if t == step.t_start {
            return step.start[index];
        }
        if t == step.t_end {
            return step.end[index];
        }
        match step.within.observables_at(t, &mut self.observables) {
            Ok(()) => self.observables[index],
            Err(_) => {
                self.failed = true;
                f64::NAN
            }
        }
    }

    fn point(&mut self, t: f64, value: f64) {
        if let Some((t_last, last)) = self.last {
            self.integral += 0.5 * (t - t_last) * (value + last);
            self.variation += (value - last).abs();
        }
        self.lowest = self.lowest.min(value);
        self.highest = self.highest.max(value);
        self.last = Some((t, value));
    }
}

impl Measure for Running {
    fn step(&mut self, step: &mut Observed<'_>) {
        let Some(index) = self.index else { return };
        let [from, to] = self.window;
        let (start, end) = (step.t_start.max(from), step.t_end.min(to));
        if start > end || step.t_start >= to || step.t_end < from {
            return;
        }
        if self.last.is_none() {
            let value = self.value_at(start, step, index);
            self.point(start, value);
        }
        if end > start {
            let value = self.value_at(end, step, index);
            self.point(end, value);
        }
    }

    fn finish(self: Box<Self>, _ending: &Ending<'_>) -> Vec<Option<f64>> {
        let [from, to] = self.window;
        let complete = !self.failed && self.last.is_some_and(|(t, _)| t >= to);
        let value = |value: f64| complete.then_some(value);
        vec![value(self.integral / (to - from)), value(self.highest - self.lowest), value(self.variation)]
    }
}

#[cfg(test)]
mod tests {
    use mbsbench_problem::Parameters;

    use super::super::tests::{ended, through};
    use super::*;

    fn window(from: f64, to: f64) -> Window {
        let verbatim = |value: f64| Verbatim { value, text: value.to_string() };
        Window { of: "q".to_owned(), from: verbatim(from), to: verbatim(to) }
    }

    fn measured(from: f64, to: f64, times: &[f64]) -> Vec<Option<f64>> {
        // A saw tooth of height one: up to t = 1, down to t = 2.
        let tooth = |t: f64| vec![1.0 - ((t % 2.0) - 1.0).abs(), 0.0];
        ended(through(&window(from, to), times, tooth), false)
    }

    #[test]
    fn only_states_within_the_window_count() {
        let times = [0.0, 1.0, 2.0, 3.0, 4.0];
        assert_eq!(measured(1.0, 3.0, &times), [Some(0.5), Some(1.0), Some(2.0)]);
        // Window ends inside steps: 0.5 to 1 to 0 to 0.5
        assert_eq!(measured(0.5, 2.5, &times), [Some((0.375 + 0.5 + 0.125) / 2.0), Some(1.0), Some(2.0)]);
        assert_eq!(measured(1.25, 1.5, &times), [Some(0.625), Some(0.25), Some(0.25)]);
    }

    #[test]
    fn a_window_that_was_not_reached_is_empty() {
        assert_eq!(measured(1.0, 3.0, &[0.0, 1.0, 2.0]), [None; 3]);
        assert_eq!(measured(5.0, 6.0, &[0.0, 1.0, 2.0]), [None; 3]);
    }

    #[test]
    fn the_end_comes_after_the_start() {
        assert_eq!(window(1.0, 2.0).check(), Ok(()));
        assert_eq!(window(1.0, 1.0).check().unwrap_err().field, "to");
        assert_eq!(window(f64::NAN, 1.0).check().unwrap_err().field, "from");
    }
}
