//! Random numbers of a search, as one stream that is the same on every machine.

/// Uniformly distributed numbers (G. L. Steele et al., OOPSLA 2014: SplitMix64).
#[derive(Debug, Clone)]
pub(super) struct Random(pub(super) u64);

impl Random {
    /// Returns a number in the unit interval, below 1.
    pub(super) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(super) fn below(&mut self, count: usize) -> usize {
        (self.unit() * count as f64) as usize
    }

    /// Returns two different numbers below `count`, which has to be at least 2.
    pub(super) fn pair(&mut self, count: usize) -> [usize; 2] {
        let first = self.below(count);
        [first, (first + 1 + self.below(count - 1)) % count]
    }
}

/// Reflects a coordinate outside the unit interval back into it. Symmetric moves stay symmetric.
pub(super) fn reflected(unit: f64) -> f64 {
    let within = unit.rem_euclid(2.0);
    if within > 1.0 { 2.0 - within } else { within }
}
