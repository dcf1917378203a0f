//! Figures as plain data, independent of layout.

use super::kinds::Kind;
use super::style::{Mark, Style};

/// A figure of one or more panels.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The name of the file without extension, also that of the figure in its paper: `figure-14`.
    pub id: String,
    /// The title. It is not drawn (the report prints a caption), but read by screen readers and shown on hovering.
    pub title: String,
    /// The number of panels side by side; at least one.
    pub columns: usize,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
}

/// A pair of axes with its curves.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Panel {
    /// The title above the frame, after the panel's letter if there are several panels. May be empty.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The curves, in the order of the legend.
    pub series: Vec<Series>,
    /// True if a unit has the same length on both axes, which must be linear. One axis then shows more than its range.
    pub to_scale: bool,
    /// Names of points, centred at these; omitted outside the frame.
    pub names: Vec<(String, [f64; 2])>,
    /// True if curves are named at their right ends regardless of their number; many curves always are.
    pub named_at_ends: bool,
}

/// An axis. Its text is `label (unit)`, without the unit if that is `1` or empty.
///
/// In labels, units and titles, `^2`, `^{…}` and `_{…}` produce superscripts and subscripts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Axis {
    /// The label.
    pub label: String,
    /// The unit; `1` for none.
    pub unit: String,
    /// Linear or logarithmic.
    pub scale: Scale,
    /// The ends of the axis, as in the paper. If `None`, or if not finite, empty, or not positive on a logarithmic
    /// axis, they follow from the data.
    pub range: Option<[f64; 2]>,
    /// Names along the axis instead of numbers, the first at 0, the next at 1; empty for a numeric axis.
    pub names: Vec<String>,
}

impl Axis {
    /// Creates a linear axis with its range from the data.
    pub fn linear(label: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { label: label.into(), unit: unit.into(), ..Self::default() }
    }

    /// Creates a logarithmic axis with its range from the data.
    pub fn log(label: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { scale: Scale::Log, ..Self::linear(label, unit) }
    }

    /// Creates an axis with names instead of numbers, the first at 0, the next at 1.
    pub fn named(label: impl Into<String>, unit: impl Into<String>, names: Vec<String>) -> Self {
        Self { names, ..Self::linear(label, unit) }
    }

    /// Returns the name at a place of an axis with names.
    pub fn name_at(&self, place: f64) -> Option<&str> {
        self.names.get(place.round() as usize).map(String::as_str)
    }

    /// Returns the same axis from `low` to `high`.
    #[must_use]
    pub fn between(mut self, low: f64, high: f64) -> Self {
        self.range = Some([low, high]);
        self
    }

    /// Returns the text of the axis.
    pub fn text(&self) -> String {
        match self.unit.as_str() {
            "" | "1" => self.label.clone(),
            unit => format!("{} ({unit})", self.label),
        }
    }
}

/// The scale of an axis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scale {
    /// Distances are proportional to values.
    #[default]
    Linear,
    /// Distances are proportional to logarithms.
    Log,
}

impl Scale {
    /// Returns the coordinate of a value, in which distances on the axis are measured; NaN if the axis cannot show the
    /// value.
    pub fn coordinate(self, value: f64) -> f64 {
        match self {
            Self::Linear => value,
            Self::Log if value > 0.0 => value.log10(),
            Self::Log => f64::NAN,
        }
    }
}

/// A curve, or a set of points.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// The name in the legend; no entry if empty.
    pub label: String,
    /// A common name in the legend for all series with the same group, instead of their labels.
    pub group: Option<String>,
    /// Colour, marker and dashes; ignored if [`published`](Self::published).
    pub style: Style,
    /// Line, markers, or both.
    pub kind: Kind,
    /// The points in drawing order. A point that is not finite interrupts the line.
    pub points: Vec<Point>,
    /// Runs without a value, drawn on the upper margin.
    pub failures: Vec<Failure>,
    /// True for data from a paper: grey (except for rings), with open markers, behind all others.
    pub published: bool,
    /// The fitted slope of log y over log x, shown behind the label.
    pub slope: Option<f64>,
    /// The styles of single bars, by place, if they differ from that of the series.
    pub bar_styles: Vec<Style>,
    /// True if the series is emphasised by a wider line and larger markers.
    pub bold: bool,
}

impl Series {
    /// Creates a series of this kind through `points`.
    pub fn new(kind: Kind, label: impl Into<String>, style: Style, points: impl IntoIterator<Item = [f64; 2]>) -> Self {
        let points = points.into_iter().map(|[x, y]| Point { x, y, hollow: false }).collect();
        Self { label: label.into(), style, kind, points, ..Self::default() }
    }

    /// Creates a ring at each of `points`, which are published values; all share the legend entry `group`.
    pub fn rings(label: String, group: &str, style: Style, points: impl IntoIterator<Item = [f64; 2]>) -> Self {
        let style = Style { mark: Mark::Ring, ..style };
        Self { group: Some(group.to_owned()), published: true, ..Self::new(Kind::Rings, label, style, points) }
    }

    /// Returns the name by which a page shows and hides the series: that of its legend entry.
    pub fn name(&self) -> &str {
        self.group.as_ref().unwrap_or(&self.label)
    }

    /// Returns the style of a bar or of its mark.
    pub fn style_at(&self, place: f64) -> Style {
        self.bar_styles.get(place.round() as usize).copied().unwrap_or(self.style)
    }

    /// Returns the text in the legend: the label, and the slope if there is one.
    pub fn entry(&self) -> String {
        let Some(slope) = self.slope else { return self.name().to_owned() };
        let digits = format!("{:.2}", slope.abs());
        let sign = if slope < 0.0 && digits != "0.00" { "−" } else { "" };
        format!("{} (slope {sign}{digits})", self.label)
    }
}

/// A point of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The value on the horizontal axis, in its unit.
    pub x: f64,
    /// The value on the vertical axis, in its unit.
    pub y: f64,
    /// True if the marker is open, because the reference does not resolve the value.
    pub hollow: bool,
}

/// A run without a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// The place that the value would have.
    pub x: f64,
    /// The name of the failure: `newton-diverged`.
    pub name: String,
    /// The time that the run reached, s.
    pub t_reached: f64,
}
