//! Lays a figure out once, for all backends.
//!
//! Parts do not overlap: the legend is below the axes, failed runs are in a strip above the frame, and values that a
//! logarithmic axis cannot show are in a strip beside it. Text is measured, wrapped if it is too long, and never
//! shrunk.

mod ends;
mod legend;
mod names;
mod panel;

use super::drawing::{Anchor, Area, Drawing, Group, Ink, Part, Shape};
use super::figure::Figure;
use super::text::Text;
use ends::Ends;
use legend::Legend;
use panel::Prepared;

/// The font size of axis texts and titles, px: 9.2 pt if the figure is 16 cm wide.
const LABEL_SIZE: f64 = 13.0;
/// The font size of tick labels and legends, px: 8.5 pt.
const TICK_SIZE: f64 = 12.0;
/// The distance between lines of text, relative to the font size.
const LEADING: f64 = 1.3;
/// The empty border of the drawing, and half the distance between panels, px.
const MARGIN: f64 = 8.0;
/// The width of a figure with one or two panels side by side, px.
const WIDTH: f64 = 640.0;
/// The width of a panel if there are more, px.
const NARROW: f64 = 310.0;
/// The width of a panel with names at the ends of its curves beside another one, px.
const WIDE: f64 = 480.0;

/// The height of a name on a vertical axis, px.
const NAME_HEIGHT: f64 = 19.0;
/// The smallest height of a frame with names beside it, px.
const LEAST_HEIGHT: f64 = 95.0;

/// Lays out `figure`.
pub fn lay_out(figure: &Figure) -> Drawing {
    let ends: Vec<Ends> = figure.panels.iter().map(Ends::of).collect();
    // Names beside a frame take the place of a second column of panels, unless they are short and requested.
    let is_crowded = figure.panels.iter().zip(&ends).any(|(panel, ends)| !panel.named_at_ends && !ends.is_empty());
    let columns = if is_crowded { 1 } else { figure.columns.clamp(1, figure.panels.len().max(1)) };
    let width = match columns {
        1 => WIDTH,
        _ if ends.iter().any(|ends| !ends.is_empty()) => WIDE * columns as f64,
        2 => WIDTH,
        _ => NARROW * columns as f64,
    };
    let cell_width = (width - MARGIN) / columns as f64 - MARGIN;
    let names = figure.panels.iter().map(|panel| panel.y.names.len()).max().unwrap_or(0);
    let frame_height = match columns {
        _ if names > 0 => (NAME_HEIGHT * (names as f64 + 0.5)).max(LEAST_HEIGHT),
        1 => 330.0,
        2 => 215.0,
        _ => 205.0,
    };
    let frame_height = ends.iter().map(Ends::height).fold(frame_height, f64::max);
    let several = figure.panels.len() > 1;
    let numbered = (0..).map(|index| several.then_some(index)).zip(&figure.panels).zip(ends);
    let mut panels: Vec<Prepared> =
        numbered.map(|((letter, panel), ends)| Prepared::new(panel, letter, frame_height, ends)).collect();

    // Frames in one column of panels have the same width; frames in one row begin at the same height.
    for column in 0..columns {
        let mut own: Vec<&mut Prepared> = panels.iter_mut().skip(column).step_by(columns).collect();
        let left = own.iter().map(|panel| panel.left).fold(0.0, f64::max);
        own.iter_mut().for_each(|panel| panel.left = left);
        let right = own.iter().map(|panel| panel.overhang(cell_width)).fold(10.0, f64::max);
        own.iter_mut().for_each(|panel| panel.set_width(cell_width, right));
    }
    let shared = shared_legend(&panels, width - 2.0 * MARGIN);
    if shared.is_some() {
        panels.iter_mut().for_each(|panel| panel.legend = Legend::default());
    }

    let (id, title) = (figure.id.clone(), figure.title.clone());
    let description = panels.iter().map(Prepared::description).collect::<Vec<_>>().join(" ");
    let mut drawing = Drawing { id, width, title, description, ..Drawing::default() };
    let mut top = MARGIN;
    for row in panels.chunks(columns) {
        let above = row.iter().map(Prepared::above).fold(0.0, f64::max);
        let below = row.iter().map(Prepared::below).fold(0.0, f64::max);
        for (column, panel) in row.iter().enumerate() {
            let left = MARGIN + column as f64 * (cell_width + MARGIN);
            panel.draw(&mut drawing, left, top + above, cell_width);
        }
        top += above + frame_height + below + MARGIN;
    }
    if let Some(legend) = shared {
        let area = legend.draw(&mut drawing.groups, MARGIN + (width - 2.0 * MARGIN - legend.width()) / 2.0, top);
        top = area.bottom + MARGIN;
        drawing.legends.push(area);
    }
    drawing.height = top.ceil();
    drawing
}

/// Returns the common legend of a figure whose panels all show the same series.
fn shared_legend(panels: &[Prepared], width: f64) -> Option<Legend> {
    let mut legends = panels.iter().map(|panel| &panel.legend).filter(|legend| !legend.is_empty());
    let first = legends.next()?;
    let rest: Vec<_> = legends.collect();
    (!rest.is_empty() && rest.iter().all(|legend| legend.says_the_same(first))).then(|| first.within(width))
}

/// Returns a line of text in the foreground ink.
fn text(text: Text, at: [f64; 2], size: f64, anchor: Anchor) -> Shape {
    Shape::Text { text, at, size, anchor, upwards: false }
}

/// Returns a group in the foreground ink.
fn foreground(shapes: Vec<Shape>) -> Group {
    Group { ink: Ink::Foreground, part: Part::Scaffold, shapes }
}

/// Returns the distance from the middle of a line of text down to its baseline.
fn baseline(size: f64) -> f64 {
    0.36 * size
}

/// Returns the rectangle with the given corner and size.
fn area(left: f64, top: f64, width: f64, height: f64) -> Area {
    Area { left, top, right: left + width, bottom: top + height }
}
