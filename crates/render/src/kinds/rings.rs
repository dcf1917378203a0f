//! Published points as rings around ours.

use super::{Place, Plot, data, legend};
use crate::drawing::{Area, Group, Ink, Shape};
use crate::figure::Series;
use crate::style::Mark;

/// The radius of a ring, which encloses a marker of the usual size, px.
const RADIUS: f64 = 6.0;

/// A ring at each point.
pub struct Rings;

impl Plot for Rings {
    fn draw(&self, series: &Series, place: Place<'_>) -> Vec<Group> {
        vec![data(series, self.ink(series), place.inside(series).map(|(_, at)| ring(at)).collect())]
    }

    /// Rings of several series share one entry and are drawn in the series' colours.
    fn sample(&self, series: &Series, space: Area) -> Vec<Group> {
        vec![legend(series, Ink::Foreground, vec![ring(space.middle())])]
    }

    /// The ink of the series to which the rings belong.
    fn ink(&self, series: &Series) -> Ink {
        Ink::Hue(series.style.hue)
    }
}

fn ring(at: [f64; 2]) -> Shape {
    Shape::Marker { mark: Mark::Ring, at, radius: RADIUS, hollow: false }
}
