//! Kinds of plot, a file each: how series are drawn, what stands for them in the legend, which of their points are seen.
//!
//! A new one is a file and a line in each of the three lists here, and a name among `PanelKind` of the experiment files.

mod bars;
mod curves;
mod dots;
mod rings;
mod segments;

use super::drawing::{Area, Group, Ink, Part, Shape};
use super::figure::{Panel, Point, Series};
use super::marks::{Map, marker};

/// How a series is drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Kind {
    /// A line through the points.
    #[default]
    Line,
    /// A marker at each point.
    Markers,
    /// A line and a marker at each point.
    Both,
    /// A dot at each point, as small as can be seen.
    Dots,
    /// A ring at each point, wider than the markers of other series.
    Rings,
    /// A line from the first point to the second, one from the third to the fourth, and so on.
    Segments,
    /// A bar from zero to each point, beside those of the panel's other series. For an axis with names.
    Bars,
}

impl Kind {
    /// The kind that experiment files ask for by a name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "dots" => Some(Self::Dots),
            "bars" => Some(Self::Bars),
            _ => None,
        }
    }

    /// What it does.
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

/// Where a series is drawn.
#[derive(Clone, Copy)]
pub struct Place<'p> {
    /// The panel.
    pub panel: &'p Panel,
    /// The axes.
    pub axes: [Map; 2],
    /// What is inside them.
    pub frame: Area,
    /// How many series are drawn before.
    pub before: usize,
}

impl Place<'_> {
    /// Where a point is drawn, also outside of the frame; `None` where the axes have no place for it.
    pub fn at(&self, point: &Point) -> Option<[f64; 2]> {
        let [x, y] = &self.axes;
        if point.x.is_finite() && point.y.is_finite() { Some([x.place(point.x)?, y.place(point.y)?]) } else { None }
    }

    /// The points inside the frame, and where they are.
    pub fn inside<'s>(&self, series: &'s Series) -> impl Iterator<Item = (&'s Point, [f64; 2])> {
        let at = |point: &'s Point| Some((point, self.at(point).filter(|&at| self.frame.holds(at))?));
        series.points.iter().filter_map(at)
    }
}

/// What a kind of plot is.
pub trait Plot: Sync {
    /// Draws the points of a series.
    fn draw(&self, series: &Series, place: Place<'_>) -> Vec<Group>;

    /// What stands before the name of the series in the legend.
    fn sample(&self, series: &Series, room: Area) -> Vec<Group>;

    /// Ink of points and lines.
    fn ink(&self, series: &Series) -> Ink {
        if series.published { Ink::Published } else { Ink::Hue(series.style.hue) }
    }

    /// Which points show all that there is to see; all where that is not known. Places are shares of the axes.
    fn seen(&self, _places: &[[f64; 2]]) -> Option<Vec<usize>> {
        None
    }

    /// Whether a line goes from point to point, so that of those beyond the axis only the nearest are seen.
    fn is_line(&self) -> bool {
        false
    }

    /// A value that the vertical axis shows, whatever the data are.
    fn base(&self) -> Option<f64> {
        None
    }

    /// How far from its place the `index`-th series of a panel is drawn in a frame of that width, px.
    fn shift(&self, _panel: &Panel, _index: usize, _width: f64) -> f64 {
        0.0
    }

    /// What is drawn open where the reference does not resolve it.
    fn noun(&self) -> &'static str {
        "marker"
    }
}

/// The group of a series.
fn data(series: &Series, ink: Ink, shapes: Vec<Shape>) -> Group {
    Group { ink, part: Part::Series(series.name().to_owned()), shapes }
}

/// The group of its sample.
fn legend(series: &Series, ink: Ink, shapes: Vec<Shape>) -> Group {
    Group { ink, part: Part::Legend(series.name().to_owned()), shapes }
}

/// A marker in the middle of the room of a sample.
fn sample_marker(series: &Series, room: Area) -> Shape {
    marker(series, series.style.mark, room.middle(), false)
}
