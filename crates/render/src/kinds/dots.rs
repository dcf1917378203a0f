//! Clouds of dots.

use std::collections::HashSet;

use super::{Place, Plot, data, legend, sample_marker};
use crate::drawing::{Area, Group, Shape};
use crate::figure::Series;
use crate::style::Mark;

/// The radius of a dot, px.
const RADIUS: f64 = 1.2;
/// The number of cells along an axis, each with at most one dot: half a pixel of the usual figure.
const CELLS: f64 = 1000.0;

/// A dot at each point.
pub struct Dots;

impl Plot for Dots {
    fn draw(&self, series: &Series, place: Place<'_>) -> Vec<Group> {
        let dot = |(_, at)| Shape::Marker { mark: Mark::Circle, at, radius: RADIUS, hollow: false };
        vec![data(series, self.ink(series), place.inside(series).map(dot).collect())]
    }

    fn sample(&self, series: &Series, space: Area) -> Vec<Group> {
        vec![legend(series, self.ink(series), vec![sample_marker(series, space)])]
    }

    fn seen(&self, places: &[[f64; 2]]) -> Option<Vec<usize>> {
        let mut taken = HashSet::new();
        let cell = |place: &[f64; 2]| place.map(|share| (share * CELLS).round() as i64);
        Some((0..places.len()).filter(|&index| taken.insert(cell(&places[index]))).collect())
    }
}
