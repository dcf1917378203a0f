//! Points of a panel that nobody sees, left out.

use std::collections::HashSet;

use mbsbench_numbers::{simplify, simplify_path};

use super::figure::{Axis, Kind, Panel, Point, Scale, Series};

/// Cells along an axis, of which each holds one dot: half a pixel of the usual figure.
const CELLS: f64 = 1000.0;

/// A distance that nobody sees, as a share of an axis: a third of the width of a line in the usual figure.
const UNSEEN: f64 = 1.0 / 600.0;

/// The panel without the points of its curves that lie beyond the range of x or that a straight line between their neighbours
/// shows as well, and without dots that lie on others. What is left are points of the panel, to the bit. Series drawn otherwise
/// stay as they are.
#[must_use]
pub fn thinned(mut panel: Panel) -> Panel {
    if let Some(range) = panel.x.range {
        panel.series.iter_mut().filter(|series| is_curve(series)).for_each(|series| cut(series, range));
    }
    let x = Shares::of(&panel.x, panel.series.iter().flat_map(|series| &series.points).map(|point| point.x));
    let y = Shares::of(&panel.y, panel.series.iter().flat_map(|series| &series.points).map(|point| point.y));
    for series in &mut panel.series {
        let places: Vec<[f64; 2]> =
            series.points.iter().map(|point| [x.of_value(point.x), y.of_value(point.y)]).collect();
        let kept = match series.kind {
            Kind::Dots => of_dots(&places),
            _ if is_curve(series) => of_line(&places),
            _ => continue,
        };
        keep(series, &kept);
    }
    panel
}

fn is_curve(series: &Series) -> bool {
    matches!(series.kind, Kind::Line | Kind::Both)
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

fn of_line(places: &[[f64; 2]]) -> Vec<usize> {
    let is_placed = |place: &[f64; 2]| place.iter().all(|share| share.is_finite());
    let x: Vec<f64> = places.iter().map(|place| place[0]).collect();
    if !x.is_sorted() {
        return if places.iter().all(is_placed) { simplify_path(places, UNSEEN) } else { (0..places.len()).collect() };
    }
    let y: Vec<f64> = places.iter().map(|place| place[1]).collect();
    let placed = || y.iter().copied().filter(|share| share.is_finite());
    let range = placed().fold(f64::MIN, f64::max) - placed().fold(f64::MAX, f64::min);
    if range > 0.0 { simplify(&x, &[&y], UNSEEN / range) } else { simplify(&x, &[&y], UNSEEN) }
}

fn of_dots(places: &[[f64; 2]]) -> Vec<usize> {
    let mut taken = HashSet::new();
    let cell = |place: &[f64; 2]| place.map(|share| (share * CELLS).round() as i64);
    (0..places.len()).filter(|&index| taken.insert(cell(&places[index]))).collect()
}

/// Where values stand along an axis, as a share of it.
struct Shares {
    scale: Scale,
    ends: [f64; 2],
}

impl Shares {
    fn of(axis: &Axis, values: impl Iterator<Item = f64>) -> Self {
        let scale = axis.scale;
        let placed = values.map(|value| Self::coordinate(scale, value)).filter(|value| value.is_finite());
        let extent = placed.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| [low.min(v), high.max(v)]);
        let given = axis.range.map(|ends| ends.map(|end| Self::coordinate(scale, end)));
        Self { scale, ends: given.filter(|ends| ends.iter().all(|end| end.is_finite())).unwrap_or(extent) }
    }

    /// What distances along the axis are distances of; not finite where the axis has no place for the value.
    fn coordinate(scale: Scale, value: f64) -> f64 {
        match scale {
            Scale::Linear => value,
            Scale::Log if value > 0.0 => value.log10(),
            Scale::Log => f64::NAN,
        }
    }

    fn of_value(&self, value: f64) -> f64 {
        let [low, high] = self.ends;
        let share = Self::coordinate(self.scale, value) - low;
        if high > low { share / (high - low) } else { share }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::Style;

    fn panel(y: Axis, kind: Kind, points: Vec<[f64; 2]>) -> Panel {
        let series = Series { kind, ..Series::line("", Style::of_index(0), points) };
        let x = Axis::linear("x", "");
        Panel { title: String::new(), x, y, series: vec![series], to_scale: false, names: Vec::new() }
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
