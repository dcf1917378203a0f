//! The legend, below the axes in as many columns as fit.

use std::collections::BTreeSet;

use super::super::drawing::{Anchor, Area, Group, Ink, Part};
use super::super::figure::{Panel, Series};
use super::super::text::{Text, wrap};
use super::ends::Ends;
use super::{LEADING, TICK_SIZE, area, baseline, text};

/// The width of the sample of a line, px.
const SAMPLE: f64 = 34.0;
/// The distance between the sample and its text, px.
const GAP: f64 = 7.0;
/// The distance between columns, px.
const COLUMN_GAP: f64 = 20.0;

/// A legend with its division into rows and columns.
#[derive(Debug, Clone, Default)]
pub struct Legend {
    /// The series without their data.
    series: Vec<Series>,
    /// Explanations of marks that do not belong to a series.
    notes: Vec<String>,
    labels: Vec<Vec<Text>>,
    note_lines: Vec<Text>,
    columns: Vec<f64>,
}

impl Legend {
    /// Returns the legend of a panel, with the series that do not have names at their ends.
    ///
    /// A single series named like its axis or its panel needs no legend.
    pub fn of(panel: &Panel, ends: &Ends, width: f64) -> Self {
        let is_first = |(index, series): &(usize, &Series)| {
            series.group.is_none() || panel.series[..*index].iter().all(|before| before.group != series.group)
        };
        let all = panel.series.iter().enumerate().filter(is_first);
        let all = all.filter(|(index, _)| !ends.has(*index)).map(|(_, series)| series);
        let named: Vec<&Series> = all.filter(|series| !series.label.is_empty()).collect();
        let same = |a: &str, b: &str| a.to_lowercase() == b.to_lowercase();
        // Names below the axis identify the bars.
        let is_said = |series: &Series| {
            let heads = [&panel.y.label, &panel.title];
            !panel.x.names.is_empty() || heads.iter().any(|head| same(&series.entry(), head))
        };
        let redundant = panel.series.len() == 1 && named.iter().any(|series| is_said(series));
        let series = named.into_iter().filter(|_| !redundant);
        let series = series.map(|series| Series { points: Vec::new(), failures: Vec::new(), ..series.clone() });
        let mut notes = Vec::new();
        let is_hollow = |series: &Series| !series.published && series.points.iter().any(|point| point.hollow);
        if let Some(series) = panel.series.iter().find(|series| is_hollow(series)) {
            notes.push(format!("open {}: not resolved by the reference", series.kind.plot().noun()));
        }
        let failures = panel.series.iter().flat_map(|series| &series.failures);
        let names: BTreeSet<&str> = failures.map(|failure| failure.name.as_str()).collect();
        if !names.is_empty() {
            notes.push(format!("failed: {}", names.into_iter().collect::<Vec<_>>().join(", ")));
        }
        Self::new(series.collect(), notes, width)
    }

    /// Arranges series in as many columns as fit in `width`, with the notes below them.
    fn new(series: Vec<Series>, notes: Vec<String>, width: f64) -> Self {
        let labels: Vec<Vec<Text>> =
            series.iter().map(|series| wrap(&series.entry(), TICK_SIZE, width - SAMPLE - GAP)).collect();
        let note = notes.join("; ");
        let note_lines = if note.is_empty() { Vec::new() } else { wrap(&note, TICK_SIZE, width) };
        let entry = |lines: &[Text]| SAMPLE + GAP + widest(lines);
        let columns_of = |count: usize| -> Vec<f64> {
            let column = |first: usize| labels.iter().skip(first).step_by(count).map(|lines| entry(lines));
            (0..count).map(|first| column(first).fold(0.0, f64::max)).collect()
        };
        let most = (1..=series.len()).rev().find(|&count| total(&columns_of(count)) <= width).unwrap_or(1);
        // Uses the resulting number of rows with as few columns as possible, unless long labels make these too wide.
        let fewer = columns_of(series.len().div_ceil(series.len().div_ceil(most).max(1)));
        let columns = if total(&fewer) <= width { fewer } else { columns_of(most) };
        Self { series, notes, labels, note_lines, columns }
    }

    /// Returns the same legend, arranged for another width.
    pub fn within(&self, width: f64) -> Self {
        Self::new(self.series.clone(), self.notes.clone(), width)
    }

    /// True if the legend is empty.
    pub fn is_empty(&self) -> bool {
        self.series.is_empty() && self.notes.is_empty()
    }

    /// True if both legends have the same contents.
    pub fn says_the_same(&self, other: &Self) -> bool {
        self.series == other.series && self.notes == other.notes
    }

    /// Returns the width, px.
    pub fn width(&self) -> f64 {
        total(&self.columns).max(widest(&self.note_lines))
    }

    fn row_heights(&self) -> Vec<f64> {
        let tallest = |row: &[Vec<Text>]| row.iter().map(Vec::len).max().unwrap_or(1) as f64;
        self.labels.chunks(self.columns.len().max(1)).map(|row| tallest(row) * TICK_SIZE * LEADING + 2.0).collect()
    }

    /// Returns the height, px.
    pub fn height(&self) -> f64 {
        self.row_heights().iter().sum::<f64>() + self.note_lines.len() as f64 * TICK_SIZE * LEADING
    }

    /// Draws the legend with its upper left corner at the given position.
    pub fn draw(&self, groups: &mut Vec<Group>, left: f64, top: f64) -> Area {
        let mut words = Vec::new();
        let mut y = top;
        let count = self.columns.len().max(1);
        let rows = self.series.chunks(count).zip(self.labels.chunks(count)).zip(self.row_heights());
        for ((series, labels), height) in rows {
            let mut x = left + (self.width() - total(&self.columns)) / 2.0;
            let middle = y + TICK_SIZE * LEADING / 2.0;
            for ((series, lines), width) in series.iter().zip(labels).zip(&self.columns) {
                let part = Part::Legend(series.name().to_owned());
                groups.extend(series.kind.plot().sample(series, area(x, y, SAMPLE, TICK_SIZE * LEADING)));
                let name = |(number, line): (usize, &Text)| {
                    let down = baseline(TICK_SIZE) + number as f64 * TICK_SIZE * LEADING;
                    text(line.clone(), [x + SAMPLE + GAP, middle + down], TICK_SIZE, Anchor::Start)
                };
                groups.push(Group { ink: Ink::Foreground, part, shapes: lines.iter().enumerate().map(name).collect() });
                x += width + COLUMN_GAP;
            }
            y += height;
        }
        for line in &self.note_lines {
            let at = [left + self.width() / 2.0, y + TICK_SIZE * LEADING / 2.0 + baseline(TICK_SIZE)];
            words.push(text(line.clone(), at, TICK_SIZE, Anchor::Middle));
            y += TICK_SIZE * LEADING;
        }
        groups.push(Group { ink: Ink::Foreground, part: Part::Scaffold, shapes: words });
        area(left, top, self.width(), self.height())
    }
}

/// Returns the width of columns with the gaps between them.
fn total(columns: &[f64]) -> f64 {
    columns.iter().sum::<f64>() + COLUMN_GAP * columns.len().saturating_sub(1) as f64
}

/// Returns the width of the longest line.
fn widest(lines: &[Text]) -> f64 {
    lines.iter().map(|line| line.width(TICK_SIZE)).fold(0.0, f64::max)
}
