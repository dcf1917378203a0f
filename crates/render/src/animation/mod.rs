//! Drawings at equidistant times, as a self-playing SVG, as GIF and as APNG.

mod bitmaps;
mod player;
mod track;

pub use bitmaps::{apng, gif};
pub use player::svg;

use super::drawing::Drawing;

/// Drawings of equal size with the same axes and legends.
#[derive(Debug, Clone, PartialEq)]
pub struct Animation {
    /// The drawings in order of time; at least one.
    pub frames: Vec<Drawing>,
    /// The time of the first drawing, s.
    pub start: f64,
    /// The time from one drawing to the next, s; positive.
    pub step: f64,
    /// Seconds of model time for one second of the animation; positive.
    pub speed: f64,
    /// The index of the drawing shown if nothing moves.
    pub still: usize,
}

impl Animation {
    /// Returns how long each drawing is shown, s.
    pub fn delay(&self) -> f64 {
        self.step / self.speed
    }
}

/// Returns the text of a time above a drawing, with enough decimals to distinguish times that are `step` (s) apart.
pub fn time_text(time: f64, step: f64) -> String {
    format!("t = {time:.*} s", decimals(step))
}

/// Returns the number of decimals of a time.
fn decimals(step: f64) -> usize {
    (1.0 - step.log10().floor()).clamp(0.0, 9.0) as usize
}
