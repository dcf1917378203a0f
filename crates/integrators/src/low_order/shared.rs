//! First guesses for the linearly convergent iterations of HHT-SI2 and HHT-ADD, and the switch to Newton's method when
//! they are slow.

/// The state of [`PairAlgebra::Shared`](super::PairAlgebra::Shared); `N` kinds of unknowns are guessed.
pub struct Shared<const N: usize> {
    /// True if the rest of the step uses Newton's method.
    pub slow: bool,
    /// Steps for which Newton's method stays in use, and their number after the next slow step.
    waiting: u64,
    pause: u64,
    /// The unknowns at the end of the last step.
    before: [Vec<f64>; N],
}

impl<const N: usize> Shared<N> {
    /// Creates the state at the start of a run, with these unknowns.
    pub fn new(start: [&[f64]; N]) -> Self {
        Self { slow: false, waiting: 0, pause: 1, before: start.map(<[f64]>::to_vec) }
    }

    /// Begins a step: extrapolates the unknowns linearly.
    pub fn begin(&mut self, unknowns: [&mut [f64]; N]) {
        for (values, before) in unknowns.into_iter().zip(&mut self.before) {
            for (value, before) in values.iter_mut().zip(before) {
                let next = 2.0 * *value - *before;
                *before = std::mem::replace(value, next);
            }
        }
    }

    /// Ends a step. After a slow step, Newton's method is used for a while, twice as long each time: slow iterations
    /// cost a run no more than the logarithm of its steps.
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
