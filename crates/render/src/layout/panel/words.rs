//! Descriptions of panels for readers who cannot see them.

use std::fmt::Write as _;

use mbsbench_numbers::{rounded, shortest};

use super::super::super::figure::{Axis, Failure, Point, Scale, Series};
use super::{Prepared, letters};

impl Prepared<'_> {
    /// Describes the panel.
    pub fn description(&self) -> String {
        let mut words = self.letter.map(|index| format!("({}) ", letters(index))).unwrap_or_default();
        let _ = write!(words, "{} over {}.", self.panel.y.text(), self.panel.x.text());
        let named = self.panel.series.iter().filter(|series| !series.label.is_empty());
        let mut named: Vec<String> = named.map(Series::entry).collect();
        named.dedup();
        if !named.is_empty() {
            let _ = write!(words, " Series: {}.", named.join(", "));
        }
        for series in &self.panel.series {
            for failure in &series.failures {
                let _ = write!(words, " {}{}.", series.label, self.failure(failure));
            }
            let [outside, not_finite] = self.unplaced(series);
            for (count, one, more, what) in
                [(outside, "lies", "lie", "outside the axes"), (not_finite, "is", "are", "not finite")]
            {
                match count {
                    0 => Ok(()),
                    1 => write!(words, " {}: 1 point {one} {what}.", series.label),
                    _ => write!(words, " {}: {count} points {more} {what}.", series.label),
                }
                .expect("a string takes words");
            }
        }
        words
    }

    /// Describes a failure. Over time it is placed at the time reached, which is then mentioned only once.
    fn failure(&self, failure: &Failure) -> String {
        let &Failure { x, ref name, t_reached } = failure;
        let number = |value: f64| shortest(rounded(value));
        let at = match self.panel.x.name_at(x) {
            Some(place) => format!(" at {place}"),
            None if x == t_reached => String::new(),
            None => format!(" at {}", number(x)),
        };
        format!("{at} failed: {name} at t = {} s", number(t_reached))
    }

    /// Returns the numbers of points that are not drawn: beyond the ends of a given range, and not finite.
    fn unplaced(&self, series: &Series) -> [usize; 2] {
        let beyond = |axis: &Axis, [low, high]: [f64; 2], value: f64| {
            (axis.scale == Scale::Linear || value > 0.0) && !(low..=high).contains(&value)
        };
        let (finite, others): (Vec<&Point>, Vec<&Point>) =
            series.points.iter().partition(|point| point.x.is_finite() && point.y.is_finite());
        let is_outside = |point: &&&Point| {
            beyond(&self.panel.x, self.x_range, point.x) || beyond(&self.panel.y, self.y_range, point.y)
        };
        [finite.iter().filter(is_outside).count(), others.len()]
    }
}
