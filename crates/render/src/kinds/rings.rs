//! Published points about ours.

use super::{Place, Plot, data, legend};
use crate::drawing::{Area, Group, Ink, Shape};
use crate::figure::Series;
use crate::style::Mark;

/// Radius of a ring, that a marker of the usual size fits into, px.
const RADIUS: f64 = 6.0;

/// A ring at each point.
pub struct Rings;

impl Plot for Rings {
    fn draw(&self, series: &Series, place: Place<'_>) -> Vec<Group> {
        vec![data(series, self.ink(series), place.inside(series).map(|(_, at)| ring(at)).collect())]
    }

    /// Those of several series have one entry, and their colours.
    fn sample(&self, series: &Series, room: Area) -> Vec<Group> {
        vec![legend(series, Ink::Foreground, vec![ring(room.middle())])]
    }

    /// That of the series which they are about.
    fn ink(&self, series: &Series) -> Ink {
        Ink::Hue(series.style.hue)
    }
}

fn ring(at: [f64; 2]) -> Shape {
    Shape::Marker { mark: Mark::Ring, at, radius: RADIUS, hollow: false }
}
