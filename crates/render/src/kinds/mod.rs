//! Kinds of plot, one file each: how series are drawn, their samples in the legend, and which points are visible.
//!
//! A new kind needs a file, a line in each of the three lists here, and a name in `PanelKind` of the experiment files.

mod bars;
mod curves;
mod dots;
mod rings;
mod segments;

use super::drawing::{Area, Group, Ink, Part, Shape};
use super::figure::{Panel, Point, Series};
use super::marks::{Map, marker};

/// The way in which a series is drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Kind {
    /// A line through the points.
    #[default]
    Line,
    /// A marker at each point.
    Markers,
    /// A line and a marker at each point.
    Both,
    /// A dot at each point, as small as is visible.
    Dots,
    /// A ring at each point, wider than the markers of other series.
    Rings,
    /// A line from the first point to the second, one from the third to the fourth, and so on.
    Segments,
    /// A bar from zero to each point, beside those of the panel's other series. For an axis with names.
    Bars,
}

impl Kind {
    /// Returns the implementation.
    pub(crate) fn plot(self) -> &'static dyn Plot {
        match self {
            Self::Line => &curves::Curve { line: true, markers: false },
            Self::Markers => &curves::Curve { line: false, markers: true },
            Self::Both => &curves::Curve { line: true, markers: true },
            Self::Dots => &dots::Dots,
            Self::Rings => &rings::Rings,
            Self::Segments => &segments::Segments,
            Self::Bars => &bars::Bars,
        }
    }
}

/// The context in which a series is drawn.
#[derive(Clone, Copy)]
pub struct Place<'p> {
    /// The panel.
    pub panel: &'p Panel,
    /// The axes.
    pub axes: [Map; 2],
    /// The frame.
    pub frame: Area,
    /// The number of series drawn before this one.
    pub before: usize,
}

impl Place<'_> {
    /// Returns the position of a point, even outside the frame; `None` if the axes cannot show it.
    pub fn at(&self, point: &Point) -> Option<[f64; 2]> {
        let [x, y] = &self.axes;
        if point.x.is_finite() && point.y.is_finite() { Some([x.place(point.x)?, y.place(point.y)?]) } else { None }
    }

    /// Returns the points inside the frame with their positions.
    pub fn inside<'s>(&self, series: &'s Series) -> impl Iterator<Item = (&'s Point, [f64; 2])> {
        let at = |point: &'s Point| Some((point, self.at(point).filter(|&at| self.frame.holds(at))?));
        series.points.iter().filter_map(at)
    }
}

/// A kind of plot.
pub trait Plot: Sync {
    /// Draws the points of a series.
    fn draw(&self, series: &Series, place: Place<'_>) -> Vec<Group>;

    /// Draws the sample before the name of the series in the legend.
    fn sample(&self, series: &Series, space: Area) -> Vec<Group>;

    /// Returns the ink of points and lines.
    fn ink(&self, series: &Series) -> Ink {
        if series.published { Ink::Published } else { Ink::Hue(series.style.hue) }
    }

    /// Returns the points that suffice to show everything visible; `None` if that is not known, so that all are needed.
    /// Positions are fractions of the axes.
    fn seen(&self, _places: &[[f64; 2]]) -> Option<Vec<usize>> {
        None
    }

    /// True if a line connects the points, so that of the points beyond the axis only the nearest matter.
    fn is_line(&self) -> bool {
        false
    }

    /// Returns a value that the vertical axis always shows.
    fn base(&self) -> Option<f64> {
        None
    }

    /// Returns the horizontal displacement of the `index`-th series of a panel in a frame of this width, px.
    fn shift(&self, _panel: &Panel, _index: usize, _width: f64) -> f64 {
        0.0
    }

    /// Returns the name of the shapes that are open if the reference does not resolve the value.
    fn noun(&self) -> &'static str {
        "marker"
    }
}

/// Returns the group of a series.
fn data(series: &Series, ink: Ink, shapes: Vec<Shape>) -> Group {
    Group { ink, part: Part::Series(series.name().to_owned()), shapes }
}

/// Returns the group of the sample of a series.
fn legend(series: &Series, ink: Ink, shapes: Vec<Shape>) -> Group {
    Group { ink, part: Part::Legend(series.name().to_owned()), shapes }
}

/// Returns a marker in the middle of the area of a sample.
fn sample_marker(series: &Series, space: Area) -> Shape {
    marker(series, series.style.mark, space.middle(), false)
}
