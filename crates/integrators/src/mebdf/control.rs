//! Step sizes and orders: the rules of MEBDFDAE.

use super::formula::Formula;

/// Additions to the safety factor for orders below, at and above the current one, and small summands that keep
/// quotients away from zero.
const LOWER: (f64, f64) = (0.1, 1.7e-6);
const SAME: (f64, f64) = (0.0, 1.6e-6);
const HIGHER: (f64, f64) = (0.2, 1.8e-6);

/// Safety factor of the choice after an accepted step, and after a step whose second and third stage were too far
/// apart.
const SAFETY: f64 = 1.5;
const CAREFUL: f64 = 1.8;

/// Largest growth factor of a step, and of the first step.
const GROWTH: f64 = 10.0;
const FIRST_GROWTH: f64 = 1e4;

/// Steps without a change of size after a reason against a change.
pub(super) const PATIENCE: usize = 10;

/// Sums of squares of differences divided by the weights, for a state of `n` components.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    /// Sum for `∇^{k−1}`.
    pub two_lower: f64,
    /// Sum for `∇^k`.
    pub lower: f64,
    /// Sum for `∇^{k+1}`.
    pub same: f64,
    /// Sum for the change of `∇^{k+1}` over the last step, if the order may rise.
    pub higher: Option<f64>,
}

/// The quotient by which `h` would have to be divided at order `k`, given the sum of squares `sum`.
fn quotient(sum: f64, k: usize, n: usize, safety: f64) -> f64 {
    let scale = Formula::error_scale(k);
    (sum / (scale * scale * n as f64)).powf(0.5 / (k + 1) as f64) * safety
}

/// Chooses size (relative to the current one) and order of the next step after a step of order `k`; `is_careful` if
/// stages were too far apart before.
pub(super) fn choice(k: usize, n: usize, sums: Sums, is_careful: bool) -> Choice {
    let safety = if is_careful { CAREFUL } else { SAFETY };
    let higher = sums.higher.map_or(1e20, |sum| quotient(sum, k + 1, n, safety + HIGHER.0) + HIGHER.1);
    let same = quotient(sums.same, k, n, safety + SAME.0) + SAME.1;
    let mut lower = 1e20;
    let mut least = sums.lower;
    if k > 1 {
        lower = quotient(sums.lower, k - 1, n, safety + LOWER.0) + LOWER.1;
        if k > 2 {
            lower = lower.max(quotient(sums.two_lower, k - 2, n, safety + LOWER.0) + LOWER.1);
            least = least.min(sums.two_lower);
        }
    }
    // differences grow with their order: the series diverges
    let diverges = k > 1 && sums.higher.unwrap_or(0.0) > sums.same && sums.same > least;
    let (same, higher) = if diverges { (1e30, 1e30) } else { (same, higher) };
    let (quotient, order) = if same <= higher {
        if same > lower { (lower, k - 1) } else { (same, k) }
    } else if higher < lower {
        (higher, k + 1)
    } else {
        (lower, k - 1)
    };
    Choice { ratio: 1.0 / quotient, order, may_rise: higher < 1.0 }
}

/// Size and order of the next step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Choice {
    /// Size relative to the current one.
    pub ratio: f64,
    pub order: usize,
    /// True if the next higher order would allow a larger step than the current one.
    pub may_rise: bool,
}

/// Chooses relative size and order after `failures` error tests failed in a row; the order does not rise.
pub(super) fn after_failure(k: usize, n: usize, sums: Sums, failures: u32) -> (f64, usize) {
    // a fifth of the tolerated error is aimed at
    let quotient = |sum: f64, k: usize| quotient(5.0 * sum, k, n, SAFETY);
    let same = quotient(sums.same, k) + SAME.1;
    if k > 1 {
        let mut lower = quotient(sums.lower, k - 1) + LOWER.1;
        if k > 2 {
            lower = lower.max(quotient(sums.two_lower, k - 2) + LOWER.1);
        }
        if lower < same {
            return (1.0 / (lower * f64::from(failures)), k - 1);
        }
    }
    (1.0 / (same * f64::from(failures)), k)
}

/// The current step size and the memory of earlier ones.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    /// Current size, s.
    pub h: f64,
    /// Smallest size, s: at first the initial one. If a step of that size fails, it is reduced to a tenth.
    pub least: f64,
    /// Largest size, s.
    pub most: f64,
    /// Largest factor of the next change.
    pub growth: f64,
    /// Number of reductions of the smallest size.
    cuts: u32,
    /// The sizes before the current and the last change, s, and their quotient.
    last: f64,
    before: f64,
    change: f64,
}

/// Maximum number of reductions of the smallest size.
const MAX_CUTS: u32 = 10;

impl Sizes {
    /// Sizes before the first step, with the larger of the two tolerances.
    pub(super) fn new(first: f64, most: f64, tolerance: f64) -> Self {
        let unknown = tolerance / 10.0;
        let (last, before) = (unknown, unknown);
        Self { h: first, least: first, most, growth: FIRST_GROWTH, cuts: 0, last, before, change: 1.0 }
    }

    /// Limits a ratio of sizes, so that the step does not shrink below the size before the last change if that change
    /// was growth: premature growth is undone first.
    pub(super) fn reconsidered(&mut self, ratio: f64) -> f64 {
        if self.h != self.last {
            (self.change, self.before, self.last) = (self.h / self.last, self.last, self.h);
        }
        let gives_back = ratio <= 1.0 && self.change > 1.0 && ratio * self.h > self.before;
        if gives_back { self.before / self.h } else { ratio }
    }

    /// True if the step cannot be made smaller.
    pub(super) fn is_least(&self) -> bool {
        self.h <= self.least * 1.00001
    }

    /// Reduces the smallest size. Returns false if that has been done too often.
    pub(super) fn cut(&mut self) -> bool {
        self.cuts += 1;
        self.least *= 0.1;
        self.cuts <= MAX_CUTS
    }

    /// Sets the smaller size `h` (s), below the smallest size if necessary. Returns the ratio of the sizes.
    pub(super) fn shorten(&mut self, h: f64) -> f64 {
        let ratio = h / self.h;
        (self.h, self.least) = (h, self.least.min(h));
        ratio
    }

    /// Changes the size by about `ratio`, within its bounds. Returns the actual ratio.
    pub(super) fn scale(&mut self, ratio: f64) -> f64 {
        let ratio = ratio.max(self.least / self.h).min(self.most / self.h).min(self.growth);
        self.growth = GROWTH;
        self.h *= ratio;
        ratio
    }
}
