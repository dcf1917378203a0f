//! The rule for events that follow each other at ever shorter intervals.

use mbsbench_problem::{Failure, Scalar, Task};

/// The largest number of events of one function in a window.
const MOST: u32 = 8;
/// The window as a fraction of the span: the first step of compere2001, section 5.3.
const SHARE: f64 = 1e-5;

/// Counts located events in a window of time; see [`Dode`](crate::Dode).
#[derive(Debug, Clone)]
pub struct Chattering {
    /// Length of a window, s.
    pub window: f64,
    begin: f64,
    counts: Vec<u32>,
    all: u64,
}

impl Chattering {
    /// A counter for the span of a task.
    pub fn new<S: Scalar>(task: &Task<'_, S>) -> Self {
        let window = SHARE * (task.t_end - task.t_start).value();
        Self { window, begin: f64::NEG_INFINITY, counts: Vec::new(), all: 0 }
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

    /// Counts a jump of function `index`, as [`Self::is_exceeded`] counts its events.
    ///
    /// # Errors
    /// Returns [`Failure::EventsAccumulate`] if there are now too many.
    pub fn jump(&mut self, time: f64, index: usize, count: usize) -> Result<(), Failure> {
        let is_exceeded = self.is_exceeded(time, index, count);
        if is_exceeded { Err(self.accumulated(time, index)) } else { Ok(()) }
    }

    /// The failure if too many events jump.
    pub fn accumulated(&self, time: f64, index: usize) -> Failure {
        Failure::EventsAccumulate { time, index, events: u64::from(MOST), window: self.window }
    }
}

#[cfg(test)]
mod tests {
    use mbsbench_problem::Settings;

    use super::*;

    #[test]
    fn chattering_is_counted_per_event_function() {
        let task = Task { t_start: 0.0, t_end: 1e5, initial: &[0.0], settings: Settings::fixed(1.0) };
        let mut chattering = Chattering::new(&task);
        assert!((0..100).all(|index| !chattering.is_exceeded(0.5, index, 100)));
        assert!((0..MOST - 1).all(|_| !chattering.is_exceeded(0.6, 3, 100)));
        assert!(chattering.is_exceeded(0.7, 3, 100));
        assert!(!chattering.is_exceeded(1.6, 3, 100), "a new window");
    }
}
