//! A figure that has been laid out: shapes at places, for any backend.
//!
//! The unit is the CSS pixel, 1/96 inch; `x` runs to the right and `y` down. A drawing 605 px wide is 16 cm wide.

use super::style::{Dash, Hue, Mark};
use super::text::Text;

/// Shapes in drawing order, and where the parts of the figure are.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Drawing {
    /// Name, unique on a page.
    pub id: String,
    /// Width, px.
    pub width: f64,
    /// Height, px.
    pub height: f64,
    /// What it shows.
    pub title: String,
    /// What can be seen, for those who cannot see it, with everything that is not drawn at its own place.
    pub description: String,
    /// Groups in drawing order.
    pub groups: Vec<Group>,
    /// The frame of each panel.
    pub frames: Vec<Area>,
    /// What the lower and left edges of each frame measure.
    pub scales: Vec<[EdgeScale; 2]>,
    /// The legends.
    pub legends: Vec<Area>,
}

/// What an edge of a frame measures.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeScale {
    /// Label of the axis with its unit.
    pub name: String,
    /// Values at the left or lower end, and at the other.
    pub range: [f64; 2],
    /// Whether distances are those of the logarithms.
    pub logarithmic: bool,
}

/// Shapes of one ink.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Ink of all that is drawn here.
    pub ink: Ink,
    /// What the shapes are of.
    pub part: Part,
    /// Shapes in drawing order.
    pub shapes: Vec<Shape>,
}

/// What shapes are of; a page that shows the figure can hide a series with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Axes, grid and titles.
    Scaffold,
    /// The data of a series, by its label.
    Series(String),
    /// The entry of a series in the legend.
    Legend(String),
    /// The data of a series that a script moves.
    Moving {
        /// Its label.
        series: String,
        /// Which of all that move it is.
        number: usize,
    },
    /// The time that a drawing is of.
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
    /// Name, as in the custom property `--figure-NAME`, and the colours on white and on a dark page, as red, green, blue.
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
        /// At least two.
        points: Vec<[f64; 2]>,
        /// Width, px.
        width: f64,
        /// Dashes.
        dash: Dash,
    },
    /// An outlined rectangle.
    Frame(Area),
    /// A filled rectangle without outline.
    Fill {
        /// Where.
        area: Area,
        /// Whether it is filled with the page and not with ink.
        hollow: bool,
    },
    /// A marker.
    Marker {
        /// Its form.
        mark: Mark,
        /// Its centre.
        at: [f64; 2],
        /// Half its size, px.
        radius: f64,
        /// Whether its inside is the page.
        hollow: bool,
    },
    /// A line of text.
    Text {
        /// The text.
        text: Text,
        /// Where its baseline is, at its start, middle or end.
        at: [f64; 2],
        /// Font size, px.
        size: f64,
        /// Which part of it is at that place.
        anchor: Anchor,
        /// Whether it runs upwards.
        upwards: bool,
    },
}

/// The part of a text that its place refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    /// Part of the text's width that lies before its place.
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
    /// Extent from left to right.
    pub fn width(self) -> f64 {
        self.right - self.left
    }

    /// Extent from top to bottom.
    pub fn height(self) -> f64 {
        self.bottom - self.top
    }

    /// Its middle.
    pub fn middle(self) -> [f64; 2] {
        [(self.left + self.right) / 2.0, (self.top + self.bottom) / 2.0]
    }

    /// The ends of a line across its middle.
    pub fn across(self) -> [[f64; 2]; 2] {
        [self.left, self.right].map(|x| [x, self.middle()[1]])
    }

    /// Whether the two have points inside in common.
    pub fn overlaps(self, other: Self) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }

    /// Whether the point is inside or on the border.
    pub fn holds(self, [x, y]: [f64; 2]) -> bool {
        (self.left..=self.right).contains(&x) && (self.top..=self.bottom).contains(&y)
    }
}

impl Shape {
    /// The points of a line; `None` for other shapes.
    pub fn points(&self) -> Option<&[[f64; 2]]> {
        if let Self::Line { points, .. } = self { Some(points) } else { None }
    }

    /// The rectangle that a text takes; `None` for other shapes.
    pub fn text_area(&self) -> Option<Area> {
        let Self::Text { text, at: [x, y], size, anchor, upwards } = self else { return None };
        let (before, width) = (text.width(*size) * anchor.share(), text.width(*size));
        let (ascent, descent) = (text.ascent(*size), super::text::DESCENT * size);
        Some(if *upwards {
            Area { left: x - ascent, right: x + descent, top: y + before - width, bottom: y + before }
        } else {
            Area { left: x - before, right: x - before + width, top: y - ascent, bottom: y + descent }
        })
    }
}
