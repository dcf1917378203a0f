//! The oscillation of an observable about its slow motion.

use mbsbench_problem::{OutOfRange, Verbatim, parameters};
use nalgebra::DMatrix;

use super::windows::check_window;
use super::{Ending, Measure, MeasureContext, MeasureDefinition, Observed};

parameters! {
    /// The root mean square over time of an observable minus its slow part, over the steps that lie between two
    /// times. The slow part is the polynomial that fits the observable best, by least squares. A smaller step that
    /// resolves the same curve better gives the same value. Empty if the run ends before the window does, or if the
    /// window has no more steps than the polynomial has coefficients.
    #[derive(Default)]
    pub struct Oscillation in snake_case where it_has_a_length {
        /// Observable.
        of: String,
        /// Start of the window, s.
        from: Verbatim<f64>,
        /// End of the window, s.
        to: Verbatim<f64>,
        /// Degree of the polynomial.
        degree: u32 [to 12],
    }
}

impl Oscillation {
    fn it_has_a_length(&self) -> Result<(), OutOfRange> {
        check_window(&self.from, &self.to)
    }
}

impl MeasureDefinition for Oscillation {
    const NAME: &'static str = "oscillation";
    const SUMMARY: &'static str = "root mean square of an observable without its slow part between two times";

    fn columns(&self) -> Vec<String> {
        vec![format!("oscillation({}, {}..{})", self.of, self.from.text, self.to.text)]
    }
    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
        let terms = self.degree as usize + 1;
        let (index, window) = (context.index(&self.of), [self.from.value, self.to.value]);
        let (row, triangle) = (vec![0.0; terms + 1], DMatrix::zeros(terms + 1, terms + 1));
        Box::new(Running { index, window, steps: 0, last: f64::NEG_INFINITY, duration: 0.0, row, triangle })
    }
}

/// Least squares with the weights of the trapezoidal rule, by Givens rotations, which take no differences of large
/// sums.
struct Running {
    index: Option<usize>,
    window: [f64; 2],
    /// Number of steps so far.
    steps: usize,
    /// End of the last step, s.
    last: f64,
    /// Total length of the steps, s.
    duration: f64,
    /// Values of the Legendre polynomials on the window at a time, and of the observable, times the root of the
    /// weight.
    row: Vec<f64>,
    /// Triangular factor of all rows. Its last entry is the root of the residual sum of squares of the polynomial
    /// fit.
    triangle: DMatrix<f64>,
}

impl Running {
    fn add(&mut self, t: f64, value: f64, weight: f64) {
        let [from, to] = self.window;
        let x = (2.0 * t - from - to) / (to - from);
        let row = &mut self.row;
        let terms = row.len() - 1;
        row[0] = weight.sqrt();
        row[terms] = row[0] * value;
        for n in 1..terms {
            let k = n as f64;
            let before = if n > 1 { row[n - 2] } else { 0.0 };
            row[n] = ((2.0 * k - 1.0) * x * row[n - 1] - (k - 1.0) * before) / k;
        }
        for j in 0..=terms {
            let (diagonal, entry) = (self.triangle[(j, j)], row[j]);
            if entry == 0.0 {
                continue;
            }
            let length = (diagonal * diagonal + entry * entry).sqrt();
            let (c, s) = (diagonal / length, entry / length);
            for (k, entry) in row.iter_mut().enumerate().skip(j) {
                let upper = self.triangle[(j, k)];
                self.triangle[(j, k)] = c * upper + s * *entry;
                *entry = c * *entry - s * upper;
            }
        }
        self.duration += weight;
    }
}

impl Measure for Running {
    fn step(&mut self, step: &mut Observed<'_>) {
        let Some(index) = self.index else { return };
        self.last = step.t_end;
        if step.t_start < self.window[0] || step.t_end > self.window[1] || step.t_end <= step.t_start {
            return;
        }
        self.steps += 1;
        let weight = 0.5 * (step.t_end - step.t_start);
        self.add(step.t_start, step.start[index], weight);
        self.add(step.t_end, step.end[index], weight);
    }

    fn finish(self: Box<Self>, _ending: &Ending<'_>) -> Vec<Option<f64>> {
        let terms = self.row.len() - 1;
        let is_complete = self.index.is_some() && self.last >= self.window[1] && self.steps > terms;
        vec![is_complete.then(|| self.triangle[(terms, terms)].abs() / self.duration.sqrt())]
    }
}

#[cfg(test)]
mod tests {
    use mbsbench_problem::Parameters;

    use super::super::tests::{ended, through};
    use super::*;

    fn oscillation(from: f64, to: f64) -> Oscillation {
        let verbatim = |value: f64| Verbatim { value, text: value.to_string() };
        Oscillation { of: "q".to_owned(), from: verbatim(from), to: verbatim(to), degree: 6 }
    }

    fn measured(step: f64, end: f64, q: impl Fn(f64) -> f64) -> Option<f64> {
        let times: Vec<f64> = (0..).map(|k| step * f64::from(k)).take_while(|&t| t <= end + 1e-9).collect();
        ended(through(&oscillation(1.0, 2.0), &times, |t| vec![q(t), 0.0]), false)[0]
    }

    #[test]
    fn only_oscillations_count_with_their_root_mean_square() {
        let slow = |t: f64| 5.0 - 3.0 * t + t.powi(3) + (2.0 * t).sin();
        let wave = |t: f64| 1e-3 * (400.0 * t).sin();
        let left = measured(1e-3, 3.0, slow).unwrap();
        assert!(left < 3e-6, "{left}: the seventh derivative of sin 2t leaves at most 2⁷ 2⁻¹³ 2/7!");
        for step in [1e-3, 2e-3, 3e-3] {
            let found = measured(step, 3.0, |t| slow(t) + wave(t)).unwrap();
            assert!((found / (1e-3 / 2_f64.sqrt()) - 1.0).abs() < 0.02, "{found} with {step} s");
        }
    }

    #[test]
    fn a_window_that_is_not_reached_or_has_too_few_steps_is_empty() {
        assert_eq!(measured(1e-2, 1.5, |t| t), None);
        assert_eq!(measured(0.2, 3.0, |t| t), None);
        assert_eq!(oscillation(1.0, 1.0).check().unwrap_err().field, "to");
    }
}
