//! The search for a step size.

/// The largest number of tests of the criterion in a step. Halving exhausts the digits of a double in 52 tests; the
/// others are for doubling.
pub const MOST_TESTS: u32 = 60;

/// The result of a test of the criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The trial meets the criterion, or is too short and cannot be longer.
    Accepted,
    /// Another trial is needed.
    Again,
    /// Another trial is needed, and the present trial becomes the lower end of the bracket.
    Raised,
}

/// The search for `u` with `|R(u)| ≤ η` of modin2005, Algorithm 1: doubling while `R(u) < 0`, then bisection.
///
/// Beyond the paper, no trial is longer than `largest`, and [`is_exhausted`](Self::is_exhausted) tells when to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Search {
    eta: f64,
    largest: f64,
    /// The lower end of the bracket. As printed, it is zero until a trial of the bisection is too short, even after
    /// doubling.
    pub lower: f64,
    b: f64,
    /// The size of the next trial.
    pub u: f64,
    bisecting: bool,
    /// Number of tests so far.
    pub tests: u32,
}

impl Search {
    /// Starts at `first`, or at `largest` if that is shorter.
    pub fn new(eta: f64, first: f64, largest: f64) -> Self {
        let u = first.min(largest);
        Self { eta, largest, lower: 0.0, b: u, u, bisecting: false, tests: 0 }
    }

    /// Judges the trial by its residual `R(u)`, infinite if the step has no finite result, and chooses the next
    /// trial.
    pub fn judge(&mut self, residual: f64) -> Verdict {
        self.tests += 1;
        let is_short = residual < 0.0;
        if residual.abs() <= self.eta || (is_short && self.u >= self.largest) {
            return Verdict::Accepted;
        }
        if is_short && !self.bisecting {
            self.b = (2.0 * self.b).min(self.largest);
            self.u = self.b;
            return Verdict::Again;
        }
        self.bisecting = true;
        if is_short {
            self.lower = self.u;
        } else {
            self.b = self.u;
        }
        self.u = 0.5 * (self.lower + self.b);
        if is_short { Verdict::Raised } else { Verdict::Again }
    }

    /// True if no further trial can meet the criterion: the bracket has shrunk to rounding, or `MOST_TESTS` tests
    /// have been made. If the force jumps, `R` may jump across the whole of `[−η, η]`.
    pub fn is_exhausted(&self) -> bool {
        self.tests >= MOST_TESTS || (self.bisecting && self.b - self.lower <= 4.0 * f64::EPSILON * self.b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the trials until acceptance or exhaustion, and true if the last one was accepted.
    fn trials(mut search: Search, residual: impl Fn(f64) -> f64) -> (Vec<f64>, bool) {
        let mut made = Vec::new();
        loop {
            made.push(search.u);
            let verdict = search.judge(residual(search.u));
            assert_eq!(search.tests as usize, made.len());
            if verdict == Verdict::Accepted {
                return (made, true);
            }
            if search.is_exhausted() {
                return (made, false);
            }
        }
    }

    #[test]
    fn the_trials_match_the_printed_algorithm() {
        // The root is 0.3: doubling gives b = 0.1, 0.2, 0.4, and a is still zero when bisection begins.
        let (made, accepted) = trials(Search::new(0.01, 0.1, 1.1), |u| u / 0.3 - 1.0);
        assert!(accepted);
        assert_eq!(made[..5], [0.1, 0.2, 0.4, 0.2, 0.5 * (0.2 + 0.4)]);
        assert_eq!(made.len(), 5);
        assert_eq!(trials(Search::new(0.1, 0.31, 1.1), |u| u / 0.3 - 1.0), (vec![0.31], true));
    }

    proptest! {
        #[test]
        fn a_continuous_residual_is_always_met(
            root in 1e-8..1.0_f64, first in 1e-8..2.0_f64, eta in 1e-6..0.9_f64, power in 0.2..5.0_f64,
        ) {
            let residual = |u: f64| (u / root).powf(power) - 1.0;
            let (made, accepted) = trials(Search::new(eta, first, 1.0 + eta), residual);
            let u = *made.last().expect("one trial at least");
            prop_assert!(accepted && residual(u).abs() <= eta && u <= 1.0 + eta);
            prop_assert!(made.len() <= MOST_TESTS as usize);
        }

        #[test]
        fn a_residual_that_jumps_exhausts_the_search_at_the_jump(jump in 1e-3..1.0_f64, first in 1e-3..1.0_f64) {
            let mut search = Search::new(0.1, first, 1.1);
            while !search.is_exhausted() {
                let residual = if search.u < jump { -0.55 } else { 30.0 };
                prop_assert!(search.judge(residual) != Verdict::Accepted);
            }
            prop_assert!(search.lower > 0.0 && search.lower < jump);
            // The width that remains of the first bracket if each test after the doublings halved it, with rounding.
            let doublings = (1.1 / first).log2().ceil();
            let left = 2.2 * 0.5_f64.powf(f64::from(MOST_TESTS) - doublings);
            let bound = left + 8.0 * f64::EPSILON * jump;
            prop_assert!(jump - search.lower <= bound, "{} {}", search.lower, jump);
            prop_assert!(search.tests <= MOST_TESTS);
        }
    }

    #[test]
    fn the_largest_step_is_accepted() {
        let (made, accepted) = trials(Search::new(0.1, 0.25, 0.7), |u| u - 1.0);
        assert!(accepted);
        assert_eq!(made, [0.25, 0.5, 0.7]);
    }

    #[test]
    fn a_step_without_finite_result_is_too_long() {
        let (made, accepted) =
            trials(Search::new(0.1, 1.0, 1.1), |u| if u > 0.2 { f64::INFINITY } else { u / 0.2 - 1.0 });
        assert!(accepted);
        assert_eq!(made[..4], [1.0, 0.5, 0.25, 0.125]);
    }
}
