//! The polynomial through the stages of a step.

use super::tableau::NODES;

/// The cubic through the start and the three stages of a step. Its argument `s` is the time after the end of the step,
/// divided by the step size:
///
/// ```text
/// y(s) = y₁ + s (k₁ + (s + 1 − c₂) (k₂ + (s + 1 − c₁) k₃))
/// ```
///
/// with divided differences `k` of the increments `zᵢ` (Hairer, Wanner, section IV.8, starting values). It is the
/// collocation polynomial, of order 3 inside the step.
#[derive(Debug, Clone)]
pub(super) struct Collocation {
    coefficients: [Vec<f64>; 3],
    /// Step size, s; zero before the first step.
    pub(super) h: f64,
}

impl Collocation {
    /// Creates the polynomial for `n` unknowns, before the first step.
    pub(super) fn new(n: usize) -> Self {
        Self { coefficients: std::array::from_fn(|_| vec![0.0; n]), h: 0.0 }
    }

    /// Computes the polynomial from the increments `zᵢ = Yᵢ − y₀` of a step of size `h`.
    pub(super) fn take(&mut self, h: f64, z: &[Vec<f64>; 3]) {
        let [c1, c2, _] = NODES;
        let [first, second, third] = &mut self.coefficients;
        for i in 0..first.len() {
            let last = (z[1][i] - z[2][i]) / (c2 - 1.0);
            let middle = (z[0][i] - z[1][i]) / (c1 - c2);
            let curvature = (middle - z[0][i] / c1) / c2;
            first[i] = last;
            second[i] = (middle - last) / (c1 - 1.0);
            third[i] = second[i] - curvature;
        }
        self.h = h;
    }

    /// Writes the leading components of `y(s) − y₁` into `change`.
    pub(super) fn change(&self, s: f64, change: &mut [f64]) {
        let [c1, c2, _] = NODES;
        let [first, second, third] = &self.coefficients;
        for (((change, first), second), third) in change.iter_mut().zip(first).zip(second).zip(third) {
            *change = s * (first + (s + 1.0 - c2) * (second + (s + 1.0 - c1) * third));
        }
    }
}
