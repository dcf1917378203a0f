//! Sizes and orders of steps: the rules of MEBDFDAE.

use super::formula::Formula;

/// Part of a size by which orders below, at and above the present one are kept from being too bold, and the roundings that keep
/// quotients finite.
const LOWER: (f64, f64) = (0.1, 1.7e-6);
const SAME: (f64, f64) = (0.0, 1.6e-6);
const HIGHER: (f64, f64) = (0.2, 1.8e-6);

/// Safety in the choice after a good step; after one whose second and third stage were too far apart.
const SAFETY: f64 = 1.5;
const CAREFUL: f64 = 1.8;

/// Most growth of a step; of the first one.
const GROWTH: f64 = 10.0;
const FIRST_GROWTH: f64 = 1e4;

/// Steps without a change of size, where there was a reason against one.
pub(super) const PATIENCE: usize = 10;

/// Sums of squares of differences over the weights, for a state of `n` components.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    /// Of `∇^{k−1}`.
    pub two_lower: f64,
    /// Of `∇^k`.
    pub lower: f64,
    /// Of `∇^{k+1}`.
    pub same: f64,
    /// Of the change of `∇^{k+1}` over the last step, where an order above may be taken.
    pub higher: Option<f64>,
}

/// The quotient by which `h` would have to be divided at order `k` where the sum of squares is `sum`.
fn quotient(sum: f64, k: usize, n: usize, safety: f64) -> f64 {
    let scale = Formula::error_scale(k);
    (sum / (scale * scale * n as f64)).powf(0.5 / (k + 1) as f64) * safety
}

/// The size, over the present one, and the order of the step after one that had order `k`; `is_careful` where a stage before failed.
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
    // differences that grow with their order: the series does not converge
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

/// What a step is followed by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Choice {
    /// Size over the present one.
    pub ratio: f64,
    pub order: usize,
    /// Whether the order above would have a larger step than the present one.
    pub may_rise: bool,
}

/// The same after a step whose error was too large, `failures` in a row; the order does not rise.
pub(super) fn after_failure(k: usize, n: usize, sums: Sums, failures: u32) -> (f64, usize) {
    // errors are to be a fifth of what is allowed
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

/// The size of the present step and what is remembered of others.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    /// s.
    pub h: f64,
    /// Smallest one, s: the first of all. Where it does not do, it becomes a tenth of what it was.
    pub least: f64,
    /// s.
    pub most: f64,
    /// Most growth of the next change.
    growth: f64,
    /// Times that the smallest size was made smaller.
    cuts: u32,
    /// The sizes before this and the last change, s, and their quotient.
    last: f64,
    before: f64,
    change: f64,
}

/// Most times that the smallest size is made smaller.
const MAX_CUTS: u32 = 10;

impl Sizes {
    /// Before the first step, with the larger one of the tolerances.
    pub(super) fn new(first: f64, most: f64, tolerance: f64) -> Self {
        let unknown = tolerance / 10.0;
        let (last, before) = (unknown, unknown);
        Self { h: first, least: first, most, growth: FIRST_GROWTH, cuts: 0, last, before, change: 1.0 }
    }

    /// A ratio of sizes that does not shrink the step below the size before the last change, where that was growth: what has been
    /// gained too early is given back first.
    pub(super) fn reconsidered(&mut self, ratio: f64) -> f64 {
        if self.h != self.last {
            (self.change, self.before, self.last) = (self.h / self.last, self.last, self.h);
        }
        let gives_back = ratio <= 1.0 && self.change > 1.0 && ratio * self.h > self.before;
        if gives_back { self.before / self.h } else { ratio }
    }

    /// Whether there is no smaller step.
    pub(super) fn is_least(&self) -> bool {
        self.h <= self.least * 1.00001
    }

    /// Makes smaller steps possible; whether there still are any.
    pub(super) fn cut(&mut self) -> bool {
        self.cuts += 1;
        self.least *= 0.1;
        self.cuts <= MAX_CUTS
    }

    /// Limits the next growth to this factor.
    pub(super) fn limit(&mut self, growth: f64) {
        self.growth = growth;
    }

    /// The most that the next change may be.
    pub(super) fn growth(&self) -> f64 {
        self.growth
    }

    /// Makes the size `h` (s), which is smaller, however small, and gives the change.
    pub(super) fn shorten(&mut self, h: f64) -> f64 {
        let ratio = h / self.h;
        (self.h, self.least) = (h, self.least.min(h));
        ratio
    }

    /// Changes the size by about `ratio`, within its bounds, and gives the change.
    pub(super) fn scale(&mut self, ratio: f64) -> f64 {
        let ratio = ratio.max(self.least / self.h).min(self.most / self.h).min(self.growth);
        self.growth = GROWTH;
        self.h *= ratio;
        ratio
    }
}
