//! Weights of errors by the index of an unknown.

/// Tolerances, with weights by index: errors of unknowns of index 2 count `h` times and those of index 3 `h²` times
/// (E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, section VII.7).
#[derive(Debug, Clone)]
pub(crate) struct Tolerances {
    pub(crate) rel: f64,
    pub(crate) abs: f64,
    /// The index of each unknown, 1 to 3.
    pub(crate) indices: Vec<u8>,
}

impl Tolerances {
    /// Writes the scale of each error: `abs + rel |y|`, divided by `h^{k−1}` for an unknown of index `k`.
    pub(crate) fn weigh(&self, y: &[f64], h: f64, weights: &mut [f64]) {
        let scales = [1.0, h, h * h];
        for ((weight, y), &index) in weights.iter_mut().zip(y).zip(&self.indices) {
            let scale = scales[usize::from(index) - 1];
            *weight = ((self.abs + self.rel * y.abs()) / scale).max(f64::MIN_POSITIVE);
        }
    }
}
