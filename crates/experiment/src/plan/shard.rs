//! Shards: parts of the runs for several machines.

use std::str::FromStr;

use super::RunKey;

/// One of several parts of the runs: the runs whose keys, taken as numbers, leave the same remainder. The shard of a
/// run depends only on its key and the number of shards, and not on the other runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    index: u32,
    of: u32,
}

/// The accepted spelling.
const ACCEPTED: &str = "accepted: I/N with whole numbers, I from 1 to N, such as `1/8` to `8/8`";

impl FromStr for Shard {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let (index, of) = text.split_once('/').ok_or(ACCEPTED)?;
        let (index, of) = (index.parse().map_err(|_| ACCEPTED)?, of.parse().map_err(|_| ACCEPTED)?);
        if (1..=of).contains(&index) { Ok(Self { index, of }) } else { Err(ACCEPTED) }
    }
}

impl Shard {
    /// True if the shard contains the run of that key.
    pub fn has(self, key: &RunKey) -> bool {
        let digits = key.full().chars().filter_map(|digit| digit.to_digit(16));
        let remainder = digits.fold(0, |rest, digit| (16 * rest + u64::from(digit)) % u64::from(self.of));
        remainder == u64::from(self.index - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_a_remainder_of_the_key() {
        let key = RunKey("00000000000000000000000000000000000000000000000000000000000000ff".to_owned());
        // 255 = 2 · 127 + 1 = 10 · 25 + 5.
        for (shard, has) in [("1/1", true), ("1/2", false), ("2/2", true), ("6/10", true), ("5/10", false)] {
            assert_eq!(shard.parse::<Shard>().unwrap().has(&key), has, "{shard}");
        }
        // 2^256 - 1 is a multiple of 17, because 16^64 has remainder 1.
        let largest = RunKey("f".repeat(64));
        assert!("1/17".parse::<Shard>().unwrap().has(&largest));
    }

    #[test]
    fn shards_out_of_range_are_refused() {
        for text in ["", "1", "/", "0/2", "3/2", "1/0", "0/0", "-1/2", "1/2/3", "a/b", "1/4294967296"] {
            assert_eq!(text.parse::<Shard>(), Err(ACCEPTED), "{text}");
        }
    }
}
