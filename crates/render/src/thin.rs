//! Points of a panel that nobody sees, left out.

use std::collections::HashSet;

use super::figure::{Axis, Panel, Point, Scale, Series};
use super::marks::Map;

/// A distance that nobody sees, as a share of an axis: a third of the width of a line in the usual figure.
pub(crate) const UNSEEN: f64 = 1.0 / 600.0;

/// The panel without the points of its curves that lie beyond the range of x or that a straight line between their neighbours
/// shows as well, and without dots that lie on others. What is left are points of the panel, to the bit. Series drawn otherwise
/// stay as they are.
#[must_use]
pub fn thinned(mut panel: Panel) -> Panel {
    if let Some(range) = panel.x.range {
        panel.series.iter_mut().filter(|series| series.kind.plot().is_line()).for_each(|series| cut(series, range));
    }
    let points = || panel.series.iter().flat_map(|series| &series.points);
    let (x, y) = (shares(&panel.x, points().map(|point| point.x)), shares(&panel.y, points().map(|point| point.y)));
    for series in &mut panel.series {
        let share = |map: &Map, value: f64| map.place(value).unwrap_or(f64::NAN);
        let places: Vec<[f64; 2]> =
            series.points.iter().map(|point| [share(&x, point.x), share(&y, point.y)]).collect();
        if let Some(seen) = series.kind.plot().seen(&places) {
            keep(series, &seen);
        }
    }
    panel
}

/// Leaves out what lies beyond the ends of the axis, but for the points from which the curve comes and to which it goes.
fn cut(series: &mut Series, [low, high]: [f64; 2]) {
    let points = &mut series.points;
    if points.is_sorted_by(|a, b| a.x <= b.x) {
        points.truncate(points.partition_point(|point| point.x <= high) + 1);
        points.drain(..points.partition_point(|point| point.x < low).saturating_sub(1));
    }
}

/// Keeps the points with these places in the row, and open ones.
fn keep(series: &mut Series, kept: &[usize]) {
    let kept: HashSet<usize> = kept.iter().copied().collect();
    let is_kept = |&(place, point): &(usize, &Point)| point.hollow || kept.contains(&place);
    series.points = series.points.iter().enumerate().filter(is_kept).map(|(_, &point)| point).collect();
}

/// An axis from 0 to 1.
fn shares(axis: &Axis, values: impl Iterator<Item = f64>) -> Map {
    let is_placed = |value: &f64| axis.scale.coordinate(*value).is_finite();
    let extent = || {
        let placed = values.filter(is_placed);
        placed.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| [low.min(v), high.max(v)])
    };
    let [low, high] = axis.range.filter(|ends| ends.iter().all(is_placed)).unwrap_or_else(extent);
    let beyond = if axis.scale == Scale::Log { 10.0 * low } else { low + 1.0 };
    Map { scale: axis.scale, range: [low, if high > low { high } else { beyond }], ends: [0.0, 1.0] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::Kind;
    use crate::style::Style;

    fn panel(y: Axis, kind: Kind, points: Vec<[f64; 2]>) -> Panel {
        let series = Series { kind, ..Series::line("", Style::of_index(0), points) };
        let x = Axis::linear("x", "");
        Panel {
            title: String::new(),
            x,
            y,
            series: vec![series],
            to_scale: false,
            names: Vec::new(),
            named_at_ends: false,
        }
    }

    fn left(panel: Panel) -> Vec<[f64; 2]> {
        thinned(panel).series[0].points.iter().map(|point| [point.x, point.y]).collect()
    }

    #[test]
    fn a_curve_stays_where_it_was_on_its_axis() {
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
    fn what_comes_into_the_range_and_goes_out_of_it_stays() {
        let points: Vec<[f64; 2]> = (0..10).map(|i| [f64::from(i), f64::from(i % 2)]).collect();
        let mut panel = panel(Axis::linear("y", ""), Kind::Line, points.clone());
        panel.x = panel.x.between(2.5, 5.5);
        assert_eq!(left(panel.clone()), points[2..=6]);
        panel.x = panel.x.between(-1.0, 20.0);
        assert_eq!(left(panel), points);
    }

    #[test]
    fn an_orbit_keeps_its_loops() {
        let turn = |i: u32| (f64::from(i) * 0.01).sin_cos();
        let points: Vec<[f64; 2]> = (0..3000).map(|i| turn(i).into()).collect();
        let kept = left(panel(Axis::linear("y", ""), Kind::Line, points));
        // A chord of an arc of angle a lies off by 1 − cos(a/2) of the radius, half the range: a²/16 of the range, and
        // there are 30 rad in all.
        let fewest = 30.0 / (4.0 * UNSEEN.sqrt());
        assert!((fewest..2.0 * fewest).contains(&(kept.len() as f64)), "{} of {fewest}", kept.len());
    }

    #[test]
    fn dots_on_each_other_are_one() {
        let points = vec![[0.0, 0.0], [1.0, 1.0], [1e-5, 1e-5], [0.5, 0.5], [0.5, 0.5]];
        let kept = left(panel(Axis::linear("y", ""), Kind::Dots, points));
        assert_eq!(kept, [[0.0, 0.0], [1.0, 1.0], [0.5, 0.5]]);
    }
}
