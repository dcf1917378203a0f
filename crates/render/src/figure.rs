//! A figure as plain data: what is shown, not how it is laid out.

use super::kinds::Kind;
use super::style::{Mark, Style};

/// A figure of one or more panels.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Name of the file without its ending, and of the figure in its paper: `figure-14`.
    pub id: String,
    /// What it shows; not drawn (the caption is the report's), but read aloud and shown on hovering.
    pub title: String,
    /// Panels side by side; at least one.
    pub columns: usize,
    /// Panels, row by row.
    pub panels: Vec<Panel>,
}

/// One pair of axes with its curves.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Panel {
    /// Drawn above the frame, after the panel's letter where there are several. May be empty.
    pub title: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Curves, in the order of the legend.
    pub series: Vec<Series>,
    /// Whether a unit is as long on both axes, which are linear then; one of them shows more than its range.
    pub to_scale: bool,
    /// Names of places, written with their middle there; left out where that is outside the frame.
    pub names: Vec<(String, [f64; 2])>,
    /// Whether curves have their names at their right ends, however few they are; many always have.
    pub named_at_ends: bool,
}

/// An axis. Its text is `label (unit)`, without the unit where that is `1` or empty.
///
/// In labels, units and titles `^2`, `^{…}` and `_{…}` are set as superscripts and subscripts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Axis {
    /// What is shown.
    pub label: String,
    /// Its unit, `1` for none.
    pub unit: String,
    /// Linear or logarithmic.
    pub scale: Scale,
    /// Ends of the axis, as in the paper; from the data where absent (or where it cannot be used: not
    /// finite, empty, or not positive on a logarithmic axis).
    pub range: Option<[f64; 2]>,
    /// Names that stand along it instead of numbers, the first at 0, the next at 1; empty for an axis of numbers.
    pub names: Vec<String>,
}

impl Axis {
    /// A linear axis with its range from the data.
    pub fn linear(label: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { label: label.into(), unit: unit.into(), ..Self::default() }
    }

    /// A logarithmic axis with its range from the data.
    pub fn log(label: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { scale: Scale::Log, ..Self::linear(label, unit) }
    }

    /// An axis with names instead of numbers: the first at 0, the next at 1.
    pub fn named(label: impl Into<String>, unit: impl Into<String>, names: Vec<String>) -> Self {
        Self { names, ..Self::linear(label, unit) }
    }

    /// What stands at a place of an axis with names.
    pub fn name_at(&self, place: f64) -> Option<&str> {
        self.names.get(place.round() as usize).map(String::as_str)
    }

    /// The same axis from `low` to `high`.
    #[must_use]
    pub fn between(mut self, low: f64, high: f64) -> Self {
        self.range = Some([low, high]);
        self
    }

    /// The axis text.
    pub fn text(&self) -> String {
        match self.unit.as_str() {
            "" | "1" => self.label.clone(),
            unit => format!("{} ({unit})", self.label),
        }
    }
}

/// How values are laid along an axis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scale {
    /// Proportional to the value.
    #[default]
    Linear,
    /// Proportional to its logarithm.
    Log,
}

impl Scale {
    /// What distances along the axis are distances of; not a number where the axis has no place for the value.
    pub fn coordinate(self, value: f64) -> f64 {
        match self {
            Self::Linear => value,
            Self::Log if value > 0.0 => value.log10(),
            Self::Log => f64::NAN,
        }
    }
}

/// One curve, or one set of points.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// Name in the legend; none there if empty.
    pub label: String,
    /// Name in the legend instead of the label, for all series together that have it.
    pub group: Option<String>,
    /// Colour, marker and dashes. Not looked at where [`published`](Self::published).
    pub style: Style,
    /// Line, markers, or both.
    pub kind: Kind,
    /// Points in drawing order. A point that is not finite interrupts the line.
    pub points: Vec<Point>,
    /// Runs that gave no value: drawn on the upper margin.
    pub failures: Vec<Failure>,
    /// Whether these are a paper's data: grey (but for rings), with open markers, behind all others.
    pub published: bool,
    /// Fitted slope of log y over log x, shown behind the label.
    pub slope: Option<f64>,
    /// Looks of the single bars, by place, where they are not that of the series.
    pub bar_styles: Vec<Style>,
    /// Whether it stands out, with a wider line and larger markers.
    pub bold: bool,
}

impl Series {
    /// A series of that kind through `points`.
    pub fn new(kind: Kind, label: impl Into<String>, style: Style, points: impl IntoIterator<Item = [f64; 2]>) -> Self {
        let points = points.into_iter().map(|[x, y]| Point { x, y, hollow: false }).collect();
        Self { label: label.into(), style, kind, points, ..Self::default() }
    }

    /// A ring at each of `points`, which others have published; one entry of the legend, `group`, for all of them.
    pub fn rings(
        label: impl Into<String>,
        group: impl Into<String>,
        style: Style,
        points: impl IntoIterator<Item = [f64; 2]>,
    ) -> Self {
        let style = Style { mark: Mark::Ring, ..style };
        Self { group: Some(group.into()), published: true, ..Self::new(Kind::Rings, label, style, points) }
    }

    /// Name by which a page shows and hides it: that of its entry in the legend.
    pub fn name(&self) -> &str {
        self.group.as_ref().unwrap_or(&self.label)
    }

    /// The look of a bar or of its mark.
    pub fn style_at(&self, place: f64) -> Style {
        self.bar_styles.get(place.round() as usize).copied().unwrap_or(self.style)
    }

    /// What stands in the legend: the label, and the slope where there is one.
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
    /// In the unit of the horizontal axis.
    pub x: f64,
    /// In the unit of the vertical axis.
    pub y: f64,
    /// Whether the marker is drawn open, since the reference does not resolve the value.
    pub hollow: bool,
}

/// A run without a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// Where the value would have been.
    pub x: f64,
    /// Name of the failure: `newton-diverged`.
    pub name: String,
    /// Time that the run reached, s.
    pub t_reached: f64,
}
