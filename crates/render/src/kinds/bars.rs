//! Bars over an axis with names.

use super::{Kind, Place, Plot};
use crate::drawing::{Area, Group, Ink, Part, Shape};
use crate::figure::{Panel, Point, Series};
use crate::marks::clip;
use crate::style::{Dash, Style};

/// The fraction of the space of a name that its bars fill.
const TAKEN: f64 = 0.8;
/// The largest width of a bar, px.
const WIDEST: f64 = 44.0;
/// The distance between the lines of a hatch, px.
const HATCH: f64 = 5.0;
/// Half the height of a bar in the legend, px.
const SAMPLE: f64 = 5.0;

/// A bar from zero to each point.
pub struct Bars;

impl Plot for Bars {
    fn draw(&self, series: &Series, Place { panel, axes: [x, y], frame, .. }: Place<'_>) -> Vec<Group> {
        let half = bar_width(panel, frame.width()) / 2.0;
        let index = panel.series.iter().position(|own| std::ptr::eq(own, series)).unwrap_or(0);
        let shift = self.shift(panel, index, frame.width());
        let part = Part::Series(series.label.clone());
        let bar = |&Point { x: name, y: value, hollow }: &Point| {
            let middle = x.place(name).filter(|_| value.is_finite())? + shift;
            let [value, base] = [value, 0.0].map(|value| y.tick(value));
            let (left, right, top, bottom) = (middle - half, middle + half, value.min(base), value.max(base));
            Some(inked(series, series.style_at(name), Area { left, top, right, bottom }, hollow, &part))
        };
        series.points.iter().filter_map(bar).flatten().collect()
    }

    /// One bar, or a few if their styles differ.
    fn sample(&self, series: &Series, space: Area) -> Vec<Group> {
        let part = Part::Legend(series.label.clone());
        let mut styles: Vec<Style> = Vec::new();
        for style in series.bar_styles.iter().filter(|_| !series.published) {
            if styles.iter().all(|other| (other.hue, other.dash) != (style.hue, style.dash)) {
                styles.push(*style);
            }
        }
        styles.truncate(3);
        if styles.is_empty() {
            styles.push(series.style);
        }
        let width = if styles.len() == 1 { 20.0 } else { space.width() / styles.len() as f64 };
        let [middle, height] = space.middle();
        let left = middle - width * styles.len() as f64 / 2.0;
        let bar = |(number, style): (usize, Style)| {
            let left = left + number as f64 * width;
            let bar = Area { left, top: height - SAMPLE, right: left + width, bottom: height + SAMPLE };
            inked(series, style, bar, false, &part)
        };
        styles.into_iter().enumerate().flat_map(bar).collect()
    }

    fn base(&self) -> Option<f64> {
        Some(0.0)
    }

    fn shift(&self, panel: &Panel, index: usize, width: f64) -> f64 {
        let bars = |series: &[Series]| series.iter().filter(|series| series.kind == Kind::Bars).count();
        let (before, all) = (bars(&panel.series[..index]), bars(&panel.series));
        (before as f64 - (all as f64 - 1.0) / 2.0) * bar_width(panel, width)
    }

    fn noun(&self) -> &'static str {
        "bar"
    }
}

/// Returns the width of a bar of `panel`, whose frame is `width` px wide.
fn bar_width(panel: &Panel, width: f64) -> f64 {
    let slot = width / panel.x.names.len().max(1) as f64;
    let beside = panel.series.iter().filter(|series| series.kind == Kind::Bars).count();
    (TAKEN * slot / beside.max(1) as f64).min(WIDEST)
}

/// Draws a bar. A paper's bars are grey with a dark outline. Ours are full, or hatched where a curve would be dashed,
/// and open if the reference does not resolve the value.
fn inked(series: &Series, style: Style, bar: Area, hollow: bool, part: &Part) -> Vec<Group> {
    let group = |ink: Ink, shapes: Vec<Shape>| Group { ink, part: part.clone(), shapes };
    let page = Shape::Fill { area: bar, hollow: true };
    if series.published {
        // Published bars differ by grey where ours differ by hatch.
        let grey = if style.dash == Dash::Solid { Ink::Grid } else { Ink::Published };
        let grey = group(grey, vec![Shape::Fill { area: bar, hollow: false }]);
        return vec![grey, group(Ink::Foreground, vec![Shape::Frame(bar)])];
    }
    let mut shapes = match (hollow, style.dash) {
        (true, _) => vec![page],
        (false, Dash::Solid) => vec![Shape::Fill { area: bar, hollow: false }],
        (false, dash) => std::iter::once(page).chain(hatch(bar, dash)).collect(),
    };
    shapes.push(Shape::Frame(bar));
    vec![group(Ink::Hue(style.hue), shapes)]
}

/// Returns the lines that fill a bar, with one pattern for each kind of dashes.
fn hatch(bar: Area, dash: Dash) -> Vec<Shape> {
    let directions: &[[f64; 2]] = match dash {
        Dash::Solid => &[],
        Dash::Long => &[[1.0, -1.0]],
        Dash::Short => &[[1.0, 1.0]],
        Dash::DashDot => &[[1.0, -1.0], [1.0, 1.0]],
        Dash::Dotted => &[[1.0, 0.0]],
    };
    let reach = bar.width() + bar.height();
    let mut lines = Vec::new();
    for &[dx, dy] in directions {
        // The lines start on the left edge, extended far enough for slanted lines to fill the corners.
        let apart = if dy == 0.0 { HATCH } else { HATCH * std::f64::consts::SQRT_2 };
        let count = (2.0 * reach / apart) as i64;
        for number in -count..=count {
            let start = [bar.left, bar.bottom + (number as f64 + 0.5) * apart];
            let end = [start[0] + dx * reach, start[1] + dy * reach];
            if let Some([from, to]) = clip(start, end, bar).filter(|[from, to]| from != to) {
                lines.push(Shape::Line { points: vec![from, to], width: 1.0, dash: Dash::Solid });
            }
        }
    }
    lines
}
