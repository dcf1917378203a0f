//! An observable at points inside a step.

use super::Observed;

/// Number of equal parts into which a step is divided in the search for landmarks.
pub(super) const PARTS: usize = 10;

/// An observable at the ends of the parts of a step.
pub(super) struct Sampled {
    /// Times, s.
    pub times: [f64; PARTS + 1],
    /// Values; NaN if the state could not be computed.
    pub values: [f64; PARTS + 1],
    /// Scratch memory for the observables of a state.
    pub scratch: Vec<f64>,
}

impl Sampled {
    /// Memory for `observables` observables.
    pub(super) fn new(observables: usize) -> Self {
        Self { times: [0.0; PARTS + 1], values: [0.0; PARTS + 1], scratch: vec![0.0; observables] }
    }

    /// Evaluates the observable at the ends of all parts of a step.
    pub(super) fn look(&mut self, step: &mut Observed<'_>, index: usize) {
        let length = step.t_end - step.t_start;
        for part in 0..=PARTS {
            let t = step.t_start + length * part as f64 / PARTS as f64;
            (self.times[part], self.values[part]) = match part {
                0 => (step.t_start, step.start[index]),
                PARTS => (step.t_end, step.end[index]),
                _ => (t, self.at(step, index, t)),
            };
        }
    }

    /// The observable at a time inside the step; NaN if the state there cannot be computed.
    pub(super) fn at(&mut self, step: &mut Observed<'_>, index: usize, t: f64) -> f64 {
        step.within.observables_at(t, &mut self.scratch).map_or(f64::NAN, |()| self.scratch[index])
    }
}
