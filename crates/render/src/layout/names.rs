//! Names along an axis.

use super::super::drawing::{Anchor, Area, Shape};
use super::super::text::{Text, wrap};
use super::{LEADING, TICK_SIZE, text};

/// The largest length of a name running upwards before it is broken, px.
const LONGEST: f64 = 150.0;

/// Names below an axis. They run along the axis, in one line or broken into several. If they do not fit, they run
/// upwards; if even these do not fit side by side, they alternate between rows.
#[derive(Debug, Clone, Default)]
pub struct Names {
    lines: Vec<Vec<Text>>,
    upwards: bool,
    /// The number of rows of names that run upwards.
    rows: usize,
}

impl Names {
    /// Arranges names without overlap below a frame `width` px wide.
    pub fn fitted(names: &[String], width: f64) -> Self {
        let space = width / names.len().max(1) as f64 - 0.6 * TICK_SIZE;
        let words = names.iter().flat_map(|name| name.split_inclusive([' ', ',']));
        let upwards = words.map(|word| Text::markup(word.trim()).width(TICK_SIZE)).any(|word| word > space);
        let space = if upwards { LONGEST } else { space };
        let lines: Vec<Vec<Text>> = names.iter().map(|name| wrap(name, TICK_SIZE, space)).collect();
        let across = lines.iter().map(Vec::len).max().unwrap_or(0) as f64 * LEADING * TICK_SIZE;
        let rows = (across * names.len() as f64 / width).ceil().max(1.0) as usize;
        Self { lines, upwards, rows }
    }

    /// Returns the height of a row of names that run upwards, px.
    fn row_height(&self) -> f64 {
        let lines = self.lines.iter().flatten();
        lines.map(|line| line.width(TICK_SIZE)).fold(0.0, f64::max) + 0.5 * TICK_SIZE
    }

    /// Returns the height below the frame, px.
    pub fn height(&self) -> f64 {
        if self.upwards {
            return self.rows as f64 * self.row_height();
        }
        let most = self.lines.iter().map(Vec::len).max().unwrap_or(0);
        (most as f64 * LEADING + 0.15) * TICK_SIZE
    }

    /// Draws the names below `frame`, beginning at `top`.
    pub fn draw(&self, frame: Area, top: f64, shapes: &mut Vec<Shape>) {
        let slot = frame.width() / self.lines.len().max(1) as f64;
        for (place, lines) in self.lines.iter().enumerate() {
            let middle = frame.left + (place as f64 + 0.5) * slot;
            for (number, line) in lines.iter().enumerate() {
                let after = number as f64 * LEADING * TICK_SIZE;
                if self.upwards {
                    let across = (lines.len() - 1) as f64 / 2.0 * LEADING * TICK_SIZE;
                    let down = (place % self.rows) as f64 * self.row_height();
                    let at = [middle - across + after + 0.3 * TICK_SIZE, top + down];
                    let (text, anchor) = (line.clone(), Anchor::End);
                    shapes.push(Shape::Text { text, at, size: TICK_SIZE, anchor, upwards: true });
                } else {
                    let at = [middle, top + 1.1 * TICK_SIZE + after];
                    shapes.push(text(line.clone(), at, TICK_SIZE, Anchor::Middle));
                }
            }
        }
    }
}
