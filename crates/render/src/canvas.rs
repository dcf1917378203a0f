//! Reduces shapes to the operations of a [`Canvas`], identically for every format.
//!
//! Coordinates are whole numbers of tenths of a pixel, the precision of the SVG, which is finer than visible.

use super::drawing::{Anchor, Area, Drawing, Group, Shape};
use super::style::{Dash, Mark};
use super::text::Text;

/// Canvas units per pixel of the drawing.
pub const UNITS: f64 = 10.0;

/// The width of the outline of a marker, px.
pub const OUTLINE: f64 = 1.2;

/// A position in canvas units.
pub type Place = (i32, i32);

/// The look of an area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// Only the outline is drawn.
    Outline,
    /// The area is filled with ink.
    Ink,
    /// The area is filled with the colour of the page.
    Page,
}

/// A picture in some format. Lengths are in canvas units.
pub trait Canvas {
    /// Begins a group: the following shapes have its ink and belong to its part.
    fn begin(&mut self, group: &Group);

    /// Draws a line; it is closed if it ends where it begins. `is_mark` is true for the strokes of a marker.
    fn line(&mut self, points: Vec<Place>, width: i32, dash: Dash, is_mark: bool);

    /// Draws a rectangle; its outline is one pixel wide.
    fn rectangle(&mut self, from: Place, to: Place, look: Look);

    /// Draws the circle of a marker.
    fn circle(&mut self, centre: Place, radius: i32, look: Look);

    /// Draws the polygon of a marker.
    fn polygon(&mut self, corners: Vec<Place>, look: Look);

    /// Draws a line of text.
    fn text(&mut self, text: &Text, at: Place, size: f64, anchor: Anchor, upwards: bool);
}

/// Draws all groups.
pub fn draw(drawing: &Drawing, canvas: &mut impl Canvas) {
    for group in drawing.groups.iter().filter(|group| !group.shapes.is_empty()) {
        canvas.begin(group);
        group.shapes.iter().for_each(|shape| draw_shape(shape, canvas));
    }
}

fn draw_shape(shape: &Shape, canvas: &mut impl Canvas) {
    let mut rectangle = |Area { left, top, right, bottom }, look| {
        canvas.rectangle(place([left, top]), place([right, bottom]), look);
    };
    match *shape {
        Shape::Frame(area) => rectangle(area, Look::Outline),
        Shape::Fill { area, hollow } => rectangle(area, if hollow { Look::Page } else { Look::Ink }),
        Shape::Line { ref points, width, dash } => {
            canvas.line(points.iter().copied().map(place).collect(), units(width), dash, false);
        }
        Shape::Marker { mark, at, radius, hollow } => draw_marker(mark, at, radius, hollow, canvas),
        Shape::Text { ref text, at, size, anchor, upwards } => {
            canvas.text(text, place(at), size * UNITS, anchor, upwards);
        }
    }
}

/// Draws a marker: open markers have an outline, and full ones have the same size.
fn draw_marker(mark: Mark, at: [f64; 2], radius: f64, hollow: bool, canvas: &mut impl Canvas) {
    let centre = place(at);
    // The corners are relative to the rounded centre, so that equal markers have equal shapes.
    let around = |corners: &[[f64; 2]], radius: f64| -> Vec<Place> {
        corners.iter().map(|[x, y]| (centre.0 + units(x * radius), centre.1 + units(y * radius))).collect()
    };
    let looks: &[Look] = if hollow { &[Look::Page, Look::Outline] } else { &[Look::Ink] };
    let size = if hollow { radius } else { radius + OUTLINE / 2.0 };
    let mut circle = |radius: f64, look| canvas.circle(centre, units(radius), look);
    match mark.corners() {
        None if mark == Mark::Ring => circle(radius, Look::Outline),
        None => looks.iter().for_each(|&look| circle(size, look)),
        Some(ends) if mark.is_stroke() => {
            looks.iter().filter(|_| hollow).for_each(|&look| circle(1.5 * radius, look));
            ends.chunks(2).for_each(|ends| canvas.line(around(ends, radius), units(1.6), Dash::Solid, true));
        }
        Some(corners) => looks.iter().for_each(|&look| canvas.polygon(around(&corners, size), look)),
    }
}

/// Returns the corners of a line and true if it ends where it begins, as closed lines do.
pub fn corners(mut points: Vec<Place>) -> (Vec<Place>, bool) {
    let is_closed = points.len() > 2 && points.first() == points.last();
    points.truncate(points.len() - usize::from(is_closed));
    (points, is_closed)
}

/// Converts a position on the drawing into canvas units.
pub fn place(at: [f64; 2]) -> Place {
    at.map(units).into()
}

/// Converts pixels into canvas units.
pub fn units(pixels: f64) -> i32 {
    (pixels * UNITS).round() as i32
}
