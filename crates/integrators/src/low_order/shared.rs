//! What a linearly converging iteration of HHT-SI2 needs: a good first guess, and an end to it where it is slow.

/// See [`PairAlgebra::Shared`](super::PairAlgebra::Shared).
pub struct Shared {
    /// Correction of the positions' pair.
    pub position: Vec<f64>,
    /// Whether the rest of the step is Newton's method.
    pub slow: bool,
    /// Steps for which it stays so, and for how many it will after the next slow one.
    waiting: u64,
    pause: u64,
    /// `e` and ν at the end of the last step.
    before: [Vec<f64>; 2],
}

impl Shared {
    /// Memory for `n` coordinates and `m` constraints.
    pub fn new(n: usize, m: usize) -> Self {
        Self { position: vec![0.0; n + m], slow: false, waiting: 0, pause: 1, before: [vec![0.0; n], vec![0.0; m]] }
    }

    /// Begins a step: `e` and ν go on along a straight line.
    pub fn begin(&mut self, e: &mut [f64], nu: &mut [f64]) {
        for (values, before) in [e, nu].into_iter().zip(&mut self.before) {
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
