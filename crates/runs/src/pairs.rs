//! Quotients of times from pairs of samples: two runs timed in the same round saw the machine in the same state.
//!
//! Nothing is assumed about the distribution of times. The interval of the median of the rounds' quotients lies between
//! two of the sorted quotients and contains the median in at least 95 % of cases (J. D. Gibbons, S. Chakraborti,
//! Nonparametric Statistical Inference, section 5.2). The machine may change between states in which the quotient
//! differs, and the median of all rounds is then that of a mixture. The interval is therefore extended to include the
//! medians of the quieter and of the busier half of the rounds.

/// The probability with which an interval contains the median.
pub const CONFIDENCE: f64 = 0.95;

/// The assumed relative change of a time, or of a quotient of times, from one build to the next due to the placement of
/// code in memory: a few per cent in our experience. No repetition of one program shows it. The value is an assumption
/// and not measured on the machine at hand.
pub const PLACEMENT: f64 = 0.05;

/// The smallest number of rounds for which the halves have intervals of their own.
const FEWEST_FOR_HALVES: usize = 12;

/// A median with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The median.
    pub value: f64,
    /// The lower end; zero if there are too few rounds for an interval.
    pub low: f64,
    /// The upper end; infinite if there are too few rounds.
    pub high: f64,
}

impl Interval {
    /// Returns the width relative to the median.
    pub fn relative_width(&self) -> f64 {
        (self.high - self.low) / self.value
    }

    /// Returns the larger distance of the median from an end. If `placed`, that is, if the times are not from identical
    /// code, both ends are first moved outwards by [`PLACEMENT`].
    pub fn uncertainty(&self, placed: bool) -> f64 {
        let factor = if placed { 1.0 + PLACEMENT } else { 1.0 };
        (self.high * factor - self.value).max(self.value - self.low / factor)
    }
}

/// Returns the median of times, or of other positive numbers, with its interval.
pub fn median(numbers: &[f64]) -> Interval {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    let value = match n {
        0 => f64::NAN,
        _ if n % 2 == 1 => sorted[n / 2],
        _ => 0.5 * (sorted[n / 2 - 1] + sorted[n / 2]),
    };
    match outermost(n) {
        Some(rank) => Interval { value, low: sorted[rank], high: sorted[n - 1 - rank] },
        None => Interval { value, low: 0.0, high: f64::INFINITY },
    }
}

/// Returns the median of the quotients `of/to` of each round, with its interval; `None` if the two runs were not timed
/// in the same rounds.
pub fn ratio(of: &[f64], to: &[f64]) -> Option<Interval> {
    if of.len() != to.len() || of.is_empty() {
        return None;
    }
    let mut rounds: Vec<[f64; 2]> = of.iter().zip(to).map(|(of, to)| [of + to, of / to]).collect();
    rounds.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let quotients: Vec<f64> = rounds.iter().map(|round| round[1]).collect();
    let mut all = median(&quotients);
    if quotients.len() >= FEWEST_FOR_HALVES {
        let (quiet, busy) = quotients.split_at(quotients.len() / 2);
        for half in [median(quiet).value, median(busy).value] {
            all.low = all.low.min(half);
            all.high = all.high.max(half);
        }
    }
    Some(all)
}

/// Returns how many of `n` sorted numbers lie outside the interval of their median on either side. It is the largest
/// number such that the median is outside with a probability of at most `1 − CONFIDENCE`, if each number is on either
/// side of it with probability 1/2. `None` if `n` is below six.
fn outermost(n: usize) -> Option<usize> {
    let n_real = n as f64;
    let mut logarithm = -n_real * std::f64::consts::LN_2;
    let (mut below, mut rank) = (logarithm.exp(), None);
    for k in 0..n / 2 {
        if 2.0 * below > 1.0 - CONFIDENCE {
            break;
        }
        rank = Some(k);
        logarithm += ((n_real - k as f64) / (k as f64 + 1.0)).ln();
        below += logarithm.exp();
    }
    rank
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudorandom numbers in [0, 1), the same in every execution.
    struct Noise(u64);

    impl Noise {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1u64 << 53) as f64
        }

        /// A time of about one with a tail of longer times, as is typical.
        fn time(&mut self, spread: f64) -> f64 {
            1.0 + spread * (-(1.0 - self.next()).ln())
        }
    }

    fn rounds(n: usize, round: impl FnMut(usize) -> [f64; 2]) -> [Vec<f64>; 2] {
        let (of, to) = (0..n).map(round).map(|[a, b]| (a, b)).unzip();
        [of, to]
    }

    #[test]
    fn ranks_match_sign_test_tables() {
        // The usual tables, which count ranks from one, have 6: 1, 10: 2, 21: 6, 50: 18, 101: 41.
        assert_eq!([5, 6, 10, 21, 50, 101].map(outermost), [None, Some(0), Some(1), Some(5), Some(17), Some(40)]);
        assert!(outermost(5000).is_some_and(|rank| (2400..2450).contains(&rank)), "no underflow");
    }

    #[test]
    fn a_quiet_machine_gives_narrow_intervals_around_the_quotient() {
        let mut noise = Noise(1);
        let [of, to] = rounds(21, |_| [1.3 * noise.time(0.005), noise.time(0.005)]);
        let quotient = ratio(&of, &to).unwrap();
        assert!(quotient.low <= 1.3 && 1.3 <= quotient.high && quotient.relative_width() < 0.01, "{quotient:?}");
        assert!(quotient.uncertainty(true) > 0.05 * 1.3 && quotient.uncertainty(false) < 0.01);
    }

    #[test]
    fn common_slowdowns_cancel_in_the_quotient() {
        let mut noise = Noise(2);
        // Stretches of rounds take twice as long, as under another load.
        let [of, to] = rounds(21, |round| {
            let load = if round % 8 < 4 { 1.0 } else { 2.0 };
            [1.3 * load * noise.time(0.005), load * noise.time(0.005)]
        });
        let quotient = ratio(&of, &to).unwrap();
        assert!(quotient.low <= 1.3 && 1.3 <= quotient.high && quotient.relative_width() < 0.02, "{quotient:?}");
        let apart = median(&of);
        assert!(apart.relative_width() > 0.9, "the times themselves are not known to that");
    }

    #[test]
    fn more_rounds_narrow_the_interval() {
        let width = |rounds_of: usize| {
            let mut noise = Noise(3);
            let [of, to] = rounds(rounds_of, |_| [1.3 * noise.time(0.3), noise.time(0.3)]);
            let quotient = ratio(&of, &to).unwrap();
            assert!(quotient.low <= 1.3 && 1.3 <= quotient.high, "{quotient:?}");
            quotient.relative_width()
        };
        let (few, many) = (width(11), width(401));
        assert!(few > 0.1 && many < 0.5 * few, "{few} {many}");
    }

    /// Counts in how many of a thousand experiments the interval contains the true quotient, here that of the medians.
    #[test]
    fn intervals_have_their_nominal_coverage() {
        let mut noise = Noise(4);
        for n in [7, 11, 21, 60] {
            let holds = (0..1000).filter(|_| {
                let [of, to] = rounds(n, |_| [1.3 * noise.time(0.5), noise.time(0.5)]);
                ratio(&of, &to).is_some_and(|quotient| quotient.low <= 1.3 && 1.3 <= quotient.high)
            });
            assert!(holds.count() >= 940, "{n} rounds");
        }
    }

    /// A load that slows runs of a round at random, and one that slows only one of the two runs: the median alone would
    /// be that of the state with more rounds.
    #[test]
    fn a_bistable_machine_gives_a_wide_correct_interval() {
        let mut noise = Noise(5);
        for share in [0.3, 0.4, 0.5, 0.6, 0.7] {
            let [of, to] = rounds(41, |round| {
                let load = if (round as f64 / 41.0) < share { 1.6 } else { 1.0 };
                [1.3 * load * noise.time(0.01), noise.time(0.01)]
            });
            let quotient = ratio(&of, &to).unwrap();
            assert!(quotient.low < 1.35 && quotient.high > 2.0, "{share}: {quotient:?}");
        }
        let mut by_chance = |slow: f64| if noise.next() < 0.5 { slow } else { 1.0 };
        let [of, to] = rounds(41, |_| [1.3 * by_chance(1.55), by_chance(1.55)]);
        let quotient = ratio(&of, &to).unwrap();
        assert!(quotient.low <= 1.3 && 1.3 <= quotient.high, "{quotient:?}");
    }

    #[test]
    fn too_few_or_unmatched_rounds_give_no_interval() {
        let quotient = ratio(&[1.3; 5], &[1.0; 5]).unwrap();
        assert_eq!((quotient.value, quotient.low, quotient.high), (1.3, 0.0, f64::INFINITY));
        assert!(quotient.uncertainty(false).is_infinite());
        assert!(ratio(&[1.3; 5], &[1.0; 6]).is_none() && ratio(&[], &[]).is_none());
    }
}
