//! Drawing primitives shared by plots and legend: positions on axes, lines and markers of the usual size, clipping at
//! the frame.

use super::drawing::{Area, Shape};
use super::figure::{Scale, Series};
use super::style::{Dash, Mark};

/// The width of a curve, px.
const LINE_WIDTH: f64 = 1.6;
/// Half the size of a marker, px.
const RADIUS: f64 = 3.4;
/// The factors of the width of emphasised lines and the size of emphasised markers.
const BOLD: f64 = 1.7;
const BOLD_MARKER: f64 = 1.35;

/// An axis on the drawing.
#[derive(Debug, Clone, Copy)]
pub struct Map {
    pub scale: Scale,
    pub range: [f64; 2],
    /// The positions of the range's ends, px.
    pub ends: [f64; 2],
}

impl Map {
    /// Returns the position of a value, even beyond the ends; `None` if the axis cannot show it.
    pub fn place(&self, value: f64) -> Option<f64> {
        let [low, high] = self.range.map(|end| self.scale.coordinate(end));
        let share = (self.scale.coordinate(value) - low) / (high - low);
        // A limit far outside keeps the direction of a line at the frame within a thousandth of a pixel.
        let place = self.ends[0] + share.clamp(-1e6, 1e6) * (self.ends[1] - self.ends[0]);
        (!place.is_nan()).then_some(place)
    }

    /// Returns the position of a tick, limited to the axis since rounding may move it outside.
    pub fn tick(&self, value: f64) -> f64 {
        let (first, last) = (self.ends[0].min(self.ends[1]), self.ends[0].max(self.ends[1]));
        self.place(value).unwrap_or(first).clamp(first, last)
    }
}

/// Returns a line in the style of a series.
pub fn line(series: &Series, points: impl Into<Vec<[f64; 2]>>) -> Shape {
    let dash = if series.published { Dash::Solid } else { series.style.dash };
    Shape::Line { points: points.into(), width: LINE_WIDTH * if series.bold { BOLD } else { 1.0 }, dash }
}

/// Returns a marker of a series; published ones are open.
pub fn marker(series: &Series, mark: Mark, at: [f64; 2], hollow: bool) -> Shape {
    let radius = RADIUS * if series.bold { BOLD_MARKER } else { 1.0 };
    Shape::Marker { mark, at, radius, hollow: hollow || series.published }
}

/// Returns the part of a segment inside the frame (Liang and Barsky 1984).
pub fn clip(from: [f64; 2], to: [f64; 2], frame: Area) -> Option<[[f64; 2]; 2]> {
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    let [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    let across = [(-dx, from[0] - frame.left), (dx, frame.right - from[0])];
    let down = [(-dy, from[1] - frame.top), (dy, frame.bottom - from[1])];
    for (rate, space) in across.into_iter().chain(down) {
        match rate {
            0.0 if space < 0.0 => return None,
            0.0 => {}
            rate if rate < 0.0 => enter = enter.max(space / rate),
            _ => leave = leave.min(space / rate),
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

/// Arranges the marks on a margin in rows without overlap. Returns the row and the position of each; the position is
/// shifted if all rows are full.
pub fn rows(places: &[f64]) -> Vec<(usize, f64)> {
    const MOST: usize = 5;
    const APART: f64 = 2.6 * RADIUS;
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|&a, &b| places[a].total_cmp(&places[b]));
    let mut ends = [f64::NEG_INFINITY; MOST];
    let mut found = vec![(0, 0.0); places.len()];
    for index in order {
        let shortest = || (0..MOST).min_by(|&a, &b| ends[a].total_cmp(&ends[b])).unwrap_or(0);
        let row = ends.iter().position(|&end| places[index] - end >= APART).unwrap_or_else(shortest);
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
