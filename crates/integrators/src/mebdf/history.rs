//! Backward differences.

use super::formula::MAX_ORDER;

/// Number of differences `∇⁰` to `∇^{k+1}` for the highest order.
pub(super) const COLUMNS: usize = MAX_ORDER + 2;

/// A state and its backward differences over steps of one size.
#[derive(Debug, Clone)]
pub(super) struct History {
    /// `∇ʲ y`, `j` from 0.
    columns: [Vec<f64>; COLUMNS],
}

/// `bᵢ(s) = s (s + 1) … (s + i − 1)/i!`, the factor of `∇ⁱ` in the polynomial through the last states, `s` steps after
/// the last one.
fn basis(i: usize, s: f64) -> f64 {
    (0..i).map(|m| (s + m as f64) / (m + 1) as f64).product()
}

/// The matrix that converts differences over equal steps to those of the same polynomial over steps `ratio` times as
/// large: `∇ʲ` becomes `Σᵢ matrix[j][i] ∇ⁱ`, with the `j`-th backward difference of [`basis`] in steps of `ratio`.
fn rescaling(ratio: f64) -> [[f64; COLUMNS]; COLUMNS] {
    std::array::from_fn(|j| {
        std::array::from_fn(|i| {
            let (mut binomial, mut sum) = (1.0, 0.0);
            for m in 0..=j {
                sum += binomial * basis(i, -(m as f64) * ratio);
                binomial *= -((j - m) as f64) / (m + 1) as f64;
            }
            sum
        })
    })
}

impl History {
    /// Zero differences for states of `n` components.
    pub(super) fn new(n: usize) -> Self {
        Self { columns: std::array::from_fn(|_| vec![0.0; n]) }
    }

    /// `∇ʲ y`.
    pub(super) fn of_order(&self, j: usize) -> &[f64] {
        &self.columns[j]
    }

    /// Sets the state and its first difference.
    pub(super) fn start(&mut self, y: &[f64], first: impl Iterator<Item = f64>) {
        self.columns[0].copy_from_slice(y);
        self.columns[1].iter_mut().zip(first).for_each(|(difference, first)| *difference = first);
    }

    /// Copies the state and its differences up to order `k`.
    pub(super) fn take(&mut self, other: &Self, k: usize) {
        for (column, other) in self.columns.iter_mut().zip(&other.columns).take(k + 1) {
            column.copy_from_slice(other);
        }
    }

    /// Makes `y` the state that follows the state of `before`, with differences up to order `k`.
    pub(super) fn follow(&mut self, before: &Self, y: &[f64], k: usize) {
        self.columns[0].copy_from_slice(y);
        for j in 0..k {
            let (known, next) = self.columns.split_at_mut(j + 1);
            for (next, (known, before)) in next[0].iter_mut().zip(known[j].iter().zip(&before.columns[j])) {
                *next = known - before;
            }
        }
    }

    /// Converts the differences up to order `k` to steps `ratio` times as large.
    pub(super) fn rescale(&mut self, k: usize, ratio: f64) {
        let matrix = rescaling(ratio);
        for component in 0..self.columns[0].len() {
            // the matrix is upper triangular
            for j in 1..=k {
                self.columns[j][component] = (j..=k).map(|i| matrix[j][i] * self.columns[i][component]).sum();
            }
        }
    }

    /// Writes the polynomial through the last `k + 1` states at the end of the next step.
    pub(super) fn predict(&self, k: usize, y: &mut [f64]) {
        self.combine(&[1.0; COLUMNS][..=k], y);
    }

    /// Writes `Σⱼ coefficientsⱼ ∇ʲ y`.
    pub(super) fn combine(&self, coefficients: &[f64], sum: &mut [f64]) {
        sum.fill(0.0);
        for (column, coefficient) in self.columns.iter().zip(coefficients) {
            sum.iter_mut().zip(column).for_each(|(sum, difference)| *sum += coefficient * difference);
        }
    }

    /// Writes the leading components of the polynomial through the last `k + 1` states, `s` steps after the last one.
    pub(super) fn interpolate(&self, k: usize, s: f64, y: &mut [f64]) {
        let factors: [f64; COLUMNS] = std::array::from_fn(|i| basis(i, s));
        self.combine(&factors[..=k], y);
    }
}
