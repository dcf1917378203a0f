//! Bars over an axis with names.

use super::super::drawing::{Anchor, Area, Group, Ink, Part, Shape};
use super::super::figure::{Kind, Panel, Point, Series};
use super::super::style::{Dash, Style};
use super::super::text::{Text, wrap};
use super::curves::{Map, clip};
use super::{LEADING, TICK_SIZE, area, text};

/// Part of the room of a name that its bars take together.
const TAKEN: f64 = 0.8;
/// Width that no bar exceeds, px.
const WIDEST: f64 = 44.0;
/// Distance between the lines of a hatch, px.
const HATCH: f64 = 5.0;
/// Length that a name running upwards may have before it is broken, px.
const LONGEST: f64 = 150.0;

/// Width of a bar of `panel`, whose frame is `width` px wide.
fn bar_width(panel: &Panel, width: f64) -> f64 {
    let slot = width / panel.x.names.len().max(1) as f64;
    let beside = panel.series.iter().filter(|series| series.kind == Kind::Bars).count();
    (TAKEN * slot / beside.max(1) as f64).min(WIDEST)
}

/// Distance of the bars of a series from the middle of their names, px; none for curves.
pub fn shift(panel: &Panel, series: usize, width: f64) -> f64 {
    let is_bars = |series: &&Series| series.kind == Kind::Bars;
    if panel.series[series].kind != Kind::Bars {
        return 0.0;
    }
    let (before, all) =
        (panel.series[..series].iter().filter(is_bars).count(), panel.series.iter().filter(is_bars).count());
    (before as f64 - (all - 1) as f64 / 2.0) * bar_width(panel, width)
}

/// Draws the bars of all series within `frame`.
pub fn draw(panel: &Panel, x: Map, y: Map, frame: Area, groups: &mut Vec<Group>) {
    let width = bar_width(panel, frame.width());
    let base = y.tick(0.0);
    for (index, series) in panel.series.iter().enumerate().filter(|(_, series)| series.kind == Kind::Bars) {
        let shift = shift(panel, index, frame.width());
        let part = Part::Series(series.label.clone());
        for &Point { x: name, y: value, hollow } in series.points.iter().filter(|point| point.y.is_finite()) {
            let Some(middle) = x.place(name).map(|middle| middle + shift) else { continue };
            let top = y.tick(value);
            let bar = Area {
                left: middle - width / 2.0,
                right: middle + width / 2.0,
                top: top.min(base),
                bottom: top.max(base),
            };
            groups.extend(inked(series, style_at(series, name), bar, hollow, &part));
        }
    }
}

/// The bars of a series in the legend: one, or a few where they differ.
pub fn sample(series: &Series, room: Area, groups: &mut Vec<Group>) {
    let part = Part::Legend(series.label.clone());
    let mut styles = series.bar_styles.clone();
    let mut seen = Vec::new();
    styles.retain(|style| {
        let look = (style.hue, style.dash);
        let is_new = !seen.contains(&look);
        seen.push(look);
        is_new
    });
    styles.truncate(3);
    if styles.is_empty() || series.published {
        styles = vec![series.style];
    }
    let width = if styles.len() == 1 { 20.0 } else { room.width() / styles.len() as f64 };
    let left = (room.left + room.right - width * styles.len() as f64) / 2.0;
    for (number, style) in styles.into_iter().enumerate() {
        let bar = area(left + number as f64 * width, room.top, width, room.height());
        groups.extend(inked(series, style, bar, false, &part));
    }
}

/// The look of a series at a name.
pub fn style_at(series: &Series, name: f64) -> Style {
    series.bar_styles.get(name.round() as usize).copied().unwrap_or(series.style)
}

/// A bar: a paper's light grey with a dark outline; ours full, or hatched where a curve would be dashed; open where the
/// reference does not resolve it.
fn inked(series: &Series, style: Style, bar: Area, hollow: bool, part: &Part) -> Vec<Group> {
    let group = |ink: Ink, shapes: Vec<Shape>| Group { ink, part: part.clone(), shapes };
    let page = Shape::Fill { area: bar, hollow: true };
    if series.published {
        let grey = group(Ink::Grid, vec![Shape::Fill { area: bar, hollow: false }]);
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

/// The lines that fill a bar, one pattern for each kind of dashes.
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
        // Lines through places on the left edge, beyond its ends as far as slanted lines come from there.
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

/// Names below an axis: along it in one line or, broken, in several; upwards where they do not fit, and by turns in
/// rows one below the other where not even lines fit side by side.
#[derive(Debug, Clone, Default)]
pub struct Names {
    lines: Vec<Vec<Text>>,
    upwards: bool,
    /// Rows of names that run upwards.
    rows: usize,
}

impl Names {
    /// Names that do not touch below a frame `width` px wide.
    pub fn fitted(names: &[String], width: f64) -> Self {
        let room = width / names.len().max(1) as f64 - 0.6 * TICK_SIZE;
        let words = names.iter().flat_map(|name| name.split_inclusive([' ', ',']));
        let upwards = words.map(|word| Text::markup(word.trim()).width(TICK_SIZE)).any(|word| word > room);
        let room = if upwards { LONGEST } else { room };
        let lines: Vec<Vec<Text>> = names.iter().map(|name| wrap(name, TICK_SIZE, room)).collect();
        let across = lines.iter().map(Vec::len).max().unwrap_or(0) as f64 * LEADING * TICK_SIZE;
        let rows = (across * names.len() as f64 / width).ceil().max(1.0) as usize;
        Self { lines, upwards, rows }
    }

    /// Height of a row of names that run upwards, px.
    fn row_height(&self) -> f64 {
        let lines = self.lines.iter().flatten();
        lines.map(|line| line.width(TICK_SIZE)).fold(0.0, f64::max) + 0.5 * TICK_SIZE
    }

    /// Room below the frame, px.
    pub fn height(&self) -> f64 {
        if self.upwards {
            return self.rows as f64 * self.row_height();
        }
        let most = self.lines.iter().map(Vec::len).max().unwrap_or(0);
        (most as f64 * LEADING + 0.15) * TICK_SIZE
    }

    /// Draws them below `frame`, beginning at `top`.
    pub fn draw(&self, frame: Area, top: f64, shapes: &mut Vec<Shape>) {
        let slot = frame.width() / self.lines.len().max(1) as f64;
        for (place, lines) in self.lines.iter().enumerate() {
            let middle = frame.left + (place as f64 + 0.5) * slot;
            for (number, line) in lines.iter().enumerate() {
                let after = number as f64 * LEADING * TICK_SIZE;
                if self.upwards {
                    let across = (lines.len() - 1) as f64 / 2.0 * LEADING * TICK_SIZE;
                    let down = (place % self.rows) as f64 * self.row_height();
                    let at = [middle - across + after + 0.3 * TICK_SIZE, top + down];
                    let (text, anchor) = (line.clone(), Anchor::End);
                    shapes.push(Shape::Text { text, at, size: TICK_SIZE, anchor, upwards: true });
                } else {
                    let at = [middle, top + 1.1 * TICK_SIZE + after];
                    shapes.push(text(line.clone(), at, TICK_SIZE, Anchor::Middle));
                }
            }
        }
    }
}
