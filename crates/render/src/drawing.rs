//! A figure after layout: shapes with coordinates, for any backend.
//!
//! The unit is the CSS pixel, 1/96 inch; `x` points right and `y` down. A drawing 605 px wide is 16 cm wide.

use super::style::{Dash, Hue, Mark};
use super::text::Text;

/// Shapes in drawing order, and the places of the parts of the figure.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Drawing {
    /// The name, unique on a page.
    pub id: String,
    /// The width, px.
    pub width: f64,
    /// The height, px.
    pub height: f64,
    /// The title.
    pub title: String,
    /// The description for readers who cannot see the figure, including everything that is not drawn at its true place.
    pub description: String,
    /// The groups in drawing order.
    pub groups: Vec<Group>,
    /// The frame of each panel.
    pub frames: Vec<Area>,
    /// The scales of the lower and left edges of each frame.
    pub scales: Vec<[EdgeScale; 2]>,
    /// The legends.
    pub legends: Vec<Area>,
}

/// The scale of an edge of a frame.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeScale {
    /// The label of the axis with its unit.
    pub name: String,
    /// The values at the left or lower end, and at the other.
    pub range: [f64; 2],
    /// True if the scale is logarithmic.
    pub logarithmic: bool,
}

/// Shapes of one ink.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The ink of all shapes.
    pub ink: Ink,
    /// The part of the figure to which the shapes belong.
    pub part: Part,
    /// The shapes in drawing order.
    pub shapes: Vec<Shape>,
}

/// A part of the figure. A page uses the parts to hide a series, for example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Axes, grid and titles.
    Scaffold,
    /// The data of the series with this label.
    Series(String),
    /// The legend entry of the series with this label.
    Legend(String),
    /// The data of a series that a script moves.
    Moving {
        /// The label of the series.
        series: String,
        /// The index among all moving groups.
        number: usize,
    },
    /// The time of a drawing.
    Time,
}

/// An ink, which a theme maps to a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    /// Axes and text.
    Foreground,
    /// Published data.
    Published,
    /// Grid lines.
    Grid,
    /// A series.
    Hue(Hue),
}

impl Ink {
    /// Returns the name used in the custom property `--figure-NAME`, and the colours on a white and on a dark page as
    /// red, green, blue.
    pub fn look(self) -> (&'static str, [u8; 3], [u8; 3]) {
        match self {
            Self::Foreground => Hue::Ink.look(),
            Self::Published => ("published", [0x80, 0x80, 0x80], [0x98, 0x98, 0x98]),
            Self::Grid => ("grid", [0xdd, 0xdd, 0xdd], [0x3c, 0x3f, 0x45]),
            Self::Hue(hue) => hue.look(),
        }
    }
}

/// A shape.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A line through points.
    Line {
        /// The points, at least two.
        points: Vec<[f64; 2]>,
        /// The width, px.
        width: f64,
        /// The dashes.
        dash: Dash,
    },
    /// An outlined rectangle.
    Frame(Area),
    /// A filled rectangle without outline.
    Fill {
        /// The rectangle.
        area: Area,
        /// True if it is filled with the page colour instead of ink.
        hollow: bool,
    },
    /// A marker.
    Marker {
        /// The form.
        mark: Mark,
        /// The centre.
        at: [f64; 2],
        /// Half the size, px.
        radius: f64,
        /// True if the inside has the page colour.
        hollow: bool,
    },
    /// A line of text.
    Text {
        /// The text.
        text: Text,
        /// The position of the baseline at its start, middle or end.
        at: [f64; 2],
        /// The font size, px.
        size: f64,
        /// The part of the text at this position.
        anchor: Anchor,
        /// True if the text runs upwards.
        upwards: bool,
    },
}

/// The part of a text to which its position refers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    /// Returns the fraction of the text's width before its position.
    pub fn share(self) -> f64 {
        match self {
            Self::Start => 0.0,
            Self::Middle => 0.5,
            Self::End => 1.0,
        }
    }
}

/// A rectangle.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[allow(missing_docs)] // the names say it
pub struct Area {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Area {
    /// Returns the width.
    pub fn width(self) -> f64 {
        self.right - self.left
    }

    /// Returns the height.
    pub fn height(self) -> f64 {
        self.bottom - self.top
    }

    /// Returns the centre.
    pub fn middle(self) -> [f64; 2] {
        [(self.left + self.right) / 2.0, (self.top + self.bottom) / 2.0]
    }

    /// Returns the ends of a horizontal line through the centre.
    pub fn across(self) -> [[f64; 2]; 2] {
        [self.left, self.right].map(|x| [x, self.middle()[1]])
    }

    /// True if the point is inside or on the border.
    pub fn holds(self, [x, y]: [f64; 2]) -> bool {
        (self.left..=self.right).contains(&x) && (self.top..=self.bottom).contains(&y)
    }
}

impl Shape {
    /// Returns the points of a line; `None` for other shapes.
    pub fn points(&self) -> Option<&[[f64; 2]]> {
        if let Self::Line { points, .. } = self { Some(points) } else { None }
    }
}
