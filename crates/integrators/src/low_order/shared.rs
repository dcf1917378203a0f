//! What an iteration needs that converges linearly, as those of HHT-SI2 and HHT-ADD may: a good first guess, and an end to it where it
//! is slow.

/// See [`PairAlgebra::Shared`](super::PairAlgebra::Shared); `N` sorts of unknowns are guessed.
pub struct Shared<const N: usize> {
    /// Whether the rest of the step is Newton's method.
    pub slow: bool,
    /// Steps for which it stays so, and for how many it will after the next slow one.
    waiting: u64,
    pause: u64,
    /// The unknowns at the end of the last step.
    before: [Vec<f64>; N],
}

impl<const N: usize> Shared<N> {
    /// At the start of a run, with these unknowns.
    pub fn new(start: [&[f64]; N]) -> Self {
        Self { slow: false, waiting: 0, pause: 1, before: start.map(<[f64]>::to_vec) }
    }

    /// Begins a step: the unknowns go on along a straight line.
    pub fn begin(&mut self, unknowns: [&mut [f64]; N]) {
        for (values, before) in unknowns.into_iter().zip(&mut self.before) {
            for (value, before) in values.iter_mut().zip(before) {
                let next = 2.0 * *value - *before;
                *before = std::mem::replace(value, next);
            }
        }
    }

    /// Ends a step. After a slow one the iteration is left alone for a while, twice as long each time: it costs a run no
    /// more than the logarithm of its steps.
    pub fn accept(&mut self) {
        if self.waiting > 0 {
            self.waiting -= 1;
        } else if self.slow {
            self.waiting = self.pause;
            self.pause *= 2;
        }
        self.slow = self.waiting > 0;
    }
}
