//! Drawings of one thing at equal distances of time: as an SVG that plays by itself, as GIF and as APNG.

mod bitmaps;
mod player;
mod track;

pub use bitmaps::{AnimationError, apng, gif};
pub use player::svg;

use super::drawing::Drawing;

/// Drawings of equal size, whose axes and legends are the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Animation {
    /// The drawings, from the first time to the last; at least one.
    pub frames: Vec<Drawing>,
    /// Time of the first, s.
    pub start: f64,
    /// From one to the next, s; above zero.
    pub step: f64,
    /// Seconds that pass in one second of a viewer; above zero.
    pub speed: f64,
    /// Which of them is shown where nothing moves.
    pub still: usize,
}

impl Animation {
    /// How long a viewer sees each drawing, s.
    pub fn delay(&self) -> f64 {
        self.step / self.speed
    }
}

/// A time as it stands above a drawing, with as many decimals as make the next one, `step` (s) later, another.
pub fn time_text(time: f64, step: f64) -> String {
    format!("t = {time:.*} s", decimals(step))
}

/// Decimals of a time.
fn decimals(step: f64) -> usize {
    (1.0 - step.log10().floor()).clamp(0.0, 9.0) as usize
}
