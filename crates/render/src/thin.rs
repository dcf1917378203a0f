//! Removes points of a panel that are not visible.

use std::collections::HashSet;

use super::figure::{Axis, Panel, Point, Scale, Series};
use super::marks::Map;

/// The largest invisible distance, as a fraction of an axis: a third of the width of a line in the usual figure.
pub(crate) const UNSEEN: f64 = 1.0 / 600.0;

/// Returns the panel without invisible points: points of curves beyond the range of x, points that a straight line
/// between their neighbours replaces, and dots that lie on others. The remaining points are unchanged to the bit. Other
/// kinds of series are unchanged.
pub fn thinned(mut panel: Panel) -> Panel {
    if let Some(range) = panel.x.range {
        panel.series.iter_mut().filter(|series| series.kind.plot().is_line()).for_each(|series| cut(series, range));
    }
    let points = panel.series.iter().flat_map(|series| &series.points);
    let (x, y) = (shares(&panel.x, points.map(|point| point.x)), shares(&panel.y, seen_values(&panel).into_iter()));
    for series in &mut panel.series {
        let share = |map: &Map, value: f64| map.place(value).unwrap_or(f64::NAN);
        let places: Vec<[f64; 2]> =
            series.points.iter().map(|point| [share(&x, point.x), share(&y, point.y)]).collect();
        if let Some(seen) = series.kind.plot().seen(&places) {
            let seen: HashSet<usize> = seen.into_iter().collect();
            // Points with open markers are all kept.
            let mut place = 0..;
            series.points.retain(|point| place.next().is_some_and(|place| seen.contains(&place)) || point.hollow);
        }
    }
    panel
}

/// Removes points beyond the ends of the axis, except for those from which the curve enters and to which it leaves.
fn cut(series: &mut Series, [low, high]: [f64; 2]) {
    let points = &mut series.points;
    if !points.is_sorted_by(|a, b| a.x <= b.x) {
        return;
    }
    let [first, end] = [points.partition_point(|point| point.x < low), points.partition_point(|point| point.x <= high)];
    if first == points.len() || end == 0 {
        // The curve ends before the axis begins, or begins after its end.
        points.clear();
        return;
    }
    points.truncate(end + 1);
    points.drain(..first.saturating_sub(1));
}

/// Returns the values of y that a panel shows: of points within the range of x, and of lines at its ends.
pub(crate) fn seen_values(panel: &Panel) -> Vec<f64> {
    let Some([low, high]) = panel.x.range else {
        let points = panel.series.iter().flat_map(|series| &series.points);
        return points.filter(|point| point.x.is_finite()).map(|point| point.y).collect();
    };
    let mut values = Vec::new();
    for series in &panel.series {
        values.extend(series.points.iter().filter(|point| (low..=high).contains(&point.x)).map(|point| point.y));
        for pair in series.points.windows(2).filter(|_| series.kind.plot().is_line()) {
            values.extend([low, high].into_iter().filter_map(|end| crossing(panel, pair[0], pair[1], end)));
        }
    }
    values
}

/// Returns the value of y at which the drawn line between two points crosses a value of x.
fn crossing(panel: &Panel, from: Point, to: Point, x: f64) -> Option<f64> {
    let [start, end, at] = [from.x, to.x, x].map(|x| panel.x.scale.coordinate(x));
    let share = (at - start) / (end - start);
    // The fraction is NaN if both points have the same x.
    if !(share > 0.0 && share < 1.0) {
        return None;
    }
    let [from, to] = [from.y, to.y].map(|y| panel.y.scale.coordinate(y));
    let value = from + share * (to - from);
    Some(match panel.y.scale {
        Scale::Linear => value,
        Scale::Log => 10_f64.powf(value),
    })
}

/// Returns the smallest and largest value; `None` without values.
pub(crate) fn extent(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    values.fold(None, |ends: Option<[f64; 2]>, value| {
        Some(ends.map_or([value, value], |[low, high]| [low.min(value), high.max(value)]))
    })
}

/// Returns a map of the axis to the interval from 0 to 1.
fn shares(axis: &Axis, values: impl Iterator<Item = f64>) -> Map {
    let is_placed = |value: &f64| axis.scale.coordinate(*value).is_finite();
    let given = axis.range.filter(|ends| ends.iter().all(is_placed)).or_else(|| extent(values.filter(is_placed)));
    let [low, high] = given.unwrap_or([f64::INFINITY, f64::NEG_INFINITY]);
    let beyond = if axis.scale == Scale::Log { 10.0 * low } else { low + 1.0 };
    Map { scale: axis.scale, range: [low, if high > low { high } else { beyond }], ends: [0.0, 1.0] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::Kind;
    use crate::style::Style;

    fn panel(y: Axis, kind: Kind, points: Vec<[f64; 2]>) -> Panel {
        let series = Series::new(kind, "", Style::of_index(0), points);
        let x = Axis::linear("x", "");
        Panel { x, y, series: vec![series], ..Panel::default() }
    }

    fn left(panel: Panel) -> Vec<[f64; 2]> {
        thinned(panel).series[0].points.iter().map(|point| [point.x, point.y]).collect()
    }

    #[test]
    fn thinning_does_not_move_a_curve() {
        let decay = |i: u32| [f64::from(i), 10_f64.powf(-0.01 * f64::from(i))];
        let points: Vec<[f64; 2]> = (0..=1000).map(decay).collect();
        assert_eq!(left(panel(Axis::log("y", ""), Kind::Line, points.clone())), [points[0], points[1000]]);
        let linear = left(panel(Axis::linear("y", ""), Kind::Line, points.clone()));
        assert!((10..100).contains(&linear.len()), "{}", linear.len());
        for point in &points {
            let right = linear.partition_point(|kept| kept[0] < point[0]).max(1);
            let [a, b] = [linear[right - 1], linear[right]];
            let between = a[1] + (b[1] - a[1]) * (point[0] - a[0]) / (b[0] - a[0]);
            assert!((between - point[1]).abs() <= UNSEEN * (1.0 + 1e-9), "{between} at {point:?}");
        }
    }

    #[test]
    fn a_short_range_is_looked_at_closely() {
        let wave: Vec<[f64; 2]> = (0..200).map(|i| [f64::from(i), (0.3 * f64::from(i)).sin()]).collect();
        let mut points = wave.clone();
        points.push([200.0, 1e6]);
        assert!(left(panel(Axis::linear("y", ""), Kind::Line, points.clone())).len() < 10);
        let near = left(panel(Axis::linear("y", "").between(-1.0, 1.0), Kind::Line, points));
        assert!(near.len() > 100, "{}", near.len());
    }

    #[test]
    fn crossings_of_the_range_are_kept() {
        let points: Vec<[f64; 2]> = (0..10).map(|i| [f64::from(i), f64::from(i % 2)]).collect();
        let mut panel = panel(Axis::linear("y", ""), Kind::Line, points.clone());
        panel.x = panel.x.between(2.5, 5.5);
        assert_eq!(left(panel.clone()), points[2..=6]);
        panel.x = panel.x.between(-1.0, 20.0);
        assert_eq!(left(panel), points);
    }

    #[test]
    fn fast_oscillations_are_thinned_evenly() {
        let wave = |i: u32| [1e-5 * f64::from(i), (0.13 * f64::from(i)).sin()];
        let kept = left(panel(Axis::linear("y", ""), Kind::Line, (0..=100_000).map(wave).collect()));
        for part in 0..10 {
            let within = |point: &&[f64; 2]| (0.1 * f64::from(part)..0.1 * f64::from(part + 1)).contains(&point[0]);
            let points = kept.iter().filter(within).count();
            assert!((60..=125).contains(&points), "{points} points in a tenth of the axis");
        }
    }

    #[test]
    fn points_beyond_the_range_do_not_affect_axes() {
        let mut early = panel(Axis::linear("y", ""), Kind::Line, vec![[-18.0, -0.11]]);
        early.x = early.x.between(0.0, 12.0);
        assert_eq!(left(early.clone()), [[0.0; 2]; 0], "a run that fails before the axis begins");
        let mut steep = panel(Axis::linear("y", ""), Kind::Line, vec![[-1.0, -9.0], [1.0, 1.0], [13.0, 1.0]]);
        steep.x = steep.x.between(0.0, 12.0);
        assert_eq!(seen_values(&steep), [1.0, -4.0, 1.0]);
        steep.series[0].kind = Kind::Dots;
        assert_eq!(seen_values(&steep), [1.0]);
        let mut logarithmic = panel(Axis::log("y", ""), Kind::Line, vec![[0.0, 1.0], [2.0, 100.0]]);
        logarithmic.x = logarithmic.x.between(-1.0, 1.0);
        assert_eq!(seen_values(&logarithmic), [1.0, 10.0]);
    }

    #[test]
    fn an_orbit_keeps_its_loops() {
        let turn = |i: u32| (f64::from(i) * 0.01).sin_cos();
        let points: Vec<[f64; 2]> = (0..3000).map(|i| turn(i).into()).collect();
        let kept = left(panel(Axis::linear("y", ""), Kind::Line, points));
        // The chord of an arc of angle a deviates by 1 − cos(a/2) of the radius, which is half the range: a²/16 of the
        // range. The whole curve has 30 rad.
        let fewest = 30.0 / (4.0 * UNSEEN.sqrt());
        assert!((fewest..2.0 * fewest).contains(&(kept.len() as f64)), "{} of {fewest}", kept.len());
    }

    #[test]
    fn coincident_dots_are_drawn_once() {
        let points = vec![[0.0, 0.0], [1.0, 1.0], [1e-5, 1e-5], [0.5, 0.5], [0.5, 0.5]];
        let kept = left(panel(Axis::linear("y", ""), Kind::Dots, points));
        assert_eq!(kept, [[0.0, 0.0], [1.0, 1.0], [0.5, 0.5]]);
    }
}
