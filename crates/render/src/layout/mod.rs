//! Lays a figure out once, for all backends.
//!
//! Everything has its own room: the legend stands below the axes, failed runs in a strip above the frame,
//! values that a logarithmic axis cannot show in a strip beside it. Text is measured, wrapped where it is too
//! long, and never set smaller.

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

/// Font size of axis texts and titles, px: 9.2 pt where the figure is 16 cm wide.
const LABEL_SIZE: f64 = 13.0;
/// Font size of tick labels and legends, px: 8.5 pt.
const TICK_SIZE: f64 = 12.0;
/// Distance between lines of text, in their size.
const LEADING: f64 = 1.3;
/// Empty border of the drawing, and half of what is between panels, px.
const MARGIN: f64 = 8.0;
/// Width of a figure with one or two panels side by side, px.
const WIDTH: f64 = 640.0;
/// Width of a panel where there are more, px.
const NARROW: f64 = 310.0;
/// Width of a panel with names at the ends of its curves beside another one, px.
const WIDE: f64 = 480.0;

/// Height that a name on a vertical axis has, px.
const NAME_HEIGHT: f64 = 19.0;
/// Least height of a frame with names beside it, px.
const LEAST_HEIGHT: f64 = 95.0;

/// Lays out `figure`.
pub fn lay_out(figure: &Figure) -> Drawing {
    let ends: Vec<Ends> = figure.panels.iter().map(Ends::of).collect();
    // Names beside a frame take the room of a panel, unless they are short and asked for.
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
    let mut panels: Vec<Prepared> = figure
        .panels
        .iter()
        .enumerate()
        .zip(ends)
        .map(|((index, panel), ends)| Prepared::new(panel, several.then_some(index), frame_height, ends))
        .collect();

    // Frames of one column of panels are as wide as one another, frames of one row begin at one height.
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

    let mut drawing = Drawing {
        id: figure.id.clone(),
        width,
        title: figure.title.clone(),
        description: panels.iter().map(Prepared::description).collect::<Vec<_>>().join(" "),
        ..Drawing::default()
    };
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

/// The one legend of a figure whose panels all show the same series.
fn shared_legend(panels: &[Prepared], width: f64) -> Option<Legend> {
    let mut legends = panels.iter().map(|panel| &panel.legend).filter(|legend| !legend.is_empty());
    let first = legends.next()?;
    let rest: Vec<_> = legends.collect();
    (!rest.is_empty() && rest.iter().all(|legend| legend.says_the_same(first))).then(|| first.within(width))
}

/// A line of text in the foreground ink.
fn text(text: Text, at: [f64; 2], size: f64, anchor: Anchor) -> Shape {
    Shape::Text { text, at, size, anchor, upwards: false }
}

/// A group of the foreground ink.
fn foreground(shapes: Vec<Shape>) -> Group {
    Group { ink: Ink::Foreground, part: Part::Scaffold, shapes }
}

/// Distance from the middle of a line of text down to its baseline.
fn baseline(size: f64) -> f64 {
    0.36 * size
}

/// The rectangle of the given corner and size.
fn area(left: f64, top: f64, width: f64, height: f64) -> Area {
    Area { left, top, right: left + width, bottom: top + height }
}
