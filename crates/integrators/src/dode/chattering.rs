//! The rule that keeps a run going when events follow each other at ever shorter intervals.

/// The largest number of events of one function in a window.
pub const MOST: u32 = 8;

/// Counts located events in a window of time; see [`Dode`](super::Dode).
#[derive(Debug, Clone)]
pub struct Chattering {
    window: f64,
    begin: f64,
    counts: Vec<u32>,
    all: u64,
}

impl Chattering {
    /// A counter with a window of `window` seconds.
    pub fn new(window: f64) -> Self {
        Self { window, begin: f64::NEG_INFINITY, counts: Vec::new(), all: 0 }
    }

    /// Length of the window, s.
    pub fn window(&self) -> f64 {
        self.window
    }

    /// Resets the counts and begins a window at `t`.
    pub fn reset(&mut self, t: f64) {
        self.begin = t;
        self.counts.fill(0);
        self.all = 0;
    }

    /// Counts an event of function `index` (of `count` functions) at `t`. Returns true if there are now too many.
    pub fn is_exceeded(&mut self, t: f64, index: usize, count: usize) -> bool {
        if t - self.begin > self.window {
            self.reset(t);
        }
        if self.counts.len() < count {
            self.counts.resize(count, 0);
        }
        self.counts[index] += 1;
        self.all += 1;
        self.counts[index] > MOST || self.all > u64::from(MOST) * (count as u64 + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chattering_is_counted_per_event_function() {
        let mut chattering = Chattering::new(1.0);
        assert!((0..100).all(|index| !chattering.is_exceeded(0.5, index, 100)));
        assert!((0..MOST - 1).all(|_| !chattering.is_exceeded(0.6, 3, 100)));
        assert!(chattering.is_exceeded(0.7, 3, 100));
        assert!(!chattering.is_exceeded(1.6, 3, 100), "a new window");
    }
}
