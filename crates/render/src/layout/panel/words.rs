//! A panel in words, for those who do not see it.

use std::fmt::Write as _;

use mbsbench_numbers::{rounded, shortest};

use super::super::super::figure::{Axis, Failure, Scale, Series};
use super::super::curves::Unplaced;
use super::{Prepared, letters};

impl Prepared<'_> {
    /// The panel in words.
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
            let unplaced = self.unplaced(series);
            if unplaced.outside > 0 {
                let (points, lie) = (points(unplaced.outside), if unplaced.outside == 1 { "lies" } else { "lie" });
                let _ = write!(words, " {}: {points} {lie} outside the axes.", series.label);
            }
            if unplaced.not_finite > 0 {
                let (points, are) = (points(unplaced.not_finite), if unplaced.not_finite == 1 { "is" } else { "are" });
                let _ = write!(words, " {}: {points} {are} not finite.", series.label);
            }
        }
        words
    }

    /// A failure in words. Over time it stands at the time reached, which is said once.
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

    fn unplaced(&self, series: &Series) -> Unplaced {
        let beyond = |axis: &Axis, [low, high]: [f64; 2], value: f64| {
            (axis.scale == Scale::Linear || value > 0.0) && !(low..=high).contains(&value)
        };
        let mut unplaced = Unplaced::default();
        for point in &series.points {
            if !(point.x.is_finite() && point.y.is_finite()) {
                unplaced.not_finite += 1;
            } else if beyond(&self.panel.x, self.x_range, point.x) || beyond(&self.panel.y, self.y_range, point.y) {
                unplaced.outside += 1;
            }
        }
        unplaced
    }
}

/// `1 point`, `2 points`.
fn points(count: usize) -> String {
    if count == 1 { "1 point".to_owned() } else { format!("{count} points") }
}
