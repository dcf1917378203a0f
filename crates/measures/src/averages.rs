//! Averages and trends of an observable over a run.

use super::simple::of_one;
use super::{Ending, Measure, Observed};

/// A running value of one observable, reduced to one number at the end.
trait Running: 'static {
    /// Takes the initial value; by default as a step of zero length.
    fn begin(&mut self, t: f64, value: f64) {
        self.step((t, value), (t, value));
    }
    /// Takes an accepted step, given by time (s) and value at its start and its end.
    fn step(&mut self, start: (f64, f64), end: (f64, f64));
    /// The number; none if there are too few steps to define it.
    fn number(&self) -> Option<f64>;
    /// True for a running extremum, which is meaningful for the part of the span that a failed run covered; false for
    /// an average.
    fn holds_for_a_part(&self) -> bool {
        false
    }
}

struct Of<R> {
    index: Option<usize>,
    running: R,
}

impl<R: Running> Measure for Of<R> {
    fn begin(&mut self, t: f64, observables: &[f64]) {
        if let Some(index) = self.index {
            self.running.begin(t, observables[index]);
        }
    }
    fn step(&mut self, step: &mut Observed<'_>) {
        if let Some(index) = self.index {
            self.running.step((step.t_start, step.start[index]), (step.t_end, step.end[index]));
        }
    }
    fn finish(self: Box<Self>, ending: &Ending<'_>) -> Vec<Option<f64>> {
        let stands = ending.failure.is_none() || self.running.holds_for_a_part();
        vec![self.index.filter(|_| stands).and_then(|_| self.running.number())]
    }
}

fn of<R: Running + Default>(index: Option<usize>) -> Box<dyn Measure> {
    Box::new(Of { index, running: R::default() })
}

of_one! {
    /// The largest magnitude of an observable over accepted states.
    MaximumMagnitude "max_abs" ["max_abs"] "largest magnitude of an observable over accepted states", of::<Largest>;
    /// The mean over time of an observable's magnitude, by the trapezoidal rule over accepted states (negrut2007,
    /// Eq. 23).
    MeanMagnitude "mean_absolute" ["mean_absolute"]
        "mean over time of an observable's magnitude, by the trapezoidal rule on accepted states (negrut2007, Eq. 23)",
        of::<Mean>;
    /// The slope over time (1/s) of the straight line that fits an observable best, by least squares.
    Trend "trend" ["trend"]
        "slope (1/s) of the straight line fitted to an observable over time by least squares",
        of::<Line>;
    /// The root mean square of an observable about the straight line that fits it best, by least squares.
    Deviation "deviation" ["deviation"]
        "root mean square deviation of an observable from the straight line fitted to it by least squares",
        of::<Scatter>;
}

#[derive(Default)]
struct Largest(f64);

impl Running for Largest {
    fn step(&mut self, _start: (f64, f64), (_, value): (f64, f64)) {
        // `max` would drop a NaN.
        self.0 = if value.is_nan() || self.0.is_nan() { f64::NAN } else { self.0.max(value.abs()) };
    }
    fn number(&self) -> Option<f64> {
        Some(self.0)
    }
    fn holds_for_a_part(&self) -> bool {
        true
    }
}

#[derive(Default)]
struct Mean {
    integral: f64,
    duration: f64,
}

impl Running for Mean {
    fn begin(&mut self, _t: f64, _value: f64) {}
    fn step(&mut self, (t_start, start): (f64, f64), (t_end, end): (f64, f64)) {
        self.integral += 0.5 * (t_end - t_start) * (start.abs() + end.abs());
        self.duration += t_end - t_start;
    }
    fn number(&self) -> Option<f64> {
        (self.duration > 0.0).then(|| self.integral / self.duration)
    }
}

/// Sums about the running means (Welford's algorithm), so that there is no cancellation.
#[derive(Default)]
struct Line {
    count: f64,
    time: f64,
    value: f64,
    times: f64,
    values: f64,
    products: f64,
}

impl Line {
    fn add(&mut self, t: f64, value: f64) {
        self.count += 1.0;
        let (dt, dx) = (t - self.time, value - self.value);
        self.time += dt / self.count;
        self.value += dx / self.count;
        self.times += dt * (t - self.time);
        self.values += dx * (value - self.value);
        self.products += dt * (value - self.value);
    }
}

impl Running for Line {
    fn step(&mut self, _start: (f64, f64), (t, value): (f64, f64)) {
        self.add(t, value);
    }
    fn number(&self) -> Option<f64> {
        (self.times > 0.0).then(|| self.products / self.times)
    }
}

#[derive(Default)]
struct Scatter(Line);

impl Running for Scatter {
    fn step(&mut self, _start: (f64, f64), (t, value): (f64, f64)) {
        self.0.add(t, value);
    }
    fn number(&self) -> Option<f64> {
        let Line { count, times, values, products, .. } = self.0;
        // Rounding can make the residual of a straight line negative; a NaN is kept.
        let squares = values - products * products / times;
        (times > 0.0).then(|| (if squares < 0.0 { 0.0 } else { squares } / count).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `x = 3 − 2 t + sin 2πt` over `[0, 2]`, or another function, in 4000 steps.
    fn over<R: Running + Default>(x: impl Fn(f64) -> f64) -> f64 {
        let mut running = R::default();
        let t = |k: u32| 1000.0 + f64::from(k) * 5e-4;
        let x = |k| x(t(k) - 1000.0);
        running.begin(t(0), x(0));
        (0..4000).for_each(|k| running.step((t(k), x(k)), (t(k + 1), x(k + 1))));
        running.number().unwrap()
    }

    #[test]
    fn averages_of_known_functions_are_exact() {
        use std::f64::consts::PI;
        let wave = |t: f64| (2.0 * PI * t).sin();
        assert!((over::<Mean>(wave) - 2.0 / PI).abs() < 1e-6);
        assert!((over::<Largest>(|t| wave(t) - 0.5) - 1.5).abs() < 1e-6);
        let slope = over::<Line>(|t| 3.0 - 2.0 * t);
        // a time of 1000 s is known to 1e-13 s, and several thousand times are summed
        assert!((slope + 2.0).abs() < 1e-9, "{slope}");
        // a fast wave about a line, whose periods hardly tilt the line
        let scatter = over::<Scatter>(|t| 3.0 - 2.0 * t + (40.0 * PI * t).sin());
        assert!((scatter - 0.5_f64.sqrt()).abs() < 1e-3, "{scatter}");
        assert!(over::<Scatter>(|t| 3.0 - 2.0 * t) < 1e-6);
    }

    #[test]
    fn missing_numbers_give_none() {
        assert!(over::<Largest>(|t| if t == 1.0 { f64::NAN } else { t }).is_nan());
    }
}
