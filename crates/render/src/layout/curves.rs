//! Points of a series on the drawing: mapped, clipped to the frame, or put on a margin.

use std::collections::HashSet;

use mbsbench_numbers::{simplify, simplify_path};

use super::super::drawing::{Area, Group, Ink, Part, Shape};
use super::super::figure::{Kind, Scale, Series};
use super::super::style::{Dash, Mark};
use super::legend::{marker, ring};

/// Width of a curve, px.
pub const LINE_WIDTH: f64 = 1.6;
/// Half the size of a marker, px.
pub const RADIUS: f64 = 3.4;
/// That of a ring about a marker, px.
pub const RING: f64 = 6.0;
/// Points of a line that are nearer than this to the one before are left out, px.
const CLOSEST: f64 = 0.04;

/// Radius of a dot, px.
const DOT: f64 = 1.2;

/// Ink of a series.
pub fn ink_of(series: &Series) -> Ink {
    if series.published && series.kind != Kind::Rings { Ink::Published } else { Ink::Hue(series.style.hue) }
}

/// Dashes of a series.
pub fn dash_of(series: &Series) -> Dash {
    if series.published { Dash::Solid } else { series.style.dash }
}

/// An axis on the drawing.
#[derive(Debug, Clone, Copy)]
pub struct Map {
    pub scale: Scale,
    pub range: [f64; 2],
    /// Places of the range's ends, px.
    pub ends: [f64; 2],
}

impl Map {
    /// Place of a value, also beyond the ends; `None` where the axis has no place for it.
    pub fn place(&self, value: f64) -> Option<f64> {
        let [low, high] = self.range;
        let share = match self.scale {
            Scale::Linear => (value - low) / (high - low),
            Scale::Log if value > 0.0 => (value.log10() - low.log10()) / (high.log10() - low.log10()),
            Scale::Log => return None,
        };
        // Far outside is far enough: the line's direction at the frame is kept to a thousandth of a pixel.
        Some(self.ends[0] + share.clamp(-1e6, 1e6) * (self.ends[1] - self.ends[0]))
    }

    /// Place of a tick, which may lie outside by rounding.
    pub fn tick(&self, value: f64) -> f64 {
        let (first, last) = (self.ends[0].min(self.ends[1]), self.ends[0].max(self.ends[1]));
        self.place(value).unwrap_or(first).clamp(first, last)
    }
}

/// What became of the points of a series that are not at their own place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unplaced {
    /// Beyond the ends of a given range.
    pub outside: usize,
    /// Not finite.
    pub not_finite: usize,
}

/// Distance from a line below which a point of it is not seen, px.
const INVISIBLE: f64 = 0.25;
/// Points of a curve beyond which not each has its marker.
const MOST_MARKERS: usize = 16;
/// Least distance of markers along such a curve, px.
const MARKERS_APART: f64 = 56.0;
/// Markers along the whole of such a curve, where that leaves them farther apart: more would hide what oscillates fast.
const MARKERS_OF_LONG: f64 = 12.0;

/// Draws line and markers of a series within `frame`; it is the `index`-th of its panel.
///
/// A curve of many points has markers at some of them, and those of the next series lie between, where curves coincide.
pub fn draw(series: &Series, index: usize, x: Map, y: Map, frame: Area, groups: &mut Vec<Group>) {
    let mut group = Group { ink: ink_of(series), part: Part::Series(series.name().to_owned()), shapes: Vec::new() };
    let place = |px: f64, py: f64| Some([x.place(px)?, y.place(py)?]);
    if matches!(series.kind, Kind::Line | Kind::Both) {
        let mut line: Vec<[f64; 2]> = Vec::new();
        let mut before: Option<[f64; 2]> = None;
        let mut finish = |line: &mut Vec<[f64; 2]>| {
            let points = visible(std::mem::take(line));
            if points.len() > 1 {
                group.shapes.push(Shape::Line { points, width: LINE_WIDTH, dash: dash_of(series) });
            }
        };
        for point in &series.points {
            let finite = point.x.is_finite() && point.y.is_finite();
            let Some(here) = finite.then(|| place(point.x, point.y)).flatten() else {
                finish(&mut line);
                before = None;
                continue;
            };
            if let Some([from, to]) = before.and_then(|before| clip(before, here, frame)) {
                if line.last().is_none_or(|&last| distance(last, from) > CLOSEST) {
                    finish(&mut line);
                    line.push(from);
                }
                line.push(to);
            }
            // A point left out is not forgotten: the next segment starts at the last point drawn.
            if before.is_none_or(|before| distance(before, here) > CLOSEST) {
                before = Some(here);
            }
        }
        finish(&mut line);
    }
    if series.kind == Kind::Segments {
        for pair in series.points.chunks_exact(2) {
            let ends = [place(pair[0].x, pair[0].y), place(pair[1].x, pair[1].y)];
            if let Some([from, to]) = ends[0].zip(ends[1]).and_then(|(from, to)| clip(from, to, frame)) {
                group.shapes.push(Shape::Line { points: vec![from, to], width: LINE_WIDTH, dash: dash_of(series) });
            }
        }
    } else if series.kind == Kind::Dots {
        let here = series.points.iter().filter_map(|point| place(point.x, point.y)).filter(|&at| frame.holds(at));
        // Dots closer than this lie on each other.
        let mut taken = HashSet::new();
        let apart = here.filter(|at| taken.insert(at.map(|place| (2.0 * place).round() as i64)));
        let dot = |at| Shape::Marker { mark: Mark::Circle, at, radius: DOT, hollow: false };
        group.shapes.extend(apart.map(dot));
    } else if series.kind == Kind::Rings {
        let here = series.points.iter().filter_map(|point| place(point.x, point.y)).filter(|&at| frame.holds(at));
        group.shapes.extend(here.map(ring));
    } else if series.kind != Kind::Line {
        let finite = series.points.iter().filter(|point| point.x.is_finite() && point.y.is_finite());
        let placed = finite.filter_map(|point| Some((point, place(point.x, point.y).filter(|&at| frame.holds(at))?)));
        let placed: Vec<_> = placed.collect();
        let sparse = series.kind == Kind::Both && placed.len() > MOST_MARKERS;
        let length: f64 = placed.windows(2).map(|pair| distance(pair[0].1, pair[1].1)).sum();
        let apart = MARKERS_APART.max(length / MARKERS_OF_LONG);
        let mut due = apart * (0.35 + 0.382 * index as f64).fract();
        let mut before = None;
        for (point, at) in placed {
            due -= before.map_or(0.0, |before| distance(before, at));
            before = Some(at);
            if sparse && due > 0.0 && !point.hollow {
                continue;
            }
            due = if due > -apart { due + apart } else { apart };
            group.shapes.push(marker(series.style.mark, at, point.hollow || series.published));
        }
    }
    groups.push(group);
}

/// The points of a line without which it would look otherwise.
fn visible(points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    let [x, y]: [Vec<f64>; 2] = std::array::from_fn(|k| points.iter().map(|point| point[k]).collect());
    let [low, high] = y.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], &y| [low.min(y), high.max(y)]);
    if !x.is_sorted() {
        return simplify_path(&points, INVISIBLE).into_iter().map(|row| points[row]).collect();
    }
    if high <= low {
        return points;
    }
    simplify(&x, &[&y], INVISIBLE / (high - low)).into_iter().map(|row| points[row]).collect()
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// The part of a segment inside the frame (Liang and Barsky 1984).
pub fn clip(from: [f64; 2], to: [f64; 2], frame: Area) -> Option<[[f64; 2]; 2]> {
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    let [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    for (rate, room) in [
        (-dx, from[0] - frame.left),
        (dx, frame.right - from[0]),
        (-dy, from[1] - frame.top),
        (dy, frame.bottom - from[1]),
    ] {
        if rate == 0.0 {
            if room < 0.0 {
                return None;
            }
        } else if rate < 0.0 {
            enter = enter.max(room / rate);
        } else {
            leave = leave.min(room / rate);
        }
    }
    if enter > leave {
        return None;
    }
    let at = |share: f64| match share {
        0.0 => from,
        1.0 => to,
        share => [from[0] + share * dx, from[1] + share * dy],
    };
    Some([at(enter), at(leave)])
}

/// Puts marks that stand on one margin into rows, so that none covers another: for each place its row and its
/// (where all rows are full: shifted) place.
pub fn rows(places: &[f64]) -> Vec<(usize, f64)> {
    const MOST: usize = 5;
    const APART: f64 = 2.6 * RADIUS;
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|&a, &b| places[a].total_cmp(&places[b]));
    let mut ends: Vec<f64> = Vec::new();
    let mut found = vec![(0, 0.0); places.len()];
    for index in order {
        let free = ends.iter().position(|&end| places[index] - end >= APART);
        let row = match free {
            Some(row) => row,
            None if ends.len() < MOST => {
                ends.push(f64::NEG_INFINITY);
                ends.len() - 1
            }
            None => (0..MOST).min_by(|&a, &b| ends[a].total_cmp(&ends[b])).unwrap_or(0),
        };
        let place = places[index].max(ends[row] + APART);
        ends[row] = place;
        found[index] = (row, place);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Area = Area { left: 0.0, top: 0.0, right: 10.0, bottom: 10.0 };

    #[test]
    fn segments_are_cut_at_the_frame() {
        assert_eq!(clip([-5.0, 5.0], [5.0, 5.0], FRAME), Some([[0.0, 5.0], [5.0, 5.0]]));
        assert_eq!(clip([-5.0, -5.0], [15.0, 15.0], FRAME), Some([[0.0, 0.0], [10.0, 10.0]]));
        assert_eq!(clip([-5.0, 5.0], [5.0, 16.0], FRAME), None);
        assert_eq!(clip([3.0, 3.0], [3.0, 3.0], FRAME), Some([[3.0, 3.0], [3.0, 3.0]]));
    }

    #[test]
    fn marks_on_a_margin_do_not_cover_each_other() {
        let places = [5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 40.0];
        let found = rows(&places);
        for (i, a) in found.iter().enumerate() {
            for b in &found[..i] {
                assert!(a.0 != b.0 || (a.1 - b.1).abs() >= 2.0 * RADIUS, "{a:?} covers {b:?}");
            }
        }
        assert_eq!(found[7], (0, 40.0));
    }
}
