//! Backward differences of the solution over equal steps.

use super::formula::MAX_ORDER;

/// `∇ʲ y_n` for `j` from 1 to [`MAX_ORDER`] + 2, for the polynomial through the last states at the current step size.
#[derive(Debug, Clone)]
pub(super) struct Differences {
    /// `∇ʲ y_n` at index `j − 1`.
    columns: [Vec<f64>; MAX_ORDER + 2],
}

/// The matrix `U` of the change of step size; it is its own inverse.
const U: [[f64; MAX_ORDER]; MAX_ORDER] = [
    [-1.0, -2.0, -3.0, -4.0, -5.0],
    [0.0, 1.0, 3.0, 6.0, 10.0],
    [0.0, 0.0, -1.0, -4.0, -10.0],
    [0.0, 0.0, 0.0, 1.0, 5.0],
    [0.0, 0.0, 0.0, 0.0, -1.0],
];

/// `R` with `R_{ij} = Π_{m=1}^i (m − 1 − j ρ)/m`, times `U`, for the ratio `ρ` of new to old step size.
pub(super) fn change_of_size(ratio: f64) -> [[f64; MAX_ORDER]; MAX_ORDER] {
    let mut r = [[0.0; MAX_ORDER]; MAX_ORDER];
    for j in 0..MAX_ORDER {
        let mut product = 1.0;
        for i in 0..MAX_ORDER {
            product *= (i as f64 - (j + 1) as f64 * ratio) / (i + 1) as f64;
            r[i][j] = product;
        }
    }
    r.map(|row| std::array::from_fn(|j| row.iter().zip(&U).map(|(r, u)| r * u[j]).sum()))
}

impl Differences {
    /// Zero differences for states of `n` components.
    pub(super) fn new(n: usize) -> Self {
        Self { columns: std::array::from_fn(|_| vec![0.0; n]) }
    }

    /// `∇ʲ y_n`.
    pub(super) fn of_order(&self, j: usize) -> &[f64] {
        &self.columns[j - 1]
    }

    /// Sets `∇ʲ y_n`.
    #[cfg(test)]
    pub(super) fn set(&mut self, j: usize, difference: &[f64]) {
        self.columns[j - 1].copy_from_slice(difference);
    }

    /// The first differences for a step of size `h`, from the rates at the start.
    pub(super) fn start(&mut self, h: f64, rates: &[f64]) {
        for (difference, &rate) in self.columns[0].iter_mut().zip(rates) {
            *difference = h * rate;
        }
    }

    /// Converts the differences up to order `k` to those of the same polynomial for steps `ratio` times as large
    /// (Shampine, Reichelt, section 2.2).
    pub(super) fn change_size(&mut self, k: usize, ratio: f64) {
        let change = change_of_size(ratio);
        for component in 0..self.columns[0].len() {
            let old: [f64; MAX_ORDER] = std::array::from_fn(|j| self.columns[j][component]);
            for j in 0..k {
                self.columns[j][component] = (0..k).map(|i| old[i] * change[i][j]).sum();
            }
        }
    }

    /// Writes `y⁽⁰⁾_{n+1} = Σ_{m=0}^k ∇ᵐ y_n` into `prediction`.
    pub(super) fn predict(&self, k: usize, y: &[f64], prediction: &mut [f64]) {
        prediction.copy_from_slice(&self.columns[0]);
        for column in &self.columns[1..k] {
            prediction.iter_mut().zip(column).for_each(|(sum, &difference)| *sum += difference);
        }
        prediction.iter_mut().zip(y).for_each(|(sum, &y)| *sum += y);
    }

    /// Writes `Σ_{m=1}^k γ_m ∇ᵐ y_n`, divided by `leading`, into `psi`.
    pub(super) fn combine(&self, gamma: impl Fn(usize) -> f64, k: usize, leading: f64, psi: &mut [f64]) {
        psi.fill(0.0);
        for (m, column) in self.columns[..k].iter().enumerate() {
            let gamma = gamma(m + 1);
            psi.iter_mut().zip(column).for_each(|(sum, &difference)| *sum += gamma * difference);
        }
        psi.iter_mut().for_each(|sum| *sum /= leading);
    }

    /// Advances to `y_{n+1}`, whose difference of order `k + 1` is `correction`.
    pub(super) fn advance(&mut self, k: usize, correction: &[f64]) {
        let (known, next) = self.columns.split_at_mut(k + 1);
        for (next, (known, &correction)) in next[0].iter_mut().zip(known[k].iter_mut().zip(correction)) {
            *next = correction - *known;
            *known = correction;
        }
        for j in (0..k).rev() {
            let (lower, higher) = known.split_at_mut(j + 1);
            lower[j].iter_mut().zip(&higher[0]).for_each(|(lower, &higher)| *lower += higher);
        }
    }

    /// Writes the state `s` steps after the current state `y` (negative: before it) into `state`: the polynomial of
    /// order `k` through the last states.
    pub(super) fn interpolate(&self, k: usize, s: f64, y: &[f64], state: &mut [f64]) {
        state.copy_from_slice(y);
        let mut product = 1.0;
        for (m, column) in self.columns[..k].iter().enumerate() {
            product *= (s + m as f64) / (m + 1) as f64;
            for (state, &difference) in state.iter_mut().zip(column) {
                *state += product * difference;
            }
        }
    }
}
