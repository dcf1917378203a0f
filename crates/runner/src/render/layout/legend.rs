//! The legend, below the axes in as many columns as fit.

use super::super::drawing::{Anchor, Area, Group, Ink, Shape};
use super::super::figure::{Kind, Panel, Series};
use super::super::style::Mark;
use super::super::text::{Text, wrap};
use super::curves::{LINE_WIDTH, RADIUS, dash_of, ink_of};
use super::{LEADING, TICK_SIZE, area, baseline, text};

/// Width of the sample of a line, px.
const SAMPLE: f64 = 34.0;
/// Between the sample and its text, px.
const GAP: f64 = 7.0;
/// Between columns, px.
const COLUMN_GAP: f64 = 20.0;

/// One line of a legend.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    label: String,
    /// The series without its data, or none where only text is shown.
    sample: Option<Series>,
}

/// A legend and how it is broken into rows and columns.
#[derive(Debug, Clone, Default)]
pub struct Legend {
    pub entries: Vec<Entry>,
    lines: Vec<Vec<Text>>,
    columns: usize,
    column_width: f64,
}

impl Legend {
    /// The legend of a panel.
    ///
    /// A single series that is named like its axis or its panel needs none.
    pub fn of(panel: &Panel, width: f64) -> Self {
        let named: Vec<&Series> = panel.series.iter().filter(|series| !series.label.is_empty()).collect();
        let only = named.len() == 1 && panel.series.len() == 1;
        let redundant = |series: &Series| only && (series.label == panel.y.label || series.label == panel.title);
        let mut entries: Vec<Entry> = named
            .into_iter()
            .filter(|series| !redundant(series))
            .map(|series| Entry {
                label: series.label.clone(),
                sample: Some(Series { points: Vec::new(), failures: Vec::new(), ..series.clone() }),
            })
            .collect();
        let is_hollow = |series: &Series| !series.published && series.points.iter().any(|point| point.hollow);
        if panel.series.iter().any(is_hollow) {
            let label = "open marker: not resolved by the reference".to_owned();
            entries.push(Entry { label, sample: None });
        }
        let mut names: Vec<&str> =
            panel.series.iter().flat_map(|series| &series.failures).map(|failure| failure.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        if !names.is_empty() {
            entries.push(Entry { label: format!("failed: {}", names.join(", ")), sample: None });
        }
        Self::new(entries, width)
    }

    /// Breaks `entries` into columns within `width`.
    pub fn new(entries: Vec<Entry>, width: f64) -> Self {
        let key = |entry: &Entry| if entry.sample.is_some() { SAMPLE + GAP } else { 0.0 };
        let lines: Vec<Vec<Text>> =
            entries.iter().map(|entry| wrap(&entry.label, TICK_SIZE, width - key(entry))).collect();
        let widest = |(entry, lines): (&Entry, &Vec<Text>)| {
            key(entry) + lines.iter().map(|line| line.width(TICK_SIZE)).fold(0.0, f64::max)
        };
        let column_width = entries.iter().zip(&lines).map(widest).fold(0.0, f64::max);
        let most = ((width + COLUMN_GAP) / (column_width + COLUMN_GAP)).floor().max(1.0) as usize;
        // As many rows as needed, then as few columns as these rows need.
        let rows = entries.len().div_ceil(most).max(1);
        let columns = entries.len().div_ceil(rows).max(1);
        Self { entries, lines, columns, column_width }
    }

    /// Width that it takes, px.
    pub fn width(&self) -> f64 {
        self.columns as f64 * (self.column_width + COLUMN_GAP) - COLUMN_GAP
    }

    fn row_heights(&self) -> Vec<f64> {
        let tallest = |row: &[Vec<Text>]| row.iter().map(Vec::len).max().unwrap_or(1) as f64;
        self.lines.chunks(self.columns.max(1)).map(|row| tallest(row) * TICK_SIZE * LEADING + 2.0).collect()
    }

    /// Height that it takes, px.
    pub fn height(&self) -> f64 {
        self.row_heights().iter().sum()
    }

    /// Draws it with its upper left corner at the given place.
    pub fn draw(&self, groups: &mut Vec<Group>, left: f64, top: f64) -> Area {
        let mut labels = Vec::new();
        let mut y = top;
        let rows = self.entries.chunks(self.columns.max(1)).zip(self.lines.chunks(self.columns.max(1)));
        for ((entries, lines), height) in rows.zip(self.row_heights()) {
            for (column, (entry, lines)) in entries.iter().zip(lines).enumerate() {
                let x = left + column as f64 * (self.column_width + COLUMN_GAP);
                let middle = y + TICK_SIZE * LEADING / 2.0;
                let mut start = x;
                if let Some(series) = &entry.sample {
                    groups.push(Group { ink: ink_of(series), series: None, shapes: sample(series, x, middle) });
                    start += SAMPLE + GAP;
                }
                for (number, line) in lines.iter().enumerate() {
                    let at = [start, middle + baseline(TICK_SIZE) + number as f64 * TICK_SIZE * LEADING];
                    labels.push(text(line.clone(), at, TICK_SIZE, Anchor::Start));
                }
            }
            y += height;
        }
        groups.push(Group { ink: Ink::Foreground, series: None, shapes: labels });
        area(left, top, self.width(), self.height())
    }
}

/// The sample of a series beside its name.
fn sample(series: &Series, left: f64, y: f64) -> Vec<Shape> {
    let mut shapes = Vec::new();
    if series.kind != Kind::Markers {
        let points = vec![[left, y], [left + SAMPLE, y]];
        shapes.push(Shape::Line { points, width: LINE_WIDTH, dash: dash_of(series) });
    }
    if series.kind != Kind::Line {
        shapes.push(marker(series.style.mark, [left + SAMPLE / 2.0, y], series.published));
    }
    shapes
}

/// A marker of the usual size.
pub fn marker(mark: Mark, at: [f64; 2], hollow: bool) -> Shape {
    Shape::Marker { mark, at, radius: RADIUS, hollow }
}
