//! Turning points of a curve.

use mbsbench_problem::parameters;

use super::landmarks::{numbered, padded};
use super::sampled::{PARTS, Sampled};
use super::{Ending, Measure, MeasureContext, MeasureDefinition, Observed};

parameters! {
    /// Turning points of an observable, at which it stops rising and falls or stops falling and rises: values and
    /// times.
    ///
    /// Each step is divided into ten equal parts, and the solution is evaluated at their ends. These evaluations are
    /// not counted as the method's work. A turning point is located in the solution inside the step by parabolas
    /// through three points ever closer to each other. Two turning points within one part are not found. If the curve
    /// turns where two steps meet, as when a ball bounces, the turning point is the state there.
    pub struct Extrema {
        /// Observable.
        of: String = String::new(),
        /// Number of turning points to report, counted from the first.
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
    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
        let (index, sampled) = (context.index(&self.of), Sampled::new(context.observables.len()));
        let (values, times) = (Vec::with_capacity(self.count), Vec::with_capacity(self.count));
        Box::new(Turning { index, count: self.count, sampled, curve: Curve::default(), values, times })
    }
}

/// Number of parabolas that locate a turning point, and the factor by which the distance of their points shrinks each
/// time.
const PARABOLAS: u32 = 8;
const SHRINKING: f64 = 0.25;

/// Second differences below this fraction of the values cannot be distinguished from rounding.
const FLAT: f64 = 1e-9;

/// A point of a curve: time (s) and value.
type Point = (f64, f64);

/// A curve that is followed from point to point.
#[derive(Default)]
struct Curve {
    last: Option<Point>,
    /// 1 if it rose last, −1 if it fell; zero before it has moved.
    direction: f64,
}

impl Curve {
    /// Moves on to the next point, and returns the last one if the curve turns there.
    fn follow(&mut self, next: Point) -> Option<Point> {
        if next.1.is_nan() {
            return None;
        }
        let (last, before) = (self.last.replace(next)?, self.direction);
        if next.1 == last.1 {
            return None;
        }
        self.direction = (next.1 - last.1).signum();
        (before * self.direction < 0.0).then_some(last)
    }
}

struct Turning {
    index: Option<usize>,
    count: usize,
    sampled: Sampled,
    curve: Curve,
    values: Vec<f64>,
    times: Vec<f64>,
}

impl Turning {
    fn follow(&mut self, point: Point) {
        if let Some((t, y)) = self.curve.follow(point).filter(|_| self.values.len() < self.count) {
            self.times.push(t);
            self.values.push(y);
        }
    }

    /// The ends of the parts of the step that enclose a turning point, from `part` on; and true if it is a maximum.
    fn bracket(&self, part: usize) -> Option<([usize; 2], bool)> {
        let y = &self.sampled.values;
        let rise = |part: usize| y[part + 1] - y[part];
        // rates at the ends of the step, exact for cubics, per part
        let rate = |y: [f64; 4]| -11.0 * y[0] + 18.0 * y[1] - 9.0 * y[2] + 2.0 * y[3];
        if part + 1 < PARTS && rise(part) != 0.0 && rise(part) * rise(part + 1) <= 0.0 {
            return Some(([part, part + 2], rise(part) > 0.0));
        }
        let at_start = rate([y[0], y[1], y[2], y[3]]);
        if part == 0 && at_start * rise(0) < 0.0 && rise(0) * rise(1) > 0.0 {
            return Some(([0, 1], at_start > 0.0));
        }
        let at_end = -rate([y[PARTS], y[PARTS - 1], y[PARTS - 2], y[PARTS - 3]]);
        let turns = part + 1 == PARTS && at_end * rise(part) < 0.0 && rise(part - 1) * rise(part) > 0.0;
        turns.then(|| ([part, PARTS], rise(part) > 0.0))
    }

    /// The turning point in a bracket; none if it cannot be computed.
    fn locate(
        &mut self,
        step: &mut Observed<'_>,
        index: usize,
        ([from, to], is_top): ([usize; 2], bool),
    ) -> Option<Point> {
        let (first, last) = (self.sampled.times[from], self.sampled.times[to]);
        let (mut t, mut reach) = (0.5 * (first + last), 0.5 * (last - first));
        for _ in 0..PARABOLAS {
            let middle = t.clamp(first + reach, (last - reach).max(first + reach));
            let [left, centre, right] =
                [middle - reach, middle, middle + reach].map(|t| self.sampled.at(step, index, t.clamp(first, last)));
            let (slope, curvature) = (0.5 * (right - left), left - 2.0 * centre + right);
            let size = left.abs().max(centre.abs()).max(right.abs());
            if curvature.abs() <= FLAT * size || curvature.is_nan() {
                break;
            }
            let is_bent_so = (curvature < 0.0) == is_top;
            // up the slope if there is no maximum nearby
            let shift = if is_bent_so {
                -slope / curvature
            } else if (slope > 0.0) == is_top {
                1.0
            } else {
                -1.0
            };
            t = (middle + shift.clamp(-1.0, 1.0) * reach).clamp(first, last);
            reach *= SHRINKING;
        }
        let y = self.sampled.at(step, index, t);
        y.is_finite().then_some((t, y))
    }
}

impl Measure for Turning {
    fn step(&mut self, step: &mut Observed<'_>) {
        let Some(index) = self.index.filter(|_| self.values.len() < self.count) else { return };
        self.sampled.look(step, index);
        let mut found = None;
        for part in 0..PARTS {
            let [start, end] = [part, part + 1].map(|end| (self.sampled.times[end], self.sampled.values[end]));
            self.follow(start);
            let others = found.take().filter(|(t, _)| *t > start.0);
            if let Some(bracket) = self.bracket(part) {
                found = self.locate(step, index, bracket);
            }
            // first the one located in the part before, then the one of this part
            for point in [others, found].into_iter().flatten().filter(|(t, _)| *t < end.0) {
                self.follow(point);
            }
        }
        self.follow((step.t_end, step.end[index]));
    }

    fn finish(self: Box<Self>, _ending: &Ending<'_>) -> Vec<Option<f64>> {
        let mut columns = padded(self.values, self.count);
        columns.extend(padded(self.times, self.count));
        columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{ended, through};

    fn found(count: usize, times: &[f64], curve: impl Fn(f64) -> f64) -> (Vec<Option<f64>>, Vec<Option<f64>>) {
        let measure = Extrema { of: "q".to_owned(), count };
        let mut columns = ended(through(&measure, times, |t| vec![curve(t)]), false);
        let times = columns.split_off(count);
        (columns, times)
    }

    #[test]
    fn turning_points_inside_one_step_are_located() {
        // (x + 6)(x² − 4) with x = t − 8; its rate is zero for x = −2 ± √(16/3)
        let curve = |t: f64| (t - 2.0) * ((t - 8.0).powi(2) - 4.0);
        let (values, times) = found(3, &[0.0, 12.0], curve);
        let turns = [6.0 - (16.0f64 / 3.0).sqrt(), 6.0 + (16.0f64 / 3.0).sqrt()];
        for (k, turn) in turns.into_iter().enumerate() {
            assert!((times[k].unwrap() - turn).abs() < 1e-6, "{times:?}");
            assert!((values[k].unwrap() - curve(turn)).abs() < 1e-12, "{values:?}");
        }
        assert_eq!((values[2], times[2]), (None, None));
    }

    #[test]
    fn turning_points_are_found_once_for_any_steps() {
        let steps = |h: f64, count: u32| (0..=count).map(|k| h * f64::from(k)).collect::<Vec<_>>();
        // steps that end beside, before and at the turning points of the cosine, which begins at one
        for times in [steps(0.3, 30), steps(0.99 * std::f64::consts::PI, 3), steps(std::f64::consts::PI / 4.0, 12)] {
            let (values, turns) = found(4, &times, f64::cos);
            let expected = times.last().unwrap() / std::f64::consts::PI;
            let expected = if expected.fract() < 1e-12 { expected - 1.0 } else { expected } as usize;
            assert_eq!(turns.iter().flatten().count(), expected, "{turns:?}");
            for (k, (turn, value)) in turns.iter().flatten().zip(values.iter().flatten()).enumerate() {
                let exact = std::f64::consts::PI * (k + 1) as f64;
                assert!((turn - exact).abs() < 1e-5, "{turn} is not {exact} in steps of {}", times[1]);
                assert!((value.abs() - 1.0).abs() < 1e-10, "{value}");
            }
        }
    }

    #[test]
    fn a_corner_between_steps_is_located() {
        let (values, times) = found(2, &[0.0, 0.7, 1.0, 2.0], |t| 3.0 + (t - 1.0).abs());
        assert_eq!((values[0], times[0], values[1]), (Some(3.0), Some(1.0), None));
    }

    #[test]
    fn a_curve_without_turning_points_has_none() {
        for curve in [|_: f64| 1.5, |t: f64| t.powi(3), |t: f64| 1e6 + t, |t: f64| -(-t).exp()] {
            assert_eq!(found(1, &[-1.0, 0.0, 0.1, 2.0], curve).0, [None]);
        }
    }
}
