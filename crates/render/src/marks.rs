//! What all kinds of plot and the legend draw with: places on axes, lines and markers of the usual size, the edge of a frame.
//!
//! Coordinates of plotters are whole pixels, give a place to what has no logarithm, and do not cut lines; hence these.

use super::drawing::{Area, Shape};
use super::figure::{Scale, Series};
use super::style::{Dash, Mark};

/// Width of a curve, px.
const LINE_WIDTH: f64 = 1.6;
/// The same of one that stands out, px.
const BOLD_WIDTH: f64 = 3.4;
/// Half the size of a marker, px.
const RADIUS: f64 = 3.4;

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
        let [low, high] = self.range.map(|end| self.scale.coordinate(end));
        let share = (self.scale.coordinate(value) - low) / (high - low);
        // Far outside is far enough: the line's direction at the frame is kept to a thousandth of a pixel.
        let place = self.ends[0] + share.clamp(-1e6, 1e6) * (self.ends[1] - self.ends[0]);
        (!place.is_nan()).then_some(place)
    }

    /// Place of a tick, which may lie outside by rounding.
    pub fn tick(&self, value: f64) -> f64 {
        let (first, last) = (self.ends[0].min(self.ends[1]), self.ends[0].max(self.ends[1]));
        self.place(value).unwrap_or(first).clamp(first, last)
    }
}

/// A line with the looks of a series.
pub fn line(series: &Series, points: impl Into<Vec<[f64; 2]>>) -> Shape {
    let dash = if series.published { Dash::Solid } else { series.style.dash };
    Shape::Line { points: points.into(), width: if series.is_bold { BOLD_WIDTH } else { LINE_WIDTH }, dash }
}

/// A marker of the usual size.
pub fn marker(mark: Mark, at: [f64; 2], hollow: bool) -> Shape {
    Shape::Marker { mark, at, radius: RADIUS, hollow }
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
