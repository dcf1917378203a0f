//! Curves, points with markers, and both.

use mbsbench_numbers::{simplify, simplify_path, thin_evenly};

use super::{Place, Plot, data, legend, sample_marker};
use crate::drawing::{Area, Group, Shape};
use crate::figure::Series;
use crate::marks::{clip, line, marker};
use crate::thin::UNSEEN;

/// The largest number of points for which every point has a marker.
const MOST_MARKERS: usize = 16;
/// The smallest distance of markers along a longer curve, px.
const MARKERS_APART: f64 = 56.0;
/// The largest number of markers along such a curve. If curves oscillate fast, more markers would hide them.
const MARKERS_OF_LONG: f64 = 12.0;

/// The number of intervals of an axis in which the envelope of a curve is kept: in the usual figure each is as wide as
/// the line.
const BUCKETS: usize = 300;

/// A line through the points, a marker at each, or both.
pub struct Curve {
    pub line: bool,
    pub markers: bool,
}

impl Plot for Curve {
    fn draw(&self, series: &Series, place: Place<'_>) -> Vec<Group> {
        let mut shapes = if self.line { lines(series, place) } else { Vec::new() };
        if self.markers {
            shapes.extend(markers(series, place, self.line));
        }
        vec![data(series, self.ink(series), shapes)]
    }

    fn sample(&self, series: &Series, space: Area) -> Vec<Group> {
        let mut shapes = Vec::new();
        if self.line {
            shapes.push(line(series, space.across()));
        }
        if self.markers {
            shapes.push(sample_marker(series, space));
        }
        vec![legend(series, self.ink(series), shapes)]
    }

    fn seen(&self, places: &[[f64; 2]]) -> Option<Vec<usize>> {
        if !self.line {
            return None;
        }
        let [x, y]: [Vec<f64>; 2] = [0, 1].map(|k| places.iter().map(|place| place[k]).collect());
        if !x.is_sorted() {
            let is_placed = places.iter().flatten().all(|share| share.is_finite());
            return is_placed.then(|| simplify_path(places, UNSEEN));
        }
        // The density is the same along the axis: a curve that oscillates too fast to be resolved is reduced to its
        // envelope.
        let even = thin_evenly(&x, &y, BUCKETS);
        let [x, y] = [x, y].map(|all| even.iter().map(|&row| all[row]).collect::<Vec<f64>>());
        let placed = || y.iter().copied().filter(|share| share.is_finite());
        let range = placed().fold(f64::MIN, f64::max) - placed().fold(f64::MAX, f64::min);
        let kept = simplify(&x, &[&y], if range > 0.0 { UNSEEN / range } else { UNSEEN });
        Some(kept.into_iter().map(|row| even[row]).collect())
    }

    fn is_line(&self) -> bool {
        self.line
    }
}

/// Returns the pieces of a line inside the frame. A point that the axes cannot show interrupts the line.
fn lines(series: &Series, place: Place<'_>) -> Vec<Shape> {
    let places: Vec<Option<[f64; 2]>> = series.points.iter().map(|point| place.at(point)).collect();
    let mut pieces: Vec<Vec<[f64; 2]>> = Vec::new();
    for pair in places.windows(2) {
        let Some([from, to]) = pair[0].zip(pair[1]).and_then(|(from, to)| clip(from, to, place.frame)) else {
            continue;
        };
        match pieces.last_mut() {
            Some(piece) if piece.last() == Some(&from) => piece.push(to),
            _ => pieces.push(vec![from, to]),
        }
    }
    pieces.into_iter().map(|piece| line(series, piece)).collect()
}

/// Returns a marker at each point, or at some points of a long curve. The markers of successive series are staggered,
/// so that they remain visible if the curves coincide.
fn markers(series: &Series, place: Place<'_>, on_line: bool) -> Vec<Shape> {
    let placed: Vec<_> = place.inside(series).collect();
    let sparse = on_line && placed.len() > MOST_MARKERS;
    let distance = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
    let length: f64 = placed.windows(2).map(|pair| distance(pair[0].1, pair[1].1)).sum();
    let apart = MARKERS_APART.max(length / MARKERS_OF_LONG);
    let mut due = apart * (0.35 + 0.382 * place.before as f64).fract();
    let mut before = None;
    let mut shapes = Vec::new();
    for (point, at) in placed {
        due -= before.map_or(0.0, |before| distance(before, at));
        before = Some(at);
        if sparse && due > 0.0 && !point.hollow {
            continue;
        }
        due = if due > -apart { due + apart } else { apart };
        shapes.push(marker(series, series.style.mark, at, point.hollow));
    }
    shapes
}
