//! Draws on a backend of plotters, identically for every format.
//!
//! The coordinates of backends are integers; the unit here is a tenth of a pixel, the precision of the SVG, which is
//! finer than visible.

use std::convert::Infallible;

use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontDesc, FontFamily, FontStyle, FontTransform, RGBColor, ShapeStyle, TextStyle};
use plotters_backend::{BackendCoord, DrawingBackend, DrawingErrorKind};

use super::drawing::{Anchor, Area, Drawing, Group, Shape};
use super::style::{Dash, Mark};

/// Backend units per pixel of the drawing.
pub const UNITS: f64 = 10.0;

/// The colour of areas that show the page.
pub const PAGE: RGBColor = RGBColor(0xff, 0xff, 0xff);

/// Width of the outline of a marker, px.
const OUTLINE: f64 = 1.2;

/// The operations that figures need of a backend in addition to those of plotters.
pub trait Canvas: DrawingBackend {
    /// Begins a group: the following shapes have its ink and belong to its part.
    fn begin(&mut self, group: &Group);

    /// Sets the kind of the following paths.
    fn trace(&mut self, trace: Trace);
}

/// The kind of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trace {
    /// A line with these dashes.
    Line(Dash),
    /// A part of a marker.
    Mark,
}

/// The result of drawing on a canvas in memory, which cannot fail.
pub(crate) type InMemory = Result<(), DrawingErrorKind<Infallible>>;

/// The result of drawing on a canvas.
type Drawn<C> = Result<(), DrawingErrorKind<<C as DrawingBackend>::ErrorType>>;

/// Draws all groups.
pub fn draw<C: Canvas>(drawing: &Drawing, canvas: &mut C) -> Drawn<C> {
    canvas.ensure_prepared()?;
    for group in drawing.groups.iter().filter(|group| !group.shapes.is_empty()) {
        canvas.begin(group);
        let (_, [r, g, b], _) = group.ink.look();
        for shape in &group.shapes {
            draw_shape(shape, RGBColor(r, g, b), canvas)?;
        }
    }
    canvas.present()
}

fn draw_shape<C: Canvas>(shape: &Shape, ink: RGBColor, canvas: &mut C) -> Drawn<C> {
    match *shape {
        Shape::Line { ref points, width, dash } => {
            canvas.trace(Trace::Line(dash));
            canvas.draw_path(points.iter().copied().map(place), &pen(ink, width))
        }
        Shape::Frame(Area { left, top, right, bottom }) => {
            canvas.draw_rect(place([left, top]), place([right, bottom]), &pen(ink, 1.0), false)
        }
        Shape::Fill { area: Area { left, top, right, bottom }, hollow } => {
            let colour = if hollow { PAGE } else { ink };
            canvas.draw_rect(place([left, top]), place([right, bottom]), &pen(colour, 1.0), true)
        }
        Shape::Marker { mark, at, radius, hollow } => draw_marker(mark, at, radius, hollow, ink, canvas),
        Shape::Text { ref text, at, size, anchor, upwards } => {
            let font = FontDesc::new(FontFamily::SansSerif, size * UNITS, FontStyle::Normal);
            let turned = if upwards { FontTransform::Rotate270 } else { FontTransform::None };
            let start = match anchor {
                Anchor::Start => HPos::Left,
                Anchor::Middle => HPos::Center,
                Anchor::End => HPos::Right,
            };
            let style = TextStyle::from(font.transform(turned)).color(&ink).pos(Pos::new(start, VPos::Bottom));
            canvas.draw_text(&text.marked_up(), &style, place(at))
        }
    }
}

/// Draws a marker: open markers have an outline, and full ones have the same size.
fn draw_marker<C: Canvas>(
    mark: Mark,
    at: [f64; 2],
    radius: f64,
    hollow: bool,
    ink: RGBColor,
    canvas: &mut C,
) -> Drawn<C> {
    canvas.trace(Trace::Mark);
    let centre = place(at);
    // The corners are relative to the rounded centre, so that equal markers have equal shapes.
    let around = |corners: &[[f64; 2]], radius: f64| -> Vec<BackendCoord> {
        corners.iter().map(|[x, y]| (centre.0 + units(x * radius), centre.1 + units(y * radius))).collect()
    };
    let (outline, full) = (pen(ink, OUTLINE), radius + OUTLINE / 2.0);
    let disc = |canvas: &mut C, radius: f64, colour| {
        canvas.draw_circle(centre, units(radius).unsigned_abs(), &pen(colour, 1.0), true)
    };
    let circle =
        |canvas: &mut C, radius: f64| canvas.draw_circle(centre, units(radius).unsigned_abs(), &outline, false);
    match mark.corners() {
        None if mark == Mark::Ring => circle(canvas, radius),
        None if hollow => disc(canvas, radius, PAGE).and_then(|()| circle(canvas, radius)),
        None => disc(canvas, full, ink),
        Some(ends) if mark.is_stroke() => {
            if hollow {
                disc(canvas, 1.5 * radius, PAGE)?;
                circle(canvas, 1.5 * radius)?;
            }
            ends.chunks(2).try_for_each(|ends| canvas.draw_path(around(ends, radius), &pen(ink, 1.6)))
        }
        Some(corners) if hollow => {
            let mut corners = around(&corners, radius);
            canvas.fill_polygon(corners.iter().copied(), &pen(PAGE, 1.0))?;
            corners.extend(corners.first().copied());
            canvas.draw_path(corners, &outline)
        }
        Some(corners) => canvas.fill_polygon(around(&corners, full), &pen(ink, 1.0)),
    }
}

/// Returns the corners of a path and true if it ends where it begins, as closed paths do.
pub(crate) fn corners(points: impl IntoIterator<Item = BackendCoord>) -> (Vec<BackendCoord>, bool) {
    let mut points: Vec<BackendCoord> = points.into_iter().collect();
    let is_closed = points.len() > 2 && points.first() == points.last();
    points.truncate(points.len() - usize::from(is_closed));
    (points, is_closed)
}

/// Returns the angle by which text is turned clockwise.
pub(crate) fn degrees(transform: &FontTransform) -> i16 {
    match transform {
        FontTransform::None => 0,
        FontTransform::Rotate90 => 90,
        FontTransform::Rotate180 => 180,
        FontTransform::Rotate270 => -90,
    }
}

fn pen(colour: RGBColor, width: f64) -> ShapeStyle {
    ShapeStyle { color: colour.to_rgba(), filled: false, stroke_width: units(width).unsigned_abs() }
}

fn place([x, y]: [f64; 2]) -> BackendCoord {
    (units(x), units(y))
}

/// Converts pixels into backend units.
pub fn units(pixels: f64) -> i32 {
    (pixels * UNITS).round() as i32
}
