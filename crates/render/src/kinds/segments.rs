//! Unconnected lines.

use super::{Place, Plot, data, legend};
use crate::drawing::{Area, Group};
use crate::figure::Series;
use crate::marks::{clip, line};

/// A line for each pair of points.
pub struct Segments;

impl Plot for Segments {
    fn draw(&self, series: &Series, place: Place<'_>) -> Vec<Group> {
        let pairs = series.points.as_chunks::<2>().0.iter();
        let shown = pairs.filter_map(|[from, to]| clip(place.at(from)?, place.at(to)?, place.frame));
        vec![data(series, self.ink(series), shown.map(|ends| line(series, ends)).collect())]
    }

    fn sample(&self, series: &Series, space: Area) -> Vec<Group> {
        vec![legend(series, self.ink(series), vec![line(series, space.across())])]
    }
}
