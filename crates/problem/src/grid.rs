//! The times at which steps of constant size end.

use crate::{Clock, Scalar, StepControl, Task};

/// An iterator over the ends of constant steps, each with the size of the step that leads there.
#[derive(Debug, Clone)]
pub enum Grid<S> {
    /// See [`Clock::Exact`].
    Exact {
        /// Initial time, s.
        t_start: S,
        /// Final time, s.
        t_end: S,
        /// Step size, s.
        step: S,
        /// Number of steps.
        count: u64,
        /// Number of steps taken.
        taken: u64,
    },
    /// See [`Clock::Accumulating`].
    Accumulating {
        /// The clock, s. A double in every precision, because the rounding of its sum decides the number of steps.
        t: f64,
        /// Final time, s.
        t_end: f64,
        /// Step size, s.
        step: f64,
    },
}

impl<S: Scalar> Grid<S> {
    /// The grid of a span with `t_end > t_start` and a finite positive step.
    ///
    /// With the exact clock, a span that is a whole number of steps up to rounding (1e-9 of a step, or the quotient's
    /// own rounding error) is divided evenly. A step given as a rounded decimal then means the intended number, also
    /// in double-double precision.
    pub fn new(clock: Clock, t_start: S, t_end: S, step: f64) -> Self {
        match clock {
            Clock::Accumulating => Self::Accumulating { t: t_start.value(), t_end: t_end.value(), step },
            Clock::Exact => {
                let span = t_end - t_start;
                let quotient = span.value() / step;
                let whole = quotient.round().max(1.0);
                let is_whole = (quotient - whole).abs() <= (4.0 * f64::EPSILON * quotient).max(1e-9);
                let (count, step) = if is_whole { (whole, span / whole) } else { (quotient.ceil(), S::from(step)) };
                Self::Exact { t_start, t_end, step, count: count as u64, taken: 0 }
            }
        }
    }

    /// The grid of a task with constant steps; none if the task has tolerances. It is empty if the span is.
    pub fn of(task: &Task<'_, S>) -> Option<Self> {
        match task.settings.control {
            StepControl::Fixed { step } => Some(Self::new(task.settings.clock, task.t_start, task.t_end, step)),
            StepControl::Tolerance { .. } => None,
        }
    }

    /// True if all steps have the same size.
    pub fn is_even(&self) -> bool {
        match self {
            Self::Accumulating { .. } => true,
            Self::Exact { t_start, t_end, step, count, .. } => {
                let rest = *t_end - *t_start - *step * (*count as f64 - 1.0);
                ((rest - *step) / *step).value().abs() < 1e-6
            }
        }
    }
}

impl<S: Scalar> Iterator for Grid<S> {
    /// End of the step and its size, s.
    type Item = (S, S);

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Exact { t_start, t_end, step, count, taken } => {
                if taken == count {
                    return None;
                }
                let before = *t_start + *step * *taken as f64;
                *taken += 1;
                if taken < count {
                    return Some((*t_start + *step * *taken as f64, *step));
                }
                let rest = *t_end - before;
                // equal up to rounding: keep the steps uniform to the last bit
                let is_whole = ((rest - *step) / *step).value().abs() < 1e-6;
                // nothing may be left after rounding
                (rest.value() > 0.0).then_some((*t_end, if is_whole { *step } else { rest }))
            }
            Self::Accumulating { t, t_end, step } => {
                if *t >= *t_end {
                    return None;
                }
                *t += *step;
                Some((S::from(*t), S::from(*step)))
            }
        }
    }
}

/// The end and the size (s) of the remaining step from `t` to `t_end`; none if it is within rounding.
#[inline]
pub(crate) fn rest<S: Scalar>(t_end: S, t: S) -> Option<(S, S)> {
    let h = t_end - t;
    (h.value() > 4.0 * f64::EPSILON * t_end.value().abs()).then_some((t_end, h))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DoubleDouble;

    /// The counts of compere2001: tables 3.1 to 3.3 (the sum of a hundred times 0.05 falls short of 5).
    #[test]
    fn accumulating_clock_matches_published_step_counts() {
        for (t_end, counts) in [(5.0, [101, 501, 1001, 5000]), (8.0, [161, 801, 1601, 8000])] {
            for (step, count) in [0.05, 0.01, 0.005, 0.001].into_iter().zip(counts) {
                assert_eq!(Grid::new(Clock::Accumulating, 0.0, t_end, step).count(), count, "h = {step}");
                let precise: Grid<DoubleDouble> = Grid::new(Clock::Accumulating, 0.0.into(), t_end.into(), step);
                assert_eq!(precise.count(), count, "h = {step} in double-double");
            }
        }
    }

    #[test]
    fn exact_clock_hits_the_end_with_whole_steps() {
        for step in [0.05, 0.01, 0.005, 0.001] {
            let grid: Vec<(f64, f64)> = Grid::new(Clock::Exact, 0.0, 5.0, step).collect();
            assert_eq!(grid.len(), (5.0 / step).round() as usize);
            assert_eq!(grid.last().unwrap().0, 5.0);
            assert!(grid.iter().all(|&(_, h)| h == step), "h = {step}");
        }
    }

    #[test]
    fn a_grid_reports_even_steps() {
        for (clock, t_end, even) in [
            (Clock::Exact, 2.0, true),
            (Clock::Exact, 2.1, false),
            (Clock::Exact, 0.01, false),
            (Clock::Accumulating, 2.1, true),
        ] {
            assert_eq!(Grid::new(clock, 0.0, t_end, 0.125).is_even(), even, "{clock:?} to {t_end}");
        }
    }

    #[test]
    fn exact_clock_shortens_the_last_step() {
        let grid: Vec<(f64, f64)> = Grid::new(Clock::Exact, 1.0, 2.0, 0.375).collect();
        assert_eq!(grid, [(1.375, 0.375), (1.75, 0.375), (2.0, 0.25)]);
        let longer: Vec<(f64, f64)> = Grid::new(Clock::Exact, 0.0, 1.0, 3.0).collect();
        assert_eq!(longer, [(1.0, 1.0)], "a step longer than the span");
    }

    #[test]
    fn a_decimal_step_is_the_number_meant_in_double_double() {
        let grid: Vec<_> = Grid::<DoubleDouble>::new(Clock::Exact, 0.0.into(), 5.0.into(), 0.05).collect();
        assert_eq!(grid.len(), 100);
        let error = (grid[0].1 - DoubleDouble::ratio(1.0, 20.0)).value();
        assert!(error.abs() < 1e-31, "{error:e}");
    }
}
